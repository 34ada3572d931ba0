"""What a person sees: the characters on the screen of a terminal."""

import re

_PART = re.compile(
    r"\x1b\[(?P<private>\?)?(?P<numbers>[0-9;]*)(?P<final>[@-~])"
    r"|\x1b\](?P<command>[^\x07\x1b]*)(?:\x07|\x1b\\)"
    r"|\x1b(?P<short>[=>78M])"
    r"|(?P<text>[^\x1b\r\n\x08\x07]+)"
    r"|(?P<control>[\r\n\x08\x07])"
)


class Screen:
    """The window of a terminal: its characters, its cursor, its links. No scrollback."""

    def __init__(self, rows: int, cols: int) -> None:
        self.is_alternate = False
        self.has_cursor = True
        self.wraps = True
        self.links: dict[str, str] = {}
        """From the text of each link to its address."""
        self._address = self._linked = ""
        self._pending = ""
        self.row = self.col = 0
        self._saved: tuple[list[list[str]], list[list[str]], int, int] | None = None
        self.resize(rows, cols)

    def resize(self, rows: int, cols: int) -> None:
        """Another size, and nothing on it: programs draw again."""
        self.rows, self.cols = rows, cols
        self._cells = [[" "] * cols for _ in range(rows)]
        self._styles = [[""] * cols for _ in range(rows)]
        self._style = ""
        self.row, self.col = min(self.row, rows - 1), min(self.col, cols - 1)

    @property
    def lines(self) -> list[str]:
        """The lines without blanks at their end."""
        return ["".join(cells).rstrip() for cells in self._cells]

    @property
    def text(self) -> str:
        """All lines."""
        return "\n".join(self.lines)

    def style_of(self, text: str, first_row: int = 0) -> str:
        """The colour codes of the first character of a text, from this row on."""
        for line, styles in zip(self.lines[first_row:], self._styles[first_row:], strict=True):
            if text in line:
                return styles[line.index(text)]
        raise AssertionError(f"{text!r} is not on the screen:\n{self.text}")

    def feed(self, text: str) -> None:
        """Show what a program writes; a sequence may come in pieces."""
        text, self._pending = self._pending + text, ""
        at = 0
        while at < len(text):
            part = _PART.match(text, at)
            if part is None:
                self._pending = text[at:]
                assert len(self._pending) < 4096, f"not understood: {self._pending[:80]!r}"
                return
            at = part.end()
            if part["text"] is not None:
                self._write(part["text"])
            elif part["control"] is not None:
                self._control(part["control"])
            elif part["command"] is not None:
                self._operating_system_command(part["command"])
            elif part["final"] is not None:
                numbers = [int(number or 0) for number in part["numbers"].split(";")]
                if part["private"]:
                    self._set_mode(numbers, part["final"] == "h")
                else:
                    self._sequence(part["final"], numbers, part["numbers"])

    def _write(self, text: str) -> None:
        if self._address:
            self._linked += text
        for character in text:
            if self.col >= self.cols:
                if not self.wraps:
                    self.col = self.cols - 1
                else:
                    self.col = 0
                    self._control("\n")
            self._cells[self.row][self.col] = character
            self._styles[self.row][self.col] = self._style
            self.col += 1

    def _control(self, character: str) -> None:
        if character == "\r":
            self.col = 0
        elif character == "\n":
            if self.row == self.rows - 1:
                del self._cells[0], self._styles[0]
                self._cells.append([" "] * self.cols)
                self._styles.append([""] * self.cols)
            else:
                self.row += 1
        elif character == "\x08":
            self.col = max(0, self.col - 1)

    def _operating_system_command(self, command: str) -> None:
        if command.startswith("8;"):
            if self._address:
                self.links[self._linked] = self._address
            self._address, self._linked = command.split(";", 2)[2], ""

    def _sequence(self, final: str, numbers: list[int], text: str) -> None:
        count = max(1, numbers[0])
        if final == "m":
            self._style = "" if text in ("", "0") else text
        elif final in "Hf":
            self.row = min(self.rows, count) - 1
            self.col = min(self.cols, max(1, numbers[1]) if len(numbers) > 1 else 1) - 1
        elif final == "A":
            self.row = max(0, self.row - count)
        elif final == "B":
            self.row = min(self.rows - 1, self.row + count)
        elif final == "C":
            self.col = min(self.cols - 1, self.col + count)
        elif final == "D":
            self.col = max(0, self.col - count)
        elif final == "G":
            self.col = min(self.cols, count) - 1
        elif final == "K":
            first = 0 if numbers[0] else self.col
            last = self.col + 1 if numbers[0] == 1 else self.cols
            self._erase(self.row, first, last)
        elif final == "J":
            if numbers[0] == 0:
                self._erase(self.row, self.col, self.cols)
            for row in range(0 if numbers[0] else self.row + 1, self.rows):
                self._erase(row, 0, self.cols)

    def _erase(self, row: int, first: int, last: int) -> None:
        for col in range(first, last):
            self._cells[row][col], self._styles[row][col] = " ", ""

    def _set_mode(self, numbers: list[int], value: bool) -> None:
        for number in numbers:
            if number == 25:
                self.has_cursor = value
            elif number == 7:
                self.wraps = value
            elif number == 1049 and value != self.is_alternate:
                self.is_alternate = value
                if value:
                    self._saved = (self._cells, self._styles, self.row, self.col)
                    self.resize(self.rows, self.cols)
                elif self._saved is not None:
                    self._cells, self._styles, self.row, self.col = self._saved
