"""The bundled bots: their rules, their protocol, and their order of strength.

Everything is played through real processes with a fixed number of nodes instead of a clock, so
every game here is the same each time.
"""

import importlib.util
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import reduce
from itertools import islice
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import pytest

from referee.analysis.solver import Solver
from referee.outcome import Reason
from referee.rules import BUILT_IN, Rules, Size, find_variant
from tests.conftest import ROOT
from tests.support.tools import needs

BOTS = ROOT / "bots"
# No site packages: a bot must not need the referee's package, nor any other.
PYTHON = [sys.executable, "-S", "-E"]
COMMANDS = {
    "random": [*PYTHON, str(BOTS / "random_bot.py")],
    "shell": [str(BOTS / "random_bot.sh")],
    "greedy": [*PYTHON, str(BOTS / "greedy.py")],
    "mirror": [*PYTHON, str(BOTS / "mirror.py")],
    "mcts": [*PYTHON, str(BOTS / "mcts.py"), "--nodes"],
    "alphabeta": [*PYTHON, str(BOTS / "alphabeta.py"), "--nodes"],
    "fast": ["./alphabeta", "--nodes"],
    "perfect": [sys.executable, str(BOTS / "perfect.py"), "--nodes"],  # it needs the package
}
NODES = {"mcts": 30, "alphabeta": 300, "fast": 1000, "perfect": 200}
MORE_REASONS = {
    "barricade": {Reason.GOAL},
    "runner": {Reason.GOAL, Reason.SHUT_OUT, Reason.REPETITION, Reason.MOVE_LIMIT},
}
RARE_ENDS = {  # that random games hardly ever reach: by the goal, and by being shut in
    "barricade": [((3, 3), "1,0x0,0 1,2x1,1 2,0x1,0 0,2x1,2 2,1x2,0 0,1x0,2 2,2")],
    "runner": [((4, 4), "1,3 x2,1 2,2 x3,4 3,2 x1,2 2,2 3,2 1,1 2,2")],
}
SIZES = {name: [find_variant(name).size, Size(3, 3), Size(16, 16), Size(3, 7)] for name in BUILT_IN}


