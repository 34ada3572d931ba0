"""Probes that show which rungs work on this machine, and the choice of one."""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from referee.bots.command import Command
from referee.bots.launcher import Launcher
from referee.bots.supervised import SupervisedRun
from referee.errors import InputError, OutsideError
from referee.launcher import landlock, seccomp
from referee.sandbox.bubblewrap import OPTIONAL
from referee.sandbox.limits import ResourceLimits
from referee.sandbox.rungs import BWRAP, LIMITS, NONE, PRIVATE_ROOT, Rung

AUTO = "auto"
CHOICES = (AUTO, BWRAP, LIMITS, NONE)
PROBE_SECONDS = 60.0
"""How long a rung may take to run a small program: on a very busy machine, bots must not get a
weaker rung."""


class SandboxProbe:
    """The results of probing rungs on this machine; each rung is probed once.

    A launcher that is running already saves the time of starting one for each probe.
    """

    def __init__(self, launcher: Launcher | None = None) -> None:
        self._launcher = launcher
        self._probes: dict[str, RungProbe] = {}
        self._results: dict[str, Rung | str] = {}

    def start(self, name: str) -> None:
        """Start the probe of a rung in the background, if there is a launcher."""
        if self._launcher is not None and name not in self._probes:
            self._probes[name] = RungProbe(name, self._launcher)

    def result(self, name: str) -> Rung | str:
        """Return the rung if a program runs in it on this machine, otherwise the reason.

        This waits for the probe, and no process of it is left.
        """
        if name not in self._results:
            self._results[name] = self._find_result(name)
        return self._results[name]

    def _find_result(self, name: str) -> Rung | str:
        self.start(name)
        if name in self._probes:
            return self._probes[name].finish()
        with Launcher() as launcher:
            return RungProbe(name, launcher).finish()


def choose_rung(wanted: str, probe: SandboxProbe | None = None) -> Rung:
    """Return the rung asked for, or the strongest that works; InputError if it does not work."""
    if wanted == NONE:
        return Rung(NONE)
    probe = probe or SandboxProbe()
    if wanted != AUTO:
        found = probe.result(wanted)
        if isinstance(found, str):
            raise InputError(
                f"sandbox: {wanted} is not possible here: {found} (`referee doctor` shows more)"
            )
        return found
    reasons: list[tuple[str, str]] = []
    for name in (BWRAP, LIMITS):
        found = probe.result(name)
        if not isinstance(found, str):
            notes = tuple(f"no {other}: {why}" for other, why in reasons)
            return replace(found, notes=(*notes, *found.notes))
        reasons.append((name, found))
    raise InputError(
        "bots cannot be isolated here: "
        + "; ".join(f"{name}: {why}" for name, why in reasons)
        + " (--sandbox none runs them with all your rights)"
    )


class RungProbe:
    """The run of a small program in a rung, which shows whether that rung works."""

    def __init__(self, name: str, launcher: Launcher) -> None:
        self._launcher = launcher
        self._candidates = [_bubblewrap()] if name == BWRAP else _plain_limits()
        self._first_run = self._start(self._candidates[0])

    def _start(self, rung: Rung | str) -> SupervisedRun | str:
        if isinstance(rung, str):
            return rung
        command = Command(("/bin/sh", "-c", "echo works"), Path("/"))
        try:
            return SupervisedRun(rung.confine(command, ResourceLimits(), []), self._launcher)
        except InputError as error:
            return str(error)

    def finish(self) -> Rung | str:
        """Wait for the program; return the rung if it works, otherwise the reason."""
        reason = ""
        for number, rung in enumerate(self._candidates):
            run = self._first_run if number == 0 else self._start(rung)
            reason = run if isinstance(run, str) else _failure_of(run)
            if not reason and isinstance(rung, Rung):
                return rung
        return reason


def _failure_of(run: SupervisedRun) -> str:
    """Wait for the program of a probe and return why it failed; empty if it did not."""
    try:
        completed = run.finish(PROBE_SECONDS)
    except OutsideError as error:
        return str(error)
    if completed.lines == ["works"]:
        return ""
    if not completed.in_time:
        return _too_slow()
    return " / ".join(completed.lines) or completed.ending


def _too_slow() -> str:
    return f"it did not start a program within {PROBE_SECONDS:.0f} s"


def _bubblewrap() -> Rung | str:
    """Return the rung of bubblewrap with the flags it supports, or why it cannot be used."""
    if sys.platform != "linux":
        return "bubblewrap exists for Linux alone"
    program = shutil.which("bwrap")
    if program is None:
        return "bubblewrap is not installed (install the package bubblewrap)"
    if os.geteuid() == 0 and shutil.which("setpriv") is None:
        return "for root it takes the program setpriv (the package util-linux)"
    try:
        usage = subprocess.run(
            [program, "--help"], capture_output=True, text=True, timeout=PROBE_SECONDS
        )
    except subprocess.TimeoutExpired:
        return _too_slow()
    except OSError as error:
        return f"{program} cannot be run: {error}"
    words = set(re.findall(r"--[a-z-]+", usage.stdout + usage.stderr))
    missing = tuple(
        f"this bubblewrap has no {flag}: {effect}"
        for flag, effect in OPTIONAL.items()
        if flag not in words
    )
    return Rung(BWRAP, frozenset(OPTIONAL) & words, missing)


def _plain_limits() -> list[Rung | str]:
    """Return the forms that `limits` may take here, the strongest first."""
    notes = []
    if not landlock.version():
        notes.append("the kernel has no Landlock: bots can read what their user can read")
    elif landlock.version() < landlock.SCOPES_SINCE and os.geteuid() != 0:
        notes.append("Landlock of this kernel is old: bots can send signals to your processes")
    if not seccomp.is_offered():
        notes.append(
            "system calls are not filtered: bots can use the network, change metadata of your files"
            " and set limits of your processes"
        )
    plain = Rung(LIMITS, notes=(*notes, "mounts are not allowed here: bots see that files exist"))
    private = Rung(LIMITS, frozenset({PRIVATE_ROOT}), tuple(notes))
    return [private, plain] if sys.platform == "linux" else [plain]
