"""Text that somebody else wrote, made short and safe to show."""

from referee.visible import visible

LONGEST_WORD = 64


def word(text: object) -> str:
    """A name, a reason, a clock: one short line."""
    return visible(str(text), LONGEST_WORD)
