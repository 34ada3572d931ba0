"""The steps of `referee check`, in order."""

from collections.abc import Callable, Sequence
from functools import partial
from random import Random
from time import monotonic
from typing import NamedTuple

from referee.check.candidate import BotUnderTest, Declined
from referee.check.positions import Board, Position, find_position
from referee.outcome import Reason, Seat, other, win
from referee.protocol import messages
from referee.protocol.faults import BotFault, FaultKind
from referee.protocol.time_control import TimeControl
from referee.rules import LARGEST, SMALLEST, Size, Variant

SHORT_CLOCK = TimeControl(main_ms=100)
GAME_SECONDS = 60
"""A whole game that is not over by then is left alone."""


class Warned(Exception):
    """The step went well enough, but the author should know this."""


class Skipped(Exception):
    """The step does not apply, for this reason."""


Run = Callable[[BotUnderTest], str | None]
"""Takes a step: returns a remark or nothing, or raises BotFault, Warned or Skipped."""


class Step(NamedTuple):
    """One thing that a bot should be able to do."""

    title: str
    run: Run
    needs: Run | None
    """The step without which this one would only say the same again."""
    hint: str | None = None
    """More to the point here than what a fault alone suggests."""
    late_is_fine: bool = False
    """Being too slow is worth a warning only."""


def starts(candidate: BotUnderTest) -> None:
    """Its program can be run, and does not end before it has said something."""
    try:
        candidate.begin(candidate.boards()[0])
    except Declined:
        return
    except BotFault as fault:
        if fault.reason in (Reason.START, Reason.CRASH):
            raise
        candidate.early_fault = fault  # the next step's to tell


def is_ready(candidate: BotUnderTest) -> None:
    """It answered that first `game`, and said nothing else."""
    if candidate.early_fault:
        raise candidate.early_fault


def accepts_a_game(candidate: BotUnderTest) -> str:
    """There is a variant and a size that it does not decline."""
    boards = [board for size in (None, *SIZES) for board in candidate.boards(size)]
    for board in boards:
        try:
            candidate.begin(board)
        except Declined as why:
            last = f"decline {why}".encode()
        else:
            candidate.sound = [board]
            return str(board)
    raise BotFault(FaultKind.DECLINED_ALL, cause=str(len(boards)), sent=last)


def answers_a_turn(candidate: BotUnderTest) -> None:
    """The first move of a game."""
    candidate.short_game(Position.start(candidate.sound[0]))


def is_asked_first_in_seat_2(candidate: BotUnderTest) -> None:
    """After an opening of odd length, in which there is a move of its own that it did not make."""
    _play_from(candidate, lambda position: position.seat == 2 and len(position.moves) == 3)


def stays_quiet(candidate: BotUnderTest) -> None:
    """Between two games it says nothing, and so nothing stands before the next `ready`."""
    try:
        _play_twice(candidate)
    except BotFault as fault:
        if fault.reason is Reason.PROTOCOL:
            raise  # everything else is the next step's to tell


def plays_again(candidate: BotUnderTest) -> None:
    """A second game in the same process; if that works, the process is kept from here on."""
    _play_twice(candidate)
    candidate.reuses_process = True


def _play_twice(candidate: BotUnderTest) -> None:
    """The second game begins with the move of the first, so that it cannot be played again."""
    start = Position.start(candidate.sound[0])
    second = start.after(candidate.short_game(start) or start.legal[0])
    candidate.short_game(start if second.outcome else second, again=True)


def plays_on(size: Size | None) -> Run:
    """The first move in every variant on boards of this size, or on the usual ones."""

    def run(candidate: BotUnderTest) -> None:
        boards = candidate.boards(size)
        declined: dict[str, list[str]] = {}
        if not boards:
            raise Skipped("there is no such board")
        for board in boards:
            try:
                candidate.short_game(Position.start(board))
            except Declined as why:
                declined.setdefault(str(why), []).append(str(board))
            else:
                if size is None and board not in candidate.sound:
                    candidate.sound.append(board)
        if declined:
            lists = (f"{', '.join(boards)} ({why})" for why, boards in declined.items())
            raise Warned(f"declined {'; '.join(lists)}")

    return run


