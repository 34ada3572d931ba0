"""One game between two bots: the loop, and the only place where a fault becomes an outcome."""

from collections.abc import Callable, Sequence
from time import monotonic
from typing import Any, NamedTuple

from referee import protocol
from referee.bot import Bot
from referee.countdown import Countdown
from referee.faults import BotFault, Fault
from referee.hints import hint_for
from referee.outcome import Outcome, Reason, Seat, other, win
from referee.process import Player
from referee.protocol import Phase
from referee.pulse import Pulse
from referee.rules import after_opening
from referee.table import Table
from referee.terms import Terms
from referee.transcript import Transcript
from referee.visible import visible, visible_lines

NEXT_GAME_MS = 2_000
"""How long a process that has played before may take to be ready again."""
_STDERR_LINES = 20


class Setup(NamedTuple):
    """Everything a game is decided by, but for the bots."""

    id: str
    terms: Terms
    opening: tuple[str, ...] = ()
    seed: int = 1


class Played(NamedTuple):
    """A finished game."""

    outcome: Outcome
    said: str
    """The moves, joined by `;`."""
    ms: Sequence[float | None]
    """Thinking time of each ply; None for the opening."""
    faults: tuple[Fault, ...]
    """None, one, or two where neither bot could start."""
    transcript: Transcript
    startup_ms: tuple[float | None, float | None]
    """How long each bot took to be ready, if its process was new."""
    latency_ms: tuple[float, float]
    """The referee's own time before each question: mean and longest."""
    off_turn_ms: tuple[float, float] = (0.0, 0.0)
    """Processor time that each bot was seen to take while it was not asked."""

    @property
    def moves(self) -> tuple[str, ...]:
        return tuple(self.said.split(";")) if self.said else ()


Watcher = Callable[[Seat, str, float, Any], None]
"""Is told each move as it is made: seat, move, milliseconds, and the state after it."""


def play_game(
    setup: Setup,
    bots: tuple[Bot, Bot],
    watch: Watcher | None = None,
    pulse: Pulse | None = None,
    goes_on: bool = False,
) -> Played:
    """Play one game to its end, whatever the bots do; a bot with a fault is left without process.

    With a pulse, answers that come at once cost less. Where it goes on, the next game of these two
    follows at once: they are told the end of this one together with the beginning of that, and
    the pulse need not stop in between.
    An exception that escapes is the referee's own failure (or Ctrl-C); the game is void then.
    """
    state = after_opening(setup.terms.rules, setup.opening)
    transcript = Transcript(monotonic())
    try:
        start = _Start(setup, bots, transcript, pulse)
        loop = _Loop(setup, bots, start.table, watch)
        if start.faults:
            faults, outcome = start.faults, _outcome_of(start.faults)
        else:
            outcome, fault = loop.play(state)
            faults = [fault] if fault else []
    except BaseException:
        if pulse:
            pulse.stop()
        for bot in bots:
            bot.discard()
        raise
    if pulse and not goes_on:
        pulse.stop()
    _tell_the_end(bots, transcript, outcome, loop.said, goes_on)
    return Played(
        outcome=outcome,
        said=loop.said,
        # No tuple: CPython 3.11 keeps 2,000 of length 20 once they were used, and uses none again.
        ms=[*[None] * len(setup.opening), *loop.ms],
        faults=tuple(faults),
        transcript=transcript,
        startup_ms=(start.startup_ms.get(1), start.startup_ms.get(2)),
        latency_ms=loop.latency_ms,
        off_turn_ms=start.table.off_turn_ms,
    )


def _outcome_of(faults: Sequence[Fault]) -> Outcome:
    if len(faults) == 2:
        return Outcome((0, 0), faults[0].reason)
    return win(other(faults[0].seat), faults[0].reason)


