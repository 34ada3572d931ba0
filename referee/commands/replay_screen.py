"""The screen of `replay`: one page of a game at a time, redrawn in place."""

import sys
import textwrap
from collections.abc import Callable
from time import monotonic

from referee.commands.game_folder import GameFolder, OpenGame
from referee.commands.game_pages import Page
from referee.errors import InputError, RefereeError
from referee.system.full_screen import REDRAW, FullScreen
from referee.system.keys import BACKSPACE, END_OF_INPUT, ENTER, ESCAPE
from referee.system.terminal import shows_colour
from referee.text import printable

PLY_SECONDS = 0.7
"""Time between two plies while the game plays."""
_MAX_DIGITS = 4
_BOLD, _DIM, _PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[0m"


class ReplayScreen:
    """The state of the screen: a game, a page of it, and what is being entered."""

    def __init__(self, games: GameFolder, game_id: str) -> None:
        self._games = games
        self._colour = shows_colour(sys.stdout)
        self._line = games.line_of(game_id)
        self._game = games.open(self._line, self._colour)
        self._at = 0
        """Index of the page."""
        self._next_ply: float | None = None
        """Time of the next ply while the game plays; otherwise None."""
        self._entry: str | None = None
        """Digits of the ply to go to; None if none is being entered."""
        self._message = self._game.problem
        step = self._go_to
        self._actions: dict[str, Callable[[], None]] = {
            **dict.fromkeys(("right", ENTER), lambda: step(self._at + 1)),
            **dict.fromkeys(("left", "b", BACKSPACE), lambda: step(self._at - 1)),
            **dict.fromkeys(("up", "home"), lambda: step(0)),
            **dict.fromkeys(("down", "end"), lambda: step(self._last)),
            " ": self._play_or_pause,
            "g": self._start_entry,
            "e": self._go_to_error,
            "n": lambda: self._open_game(self._line + 1),
            "p": lambda: self._open_game(self._line - 1),
        }

    @property
    def _last(self) -> int:
        return len(self._game.pages) - 1

    def run(self) -> None:
        """Show pages until the user ends the replay."""
        with FullScreen() as screen:
            while True:
                screen.show(self._frame(*screen.size))
                key = screen.read_key(self._next_ply)
                if key in ("q", END_OF_INPUT):
                    return
                if key is None:
                    self._advance()
                elif key != REDRAW:
                    self._process(key)

    def _process(self, key: str) -> None:
        key = key.lower() if len(key) == 1 else key
        self._message = ""
        if self._entry is not None:
            self._process_entry(key)
        elif key in self._actions:
            if key != " ":
                self._next_ply = None
            self._actions[key]()

    def _go_to(self, page: int) -> None:
        self._at = min(max(page, 0), self._last)

    def _go_to_error(self) -> None:
        """Go to the position before the next error; after the last one, to that of the first."""
        errors = [at for at, page in enumerate(self._game.pages) if page.is_before_error]
        if errors:
            self._at = next((at for at in errors if at > self._at), errors[0])
        elif any(page.verdict for page in self._game.pages):
            self._message = "no move of this game is proven to give a win away"
        else:
            self._message = "this game is not analysed: `referee analyse DIR` does that"

    def _play_or_pause(self) -> None:
        if self._next_ply is not None:
            self._next_ply = None
            return
        if self._at == self._last:
            self._at = 0
        self._next_ply = monotonic() + PLY_SECONDS

    def _advance(self) -> None:
        self._go_to(self._at + 1)
        self._next_ply = monotonic() + PLY_SECONDS if self._at < self._last else None

    def _start_entry(self) -> None:
        self._entry = ""

    def _process_entry(self, key: str) -> None:
        assert self._entry is not None
        if key == ESCAPE:
            self._entry = None
        elif key == BACKSPACE:
            self._entry = self._entry[:-1]
        elif key == ENTER:
            entry, self._entry = self._entry, None
            if entry and int(entry) > self._game.plies:
                self._message = f"there is no ply {int(entry)}: the last is {self._game.plies}"
            elif entry:
                self._at = int(entry)
        elif key.isdecimal() and len(self._entry) < _MAX_DIGITS:
            self._entry += key

    def _open_game(self, line: int) -> None:
        if not 1 <= line <= self._games.file.total:
            self._message = f"this is the {'last' if line > 1 else 'first'} game"
            return
        self._line = line
        try:
            self._game = self._games.open(line, self._colour)
        except (InputError, RefereeError) as error:
            page = Page(printable(str(error)), (), "", is_end=True)
            self._game = OpenGame(f"line {line} cannot be shown", "", [page, page], "")
        self._at = 0
        self._message = self._game.problem

    def _frame(self, rows: int, cols: int) -> list[str]:
        """Return the lines of the screen: players, board, what happened, keys."""
        page = self._game.pages[self._at]
        count = f"game {self._line:,} of {self._games.file.total:,}"
        title = f"{self._styled(_BOLD, self._game.id)}  {count}"
        head = "" if self._at == 0 and not page.is_end else page.head
        blocks = [
            [title, *_wrap(self._game.players, cols)],
            page.board.splitlines(),
            _wrap(page.verdict, cols),
            [*_wrap(head, cols), *(f"   {line}" for line in page.info)],
        ]
        filled = [block for block in blocks if block]
        lines = [line for block in filled for line in [*block, ""]]
        if len(lines) >= rows:
            lines = [line for block in filled for line in block]
        lines = lines[: rows - 1]
        return [*lines, *[""] * (rows - 1 - len(lines)), self._status(cols)]

    def _status(self, cols: int) -> str:
        if self._entry is not None:
            return f"go to ply (0 to {self._game.plies}, Enter; Escape: stay): {self._entry}_"
        if self._message:
            return self._message[:cols]
        plies = self._game.plies
        place = f"end, {plies} plies" if self._at == self._last else f"ply {self._at} of {plies}"
        play = "pause" if self._next_ply is not None else "play"
        keys, rest = "←→ ply  ↑↓ start, end", f"space {play}  g go to  n p game  q end"
        if any(page.verdict for page in self._game.pages):
            keys, rest = "←→ ply  ↑↓ ends", f"space {play}  g go to  e error  n p game  q end"
        try:
            keys.encode(sys.stdout.encoding)
        except UnicodeEncodeError:
            keys = "arrow keys"
        return f"{place}  {self._styled(_DIM, f'{keys}  {rest}')}"

    def _styled(self, style: str, text: str) -> str:
        return f"{style}{text}{_PLAIN}" if self._colour else text


def _wrap(text: str, cols: int) -> list[str]:
    """Break a text of several lines at words."""
    return [part for line in text.splitlines() for part in textwrap.wrap(line, max(cols, 20))]
