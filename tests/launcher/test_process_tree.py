"""Suspension and resumption of all processes of a bot."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest

from referee.launcher import process_tree
from tests.conftest import ROOT
from tests.hostile.world import PYTHON
from tests.support.processes import children_of, ended, is_running, kill, wait_until


def test_process_that_waits_for_a_core_is_not_running_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine it may stop long after the signal."""
    looks = iter(range(20))
    states = process_tree._state
    with ended(subprocess.Popen(["sleep", "600"])) as process:
        monkeypatch.setattr(process_tree, "descendants", lambda: iter([process.pid]))
        monkeypatch.setattr(
            process_tree, "_state", lambda task: states(task) if done(looks) else b"R"
        )
        # As if the look that finds it took nearly all of the time there is.
        ticks = count(0, 0.75 * process_tree.STOP_SECONDS)
        monkeypatch.setattr(process_tree, "process_time", lambda: next(ticks))
        assert process_tree.stop_all() is not None
        assert states(str(process.pid)) == b"T"


def done(looks: Iterator[int]) -> bool:
    return next(looks, None) is None


NICED = """
import os, subprocess
from referee.launcher import process_tree
os.nice(12)
with subprocess.Popen(["sleep", "600"]) as process:
    process_tree.lower_priority()
    print(os.getpriority(os.PRIO_PROCESS, process.pid))
    process.kill()
"""


def test_low_priority_is_below_that_of_a_referee_started_by_nice() -> None:
    """It is relative: a referee of the nice value 12 has bots of the lowest priority."""
    words = [sys.executable, "-c", NICED]
    said = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
    assert said.stdout == f"{process_tree.LOWEST_PRIORITY}\n", said


def test_child_is_resumed_although_its_parent_ends_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is in no list of children afterwards."""
    program = "import os, signal; os.fork() or signal.pause(); signal.pause()"
    with ended(subprocess.Popen([sys.executable, "-S", "-c", program])) as parent:
        wait_until(lambda: bool(children_of(parent.pid)))
        (child,) = children_of(parent.pid)
        try:
            for process in (child, parent.pid):
                os.kill(process, signal.SIGSTOP)
                wait_until(lambda process=process: process_tree._state(str(process)) == b"T")
            os.kill(parent.pid, signal.SIGTERM)  # which takes effect when it is woken

            def wake(process: int, number: int) -> None:
                os.kill(process, number)
                if process == parent.pid:
                    wait_until(lambda: not is_running(process))

            monkeypatch.setattr(process_tree, "_signal", wake)
            process_tree.resume_all()
            wait_until(lambda: process_tree._state(str(child)) != b"T")
        finally:
            kill({child})


START = """
import ctypes, os, signal, sys, threading
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCONT])

def burn():
    while True:
        pass

def work():
    os.write(1, b"w")

def on_resume(deed):
    print("ready", flush=True)
    signal.sigwait([signal.SIGCONT])
    deed()
    os.kill(os.getpid(), signal.SIGSTOP)
    signal.pause()
"""
RESUMED = {
    # It runs itself, but for less time than a process may take to stop.
    "stops itself": "on_resume(work)",
    # The processor time of a process that is reaped by the kernel is counted nowhere.
    "lets a child work": """
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
def fork_and_work():
    if os.fork() == 0:
        work()
        os._exit(0)
    try:
        os.waitpid(-1, 0)
    except ChildProcessError:
        pass
on_resume(fork_and_work)
""",
    "behind an ended thread": """
def go_on():
    while open("/proc/self/stat").read().rpartition(")")[2].split()[0] != "Z":
        pass
    on_resume(work)