class _Start:
    """Both bots are asked to be ready, at the same time."""

    def __init__(
        self, setup: Setup, bots: tuple[Bot, Bot], transcript: Transcript, pulse: Pulse | None
    ) -> None:
        first, first_is_new = bots[0].ready_process(setup.terms.fresh)
        second, second_is_new = bots[1].ready_process(setup.terms.fresh)
        self._setup = setup
        self._pulse = pulse
        self._new = {1: first_is_new, 2: second_is_new}
        self.startup_ms: dict[Seat, float] = {}
        """How long each seat with a new process took."""
        self.table = self._make_table((first, second), transcript)
        self.faults: list[Fault] = []
        """Of the seats that are not ready."""
        started = monotonic()
        faults = self._get_ready((1, 2))
        if faults:
            self.table.listen_to_all()  # pipes are closed below
            faults = self._try_again(bots, faults)
            faults = self._judge_alone(bots, faults)
            self.table.listen_to_all()
            spent_ms = (monotonic() - started) * 1000
            self.faults = [
                _describe(seat, bots[seat - 1], _as_start(fault), spent_ms, self._allowed_ms(seat))
                for seat, fault in sorted(faults.items())
            ]

    def _allowed_ms(self, seat: Seat) -> int:
        return self._setup.terms.startup_ms[seat - 1] if self._new[seat] else NEXT_GAME_MS

    def _try_again(
        self, bots: tuple[Bot, Bot], faults: dict[Seat, BotFault]
    ) -> dict[Seat, BotFault]:
        """Give a new process to those whose old one was not ready; the faults that are left.

        What a process says or does between two games is no fault, but it may come to light only
        after the next `game` line: one that was used before gets another chance as new.
        """
        stirred = [
            seat
            for seat, fault in sorted(faults.items())
            if not self._new[seat] and fault.reason in (Reason.PROTOCOL, Reason.CRASH)
        ]
        if not stirred:
            return faults
        for seat in stirred:
            why = f"it was not ready for another game ({faults.pop(seat).detail})"
            bots[seat - 1].replace(why)
            self._new[seat] = True
        self.table = self._make_table(_processes(bots), self.table.transcript)
        return faults | self._get_ready(stirred)

    def _judge_alone(
        self, bots: tuple[Bot, Bot], faults: dict[Seat, BotFault]
    ) -> dict[Seat, BotFault]:
        """Ask those again, in a new process, that had no time because the other one ran.

        Meanwhile the other one is stopped, and has said all it had to say.
        """
        for seat in [seat for seat in faults if faults[seat].reason is Reason.TIMEOUT]:
            rival = self.table.processes[2 - seat]
            rival.stop()
            if not rival.is_restless:
                continue
            self.table.listen_to_all()
            bots[seat - 1].replace("it was not ready in time while the other bot was busy")
            self._new[seat] = True
            self.table = self._make_table(_processes(bots), self.table.transcript)
            del faults[seat]
            faults |= self._get_ready([seat])
        return faults

    def _make_table(self, processes: tuple[Player, Player], transcript: Transcript) -> Table:
        return Table(processes, transcript, freeze=self._setup.terms.freeze, pulse=self._pulse)

    def _get_ready(self, seats: Sequence[Seat]) -> dict[Seat, BotFault]:
        """Ask these seats and wait for them; the faults of those that are not ready."""
        faults: dict[Seat, BotFault] = {}
        self.table.settle()
        asked = monotonic()
        deadlines = {seat: asked + self._allowed_ms(seat) / 1000 for seat in seats}
        for seat, deadline in deadlines.items():
            try:
                self.table.send(seat, _game_line(self._setup, seat), deadline)
            except BotFault as fault:
                faults[seat] = fault
        for seat, deadline in deadlines.items():
            if seat in faults:
                continue
            try:
                arrived = _await_ready(self.table, seat, deadline)
                if self._new[seat]:
                    self.startup_ms[seat] = round((arrived - asked) * 1000, 1)
            except BotFault as fault:
                faults[seat] = fault
        return faults


