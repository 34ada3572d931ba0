"""Escape and shorten text that bots, files and people supply. Pure."""

MAX_LENGTH = 400


def printable(text: str | bytes, longest: int = MAX_LENGTH) -> str:
    """One line that a terminal shows as it is; what is too long is cut, and says so."""
    if isinstance(text, bytes):
        kept, size = text[: longest + 1].decode("utf-8", "backslashreplace"), len(text)
    else:
        kept, size = text[: longest + 1], len(text)
    shown = kept[:longest]
    if not shown.isprintable():
        shown = "".join(_escape(character) for character in shown)
    return f"{shown}… ({size:,} in all)" if size > longest else shown


def printable_lines(text: bytes, longest: int = MAX_LENGTH) -> list[str]:
    """Several lines, each safe to show."""
    return [printable(line.rstrip(b"\r"), longest) for line in text.rstrip(b"\n").split(b"\n")]


def printable_block(text: str) -> str:
    """Text of several lines that a terminal shows as it is; line ends stay, nothing is cut."""
    return "\n".join(printable(line, len(line)) for line in text.split("\n"))


def _escape(character: str) -> str:
    return character if character.isprintable() else ascii(character)[1:-1]


MAX_LABEL_LENGTH = 64


def short_label(text: object) -> str:
    """A name, a reason, a clock: one short line."""
    return printable(str(text), MAX_LABEL_LENGTH)
