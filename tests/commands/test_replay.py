"""`referee replay`: a recorded game, ply by ply, if its record can be trusted."""

import json
import random
import re
import shlex
import signal
import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from referee import cli
from referee.records.record import to_line
from referee.rules import BUILT_IN, find_variant, play_moves
from tests.conftest import ROOT, Referee, command_line
from tests.support.analysed_games import errors_by_game, games, write_analysed
from tests.support.processes import PATIENCE_SECONDS
from tests.support.terminals import (
    BACKSPACE,
    CTRL_C,
    CTRL_D,
    CTRL_Z,
    DOWN,
    ENTER,
    ESCAPE,
    LEFT,
    RIGHT,
    UP,
    Terminal,
)

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
def test_replay_prints_a_board_for_every_ply(command: Command, variant: str) -> None:
    """The player and the move, the board after it, and at the end the winner and the reason."""
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


def test_replay_prints_a_short_game_exactly(command: Command) -> None:
    """Letter by letter: clocks, times, `info` lines, boards and the outcome."""
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

   1 2 3 4
1  . . . .
2  . . . .
3  . . . .
4  . . . .

1. alpha (X) plays 1,1   [opening]

   1 2 3 4
1  X # . .
2  # # . .
3  . . . .
4  . . . .

2. beta (O) plays 1,4   [opening]

   1 2 3 4
1  X # # O
2  # # # #
3  . . . .
4  . . . .

3. alpha (X) plays 4,1   [12.3 ms; alpha 2.04 s left, beta 0.00 ms in all]
   depth 7
   a corner

   1 2 3 4
1  X # # O
2  # # # #
3  # # . .
4  X # . .

4. beta (O) plays 4,4   [1.50 s; alpha 2.04 s left, beta 1.50 s in all]
   sure

   1 2 3 4
1  X # # O
2  # # # #
3  # # # #
4  X # # O

