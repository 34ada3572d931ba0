"""A game that a person plays in a browser: its state for the page, and the moves of the person."""

import asyncio
import json
import secrets
from collections.abc import Callable
from http import HTTPStatus
from time import monotonic
from typing import Any

from referee.errors import InputError, RefereeError
from referee.outcome import Outcome, win
from referee.records.record import Record
from referee.rules import Rules, Size, Variant, find_installed, play_moves
from referee.schedule.fixtures import Board, bots_of_id
from referee.text import printable, short_label
from referee.web.event_hub import EventHub, Subscription
from referee.web.snapshot import game_value

MAX_LINE = 2**18
"""The longest message of a game."""


class TableRefused(Exception):
    """A request that cannot be granted; the text is for the visitor."""

    def __init__(self, why: str, status: HTTPStatus = HTTPStatus.BAD_REQUEST) -> None:
        super().__init__(why)
        self.status = status


class Table:
    """One seat or two of a game; its state follows from the messages of `browser_seat`."""

    def __init__(
        self, table_id: str, variant: Variant | None = None, key: str | None = None
    ) -> None:
        """Create a table; `variant` is given if the user has named the file of its rules."""
        self.id = table_id
        self.key = key or secrets.token_urlsafe(16)
        """Known to the person who plays; others can only watch."""
        self.hub = EventHub(secrets.token_hex(4))
        self.record: Record | None = None
        self.on_record: Callable[[Record], None] = lambda record: None
        """Function that keeps the record of a game, before viewers see its end."""
        self._variant = variant
        self._rules: Rules[Any] | None = None
        self._game: dict[str, Any] = {}
        """The constant facts of the current game; empty before the first."""
        self._moves: list[str] = []
        self._board = ""
        self._turn: dict[str, Any] | None = None
        self._turn_at = 0.0
        self._over: dict[str, Any] | None = None
        self._writer: asyncio.StreamWriter | None = None

    @property
    def title(self) -> str:
        """The names of the players."""
        return " against ".join(self._game.get("bots", ("Your game",)))

    @property
    def is_over(self) -> bool:
        """Whether the game has ended, or could not be played."""
        return self._over is not None

    @property
    def value(self) -> dict[str, Any]:
        """The state of the game as the page shows it."""
        turn = self._turn
        if turn is not None:
            turn = {**turn, "age_ms": round((monotonic() - self._turn_at) * 1000)}
        return {
            **self._game,
            "id": self.id,
            "moves": self._moves,
            "text": self._board,
            "turn": turn,
            "over": self._over,
        }

    def subscribe(self, last_id: str | None) -> Subscription:
        """Add a viewer."""
        return self.hub.subscribe(last_id, self.value)

    async def follow(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Process the messages of a game until it closes its end."""
        self._writer = writer
        try:
            while line := await reader.readline():
                self._process(json.loads(line))
                self.hub.publish("table", self.value)
        except (OSError, ValueError, KeyError) as error:
            self.fail(f"the game has sent a message that cannot be read: {error}")
        finally:
            writer.close()

    def _process(self, message: dict[str, Any]) -> None:
        """Process a message of the game."""
        kind, fields = message["kind"], message.get("fields", {})
        if kind == "game":
            self._begin(int(message["seat"]), fields)
        elif kind == "turn":
            self._set_moves(fields["moves"])
            self._board = fields["board"]
            self._turn = {
                "seat": int(message["seat"]),
                "ply": int(fields["ply"]),
                "time_ms": int(fields["time_ms"]),
                "opponent_ms": int(fields["opp_ms"]),
                "legal": fields["legal"].split(";"),
            }
            self._turn_at = monotonic()
        elif kind == "move":
            self._moves = [*self._moves, message["move"]]
            self._board = message["board"]
            self._turn = None
        elif kind == "end" and self._over is None:
            self._set_moves(fields["moves"])
            self._turn = None
            self._over = self._outcome(int(message["seat"]), fields)
        elif kind == "over":
            record: Record = json.loads(message["record"])
            self.record = record
            self._over = {**game_value(record), "fault_texts": message["faults"]}
            try:
                self.on_record(record)
            except RefereeError as error:
                self.fail(f"the game was played, and its record could not be kept: {error}")
        elif kind == "failed":
            self.fail(message["why"])

    def _begin(self, seat: int, fields: dict[str, str]) -> None:
        """Start a game, or add the second seat of a game between two people."""
        is_new = self._game.get("game") != fields["id"] or self._over is not None
        clock = fields.get("move_ms") or fields.get("time_ms")
        if is_new:
            first, second = map(short_label, bots_of_id(fields["id"]))
            size = Size(int(fields["rows"]), int(fields["cols"]))
            self._game = {
                "game": fields["id"],
                "board": short_label(Board(fields["variant"], size).name),
                "variant": short_label(fields["variant"]),
                "rows": size.rows,
                "cols": size.cols,
                "origin": int(fields["origin"]),
                "bots": [first, second],
                "people": [False, False],
                "has_clock": clock is not None,
            }
            self._rules = self._find_rules(fields["variant"], size)
            self._moves, self._board, self._turn, self._over = [], "", None, None
            self.record = None
            if self._rules is not None:
                self._game["marks"] = list(self._rules.marks)
                self._board = self._rules.board(self._rules.start())
        people: list[bool] = list(self._game["people"])
        people[seat - 1] = True
        self._game = {**self._game, "people": people}

    def _find_rules(self, name: str, size: Size) -> Rules[Any] | None:
        try:
            return (self._variant or find_installed(name)).on(size)
        except InputError:
            return None  # a variant of a file: its moves are played, and not explained

    def _set_moves(self, text: str) -> None:
        self._moves = [] if text == "-" else text.split(";")

    def _outcome(self, seat: int, fields: dict[str, str]) -> dict[str, Any]:
        """Describe the end of a game by its `end` line."""
        result, reason = fields["result"], fields["reason"]
        first, second = self._game["bots"]
        if result == "draw":
            outcome = Outcome((0.5, 0.5), reason)
        else:
            outcome = win(seat if result == "win" else 3 - seat, reason)
        return {
            "score": list(outcome.score),
            "reason": short_label(reason),
            "sentence": printable(outcome.sentence((first, second))),
        }

    def fail(self, why: str) -> None:
        """End the game without a result."""
        self._turn = None
        self._over = {"failed": printable(why)}
        self.hub.publish("table", self.value)

    def move(self, key: str, ply: int, move: str) -> None:
        """Send a move of the person to the game; TableRefused if it cannot be played."""
        self._check_key(key)
        if self._turn is None or ply != self._turn["ply"]:
            raise TableRefused("it is not your turn", HTTPStatus.CONFLICT)
        if move not in self._turn["legal"]:
            raise TableRefused(self._why_illegal(move[:40]), HTTPStatus.CONFLICT)
        self.send({"ply": ply, "move": move})

    def _why_illegal(self, move: str) -> str:
        if self._rules is None:
            return f"{printable(move)} is not a legal move"
        state = play_moves(self._rules, self._moves)
        return printable(self._rules.why_illegal(state, move))

    def resign(self, key: str) -> None:
        """End the game as a loss of the person."""
        self._check_key(key)
        self.send({"resign": True})

    def _check_key(self, key: str) -> None:
        if not secrets.compare_digest(key.encode(), self.key.encode()):
            raise TableRefused(
                "only the person who started this game can move", HTTPStatus.FORBIDDEN
            )

    def send(self, message: dict[str, Any]) -> None:
        """Send a message to the game, if it still runs."""
        if self._writer is not None and not self._writer.is_closing():
            self._writer.write(json.dumps(message).encode() + b"\n")
