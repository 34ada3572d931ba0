"""Escape and shorten text that bots, files and people supply. Pure."""

LONGEST = 400


def visible(text: str | bytes, longest: int = LONGEST) -> str:
    """One line that a terminal shows as it is; what is too long is cut, and says so."""
    if isinstance(text, bytes):
        kept, size = text[: longest + 1].decode("utf-8", "backslashreplace"), len(text)
    else:
        kept, size = text[: longest + 1], len(text)
    shown = kept[:longest]
    if not shown.isprintable():
        shown = "".join(_visible(character) for character in shown)
    return f"{shown}… ({size:,} in all)" if size > longest else shown


def visible_lines(text: bytes, longest: int = LONGEST) -> list[str]:
    """Several lines, each safe to show."""
    return [visible(line.rstrip(b"\r"), longest) for line in text.rstrip(b"\n").split(b"\n")]


def printable(text: str) -> str:
    """Text of several lines that a terminal shows as it is; line ends stay, nothing is cut."""
    return "\n".join(visible(line, len(line)) for line in text.split("\n"))


def _visible(character: str) -> str:
    return character if character.isprintable() else ascii(character)[1:-1]


LONGEST_WORD = 64


def word(text: object) -> str:
    """A name, a reason, a clock: one short line."""
    return visible(str(text), LONGEST_WORD)
