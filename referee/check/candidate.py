"""A bot under test, driven question by question."""

from collections.abc import Sequence
from time import monotonic

from referee.bots.bot import Bot
from referee.bots.exchange import Exchange
from referee.bots.process import BotProcess
from referee.check.positions import Board, Position
from referee.errors import InputError
from referee.outcome import Outcome, Reason, Seat, other, win
from referee.protocol import messages
from referee.protocol.answers import Answer, Phase
from referee.protocol.faults import BotFault, FaultKind
from referee.protocol.time_control import TimeControl
from referee.protocol.transcript import Transcript
from referee.rules import Size, Variant
from referee.text import printable

THINKING_MS = 200
"""What the bot is told that it may use: less than what is waited for, so that checking a bot which
thinks for as long as it may does not take for ever."""
_STARTUP_FACTOR = 5


class Declined(Exception):
    """The bot does not play this variant or size, and says why."""


class BotUnderTest:
    """The bot under check, and what it was told last."""

    def __init__(self, bot: Bot, variants: Sequence[Variant], answer_ms: int) -> None:
        self.bot = bot
        self.variants = variants
        self.answer_ms = answer_ms
        """How long it may take to answer; a new process gets five times as long to be ready."""
        self.sound: list[Board] = []
        """The boards that it is known to play on."""
        self.reuses_process = False
        """It can be trusted to play game after game in one process."""
        self.early_fault: BotFault | None = None
        """What went wrong before its first `ready`, although its process lives."""
        self.where = ""
        """Which game it was told to play last."""
        self.said: list[str] = []
        """The lines it has not answered, or the last one that it did answer."""
        self.legal: Sequence[str] = ()
        """What it may answer to the last turn."""
        self.limit_ms = 0.0
        """How long the last thing it was asked for may take."""
        self._seat: Seat = 1
        self._games = 0
        self._answered = True
        self._declined = False

    @property
    def process(self) -> BotProcess:
        assert isinstance(self.bot.process, BotProcess)
        return self.bot.process

    def boards(self, size: Size | None = None) -> list[Board]:
        """The variants that have a board of this size; without a size, each on its usual one."""
        found = []
        for variant in self.variants:
            try:
                variant.on(size)
            except InputError:
                continue
            found.append(Board(variant, size or variant.size))
        return found

    def begin(
        self,
        board: Board,
        seat: Seat = 1,
        *,
        again: bool = False,
        extra: str = "",
        time: TimeControl | None = None,
    ) -> None:
        """Ask it to be ready for a game; Declined if it does not play that.

        `again` means the process that played last, whatever that has done since. With a `time`
        turns are judged by that; without, by the patience of the check.
        """
        is_new = False
        if again:
            self.process.new_game()
        else:
            self._answered = True
            if self._declined or not self.reuses_process:
                self.bot.discard()
            _, is_new = self.bot.acquire_process(fresh=False)
        self._table = Exchange([self.process], Transcript(monotonic()))
        self._time = time or TimeControl(move_ms=min(THINKING_MS, self.answer_ms))
        self._turn_ms = time.start() + time.margin_ms if time else self.answer_ms
        self._seat = seat
        self._games += 1
        self.where = f"{board}, seat {seat}"
        self.legal = ()
        line = messages.Game(
            id=f"{board.variant.name}-{board.size}.check.{self._games}",
            variant=board.variant.name,
            rows=board.size.rows,
            cols=board.size.cols,
            origin=board.rules.origin,
            seat=seat,
            seed=self._games,
            time=self._time,
        ).line()
        ready_ms = self.answer_ms * (_STARTUP_FACTOR if is_new else 1)
        try:
            answer = self._ask(_insert(extra, line), Phase.GAME, ready_ms)
        except BotFault as fault:
            if fault.reason is Reason.CRASH:
                raise BotFault(fault.kind, phase=Phase.GAME, cause=fault.cause) from fault
            raise
        self._declined = answer.verb == "decline"
        if self._declined:
            raise Declined(printable(answer.text) or "it did not say why")

    def turn(self, position: Position, extra: str = "") -> str | None:
        """Ask for a move; None if it resigns."""
        self._table.check_unsolicited_output(1)
        self.legal = position.legal
        time_ms = int(self._time.start())
        line = messages.Turn(
            ply=len(position.moves) + 1,
            time_ms=time_ms,
            opponent_ms=time_ms,
            moves=";".join(position.moves),
            board=position.board.rules.board(position.state),
            legal=self.legal,
        ).line()
        answer = self._ask(_insert(extra, line), Phase.TURN, self._turn_ms)
        if answer.verb == "resign":
            return None
        if answer.text not in self.legal:
            why = printable(position.board.rules.why_illegal(position.state, answer.text))
            raise BotFault(FaultKind.ILLEGAL_MOVE, cause=why, sent=answer.text.encode())
        return answer.text

    def end(self, outcome: Outcome, moves: Sequence[str]) -> None:
        """Tell it how the game ended."""
        result = outcome.result(self._seat)
        self.say(messages.End(result, outcome.reason, ";".join(moves)).line())

    def short_game(
        self,
        position: Position,
        *,
        again: bool = False,
        extra: str = "",
        time: TimeControl | None = None,
    ) -> str | None:
        """A game from this position on that its opponent resigns after one move; that move."""
        self.begin(position.board, position.seat, again=again, extra=extra, time=time)
        return self.finish(position, extra)

    def finish(self, position: Position, extra: str = "") -> str | None:
        """One move, and the opponent resigns; the move, or None if the bot resigned before."""
        move = self.turn(position, extra)
        if move is None:
            self.end(win(other(self._seat), Reason.RESIGN), position.moves)
        else:
            self.end(win(self._seat, Reason.RESIGN), (*position.moves, move))
        return move

    def say(self, line: str) -> None:
        """Send a line; BotFault if it is not read in time."""
        if self._answered:
            self.said, self._answered = [], False
        self.said.append(line)
        self.limit_ms = self.answer_ms
        self._table.send(1, f"{line}\n".encode("ascii"), monotonic() + self.limit_ms / 1000)

    def _ask(self, line: str, phase: Phase, limit_ms: float) -> Answer:
        deadline = monotonic() + limit_ms / 1000
        self.say(line)
        self.limit_ms = limit_ms
        answer, _ = self._table.answer(1, phase, deadline)
        self._answered = True
        return answer

    def close_input(self) -> None:
        """Let it see the end of its input."""
        self.said, self._answered = ["(end of input)"], False
        self.process.close_input()

    def listen_until_exit(self) -> BotFault | None:
        """Wait until it ends, or no longer; what it says in the meantime, if it says anything."""
        self.limit_ms = self.answer_ms
        deadline = monotonic() + self.limit_ms / 1000
        spoken = None
        try:
            # No line is an answer now: this stops at a word from it, at its end, or in time.
            self._table.answer(1, Phase.IDLE, deadline)
        except BotFault as fault:
            spoken = fault if fault.reason is Reason.PROTOCOL else None
        self.process.wait_for_exit(deadline)
        try:
            list(self.process.unsolicited_lines())
        except BotFault as half_a_line:
            spoken = spoken or half_a_line
        return spoken


def _insert(extra: str, line: str) -> str:
    """The line with one more field, right behind its verb: `legal` stays the last one."""
    return line.replace(" ", f" {extra} ", 1) if extra else line
