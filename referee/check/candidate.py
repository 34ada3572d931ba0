"""The bot under test: send it single requests and check each answer."""

from collections.abc import Sequence
from time import monotonic

from referee.bots.bot import Bot
from referee.bots.exchange import Exchange
from referee.bots.process import BotProcess
from referee.check.positions import CheckPosition, VariantBoard
from referee.errors import InputError
from referee.outcome import Outcome, Reason, Seat, other, win
from referee.protocol import messages
from referee.protocol.answers import Answer
from referee.protocol.faults import BotFault, FaultKind
from referee.protocol.phase import Phase
from referee.protocol.time_control import TimeControl
from referee.protocol.transcript import Transcript
from referee.rules import Size, Variant
from referee.text import printable

THINKING_MS = 200
"""Time per move announced to the bot: shorter than the actual limit, so that a check is quick even
if the bot uses all of it."""
_STARTUP_FACTOR = 5


class Declined(Exception):
    """The bot declined a variant or size; the text is its reason."""


class BotUnderTest:
    """The bot under test, and the last request that it received."""

    def __init__(self, bot: Bot, variants: Sequence[Variant], answer_ms: int) -> None:
        self.bot = bot
        self.variants = variants
        self.answer_ms = answer_ms
        """Limit for an answer; a new process has `_STARTUP_FACTOR` times as long for `ready`."""
        self.accepted_boards: list[VariantBoard] = []
        """Boards that the bot has accepted."""
        self.reuses_process = False
        """Whether one process has played several games without a fault."""
        self.early_fault: BotFault | None = None
        """A fault before the first `ready` that did not end the process."""
        self.game_label = ""
        """Board and seat of the last game."""
        self.sent_lines: list[str] = []
        """Lines without an answer; if there are none, the last line that was answered."""
        self.legal: Sequence[str] = ()
        """Legal moves of the last turn."""
        self.limit_ms = 0.0
        """Limit of the last request."""
        self._seat: Seat = 1
        self._games = 0
        self._answered = True
        self._declined = False

    @property
    def process(self) -> BotProcess:
        """The bot's current process."""
        assert isinstance(self.bot.process, BotProcess)
        return self.bot.process

    def boards(self, size: Size | None = None) -> list[VariantBoard]:
        """Return all variants on boards of a size (default: the usual one) where that exists."""
        found = []
        for variant in self.variants:
            try:
                variant.on(size)
            except InputError:
                continue
            found.append(VariantBoard(variant, size or variant.size))
        return found

    def begin(
        self,
        board: VariantBoard,
        seat: Seat = 1,
        *,
        again: bool = False,
        extra: str = "",
        time: TimeControl | None = None,
    ) -> None:
        """Send `game` and wait for `ready`; raise Declined if the bot declines.

        `again` requires the process of the last game, even if it would not be reused. The limit of
        turns is `time` if given, otherwise `answer_ms`.
        """
        is_new = False
        if again:
            self.process.new_game()
        else:
            self._answered = True
            if self._declined or not self.reuses_process:
                self.bot.discard()
            _, is_new = self.bot.acquire_process(fresh=False)
        self._exchange = Exchange([self.process], Transcript(monotonic()))
        self._time = time or TimeControl(move_ms=min(THINKING_MS, self.answer_ms))
        self._turn_ms = time.start() + time.margin_ms if time else self.answer_ms
        self._seat = seat
        self._games += 1
        self.game_label = f"{board}, seat {seat}"
        self.legal = ()
        line = messages.Game(
            id=f"{board.name}.check.{self._games}",
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
            answer = self._request(_insert(extra, line), Phase.GAME, ready_ms)
        except BotFault as fault:
            if fault.reason is Reason.CRASH:
                raise BotFault(fault.kind, phase=Phase.GAME, cause=fault.cause) from fault
            raise
        self._declined = answer.verb == "decline"
        if self._declined:
            raise Declined(printable(answer.text) or "it did not say why")

    def turn(self, position: CheckPosition, extra: str = "") -> str | None:
        """Request a move; None if the bot resigns."""
        self._exchange.check_unsolicited_output(1)
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
        answer = self._request(_insert(extra, line), Phase.TURN, self._turn_ms)
        if answer.verb == "resign":
            return None
        if answer.text not in self.legal:
            why = printable(position.board.rules.why_illegal(position.state, answer.text))
            raise BotFault(FaultKind.ILLEGAL_MOVE, cause=why, sent=answer.text.encode())
        return answer.text

    def end(self, outcome: Outcome, moves: Sequence[str]) -> None:
        """Send `end` with the outcome."""
        result = outcome.result(self._seat)
        self.send_line(messages.End(result, outcome.reason, ";".join(moves)).line())

    def play_short_game(
        self,
        position: CheckPosition,
        *,
        again: bool = False,
        extra: str = "",
        time: TimeControl | None = None,
    ) -> str | None:
        """Play a game from a position that ends after one move; return as `finish_game` does."""
        self.begin(position.board, position.seat, again=again, extra=extra, time=time)
        return self.finish_game(position, extra)

    def finish_game(self, position: CheckPosition, extra: str = "") -> str | None:
        """Request a move, after which the opponent resigns; None if the bot resigns instead."""
        move = self.turn(position, extra)
        if move is None:
            self.end(win(other(self._seat), Reason.RESIGN), position.moves)
        else:
            self.end(win(self._seat, Reason.RESIGN), (*position.moves, move))
        return move

    def send_line(self, line: str) -> None:
        """Send a line; raise BotFault if it is not read in time."""
        if self._answered:
            self.sent_lines, self._answered = [], False
        self.sent_lines.append(line)
        self.limit_ms = self.answer_ms
        self._exchange.send(1, f"{line}\n".encode("ascii"), monotonic() + self.limit_ms / 1000)

    def _request(self, line: str, phase: Phase, limit_ms: float) -> Answer:
        deadline = monotonic() + limit_ms / 1000
        self.send_line(line)
        self.limit_ms = limit_ms
        answer, _ = self._exchange.answer(1, phase, deadline)
        self._answered = True
        return answer

    def close_input(self) -> None:
        """Close the standard input of the bot."""
        self.sent_lines, self._answered = ["(end of input)"], False
        self.process.close_input()

    def wait_for_exit(self) -> BotFault | None:
        """Wait until the process ends, at most `answer_ms`; return a fault if it wrote output."""
        self.limit_ms = self.answer_ms
        deadline = monotonic() + self.limit_ms / 1000
        unexpected = None
        try:
            # No line is valid in this phase: it returns on output, on exit or at the deadline.
            self._exchange.answer(1, Phase.IDLE, deadline)
        except BotFault as fault:
            unexpected = fault if fault.reason is Reason.PROTOCOL else None
        self.process.wait_for_exit(deadline)
        try:
            list(self.process.output.unsolicited_lines())
        except BotFault as fault:
            unexpected = unexpected or fault  # a line without its end
        return unexpected


def _insert(extra: str, line: str) -> str:
    """Insert a field after the verb of a line, because `legal` must remain the last field."""
    return line.replace(" ", f" {extra} ", 1) if extra else line
