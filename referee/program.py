"""Entry point of the program `referee`: signals, output and exit code around the command line.

Signal handlers are set before the imports that take time. Until those are done there is nothing to
clean up, so an interrupt ends the process directly.
"""

import _signal  # type: ignore[import-not-found]  # `signal` takes milliseconds to import
import os
import sys

_EXIT_INTERRUPTED = 130


def _exit_at_once(number: int, frame: object) -> None:
    os._exit(_EXIT_INTERRUPTED)


for _number in (_signal.SIGINT, _signal.SIGTERM, _signal.SIGHUP):
    if _signal.getsignal(_number) is not _signal.SIG_IGN:
        _signal.signal(_number, _exit_at_once)

from referee.cli import main  # noqa: E402
from referee.errors import EXIT_OUTSIDE  # noqa: E402
from referee.system.output import lost_output, protect_output  # noqa: E402
from referee.system.signals import ignore_from_now_on, raise_on_signals  # noqa: E402


def start() -> None:
    """Run the command line and exit with its exit code."""
    code = _EXIT_INTERRUPTED
    try:
        raise_on_signals()
        protect_output()
        code = main()
        lost = lost_output()
        if lost is not None:
            print(f"referee: {lost}", file=sys.stderr)
            code = code or EXIT_OUTSIDE
    except KeyboardInterrupt:
        pass  # after the end of the command nothing was interrupted, and `code` is set
    finally:
        ignore_from_now_on()
    # CPython notes an interrupt inside `exec` of a text, by which it makes dataclasses, and started
    # by `python -m` it would then end by SIGINT and not with this code. The next text resets that.
    exec("pass")
    sys.exit(code)
