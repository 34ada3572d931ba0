"""A real Dask cluster for tests, whose scheduler and workers are processes."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.support.processes import end, wait_until


class Cluster:
    """A scheduler and its workers; all of them end with the test."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.file = folder / "scheduler.json"
        self.processes: dict[str, subprocess.Popen[bytes]] = {}

    @property
    def address(self) -> str:
        return json.loads(self.file.read_text())["address"]

    def start_scheduler(
        self, name: str = "scheduler", inside: Sequence[str] = (), host: str = "127.0.0.1"
    ) -> None:
        self.file.unlink(missing_ok=True)
        words = ["scheduler", "--host", host, "--port", "0", "--no-dashboard", "--no-jupyter"]
        self._start(name, [*words, "--scheduler-file", str(self.file)], inside, {})
        wait_until(lambda: self.file.exists() and bool(self.file.read_text().strip()))

    def start_worker(
        self,
        name: str,
        *options: str,
        nanny: bool = False,
        inside: Sequence[str] = (),
        **environment: str,
    ) -> None:
        """Start a worker; the environment of its bots contains its name."""
        words = ["worker", "--nthreads", "1", "--no-dashboard", "--name", name]
        words += ["--nanny" if nanny else "--no-nanny", "--local-directory", str(self.folder)]
        words += options if options else ("--scheduler-file", str(self.file))
        self._start(name, words, inside, {"WORKER": name, **environment})

    def wait_for(self, *names: str) -> None:
        """Wait until these workers have joined."""
        for name in names:
            wait_until(lambda name=name: "Registered to" in self.log(name))

    def log(self, name: str) -> str:
        return (self.folder / f"{name}.log").read_text(errors="replace")

    def _start(
        self, name: str, words: list[str], inside: Sequence[str], environment: dict[str, str]
    ) -> None:
        with (self.folder / f"{name}.log").open("wb") as log:
            self.processes[name] = subprocess.Popen(
                [*inside, sys.executable, "-m", "dask", *words],
                cwd=self.folder,
                env={**os.environ, **environment},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    def kill(self, name: str) -> None:
        """Send SIGKILL to a process of the cluster."""
        process = self.processes.pop(name)
        process.kill()
        process.wait()

    def close(self) -> None:
        """Kill all processes, and those that a worker or its nanny has started."""
        for process in self.processes.values():
            end(process)