def try_bots(setup: Setup, bots: Sequence[Bot]) -> dict[str, Fault]:
    """Ask all these bots at once to be ready for this game, and no more; the faults by name."""
    processes = [bot.ready_process(fresh=False) for bot in bots]
    table = Table([process for process, _ in processes], Transcript(monotonic()))
    allowed_ms = [setup.terms.startup_ms[0] if is_new else NEXT_GAME_MS for _, is_new in processes]
    asked: list[float] = []
    for process, _ in processes:
        asked.append(monotonic())
        # A bot that does not even read this line will not answer it either.
        process.write(_game_line(setup, 1))
    faults: list[tuple[Bot, BotFault, float, int]] = []
    late: list[Bot] = []
    for seat, (bot, limit_ms) in enumerate(zip(bots, allowed_ms, strict=True), start=1):
        since = asked[seat - 1]
        try:
            _await_ready(table, seat, since + limit_ms / 1000)
        except BotFault as fault:
            if fault.reason is Reason.TIMEOUT and _stop_others(bots, bot):
                late.append(bot)
            else:
                faults.append((bot, _as_start(fault), (monotonic() - since) * 1000, limit_ms))
    # Only now: this ends processes that the table was listening to.
    described = {
        bot.name: _describe(1, bot, fault, spent_ms, limit_ms)
        for bot, fault, spent_ms, limit_ms in faults
    }
    for bot in late:  # others took its time: once more, while they are stopped
        _stop_others(bots, bot)
        bot.discard()
        described |= try_bots(setup, [bot])
    return described


def _stop_others(bots: Sequence[Bot], bot: Bot) -> bool:
    """Stop all bots but one; whether any of them ran although it should not."""
    others = [other.process for other in bots if other is not bot and other.process is not None]
    for process in others:
        process.stop()
    return any(process.is_restless for process in others)


def _await_ready(table: Table, seat: Seat, deadline: float) -> float:
    """When a bot said that it is ready; BotFault if it did not."""
    answer, arrived = table.answer(seat, Phase.GAME, deadline)
    if answer.verb == "decline":
        why = visible(answer.text) or "it did not say why"
        raise BotFault(Reason.START, f"declined the game: {why}")
    return arrived


def _processes(bots: tuple[Bot, Bot]) -> tuple[Player, Player]:
    first, second = (bot.process for bot in bots)
    assert first is not None
    assert second is not None
    return first, second


def _game_line(setup: Setup, seat: Seat) -> bytes:
    return protocol.game_line(setup.id, setup.seed, setup.terms.told[seat - 1]).encode("ascii")


def _as_start(fault: BotFault) -> BotFault:
    """Before `ready`, silence and an exit are failures to start."""
    if fault.reason is Reason.TIMEOUT:
        return BotFault(Reason.START, "was not ready in time", sent=fault.sent)
    if fault.reason is Reason.CRASH:
        return BotFault(Reason.START, fault.detail.replace("while it was asked", "before `ready`"))
    return fault


