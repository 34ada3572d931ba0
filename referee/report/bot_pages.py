"""The page of each bot: results by board and seat, score history, times, faults. Pure."""

from collections import Counter, defaultdict
from typing import Any

from referee.report.collect import ReportGames
from referee.report.score_history import score_histories
from referee.scoring.ledger import Ledger
from referee.scoring.meetings import won_and_lost
from referee.scoring.tables import duration_text, number, percent
from referee.scoring.timing import BotTimes
from referee.scoring.totals import StandingsRow
from referee.text import short_label

Results = dict[tuple[str, int], list[float]]
"""Wins, losses, draws and points, by board and seat."""


def describe_bots(ledger: Ledger, gathered: ReportGames) -> list[dict[str, Any]]:
    """Describe all bots, in the order of the tournament file."""
    gone = set(ledger.withdrawn)
    results, faults = _results(ledger, gone), _faults(ledger)
    histories = score_histories(ledger.game_columns, ledger.manifest.bots, gone)
    standings = {row.bot: row for row in ledger.standings().rows}
    order = {board: place for place, board in enumerate(ledger.manifest.boards)}
    described = []
    for name in ledger.manifest.bots:
        times = ledger.timing.bots.get(name, BotTimes())
        errors = gathered.analyses.of_bot(name)
        in_order = sorted(results[name].items(), key=lambda item: (order[item[0][0]], item[0][1]))
        described.append(
            {
                "name": short_label(name),
                "withdrawn": name in gone,
                "tiles": _tiles(standings.get(name), len(standings), times),
                "results": [
                    [short_label(board), seat, *_result(line)] for (board, seat), line in in_order
                ],
                "course": histories[name],
                "times": gathered.times(name),
                "numbers": gathered.number_histories(name),
                "moves": times.moves,
                "mean": duration_text(times.thinking_ms / max(1, times.moves)),
                "longest": duration_text(times.longest_ms),
                "faults": faults[name],
                "errors": errors and errors.to_json(),
            }
        )
    return described


def _tiles(row: StandingsRow | None, bots: int, times: BotTimes) -> list[tuple[str, str]]:
    """List titles and texts at the top of the page; a withdrawn bot has no row."""
    mean = duration_text(times.thinking_ms / times.moves) if times.moves else "-"
    if row is None:
        return [("Rank", "-"), ("Points", "-"), ("Score", "-"), ("Mean time", mean)]
    return [
        ("Rank", f"{row.rank} of {bots}"),
        ("Points", f"{number(row.points)} of {row.games + row.byes:,g}"),
        ("Score", f"{percent(row.points - row.byes, row.games)} %" if row.games else "-"),
        ("Mean time", mean),
    ]


def _result(line: list[float]) -> tuple[float, str, str]:
    """Return the share of points, the same in percent, and wins-losses(-draws) as text."""
    wins, losses, draws, points = line
    games = int(wins + losses + draws)
    counts = [wins, losses, draws] if draws else [wins, losses]
    text = "\u2013".join(f"{count:g}" for count in counts)
    return round(points / games, 3), f"{percent(points, games)} %", text


def _results(ledger: Ledger, gone: set[str]) -> defaultdict[str, Results]:
    """Sum up the results of each bot; a game with a withdrawn bot counts for that bot only."""
    found: defaultdict[str, Results] = defaultdict(dict)
    for (board, score), counts in ledger.tally.games.items():
        games: Counter[tuple[str, int]] = Counter()
        for first, row in counts.items():
            for second, count in row.items():
                if second not in gone or first in gone:
                    games[first, 1] += count
                if first not in gone or second in gone:
                    games[second, 2] += count
        for (bot, seat), count in games.items():
            own, other = score[seat - 1], score[2 - seat]
            won, lost = won_and_lost(own, other)
            line = found[bot].setdefault((board, seat), [0, 0, 0, 0])
            for at, value in enumerate((won, lost, not won and not lost, own)):
                line[at] += value * count
    return found


def _faults(ledger: Ledger) -> defaultdict[str, Counter[str]]:
    found: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for (_, bot, _, reason), count in ledger.tally.faults.items():
        found[bot][short_label(reason)] += count
    return found
