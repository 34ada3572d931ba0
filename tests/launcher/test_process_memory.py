"""Memory of processes, and the time that measuring it takes."""

import subprocess
from contextlib import ExitStack

import pytest

from referee.launcher import process_memory
from tests.support.processes import ended


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


def echo() -> subprocess.Popen[bytes]:
    """Return a process that has started, and waits."""
    process = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b"x\n")
    assert process.stdout.readline() == b"x\n"
    return process
