"""A signal at a defined point in the execution of a program, without a timer.

`sitecustomize` of the folder that a `Moment` fills is imported by the program before anything else,
and sends the program a signal when something is about to happen for the first time: `import NAME`
of a module, `call NAME` of a Python function when arguments are about to be read, or later, or any
other event of `sys.audit`. Processes that the program starts import it, too, but are not sent
anything.
"""

import os
import signal
from pathlib import Path

_SITECUSTOMIZE = """
import os, sys, threading
folder = os.path.dirname(__file__)
event, _, name = os.environ["INTERRUPT_AT"].partition(" ")
try:
    os.close(os.open(os.path.join(folder, "first"), os.O_CREAT | os.O_EXCL))
    is_first = True
except FileExistsError:
    is_first = False

def interrupt():
    global is_first
    is_first = False
    sys.setprofile(None)
    os.close(os.open(os.path.join(folder, "sent"), os.O_CREAT))
    os.kill(os.getpid(), int(os.environ["INTERRUPT_BY"]))

def audit(happened, arguments):
    if is_first and happened == event and (not name or arguments[0] == name):
        interrupt()

def profile(frame, happened, argument):
    if is_first and happened == event and frame.f_code.co_name == name:
        if "argparse" in sys.modules:
            interrupt()

if is_first and event == "call":
    sys.setprofile(profile)
    threading.setprofile(profile)
elif is_first:
    sys.addaudithook(audit)
"""


class Moment:
    """The event at which a program is interrupted, as environment variables for it."""

    def __init__(self, folder: Path, event: str, number: signal.Signals) -> None:
        folder.mkdir()
        (folder / "sitecustomize.py").write_text(_SITECUSTOMIZE)
        self._folder = folder
        path = os.environ.get("PYTHONPATH")
        self.environment = {
            **os.environ,
            "PYTHONPATH": f"{folder}{os.pathsep}{path}" if path else str(folder),
            "INTERRUPT_AT": event,
            "INTERRUPT_BY": str(int(number)),
        }

    @property
    def has_come(self) -> bool:
        return (self._folder / "sent").exists()
