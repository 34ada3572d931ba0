"""Common part of commands that start a web server: the address, as a link, in a browser."""

import sys
from typing import TextIO

from referee.system.terminal import shows_links

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8765


def hyperlink(address: str, stream: TextIO) -> str:
    """Return the address, as a link (OSC 8) if the stream is a terminal that shows links."""
    if not shows_links(stream):
        return address
    return f"\x1b]8;;{address}\x1b\\{address}\x1b]8;;\x1b\\"


def open_browser(address: str) -> None:
    """Open the address in a browser, if this machine has one."""
    import webbrowser

    if not webbrowser.open(address):
        print(f"no browser was found: open {address} yourself", file=sys.stderr)
