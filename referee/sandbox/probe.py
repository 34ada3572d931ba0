"""Find out which rungs work on this machine, and choose one."""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from functools import cache, cached_property
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
TRY_SECONDS = 10.0


def choose_rung(wanted: str, launcher: Launcher | None = None) -> Rung:
    """The rung asked for, or the strongest that works; InputError if that one does not.

    A launcher that is there already saves the time of starting one to try the rungs.
    """
    if wanted == NONE:
        return Rung(NONE)
    if wanted != AUTO:
        found = try_rung(wanted, launcher)
        if isinstance(found, str):
            raise InputError(
                f"sandbox: {wanted} is not possible here: {found} (`referee doctor` says more)"
            )
        return found
    reasons: list[tuple[str, str]] = []
    for name in (BWRAP, LIMITS):
        found = try_rung(name, launcher)
        if not isinstance(found, str):
            notes = tuple(f"no {other}: {why}" for other, why in reasons)
            return replace(found, notes=(*notes, *found.notes))
        reasons.append((name, found))
    raise InputError(
        "bots cannot be isolated here: "
        + "; ".join(f"{name}: {why}" for name, why in reasons)
        + " (--sandbox none runs them with all your rights)"
    )


@cache
def try_rung(name: str, launcher: Launcher | None = None) -> Rung | str:
    """The rung if it really works on this machine, found by running it; otherwise why not."""
    if launcher is None:
        with Launcher() as launcher:
            return RungProbe(name, launcher).result
    return begin_trial(name, launcher).result


@cache
def begin_trial(name: str, launcher: Launcher) -> "RungProbe":
    """Let a rung be tried while we do something else; `try_rung` waits for what came of it."""
    return RungProbe(name, launcher)


class RungProbe:
    """A program that is run in a cage of some rung, to see whether it does."""

    def __init__(self, name: str, launcher: Launcher) -> None:
        self._launcher = launcher
        self._candidates = [_bubblewrap()] if name == BWRAP else _plain_limits()
        self._underway = self._begin(self._candidates[0])

    def _begin(self, rung: Rung | str) -> SupervisedRun | str:
        if isinstance(rung, str):
            return rung
        command = Command(("/bin/sh", "-c", "echo works"), Path("/"))
        try:
            return SupervisedRun(rung.confine(command, ResourceLimits(), []), self._launcher)
        except InputError as error:
            return str(error)

    @cached_property
    def result(self) -> Rung | str:
        """The rung if it works, otherwise why not; nothing of the trial is left afterwards."""
        why = ""
        for number, rung in enumerate(self._candidates):
            underway = self._underway if number == 0 else self._begin(rung)
            why = underway if isinstance(underway, str) else _why_not(underway)
            if not why and isinstance(rung, Rung):
                return rung
        return why


def _why_not(underway: SupervisedRun) -> str:
    """Why the program of a trial did not work; empty if it did."""
    try:
        errand = underway.finish(TRY_SECONDS)
    except OutsideError as error:
        return str(error)
    return "" if errand.lines == ["works"] else " / ".join(errand.lines) or errand.ending


def _bubblewrap() -> Rung | str:
    """The rung of bubblewrap with the flags that it has here; otherwise why it cannot be used."""
    if sys.platform != "linux":
        return "bubblewrap exists for Linux alone"
    program = shutil.which("bwrap")
    if program is None:
        return "bubblewrap is not installed (Debian, Ubuntu, Fedora: the package bubblewrap)"
    if os.geteuid() == 0 and shutil.which("setpriv") is None:
        return "for root it takes the program setpriv (the package util-linux)"
    try:
        helped = subprocess.run([program, "--help"], capture_output=True, text=True, timeout=10)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"{program} cannot be run: {error}"
    words = set(re.findall(r"--[a-z-]+", helped.stdout + helped.stderr))
    missing = tuple(
        f"this bubblewrap has no {flag}: {effect}"
        for flag, effect in OPTIONAL.items()
        if flag not in words
    )
    return Rung(BWRAP, frozenset(OPTIONAL) & words, missing)


def _plain_limits() -> list[Rung | str]:
    """What `limits` may be here, the strongest first."""
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
