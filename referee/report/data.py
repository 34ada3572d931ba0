"""Everything that the page's script shows, as one object: tables of all games, games to replay."""

from collections import Counter
from math import isfinite
from pathlib import Path
from typing import Any

from referee.arena import Ledger
from referee.grid import Size
from referee.ratings import Ratings
from referee.report.dossiers import read_dossier
from referee.report.gather import EDGES_MS, Gathered, clock_numbers
from referee.report.positions import board_changes, find_foreign_rules
from referee.report.selection import Packed
from referee.report.text import word
from referee.rules import BUILT_IN, Rules
from referee.standings import Standings
from referee.strength import ratings_sentences
from referee.timing import BotTimes
from referee.visible import visible

ALL_DOSSIERS, ALL_POSITIONS = 300_000, 300_000
"""Characters of dossiers, and of the boards of foreign games, in all."""
AllRatings = dict[str | None, Ratings]


def make_data(
    ledger: Ledger, ratings: AllRatings, gathered: Gathered, folder: Path
) -> dict[str, Any]:
    """The page's data."""
    games = gathered.games()
    _add_dossiers(games, folder)
    foreign = _foreign_rules(ledger, gathered)
    _add_positions(games, gathered, foreign)
    parts: list[str | None] = list(ledger.about.boards)
    parts = parts if len(parts) == 1 else [None, *parts]
    return {
        "name": word(ledger.about.name),
        "tie_breaks": ledger.about.tie_breaks,
        "bots": [_bot(ledger, gathered, name) for name in ledger.about.bots],
        "parts": [_part(ledger, ratings, board) for board in parts],
        "boards": [_board(board, gathered, foreign.get(board)) for board in gathered.boards],
        "reasons": gathered.reasons.texts,
        "clocks": [[text, *clock_numbers(text)] for text in gathered.clocks.texts],
        "edges": EDGES_MS,
        "total": gathered.total,
        "games": [[*game.row, game.extras] if game.extras else game.row for game in games],
    }


def _size(board: str) -> tuple[str, Size]:
    """`standoff-5x5` taken apart."""
    variant, _, size = board.rpartition("-")
    rows, _, cols = size.partition("x")
    return variant, Size(int(rows), int(cols))


def _foreign_rules(ledger: Ledger, gathered: Gathered) -> dict[str, Rules[Any]]:
    found = {}
    for board in gathered.boards:
        variant, size = _size(board)
        rules = find_foreign_rules(variant, ledger.about.boards.get(board, variant), size)
        if rules is not None:
            found[board] = rules
    return found


def _board(board: str, gathered: Gathered, rules: Rules[Any] | None) -> dict[str, Any]:
    variant, size = _size(board)
    described: dict[str, Any] = {
        "name": word(board),
        "variant": word(variant),
        "rows": size.rows,
        "cols": size.cols,
        "moves": gathered.moves[board].moves,
    }
    if variant not in BUILT_IN:
        described["marks"] = [word(mark) for mark in rules.marks] if rules else ["1", "2"]
        described["origin"] = rules.origin if rules else 1
    return described


def _add_dossiers(games: list[Packed], folder: Path) -> None:
    """The newest faulted games get theirs, as long as there is room."""
    room = ALL_DOSSIERS
    for game in reversed(games):
        if room > 0 and "faults" in game.extras:
            dossier = read_dossier(folder, game.id)
            if dossier is not None:
                game.extras["dossier"] = dossier
                room -= len(dossier)


def _add_positions(games: list[Packed], gathered: Gathered, foreign: dict[str, Rules[Any]]) -> None:
    """The boards of games that the page has no rules for; the newest first."""
    room = ALL_POSITIONS
    boards = gathered.boards
    for game in reversed(games):
        name = boards[game.row[0]]
        if room > 0 and name in foreign:
            moves = gathered.moves[name].unpack(game.row[5])
            changes = board_changes(foreign[name], moves)
            game.extras["boards"] = changes
            room -= sum(8 + len(text) for _, _, text in changes)


def _bot(ledger: Ledger, gathered: Gathered, name: str) -> dict[str, Any]:
    times = ledger.timing.bots.get(name, BotTimes())
    course = gathered.courses[name]
    faults: Counter[str] = Counter()
    for (_, bot, _, reason), count in ledger.tally.faults.items():
        if bot == name:
            faults[word(reason)] += count
    return {
        "name": word(name),
        "withdrawn": name in ledger.withdrawn,
        "results": _results(ledger, name),
        "course": course.whole_course(),
        "times": course.times(),
        "moves": times.moves,
        "mean_ms": _finite(times.thinking_ms / max(1, times.moves)),
        "longest_ms": _finite(times.longest_ms),
        "faults": faults,
    }


def _finite(ms: float) -> float | None:
    """JSON has no other numbers, though records that somebody else wrote may."""
    return round(ms, 2) if isfinite(ms) else None


def _results(ledger: Ledger, name: str) -> list[list[Any]]:
    """Board, seat, wins, losses, draws and points, for each board and seat."""
    gone = set(ledger.withdrawn) - {name}
    sums: dict[tuple[str, int], list[float]] = {}
    for (board, *pair, score), count in ledger.tally.games.items():
        for seat in (1, 2):
            if pair[seat - 1] != name or pair[2 - seat] in gone:
                continue
            mine, theirs = score[seat - 1], score[2 - seat]
            won, lost = mine > theirs, mine < theirs or mine == theirs == 0
            line = sums.setdefault((board, seat), [0, 0, 0, 0])
            for at, value in enumerate((won, lost, not won and not lost, mine)):
                line[at] += value * count
    order = list(ledger.about.boards)
    return [
        [word(board), seat, *line]
        for (board, seat), line in sorted(
            sums.items(), key=lambda item: (order.index(item[0][0]), item[0][1])
        )
    ]


def _part(ledger: Ledger, ratings: AllRatings, board: str | None) -> dict[str, Any]:
    """The tables of one board, or of all."""
    standings = ledger.standings(board)
    numbers = {name: number for number, name in enumerate(ledger.about.bots)}
    rated = ratings.get(board)
    return {
        "board": None if board is None else word(board),
        "games": standings.games,
        "rows": _rows(standings, numbers),
        "withdrawn": [numbers[name] for name in standings.withdrawn],
        "meetings": [
            [numbers[one], numbers[two], meeting.points, meeting.wins, meeting.losses]
            for (one, two), meeting in standings.meetings.items()
        ],
        "ratings": {
            numbers[row.bot]: [row.elo, row.low, row.high, row.distinct, row.note]
            for row in (rated.rows if rated else ())
        },
        "sentences": [visible(text) for text in ratings_sentences(rated)] if rated else [],
    }


def _rows(standings: Standings, numbers: dict[str, int]) -> list[dict[str, Any]]:
    return [
        {
            "rank": row.rank,
            "bot": numbers[row.bot],
            "points": row.points,
            "byes": row.byes,
            "games": row.games,
            "wins": row.wins,
            "losses": row.losses,
            "draws": row.draws,
            "seat_1": row.seat_1,
            "seat_2": row.seat_2,
            "tie_breaks": [abs(value) for value in row.tie_breaks],
            "faults": [[word(reason), count] for reason, count in row.faults],
        }
        for row in standings.rows
    ]
