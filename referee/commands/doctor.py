"""Show what this machine offers: isolation, cores, limits, clock, software.

Nothing is changed, and nothing is sent over a network. The exit code is 0 if bots can be isolated
here, and 3 if they cannot.

examples:
  referee doctor
"""

import argparse
import os
import platform
import resource
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from itertools import pairwise
from time import get_clock_info, perf_counter_ns

from referee import __version__
from referee.errors import EXIT_OUTSIDE
from referee.game import loop
from referee.launcher import cgroup, landlock, seccomp
from referee.sandbox.probe import SandboxProbe
from referee.sandbox.rungs import BWRAP, LIMITS, Rung
from referee.system.cores import usable_cores
from referee.system.cpu_quota import cpu_quota, quota_warning

LIBRARIES = ("numpy", "PyYAML", "rich", "tabulate", "Jinja2")
CLUSTER = "distributed"
TOOLCHAINS = {
    "Python": "python3",
    "C": "cc",
    "C++": "c++",
    "Rust": "cargo",
    "Go": "go",
    "Java": "javac",
    "JavaScript": "node",
    "Bash": "bash",
    "Perl": "perl",
    "Tcl": "tclsh",
}
CLOCK_READINGS = 100_000
BUSY_LOAD = 0.5
"""Load per core above which thinking times get longer."""
Property = tuple[str, str]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add no arguments: the command takes none."""


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    probe = SandboxProbe()
    rungs = {name: probe.result(name) for name in (BWRAP, LIMITS)}
    parts = {
        "Isolation": list(_isolation(rungs)),
        "Machine": list(_machine()),
        "Limits of this user": list(_limits()),
        "Clock": list(_clock()),
        "Software": list(_software()),
        "Starter bots can be built in": [(" ".join(_languages(installed=True)) or "none", "")],
    }
    for title, rows in parts.items():
        print(f"{title}")
        width = max(len(name) for name, _ in rows) + 2
        for name, text in rows:
            print(f"  {name:<{width}}{text}".rstrip())
        print()
    advice = list(_advice(rungs))
    print("Advice" if advice else "Nothing is missing.")
    for line in advice:
        print(f"  - {line}")
    works = any(isinstance(rung, Rung) for rung in rungs.values())
    return 0 if works else EXIT_OUTSIDE


def _isolation(rungs: dict[str, Rung | str]) -> Iterator[Property]:
    best = next((name for name, rung in rungs.items() if isinstance(rung, Rung)), None)
    yield "auto", f"chooses {best}" if best else "is not possible: no rung works"
    for name, rung in rungs.items():
        if isinstance(rung, str):
            yield name, f"does not work: {rung}"
        else:
            yield name, "works" + "".join(f"; {note}" for note in rung.notes)
    yield "bubblewrap", _output_of("bwrap", "--version") or "not installed"
    yield (
        "Landlock",
        f"version {landlock.version()}" if landlock.version() else "not in this kernel",
    )
    yield "system calls", "can be filtered" if seccomp.is_offered() else "cannot be filtered here"
    yield "control groups", _control_groups()
    if os.geteuid() == 0:
        yield "root", "bots run as users of their own, never as root (unless with --sandbox none)"


def _control_groups() -> str:
    controllers = cgroup.controllers()
    if not controllers:
        return "not used: this user may not create groups of version 2 with limits"
    names = [name for name in cgroup.CONTROLLERS if name in controllers]
    return f"each bot has one, with {', '.join(names)}"


def _machine() -> Iterator[Property]:
    yield "system", f"{platform.system()} {platform.release()} on {platform.machine()}"
    cores = usable_cores()
    yield "cores", f"{len(cores)} that games can be pinned to, {os.cpu_count()} in total"
    quota = cpu_quota()
    yield (
        "quota",
        "no limit" if quota is None else f"{quota:g} cores' worth of time (control group)",
    )
    if hasattr(os, "getloadavg"):
        yield "load", f"{os.getloadavg()[0]:.1f} over the last minute"
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    yield "memory", f"{memory / 2**30:.1f} GiB"
    free = shutil.disk_usage(".").free
    yield "disk", f"{free / 2**30:.1f} GiB free here"


def _limits() -> Iterator[Property]:
    for title, limit in (("processes", resource.RLIMIT_NPROC), ("files", resource.RLIMIT_NOFILE)):
        soft, _ = resource.getrlimit(limit)
        yield title, "no limit" if soft == resource.RLIM_INFINITY else f"{soft:,}"


def _clock() -> Iterator[Property]:
    info = get_clock_info("monotonic")
    yield "monotonic", f"{info.implementation}, resolution {info.resolution * 1e9:.0f} ns"
    times = [perf_counter_ns() for _ in range(CLOCK_READINGS)]
    steps = [later - earlier for earlier, later in pairwise(times)]
    yield "one reading", f"{sorted(steps)[len(steps) // 2]} ns"
    yield "longest gap", f"{max(steps) / 1e6:.2f} ms in {CLOCK_READINGS:,} readings"


def _software() -> Iterator[Property]:
    yield "referee", f"{__version__}, {'compiled' if _is_compiled() else 'pure Python'}"
    yield "Python", f"{platform.python_version()} ({sys.executable})"
    for name in (*LIBRARIES, CLUSTER):
        try:
            yield name, version(name)
        except PackageNotFoundError:
            yield name, "not installed"


def _is_compiled() -> bool:
    """Return whether the modules of the turn loop are compiled."""
    return not loop.__file__.endswith(".py")


def _languages(installed: bool) -> Iterator[str]:
    for language, program in TOOLCHAINS.items():
        if (shutil.which(program) is not None) == installed:
            yield language


def _advice(rungs: dict[str, Rung | str]) -> Iterator[str]:
    obstacle = rungs[BWRAP]
    if isinstance(obstacle, str):
        if shutil.which("bwrap") is None and sys.platform == "linux":
            yield "install bubblewrap for the strongest isolation: apt install bubblewrap"
        else:
            yield f"bubblewrap is installed and does not work: {obstacle}"
            yield "user namespaces may be switched off: see docs/security.md"
    warning = quota_warning(len(usable_cores()), cpu_quota())
    if warning is not None:
        yield f"with a game on every core {warning}"
    if len(usable_cores()) == 1:
        yield "one core: bots, referee and everything else share it"
    if hasattr(os, "getloadavg") and os.getloadavg()[0] > BUSY_LOAD * (os.cpu_count() or 1):
        yield "the machine is busy: thinking times will be longer than on a quiet one"
    if not _is_compiled():
        yield (
            "the referee is pure Python: `pip install -v .` in its checkout compiles the modules of"
            " the turn loop, or prints why not (Debian, Ubuntu: apt install gcc python3-dev)"
        )
    missing = list(_languages(installed=False))
    if missing:
        yield f"no compiler or interpreter here for: {', '.join(missing)}"


def _output_of(*command: str) -> str | None:
    """Run a program and return its output; None if it is missing or fails to start."""
    program = shutil.which(command[0])
    if program is None:
        return None
    try:
        result = subprocess.run([program, *command[1:]], capture_output=True, text=True, timeout=10)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return result.stdout.strip()
