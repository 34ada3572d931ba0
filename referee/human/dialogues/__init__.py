"""The dialogue of each game in the words of its rule book, without the errors of its examples."""

from typing import Any

from referee.human.dialogues.barricade import Barricade
from referee.human.dialogues.base import Dialogue
from referee.human.dialogues.marking import Crossfire, Lockdown
from referee.human.dialogues.runner import Runner
from referee.human.dialogues.standoff import Standoff
from referee.rules import Rules

DIALOGUES: dict[str, type[Dialogue]] = {
    "standoff": Standoff,
    "barricade": Barricade,
    "lockdown": Lockdown,
    "runner": Runner,
    "crossfire": Crossfire,
}


def find_dialogue(variant: str, origin: int, rules: Rules[Any] | None) -> Dialogue:
    """The dialogue of a game; where its rules are not known, the one that does for any game."""
    kind = DIALOGUES.get(variant, Dialogue) if rules else Dialogue
    return kind(variant, origin, rules)