def plays_the_only_move(candidate: BotUnderTest) -> None:
    """Towards the end there may be no choice."""
    _play_from(candidate, lambda position: len(position.legal) == 1)


def _play_from(candidate: BotUnderTest, wanted: Callable[[Position], bool]) -> None:
    positions = [find_position(board, wanted) for board in candidate.sound]
    if not any(positions):
        raise Skipped("there is no such position")
    for position in positions:
        if position:
            candidate.short_game(position)


def ignores_keys(candidate: BotUnderTest) -> None:
    """`game` and `turn` have another field."""
    candidate.short_game(Position.start(candidate.sound[0]), extra="future=1")


def ignores_verbs(candidate: BotUnderTest) -> None:
    """Before `turn` there are lines of other kinds."""
    start = Position.start(candidate.sound[0])
    candidate.begin(start.board)
    candidate.say("future")
    candidate.say("future id=1")
    candidate.finish(start)
    if candidate.reuses_process:
        # If it answered them, and too late for the turn, that stands before this `ready`.
        candidate.begin(start.board, again=True)


def keeps_to_the_clock(candidate: BotUnderTest) -> None:
    """There is next to no time for the first move."""
    for board in candidate.sound:
        candidate.short_game(Position.start(board), time=SHORT_CLOCK)


def exits_on_quit(candidate: BotUnderTest) -> None:
    """Although its input stays open."""
    _be_ready(candidate)
    candidate.say(messages.QUIT)
    _watch_exit(candidate)


def exits_at_end_of_input(candidate: BotUnderTest) -> None:
    """Although nobody said `quit`."""
    _be_ready(candidate)
    candidate.close_input()
    _watch_exit(candidate)


def _be_ready(candidate: BotUnderTest) -> None:
    try:
        candidate.begin([*candidate.sound, *candidate.boards()][0])
    except Declined:
        return  # that is an answer too


def _watch_exit(candidate: BotUnderTest) -> None:
    candidate.listen_until_exit()
    ended = candidate.process.exit_status
    if not ended:
        raise BotFault(FaultKind.NOT_EXITED)
    candidate.bot.discard()
    if ended != "exit status 0":
        raise Warned(f"it ended, but with {ended}")


def prints_only_answers(candidate: BotUnderTest) -> None:
    """From its start to its end."""
    candidate.bot.discard()
    candidate.short_game(Position.start(candidate.sound[0]))
    candidate.say(messages.QUIT)
    spoken = candidate.listen_until_exit()
    if spoken:
        raise spoken
    candidate.bot.discard()


def plays_whole_games(candidate: BotUnderTest, variant: Variant) -> str:
    """One from each seat, against an opponent who rolls dice."""
    try:
        return ", ".join(_whole_game(candidate, variant, seat) for seat in (1, 2))
    except Declined as why:
        raise Skipped(f"declined: {why}") from None


def _whole_game(candidate: BotUnderTest, variant: Variant, seat: Seat) -> str:
    position = Position.start(Board(variant, variant.size))
    dice, give_up = Random(seat), monotonic() + GAME_SECONDS
    candidate.begin(position.board, seat)
    while not (outcome := position.outcome):
        if monotonic() > give_up:
            candidate.bot.discard()
            plies = len(position.moves)
            raise Warned(f"a game was not over after {GAME_SECONDS} s and {plies} plies")
        move = candidate.turn(position) if position.seat == seat else dice.choice(position.legal)
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
        hint="`seat` says who it is, and its first `turn` may have moves that it did not choose",
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
        hint="`rows` and `cols` of each `game` say the size",
    ),
    Step(
        f"plays on the largest board, {LARGE}",
        plays_on(LARGE),
        needs=answers_a_turn,
        hint="`rows` and `cols` say the size: numbers may have two digits, thinking takes longer",
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
        late_is_fine=True,
    ),
    Step(
        "exits on `quit`",
        exits_on_quit,
        needs=is_ready,
        hint="leave the loop on `quit`, and leave no thread behind that keeps it alive",
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
    """The last steps, one for each variant."""
    return [
        Step(
            f"plays whole games of {variant.name}",
            partial(plays_whole_games, variant=variant),
            needs=is_asked_first_in_seat_2,
        )
        for variant in variants
    ]
