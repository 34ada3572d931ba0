"""Standings: points, ranks and tie-breaks, from summaries in any order. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from referee.scoring.meetings import Meetings
from referee.scoring.tally import Tally
from referee.scoring.tie_breaks import TIE_BREAKS
from referee.scoring.totals import BotTotals, StandingsRow


@dataclass(frozen=True)
class Standings:
    """The standings of one board, or of all."""

    rows: tuple[StandingsRow, ...]
    tie_breaks: tuple[str, ...]
    withdrawn: tuple[str, ...]
    """Bots whose games do not count."""
    meetings: Meetings
    games: int


def make_standings(
    tally: Tally,
    bots: Iterable[str],
    tie_breaks: Sequence[str],
    withdrawn: Iterable[str] = (),
    board: str | None = None,
    byes: Mapping[str, float] | None = None,
    bracket: Sequence[Sequence[str]] = (),
    match_games: int = 1,
) -> Standings:
    """Compute the standings of one board, or of all; `byes` are points without games.

    `match_games` is the number of games of a match, which is also the worth of a bye.

    A bracket, which has all bots in groups of equal rank, determines the ranks; points and
    tie-breaks then order the rows within a group.
    """
    gone = set(withdrawn)
    names = [bot for bot in bots if bot not in gone]
    totals = BotTotals(tally, set(names), board, byes or {}, match_games)
    groups = [sorted(names, key=lambda bot: (bot.casefold(), bot))]
    groups = _split(groups, {bot: totals.points(bot) for bot in names})
    values: dict[str, list[float]] = {bot: [] for bot in names}
    for tie_break in tie_breaks:
        measured: dict[str, float] = {}
        for group in groups:
            measured |= TIE_BREAKS[tie_break](totals, group)
        for bot, value in measured.items():
            values[bot].append(value)
        groups = _split(groups, measured)
    if bracket:
        places = {bot: place for place, group in enumerate(bracket) for bot in group}
        ordered = [bot for group in groups for bot in group]
        groups = [[bot for bot in ordered if places[bot] == at] for at in range(len(bracket))]
    rows: list[StandingsRow] = []
    for group in groups:
        rank = len(rows) + 1
        rows += [totals.row(rank, bot, tuple(values[bot])) for bot in group]
    return Standings(
        rows=tuple(rows),
        tie_breaks=tuple(tie_breaks),
        withdrawn=tuple(sorted(gone & set(bots), key=str.casefold)),
        meetings=totals.meetings,
        games=totals.total,
    )


def _split(groups: list[list[str]], values: Mapping[str, float]) -> list[list[str]]:
    """Split groups by value, highest first; bots of equal value keep their order."""
    finer: list[list[str]] = []
    for group in groups:
        for value in sorted({values[bot] for bot in group}, reverse=True):
            finer.append([bot for bot in group if values[bot] == value])
    return finer
