"""Memory of processes, and the time that measuring it takes."""

import subprocess
import sys
from contextlib import ExitStack

import pytest

from referee.launcher import process_memory
from tests.support.processes import ended, kill, wait_until

IN_MEMORY_OF_PARENT = """
import ctypes, os, signal
pieces = bytearray(b"1") * (32 << 20)
clone = {"x86_64": 56, "aarch64": 220}[os.uname().machine]
vm, vfork = 0x100, 0x4000
ctypes.CDLL(None).syscall(clone, vm | vfork | signal.SIGCHLD, 0, 0, 0, 0)
os.write(1, b"%d\\n" % os.getpid())
signal.pause()
"""
"""The first process waits for the second one, which prints its id."""
FORKED = """
import os, signal
pieces = bytearray(b"1") * (32 << 20)
if os.fork() == 0:
    os.write(1, b"%d\\n" % os.getpid())
signal.pause()
"""


def test_shared_pages_are_counted_in_processes_with_small_page_tables_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It takes long where tables are large: then all pages of a process count."""
    with ExitStack() as stack:
        waiting = [stack.enter_context(ended(echo())).pid for _ in range(2)]
        total = sum(map(process_memory.memory_of, waiting))
        limit = total - 1
        assert process_memory.MemoryMeter().used(waiting, limit, lambda: False) < total
        monkeypatch.setattr(process_memory, "MIN_TABLES", 0)
        monkeypatch.setattr(process_memory, "TABLES_PER_MEMORY", total)
        assert process_memory.MemoryMeter().used(waiting, limit, lambda: False) == total


def test_process_in_the_memory_of_its_parent_is_no_second_copy() -> None:
    """Until its parent has ended."""
    with ended(start(IN_MEMORY_OF_PARENT)) as parent, ended(echo()) as other:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        try:
            held = process_memory.memory_of(child)
            meter = process_memory.MemoryMeter()
            assert meter.used([parent.pid, child], held, lambda: False) <= held
            kill([parent.pid])
            parent.wait()
            assert meter.used([child, other.pid], held, lambda: False) > held // 2
        finally:
            kill([child])


def test_forked_process_that_has_ended_is_not_counted() -> None:
    """All its shares are counted in its parent if that is measured after its end."""
    with ended(start(FORKED)) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        held = process_memory.memory_of(parent.pid)
        meter = process_memory.MemoryMeter()
        meter._shares = {parent.pid: (-1, 0)}  # measured last

        def end_child() -> bool:
            if child in meter._shares:
                kill([child])
                wait_until(lambda: process_memory.memory_of(child) == 0)
            return False

        assert meter.used([parent.pid, child], held, end_child) <= held


def start(program: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-Sc", program], stdout=subprocess.PIPE)


def echo() -> subprocess.Popen[bytes]:
    """Return a process that has started, and waits."""
    process = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b"x\n")
    assert process.stdout.readline() == b"x\n"
    return process
