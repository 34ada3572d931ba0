"""Functions that escape and shorten text from bots, files and users. Pure."""

MAX_LENGTH = 400
MAX_LABEL_LENGTH = 64


def printable(text: str | bytes, max_length: int = MAX_LENGTH) -> str:
    """Escape control characters, and cut text that is too long, with a note of its length."""
    if isinstance(text, bytes):
        kept, size = text[: max_length + 1].decode("utf-8", "backslashreplace"), len(text)
    else:
        kept, size = text[: max_length + 1], len(text)
    shown = kept[:max_length]
    if not shown.isprintable():
        shown = "".join(_escape(character) for character in shown)
    return f"{shown}… ({size:,} in all)" if size > max_length else shown


def printable_lines(text: bytes, max_length: int = MAX_LENGTH) -> list[str]:
    """Split text into lines, and make each of them printable."""
    return [printable(line.rstrip(b"\r"), max_length) for line in text.rstrip(b"\n").split(b"\n")]


def printable_block(text: str) -> str:
    """Escape control characters except line ends; nothing is cut."""
    return "\n".join(printable(line, len(line)) for line in text.split("\n"))


def wrap_words(text: str, width: int) -> list[str]:
    """Break a text at blanks into lines of at most `width`; a longer word has a line of its own.

    `textwrap` does more, and takes longer to import than the rest of `referee --help`.
    """
    lines: list[str] = []
    for word in text.split():
        if lines and len(lines[-1]) + 1 + len(word) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines or [""]


def _escape(character: str) -> str:
    return character if character.isprintable() else ascii(character)[1:-1]


def short_label(text: object) -> str:
    """Return one short printable line, for a name, a reason or a clock."""
    return printable(str(text), MAX_LABEL_LENGTH)


def signed(number: float) -> str:
    """Format a number without decimals, with its sign; 0 has none."""
    rounded = round(number)
    return f"{rounded:+d}" if rounded else "0"
