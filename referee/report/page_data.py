"""The data of the page's script, as one JSON object: tables of all games, games to replay."""

from pathlib import Path
from typing import Any

from referee.outcome import Outcome
from referee.report.board_diffs import board_changes
from referee.report.bot_pages import describe_bots
from referee.report.collect import EDGES_MS, ReportGames, clock_numbers
from referee.report.dossiers import parse_dossier, read_dossier
from referee.report.rounds import make_rounds
from referee.report.rules_pages import built_in_rules
from referee.report.selection import EncodedGame
from referee.report.tables import board_ratings, make_parts
from referee.rules import BUILT_IN, Rules
from referee.schedule.fixtures import Board
from referee.scoring.ledger import Ledger
from referee.scoring.render import AllRatings
from referee.text import short_label

ALL_DOSSIERS, ALL_POSITIONS = 300_000, 300_000
"""Maximum characters of all dossiers, and of all boards of other variants."""


def make_data(
    ledger: Ledger,
    ratings: AllRatings,
    gathered: ReportGames,
    folder: Path,
    foreign: dict[str, Rules[Any]],
) -> dict[str, Any]:
    """Build the page's data, including boards of variants that the page's script lacks."""
    games = gathered.games()
    _add_dossiers(games, folder)
    _add_positions(games, gathered, foreign)
    return {
        "name": short_label(ledger.manifest.name),
        "tie_breaks": ledger.manifest.tie_breaks,
        "bots": describe_bots(ledger, gathered),
        "parts": make_parts(ledger, ratings),
        "board_ratings": board_ratings(ledger, ratings),
        "rounds": make_rounds(ledger),
        "boards": [_board(board, gathered, foreign.get(board)) for board in gathered.boards],
        "reasons": gathered.reasons.texts,
        "whys": [why_template(reason) for reason in gathered.reasons.texts],
        "rules": built_in_rules(gathered.boards),
        "clocks": [[text, *clock_numbers(text)] for text in gathered.clocks.texts],
        "tags": gathered.tags.texts,
        "edges": EDGES_MS,
        "total": gathered.total,
        "analysed": gathered.analyses.games,
        "games": [[*game.row, game.extras] if game.extras else game.row for game in games],
    }


def why_template(reason: str) -> str:
    """Return the words of `Outcome.why`, with `{winner}` and `{loser}` in place of names."""
    return Outcome((1, 0), reason).why(("{winner}", "{loser}"))


def _board(name: str, gathered: ReportGames, rules: Rules[Any] | None) -> dict[str, Any]:
    board = Board.parse(name)
    described: dict[str, Any] = {
        "name": short_label(name),
        "variant": short_label(board.variant),
        "rows": board.size.rows,
        "cols": board.size.cols,
        "moves": gathered.moves[name].moves,
    }
    if board.variant not in BUILT_IN:
        described["marks"] = [short_label(mark) for mark in rules.marks] if rules else ["1", "2"]
        described["origin"] = rules.origin if rules else 1
    return described


def _add_dossiers(games: list[EncodedGame], folder: Path) -> None:
    """Add dossiers to the newest faulted games, up to the limit."""
    room = ALL_DOSSIERS
    for game in reversed(games):
        if room > 0 and "faults" in game.extras:
            dossier = read_dossier(folder, game.id)
            if dossier is not None:
                game.extras["dossier"] = parse_dossier(dossier)
                room -= len(dossier)


def _add_positions(
    games: list[EncodedGame], gathered: ReportGames, foreign: dict[str, Rules[Any]]
) -> None:
    """Add boards to the newest games of other variants, up to the limit."""
    room = ALL_POSITIONS
    boards = gathered.boards
    for game in reversed(games):
        name = boards[game.row[0]]
        if room > 0 and name in foreign:
            moves = gathered.moves[name].unpack(game.row[5])
            changes = board_changes(foreign[name], moves)
            game.extras["boards"] = changes
            room -= sum(8 + len(text) for _, _, text in changes)
