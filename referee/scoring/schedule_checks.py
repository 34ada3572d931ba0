"""Comparison of the games of a Swiss tournament or a knockout with its schedule.

Pairings depend on earlier results there. If one of these is removed or changed, games of later
rounds may no longer be part of the schedule. They are reported, and removed only with the option
`--reschedule`.
"""

from collections.abc import Callable, Collection, Iterable
from typing import TYPE_CHECKING

from referee.errors import InputError, RecordError
from referee.records.games_file import GamesFile
from referee.records.record import Record
from referee.schedule.formats import Pair, Round, ordered_pair

if TYPE_CHECKING:
    from referee.scoring.ledger import Ledger

EncounterKey = tuple[Pair, int]
"""A pair and the number of one of its encounters."""


def check_schedule(ledger: "Ledger", games: GamesFile) -> None:
    """Raise RecordError if a game was played that is not in the schedule."""
    if not ledger.manifest.has_rounds:
        return  # RecordChecker has checked each record.
    schedule = ledger.schedule()
    outside = ledger.scores.keys() - _meetings(schedule.rounds)
    if not outside:
        return
    line, record = next(
        (line, record)
        for line, record in enumerate(games.records(), start=1)
        if _meeting(record) in outside
    )
    pair, encounter = _meeting(record)
    raise RecordError(
        f"{games.path}: line {line}: {record['id']} is not in the schedule: {pair[0]} and {pair[1]}"
        f" have no encounter {encounter} up to {schedule.rounds[-1].title}, which is as far as the"
        f" results go. There are {_count_games(ledger, outside)} such games; `referee run FILE"
        " --reschedule` takes them out and goes on (the old games file is kept)"
    )


def find_dropped(
    ledger: "Ledger", redo: Collection[str], reschedule: bool
) -> Callable[[Record], bool]:
    """Return a predicate of the records to drop: of bots in `redo`, or outside of the schedule.

    Where pairings depend on results, a game that is played again may change all later rounds, so
    their games are dropped as well; raise InputError if that is needed without `reschedule`.
    """
    manifest = ledger.manifest
    if not manifest.has_rounds:
        if reschedule:
            raise InputError("--reschedule is for tournaments of the formats swiss and knockout")
        return lambda record: _involves(record["bots"], redo)
    kept: set[EncounterKey] = set()
    for played in ledger.schedule().rounds:
        staying = [match for match in played.matches if not _involves(match.pair, redo)]
        kept |= _meetings([Round(played.title, staying)])
        if len(staying) < len(played.matches):
            break
    others = [key for key in ledger.scores if key not in kept and not _involves(key[0], redo)]
    if others and not reschedule:
        raise InputError(
            f"the pairings after the first games of {' and '.join(redo)} depend on them, so"
            f" {_count_games(ledger, others)} games of other bots would have to be played again,"
            f" too: {redo_options(redo)} --reschedule does so (the old games file is kept), --fresh"
            " starts again (the old folder is moved aside)"
        )
    return lambda record: _meeting(record) not in kept


def redo_options(bots: Iterable[str]) -> str:
    """Return the options that play the games of these bots again."""
    return " ".join(f"--redo {bot}" for bot in bots)


def _involves(pair: Pair, bots: Collection[str]) -> bool:
    return any(bot in bots for bot in pair)


def _meetings(rounds: Iterable[Round]) -> set[EncounterKey]:
    return {
        (match.pair, number)
        for played in rounds
        for match in played.matches
        for number in match.numbers
    }


def _meeting(record: Record) -> EncounterKey:
    return ordered_pair(*record["bots"]), record["encounter"]


def _count_games(ledger: "Ledger", meetings: Iterable[EncounterKey]) -> int:
    """Count the games of some encounters."""
    return sum(ledger.encounter_games(key) for key in meetings)
