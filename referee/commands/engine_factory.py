"""Factories of engines: what is prepared before the first game, on this machine or on a cluster."""

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from referee.bots.launcher import Launcher
from referee.commands.cluster_options import cluster_text, open_cluster, require_dask
from referee.commands.sandbox_options import isolation_text
from referee.commands.terminal import print_status
from referee.config.plan import Plan
from referee.config.tournament import Tournament
from referee.errors import InputError
from referee.run.engine import Engine
from referee.run.local_engine import LocalEngine
from referee.run.preparation import check_bots_start, format_startup_failures, prepare_bots
from referee.sandbox.probe import SandboxProbe, choose_rung
from referee.system.cores import default_slots
from referee.system.cpu_quota import cpu_quota, quota_warning

if TYPE_CHECKING:
    from referee.web.run_server import RunServer

Notify = Callable[[Sequence[str]], None]


class EngineFactory(Protocol):
    """Factory of the engine that plays a tournament."""

    sandbox: str
    """The rung in use; before `open`, the requested one."""

    def open(self, tournament: Tournament, folder: Path, notify: Notify) -> Engine:
        """Prepare all bots and return an engine; raise InputError if a bot cannot start."""


class LocalFactory:
    """Factory of engines on this machine."""

    def __init__(
        self,
        tournament: Tournament,
        arguments: argparse.Namespace,
        launcher: Launcher,
        probe: SandboxProbe,
        server: "RunServer | None" = None,
    ) -> None:
        self._launcher = launcher
        self._server = server
        self._rung = choose_rung(arguments.sandbox or tournament.content.sandbox, probe)
        self.sandbox = self._rung.name
        self._slots = 1 if tournament.has_people else arguments.workers or default_slots()
        self._hints: bool = arguments.hints

    def open(self, tournament: Tournament, folder: Path, notify: Notify) -> Engine:
        """Copy, build, confine and try all bots."""
        rung, launcher = self._rung, self._launcher
        copies = tournament.copy_bots(folder)
        plan, broken = prepare_bots(tournament.portable_plan(), copies, rung, launcher)
        problems = check_bots_start(plan, broken, launcher, tournament.origins()).values()
        if problems and tournament.content.broken_bots == "stop":
            raise InputError(format_startup_failures(problems))
        for problem in problems:
            print(problem, file=sys.stderr)
        if tournament.has_people:
            notify(["a person plays: one game at a time"])
        notify([isolation_text(rung), *rung.notes])
        plan = replace(plan, live_folder=folder)
        warning = quota_warning(self._slots, cpu_quota())
        if warning is not None:
            print_status([warning])
        return (
            self._human_engine(plan)
            if tournament.has_people
            else LocalEngine(plan, self._slots, launcher)
        )

    def _human_engine(self, plan: Plan) -> Engine:
        """Return an engine for people at this terminal, or in a browser with `--serve`."""
        from referee.run.human_engine import HumanEngine

        if self._server is not None:
            from referee.web.browser_seat import BrowserPlayerFactory

            channel = self._server.channel
            return HumanEngine(plan, lambda launcher: BrowserPlayerFactory(launcher, channel))
        from referee.human.console import Console
        from referee.human.player import PlayerFactory

        console = Console(sys.stderr, hints=self._hints)
        return HumanEngine(
            plan, lambda launcher: PlayerFactory(launcher, console), lambda: console.left
        )


class ClusterFactory:
    """Factory of engines on a Dask cluster."""

    def __init__(self, tournament: Tournament, arguments: argparse.Namespace) -> None:
        require_dask()
        self._arguments = arguments
        self.sandbox = arguments.sandbox or tournament.content.sandbox

    def open(self, tournament: Tournament, folder: Path, notify: Notify) -> Engine:
        """Connect to the cluster and prepare its workers."""
        engine = open_cluster(
            tournament,
            self._arguments,
            folder,
            notify=lambda text: notify([text]),
            warn=lambda text: print_status([text]),
        )
        self.sandbox = ", ".join(report.sandbox for report in engine.sandboxes)
        notify(cluster_text(engine))
        return engine