beta wins: alpha has no valid move, after 4 plies
"""
    )


def test_replay_prints_a_fault_at_the_end(command: Command) -> None:
    """With the `info` lines of the turn that the bot did not finish."""
    wrong = fault(2, "timeout", "did not answer in time")
    record = play(plies=3, score=[1, 0], reason="timeout", fault=wrong, info=[[4, 2, "hm…"]])
    _, out, _ = command(record)
    assert out.endswith(
        "   hm…\nalpha wins: beta ran out of time, after 3 plies\nbeta did not answer in time\n"
    )


def test_replay_prints_the_faults_of_both_bots(command: Command) -> None:
    """Both lost, each by its own fault."""
    faults = [fault(1, "start", "exited"), fault(2, "start", "declined")]
    record = play(plies=2, score=[0, 0], reason="start", fault=faults[0], faults=faults)
    _, out, _ = command(record)
    assert out.endswith("both lose: start, after 2 plies\nalpha exited\nbeta declined\n")


def test_a_resignation_ends_a_game_too(command: Command) -> None:
    """It is not part of the rules, and is valid in a record."""
    assert command(play(plies=4))[1].endswith("beta wins: alpha resigned, after 4 plies\n")


def test_replay_of_a_game_without_moves_has_start_and_end(command: Command) -> None:
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
def test_replay_names_a_damaged_record(
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


def test_replay_without_a_game_is_an_error(command: Command, tmp_path: Path) -> None:
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


def test_replay_in_a_pipe_prints_all_plies_at_once(referee: Referee, folder: Path) -> None:
    """The same as with --all."""
    piped = referee("replay", ".", GAME, stdin=subprocess.DEVNULL)
    assert (piped.returncode, piped.stderr) == (0, "")
    assert piped.stdout == referee("replay", ".", GAME, "--all").stdout
    assert piped.stdout.count(" plays ") == 4


@pytest.fixture
def cup(tmp_path: Path) -> Path:
    """A folder with a game of each variant, and a seventh whose rules are not installed."""
    games = [play(variant) for variant in BUILT_IN]
    large = {"id": "lockdown-16x16.alpha.beta.1a", "rows": 16, "cols": 16, "moves": ["16,16"]}
    games.append(play("lockdown", plies=1, opening=1) | large)
    games.append(play(str(TICTACTOE)))
    (tmp_path / "games.jsonl").write_bytes(b"".join(map(to_line, games)))
    return tmp_path


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    """A window of the usual size."""
    with Terminal(24, 80) as terminal:
        yield terminal


def test_the_arrow_keys_step_and_the_board_stays_in_place(cup: Path, terminal: Terminal) -> None:
    """In a window of 80 columns; what was there before comes back at the end."""
    before = terminal.settings()
    process = terminal.start("replay", ".", GAME, folder=cup)
    screen = terminal.wait_until_shown("ply 0 of 4", "q end")
    assert screen.lines[:9] == [
        f"{GAME}  game 3 of 7",
        "alpha (X, seat 1, 2000ms + 50ms) against beta (O, seat 2, 500ms per move)",
        "",
        "   1 2 3 4",
        "1  . . . .",
        "2  . . . .",
        "3  . . . .",
        "4  . . . .",
        "",
    ]
    assert screen.is_alternate
    assert not screen.has_cursor
    terminal.type(RIGHT)
    terminal.wait_until_shown("1. alpha (X) plays", "ply 1 of 4", "#")
    assert screen.lines[3] == "   1 2 3 4"
    terminal.type(RIGHT + ENTER)
    terminal.wait_until_shown("3. alpha (X) plays", "ply 3 of 4", absent="1. alpha")
    terminal.type(LEFT)
    terminal.wait_until_shown("2. beta (O) plays", "ply 2 of 4")
    terminal.type(DOWN)
    terminal.wait_until_shown("beta wins: alpha has no valid move, after 4 plies", "end, 4 plies")
    assert screen.lines[3] == "   1 2 3 4"
    terminal.type(f"{RIGHT}{LEFT}")
    terminal.wait_until_shown("4. beta (O) plays", "ply 4 of 4")
    terminal.type(f"{UP}{LEFT}")
    terminal.wait_until_shown("ply 0 of 4", absent="plays")
    assert max(map(len, screen.lines)) <= 80
    terminal.type("q")
    terminal.finish(process)
    assert process.returncode == 0
    assert (screen.is_alternate, screen.has_cursor, screen.wraps) == (False, True, True)
    assert screen.text.strip() == ""
    assert terminal.settings() == before


def test_replay_shows_marks_in_colour_and_the_last_move_reversed(
    cup: Path, terminal: Terminal
) -> None:
    """By the same colours as in a game with a person."""
    record = play("crossfire")
    process = terminal.start("replay", ".", record["id"], folder=cup)
    terminal.wait_until_shown("ply 0 of")
    terminal.type(RIGHT)
    screen = terminal.wait_until_shown("ply 1 of", "X")
    assert screen.style_of("X", first_row=4) == "1;36;7"
    assert screen.style_of("#", first_row=4) == "31"
    terminal.type(RIGHT)
    screen = terminal.wait_until_shown("ply 2 of")
    assert screen.style_of("O", first_row=4) == "1;33;7"
    assert screen.style_of("X", first_row=4) == "1;36"
    terminal.type("q")
    terminal.finish(process)


def test_replay_without_colour_if_no_color_is_set(cup: Path, terminal: Terminal) -> None:
    """By NO_COLOR; the keys work as usual."""
    process = terminal.start("replay", ".", GAME, folder=cup, environment={"NO_COLOR": "1"})
    terminal.wait_until_shown("ply 0 of 4")
    terminal.type(RIGHT)
    terminal.wait_until_shown("ply 1 of 4")
    terminal.type("q")
    assert re.search(r"\x1b\[[\d;]*m", terminal.finish(process)) is None


def test_a_terminal_whose_cursor_does_not_move_gets_all_at_once(
    cup: Path, terminal: Terminal
) -> None:
    """As a pipe does."""
    process = terminal.start("replay", ".", GAME, folder=cup, environment={"TERM": "dumb"})
    shown = terminal.finish(process)
    assert shown.count(" plays ") == 4
    assert "\x1b" not in shown


def test_space_plays_and_pauses(cup: Path, terminal: Terminal) -> None:
    """To the end, where it stops; from there it starts again."""
    process = terminal.start("replay", ".", GAME, folder=cup)
    terminal.wait_until_shown("ply 0 of 4", "space play")
    terminal.type(" ")
    terminal.wait_until_shown("ply 1 of 4", "space pause")
    terminal.type(" ")
    terminal.wait_until_shown("space play")
    terminal.type(" ")
    terminal.wait_until_shown("end, 4 plies", "space play")
    terminal.type(" ")
    terminal.wait_until_shown("ply 1 of 4", "space pause")
    terminal.type(LEFT)
    terminal.wait_until_shown("ply 0 of 4", "space play")
    terminal.type("q")
    terminal.finish(process)


def test_key_g_goes_to_a_ply(cup: Path, terminal: Terminal) -> None:
    """A number that is entered below the board; Escape leaves everything as it was."""
    process = terminal.start("replay", ".", GAME, folder=cup)
    terminal.wait_until_shown("ply 0 of 4")
    terminal.type(f"g1{BACKSPACE}3")
    terminal.wait_until_shown("go to ply (0 to 4, Enter; Escape: stay): 3_")
    terminal.type(ENTER)
    terminal.wait_until_shown("3. alpha (X) plays", "ply 3 of 4")
    terminal.type(f"g99{ENTER}")
    terminal.wait_until_shown("there is no ply 99: the last is 4", "3. alpha (X) plays")
    terminal.type("g1")
    terminal.wait_until_shown(": 1_")
    terminal.type(ESCAPE)
    terminal.wait_until_shown("ply 3 of 4")
    terminal.type(f"g{ENTER}")
    terminal.wait_until_shown("ply 3 of 4")
    terminal.type(f"g0{ENTER}")
    terminal.wait_until_shown("ply 0 of 4")
    terminal.type("q")
    terminal.finish(process)


def test_keys_n_and_p_go_to_other_games(cup: Path, terminal: Terminal) -> None:
    """In the order of `referee games`; a game that cannot be shown does not end the replay."""
    broken = play("runner", seed=2)
    broken["moves"][0] = "9,9"
    with (cup / "games.jsonl").open("ab") as file:
        file.write(to_line(broken))
    process = terminal.start("replay", ".", GAME, folder=cup)
    terminal.wait_until_shown("game 3 of 8")
    terminal.type("p")
    terminal.wait_until_shown("barricade-5x5.alpha.beta.1a  game 2 of 8", "0  A . . . .")
    terminal.type("pp")
    terminal.wait_until_shown("standoff-5x5.alpha.beta.1a  game 1 of 8", "this is the first game")
    terminal.type("nnn")
    terminal.wait_until_shown("runner-5x5.alpha.beta.1a  game 4 of 8", "Row\\Col | 1   2")
    terminal.type("nnn")
    terminal.wait_until_shown("game 7 of 8", "without boards: there is no variant 'tictactoe'")
    terminal.type(RIGHT)
    terminal.wait_until_shown("1. alpha plays")
    terminal.type("n")
    terminal.wait_until_shown("move 1 (9,9) is not legal in its position", "game 8 of 8")
    terminal.type("n")
    terminal.wait_until_shown("this is the last game")
    terminal.type("p")
    terminal.wait_until_shown("game 7 of 8")
    terminal.type("q")
    terminal.finish(process)
    assert process.returncode == 0


def test_the_largest_board_fits_24_lines(cup: Path, terminal: Terminal) -> None:
    """With players, move and keys; after a change of the size everything is drawn again."""
    process = terminal.start("replay", ".", "lockdown-16x16.alpha.beta.1a", folder=cup)
    terminal.wait_until_shown("ply 0 of 1")
    terminal.type(RIGHT)
    screen = terminal.wait_until_shown("ply 1 of 1")
    assert "1. alpha (X) plays 16,16" in screen.text
    assert [line for line in screen.lines if line.startswith("16 ")] == [
        "16   .  .  .  .  .  .  .  .  .  .  .  .  .  .  #  X"
    ]
    terminal.resize(30, 100)
    screen = terminal.wait_until_shown("ply 1 of 1", "16   .")
    assert screen.lines[29].startswith("ply 1 of 1")
    terminal.type("q")
    terminal.finish(process)


@pytest.mark.parametrize("how", [CTRL_C, signal.SIGTERM, signal.SIGHUP])
def test_an_interruption_restores_the_terminal(
    cup: Path, terminal: Terminal, how: str | signal.Signals
) -> None:
    """Exit code 130, and no traceback."""
    before = terminal.settings()
    process = terminal.start("replay", ".", GAME, folder=cup)
    terminal.wait_until_shown("ply 0 of 4")
    assert terminal.settings() != before
    if isinstance(how, str):
        terminal.type(how)
    else:
        process.send_signal(how)
    shown = terminal.finish(process)
    assert process.returncode == 130
    assert "Traceback" not in shown
    assert terminal.settings() == before
    assert (terminal.screen.is_alternate, terminal.screen.has_cursor) == (False, True)


def test_a_terminal_that_is_closed_ends_the_replay(cup: Path) -> None:
    """Nothing is left that waits for keys."""
    terminal = Terminal(24, 80)
    with terminal:
        process = terminal.start("replay", ".", GAME, folder=cup)
        terminal.wait_until_shown("ply 0 of 4")
        terminal.hang_up()
        assert process.wait(PATIENCE_SECONDS) in (0, 130)


def test_ctrl_d_ends_the_replay(cup: Path, terminal: Terminal) -> None:
    """As q does."""
    process = terminal.start("replay", ".", GAME, folder=cup)
    terminal.wait_until_shown("ply 0 of 4")
    terminal.type(CTRL_D)
    terminal.finish(process)
    assert process.returncode == 0


def test_ctrl_z_gives_the_terminal_back_and_fg_draws_again(cup: Path, terminal: Terminal) -> None:
    """As programs with an alternate screen do."""
    shell = terminal.start_shell(cup)
    before = terminal.settings()
    terminal.type(f"{shlex.join(command_line('replay', '.', GAME))}\n")
    terminal.wait_until_shown("ply 0 of 4")
    terminal.type(RIGHT)
    terminal.wait_until_shown("ply 1 of 4")
    terminal.type(CTRL_Z)
    screen = terminal.wait_until_shown("Stopped")
    assert (screen.is_alternate, screen.has_cursor) == (False, True)
    terminal.type("clear; echo still $((6 * 7))\n")
    terminal.wait_until_shown("still 42")
    assert terminal.settings()[3] == before[3]
    terminal.type("fg\n")
    terminal.wait_until_shown("ply 1 of 4", "1. alpha (X) plays")
    terminal.type(RIGHT)
    terminal.wait_until_shown("ply 2 of 4")
    terminal.type("q")
    terminal.wait_until_shown("still 42")
    terminal.type("exit\n")
    terminal.finish(shell)


def test_a_variant_of_your_own_is_shown_if_you_name_it(command: Command, tmp_path: Path) -> None:
    """Otherwise all but its boards is shown, and a message names what is missing."""
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


def test_an_analysed_game_has_verdicts_and_e_goes_to_errors(
    tmp_path: Path, terminal: Terminal
) -> None:
    """A line under the board names the winner; e goes from error to error, and round."""
    folder = write_analysed(tmp_path / "cup")
    game, errors = next(
        (game, errors) for game, errors in errors_by_game(folder).items() if len(errors) > 1
    )
    record = next(record for record in games() if record["id"] == game)
    printed = Referee(folder)("replay", ".", game).stdout
    assert printed.count(" ??") == len(errors)
    process = terminal.start("replay", ".", game, folder=folder)
    terminal.wait_until_shown("ply 0 of", "to move: ", "e error")
    for at in [*errors, errors[0]]:
        terminal.type("e")
        mover, move = record["bots"][at % 2], record["moves"][at]
        terminal.wait_until_shown(f"ply {at} of", f"{mover} to move: ", f"it played {move} ??")
    terminal.type("q")
    terminal.finish(process)
