"""Signals that end the program: none is lost, wherever it arrives."""

import subprocess
import sys

import pytest

from tests.support.processes import PATIENCE_SECONDS

PROGRAM = """
import os, signal, time
from referee.system.signals import raise_on_signals
{define}
signal.signal(signal.SIGINT, signal.default_int_handler)  # it may be ignored where the tests run
raise_on_signals()
try:
    try:
        interrupt()
    except KeyboardInterrupt:
        pass  # as CPython does there
    while True:
        time.sleep(0.001)
except KeyboardInterrupt:
    print("interrupted")
"""
SEND = "os.kill(os.getpid(), signal.SIGINT)"
PLACES = {
    "import system": (
        f"source = 'def interrupt():\\\\n {SEND}\\\\n for _ in range(9): pass'\n"
        "exec(compile(source, '<frozen importlib._bootstrap>', 'exec'))"
    ),
    "finalizer": (
        f"class Finalized:\n def __del__(self):\n  {SEND}\n  for _ in range(9): pass\n"
        "interrupt = Finalized"
    ),
}


@pytest.mark.parametrize("place", PLACES)
def test_signal_arrives_later_where_exceptions_are_discarded(place: str) -> None:
    """In a finalizer, and in the import system while an extension module is loaded."""
    program = PROGRAM.format(define=PLACES[place].replace("\\\\", "\\"))
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=PATIENCE_SECONDS
    )
    assert (result.returncode, result.stdout, result.stderr) == (0, "interrupted\n", "")
