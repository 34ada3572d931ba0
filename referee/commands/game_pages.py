"""A recorded game as pages: its start, each ply, its end."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from referee.analysis.game_analysis import GameAnalysis
from referee.analysis.sentences import ERROR, position_sentence
from referee.errors import RecordError
from referee.human.board_view import draw_position
from referee.outcome import Outcome, Reason, Seat
from referee.protocol.clock import Clock
from referee.protocol.time_control import TimeControl
from referee.records.record import Record
from referee.records.summary import faults_of
from referee.rules import Rules
from referee.scoring.tables import duration_text
from referee.text import printable


@dataclass(frozen=True)
class Page:
    """One step of a replay; all texts are printable."""

    head: str
    """The players, the move of the ply, or the winner."""
    info: tuple[str, ...]
    """The `info` lines of the bots."""
    board: str
    """The board after the ply; empty if the rules are not available."""
    is_end: bool = False
    verdict: str = ""
    """What is proven about the position, if it is analysed."""
    is_before_error: bool = False
    """Whether the next move gives a win away."""

    @property
    def text(self) -> str:
        """The page as it is printed; the end has no board, because it is that of the last ply."""
        info = "".join(f"   {line}\n" for line in self.info)
        if self.is_end:
            return f"{info}{self.head}"
        verdict = f"{self.verdict}\n" if self.verdict else ""
        return f"{self.head}\n{info}\n" + (f"{self.board}\n" if self.board else "") + verdict


def make_pages(
    record: Record,
    rules: Rules[Any] | None,
    *,
    colour: bool = False,
    analysis: GameAnalysis | None = None,
) -> list[Page]:
    """Return the pages of a game; raise RecordError if its moves do not lead to its outcome."""
    pages = list(_pages(record, _Positions(record, rules, colour)))
    return pages if analysis is None else _with_verdicts(pages, record, analysis)


def _with_verdicts(pages: Sequence[Page], record: Record, analysis: GameAnalysis) -> list[Page]:
    """Add what is proven to the pages of a game: page `ply` shows the position after that ply."""
    names, moves = [printable(name) for name in record["bots"]], record["moves"]
    errors = analysis.errors(moves, record["opening"])
    found = []
    for ply, page in enumerate(pages):
        if page.is_end or ply >= len(analysis.plies):
            found.append(page)
            continue
        position = analysis.plies[ply]
        text = printable(position_sentence(position, names[position.seat - 1]))
        if ply in errors:
            text += f"; it played {printable(moves[ply])} {ERROR}"
        found.append(replace(page, verdict=text, is_before_error=ply in errors))
    return found


def players_text(record: Record, rules: Rules[Any] | None) -> str:
    """Describe both players: name, mark, seat and clock."""
    one, two = map(printable, record["bots"])
    clocks = [f", {text}" if text else "" for text in _clocks(record)]
    marks = [f"{printable(mark)}, " for mark in rules.marks] if rules else ["", ""]
    return f"{one} ({marks[0]}seat 1{clocks[0]}) against {two} ({marks[1]}seat 2{clocks[1]})"


def _clocks(record: Record) -> list[str]:
    return [printable(text) for text in record.get("clocks", ["", ""])]


def _pages(record: Record, positions: "_Positions") -> Iterator[Page]:
    rules = positions.rules
    head = f"{printable(record['id'])}: {players_text(record, rules)}"
    yield Page(head, _info(record, 0), positions.board())
    one, two = names = [printable(name) for name in record["bots"]]
    times = [TimeControl.read(text) if text else TimeControl() for text in _clocks(record)]
    left = [Clock(time) for time in times]
    spent = [0.0, 0.0]
    for ply, (move, ms) in enumerate(zip(record["moves"], record["ms"], strict=True), start=1):
        seat = positions.play(ply, move)
        time = "opening"
        if ms is not None:
            spent[seat - 1] += ms
            left[seat - 1].charge(ms)
            shown = [
                f"{names[at]} {duration_text(left[at].left_ms)} left"
                if times[at].main_ms is not None
                else f"{names[at]} {duration_text(spent[at])} in all"
                for at in (0, 1)
            ]
            time = f"{duration_text(ms)}; {', '.join(shown)}"
        mark = f" ({printable(rules.marks[seat - 1])})" if rules else ""
        head = f"{ply}. {names[seat - 1]}{mark} plays {printable(move)}   [{time}]"
        yield Page(head, _info(record, ply), positions.board())
    first, second = record["score"]
    outcome = Outcome((first, second), record["reason"])
    positions.check_outcome(outcome)
    plies = len(record["moves"])
    head = _ending(record, outcome, (one, two))
    yield Page(head, _info(record, plies + 1), positions.board(), is_end=True)


class _Positions:
    """The positions of a recorded game; without rules there are only seats."""

    def __init__(self, record: Record, rules: Rules[Any] | None, colour: bool) -> None:
        self.rules = rules
        self._record = record
        self._colour = colour
        self._state = rules.start() if rules else None
        self._moves: list[str] = []

    def play(self, ply: int, move: str) -> Seat:
        """Play a move and return its seat; raise RecordError if it is not legal."""
        rules, state = self.rules, self._state
        self._moves.append(move)
        if rules is None:
            return 2 - ply % 2  # seat 1 moves first, and seats alternate
        if rules.outcome(state) or move not in rules.legal_moves(state):
            game_id = self._record["id"]
            raise RecordError(f"{game_id}: move {ply} ({move}) is not legal in its position")
        self._state = rules.apply(state, move)
        return rules.to_move(state)

    def board(self) -> str:
        """Draw the current board; without rules, nothing."""
        if self.rules is None:
            return ""
        return draw_position(self.rules, self._state, self._moves, colour=self._colour)

    def check_outcome(self, recorded: Outcome) -> None:
        """Raise RecordError if the rules give another outcome."""
        if self.rules is None:
            return
        real = self.rules.outcome(self._state)
        # Faults and resignations are not part of the rules.
        by_rules = not self._record["fault"] and recorded.reason != Reason.RESIGN
        if real != (recorded if by_rules else None):
            game_id = self._record["id"]
            raise RecordError(f"{game_id}: its moves do not lead to the outcome that it records")


def _info(record: Record, ply: int) -> tuple[str, ...]:
    """Return the `info` lines of a ply; ply 0 is before the first turn."""
    return tuple(printable(text) for at, _, text in record.get("info", []) if at == ply)


def _ending(record: Record, outcome: Outcome, names: tuple[str, str]) -> str:
    details = "".join(
        f"\n{names[fault['seat'] - 1]} {printable(fault['detail'])}" for fault in faults_of(record)
    )
    return f"{printable(outcome.sentence(names))}, after {len(record['moves'])} plies{details}"
