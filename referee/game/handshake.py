"""Handshake: both players get a `game` line and answer `ready`."""

from collections.abc import Sequence
from time import monotonic

from referee.bots.bot import Bot
from referee.bots.exchange import Exchange, WaitObserver
from referee.bots.player import Player
from referee.bots.watchdog import ReadWatchdog
from referee.game.config import GameSetup
from referee.game.diagnosis import describe_fault
from referee.outcome import Reason, Seat
from referee.protocol import messages
from referee.protocol.faults import BotFault, Fault, FaultKind
from referee.protocol.phase import GAME
from referee.protocol.transcript import Transcript
from referee.text import printable

NEXT_GAME_MS = 2_000
"""How long a process that has played before may take until `ready`."""


class Handshake:
    """The handshake of one game; both players get ready at the same time."""

    def __init__(
        self,
        setup: GameSetup,
        bots: tuple[Bot, Bot],
        transcript: Transcript,
        watchdog: ReadWatchdog | None,
        on_wait: WaitObserver | None = None,
    ) -> None:
        first, first_is_new = bots[0].acquire_process(setup.config.play.fresh_process)
        second, second_is_new = bots[1].acquire_process(setup.config.play.fresh_process)
        self._setup = setup
        self._watchdog = watchdog
        self._on_wait = on_wait
        self._is_new = {1: first_is_new, 2: second_is_new}
        """Whether the process of a seat has not played before."""
        self.startup_ms: dict[Seat, float] = {}
        """For each seat with a new process, the time until `ready`."""
        self.exchange = self._make_exchange((first, second), transcript)
        self.faults: list[Fault] = []
        """The faults of the seats that did not get ready."""
        started = monotonic()
        faults = self._request_ready((1, 2))
        if faults:
            self.exchange.disarm_watchdog()  # pipes are closed below
            faults = self._retry_in_new_process(bots, faults)
            faults = self._retry_without_opponent(bots, faults)
            self.exchange.disarm_watchdog()
            spent_ms = (monotonic() - started) * 1000
            self.faults = [
                describe_fault(
                    seat, bots[seat - 1], _as_start(fault), spent_ms, self._allowed_ms(seat)
                )
                for seat, fault in sorted(faults.items())
            ]

    def _allowed_ms(self, seat: Seat) -> int:
        return self._setup.config.startup_limit_ms(seat) if self._is_new[seat] else NEXT_GAME_MS

    def _retry_in_new_process(
        self, bots: tuple[Bot, Bot], faults: dict[Seat, BotFault]
    ) -> dict[Seat, BotFault]:
        """Repeat the handshake in a new process for seats with a used one; return the faults left.

        Output or an exit between two games is no fault, but it may be noticed only after the next
        `game` line.
        """
        retried = [
            seat
            for seat, fault in sorted(faults.items())
            if not self._is_new[seat] and fault.reason in (Reason.PROTOCOL, Reason.CRASH)
        ]
        if not retried:
            return faults
        for seat in retried:
            why = f"it was not ready for another game ({faults.pop(seat).detail})"
            bots[seat - 1].replace(why)
            self._is_new[seat] = True
        self.exchange = self._make_exchange(_processes(bots), self.exchange.transcript)
        return faults | self._request_ready(retried)

    def _retry_without_opponent(
        self, bots: tuple[Bot, Bot], faults: dict[Seat, BotFault]
    ) -> dict[Seat, BotFault]:
        """Repeat the handshake for a seat that was late while its opponent used the processor.

        It gets a new process, and the opponent, which has answered already, is stopped meanwhile.
        Returns the faults left.
        """
        for seat in [seat for seat in faults if faults[seat].reason is Reason.TIMEOUT]:
            opponent = self.exchange.processes[2 - seat]
            opponent.stop()
            if not opponent.is_restless:
                continue
            self.exchange.disarm_watchdog()
            bots[seat - 1].replace("it was not ready in time while the other bot was busy")
            self._is_new[seat] = True
            self.exchange = self._make_exchange(_processes(bots), self.exchange.transcript)
            del faults[seat]
            faults |= self._request_ready([seat])
        return faults

    def _make_exchange(self, processes: tuple[Player, Player], transcript: Transcript) -> Exchange:
        return Exchange(
            processes,
            transcript,
            suspend_opponent=self._setup.config.play.suspend_opponent,
            watchdog=self._watchdog,
            on_wait=self._on_wait,
        )

    def _request_ready(self, seats: Sequence[Seat]) -> dict[Seat, BotFault]:
        """Send `game` to these seats, then wait for `ready` from each; return the faults."""
        faults: dict[Seat, BotFault] = {}
        self.exchange.arm_watchdog()
        started = monotonic()
        allowed = {seat: self._allowed_ms(seat) / 1000 for seat in seats}
        for seat, seconds in allowed.items():
            try:
                self.exchange.send(seat, _game_line(self._setup, seat), started + seconds)
            except BotFault as fault:
                faults[seat] = fault
        # From here on, because the referee may have been suspended between two lines.
        sent_at, stalled = monotonic(), 0.0
        for seat, seconds in allowed.items():
            if seat in faults:
                continue
            try:
                received_at = _await_ready(self.exchange, seat, sent_at + stalled + seconds)
                if self._is_new[seat]:
                    self.startup_ms[seat] = round((received_at - started) * 1000, 1)
            except BotFault as fault:
                faults[seat] = fault
            stalled += self.exchange.stalled
        return faults


