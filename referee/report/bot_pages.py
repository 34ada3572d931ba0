"""The page of each bot: results by board and seat, score history, times, faults. Pure."""

from collections import Counter, defaultdict
from math import isfinite
from typing import Any

from referee.report.collect import ReportGames
from referee.report.score_history import score_histories
from referee.scoring.ledger import Ledger
from referee.scoring.timing import BotTimes
from referee.text import short_label

Results = dict[tuple[str, int], list[float]]
"""Wins, losses, draws and points, by board and seat."""


def describe_bots(ledger: Ledger, gathered: ReportGames) -> list[dict[str, Any]]:
    """Describe all bots, in the order of the tournament file."""
    gone = set(ledger.withdrawn)
    results, faults = _results(ledger, gone), _faults(ledger)
    histories = score_histories(ledger.evidence, ledger.manifest.bots, gone)
    order = {board: place for place, board in enumerate(ledger.manifest.boards)}
    described = []
    for name in ledger.manifest.bots:
        times = ledger.timing.bots.get(name, BotTimes())
        in_order = sorted(results[name].items(), key=lambda item: (order[item[0][0]], item[0][1]))
        described.append(
            {
                "name": short_label(name),
                "withdrawn": name in gone,
                "results": [[short_label(board), seat, *line] for (board, seat), line in in_order],
                "course": histories[name],
                "times": gathered.times(name),
                "moves": times.moves,
                "mean_ms": _finite(times.thinking_ms / max(1, times.moves)),
                "longest_ms": _finite(times.longest_ms),
                "faults": faults[name],
            }
        )
    return described


def _finite(ms: float) -> float | None:
    """Round a time; None if it is infinite or NaN, which JSON cannot represent."""
    return round(ms, 2) if isfinite(ms) else None


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
            won, lost = own > other, own < other or own == other == 0
            line = found[bot].setdefault((board, seat), [0, 0, 0, 0])
            for at, value in enumerate((won, lost, not won and not lost, own)):
                line[at] += value * count
    return found


def _faults(ledger: Ledger) -> defaultdict[str, Counter[str]]:
    found: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for (_, bot, _, reason), count in ledger.tally.faults.items():
        found[bot][short_label(reason)] += count
    return found