class _Loop:
    """The turns of one game."""

    def __init__(
        self, setup: Setup, bots: tuple[Bot, Bot], table: Table, watch: Watcher | None
    ) -> None:
        self.said = ";".join(setup.opening)
        """All moves so far, joined by `;`."""
        self.ms: list[float] = []
        self.latency_ms = 0.0, 0.0
        """The referee's own time before each question: mean and longest."""
        self._setup = setup
        self._bots = bots
        self._table = table
        self._watch = watch

    def play(self, state: Any) -> tuple[Outcome, Fault | None]:
        """Turn by turn to the end.

        This is the path of every move: what happens in each turn is all here, and what happens
        now and then is elsewhere.
        """
        setup, table, watch = self._setup, self._table, self._watch
        rules, ms = setup.terms.rules, self.ms
        outcome_of, view, apply = rules.outcome, rules.view, rules.apply
        clocks = [Countdown(time) for time in setup.terms.times]
        ply = len(setup.opening) + 1
        retry, spent_ms, limit_ms = 0, 0.0, 0.0
        latency = longest_latency = 0.0
        before = monotonic()
        try:
            table.settle()
            while (outcome := outcome_of(state)) is None:
                seat, board, legal = view(state)
                clock = clocks[seat - 1]
                mine, others = clock.shown(spent_ms), clocks[2 - seat].shown()
                line = protocol.turn_line(ply, mine, others, self.said, board, legal, retry)
                limit_ms = clock.limit(spent_ms)
                move, asked, arrived = table.ask_for_move(seat, line.encode(), limit_ms)
                waited, before = asked - before, arrived
                latency += waited
                if waited > longest_latency:
                    longest_latency = waited
                spent_ms += (arrived - asked) * 1000
                if move is None:
                    return win(other(seat), Reason.RESIGN), None
                if f";{move};" not in f";{legal};" or ";" in move:
                    retry = self._attempts_left(state, move, retry)
                    continue
                # To the hundredth, as it is recorded, so that the record tells all clocks.
                spent_ms = (spent_ms * 100 + 0.5) // 1 / 100
                if not clock.charge(spent_ms):
                    raise BotFault(Reason.TIMEOUT, "its answer came too late")
                ms.append(spent_ms)
                self.said = f"{self.said};{move}" if self.said else move
                state = apply(state, move)
                if watch:
                    watch(seat, move, spent_ms, state)
                ply += 1
                retry, spent_ms = 0, 0.0
            return outcome, None
        except BotFault as fault:
            spent_ms = (monotonic() - table.asked) * 1000
            table.listen_to_all()  # the bot's pipes are closed below
            seat, moves = rules.to_move(state), rules.legal_moves(state)
            described = _describe(seat, self._bots[seat - 1], fault, spent_ms, limit_ms, moves)
            return win(other(seat), fault.reason), described
        finally:
            mean_latency = latency / max(1, len(ms))
            self.latency_ms = round(mean_latency * 1000, 3), round(longest_latency * 1000, 3)

    def _attempts_left(self, state: Any, move: str, retry: int) -> int:
        """How often a bot that made an illegal move may still answer; BotFault if it may not."""
        attempts_left = (retry or self._setup.terms.attempts) - 1
        if not attempts_left:
            why = visible(self._setup.terms.rules.why_illegal(state, move))
            detail = f"answered with an illegal move: {why}"
            raise BotFault(Reason.ILLEGAL_MOVE, detail, sent=move.encode())
        return attempts_left


def _describe(
    seat: Seat,
    bot: Bot,
    fault: BotFault,
    spent_ms: float,
    allowed_ms: float,
    legal: Sequence[str] = (),
) -> Fault:
    """End the bot's process, and put together what its author wants to know."""
    process = bot.process
    assert process is not None
    state = process.state
    bot.discard()
    stderr = visible_lines(process.errors.text()) if process.errors.size else []
    return Fault(
        seat=seat,
        reason=fault.reason,
        detail=fault.detail,
        hint=None if process.is_person else hint_for(fault, legal, stderr),
        sent=None if fault.sent is None else visible(fault.sent),
        spent_ms=round(spent_ms, 1),
        allowed_ms=allowed_ms,
        process=state,
        stderr=tuple(stderr[-_STDERR_LINES:]),
    )


def _tell_the_end(
    bots: tuple[Bot, Bot], transcript: Transcript, outcome: Outcome, moves: str, goes_on: bool
) -> None:
    """Send `end` to the bots that are still there; it needs no answer."""
    for seat, bot in enumerate(bots, start=1):
        if bot.process is not None:
            end = protocol.end_line(outcome.result(seat), outcome.reason, moves).encode()
            transcript.add(monotonic(), seat, True, end)
            if goes_on and not bot.process.is_person:
                bot.process.unsent = end
            elif bot.process.write(end) < len(end):
                bot.discard()  # half a line was written: no other can follow
