"""A bot that cheats, breaks or attacks loses its game, and nothing else happens.

Every attack is made in both seats on every rung that works here. An attack that must fail tells how
it was refused: a bot that broke down by itself would not pass for a harmless one.
"""

import gc
import os
import re
import resource
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from uuid import uuid4

import pytest

from referee.bot import Bot
from referee.dossier import dossier
from referee.game import Played
from referee.outcome import Reason, win
from tests.hostile.bots import (  # noqa: F401
    files,
    processes,
    resources,
    secrets,
    speech,
    system,
)
from tests.hostile.bots.registry import ATTACKS, PLAYS_ON, Attack
from tests.hostile.world import (
    World,
    descendants_of,
    processes_with,
    world,
)
from tests.processes import wait_until

NAMES = ("hostile", "honest")
FAULTS = {reason.value for reason in Reason} - {PLAYS_ON}
CASES = [
    (rung, attack)
    for rung in ("bwrap", "limits", "none")
    for attack in ATTACKS.values()
    if rung in attack.rungs
]
MIB = 2**20


@pytest.fixture(scope="module")
def places() -> Iterator[Callable[[str], World]]:
    """A world per rung, shared by all attacks there: each has to leave it as it was."""
    with ExitStack() as stack:
        yield cache(lambda rung: stack.enter_context(world(rung)))
    wait_until(lambda: not descendants_of(os.getpid()))


def said(played: Played, seat: int) -> list[str]:
    """What a bot told in `info` lines."""
    return [
        entry.line.removeprefix(b"info ").decode(errors="replace")
        for entry in played.transcript.entries
        if entry.seat == seat and not entry.sent and entry.line.startswith(b"info ")
    ]


def check_verdict(played: Played, attack: Attack, rung: str, seat: int) -> None:
    """The hostile bot lost for the reason expected, or its attack failed and the game went on."""
    expected = attack.verdict(rung)
    if expected == PLAYS_ON:
        assert played.faults == (), dossier("game", NAMES, played)
        assert played.outcome.reason == Reason.NO_MOVES
    else:
        assert played.outcome == win(3 - seat, Reason(expected)), dossier("game", NAMES, played)
        assert [fault.seat for fault in played.faults] == [seat]
    told = said(played, seat)
    assert not [line for line in told if "pwned" in line]
    pattern = attack.says(rung)
    assert pattern is None or any(re.fullmatch(pattern, line, re.DOTALL) for line in told), told


def check_text(played: Played) -> None:
    """What is shown of the game holds nothing that a terminal would obey."""
    text = dossier("game", NAMES, played)
    odd = {character for character in text if not character.isprintable()} - {"\n"}
    assert odd == set()


@pytest.mark.parametrize(
    ("rung", "attack"),
    CASES,
    ids=lambda value: value.name if isinstance(value, Attack) else value,
)
def test_an_attack_costs_nobody_else_anything(
    places: Callable[[str], World], rung: str, attack: Attack
) -> None:
    """In both seats: the verdict, and afterwards all is as it was, and the next game is fine."""
    place = places(rung)
    before = [bot.process for bot in place.honest]
    scratch = place.scratch_folders()
    family = descendants_of(os.getpid())
    is_impatient = attack.verdict(rung) == "timeout"
    for seat in (1, 2):
        marker = str(uuid4())
        hostile = place.hostile(attack, marker)
        bots: tuple[Bot, Bot] = (hostile, place.honest[0])
        played = place.play(bots if seat == 1 else bots[::-1], seat if is_impatient else 0)
        check_verdict(played, attack, rung, seat)
        check_text(played)
        hostile.quit()
        assert processes_with(marker) == {}
        # The next game starts at once, with the same process of the honest bot.
        assert place.play_honestly().faults == ()
    assert [bot.process for bot in place.honest] == before
    assert [bot.warnings for bot in place.honest] == [[], []]
    assert place.signals == []
    assert place.hostile_files() == place.files
    assert (place.folder / "results" / "games.jsonl").read_text() == "nobody's business\n"
    # A supervisor has hung up a moment before it is gone.
    wait_until(lambda: descendants_of(os.getpid()) <= family)
    assert place.scratch_folders() == scratch


def resident() -> int:
    """Bytes of memory that this process holds."""
    fields = Path("/proc/self/statm").read_text().split()
    return int(fields[1]) * resource.getpagesize()


def test_floods_do_not_fill_the_memory_of_the_referee(places: Callable[[str], World]) -> None:
    """Hundreds of megabytes were sent, and next to nothing is kept."""
    place = places("limits")
    floods = ["line_of_100_megabytes", "floods_info", "floods_errors", "floods_lines"]
    before = most = 0
    for attack in [*floods, *floods * 3]:
        hostile = place.hostile(ATTACKS[attack], str(uuid4()))
        place.play((hostile, place.honest[0]))
        hostile.quit()
        gc.collect()
        if attack == floods[-1] and not before:
            before, most = resident(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    assert resident() - before < 16 * MIB
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 - most < 32 * MIB


def test_there_are_enough_attacks() -> None:
    """One attack each, and every one says what must come of it."""
    assert len(ATTACKS) >= 65
    for attack in ATTACKS.values():
        for rung in attack.rungs:
            assert attack.verdict(rung) in {PLAYS_ON} | FAULTS
