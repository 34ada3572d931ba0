"""Parts of the turn loop: membership of a move, rounding of times, latency."""

import pytest

from referee.game.latency import LatencyMeter
from referee.protocol.answers import is_listed
from referee.protocol.clock import round_half_up


@pytest.mark.parametrize(
    ("move", "listed"),
    [
        ("1,1", True),
        ("1,12", True),
        ("2,1x1,1", True),
        ("1,2", False),
        ("1", False),
        ("", False),
        ("1,1;1,12", False),
        (";", False),
        ("1,1 ", False),
    ],
)
def test_move_is_listed_only_as_a_whole(move: str, listed: bool) -> None:
    """Neither a part of a legal move nor several legal moves are one."""
    assert is_listed(move, "1,1;1,12;2,1x1,1") == listed


@pytest.mark.parametrize(
    ("ms", "steps", "rounded"),
    [
        *((0.0, 100, 0.0), (0.004, 100, 0.0), (0.005, 100, 0.01), (1.234, 100, 1.23)),
        *((9.999, 100, 10.0), (0.25, 10, 0.3), (0.0006, 1000, 0.001), (12.3454, 1000, 12.345)),
    ],
)
def test_times_are_rounded_half_up(ms: float, steps: int, rounded: float) -> None:
    """Clocks and records use the same rounded time."""
    assert round_half_up(ms, steps) == rounded


def test_latency_is_the_time_between_an_answer_and_the_next_request() -> None:
    """The mean is per ply, even if a request was repeated after an illegal move."""
    meter = LatencyMeter(10.0)
    for sent_at, received_at in [(10.001, 12.0), (12.004, 13.0), (13.001, 14.0)]:
        meter.add(sent_at, received_at)
    assert (meter.mean_ms(2), meter.max_ms()) == (3.0, 4.0)


def test_latency_of_a_game_without_a_request_is_zero() -> None:
    """No move is requested from a bot that does not start."""
    meter = LatencyMeter(10.0)
    assert (meter.mean_ms(0), meter.max_ms()) == (0.0, 0.0)
