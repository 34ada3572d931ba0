"""The dialogue of each game, in the wording of its rule book without the errors of its examples.

base       Dialogue: the generic dialogue, base class of the others
standoff   A grid of brackets, one prompt
barricade  Numbered menus for step and blockade
marking    crossfire and lockdown: one prompt, then the blocked cells
runner     Move or block, then a cell
"""

from typing import Any

from referee.human.dialogues.barricade import BarricadeDialogue
from referee.human.dialogues.base import Dialogue
from referee.human.dialogues.marking import CrossfireDialogue, LockdownDialogue
from referee.human.dialogues.runner import RunnerDialogue
from referee.human.dialogues.standoff import StandoffDialogue
from referee.rules import Rules

DIALOGUES: dict[str, type[Dialogue]] = {
    "standoff": StandoffDialogue,
    "barricade": BarricadeDialogue,
    "lockdown": LockdownDialogue,
    "runner": RunnerDialogue,
    "crossfire": CrossfireDialogue,
}


def find_dialogue(variant: str, origin: int, rules: Rules[Any] | None) -> Dialogue:
    """Return the dialogue of a game; the generic one if its rules are not available."""
    kind = DIALOGUES.get(variant, Dialogue) if rules else Dialogue
    return kind(variant, origin, rules)
