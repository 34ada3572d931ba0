"""The turn loop of one game, where a fault becomes an outcome."""

from collections.abc import Callable, Sequence
from time import monotonic
from typing import Any

from referee.bots.bot import Bot
from referee.bots.exchange import Exchange, WaitObserver
from referee.bots.watchdog import ReadWatchdog
from referee.game.config import GameSetup
from referee.game.diagnosis import describe_fault
from referee.game.handshake import Handshake
from referee.game.latency import LatencyMeter
from referee.game.result import PlayedGame
from referee.outcome import Outcome, Reason, Seat, other, win
from referee.protocol import messages
from referee.protocol.answers import is_listed
from referee.protocol.clock import Clock, round_half_up
from referee.protocol.faults import BotFault, Fault, FaultKind
from referee.protocol.transcript import Transcript
from referee.rules import after_opening
from referee.text import printable

Watcher = Callable[[Seat, str, float, Any], None]
"""A function called after each move: seat, move, milliseconds, and the state after it."""


def play_game(
    setup: GameSetup,
    bots: tuple[Bot, Bot],
    watch: Watcher | None = None,
    watchdog: ReadWatchdog | None = None,
    next_game_same_bots: bool = False,
    on_wait: WaitObserver | None = None,
) -> PlayedGame:
    """Play one game to its end, and kill the process of a bot with a fault.

    With a `watchdog`, answers that come at once are cheaper to read. With `next_game_same_bots` the
    caller starts the next game of these two at once: their `end` lines are sent together with the
    next `game` lines, and the watchdog keeps running. `on_wait` is called for every turn that is
    not answered at once.
    An exception that leaves it is a failure of the referee (or Ctrl-C): the game is void.
    """
    state = after_opening(setup.config.rules, setup.opening)
    transcript = Transcript(monotonic())
    try:
        handshake = Handshake(setup, bots, transcript, watchdog, on_wait)
        loop = TurnLoop(setup, bots, handshake.exchange, watch)
        if handshake.faults:
            faults, outcome = handshake.faults, _outcome_of(handshake.faults)
        else:
            outcome, fault = loop.play(state)
            faults = [fault] if fault else []
    except BaseException:
        if watchdog:
            watchdog.stop()
        for bot in bots:
            bot.discard()
        raise
    if watchdog and not next_game_same_bots:
        watchdog.stop()
    send_end(bots, transcript, outcome, loop.moves_text, next_game_same_bots)
    return PlayedGame(
        outcome=outcome,
        moves_text=loop.moves_text,
        # No tuple: CPython 3.11 keeps up to 2,000 of length 20 on a free list, and reuses none.
        ms=[*[None] * len(setup.opening), *loop.ms],
        faults=tuple(faults),
        transcript=transcript,
        startup_ms=(handshake.startup_ms.get(1), handshake.startup_ms.get(2)),
        latency_ms=loop.latency_ms,
        off_turn_ms=handshake.exchange.off_turn_ms,
    )


def _outcome_of(faults: Sequence[Fault]) -> Outcome:
    if len(faults) == 2:
        return Outcome((0, 0), faults[0].reason)
    return win(other(faults[0].seat), faults[0].reason)


class TurnLoop:
    """The turns of one game."""

    def __init__(
        self, setup: GameSetup, bots: tuple[Bot, Bot], exchange: Exchange, watch: Watcher | None
    ) -> None:
        self.moves_text = ";".join(setup.opening)
        """All moves so far, joined by `;`."""
        self.ms: list[float] = []
        self.latency_ms = 0.0, 0.0
        """Mean and maximum of the time between an answer and the next request."""
        self._setup = setup
        self._bots = bots
        self._exchange = exchange
        self._watch = watch

    def play(self, state: Any) -> tuple[Outcome, Fault | None]:
        """Play all turns; return the outcome, and the fault if there was one.

        This is the hot path: it contains what happens in every turn, and calls functions for what
        happens rarely.
        """
        setup, exchange, watch = self._setup, self._exchange, self._watch
        rules, ms = setup.config.rules, self.ms
        outcome_of, view, apply = rules.outcome, rules.view, rules.apply
        clocks = [Clock(time) for time in setup.config.times]
        ply = len(setup.opening) + 1
        retry, spent_ms, limit_ms = 0, 0.0, 0.0
        latency = LatencyMeter(monotonic())
        try:
            exchange.arm_watchdog()
            while (outcome := outcome_of(state)) is None:
                seat, board, legal = view(state)
                clock = clocks[seat - 1]
                own_ms, opponent_ms = clock.remaining_ms(spent_ms), clocks[2 - seat].remaining_ms()
                line = messages.turn_line(
                    ply, own_ms, opponent_ms, self.moves_text, board, legal, retry
                )
                limit_ms = clock.limit(spent_ms)
                move, sent_at, received_at = exchange.request_move(seat, line.encode(), limit_ms)
                latency.add(sent_at, received_at)
                spent_ms += (received_at - sent_at) * 1000
                if move is None:
                    return win(other(seat), Reason.RESIGN), None
                if not is_listed(move, legal):
                    retry = self._attempts_left(state, move, retry)
                    continue
                # The precision of records, so that a clock can be computed again from one.
                spent_ms = round_half_up(spent_ms, 100)
                if not clock.charge(spent_ms):
                    raise BotFault(FaultKind.LATE)
                ms.append(spent_ms)
                self.moves_text = f"{self.moves_text};{move}" if self.moves_text else move
                state = apply(state, move)
                if watch:
                    watch(seat, move, spent_ms, state)
                ply += 1
                retry, spent_ms = 0, 0.0
            return outcome, None
        except BotFault as fault:
            spent_ms = (monotonic() - exchange.sent_at) * 1000
            exchange.disarm_watchdog()  # the bot's pipes are closed below
            seat, moves = rules.to_move(state), rules.legal_moves(state)
            described = describe_fault(seat, self._bots[seat - 1], fault, spent_ms, limit_ms, moves)
            return win(other(seat), fault.reason), described
        finally:
            self.latency_ms = latency.mean_ms(len(ms)), latency.max_ms()

    def _attempts_left(self, state: Any, move: str, retry: int) -> int:
        """Return the number of answers left after an illegal move; BotFault if there is none."""
        attempts_left = (retry or self._setup.config.play.attempts) - 1
        if not attempts_left:
            why = printable(self._setup.config.rules.why_illegal(state, move))
            raise BotFault(FaultKind.ILLEGAL_MOVE, cause=why, sent=move.encode())
        return attempts_left


def send_end(
    bots: tuple[Bot, Bot],
    transcript: Transcript,
    outcome: Outcome,
    moves: str,
    next_game_same_bots: bool,
) -> None:
    """Send `end` to the bots that have a process; it has no answer."""
    for seat, bot in enumerate(bots, start=1):
        if bot.process is not None:
            end = messages.end_line(outcome.result(seat), outcome.reason, moves).encode()
            transcript.add(monotonic(), seat, True, end)
            write = bot.process.write_later if next_game_same_bots else bot.process.write
            if write(end) < len(end):
                bot.discard()  # a partial line was written: no other line can follow
