"""Keys from the bytes that a terminal sends. Pure."""

import re

END_OF_INPUT = "end-of-input"
ENTER, ESCAPE, BACKSPACE = "enter", "escape", "backspace"
_NAMES = {
    **dict.fromkeys(("\x1b[A", "\x1bOA"), "up"),
    **dict.fromkeys(("\x1b[B", "\x1bOB"), "down"),
    **dict.fromkeys(("\x1b[C", "\x1bOC"), "right"),
    **dict.fromkeys(("\x1b[D", "\x1bOD"), "left"),
    **dict.fromkeys(("\x1b[H", "\x1bOH", "\x1b[1~", "\x1b[7~"), "home"),
    **dict.fromkeys(("\x1b[F", "\x1bOF", "\x1b[4~", "\x1b[8~"), "end"),
    **dict.fromkeys(("\r", "\n"), ENTER),
    **dict.fromkeys(("\x7f", "\x08"), BACKSPACE),
    "\x1b": ESCAPE,
    "\x04": END_OF_INPUT,
}
_KEY = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1bO[ -~]|[^\x1b]|\x1b(?=[^\[O])")
"""A control sequence, a function key, a character, or Escape before something else."""
MAX_SEQUENCE = 32
"""Longer sequences are no keys: pasted text, or a program that writes to the terminal."""


class KeyDecoder:
    """Keys from bytes; a sequence may arrive in pieces."""

    def __init__(self) -> None:
        self._text = ""

    @property
    def is_waiting(self) -> bool:
        """Return whether the bytes so far may be the beginning of a sequence."""
        return bool(self._text)

    def feed(self, data: bytes) -> list[str]:
        """Return the keys that are complete; characters other than ASCII are ignored."""
        self._text += data.decode("ascii", "ignore")
        keys, at = [], 0
        while match := _KEY.match(self._text, at):
            keys.append(_name(match[0]))
            at = match.end()
        self._text = self._text[at:]
        if len(self._text) > MAX_SEQUENCE:
            self._text = ""
        return [key for key in keys if key]

    def flush(self) -> list[str]:
        """Return what is left when nothing follows: the key Escape, or nothing."""
        text, self._text = self._text, ""
        return [ESCAPE] if text == "\x1b" else []


def _name(text: str) -> str:
    """Return the name of a key; empty for those without a use here."""
    return _NAMES.get(text, text if text.isprintable() else "")
