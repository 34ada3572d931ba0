"""Options of a run on a Dask cluster. Dask is imported only if one of them is given."""

import argparse
import json
import re
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from referee.errors import InputError
from referee.protocol.time_control import parse_duration
from referee.system.signals import deferred

if TYPE_CHECKING:
    from referee.cluster.connection import Connection
    from referee.cluster.dask_engine import DaskEngine
    from referee.config.tournament import Tournament

MAX_LOCAL = 1024
_LOCAL = re.compile(r"local:([0-9]{1,4})")
_ADDRESS = re.compile(r"(?:(?:tcp|tls|ws|wss)://)?(?:[^\s:/\[\]]+|\[[0-9a-fA-F:]+\]):[0-9]{1,5}")


def add_cluster_arguments(parser: argparse.ArgumentParser) -> None:
    """Add `--cluster`, `--cluster-file` and `--cluster-wait`."""
    parser.add_argument(
        "--cluster",
        metavar="ADDRESS",
        help="use a Dask cluster: tcp://HOST:PORT, or local:N for N processes on this machine",
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
    scheduler_address(arguments.cluster, arguments.cluster_file)
    parse_duration(arguments.cluster_wait, "--cluster-wait")
    if arguments.workers is not None:
        raise InputError("--workers is for games on this machine: a cluster has its own workers")


def scheduler_address(address: str | None, file: Path | None) -> str:
    """Return the address that the options name; InputError if they name none."""
    if file is not None:
        if address is not None:
            raise InputError("--cluster and --cluster-file: one of them is enough")
        return _read_scheduler_file(file)
    assert address is not None
    local = _LOCAL.fullmatch(address)
    if local and not 1 <= int(local[1]) <= MAX_LOCAL:
        raise InputError(f"--cluster {address}: 1 to {MAX_LOCAL} processes are possible")
    if not local and not _ADDRESS.fullmatch(address):
        raise InputError(
            f"--cluster {address!r} is no address: write tcp://HOST:PORT of a scheduler, or local:4"
            " for a cluster of four processes on this machine"
        )
    return address


def _read_scheduler_file(file: Path) -> str:
    """Return the address in a file written by `dask scheduler --scheduler-file`."""
    try:
        address = json.loads(file.read_text(encoding="utf-8"))["address"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        reason = (
            error.strerror if isinstance(error, OSError) else "it is not what a scheduler writes"
        )
        raise InputError(f"--cluster-file {file} cannot be used: {reason}") from error
    return str(address)


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


def connect_cluster(arguments: argparse.Namespace) -> "Connection":
    """Connect to the cluster that the arguments name; call it with signals deferred."""
    from referee.cluster.connection import connect

    return connect(scheduler_address(arguments.cluster, arguments.cluster_file))


def wait_seconds(arguments: argparse.Namespace) -> float:
    """Return the limit of waiting for a worker."""
    return parse_duration(arguments.cluster_wait) / 1000


def open_cluster(
    tournament: "Tournament",
    arguments: argparse.Namespace,
    folder: Path,
    notify: Callable[[str], None],
    warn: Callable[[str], None],
) -> "DaskEngine":
    """Open an engine whose workers are ready; the caller closes it."""
    with ExitStack() as on_failure:
        with deferred():  # interrupted here, Dask leaves tracebacks and processes behind
            from referee.cluster.dask_engine import DaskEngine

            connection = connect_cluster(arguments)
            on_failure.callback(connection.close)
            engine = DaskEngine(
                connection,
                tournament,
                arguments.sandbox or tournament.content.sandbox,
                folder / "packed",
                wait_seconds=wait_seconds(arguments),
                notify=notify,
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
    for report in engine.sandboxes:
        lines += [f"isolation: {report.sandbox}", *report.notes]
    return lines
