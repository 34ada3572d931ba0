"""Options of a run on a Dask cluster. Dask is imported only if one of them is given."""

import argparse
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from referee.errors import InputError
from referee.protocol.time_control import parse_duration
from referee.system.signals import deferred

if TYPE_CHECKING:
    from referee.cluster.dask_engine import DaskEngine
    from referee.config.tournament import Tournament


def add_cluster_arguments(parser: argparse.ArgumentParser) -> None:
    """Add `--cluster`, `--cluster-file` and `--cluster-wait`."""
    parser.add_argument(
        "--cluster",
        metavar="ADDRESS",
        help="play on a Dask cluster: tcp://HOST:PORT, or local:N for N processes on this machine",
    )
    parser.add_argument(
        "--cluster-file",
        type=Path,
        metavar="FILE",
        help="the same, with the file that `dask scheduler --scheduler-file` wrote",
    )
    parser.add_argument(
        "--cluster-wait",
        metavar="TIME",
        default="5min",
        help="limit of waiting for a worker while there is none (default: 5min)",
    )


def wants_cluster(arguments: argparse.Namespace) -> bool:
    """Return whether the games are to be played on a cluster."""
    return arguments.cluster is not None or arguments.cluster_file is not None


def check_cluster_arguments(arguments: argparse.Namespace) -> None:
    """Raise InputError if the options contradict each other or cannot be parsed."""
    from referee.cluster.connection import check_address

    check_address(arguments.cluster, arguments.cluster_file)
    parse_duration(arguments.cluster_wait, "--cluster-wait")
    if arguments.workers is not None:
        raise InputError("--workers is for games on this machine: a cluster has its own workers")


def require_dask() -> None:
    """Raise InputError with the command that installs Dask if it is missing."""
    try:
        with deferred():
            import distributed  # noqa: F401
    except ImportError as error:
        raise InputError(
            "--cluster needs Dask, which is not installed here:"
            " pip install '.[cluster]' in the checkout of the referee"
        ) from error


def open_cluster(
    tournament: "Tournament",
    arguments: argparse.Namespace,
    folder: Path,
    say: Callable[[str], None],
    warn: Callable[[str], None],
) -> "DaskEngine":
    """Open an engine whose workers are ready; the caller closes it."""
    with ExitStack() as on_failure:
        with deferred():  # interrupted here, Dask leaves tracebacks and processes behind
            from referee.cluster.connection import connect
            from referee.cluster.dask_engine import DaskEngine

            connection = connect(arguments.cluster, arguments.cluster_file)
            on_failure.callback(connection.close)
            engine = DaskEngine(
                connection,
                tournament.portable_plan(),
                tournament.files,
                arguments.sandbox or tournament.content.sandbox,
                folder / "packed",
                forfeit=tournament.content.broken_bots == "forfeit",
                wait_seconds=parse_duration(arguments.cluster_wait) / 1000,
                say=say,
                warn=warn,
            )
            on_failure.pop_all()  # the engine closes its connection
            on_failure.callback(engine.close)
        engine.assemble()
        on_failure.pop_all()
    return engine


def cluster_text(engine: "DaskEngine") -> list[str]:
    """Describe the cluster: number of workers, hosts, isolation of bots."""
    hosts = engine.hosts
    shown = ", ".join(hosts[:5]) + (f" and {len(hosts) - 5} more hosts" if hosts[5:] else "")
    workers = f"{engine.slots} worker{'s' if engine.slots > 1 else ''}"
    lines = [f"cluster: {workers} on {shown}"]
    for readiness in engine.sandboxes:
        lines += [f"isolation: {readiness.sandbox}", *readiness.notes]
    return lines
