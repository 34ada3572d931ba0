"""Abilities of the terminal: colour, a cursor that moves, links."""

import os
from collections.abc import Mapping
from typing import TextIO
from urllib.parse import quote

_WITHOUT_CURSOR = ("", "dumb", "unknown")
_LINKING_PROGRAMS = (
    *("iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "Tabby", "rio", "contour"),
    "mintty",
)
_LINKING_TERMS = ("xterm-kitty", "xterm-ghostty", "alacritty", "foot", "wezterm", "contour")
_LINKING_VARIABLES = ("KITTY_WINDOW_ID", "WT_SESSION", "KONSOLE_VERSION", "DOMTERM")
_FIRST_LINKING_VTE = 5000


def shows_colour(stream: TextIO) -> bool:
    """Return whether colours are shown: on a terminal that has them, unless `NO_COLOR` is set."""
    return can_move_cursor(stream) and not os.environ.get("NO_COLOR")


def can_move_cursor(stream: TextIO) -> bool:
    """Return whether text on this stream can be overwritten."""
    return stream.isatty() and os.environ.get("TERM", "") not in _WITHOUT_CURSOR


def shows_links(stream: TextIO) -> bool:
    """Return whether links (OSC 8) are shown: on terminals that are known to have them."""
    return can_move_cursor(stream) and has_links(os.environ)


def has_links(environment: Mapping[str, str]) -> bool:
    """Return whether these environment variables are those of a terminal with links.

    There is no way to ask a terminal. `FORCE_HYPERLINK`, which other programs read as well, is 1
    for a terminal that is not known here, and 0 for no links.
    """
    forced = environment.get("FORCE_HYPERLINK")
    if forced:
        return forced != "0"
    term = environment.get("TERM", "")
    if term.startswith("screen") and "TMUX" not in environment:
        return False  # GNU screen removes links
    vte = environment.get("VTE_VERSION", "")
    return (
        environment.get("TERM_PROGRAM") in _LINKING_PROGRAMS
        or term.startswith(_LINKING_TERMS)
        or any(name in environment for name in _LINKING_VARIABLES)
        or (vte.isdecimal() and int(vte) >= _FIRST_LINKING_VTE)
    )


def file_link(path: str, text: str) -> str:
    """Return a text that links to a file, given by its absolute path.

    The name of the host tells a terminal on another machine that the file is not there.
    """
    return f"\x1b]8;;file://{os.uname().nodename}{quote(path)}\x1b\\{text}\x1b]8;;\x1b\\"
