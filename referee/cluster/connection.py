"""Connection to a cluster: a running scheduler, or a local cluster of N processes."""

import asyncio
import logging
import os
import signal
import warnings
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import resource_tracker
from typing import Any

from referee.errors import InputError, OutsideError
from referee.system.signals import blocked

CONNECT_SECONDS = 10
CLOSE_SECONDS = 5
LOCAL = "local:"
"""Prefix of the number of processes of a cluster that is started here."""
DASK_SETTINGS = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "5s",
}
"""Less self-monitoring than the default of some 100 samples a second: on a local cluster it takes
time from the bots."""
_SAFE_PATH = "PYTHONSAFEPATH"
"""With this variable Python does not search the current folder for modules: it may be a bot's."""
_LOGGERS = ("distributed", "distributed.client", "distributed.gc", "tornado", "asyncio", "bokeh")


@dataclass
class Connection:
    """A client of the scheduler, and the local cluster if one was started."""

    client: Any
    address: str
    cluster: Any = None

    def close(self) -> None:
        """Disconnect; Dask cancels the tasks of this client."""
        # The games are stored, and the process exits next: an error here has no consequence.
        with suppress(Exception):
            self.client.close(timeout=CLOSE_SECONDS)
        if self.cluster is not None:
            with suppress(Exception):
                self.cluster.close(timeout=CLOSE_SECONDS)


def connect(address: str) -> Connection:
    """Connect to the scheduler, or start one; OutsideError if it does not answer in time."""
    _silence_loggers()
    if address.startswith(LOCAL):
        return _start_local_cluster(address)
    _check_reachable(address)
    return Connection(_client(address), address)


def _client(address: Any) -> Any:
    from distributed import Client

    with warnings.catch_warnings():
        # Different versions of packages: the engine checks that of the referee.
        warnings.simplefilter("ignore")
        try:
            return Client(address, timeout=_connect_seconds(), set_as_default=False)
        except (OSError, TimeoutError, RuntimeError) as error:
            raise OutsideError(f"the scheduler at {address} cannot be used: {error}") from error


def _check_reachable(address: str) -> None:
    """Raise OutsideError if no server answers: a failed Client prints tracebacks of its own."""
    from distributed.comm import connect
    from distributed.security import Security

    async def open_and_close() -> None:
        options = Security().get_connection_args("client")
        await (await connect(address, timeout=_connect_seconds(), **options)).close()

    try:
        asyncio.run(open_and_close())
    except (OSError, TimeoutError) as error:
        raise OutsideError(
            f"no scheduler answers at {address} (tried for {_connect_seconds():.0f} s): is it"
            " running, and can this machine reach it?"
        ) from error
    except (ValueError, TypeError, RuntimeError) as error:
        raise InputError(f"--cluster {address} cannot be used: {error}") from error


def _connect_seconds() -> float:
    """Return the timeout of Dask's configuration, or `CONNECT_SECONDS` if that is less."""
    import dask
    from dask.utils import parse_timedelta

    configured = parse_timedelta(dask.config.get("distributed.comm.timeouts.connect"))
    return float(min(configured, CONNECT_SECONDS))


def _start_local_cluster(address: str) -> Connection:
    import dask
    from distributed import LocalCluster

    dask.config.set(DASK_SETTINGS)
    before = os.environ.get(_SAFE_PATH, "")
    os.environ[_SAFE_PATH] = "1"  # for `python -c` of multiprocessing; also if a worker restarts
    with blocked(signal.SIGHUP):
        resource_tracker.ensure_running()  # its start unblocks SIGINT, so not within the next block
    # SIGTERM stays unblocked: Dask terminates its processes with it.
    with blocked(signal.SIGINT, signal.SIGHUP):
        try:
            cluster = LocalCluster(
                n_workers=int(address.removeprefix(LOCAL)),
                threads_per_worker=1,
                host="127.0.0.1",
                # The scheduler serves HTTP in any case: on a free port of this host only.
                scheduler_kwargs={"dashboard": False, "dashboard_address": "127.0.0.1:0"},
                silence_logs=logging.CRITICAL,
                memory_limit=0,
                env={_SAFE_PATH: before},  # of a worker that runs, hence of its bots
            )
        except (OSError, RuntimeError, TimeoutError) as error:
            raise OutsideError(f"no cluster could be started here: {error}") from error
    try:
        return Connection(_client(cluster), address, cluster)
    except BaseException:
        cluster.close(timeout=CLOSE_SECONDS)
        raise


def _silence_loggers() -> None:
    """Silence Dask's loggers; the engine reports what concerns the user."""
    import distributed  # noqa: F401 - the import configures its loggers

    for name in _LOGGERS:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
