"""The way to a cluster: a scheduler that is running somewhere, or a small one started here."""

import asyncio
import json
import logging
import re
import signal
import warnings
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import resource_tracker
from pathlib import Path
from typing import Any

from referee.errors import InputError, OutsideError
from referee.system.signals import blocked

CONNECT_SECONDS = 10
CLOSE_SECONDS = 5
MAX_LOCAL = 1024
_LOCAL = re.compile(r"local:([0-9]{1,4})")
_ADDRESS = re.compile(r"(?:(?:tcp|tls|ws|wss)://)?(?:[^\s:/\[\]]+|\[[0-9a-fA-F:]+\]):[0-9]{1,5}")
DASK_SETTINGS = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "5s",
}
"""Dask looks at itself a hundred times a second; on one machine the bots pay for that."""
_LOGGERS = ("distributed", "distributed.client", "distributed.gc", "tornado", "asyncio", "bokeh")


@dataclass
class Connection:
    """A client of the scheduler, and the cluster if it is our own."""

    client: Any
    address: str
    cluster: Any = None

    def close(self) -> None:
        """Leave; what runs for this client on the cluster is cancelled."""
        # Whatever goes wrong here, the games are safe and the process ends.
        with suppress(Exception):
            self.client.close(timeout=CLOSE_SECONDS)
        if self.cluster is not None:
            with suppress(Exception):
                self.cluster.close(timeout=CLOSE_SECONDS)


def check_address(address: str | None, file: Path | None) -> None:
    """InputError if nothing could ever be reached this way."""
    if file is not None:
        if address is not None:
            raise InputError("--cluster and --cluster-file: one of them is enough")
        read_scheduler_file(file)
        return
    assert address is not None
    local = _LOCAL.fullmatch(address)
    if local and not 1 <= int(local[1]) <= MAX_LOCAL:
        raise InputError(f"--cluster {address}: 1 to {MAX_LOCAL} processes are possible")
    if not local and not _ADDRESS.fullmatch(address):
        raise InputError(
            f"--cluster {address!r} is no address: write tcp://HOST:PORT of a scheduler, or local:4"
            " for a cluster of four processes on this machine"
        )


def read_scheduler_file(file: Path) -> str:
    """The address in a file that `dask scheduler --scheduler-file` wrote."""
    try:
        address = json.loads(file.read_text(encoding="utf-8"))["address"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not what a scheduler writes"
        raise InputError(f"--cluster-file {file} cannot be used: {why}") from error
    return str(address)


def connect(address: str | None, file: Path | None) -> Connection:
    """Reach the scheduler, or start one; OutsideError if nobody answers in time."""
    _be_quiet()
    address = read_scheduler_file(file) if file is not None else address
    assert address is not None
    local = _LOCAL.fullmatch(address)
    if local:
        return _start_here(int(local[1]))
    _knock(address)
    return Connection(_client(address), address)


def _client(address: Any) -> Any:
    from distributed import Client

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # versions that differ: workers are asked for theirs
        try:
            return Client(address, timeout=_connect_seconds(), set_as_default=False)
        except (OSError, TimeoutError, RuntimeError) as error:
            raise OutsideError(f"the scheduler at {address} cannot be used: {error}") from error


def _knock(address: str) -> None:
    """OutsideError if nobody answers; a client that never got in would be noisy about it."""
    from distributed.comm import connect
    from distributed.security import Security

    async def knock() -> None:
        options = Security().get_connection_args("client")
        await (await connect(address, timeout=_connect_seconds(), **options)).close()

    try:
        asyncio.run(knock())
    except (OSError, TimeoutError) as error:
        raise OutsideError(
            f"no scheduler answers at {address} (tried for {_connect_seconds():.0f} s): is it"
            " running, and can this machine reach it?"
        ) from error
    except (ValueError, TypeError, RuntimeError) as error:
        raise InputError(f"--cluster {address} cannot be used: {error}") from error


def _connect_seconds() -> float:
    """As Dask is configured, but no longer than a person likes to wait."""
    import dask
    from dask.utils import parse_timedelta

    configured = parse_timedelta(dask.config.get("distributed.comm.timeouts.connect"))
    return float(min(configured, CONNECT_SECONDS))


def _start_here(processes: int) -> Connection:
    import dask
    from distributed import LocalCluster

    dask.config.set(DASK_SETTINGS)
    with blocked(signal.SIGHUP):
        resource_tracker.ensure_running()  # now, because it unblocks SIGINT here
    # Not SIGTERM, with which Dask ends its processes.
    with blocked(signal.SIGINT, signal.SIGHUP):
        try:
            cluster = LocalCluster(
                n_workers=processes,
                threads_per_worker=1,
                host="127.0.0.1",
                # The scheduler serves HTTP in any case: then where nobody else is or looks.
                scheduler_kwargs={"dashboard": False, "dashboard_address": "127.0.0.1:0"},
                silence_logs=logging.CRITICAL,
                memory_limit=0,
            )
        except (OSError, RuntimeError, TimeoutError) as error:
            raise OutsideError(f"no cluster could be started here: {error}") from error
    address = f"local:{processes}"
    try:
        return Connection(_client(cluster), address, cluster)
    except BaseException:
        cluster.close(timeout=CLOSE_SECONDS)
        raise


def _be_quiet() -> None:
    """What there is to say of the cluster, the engine says."""
    import distributed  # noqa: F401 - it sets its loggers up when it is imported

    for name in _LOGGERS:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
