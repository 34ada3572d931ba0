"""Tables of an analysis: a summary per bot, and one game ply by ply. Pure."""

from collections.abc import Sequence

from referee.analysis.bot_summary import BotSummary
from referee.analysis.game_analysis import GameAnalysis
from referee.analysis.sentences import ERROR
from referee.analysis.verdict import Value
from referee.scoring.overview import Column, lay_out

_OMITTED_FIRST = ("openings\nwon", "unpunished", "first\nerror")


def summary_table(summaries: Sequence[BotSummary], width: int) -> str:
    """Tabulate summaries of bots."""
    kept = ["-" if summary.kept is None else f"{100 * summary.kept:.1f}" for summary in summaries]
    columns = [
        Column("bot", [summary.bot for summary in summaries], "<"),
        Column("games", [str(summary.games) for summary in summaries]),
        Column("decisions", [str(summary.decisions) for summary in summaries]),
        Column("errors", [str(summary.errors) for summary in summaries]),
        Column("kept %", kept),
        Column("first\nerror", [_number(summary.median_first_error) for summary in summaries]),
        Column("unpunished", [str(summary.unpunished) for summary in summaries]),
        Column("openings\nwon", [str(summary.openings_won) for summary in summaries]),
    ]
    return lay_out(columns, width, left_out_first=_OMITTED_FIRST)


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:g}"


def summary_note(summaries: Sequence[BotSummary]) -> str:
    """Describe what the table does not show."""
    games = sum(summary.games for summary in summaries) // 2
    decided = sum(summary.decided_by_opening for summary in summaries) // 2
    moves = sum(summary.moves for summary in summaries)
    proven = sum(summary.proven for summary in summaries)
    return (
        f"The opening decided {decided:,} of {games:,} games: neither erred, and the bot won that"
        f" it had\nleft a won position. Proven: {proven:,} of {moves:,} positions in which a bot"
        " moved."
    )


def game_table(
    analysis: GameAnalysis, moves: Sequence[str], opening: int, bots: Sequence[str], width: int
) -> str:
    """Tabulate a game: each move, and what was proven about the position before it."""
    plies = analysis.plies
    errors = analysis.errors(moves, opening)
    played = [f"{move}{ERROR if ply in errors else ''}" for ply, move in enumerate(moves)]
    played += ["-"] * (len(plies) - len(moves))
    movers = ["(opening)" if n < opening else bots[ply.seat - 1] for n, ply in enumerate(plies)]
    wins = [f"{len(ply.winning)} of {ply.legal}" if ply.value is Value.WON else "" for ply in plies]
    columns = [
        Column("ply", [str(number) for number in range(1, len(plies) + 1)]),
        Column("bot", movers, "<"),
        Column("move", played, "<"),
        Column("before it", [str(ply.value) for ply in plies], "<"),
        Column("moves\nthat win", wins),
        Column("within\nplies", [_number(ply.plies) for ply in plies]),
    ]
    return lay_out(columns, width, left_out_first=("within\nplies",))
