"""`info` lines in a record: the first of each seat, and the last of those with the same keys."""

from referee.protocol.transcript import Transcript
from referee.records.record import MAX_INFO, MAX_INFO_LENGTH, info_lines


def transcript(*lines: tuple[int, bool, bytes]) -> Transcript:
    """The lines of a game: seat, whether it was sent to the bot, text."""
    kept = Transcript(0.0)
    for seat, sent, line in lines:
        kept.add(0.0, seat, sent, line)
    return kept


def test_a_bot_that_floods_does_not_silence_its_opponent() -> None:
    """Each seat has its own limit, and lines are cut."""
    turn = (1, True, b"turn ply=3 time_ms=1")
    flood = [(1, False, b"info %d %s" % (number, b"x" * 999)) for number in range(5000)]
    found = info_lines(transcript(turn, *flood, (2, False, b"info me too")))
    assert len(found) == MAX_INFO + 1
    assert found[0][:2] == [3, 1]
    assert len(found[0][2]) < MAX_INFO_LENGTH + 30
    assert found[-1] == [3, 2, "me too"]


def test_the_last_line_of_the_same_keys_counts() -> None:
    """Within a turn and a seat; text and other keys stay as they are."""
    found = info_lines(
        transcript(
            (1, True, b"turn ply=3 time_ms=1"),
            (1, False, b"info depth=1 score=0.5"),
            (1, False, b"info still thinking"),
            (1, False, b"info depth=2 score=0.25"),
            (1, False, b"info tag=endgame"),
            (1, False, b"info still thinking"),
            (2, False, b"info depth=9 score=0"),
            (1, True, b"turn ply=5 time_ms=1"),
            (1, False, b"info depth=4 score=1"),
        )
    )
    assert found == [
        [3, 1, "depth=2 score=0.25"],
        [3, 1, "still thinking"],
        [3, 1, "tag=endgame"],
        [3, 1, "still thinking"],
        [3, 2, "depth=9 score=0"],
        [5, 1, "depth=4 score=1"],
    ]
