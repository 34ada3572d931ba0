"""The steps of `referee check`, in order of execution."""

from collections.abc import Callable, Sequence
from functools import partial
from random import Random
from time import monotonic
from typing import NamedTuple

from referee.check.candidate import BotUnderTest, Declined
from referee.check.positions import CheckPosition, VariantBoard, find_position
from referee.outcome import Reason, Seat, other, win
from referee.protocol import messages
from referee.protocol.faults import BotFault, FaultKind
from referee.protocol.time_control import TimeControl
from referee.rules import LARGEST, SMALLEST, Size, Variant

SHORT_CLOCK = TimeControl(main_ms=100)
GAME_SECONDS = 60
"""Limit for a whole game; a longer one is aborted."""


class Warned(Exception):
    """The step passed, with a warning for the bot's author."""


class Skipped(Exception):
    """The step does not apply; the text is the reason."""


Run = Callable[[BotUnderTest], str | None]
"""Function of a step: returns a remark or None, or raises BotFault, Warned or Skipped."""


class Step(NamedTuple):
    """One ability that a bot should have."""

    title: str
    run: Run
    needs: Run | None
    """The step that must pass first; otherwise this one would fail for the same reason."""
    hint: str | None = None
    """Hint that is more specific than the one derived from the fault."""
    late_is_warning: bool = False
    """Whether a late answer is a warning instead of a failure."""


def starts(candidate: BotUnderTest) -> None:
    """Check that the program runs and does not exit before its first line."""
    try:
        candidate.begin(candidate.boards()[0])
    except Declined:
        return
    except BotFault as fault:
        if fault.reason in (Reason.START, Reason.CRASH):
            raise
        candidate.early_fault = fault  # reported by the next step


def is_ready(candidate: BotUnderTest) -> None:
    """Check that the first `game` was answered, and nothing else was printed."""
    if candidate.early_fault:
        raise candidate.early_fault


def accepts_a_game(candidate: BotUnderTest) -> str:
    """Check that the bot accepts at least one variant and size."""
    boards = [board for size in (None, *SIZES) for board in candidate.boards(size)]
    for board in boards:
        try:
            candidate.begin(board)
        except Declined as why:
            last = f"decline {why}".encode()
        else:
            candidate.accepted_boards = [board]
            return str(board)
    raise BotFault(FaultKind.DECLINED_ALL, cause=str(len(boards)), sent=last)


def answers_a_turn(candidate: BotUnderTest) -> None:
    """Check the first move of a game."""
    candidate.play_short_game(CheckPosition.start(candidate.accepted_boards[0]))


def is_asked_first_in_seat_2(candidate: BotUnderTest) -> None:
    """Check the first turn in seat 2, after an opening that contains a move of its own."""
    _play_from(candidate, lambda position: position.seat == 2 and len(position.moves) == 3)


def stays_quiet(candidate: BotUnderTest) -> None:
    """Check that the bot prints nothing between two games, before the next `ready`."""
    try:
        _play_twice(candidate)
    except BotFault as fault:
        if fault.reason is Reason.PROTOCOL:
            raise  # other faults are reported by the next step


def plays_again(candidate: BotUnderTest) -> None:
    """Check a second game in one process; on success, later steps reuse the process."""
    _play_twice(candidate)
    candidate.reuses_process = True


def _play_twice(candidate: BotUnderTest) -> None:
    """Play two games; the second starts after the move of the first, so the move is illegal."""
    start = CheckPosition.start(candidate.accepted_boards[0])
    second = start.after(candidate.play_short_game(start) or start.legal[0])
    candidate.play_short_game(start if second.outcome else second, again=True)


