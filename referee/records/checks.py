"""Consistency checks of a record, by itself and against the tournament's manifest. Pure.

`record` checks the keys of a record and the types of their values. This module compares the values
with each other and with the manifest. It runs once per record of a large file.
"""

from collections.abc import Sequence
from math import isfinite
from pathlib import Path

from referee.errors import InputError, RecordError
from referee.outcome import HALF_POINTS
from referee.records.manifest import Manifest
from referee.records.record import Record
from referee.records.summary import GameSummary, faults_of
from referee.schedule.fixtures import fixture_id
from referee.schedule.formats import in_name_order

MAX_ENCOUNTERS = 10**9


class RecordChecker:
    """Checker for the records of one games file."""

    def __init__(self, manifest: Manifest, path: Path) -> None:
        self._path = path
        self._boards = manifest.boards
        self._ranks = {bot: rank for rank, bot in enumerate(in_name_order(manifest.bots))}
        self._challengers = frozenset(manifest.challengers if manifest.format == "gauntlet" else ())
        # Where pairings depend on results, `schedule_checks` checks the encounters instead.
        self._max_encounter = None if manifest.has_rounds else manifest.encounters

    def check(self, line: int, record: Record) -> GameSummary:
        """Summarize a record; raise InputError if it is wrong or not part of this tournament."""
        try:
            summary = GameSummary.from_record(record)
            _check_values(record, summary)
        except (TypeError, ValueError, OverflowError, LookupError) as error:
            raise self._damaged(line, record, error) from error
        first, second = summary.bots
        first_rank, second_rank = self._ranks.get(first), self._ranks.get(second)
        if summary.board not in self._boards:
            raise settings_changed_error(
                [f"{summary.board} is no longer in the file"], self._place(line)
            )
        if first_rank is None or second_rank is None:
            missing = first if first_rank is None else second
            message = f"the bot {missing} is no longer in the file"
            raise settings_changed_error([message], self._place(line))
        letter = "a" if first_rank < second_rank else "b"
        expected_id = fixture_id(summary.board, first, second, summary.encounter, letter)
        if summary.id != expected_id:
            message = f"its variant, size, bots and encounter make the id {expected_id}"
            raise self._damaged(line, record, message)
        if self._max_encounter is not None and summary.encounter > self._max_encounter:
            message = f"encounters: {self._max_encounter}, and more were played already"
            raise settings_changed_error([message], self._place(line))
        if self._challengers and (first in self._challengers) == (second in self._challengers):
            raise RecordError(
                f"{self._place(line)}: {expected_id} is not in the schedule: in a gauntlet, one of"
                " two bots is a challenger"
            )
        return summary

    def _place(self, line: int) -> str:
        return f"{self._path}: line {line}"

    def _damaged(self, line: int, record: Record, problem: object) -> RecordError:
        return RecordError(
            f"{self._place(line)}: the record of {record['id']} is damaged: {problem}"
        )


def _check_values(record: Record, summary: GameSummary) -> None:
    """Raise an exception, usually ValueError or TypeError, if values contradict each other."""
    first, second = summary.bots
    if first == second:
        raise ValueError(f"{first} plays against itself")
    one, two = record["score"]
    if summary.score not in HALF_POINTS or one is True or two is True or one is two is False:
        raise ValueError(
            f"the score is [{one}, {two}]: expected [1, 0], [0, 1], [0.5, 0.5] or [0, 0]"
        )
    if not 0 < summary.encounter < MAX_ENCOUNTERS:
        raise ValueError(f"there is no encounter {summary.encounter}")
    opening, ms = record["opening"], record["ms"]
    if not 0 <= opening <= len(ms) or ms[:opening].count(None) != opening:
        raise ValueError(f"{opening} opening moves do not fit its moves and their times")
    _check_times(ms[opening:], summary)
    for text in (first, second, *summary.hashes, summary.host):
        if type(text) is not str:
            raise TypeError(f"{text!r} should be a text")
    if summary.faults:
        for fault in faults_of(record):
            if fault["seat"] not in (1, 2) or not isinstance(fault["reason"], str):
                raise ValueError("a fault has a seat, 1 or 2, and a reason")
            if not isinstance(fault["detail"], str):
                raise TypeError("the detail of a fault should be a text")
    if "info" in record or "clocks" in record or "seed" in record:
        _check_optional(record)


def _check_times(ms: Sequence[float], summary: GameSummary) -> None:
    (_, one, _), (_, two, _) = summary.thinking_times
    mean, longest = summary.latency_ms
    ready_1, ready_2 = summary.startup_ms
    if not isfinite(one + two + mean + longest + (ready_1 or 0.0) + (ready_2 or 0.0)):
        raise ValueError("a time is not a finite number")
    if ms and min(ms) < 0:
        raise ValueError("a time is below zero")


def _check_optional(record: Record) -> None:
    clocks = record.get("clocks", ("", ""))
    one, two = clocks
    if type(one) is not str or type(two) is not str:
        raise TypeError("clocks should be two texts")
    if type(record.get("seed", 0)) is not int:
        raise TypeError("seed should be a whole number")
    for ply, seat, text in record.get("info", ()):
        if type(ply) is not int or seat not in (1, 2) or not isinstance(text, str):
            raise ValueError("a line of info has a ply, a seat and a text")


def settings_changed_error(changes: Sequence[str], place: str = "") -> InputError:
    """Make the error for records that were played with other settings."""
    where = f" ({place})" if place else ""
    return InputError(
        "games were played already, and the tournament file has changed: "
        + "; ".join(changes)
        + f"{where}. --fresh starts again (the old folder is moved aside), --out DIR starts"
        " in another one"
    )