threading.Thread(target=go_on).start()
ctypes.CDLL(None).syscall({"x86_64": 60, "aarch64": 93}[os.uname().machine], 0)
""",
}


@contextmanager
def program(
    text: str, monkeypatch: pytest.MonkeyPatch, user: int | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    """A process that has printed `ready`, and is the only one below this one."""
    python = sys.executable if user is None else PYTHON
    words = [python, "-S", "-c", START + text]
    user = None if user == os.geteuid() else user
    with subprocess.Popen(words, stdout=subprocess.PIPE, user=user) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == b"ready\n"
            everything = process_tree.descendants
            monkeypatch.setattr(process_tree, "descendants", lambda: everything(process.pid))
            yield process
        finally:
            kill(set(process_tree.descendants()))


def all_stopped(process: int) -> bool:
    """Whether no thread of a process runs, and at least one is stopped."""
    states = {process_tree._state(str(task)) for task in process_tree.tasks(process)}
    return b"T" in states and states <= {b"T", b"D", b"Z"}


@pytest.mark.parametrize("text", RESUMED.values(), ids=RESUMED.keys())
def test_a_process_that_ran_and_stopped_again_has_run(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However little it shows afterwards."""
    with program(text, monkeypatch) as process:
        stopped = process_tree.stop_all()
        assert stopped is not None
        assert not stopped.has_run()
        os.kill(process.pid, signal.SIGCONT)  # as a timer of its own would
        assert process.stdout is not None
        assert process.stdout.read(1) == b"w"
        wait_until(lambda: all_stopped(process.pid))
        assert stopped.has_run()


def test_a_process_that_is_not_dumpable_has_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its own user cannot read where in the kernel it is; root can."""
    user = os.geteuid() or 20_000
    monkeypatch.setattr(process_tree, "SETTLE_SECONDS", 1.0)  # for a very busy machine
    text = "ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)  # PR_SET_DUMPABLE\n"
    with program(text + RESUMED["lets a child work"], monkeypatch, user) as process:
        with acting_as(user):
            with pytest.raises(PermissionError):
                Path(f"/proc/{process.pid}/syscall").read_bytes()
            stopped = process_tree.stop_all()
            assert stopped is not None
            assert not stopped.has_run()
        os.kill(process.pid, signal.SIGCONT)
        assert process.stdout is not None
        assert process.stdout.read(1) == b"w"
        wait_until(lambda: all_stopped(process.pid))
        with acting_as(user):
            assert stopped.has_run()


@contextmanager
def acting_as(user: int) -> Iterator[None]:
    before = os.geteuid()
    os.seteuid(user)
    try:
        yield
    finally:
        os.seteuid(before)


def test_a_stopped_process_that_ended_has_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """The time that it had used before makes up for none that others use."""
    text = "sum(range(10**7)); child = os.fork(); child or signal.pause()\n"
    text += "print('ready', flush=True); signal.pause()"
    with program(text, monkeypatch) as process:
        (child,) = children_of(process.pid)
        stopped = process_tree.stop_all()
        assert stopped is not None
        assert not stopped.has_run()
        os.kill(child, signal.SIGKILL)
        wait_until(lambda: process_tree._state(str(child)) == b"Z")
        assert stopped.has_run()


def test_all_threads_stop_if_the_first_waits_in_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    """Until its child, which shares its memory, has ended: it does not act on any signal."""
    text = """
library = ctypes.CDLL(None)
stack = ctypes.create_string_buffer(2**16)
def go_on():
    while open("/proc/self/stat").read().rpartition(")")[2].split()[0] != "D":
        pass
    print("ready", flush=True)
    burn()
threading.Thread(target=go_on).start()
with_memory_and_wait = 0x100 | 0x4000 | signal.SIGCHLD
library.clone(library.pause, ctypes.byref(stack, 2**15), with_memory_and_wait, None)
"""
    with program(text, monkeypatch) as process:
        stopped = process_tree.stop_all()
        assert stopped is not None
        assert all_stopped(process.pid)
        assert not stopped.has_run()
        os.kill(process.pid, signal.SIGCONT)
        wait_until(lambda: process_tree.count_running(process.pid) > 0)
        assert stopped.has_run()
        process_tree.resume_all()
