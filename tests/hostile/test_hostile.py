"""Bots that cheat, break or attack: they lose, and nothing else happens.

Every attack is made in both seats on every rung that works here. An attack that must fail tells how
it was refused: a bot that broke down by itself would not pass for a harmless one.
"""

import gc
import os
import resource
import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from functools import cache
from pathlib import Path
from uuid import uuid4

import pytest

from referee.bots.process import BotProcess
from referee.outcome import Reason
from tests.hostile.bots.registry import PLAYS_ON, Attack
from tests.hostile.bots.tools import MAX_LIFE_SECONDS
from tests.hostile.corpus import ATTACKS
from tests.hostile.findings import Findings, assail
from tests.hostile.ordinary import OrdinaryUser
from tests.hostile.summary import PROPERTY
from tests.hostile.world import World, descendants_of, processes_with, rung_called, world
from tests.support.processes import pid_of, wait_until

FAULTS = {reason.value for reason in Reason} - {PLAYS_ON}
ROOT, ORDINARY = "root", "ordinary"
USER = ROOT if os.geteuid() == 0 else ORDINARY
"""The user of the tests; root can also be an ordinary one."""
PLACES = [("none", USER)] + [
    (rung, user) for rung in ("bwrap", "limits") for user in dict.fromkeys((USER, ORDINARY))
]
CASES = [
    (rung, user, attack)
    for rung, user in PLACES
    for attack in ATTACKS.values()
    if rung in attack.rungs
]
MIB = 2**20


def group(rung: str, user: str) -> list[pytest.MarkDecorator]:
    """Let one process make all attacks of a place, because each process sets up its own places.

    The groups of tests of an ordinary user are those of `tests/conftest.py`.
    """
    return [pytest.mark.xdist_group(f"hostile-{rung}-{user}")] if USER == ROOT else []


@pytest.fixture(scope="module")
def places() -> Iterator[Callable[[str], World]]:
    """Create a world per rung, shared by all attacks there: none may change it."""
    before = descendants_of(os.getpid())
    with ExitStack() as stack:
        yield cache(lambda rung: stack.enter_context(world(rung)))
    wait_until(lambda: descendants_of(os.getpid()) <= before)


@pytest.fixture(scope="module")
def ordinary_users() -> Iterator[Callable[[str], OrdinaryUser]]:
    """Create the same for an ordinary user, if the tests run as root."""
    with ExitStack() as stack:
        yield cache(lambda rung: stack.enter_context(closing(OrdinaryUser(rung))))


@pytest.mark.parametrize(
    ("rung", "user", "attack"),
    [
        pytest.param(rung, user, attack, id=f"{rung}-{user}-{attack.name}", marks=group(rung, user))
        for rung, user, attack in CASES
    ],
)
def test_attack_loses_and_changes_nothing(
    places: Callable[[str], World],
    ordinary_users: Callable[[str], OrdinaryUser],
    record_property: Callable[[str, object], None],
    rung: str,
    user: str,
    attack: Attack,
) -> None:
    """In both seats; the next game has no fault."""
    found: Findings
    if user == USER:
        found = assail(places(rung), rung, attack)
    else:
        rung_called(rung)
        found = ordinary_users(rung).assail(attack)
    record_property(PROPERTY, {"rung": rung, "user": user, "counts": found.counts})
    assert not found.all, "\n".join(found.all)


def resident() -> int:
    """Return the resident memory of this process in bytes."""
    fields = Path("/proc/self/statm").read_text().split()
    return int(fields[1]) * resource.getpagesize()


def test_floods_do_not_grow_the_memory_of_the_referee(places: Callable[[str], World]) -> None:
    """Hundreds of megabytes are sent, and little is kept."""
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


@pytest.mark.parametrize(
    "rung", [pytest.param(rung, marks=group(rung, USER)) for rung in ("bwrap", "limits")]
)
def test_nothing_outlives_a_supervisor_that_is_killed(
    places: Callable[[str], World], rung: str
) -> None:
    """Neither the bot nor a daemon of it, which would end by itself later."""
    place, marker = places(rung), str(uuid4())
    hostile = place.hostile(ATTACKS["leaves_a_daemon"], marker)
    place.play((hostile, place.honest[0]))
    assert isinstance(hostile.process, BotProcess)
    fields = Path(f"/proc/{pid_of(hostile.process)}/stat").read_text().rpartition(")")[2].split()
    assert len(processes_with(marker)) >= 2
    os.kill(int(fields[1]), signal.SIGKILL)  # its supervisor
    wait_until(lambda: not processes_with(marker), MAX_LIFE_SECONDS / 2)
    hostile.discard()


def test_corpus_has_enough_attacks_with_verdicts() -> None:
    """Each one has its expected result."""
    assert len(ATTACKS) >= 65
    for attack in ATTACKS.values():
        for rung in attack.rungs:
            assert attack.verdict(rung) in {PLAYS_ON} | FAULTS
