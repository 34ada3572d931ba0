"""`referee replay`: a recorded game, ply by ply, if its record can be trusted."""

import json
import os
import pty
import random
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from referee import cli
from referee.records.record import to_line
from referee.rules import BUILT_IN, find_variant, play_moves
from tests.conftest import ROOT, Referee
from tests.support.processes import ended

Record = dict[str, Any]
Command = Callable[..., tuple[int, str, str]]
TICTACTOE = ROOT / "docs" / "examples" / "tictactoe.py"


def play(variant: str = "standoff", seed: int = 1, plies: int = 1000, **changes: Any) -> Record:
    """The record of a random game, or of its first plies."""
    found = find_variant(variant)
    rules, dice = found.on(), random.Random(seed)
    state, moves = rules.start(), []
    while (outcome := rules.outcome(state)) is None and len(moves) < plies:
        moves.append(dice.choice(rules.legal_moves(state)))
        state = rules.apply(state, moves[-1])
    ms = [None, None, *(10.5 + ply for ply in range(3, len(moves) + 1))][: len(moves)]
    return {
        "schema": 1,
        "id": f"{found.name}-{found.size}.alpha.beta.{seed}a",
        "variant": found.name,
        "rows": found.size.rows,
        "cols": found.size.cols,
        "bots": ["alpha", "beta"],
        "encounter": seed,
        "opening": 2,
        "moves": moves,
        "ms": ms,
        "score": list(outcome.score) if outcome else [0, 1],
        "reason": outcome.reason if outcome else "resign",
        "fault": None,
        "settings": "s",
        "hashes": ["h", "h"],
        "clocks": ["2000ms + 50ms", "500ms per move"],
        **changes,
    }


def fault(seat: int, reason: str, detail: str) -> dict[str, Any]:
    return {"seat": seat, "reason": reason, "detail": detail}


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Iterator[Command]:
    """Replay a game of these records; exit code and what was printed."""
    before = [(one, signal.getsignal(one)) for one in (signal.SIGTERM, signal.SIGHUP)]

    def run(
        *records: Record, game: str | None = None, words: Sequence[str] = ()
    ) -> tuple[int, str, str]:
        (tmp_path / "games.jsonl").write_bytes(b"".join(map(to_line, records)))
        code = cli.main(["replay", str(tmp_path), game or records[0]["id"], "--all", *words])
        return code, *capsys.readouterr()

    yield run
    for one, handler in before:
        signal.signal(one, handler)


@pytest.mark.parametrize("variant", [*BUILT_IN, str(TICTACTOE)])
def test_every_ply_has_its_board(command: Command, variant: str) -> None:
    """Who played what, the board after it, and in the end who won and why."""
    record = play(variant)
    rules = find_variant(variant).on()
    words = ["--variant-file", variant] if variant.endswith(".py") else []
    code, out, err = command(record, words=words)
    assert (code, err) == (0, "")
    for ply, move in enumerate(record["moves"], start=1):
        name = record["bots"][(ply - 1) % 2]
        mark = rules.marks[(ply - 1) % 2]
        board = rules.draw(play_moves(rules, record["moves"][:ply]))
        assert re.search(
            rf"^{ply}\. {name} \({re.escape(mark)}\) plays {re.escape(move)}   \[.*\]\n\n"
            + re.escape(f"{board}\n\n"),
            out,
            re.MULTILINE,
        )
    winner = "alpha" if record["score"][0] else "beta"
    last = out.splitlines()[-1]
    assert last.startswith(f"{winner} wins: " if 1 in record["score"] else "a draw: ")
    assert last.endswith(f", after {len(record['moves'])} plies")


def test_the_whole_page_of_a_short_game(command: Command) -> None:
    """Letter by letter: clocks, times, what the bots said, boards and the outcome."""
    record = play("lockdown") | {
        "moves": ["1,1", "1,4", "4,1", "4,4"],
        "ms": [None, None, 12.34, 1500.0],
        "score": [0, 1],
        "reason": "no-moves",
        "clocks": ["2000ms + 50ms", "no clock"],
        "info": [[0, 1, "hello"], [3, 1, "depth 7"], [3, 1, "a corner"], [4, 2, "sure"]],
    }
    _, out, _ = command(record)
    assert (
        out
        == """\
lockdown-4x4.alpha.beta.1a: alpha (X, seat 1, 2000ms + 50ms) against beta (O, seat 2, no clock)
   hello

. . . .
. . . .
. . . .
. . . .

1. alpha (X) plays 1,1   [opening]

X # . .
# # . .
. . . .
. . . .

2. beta (O) plays 1,4   [opening]

X # # O
# # # #
. . . .
. . . .

3. alpha (X) plays 4,1   [12.3 ms; alpha 2,037.7 ms left, beta 0.0 ms in all]
   depth 7
   a corner

X # # O
# # # #
# # . .
X # . .

4. beta (O) plays 4,4   [1,500.0 ms; alpha 2,037.7 ms left, beta 1,500.0 ms in all]
   sure

X # # O
# # # #
# # # #
X # # O

beta wins: alpha has no valid move, after 4 plies
"""
    )