class Bot:
    """A process of a bot, with the lines sent and received."""

    def __init__(self, command: list[str], folder: Path) -> None:
        self.process = subprocess.Popen(
            command,
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def tell(self, line: str) -> None:
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def ask(self, line: str) -> str:
        """Send a line and return the answer: the first line that is not `info`."""
        self.tell(line)
        while (answer := self.process.stdout.readline()).startswith("info "):
            pass
        return answer.removesuffix("\n")

    def end(self, last_words: str) -> tuple[str, str, int]:
        """Return the rest of its output and standard error, and its exit code."""
        return *self.process.communicate(last_words), self.process.returncode


Start = Callable[..., Bot]


@pytest.fixture(scope="session")
def fast_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the C bot, built."""
    needs("cc", "make")
    folder = tmp_path_factory.mktemp("bots") / "fast"
    shutil.copytree(BOTS / "fast", folder, ignore=shutil.ignore_patterns("alphabeta"))
    subprocess.run(["make", "CFLAGS=-O2 -std=c11 -Wall -Wextra -Werror"], cwd=folder, check=True)
    return folder


@pytest.fixture
def start(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Start]:
    """Start a bot by its name, with a number of nodes if it takes one."""
    running = []

    def start_bot(name: str, nodes: int | None = None) -> Bot:
        folder = request.getfixturevalue("fast_folder") if name == "fast" else tmp_path
        words = [str(nodes or NODES[name])] if name in NODES else []
        running.append(Bot([*COMMANDS[name], *words], folder))
        return running[-1]

    yield start_bot
    for bot in running:
        bot.process.kill()
        bot.process.communicate()


@pytest.fixture(scope="module")
def games() -> ModuleType:
    """Import bots/games.py, which is no part of the package."""
    spec = importlib.util.spec_from_file_location("bots_games", BOTS / "games.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def game_line(variant: str, size: Size, seed: int = 1, clock: str = "move_ms=1000") -> str:
    origin = find_variant(variant).on(size).origin
    return (
        f"game protocol=1 id=test variant={variant} rows={size.rows} cols={size.cols}"
        f" origin={origin} seat=1 seed={seed} {clock}"
    )


def turn_line(rules: Rules[Any], state: Any, moves: Iterable[str], time_ms: int = 1000) -> str:
    moves = list(moves)
    return (
        f"turn ply={len(moves) + 1} time_ms={time_ms} opp_ms=1000 moves={';'.join(moves) or '-'}"
        f" board={rules.board(state)} legal={';'.join(rules.legal_moves(state))}"
    )


def choose(bot: Bot, rules: Rules[Any], state: Any, moves: Iterable[str]) -> str:
    """Return the bot's move, which must be legal."""
    answer = bot.ask(turn_line(rules, state, moves))
    assert answer.startswith("move ")
    assert answer.removeprefix("move ") in rules.legal_moves(state)
    return answer.removeprefix("move ")


def play(players: list[Bot | Random], variant: str, size: Size, opening: Iterable[str] = ()) -> int:
    """Play between bots or random moves, and return the seat that wins."""
    rules = find_variant(variant).on(size)
    for player in players:
        if isinstance(player, Bot):
            assert player.ask(game_line(variant, size)) == "ready"
    state, moves = rules.start(), []
    for move in opening:
        state = rules.apply(state, move)
        moves.append(move)
    while (outcome := rules.outcome(state)) is None:
        player = players[rules.to_move(state) - 1]
        if isinstance(player, Bot):
            move = choose(player, rules, state, moves)
        else:
            move = player.choice(rules.legal_moves(state))
        state = rules.apply(state, move)
        moves.append(move)
    return outcome.winner


# ---- The rules for bots


HABITS = ("anything", "step", "play on", "step and play on")


def walk(rules: Rules[Any], dice: Random, habit: str) -> Iterator[tuple[Any, str]]:
    """Yield each state of a random game in some style of play, with the move made there."""
    state = rules.start()
    while rules.outcome(state) is None:
        moves = list(rules.legal_moves(state))
        if "step" in habit:
            moves = [move for move in moves if move[0] != "x"]
        if "play on" in habit:
            moves = [m for m in moves if not rules.outcome(rules.apply(state, m))] or moves
        move = dice.choice(moves)
        yield state, move
        state = rules.apply(state, move)


@pytest.mark.parametrize("variant", BUILT_IN)
def test_rules_for_bots_agree_with_the_referee(games: ModuleType, variant: str) -> None:
    """The same legal moves and the same winner in random games on boards of all kinds."""
    lines = [(Size(*size), moves.split()) for size, moves in RARE_ENDS.get(variant, [])]
    for size in [*SIZES[variant], Size(7, 3), Size(9, 8)]:
        rules = find_variant(variant).on(size)
        for number in range(5 if size.rows == 16 else 30):
            habit = HABITS[number % len(HABITS)]
            lines.append((size, [m for _, m in walk(rules, Random(f"{size} {number}"), habit)]))
    reasons = set()
    for size, moves in lines:
        rules = find_variant(variant).on(size)
        game = games.GAMES[variant](*size, rules.origin)
        state, position = rules.start(), game.start
        for move in moves:
            assert game.result(position) == 0
            assert game.moves(position) == list(rules.legal_moves(state))
            position, state = game.play(position, move), rules.apply(state, move)
        outcome = rules.outcome(state)
        reasons.add(outcome.reason)
        assert game.result(position) == (1 if outcome.winner == rules.to_move(state) else -1)
    assert reasons == {Reason.NO_MOVES} | MORE_REASONS.get(variant, set())


@pytest.mark.parametrize(
    ("variant", "size"), [("lockdown", Size(5, 5)), ("crossfire", Size(4, 4))], ids=str
)
def test_bots_proven_results_are_true(games: ModuleType, variant: str, size: Size) -> None:
    """Where the open cells are small groups, the theory of Nim names the winner of every one."""
    rules = find_variant(variant).on(size)
    game = games.GAMES[variant](*size, rules.origin)
    certain = 0
    for won, moves in solve(rules).values():
        position = game.start
        for move in moves:
            position = game.play(position, move)
        if not game.result(position) and (worth := game.estimate(position)):
            certain += 1
            assert worth == (games.WON if won else -games.WON)
    assert certain > 1000


# ---- The protocol


@pytest.mark.parametrize("variant", BUILT_IN)
@pytest.mark.parametrize("name", COMMANDS)
def test_bot_plays_legally(start: Start, name: str, variant: str) -> None:
    """One process plays on boards of all kinds, in both seats, and ignores unknown lines."""
    bot = start(name)
    for size in SIZES[variant]:
        for seat in (1, 2):
            bot.tell("weather sky=blue 42")
            bot.tell("")
            play([bot, Random(1)] if seat == 1 else [Random(2), bot], variant, size)
            bot.tell("end result=win reason=no-moves moves=- news=none")
    assert bot.end("quit\n") == ("", "", 0)


@pytest.mark.parametrize("name", COMMANDS)
def test_bot_reads_fields_in_any_order(start: Start, name: str) -> None:
    """Fields may come in any order, with others among them."""
    rules = find_variant("barricade").on(Size(4, 5))
    first, *fields, legal = turn_line(rules, rules.start(), []).split()
    shuffled = [first, "mood=fine", *reversed(fields), "retry=1", "x", legal]
    bot = start(name)
    assert bot.ask("game x=y seed=5 origin=0 cols=5 rows=4 move_ms=9 variant=barricade") == "ready"
    assert bot.ask(" ".join(shuffled)).removeprefix("move ") in legal[6:].split(";")


@pytest.mark.parametrize("last_words", ["", "quit\n"], ids=["end of input", "quit"])
@pytest.mark.parametrize("started", [False, True], ids=["at once", "after game"])
@pytest.mark.parametrize("name", COMMANDS)
def test_bot_exits_on_quit_and_end_of_input(
    start: Start, name: str, started: bool, last_words: str
) -> None:
    """Without output, also before the first game."""
    bot = start(name)
    if started:
        assert bot.ask(game_line("runner", Size(5, 5))) == "ready"
    assert bot.end(last_words) == ("", "", 0)


@pytest.mark.parametrize("name", sorted(COMMANDS.keys() - {"random", "shell"}))
def test_searching_bot_declines_unknown_variants(start: Start, name: str) -> None:
    """It has rules of its own."""
    line = game_line("runner", Size(5, 5)).replace("runner", "runners")
    assert start(name).ask(line).startswith("decline ")


@pytest.mark.parametrize("variant", BUILT_IN)
@pytest.mark.parametrize("name", COMMANDS)
def test_bot_answers_depend_on_the_lines_alone(start: Start, name: str, variant: str) -> None:
    """Not on the process, the order of games or the clock."""
    size = Size(6, 5)
    rules = find_variant(variant).on(size)
    bot, asked = start(name), []
    bot.ask(game_line(variant, size, seed=7))
    for state, _ in (steps := list(walk(rules, Random(variant), "play on"))[:30]):
        moves = [move for _, move in steps[: len(asked)]]
        asked.append((moves, state, choose(bot, rules, state, moves)))
    again = start(name)
    for moves, state, answer in reversed(asked):
        again.ask(game_line(variant, size, seed=7, clock="time_ms=20000 inc_ms=50"))
        assert again.ask(turn_line(rules, state, moves, time_ms=345)) == f"move {answer}"


@pytest.mark.parametrize("name", ["random", "shell", "greedy", "mcts"])
def test_random_bot_uses_the_seed(start: Start, name: str) -> None:
    """Also seeds too large for a shell's numbers."""
    bot = start(name)
    rules = find_variant("lockdown").on(Size(8, 8))
    answers = set()
    for seed in (1, 2, 3, 8, 9, 10, 123456789, 2**63, 2**64 + 1, 10**30 + 8):
        bot.ask(game_line("lockdown", Size(8, 8), seed))
        answers.add(choose(bot, rules, rules.start(), []))
    assert len(answers) > 5


# ---- Strength


def openings(rules: Rules[Any], number: int) -> Iterator[list[str]]:
    """Return openings of two random plies that do not end the game."""
    dice = Random(2026)
    for _ in range(number):
        yield [move for _, move in islice(walk(rules, dice, "play on"), 2)]


BOARDS = [  # and the number of openings
    ("standoff", Size(8, 8), 3),
    ("barricade", Size(5, 5), 4),
    ("lockdown", Size(8, 8), 10),
    ("crossfire", Size(7, 6), 10),
    ("runner", Size(5, 5), 3),
]


@pytest.mark.parametrize(
    ("weaker", "stronger"),
    [
        (("random", 0), ("greedy", 0)),
        (("greedy", 0), ("mcts", 200)),
        (("mcts", 200), ("alphabeta", 4000)),
        (("alphabeta", 1000), ("fast", 20000)),
    ],
    ids=lambda bot: bot[0],
)
def test_each_bot_is_stronger_than_the_last(
    start: Start, weaker: tuple[str, int], stronger: tuple[str, int]
) -> None:
    """An opening that one bot wins from both seats counts for it.

    Most openings are won by one seat, with any bot: these do not compare the bots.
    """
    weak, strong = start(*weaker), start(*stronger)
    encounters = Counter[int]()
    for variant, size, number in BOARDS:
        for opening in openings(find_variant(variant).on(size), number):
            wins = play([strong, weak], variant, size, opening) == 1
            wins += play([weak, strong], variant, size, opening) == 2
            encounters[wins] += 1
    assert encounters[2] >= max(8, 4 * encounters[0]), encounters


def solve(rules: Rules[Any]) -> dict[Any, tuple[bool, list[str]]]:
    """Return for every state whether the player to move wins, and the winning moves."""
    solved: dict[Any, tuple[bool, list[str]]] = {}

    def visit(state: Any, moves: list[str]) -> bool:
        if state not in solved:
            if outcome := rules.outcome(state):
                won = outcome.winner == rules.to_move(state)
            else:
                after = [(rules.apply(state, m), [*moves, m]) for m in rules.legal_moves(state)]
                wins = [visit(*line) for line in after]
                won = not all(wins)
            solved[state] = won, moves
        return solved[state][0]

    visit(rules.start(), [])
    return solved


@pytest.mark.parametrize(
    ("variant", "size"),
    [
        ("standoff", Size(3, 3)),
        ("standoff", Size(3, 4)),
        ("barricade", Size(3, 3)),
        ("lockdown", Size(3, 5)),
        ("crossfire", Size(3, 4)),
        ("crossfire", Size(4, 4)),
    ],
    ids=str,
)
@pytest.mark.parametrize("name", ["alphabeta", "fast"])
def test_alphabeta_wins_every_won_position(
    start: Start, name: str, variant: str, size: Size
) -> None:
    """On a small board it finds a winning move wherever there is one, and not every move wins."""
    rules = find_variant(variant).on(size)
    solved = solve(rules)
    bot = start(name, 10_000_000)
    bot.ask(game_line(variant, size))
    for state, (won, moves) in solved.items():
        if won and not rules.outcome(state):
            after = [solved[rules.apply(state, move)][0] for move in rules.legal_moves(state)]
            if any(after):
                assert not solved[rules.apply(state, choose(bot, rules, state, moves))][0], moves


def proves(rules: Rules[Any], state: Any, plies: int) -> bool | None:
    """Return whether the player to move wins; None if that takes more plies to prove."""
    if outcome := rules.outcome(state):
        return outcome.winner == rules.to_move(state)
    if plies == 0:
        return None
    after = [proves(rules, rules.apply(state, m), plies - 1) for m in rules.legal_moves(state)]
    return True if False in after else None if None in after else False


@pytest.mark.parametrize("name", ["alphabeta", "fast"])
def test_alphabeta_wins_runner_with_a_history(start: Start, name: str) -> None:
    """A win in runner depends on earlier positions."""
    rules = find_variant("runner").on(Size(3, 3))
    bot = start(name, 10_000_000)
    bot.ask(game_line("runner", Size(3, 3)))
    asked = history_counts = 0
    for number in range(12):
        moves: list[str] = []
        for state, move in walk(rules, Random(number), "play on"):
            after = {m: proves(rules, rules.apply(state, m), 3) for m in rules.legal_moves(state)}
            if False in after.values() and set(after.values()) != {False}:
                asked += 1
                assert after[choose(bot, rules, state, moves)] is False, moves
                forgetful = (*state[:4], state[4][-1:], *state[5:])
                history_counts += after != {
                    m: proves(rules, rules.apply(forgetful, m), 3) for m in after
                }
            moves.append(move)
            if len(moves) == 40:
                break
    assert asked > 100
    assert history_counts > 10


@pytest.mark.parametrize("variant", ["standoff", "lockdown", "crossfire"])
def test_mirror_wins_from_the_middle(start: Start, variant: str) -> None:
    """In seat 1 on an empty board with odd sides, against every bot."""
    mirror = start("mirror")
    for opponent in ("random", "greedy", "mcts", "alphabeta"):
        assert play([mirror, start(opponent)], variant, Size(7, 5)) == 1
    if variant == "crossfire":
        assert play([start("alphabeta"), mirror], variant, Size(6, 6)) == 2


@pytest.mark.parametrize("variant", BUILT_IN)
def test_perfect_wins_every_won_position(start: Start, variant: str) -> None:
    """From either seat, against the strongest of the others, where the opening leaves it a win."""
    size = Size(4, 4)
    rules = find_variant(variant).on(size)
    solver = Solver(rules)
    perfect, opponent = start("perfect", 100_000), start("alphabeta", 1000)
    won: Counter[int] = Counter()
    for opening in ([], *openings(rules, 4)):
        state = reduce(rules.apply, opening, rules.start())
        seat = rules.to_move(state)
        winner = seat if solver.solve(state).value == "won" else 3 - seat
        players = [perfect, opponent] if winner == 1 else [opponent, perfect]
        assert play(players, variant, size, opening) == winner
        won[winner] += 1
    assert sum(won.values()) == 5


def test_perfect_reports_a_missing_referee() -> None:
    """A Python without the referee cannot run it."""
    command = [*PYTHON, str(BOTS / "perfect.py")]
    result = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert result.returncode == 1
    assert result.stderr == "perfect.py needs a Python in which the referee is installed\n"
