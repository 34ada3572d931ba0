"""Start both bots and wait until they are ready."""

from collections.abc import Sequence
from time import monotonic

from referee.bots.bot import Bot
from referee.bots.exchange import Exchange
from referee.bots.player import Player
from referee.bots.watchdog import ReadWatchdog
from referee.game.config import GameSetup
from referee.game.dossier import describe_fault
from referee.outcome import Reason, Seat
from referee.protocol import messages
from referee.protocol.answers import Phase
from referee.protocol.faults import BotFault, Fault
from referee.protocol.transcript import Transcript
from referee.text import printable

NEXT_GAME_MS = 2_000
"""How long a process that has played before may take to be ready again."""


class Handshake:
    """Both bots are asked to be ready, at the same time."""

    def __init__(
        self,
        setup: GameSetup,
        bots: tuple[Bot, Bot],
        transcript: Transcript,
        pulse: ReadWatchdog | None,
    ) -> None:
        first, first_is_new = bots[0].acquire_process(setup.terms.fresh)
        second, second_is_new = bots[1].acquire_process(setup.terms.fresh)
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
            self.table.disarm_watchdog()  # pipes are closed below
            faults = self._try_again(bots, faults)
            faults = self._judge_alone(bots, faults)
            self.table.disarm_watchdog()
            spent_ms = (monotonic() - started) * 1000
            self.faults = [
                describe_fault(
                    seat, bots[seat - 1], _as_start(fault), spent_ms, self._allowed_ms(seat)
                )
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
            self.table.disarm_watchdog()
            bots[seat - 1].replace("it was not ready in time while the other bot was busy")
            self._new[seat] = True
            self.table = self._make_table(_processes(bots), self.table.transcript)
            del faults[seat]
            faults |= self._get_ready([seat])
        return faults

    def _make_table(self, processes: tuple[Player, Player], transcript: Transcript) -> Exchange:
        return Exchange(processes, transcript, freeze=self._setup.terms.freeze, pulse=self._pulse)

    def _get_ready(self, seats: Sequence[Seat]) -> dict[Seat, BotFault]:
        """Ask these seats and wait for them; the faults of those that are not ready."""
        faults: dict[Seat, BotFault] = {}
        self.table.arm_watchdog()
        sent_at = monotonic()
        deadlines = {seat: sent_at + self._allowed_ms(seat) / 1000 for seat in seats}
        for seat, deadline in deadlines.items():
            try:
                self.table.send(seat, _game_line(self._setup, seat), deadline)
            except BotFault as fault:
                faults[seat] = fault
        for seat, deadline in deadlines.items():
            if seat in faults:
                continue
            try:
                received_at = _await_ready(self.table, seat, deadline)
                if self._new[seat]:
                    self.startup_ms[seat] = round((received_at - sent_at) * 1000, 1)
            except BotFault as fault:
                faults[seat] = fault
        return faults


def try_bots(setup: GameSetup, bots: Sequence[Bot]) -> dict[str, Fault]:
    """Ask all these bots at once to be ready for this game, and no more; the faults by name."""
    processes = [bot.acquire_process(fresh=False) for bot in bots]
    table = Exchange([process for process, _ in processes], Transcript(monotonic()))
    allowed_ms = [setup.terms.startup_ms[0] if is_new else NEXT_GAME_MS for _, is_new in processes]
    sent_at: list[float] = []
    for process, _ in processes:
        sent_at.append(monotonic())
        # A bot that does not even read this line will not answer it either.
        process.write(_game_line(setup, 1))
    faults: list[tuple[Bot, BotFault, float, int]] = []
    late: list[Bot] = []
    for seat, (bot, limit_ms) in enumerate(zip(bots, allowed_ms, strict=True), start=1):
        since = sent_at[seat - 1]
        try:
            _await_ready(table, seat, since + limit_ms / 1000)
        except BotFault as fault:
            if fault.reason is Reason.TIMEOUT and _stop_others(bots, bot):
                late.append(bot)
            else:
                faults.append((bot, _as_start(fault), (monotonic() - since) * 1000, limit_ms))
    # Only now: this ends processes that the table was listening to.
    described = {
        bot.name: describe_fault(1, bot, fault, spent_ms, limit_ms)
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


def _await_ready(table: Exchange, seat: Seat, deadline: float) -> float:
    """When a bot said that it is ready; BotFault if it did not."""
    answer, received_at = table.answer(seat, Phase.GAME, deadline)
    if answer.verb == "decline":
        why = printable(answer.text) or "it did not say why"
        raise BotFault(Reason.START, f"declined the game: {why}")
    return received_at


def _processes(bots: tuple[Bot, Bot]) -> tuple[Player, Player]:
    first, second = (bot.process for bot in bots)
    assert first is not None
    assert second is not None
    return first, second


def _game_line(setup: GameSetup, seat: Seat) -> bytes:
    return messages.game_line(setup.id, setup.seed, setup.terms.game_line_parts[seat - 1]).encode(
        "ascii"
    )


def _as_start(fault: BotFault) -> BotFault:
    """Before `ready`, silence and an exit are failures to start."""
    if fault.reason is Reason.TIMEOUT:
        return BotFault(Reason.START, "was not ready in time", sent=fault.sent)
    if fault.reason is Reason.CRASH:
        return BotFault(Reason.START, fault.detail.replace("while it was asked", "before `ready`"))
    return fault