def test_a_fault_is_told_at_the_end(command: Command) -> None:
    """With what the bot said in the turn that it never finished."""
    wrong = fault(2, "timeout", "did not answer in time")
    record = play(plies=3, score=[1, 0], reason="timeout", fault=wrong, info=[[4, 2, "hm…"]])
    _, out, _ = command(record)
    assert out.endswith(
        "   hm…\nalpha wins: beta ran out of time, after 3 plies\nbeta did not answer in time\n"
    )


def test_both_faults_are_told(command: Command) -> None:
    """Both lost, each by its own doing."""
    faults = [fault(1, "start", "exited"), fault(2, "start", "declined")]
    record = play(plies=2, score=[0, 0], reason="start", fault=faults[0], faults=faults)
    _, out, _ = command(record)
    assert out.endswith("both lose: start, after 2 plies\nalpha exited\nbeta declined\n")


def test_a_resignation_ends_a_game_too(command: Command) -> None:
    """The rules know nothing of it, and the record may say so."""
    assert command(play(plies=4))[1].endswith("beta wins: alpha resigned, after 4 plies\n")


def test_a_game_without_moves(command: Command) -> None:
    """Its start and its end."""
    record = play(
        plies=0, opening=0, score=[0, 1], reason="start", fault=fault(1, "start", "exited")
    )
    _, out, _ = command(record)
    assert out.endswith("beta wins: alpha could not start, after 0 plies\nalpha exited\n")


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda record: record["moves"].__setitem__(2, "9,9"), "move 3 (9,9) is not legal in its"),
        (lambda record: record["moves"].__setitem__(3, record["moves"][1]), "move 4 ("),
        (lambda record: record["moves"].append("1,1") or record["ms"].append(1.0), " is not legal"),
        (lambda record: record["score"].reverse(), "its moves do not lead to the outcome"),
        (lambda record: record.update(reason="goal"), "its moves do not lead to the outcome"),
        (lambda record: record.update(score=[0.5, 0.5]), "its moves do not lead to the outcome"),
        (
            lambda record: record.update(fault=fault(1, "crash", "exited"), reason="crash"),
            "its moves do not lead to the outcome",
        ),
        (
            lambda record: record["moves"].pop() and record["ms"].pop(),
            "its moves do not lead to the outcome that it records",
        ),
    ],
)
def test_a_corrupted_record_is_refused(
    command: Command, damage: Callable[[Record], Any], message: str
) -> None:
    """It names the game, and prints none of it."""
    record = play()
    damage(record)
    code, out, err = command(play(seed=2), record, game=record["id"])
    assert (code, out) == (2, "")
    assert err.startswith(f"referee: {record['id']}: ")
    assert message in err
    assert err.count("\n") == 1


def test_a_record_of_an_unknown_board_is_refused(command: Command) -> None:
    """One sentence, exit code 2."""
    chess = play() | {"variant": "chess", "id": "chess-5x5.alpha.beta.1a"}
    assert "there is no variant 'chess'" in command(chess)[2]
    large = play() | {"rows": 99, "id": "standoff-99x5.alpha.beta.1a"}
    assert "rows and columns go from 3 to 16" in command(large)[2]


@pytest.mark.parametrize(
    "damage", [{"score": [5, 0]}, {"bots": ["alpha", "alpha"]}, {"encounter": 7}, {"info": [1]}]
)
@pytest.mark.parametrize("words", [("replay",), ("turn", "3")])
def test_a_damaged_record_is_named(
    referee: Referee, tmp_path: Path, damage: dict[str, Any], words: tuple[str, ...]
) -> None:
    """By its line, before anything is made of it."""
    record = play(seed=2) | damage
    (tmp_path / "cup").mkdir()
    (tmp_path / "cup" / "games.jsonl").write_bytes(to_line(play()) + to_line(record))
    refusal = referee.refuse(words[0], "cup", record["id"], *words[1:])
    place = "cup/games.jsonl: line 2: the record of standoff-5x5.alpha.beta.2a is damaged: "
    assert refusal.startswith(place)