def plays_on(size: Size | None) -> Run:
    """Return a step: the first move in every variant on boards of a size, or on the usual ones."""

    def run(candidate: BotUnderTest) -> None:
        boards = candidate.boards(size)
        declined: dict[str, list[str]] = {}
        if not boards:
            raise Skipped("there is no such board")
        for board in boards:
            try:
                candidate.play_short_game(CheckPosition.start(board))
            except Declined as why:
                declined.setdefault(str(why), []).append(str(board))
            else:
                if size is None and board not in candidate.accepted_boards:
                    candidate.accepted_boards.append(board)
        if declined:
            lists = (f"{', '.join(boards)} ({why})" for why, boards in declined.items())
            raise Warned(f"declined {'; '.join(lists)}")

    return run


def plays_the_only_move(candidate: BotUnderTest) -> None:
    """Check positions with a single legal move."""
    _play_from(candidate, lambda position: len(position.legal) == 1)


def _play_from(candidate: BotUnderTest, wanted: Callable[[CheckPosition], bool]) -> None:
    positions = [find_position(board, wanted) for board in candidate.accepted_boards]
    if not any(positions):
        raise Skipped("there is no such position")
    for position in positions:
        if position:
            candidate.play_short_game(position)


def ignores_keys(candidate: BotUnderTest) -> None:
    """Check that an unknown field of `game` and `turn` is ignored."""
    candidate.play_short_game(CheckPosition.start(candidate.accepted_boards[0]), extra="future=1")


def ignores_verbs(candidate: BotUnderTest) -> None:
    """Check that lines with unknown verbs are ignored."""
    start = CheckPosition.start(candidate.accepted_boards[0])
    candidate.begin(start.board)
    candidate.send_line("future")
    candidate.send_line("future id=1")
    candidate.finish_game(start)
    if candidate.reuses_process:
        # An answer to them that came after the turn precedes this `ready`.
        candidate.begin(start.board, again=True)


def keeps_to_the_clock(candidate: BotUnderTest) -> None:
    """Check the first move with a very short clock."""
    for board in candidate.accepted_boards:
        candidate.play_short_game(CheckPosition.start(board), time=SHORT_CLOCK)


def exits_on_quit(candidate: BotUnderTest) -> None:
    """Check that `quit` ends the process while its input stays open."""
    _prepare_game(candidate)
    candidate.send_line(messages.QUIT)
    _check_exit(candidate)


def exits_at_end_of_input(candidate: BotUnderTest) -> None:
    """Check that the end of the input ends the process without `quit`."""
    _prepare_game(candidate)
    candidate.close_input()
    _check_exit(candidate)


def _prepare_game(candidate: BotUnderTest) -> None:
    try:
        candidate.begin([*candidate.accepted_boards, *candidate.boards()][0])
    except Declined:
        return  # the process has answered, which is sufficient


def _check_exit(candidate: BotUnderTest) -> None:
    candidate.wait_for_exit()
    ended = candidate.process.output.exit_status
    if ended is None:
        raise BotFault(FaultKind.NOT_EXITED)
    candidate.bot.discard()
    if not ended.is_success:
        raise Warned(f"it ended, but with {ended}")


def prints_only_answers(candidate: BotUnderTest) -> None:
    """Check that a process prints only answers, from its start to its exit."""
    candidate.bot.discard()
    candidate.play_short_game(CheckPosition.start(candidate.accepted_boards[0]))
    candidate.send_line(messages.QUIT)
    unexpected = candidate.wait_for_exit()
    if unexpected:
        raise unexpected
    candidate.bot.discard()


def plays_whole_games(candidate: BotUnderTest, variant: Variant) -> str:
    """Play a game from each seat against random moves."""
    try:
        return ", ".join(_whole_game(candidate, variant, seat) for seat in (1, 2))
    except Declined as why:
        raise Skipped(f"declined: {why}") from None


