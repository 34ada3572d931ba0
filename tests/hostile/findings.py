"""Findings of an attack: verdicts, breaches of the sandbox, and what was left over."""

import os
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from uuid import uuid4

from referee.bots.bot import Bot
from referee.errors import OutsideError
from referee.game.dossier import dossier
from referee.game.result import PlayedGame
from referee.outcome import Reason, win
from tests.hostile.bots.registry import PLAYS_ON, Attack
from tests.hostile.world import World, descendants_of, processes_with
from tests.support.processes import wait_until

NAMES = ("hostile", "honest")
BUSY = "the machine is too busy"
"""Part of the reason for which a game is void if the referee itself could not run."""


@dataclass
class Findings:
    """Findings of one attack or of many; each is a sentence."""

    attacks: int = 0
    """Games in which an attack was made."""
    wrong: list[str] = field(default_factory=list)
    """Verdicts other than the expected one."""
    breaches: list[str] = field(default_factory=list)
    """Attacks that reached what they must not reach."""
    left_over: list[str] = field(default_factory=list)
    """Processes and files that were there afterwards."""

    @property
    def counts(self) -> dict[str, int]:
        """Return the numbers for the summary."""
        return {
            "attacks": self.attacks,
            "right verdicts": self.attacks - min(self.attacks, len(self.wrong)),
            "breaches": len(self.breaches),
            "left-overs": len(self.left_over),
        }

    @property
    def all(self) -> list[str]:
        return [*self.wrong, *self.breaches, *self.left_over]


def assail(place: World, rung: str, attack: Attack) -> Findings:
    """Make an attack from both seats; again if the machine was too busy for a game."""
    while True:
        try:
            return _assail(place, rung, attack)
        except OutsideError as error:
            if BUSY not in str(error):
                raise
        place.close()  # a void game ends the processes of its bots


def _assail(place: World, rung: str, attack: Attack) -> Findings:
    """Make an attack from both seats, with a game of ordinary bots after each."""
    opponent = place.opponent(attack)
    if not all(bot.process for bot in (*place.honest[:2], opponent)):
        place.play_honestly()
        place.play((opponent, place.honest[1]))
    found = Findings()
    before = [bot.process for bot in place.honest]
    scratch = place.scratch_folders()
    family = descendants_of(os.getpid())
    signals = len(place.signals)
    is_impatient = attack.verdict(rung) == "timeout"
    for seat in (1, 2):
        marker = str(uuid4())
        hostile = place.hostile(attack, marker)
        bots: tuple[Bot, Bot] = (hostile, opponent)
        try:
            played = place.play(bots if seat == 1 else bots[::-1], seat if is_impatient else 0)
        finally:
            hostile.quit()
        found.attacks += 1
        found.wrong += wrong_verdicts(played, attack, rung, seat)
        found.breaches += breaches(played, seat)
        found.left_over += [f"process {text}" for text in processes_with(marker).values()]
        # The next game starts at once, with the same process of the honest bot.
        next_game = place.play_honestly()
        if next_game.faults:
            text = dossier("game", NAMES, next_game)
            found.breaches.append(f"an honest bot was faulted in the next game:\n{text}")
    if [bot.process for bot in place.honest] != before:
        found.breaches.append("an honest bot was replaced")
    found.breaches += [
        f"warning for an honest bot: {bot.warnings}" for bot in place.honest if bot.warnings
    ]
    found.breaches += ["a signal reached the referee"] * (len(place.signals) - signals)
    found.breaches += place.changes()
    # A supervisor closes its socket a moment before it exits.
    if not settles(lambda: descendants_of(os.getpid()) <= family):
        found.left_over.append("processes below the referee")
    found.left_over += [f"scratch {name}" for name in place.scratch_folders() - scratch]
    return found


def settles(condition: Callable[[], bool]) -> bool:
    """Return whether a condition holds within the time limit."""
    try:
        wait_until(condition)
    except AssertionError:
        return False
    return True


def said(played: PlayedGame, seat: int) -> list[str]:
    """Return the texts of a bot's `info` lines."""
    return [
        entry.line.removeprefix(b"info ").decode(errors="replace")
        for entry in played.transcript.entries
        if entry.seat == seat and not entry.sent and entry.line.startswith(b"info ")
    ]


def wrong_verdicts(played: PlayedGame, attack: Attack, rung: str, seat: int) -> list[str]:
    """Return nothing if the hostile bot lost for the expected reason, or its attack failed."""
    expected = attack.verdict(rung)
    text = dossier("game", NAMES, played)
    told = said(played, seat)
    pattern = attack.says(rung)
    wrong = []
    if expected == PLAYS_ON:
        if played.faults or played.outcome.reason != Reason.NO_MOVES:
            wrong.append(f"the game did not go on:\n{text}")
    elif played.outcome != win(3 - seat, Reason(expected)) or [
        fault.seat for fault in played.faults
    ] != [seat]:
        wrong.append(f"the verdict is not {expected}:\n{text}")
    if pattern and not any(re.fullmatch(pattern, line, re.DOTALL) for line in told):
        wrong.append(f"it did not say {pattern!r}: {told}")
    return wrong


def breaches(played: PlayedGame, seat: int) -> list[str]:
    """Return attacks that report success, and text with control characters."""
    found = [f"it said {line!r}" for line in said(played, seat) if "pwned" in line]
    text = dossier("game", NAMES, played)
    odd = {character for character in text if not character.isprintable()} - {"\n"}
    return [*found, *(f"a dossier has {character!r}" for character in sorted(odd))]
