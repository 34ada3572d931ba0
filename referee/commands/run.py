"""Play a tournament, or the games that are missing, and write its tables.

Running the same command again plays exactly the games that have no record yet, whatever ended the
previous run. Results are written to ./results/NAME/ (NAME is the file name without its suffix).

examples:
  referee run tournaments/quickstart.yaml
  referee run cup.yaml --workers 4 --out /tmp/cup
  referee run cup.yaml --dry-run          check the file and the bots, show the schedule
  referee run cup.yaml --redo alpha       alpha was changed: play its games again
  referee run cup.yaml --fresh            start again, the old folder is moved aside
  referee run cup.yaml --serve            watch it, and play its people's seats, in a browser
  referee run cup.yaml --cluster tcp://10.0.0.1:8786      on a Dask cluster (docs/cluster.md)
"""

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from referee.bots.launcher import Launcher
from referee.commands.cluster_options import add_cluster_arguments, wants_cluster
from referee.commands.sandbox_options import add_sandbox_argument
from referee.commands.serving import DEFAULT_PORT
from referee.commands.terminal import add_wide_argument
from referee.sandbox.probe import AUTO, SandboxProbe
from referee.sandbox.rungs import BWRAP
from referee.system.garbage_collection import gc_frozen


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("file", type=Path, metavar="FILE", help="a tournament file (YAML)")
    parser.add_argument("--out", type=Path, metavar="DIR", help="folder of the results")
    parser.add_argument(
        "--workers", type=int, metavar="N", help="concurrent games (default: one per physical core)"
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="check everything, show the schedule, play nothing"
    )
    parser.add_argument("--fresh", action="store_true", help="start again; move old results aside")
    parser.add_argument(
        "--redo",
        action="append",
        default=[],
        metavar="BOT",
        help="play the games of this bot again; may be repeated",
    )
    parser.add_argument(
        "--reschedule",
        action="store_true",
        help="Swiss, knockout: play again the games that no longer fit the schedule",
    )
    add_cluster_arguments(parser)
    add_sandbox_argument(parser, default=None)
    parser.add_argument("--boards", action="store_true", help="end with a table for each board")
    add_wide_argument(parser)
    parser.add_argument("--quiet", action="store_true", help="print the final standings alone")
    parser.add_argument("--hints", action="store_true", help="mark the legal cells for people")
    parser.add_argument(
        "--serve", action="store_true", help="show the tournament in a browser (see referee serve)"
    )
    parser.add_argument(
        "--port",
        type=int,
        metavar="N",
        help=f"port of --serve (default: {DEFAULT_PORT})",
    )
    parser.add_argument("--yes", action="store_true", help="allow more than a million games")


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    with Launcher() as launcher:
        probe = SandboxProbe(launcher)
        with _starting(launcher, probe, arguments):
            with gc_frozen():
                from referee.commands import tournament  # the slowest import before the first move

            content = tournament.read(arguments)
        return tournament.run_tournament(content, arguments, launcher, probe)


@contextmanager
def _starting(
    launcher: Launcher, probe: SandboxProbe, arguments: argparse.Namespace
) -> Iterator[None]:
    """Start the launcher and probe bubblewrap while the tournament file is read."""
    if wants_cluster(arguments):
        yield
        return
    launcher.prepare()
    if arguments.sandbox not in (None, AUTO, BWRAP):
        yield
        return
    probe.start(BWRAP)
    try:
        yield
    finally:
        probe.result(BWRAP)