def _whole_game(candidate: BotUnderTest, variant: Variant, seat: Seat) -> str:
    position = CheckPosition.start(VariantBoard(variant, variant.size))
    random, deadline = Random(seat), monotonic() + GAME_SECONDS
    candidate.begin(position.board, seat)
    while not (outcome := position.outcome):
        if monotonic() > deadline:
            candidate.bot.discard()
            plies = len(position.moves)
            raise Warned(f"a game was not over after {GAME_SECONDS} s and {plies} plies")
        move = candidate.turn(position) if position.seat == seat else random.choice(position.legal)
        if move is None:
            outcome = win(other(seat), Reason.RESIGN)
            break
        position = position.after(move)
    candidate.end(outcome, position.moves)
    return f"{outcome.result(seat)} in seat {seat} ({outcome.reason})"


SIZES = SMALL, LARGE, OBLONG = Size(SMALLEST, SMALLEST), Size(LARGEST, LARGEST), Size(4, 7)

STEPS = [
    Step("starts", starts, needs=None),
    Step("is ready in time", is_ready, needs=starts),
    Step(
        "accepts a game",
        accepts_a_game,
        needs=is_ready,
        hint="answer `ready` to the games it can play; with --variant it is offered those alone",
    ),
    Step("answers a turn", answers_a_turn, needs=accepts_a_game),
    Step(
        "is asked first in seat 2, after an odd opening",
        is_asked_first_in_seat_2,
        needs=answers_a_turn,
        hint="`seat` is its own seat, and its first `turn` may have moves that it did not choose",
    ),
    Step(
        "answers once, and is quiet between games",
        stays_quiet,
        needs=is_asked_first_in_seat_2,
        hint="one line for each `game` and each `turn`, none for `end`, and nothing in between",
    ),
    Step(
        "plays a second game in the same process",
        plays_again,
        needs=stays_quiet,
        hint="after `end` wait for another `game`, and forget the last one when it comes",
    ),
    Step("plays on the usual boards", plays_on(None), needs=answers_a_turn),
    Step(
        f"plays on the smallest board, {SMALL}",
        plays_on(SMALL),
        needs=answers_a_turn,
        hint="`rows` and `cols` of each `game` give the size",
    ),
    Step(
        f"plays on the largest board, {LARGE}",
        plays_on(LARGE),
        needs=answers_a_turn,
        hint="`rows` and `cols` give the size: numbers may have two digits, thinking takes longer",
    ),
    Step(
        f"plays on a board that is not square, {OBLONG}",
        plays_on(OBLONG),
        needs=answers_a_turn,
        hint="`rows` and `cols` of a `game` may differ, and a cell is `row,col`",
    ),
    Step(
        "plays the only move there is",
        plays_the_only_move,
        needs=is_asked_first_in_seat_2,
        hint="`legal` may hold a single move, without a `;`",
    ),
    Step(
        "ignores keys that it does not know",
        ignores_keys,
        needs=answers_a_turn,
        hint="look fields up by their keys, and ignore the others: the protocol may grow",
    ),
    Step(
        "ignores verbs that it does not know",
        ignores_verbs,
        needs=answers_a_turn,
        hint="ignore lines with another verb, without an answer: the protocol may grow",
    ),
    Step(
        f"keeps to a clock of {SHORT_CLOCK.main_ms} ms",
        keeps_to_the_clock,
        needs=answers_a_turn,
        hint="`time_ms` of a `turn` is the most that its answer may take",
        late_is_warning=True,
    ),
    Step(
        "exits on `quit`",
        exits_on_quit,
        needs=is_ready,
        hint="leave the loop on `quit`, and end every thread that keeps the process running",
    ),
    Step(
        "exits at the end of its input",
        exits_at_end_of_input,
        needs=is_ready,
        hint="leave the loop when there is nothing more to read, as after `quit`",
    ),
    Step(
        "prints nothing but the protocol",
        prints_only_answers,
        needs=stays_quiet,
        hint="print no greetings; debugging text goes to standard error, or into `info …`",
    ),
]


def whole_game_steps(variants: Sequence[Variant]) -> list[Step]:
    """Return the last steps, one for each variant."""
    return [
        Step(
            f"plays whole games of {variant.name}",
            partial(plays_whole_games, variant=variant),
            needs=is_asked_first_in_seat_2,
        )
        for variant in variants
    ]