def try_bots(setup: GameSetup, bots: Sequence[Bot]) -> dict[str, Fault]:
    """Run the handshake with all these bots at once, and no game; return the faults by name."""
    processes = [bot.acquire_process(fresh=False) for bot in bots]
    exchange = Exchange([process for process, _ in processes], Transcript(monotonic()))
    allowed_ms = [
        setup.config.play.startup_ms if is_new else NEXT_GAME_MS for _, is_new in processes
    ]
    for process, _ in processes:
        # A line that was not read completely gets no answer in time, which is a fault below.
        process.write(_game_line(setup, 1))
    started, stalled = monotonic(), 0.0
    faults: list[tuple[Bot, BotFault, float, int]] = []
    late: list[Bot] = []
    for seat, (bot, limit_ms) in enumerate(zip(bots, allowed_ms, strict=True), start=1):
        try:
            _await_ready(exchange, seat, started + stalled + limit_ms / 1000)
        except BotFault as fault:
            if fault.reason is Reason.TIMEOUT and _stop_others(bots, bot):
                late.append(bot)
            else:
                faults.append((bot, _as_start(fault), (monotonic() - started) * 1000, limit_ms))
    # After all answers: `describe_fault` closes pipes that `exchange` polls.
    described = {
        bot.name: describe_fault(1, bot, fault, spent_ms, limit_ms)
        for bot, fault, spent_ms, limit_ms in faults
    }
    for bot in late:  # others used the processor: repeat while they are stopped
        _stop_others(bots, bot)
        bot.discard()
        described |= try_bots(setup, [bot])
    return described


def _stop_others(bots: Sequence[Bot], bot: Bot) -> bool:
    """Stop all bots except one; return whether any of them used the processor out of turn."""
    others = [other.process for other in bots if other is not bot and other.process is not None]
    for process in others:
        process.stop()
    return any(process.is_restless for process in others)


def _await_ready(exchange: Exchange, seat: Seat, deadline: float) -> float:
    """Wait for `ready`, and return the time when it came; BotFault if it did not come."""
    answer, received_at = exchange.answer(seat, GAME, deadline)
    if answer.verb == "decline":
        why = printable(answer.text) or "it did not say why"
        raise BotFault(FaultKind.DECLINED, cause=why)
    return received_at


def _processes(bots: tuple[Bot, Bot]) -> tuple[Player, Player]:
    first, second = (bot.process for bot in bots)
    assert first is not None
    assert second is not None
    return first, second


def _game_line(setup: GameSetup, seat: Seat) -> bytes:
    return messages.game_line(setup.id, setup.seed, setup.config.game_line_parts[seat - 1]).encode(
        "ascii"
    )


def _as_start(fault: BotFault) -> BotFault:
    """Convert a timeout or a crash before `ready` into a failure to start."""
    if fault.reason is Reason.TIMEOUT:
        return BotFault(FaultKind.NOT_READY, phase=GAME, sent=fault.sent)
    if fault.reason is Reason.CRASH:
        return BotFault(fault.kind, phase=GAME, cause=fault.cause)
    return fault
