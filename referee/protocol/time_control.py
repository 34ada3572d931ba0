"""Time controls: how much time players have, and the notation for it. Pure."""

import re
from dataclasses import dataclass

from referee.errors import InputError

CEILING_MS = 600_000
"""The maximum time for an answer if there is no clock."""
MARGIN_MS = 20
"""Tolerance for the latency of the referee: in total on a clock, per answer with a fixed time."""

_UNITS = {"ms": 1, "s": 1_000, "m": 60_000, "min": 60_000, "h": 3_600_000}
_DURATION = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*(ms|s|min|m|h)", re.ASCII)
DURATION_PATTERN = r"0*[0-9]{1,8}(\.[0-9]+)?\s*(ms|s|min|m|h)"
"""A duration for a JSON Schema, in the syntax that Python and JavaScript share. A pattern cannot
compare numbers: it allows eight digits, as many as the maximum of one day has in milliseconds."""
POSITIVE_PATTERN = rf"(?=[0-9.]*[1-9]){DURATION_PATTERN}"
CLOCK_PATTERN = rf"\s*(none|{POSITIVE_PATTERN}\s*(\+\s*{DURATION_PATTERN})?)\s*"
_PER_MOVE, _NO_CLOCK = " per move", "no clock"
_MAX_DURATION_MS = 24 * _UNITS["h"]


def parse_duration(text: str, name: str = "a duration", least_ms: int = 0) -> int:
    """Parse `500ms`, `2s`, `1.5s` or `10min` into milliseconds; InputError names the key."""
    match = _DURATION.fullmatch(text.strip())
    if not match:
        raise InputError(f"{name} is {text!r}: write a number and a unit, like 500ms, 2s or 10min")
    duration = float(match[1]) * _UNITS[match[2]]
    if duration > _MAX_DURATION_MS:
        raise InputError(f"{name} is {text!r}: a day (24h) is the most")
    if round(duration) < least_ms:
        raise InputError(f"{name} is {text!r}: {least_ms}ms is the least")
    return round(duration)


@dataclass(frozen=True, slots=True)
class TimeControl:
    """A clock with an increment, a fixed time per move, or (both None) no clock."""

    main_ms: int | None = None
    increment_ms: int = 0
    move_ms: int | None = None
    margin_ms: int = MARGIN_MS

    @classmethod
    def clock(cls, text: str, margin_ms: int = MARGIN_MS) -> "TimeControl":
        """Parse `2s + 50ms`, `2s` or `none`."""
        if text.strip() == "none":
            return cls(margin_ms=margin_ms)
        main, plus, increment = text.partition("+")
        main_ms = parse_duration(main, "time")
        if main_ms < 1:
            raise InputError(f"time is {text!r}: a clock starts with 1ms at least")
        increment_ms = parse_duration(increment, "the increment") if plus else 0
        return cls(main_ms=main_ms, increment_ms=increment_ms, margin_ms=margin_ms)

    @classmethod
    def per_move(cls, text: str, margin_ms: int = MARGIN_MS) -> "TimeControl":
        """Parse a fixed time per move, such as `500ms`."""
        move_ms = parse_duration(text, "the time per move", least_ms=1)
        return cls(move_ms=move_ms, margin_ms=margin_ms)

    @classmethod
    def read(cls, text: str) -> "TimeControl":
        """Parse the result of `str`, which does not contain the margin."""
        if text.endswith(_PER_MOVE):
            return cls.per_move(text.removesuffix(_PER_MOVE))
        return cls.clock("none" if text == _NO_CLOCK else text)

    def __str__(self) -> str:
        if self.move_ms is not None:
            return f"{self.move_ms}ms{_PER_MOVE}"
        if self.main_ms is not None:
            return f"{self.main_ms}ms + {self.increment_ms}ms"
        return _NO_CLOCK

    def start(self) -> float:
        """Return the time in milliseconds before the first move."""
        if self.main_ms is not None:
            return self.main_ms
        return self.move_ms if self.move_ms is not None else CEILING_MS


def human_time_control(time: TimeControl | None = None) -> TimeControl:
    """Return the time control of a person: without a clock, one day instead of CEILING_MS."""
    if time is None or (time.main_ms is None and time.move_ms is None):
        return TimeControl(margin_ms=_MAX_DURATION_MS)
    return time
