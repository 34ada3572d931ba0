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
    """A client of the scheduler. That of a local cluster starts and closes the cluster."""

    client: Any
    address: str

    def close(self) -> None:
        """Disconnect; Dask cancels the tasks of this client."""
        # The games are stored, and the process exits next: an error here has no consequence.
        with suppress(Exception):
            self.client.close(timeout=CLOSE_SECONDS)


def connect(address: str) -> Connection:
    """Connect to the scheduler, or start one; OutsideError if it does not answer in time."""
    _silence_loggers()
    if address.startswith(LOCAL):
        return Connection(_start_local_cluster(int(address.removeprefix(LOCAL))), address)
    try:
        asyncio.run(_check_answer(address))
        return Connection(_client(address), address)
    except (ValueError, TypeError, RuntimeError) as error:
        raise InputError(f"--cluster {address} cannot be used: {error}") from error
    except Exception as error:  # Dask may raise any if the server is no scheduler
        raise OutsideError(
            f"no scheduler answers at {address} (tried for {CONNECT_SECONDS} s): is it running, and"
            " can this machine reach it?"
        ) from error


async def _check_answer(address: str) -> None:
    """Raise an error if no scheduler answers: a Client would wait for its answer without limit."""
    from distributed.comm import connect
    from distributed.security import Security

    options = Security().get_connection_args("client")
    async with asyncio.timeout(CONNECT_SECONDS):
        await (await connect(address, timeout=CONNECT_SECONDS, **options)).close()


def _start_local_cluster(processes: int) -> Any:
    import dask

    # A scheduler in the user's configuration would be used instead of a local one.
    dask.config.set(DASK_SETTINGS | {"scheduler-address": None})
    before = os.environ.get(_SAFE_PATH, "")
    os.environ[_SAFE_PATH] = "1"  # for `python -c` of multiprocessing; also if a worker restarts
    with blocked(signal.SIGHUP):
        resource_tracker.ensure_running()  # its start unblocks SIGINT, so not within the next block
    # SIGTERM stays unblocked: Dask terminates its processes with it.
    with blocked(signal.SIGINT, signal.SIGHUP):
        try:
            return _client(
                n_workers=processes,
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


def _client(*address: str, **local: Any) -> Any:
    from distributed import Client

    with warnings.catch_warnings():
        # Different versions of packages: the engine checks that of the referee.
        warnings.simplefilter("ignore")
        return Client(*address, timeout=CONNECT_SECONDS, set_as_default=False, **local)


def _silence_loggers() -> None:
    """Silence Dask's loggers; the engine reports what concerns the user."""
    import distributed  # noqa: F401 - the import configures its loggers

    for name in _LOGGERS:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