def test_an_unknown_game_gets_suggestions(command: Command) -> None:
    """The ids that look most like it; some of those there are if none does."""
    records = [play(seed=seed) for seed in range(1, 5)]
    code, out, err = command(*records, game="standoff-5x5.alpha.beta.3b")
    assert (code, out) == (2, "")
    assert "there is no game 'standoff-5x5.alpha.beta.3b' in " in err
    assert "standoff-5x5.alpha.beta.3a" in err
    assert "; there is standoff-5x5.alpha.beta.1a, " in command(*records, game="zzz")[2]


def test_no_game_yet(command: Command, tmp_path: Path) -> None:
    """A tournament that has just been started."""
    manifest = {"name": "Cup", "bots": ["a", "b"], "boards": {"standoff-5x5": "standoff"}}
    (tmp_path / "tournament.json").write_text(json.dumps(manifest))
    assert command(game="x")[2] == f"referee: there is no game 'x' in {tmp_path}: it has none yet\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with one game of lockdown."""
    (tmp_path / "games.jsonl").write_bytes(to_line(play("lockdown")))
    return tmp_path


GAME = "lockdown-4x4.alpha.beta.1a"


def test_in_a_pipe_all_is_printed_at_once(referee: Referee, folder: Path) -> None:
    """The same as with --all."""
    piped = referee("replay", ".", GAME, stdin=subprocess.DEVNULL)
    assert (piped.returncode, piped.stderr) == (0, "")
    assert piped.stdout == referee("replay", ".", GAME, "--all").stdout
    assert piped.stdout.count(" plays ") == 4


class Terminal:
    """A person at a terminal who watches a replay."""

    def __init__(self, folder: Path) -> None:
        self._main, terminal = pty.openpty()
        command = [sys.executable, "-m", "referee", "replay", ".", GAME]
        self.process = subprocess.Popen(
            command, cwd=folder, stdin=terminal, stdout=terminal, stderr=terminal
        )
        os.close(terminal)
        self.page = self.read()

    def read(self) -> str:
        """What is shown until the next question, or until the end."""
        shown = ""
        while not shown.endswith("end > "):
            try:
                shown += os.read(self._main, 65536).decode()
            except OSError:  # it has gone
                break
        return shown.replace("\r\n", "\n")

    def press(self, keys: str) -> str:
        """Type this, and Enter; what is shown then."""
        os.write(self._main, f"{keys}\n".encode())
        self.page = self.read()
        return self.page

    def close(self) -> int:
        self.process.wait()
        os.close(self._main)
        return self.process.returncode


@pytest.fixture
def terminal(folder: Path) -> Iterator[Terminal]:
    """A replay that waits for the first key."""
    terminal = Terminal(folder)
    with ended(terminal.process):
        yield terminal


def test_stepping_through_a_game(terminal: Terminal) -> None:
    """Enter is the next move, b the one before, q the end."""
    assert "[0/5] Enter: next, b: back, q: end > " in terminal.page
    assert "alpha (X, seat 1" in terminal.page
    assert "1. alpha (X) plays" in terminal.press("")
    assert "2. beta (O) plays" in terminal.press("")
    assert "1. alpha (X) plays" in terminal.press("b")
    assert "[0/5]" in terminal.press("B")
    assert "[0/5]" in terminal.press("b")
    assert "1. alpha (X) plays" in terminal.press("")
    assert " plays " not in terminal.press("q")
    assert terminal.close() == 0


def test_the_last_enter_ends_the_replay(terminal: Terminal) -> None:
    """After the outcome there is nothing left to show."""
    pages = [terminal.press("") for _ in range(5)]
    assert "wins: " in pages[-1]
    assert "[5/5]" in pages[-1]
    assert "4. beta (O) plays" in terminal.press("b")
    assert "wins: " in terminal.press("")
    terminal.press("")
    assert terminal.close() == 0


def test_the_end_of_input_ends_the_replay(terminal: Terminal) -> None:
    """Ctrl-D is as good as q."""
    assert " plays " not in terminal.press("\x04")
    assert terminal.close() == 0


def test_a_variant_of_your_own_is_shown_if_you_name_it(command: Command, tmp_path: Path) -> None:
    """Otherwise all but its boards is shown, and it is said what is missing."""
    record = play(str(TICTACTOE))
    code, out, err = command(record)
    assert code == 0
    assert "referee: without boards: there is no variant 'tictactoe'" in err
    assert "if you have its file, and trust it: --variant-file FILE.py" in err
    move = record["moves"][2]
    assert f"3. alpha plays {move}   [13.5 ms; " in out
    assert out.splitlines()[-1].endswith(f", after {len(record['moves'])} plies")
    code, out, err = command(record, words=["--variant-file", str(TICTACTOE)])
    assert (code, err) == (0, "")
    assert f"3. alpha (X) plays {move}" in out
