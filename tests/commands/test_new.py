"""`referee new`: starter bots in ten languages, each of which plays every variant."""

import os
import re
import shlex
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from referee.bots.bot import Bot, close_all
from referee.bots.launcher import Launcher
from referee.commands.new import LANGUAGES, STARTERS
from referee.config.bot_command import parse_command
from referee.game.config import GameConfig, GameSetup
from referee.game.loop import play_game
from referee.game.result import PlayedGame
from referee.protocol.time_control import TimeControl
from referee.rules import BUILT_IN, Size, find_variant, play_moves
from tests.conftest import ROOT, Referee
from tests.support.processes import PATIENCE_SECONDS
from tests.support.starters import Starter, build_starter
from tests.support.tools import needs

RANDOM = str(ROOT / "bots" / "random_bot.py")
AMPLE = TimeControl.per_move("60s")
MARKER = ">>> YOUR CODE GOES HERE: return a better move than this random one. <<<"
GAME = "game protocol=1 id=x variant=crossfire rows=6 cols=6 origin=0 seat=1 seed={} move_ms=1000"
CELLS = [f"{row},{col}" for row in range(6) for col in range(6)]
TURN = (
    "turn ply={} time_ms=987 opp_ms=1000 moves=- board=" + "/".join(["......"] * 6)
) + f" legal={';'.join(CELLS)}"


