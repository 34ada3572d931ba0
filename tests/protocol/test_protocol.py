"""The protocol without processes: messages, answers, line buffer, clocks."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.errors import InputError
from referee.outcome import Reason
from referee.protocol.answers import ANSWERS, Answer, read_answer
from referee.protocol.clock import Clock
from referee.protocol.faults import BotFault
from referee.protocol.line_buffer import MAX_LINE_LENGTH, MAX_TURN_BYTES, LineBuffer
from referee.protocol.messages import End, Game, Turn, read_message
from referee.protocol.phase import Phase
from referee.protocol.time_control import CEILING_MS, TimeControl, parse_duration
from referee.rules import BUILT_IN, Size, find_variant
from referee.text import printable

CLOCK = TimeControl.clock("10s + 100ms")

LINES = [
    (
        Game("standoff-5x5.alpha.beta.3a", "standoff", 5, 5, 1, 2, 91733, CLOCK).line(),
        "game protocol=1 id=standoff-5x5.alpha.beta.3a variant=standoff rows=5 cols=5 origin=1"
        " seat=2 seed=91733 time_ms=10000 inc_ms=100",
    ),
    (
        Game("g", "runner", 5, 7, 1, 1, 0, TimeControl.per_move("500ms")).line(),
        "game protocol=1 id=g variant=runner rows=5 cols=7 origin=1 seat=1 seed=0 move_ms=500",
    ),
    (
        Game("g", "runner", 5, 7, 1, 1, 0, TimeControl.clock("none")).line(),
        "game protocol=1 id=g variant=runner rows=5 cols=7 origin=1 seat=1 seed=0",
    ),
    (
        Turn(1, 10000, 9987, "", "...../.....", ["1,1", "1,2"]).line(),
        "turn ply=1 time_ms=10000 opp_ms=9987 moves=- board=...../..... legal=1,1;1,2",
    ),
    (
        Turn(3, 0, 7, "3,3;1,1", "O../.X.", ["1,1"], retry=2).line(),
        "turn ply=3 time_ms=0 opp_ms=7 retry=2 moves=3,3;1,1 board=O../.X. legal=1,1",
    ),
    (End("win", "no-moves", "3,3;1,1").line(), "end result=win reason=no-moves moves=3,3;1,1"),
    (End("loss", "start", "").line(), "end result=loss reason=start moves=-"),
]


@pytest.mark.parametrize(("line", "expected"), LINES)
def test_messages_have_fixed_verbs_and_field_order(line: str, expected: str) -> None:
    """`legal` is last, and a bot can parse each line."""
    assert line == expected
    verb, fields = read_message(line)
    assert " ".join([verb, *(f"{key}={value}" for key, value in fields.items())]) == line


ALLOWED = [
    (b"ready", Phase.GAME, Answer("ready", "")),
    (b"decline", Phase.GAME, Answer("decline", "")),
    (b"decline too large", Phase.GAME, Answer("decline", "too large")),
    (b"move 3,3", Phase.TURN, Answer("move", "3,3")),
    (b"move  3,3", Phase.TURN, Answer("move", " 3,3")),
    (b"move ", Phase.TURN, Answer("move", "")),
    (b"move \xff", Phase.TURN, Answer("move", "\\xff")),
    (b"resign", Phase.TURN, Answer("resign", "")),
    *((b"info", phase, Answer("info", "")) for phase in Phase),
    *((b"info a  b", phase, Answer("info", "a  b")) for phase in Phase),
    *((b"info \xff\x00", phase, Answer("info", "\\xff\x00")) for phase in Phase),
]


@pytest.mark.parametrize(("line", "phase", "answer"), ALLOWED)
def test_answers_are_allowed_by_phase(line: bytes, phase: Phase, answer: Answer) -> None:
    """The table of verbs by phase."""
    assert read_answer(line, phase) == answer


UNEXPECTED = [b"", b" ", b"ready ", b"ready now", b"READY", b"resign ", b"move", b"Move 3,3"]
UNEXPECTED += [b" move 3,3", b"3,3", b"infos", b"information", b"\xff\xfe", b"\0", b"quit", b"turn"]


@pytest.mark.parametrize("phase", Phase)
@pytest.mark.parametrize("line", UNEXPECTED)
def test_other_answers_are_protocol_faults(line: bytes, phase: Phase) -> None:
    """The fault quotes the line and what was expected."""
    with pytest.raises(BotFault) as raised:
        read_answer(line, phase)
    assert raised.value.reason is Reason.PROTOCOL
    assert f"'{printable(line)}'" in raised.value.detail


@given(st.binary(max_size=40), st.sampled_from(Phase))
def test_answer_parser_raises_nothing_but_faults(line: bytes, phase: Phase) -> None:
    """For any bytes; only allowed verbs are returned."""
    try:
        said = read_answer(line, phase).verb
    except BotFault as fault:
        said = fault.reason
    assert said in ANSWERS[phase] | {"info", Reason.PROTOCOL}


def lines_of(chunks: list[bytes]) -> tuple[list[bytes], bytes]:
    """Return all complete lines of a stream that arrives in these pieces, and the rest."""
    buffer, lines = LineBuffer(), []
    for chunk in chunks:
        buffer.feed(chunk)
        while (line := buffer.next_line()) is not None:
            lines.append(line)
    return lines, buffer.rest


streams = st.lists(st.one_of(st.sampled_from([b"\n", b"\r\n", b"\r", b"move 3,3\n"]), st.binary()))


@given(streams.map(b"".join), st.lists(st.integers(0, 200)))
def test_line_buffer_does_not_depend_on_the_size_of_reads(stream: bytes, cuts: list[int]) -> None:
    """Lines depend on the bytes, not on how they arrive."""
    places = sorted({0, len(stream), *(cut for cut in cuts if cut < len(stream))})
    pieces = [stream[a:b] for a, b in pairwise(places)]
    whole = lines_of([stream])
    assert lines_of(pieces) == whole
    assert lines_of([stream[i : i + 1] for i in range(len(stream))]) == whole
    *expected, rest = stream.split(b"\n")
    assert whole == ([line.removesuffix(b"\r") for line in expected], rest)


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_line_buffer_accepts_lines_up_to_64_kib(end: bytes) -> None:
    """One byte more is a fault, with or without a line end."""
    longest = b"x" * MAX_LINE_LENGTH
    assert lines_of([longest + end]) == ([longest], b"")
    for too_long in (longest + b"x" + end, longest + b"xx"):
        with pytest.raises(BotFault, match="a line of more than 65,536 bytes"):
            lines_of([too_long])


def test_line_buffer_accepts_1_mib_per_turn() -> None:
    """The count starts at zero in each turn."""
    buffer = LineBuffer()
    for _ in range(3):
        buffer.new_turn()
        for _ in range(MAX_TURN_BYTES // 1024):
            buffer.feed(b"info" + b"x" * 1019 + b"\n")
            buffer.next_line()
    with pytest.raises(BotFault, match="more than 1,048,576 bytes in one turn"):
        buffer.feed(b"x")


@pytest.mark.parametrize("variant", BUILT_IN)
def test_messages_are_shorter_than_8_kib(variant: str) -> None:
    """Even in the longest game on the largest board, with every field at its longest."""
    size = Size(16, 16)
    rules = find_variant(variant).on(size)
    longest_move = max(len(move) for move in rules.legal_moves(rules.start())) + 4
    plies = 500 if variant == "runner" else 256
    cells = size.rows * size.cols
    most_legal = {"barricade": 4 * 8, "runner": 8 + cells}.get(variant, cells)
    legal = ["x" * longest_move] * most_legal
    moves = ";".join(["x" * min(longest_move, 6 if variant == "runner" else 99)] * plies)
    line = Turn(plies, 10**8, 10**8, moves, "x" * (cells + 15), legal, retry=99).line()
    assert len(line) < 8 * 1024


DURATIONS = [("500ms", 500), ("2s", 2000), ("1.5s", 1500), ("10min", 600_000), ("1m", 60_000)]
DURATIONS += [(" 2 s ", 2000), ("1h", 3_600_000), ("0ms", 0), ("24h", 86_400_000)]


@pytest.mark.parametrize(("text", "ms"), DURATIONS)
def test_parse_duration_accepts_a_number_and_a_unit(text: str, ms: int) -> None:
    """In all units."""
    assert parse_duration(text) == ms


@pytest.mark.parametrize(
    "text", ["", "2", "2 sec", "-2s", "1:30", "s", "2s3", "nan s", "٢s", "25h", "9" * 400 + "s"]
)
def test_parse_duration_rejects_other_texts_with_an_example(text: str) -> None:
    """With InputError."""
    with pytest.raises(InputError, match=r"write a number and a unit|a day .24h. is the most"):
        parse_duration(text)


CONTROLS = [
    ("2s + 50ms", TimeControl(main_ms=2000, increment_ms=50)),
    ("2s+50ms", TimeControl(main_ms=2000, increment_ms=50)),
    ("1min", TimeControl(main_ms=60_000)),
    ("none", TimeControl()),
]


@pytest.mark.parametrize(("text", "control"), CONTROLS)
def test_time_control_parses_main_time_and_increment(text: str, control: TimeControl) -> None:
    """Main time alone and `none`, too."""
    assert TimeControl.clock(text) == control


@pytest.mark.parametrize("control", [*(c for _, c in CONTROLS), TimeControl(move_ms=500)])
def test_time_control_is_restored_from_its_record(control: TimeControl) -> None:
    """The text in a record is enough."""
    assert TimeControl.read(str(control)) == control


@pytest.mark.parametrize("text", ["", "0s", "2s+", "+50ms", "2s+50ms+1s", "fast"])
def test_time_control_rejects_other_texts(text: str) -> None:
    """With InputError."""
    with pytest.raises(InputError):
        TimeControl.clock(text)


# control, left, spent, left afterwards (None: out of time)
CHARGES = [
    (TimeControl(main_ms=1000, increment_ms=100), 1000, 400, 700),
    (TimeControl(main_ms=1000, increment_ms=100), 700, 700, 100),
    (TimeControl(main_ms=1000, increment_ms=100), 100, 115, 85),
    (TimeControl(main_ms=1000, increment_ms=100), 85, 106, None),
    (TimeControl(main_ms=1000, increment_ms=5000), 100, 121, None),
    (TimeControl(main_ms=1000), 10, 20, -10),
    (TimeControl(main_ms=1000), -10, 10, -20),
    (TimeControl(main_ms=1000), -10, 10.1, None),
    (TimeControl(main_ms=1000, margin_ms=0), 10, 10, 0),
    (TimeControl(main_ms=1000, margin_ms=0), 10, 10.01, None),
    (TimeControl(move_ms=500), 500, 519, 500),
    (TimeControl(move_ms=500), 500, 521, None),
    (TimeControl(), CEILING_MS, 599_000, CEILING_MS),
    (TimeControl(), CEILING_MS, 600_021, None),
]


@pytest.mark.parametrize(("control", "left", "spent", "after"), CHARGES)
def test_clock_charges_checks_and_then_credits(
    control: TimeControl, left: float, spent: float, after: float | None
) -> None:
    """The increment never saves a move that was too slow; the margin is granted once in total."""
    clock = Clock(control)
    clock.left_ms = left
    assert clock.charge(spent) == (after is not None)
    assert clock.left_ms == (after or 0)


@given(st.integers(1, 10_000), st.integers(0, 500), st.lists(st.integers(0, 2_000), max_size=30))
def test_clock_shows_start_plus_increments_less_time_spent(
    main: int, increment: int, answers: list[int]
) -> None:
    """As long as no player runs out of time."""
    control = TimeControl(main_ms=main, increment_ms=increment)
    clock = Clock(control)
    for count, spent in enumerate(answers, start=1):
        is_late = spent > clock.limit()
        assert clock.charge(spent) != is_late
        if is_late:
            assert clock.remaining_ms() == 0
            return
        assert clock.left_ms == main + count * increment - sum(answers[:count])
        assert clock.left_ms >= increment - control.margin_ms
