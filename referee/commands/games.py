"""List the recorded games of a tournament: their ids, for `replay` and `turn`.

DIR is a tournament's folder. The games are listed in the order in which they ended: one id per
line in a pipe, a table on a terminal. A game is listed if it matches all filters.

examples:
  referee games results/quickstart
  referee games results/quickstart --bot greedy --bot mirror --variant runner
  referee games results/quickstart --bot greedy --fault
  referee games results/quickstart --reason timeout | head -1
"""

import argparse
import sys
from collections.abc import Iterable, Iterator

from referee.commands.results_folder import add_folder_argument, boards_of, open_results
from referee.commands.terminal import for_screen, terminal_width
from referee.errors import InputError, unknown_name_message
from referee.outcome import Reason
from referee.records.games_file import RecordedGame
from referee.records.manifest import Manifest
from referee.records.summary import GameSummary
from referee.scoring.overview import Column, lay_out
from referee.text import printable


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_folder_argument(parser)
    parser.add_argument(
        "--bot",
        action="append",
        default=[],
        metavar="NAME",
        help="only games of this bot; given twice, only those of the two against each other",
    )
    parser.add_argument("--variant", metavar="V", help="only this variant, or board (runner-5x5)")
    parser.add_argument(
        "--reason", metavar="R", help="only games with this reason: no-moves, crash, …"
    )
    parser.add_argument(
        "--fault", action="store_true", help="only games with a fault; with --bot, of that bot"
    )


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    manifest, file = open_results(arguments.folder)
    found = _matching(file.games(manifest), manifest, arguments)
    if not sys.stdout.isatty():
        for record, _ in found:
            print(printable(record["id"]))
        return 0
    games = list(found)
    if games:
        print(for_screen(games_table(games, terminal_width())))
    print(f"{len(games):,} of {file.total:,} games")
    return 0


def _matching(
    games: Iterable[RecordedGame], manifest: Manifest, arguments: argparse.Namespace
) -> Iterator[RecordedGame]:
    """Yield the games that match all filters; raise InputError if a filter cannot match."""
    bots = set(arguments.bot)
    if len(bots) > 2:
        raise InputError("--bot is given for more than two bots, and a game has two")
    if wrong := sorted(bots - set(manifest.bots)):
        raise InputError(unknown_name_message("bot", wrong[0], manifest.bots))
    boards = set(boards_of(manifest, arguments.variant))
    reasons: set[str] = {str(reason) for reason in Reason}
    for record, summary in games:
        reasons.add(record["reason"])  # variants of users may have other reasons
        if (
            bots <= set(summary.bots)
            and summary.board in boards
            and arguments.reason in (None, record["reason"])
            and (not arguments.fault or _has_fault(summary, bots))
        ):
            yield record, summary
    if arguments.reason is not None and arguments.reason not in reasons:
        raise InputError(unknown_name_message("reason", arguments.reason, sorted(reasons)))


def _has_fault(game: GameSummary, bots: set[str]) -> bool:
    """Return whether one of these bots made a fault, or any bot if none is given."""
    return any(not bots or game.bots[seat - 1] in bots for seat, _ in game.faults)


def games_table(games: list[RecordedGame], width: int) -> str:
    """Format the games with their results; ids are never shortened, because they are copied."""
    columns = [
        Column("game", [printable(summary.id) for _, summary in games], "<"),
        Column("winner", [printable(_winner(summary)) for _, summary in games], "<"),
        Column("reason", [printable(record["reason"]) for record, _ in games], "<"),
        Column("plies", [str(len(record["moves"])) for record, _ in games]),
    ]
    return lay_out(columns, width, shrinks="winner", left_out_first=("plies", "reason"))


def _winner(game: GameSummary) -> str:
    one, two = game.score
    if one == two:
        return "draw" if one else "none"
    return game.bots[0 if one > two else 1]