@pytest.fixture(params=LANGUAGES, scope="module")
def starter(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Starter:
    """Build a starter bot in each language."""
    return build_starter(request.param, tmp_path_factory)


def play_all(starter: Starter, setups: list[tuple[int, GameSetup]]) -> list[PlayedGame]:
    """Play games of a starter bot in these seats against the random bot: one process, no fault."""
    with Launcher() as launcher:
        ours = Bot("starter", starter.command(), launcher)
        other = Bot("random", parse_command(RANDOM, ROOT), launcher)
        processes = set()
        games = []
        try:
            for seat, setup in setups:
                games.append(play_game(setup, (ours, other) if seat == 1 else (other, ours)))
                processes.add(ours.process)
        finally:
            close_all([ours, other])
    assert len(processes) == 1
    assert ours.warnings == []
    assert [fault for game in games for fault in game.faults] == []
    return games


def setup_of(name: str, seed: int = 1, size: Size | None = None) -> GameSetup:
    variant = find_variant(name)
    size = size or variant.size
    config = GameConfig(name, size, variant.on(size), (AMPLE, AMPLE))
    return GameSetup(f"{name}-{size}.a.b.1a", config, seed=seed)


def test_starter_plays_every_variant_from_both_seats(starter: Starter) -> None:
    """One process plays ten games without a fault."""
    setups = [(seat, setup_of(name, seed=7 * seat)) for name in BUILT_IN for seat in (1, 2)]
    for (seat, setup), game in zip(setups, play_all(starter, setups), strict=True):
        lines = [
            (entry.sent, entry.line.decode())
            for entry in game.transcript.entries
            if entry.seat == seat
        ]
        turns = [dict(re.findall(r"(\w+)=(\S+)", line)) for _, line in lines if "turn " in line]
        variant, size, rules = setup.config.variant, setup.config.size, setup.config.rules
        notes = [line for sent, line in lines if not sent and line.startswith("info ")]
        assert notes == [
            f"info {variant} {size} from {rules.origin}, seat {seat},"
            f" ply {turn['ply']}, {turn['time_ms']} ms, {turn['board'].count('.')} empty cells,"
            f" {len(turn['legal'].split(';'))} legal moves"
            for turn in turns
        ]


def test_starter_plays_on_the_smallest_and_the_largest_board(starter: Starter) -> None:
    """With the shortest and the longest lines."""
    sizes = (Size(3, 3), Size(16, 16), Size(3, 16))
    setups = [(1, setup_of(name, size=size)) for size in sizes for name in ("standoff", "runner")]
    for (_, setup), game in zip(setups, play_all(starter, setups), strict=True):
        rules = setup.config.rules
        assert rules.outcome(play_moves(rules, game.moves)) == game.outcome


def test_starter_moves_depend_on_the_seed_alone(starter: Starter) -> None:
    """Not on the process or the games before."""
    seeds = [1, 2, 3, 2, 1]
    games = play_all(starter, [(1, setup_of("standoff", seed)) for seed in seeds])
    again = play_all(starter, [(1, setup_of("standoff", 1))])
    moves = [game.moves for game in (*games, *again)]
    assert moves[0] == moves[4] == moves[5]
    assert moves[1] == moves[3]
    assert len(set(moves)) == 3


def test_starter_random_numbers_differ_between_seeds_and_plies(starter: Starter) -> None:
    """Any number is accepted as a seed."""
    seeds = [0, 1, 2, 91733, 2**31 - 2, 2**63, 10**30, -5]
    lines = [line for seed in seeds for line in (GAME.format(seed), *map(TURN.format, range(1, 9)))]
    moves = re.findall("^move (.*)$", starter.tell(*lines).stdout, re.MULTILINE)
    assert len(moves) == 8 * len(seeds)
    assert set(moves) <= set(CELLS)
    rows = [tuple(moves[start : start + 8]) for start in range(0, len(moves), 8)]
    assert len(set(rows[:5])) == 5
    assert all(len(set(row)) >= 4 for row in rows)


def test_starter_answer_does_not_depend_on_earlier_turns(starter: Starter) -> None:
    """So a single turn can be repeated, for example in a debugger."""
    game = [GAME.format(5), *map(TURN.format, (1, 3, 5))]
    whole, alone = starter.tell(*game), starter.tell(game[0], game[-1])
    assert whole.stdout.splitlines()[-1] == alone.stdout.splitlines()[-1]


def test_starter_ignores_unknown_verbs_keys_and_words(starter: Starter) -> None:
    """It does not answer them."""
    plain = starter.tell(GAME.format(5), TURN.format(3), "quit")
    odd = starter.tell(
        "hello protocol=2",
        "",
        f"{GAME.format(5)} colour=blue flag a=b=c",
        "end result=win reason=no-moves moves=-",
        GAME.format(5).replace("game ", "game new=1 "),
        "weather rain=1 legal=9,9",
        TURN.format(3).replace("turn ", "turn colour=red flag retry=1 a=b=c "),
        "end result=loss reason=of-its-own moves=3,3",
        "gameover",
        "quit",
        GAME.format(5),
    )
    assert (plain.returncode, plain.stderr) == (odd.returncode, odd.stderr) == (0, "")
    assert odd.stdout == f"ready\n{plain.stdout}"


@pytest.mark.parametrize("lines", [(), (GAME.format(1),), (GAME.format(1), TURN.format(1))])
def test_starter_exits_at_the_end_of_input(starter: Starter, lines: tuple[str, ...]) -> None:
    """In every phase."""
    result = starter.tell(*lines)
    assert (result.returncode, result.stderr) == (0, "")
    assert len(result.stdout.splitlines()) == len(lines) + len(lines) // 2


def test_starter_builds_without_a_warning(starter: Starter) -> None:
    """The build prints nothing."""
    assert "warning" not in starter.built.lower()


def test_starter_marks_the_function_to_change(starter: Starter) -> None:
    """With the same words in every language, and it contains the bot's name."""
    source = (starter.folder / starter.language.source).read_text()
    assert source.count(MARKER) == 1
    assert f"{starter.folder.name}, a Blockade bot" in source
    texts = [source, *((starter.folder / name).read_text() for name in ("README.md", "entry.yaml"))]
    assert not any(re.search(r"@[A-Z]+@", text) for text in texts)


def test_starter_readme_has_five_lines(starter: Starter) -> None:
    """What it is, and how to build, check and play it."""
    lines = [line for line in (starter.folder / "README.md").read_text().splitlines() if line]
    assert len(lines) == 5
    assert [re.match(r"- (\w+): ", line).group(1) for line in lines[2:]] == [  # type: ignore[union-attr]
        "Build",
        "Check",
        "Play",
    ]


def test_starter_readme_command_plays_a_game(starter: Starter) -> None:
    """In the folder of the bot."""
    readme = (starter.folder / "README.md").read_text()
    line = re.search("^- Play: `(.*)`$", readme, re.MULTILINE).group(1)  # type: ignore[union-attr]
    shown = in_a_shell(f"{line} --per-move 60s", starter.folder)
    assert " wins: " in shown.splitlines()[-1]


def test_new_prints_an_entry_for_a_tournament_file(starter: Starter) -> None:
    """It can be put under `bots:` without changes."""
    text = (starter.folder / "entry.yaml").read_text()
    expected = {"name": starter.folder.name, "command": starter.language.command}
    if starter.language.build:
        expected["build"] = starter.language.build
    expected["dir"] = starter.folder.name
    assert yaml.safe_load(f"bots:\n{text}") == {"bots": [expected]}
    assert text.partition("\n")[2] in starter.printed


@pytest.mark.parametrize("language", ["bash", "c"])
def test_new_prints_steps_that_work(referee: Referee, language: str) -> None:
    """Also in a folder with blanks and quotes in its name."""
    needs(*LANGUAGES[language].needs)
    result = referee("new", language, "my bots/it's $HOME", "--name", "one")
    assert (result.returncode, result.stderr) == (0, "")
    steps = re.findall("^  (cd .*|make|referee play .*)$", result.stdout, re.MULTILINE)
    assert len(steps) == 2 + (language == "c")
    shown = in_a_shell("\n".join(steps) + " --per-move 60s", referee.folder)
    assert " wins: " in shown.splitlines()[-1]


def in_a_shell(command: str, folder: Path) -> str:
    """Return the output of a command in a shell."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    result = subprocess.run(
        ["sh", "-ec", command],
        cwd=folder,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
    )
    assert (result.returncode, result.stderr) == (0, ""), result
    return result.stdout


def test_new_makes_only_scripts_executable(referee: Referee) -> None:
    """They can be started by name."""
    for language in ("python", "bash", "c"):
        assert referee("new", language, language).returncode == 0
    modes = {path: path.stat().st_mode & stat.S_IXUSR for path in referee.folder.glob("*/*")}
    assert {path.name for path, executable in modes.items() if executable} == {"bot.py", "bot.sh"}


def test_new_accepts_empty_and_nested_folders(referee: Referee) -> None:
    """Also the current folder."""
    (referee.folder / "mine").mkdir()
    for folder in ("mine", "deep/er/still"):
        assert referee("new", "perl", folder).returncode == 0
        assert (referee.folder / folder / "bot.pl").is_file()
    here = Referee(referee.folder / "here")
    here.folder.mkdir()
    assert here("new", "tcl", ".").returncode == 0
    assert yaml.safe_load((here.folder / "entry.yaml").read_text())[0]["name"] == "here"


@pytest.mark.parametrize("name", ["null", "1e3", "0x10", "no", "2026-01-01", "---", "_", "A-b_9"])
def test_new_quotes_names_for_yaml(referee: Referee, name: str) -> None:
    """A name that YAML would read as another type stays a name."""
    assert referee("new", "bash", "bot", f"--name={name}").returncode == 0
    assert yaml.safe_load((referee.folder / "bot" / "entry.yaml").read_text())[0]["name"] == name


@pytest.mark.parametrize(
    ("word", "source"),
    [("py", "bot.py"), ("JS", "bot.js"), ("node", "bot.js"), ("Cpp", "bot.cpp"), ("sh", "bot.sh")],
)
def test_new_accepts_other_names_of_a_language(referee: Referee, word: str, source: str) -> None:
    """In lower or upper case."""
    assert referee("new", word, "bot").returncode == 0
    assert (referee.folder / "bot" / source).is_file()


def test_new_language_names_are_unique() -> None:
    """And every language has a template."""
    names = [name for key, language in LANGUAGES.items() for name in (key, *language.aliases)]
    assert len(set(names)) == len(names)
    folders = {path.name for path in STARTERS.iterdir() if path.is_dir()}
    assert folders == {language.folder for language in LANGUAGES.values()}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("pyton bot", "there is no language 'pyton': did you mean python?"),
        ("cobol bot", "there is no language 'cobol': there are python, c, c++, rust, go, java"),
        ("python full", "full exists and is not empty: name a new or an empty folder"),
        ("python full/notes", "full/notes exists and is no folder: name a new or an empty folder"),
        ("python full/notes/bot", "Not a directory"),
        ("python my.bot", "'my.bot' cannot be a bot's name: that is 1 to 32 of A-Z a-z 0-9 _ -; "),
        (f"python {'x' * 33}", "give it one with --name"),
        ("python bot --name=", "'' cannot be a bot's name"),
        ("python bot --name=a/b", "'a/b' cannot be a bot's name: that is 1 to 32 of"),
        ("python bot\a", "the folder 'bot\\x07' has characters in it that cannot be printed"),
        ("python", "name a language and a folder, like `referee new python my_bot`"),
        ("", "name a language and a folder"),
        ("--list python", "--list takes no other arguments"),
        ("python bot more", "unrecognized arguments: more"),
    ],
)
def test_new_reports_wrong_arguments_in_one_sentence(
    referee: Referee, words: str, message: str
) -> None:
    """No file is created or changed."""
    full = referee.folder / "full"
    full.mkdir()
    (full / "notes").write_text("mine")
    assert message in referee.refuse("new", *words.split(" ") if words else [])
    assert [path.name for path in referee.folder.rglob("*")] == ["full", "notes"]
    assert (full / "notes").read_text() == "mine"


def test_new_list_shows_which_languages_this_machine_has(referee: Referee) -> None:
    """With the programs that each needs."""
    result = referee("new", "--list")
    assert (result.returncode, result.stderr) == (0, "")
    rows = result.stdout.splitlines()[2:]
    for row, (name, language) in zip(rows, LANGUAGES.items(), strict=True):
        assert row.startswith(f"{name} ")
        assert f" {', '.join(language.needs)} " in row
        assert ("  yes" in row) == all(map(shutil.which, language.needs))


def test_new_names_a_missing_toolchain_without_an_error(
    referee: Referee, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bot is created; --list names it, too."""
    monkeypatch.setenv("PATH", "/nowhere")
    made, listed = referee("new", "java", "bot"), referee("new", "--list")
    assert made.returncode == listed.returncode == 0
    assert made.stderr == "referee: it needs javac and java: not found here\n"
    assert (referee.folder / "bot" / "Bot.java").is_file()
    assert "no: javac and java" in listed.stdout
    assert "  yes" not in listed.stdout


def test_starter_commands_need_no_shell() -> None:
    """A tournament splits commands into words and starts them without a shell."""
    for language in LANGUAGES.values():
        for command in filter(None, (language.command, language.build)):
            assert command.split() == shlex.split(command)
            assert not re.search(r"[|&;<>$*?`]", command)
