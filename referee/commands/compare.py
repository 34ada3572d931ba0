"""Compare two versions of a bot: play encounters until a sequential test has decided.

A is the new version, B the old one. Every opening is played from both seats. The test decides
between a difference of elo1 and one of elo0; alpha is the probability that it accepts elo1 although
elo0 is true, beta that of the opposite error. Differences are in Elo, or, if most encounters end
1-1, in normalised Elo, which measures them by how much results vary: docs/statistics.md has more.

examples:
  referee compare new/bot.py old/bot.py
  referee compare ./new ./old --variant standoff --variant runner --per-move 100ms
  referee compare new.py old.py --elo0 0 --elo1 20 --alpha 0.05 --beta 0.05 --max-games 5000
  referee compare new.py old.py --model normalized --elo1 10
"""

import argparse
import sys
from collections import Counter, deque
from collections.abc import Iterator
from pathlib import Path
from time import monotonic

from referee.commands.sandbox_options import add_sandbox_argument
from referee.config.bot_command import bot_name, confine_in_place, parse_command
from referee.config.plan import BoardPlan, Plan, PreparedBot
from referee.errors import EXIT_OUTSIDE, InputError
from referee.game.config import PlaySettings
from referee.protocol.time_control import TimeControl
from referee.ratings.sprt import (
    MODELS,
    NONE_PLAYED,
    EncounterCounts,
    SequentialTest,
    SprtDecision,
    SprtState,
    add_encounter,
    claimed_percent,
    decide,
    stopped_difference,
)
from referee.records.summary import GameSummary
from referee.rules import BUILT_IN, find_variant
from referee.run.engine import Task
from referee.run.events import MAX_TRIES, GameBatch, GameVoid
from referee.run.local_engine import LocalEngine
from referee.sandbox.probe import choose_rung
from referee.schedule.fixtures import Board, make_encounter
from referee.schedule.openings import Opening, find_openings
from referee.system.cores import default_slots
from referee.system.cpu_quota import cpu_quota, quota_warning
from referee.text import signed

MAX_OPENINGS = 5_000
LINE_SECONDS = 5.0
MAX_VOID = 10
"""Number of void games after which the comparison stops."""
MAX_REPEATED_ENCOUNTERS = 500
"""Number of consecutive repeated encounters after which the comparison stops."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("a", metavar="A", help="the new version: a command line or a path")
    parser.add_argument("b", metavar="B", help="the old version")
    parser.add_argument(
        "--variant", action="append", metavar="V", help="a game; may be repeated (default: all)"
    )
    parser.add_argument(
        "--elo0", type=float, default=0.0, help="difference of the null hypothesis (default: 0)"
    )
    parser.add_argument(
        "--elo1", type=float, default=20.0, help="difference of the alternative (default: 20)"
    )
    parser.add_argument(
        "--alpha", type=float, default=0.05, help="probability of a wrong `better` (default: 0.05)"
    )
    parser.add_argument(
        "--beta",
        type=float,
        default=0.05,
        help="probability of a wrong `not better` (default: 0.05)",
    )
    parser.add_argument(
        "--model",
        choices=MODELS,
        default="auto",
        help="unit of elo0 and elo1; auto is normalized if most encounters end 1-1 (default: auto)",
    )
    parser.add_argument(
        "--max-games",
        type=int,
        default=20_000,
        metavar="N",
        help="limit of games (default: 20,000)",
    )
    clock = parser.add_mutually_exclusive_group()
    clock.add_argument("--time", metavar="T", help="clock: 2s+50ms, 1min, or none")
    clock.add_argument("--per-move", metavar="T", help="fixed time per move (default: 100ms)")
    parser.add_argument(
        "--opening-plies",
        type=int,
        default=4,
        metavar="N",
        help="random moves per opening (default: 4)",
    )
    parser.add_argument(
        "--seed", type=int, default=1, metavar="N", help="seed of openings and bots (default: 1)"
    )
    parser.add_argument(
        "--workers", type=int, metavar="N", help="concurrent games (default: one per physical core)"
    )
    add_sandbox_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    try:
        test = SequentialTest(
            arguments.elo0, arguments.elo1, arguments.alpha, arguments.beta, arguments.model
        )
    except ValueError as error:
        raise InputError(str(error)) from error
    if arguments.max_games < 2:
        raise InputError(f"--max-games {arguments.max_games}: an encounter has 2 games")
    if arguments.workers is not None and arguments.workers < 1:
        raise InputError(f"--workers {arguments.workers}: the minimum is 1")
    if not 0 <= arguments.opening_plies <= 100:
        raise InputError(f"--opening-plies {arguments.opening_plies}: 0 to 100 are possible")
    plan, boards = _make_plan(arguments)
    names = list(plan.bots)
    comparison = Comparison(names[0], names[1], test)
    slots = arguments.workers or default_slots()
    warning = quota_warning(slots, cpu_quota())
    if warning is not None:
        print(warning, file=sys.stderr)
    engine = LocalEngine(plan, slots)
    try:
        _play(engine, comparison, _make_tasks(names, boards, arguments))
    finally:
        engine.close()
        print(comparison.result_text())
    for void in comparison.voids:
        last = void.why.strip().splitlines()[-1]
        print(f"referee: {void.fixture.id} could not be played: {last}", file=sys.stderr)
    return EXIT_OUTSIDE if comparison.voids else 0


def _make_plan(arguments: argparse.Namespace) -> tuple[Plan, list[tuple[Board, list[Opening]]]]:
    if arguments.time:
        time = TimeControl.clock(arguments.time)
    else:
        time = TimeControl.per_move(arguments.per_move or "100ms")
    folder = Path.cwd()
    commands = [parse_command(text, folder) for text in (arguments.a, arguments.b)]
    names = [bot_name(command.arguments, folder) for command in commands]
    if names[0] == names[1]:
        names = ["new", "old"]
    rung = choose_rung(arguments.sandbox)
    commands = [confine_in_place(rung, command) for command in commands]
    boards, plans = [], {}
    for name in dict.fromkeys(arguments.variant or BUILT_IN):
        variant = find_variant(name)
        rules = variant.on()
        board = Board(variant.name, variant.size)
        seed = f"{arguments.seed} {board.name}"
        openings = find_openings(rules, arguments.opening_plies, MAX_OPENINGS, seed)
        if not openings:
            plies = arguments.opening_plies
            if arguments.variant:
                raise InputError(f"no opening of {plies} plies leaves a game of {name} to play")
            continue
        boards.append((board, openings))
        plans[board.name] = BoardPlan(board, name)
    plan = Plan(
        bots={
            name: PreparedBot(name, command, time, "")
            for name, command in zip(names, commands, strict=True)
        },
        boards=plans,
        play=PlaySettings(suspend_opponent=True, pin_cores=True),
        settings="",
        sandbox=rung.name,
    )
    return plan, boards


def _make_tasks(
    names: list[str], boards: list[tuple[Board, list[Opening]]], arguments: argparse.Namespace
) -> Iterator[Task]:
    """Yield encounters, cycling through the boards."""
    for number in range(1, arguments.max_games // 2 + 1):
        board, openings = boards[(number - 1) % len(boards)]
        # Each board uses its own openings, from the first on.
        on_board = (number - 1) // len(boards) + 1
        pairing = names[0], names[1]
        yield make_encounter(pairing, board, openings, on_board, arguments.seed).fixtures


Games = tuple[tuple[float, float, int], ...]
"""Points of both bots and key of the moves, for each game of an encounter."""


class Replays:
    """The encounters of one opening.

    If all are equal, the bots are deterministic there, and only the first is evidence; once one
    differs, all of them count.
    """

    def __init__(self, first: Games) -> None:
        self.first = first
        self._equal = 0
        """Number of encounters so far, while all are equal to the first."""
        self._differ = False

    def add(self, games: Games) -> int:
        """Add an encounter; return how many are to be counted now, the last of them this one."""
        if self._differ:
            return 1
        if games == self.first:
            self._equal += 1
            return 1 if self._equal == 1 else 0
        self._differ = True
        return self._equal  # without the first, which was counted, and with this one


class Comparison:
    """Games of a test, and its state.

    Encounters count in the order of dispatch, so that the test is not biased towards short games.
    """

    def __init__(self, new: str, old: str, test: SequentialTest) -> None:
        self.new = new
        self.old = old
        self.counts: EncounterCounts = NONE_PLAYED
        self.state: SprtState = decide(test, NONE_PLAYED)
        self.repeated = 0
        """Encounters with the same moves as an earlier one, which do not count."""
        self.consecutive_repeats = 0
        self.faults = {new: 0, old: 0}
        self._test = test
        self._order: list[Task] = []
        self._games: dict[str, tuple[float, float, int]] = {}
        """Of games whose encounter is not counted yet: points of both bots, key of the moves."""
        self._replays: dict[tuple[object, ...], Replays] = {}
        """By board and opening."""
        self.voids: list[GameVoid] = []
        """Games that stayed void; their encounters do not count."""
        self._tries: Counter[str] = Counter()

    def begin(self, task: Task) -> None:
        """Record that an encounter was dispatched."""
        self._order.append(task)

    def add(self, summary: GameSummary) -> None:
        """Add a game; count the encounters that are complete, in the order of dispatch."""
        one, two = summary.score
        own, other = (one, two) if summary.bots[0] == self.new else (two, one)
        self._games[summary.id] = (own, other, summary.moves_key)
        for seat, _ in summary.faults:
            self.faults[summary.bots[seat - 1]] += 1
        self._count_complete()

    def retry(self, void: GameVoid) -> bool:
        """Return whether to play a void game again; if not, drop its encounter."""
        game_id = void.fixture.id
        self._tries[game_id] += 1
        if self._tries[game_id] < MAX_TRIES:
            return True
        self.voids.append(void)
        self._order = [task for task in self._order if game_id not in [one.id for one in task]]
        self._count_complete()
        return False

    def _count_complete(self) -> None:
        while self._order and self.state.decision is SprtDecision.PLAY_ON:
            if not all(fixture.id in self._games for fixture in self._order[0]):
                return
            self._count(self._order.pop(0))

    @property
    def is_over(self) -> bool:
        """Whether the test has decided, or is stopped undecided."""
        return (
            self.state.decision is not SprtDecision.PLAY_ON
            or self.consecutive_repeats >= MAX_REPEATED_ENCOUNTERS
            or len(self.voids) >= MAX_VOID
        )

    def _count(self, task: Task) -> None:
        games = tuple(self._games.pop(fixture.id) for fixture in task)
        replays = self._replays.setdefault((task[0].board, task[0].opening), Replays(games))
        count = replays.add(games)
        self.repeated += 1 - count
        self.consecutive_repeats = 0 if count else self.consecutive_repeats + 1
        for encounter in (replays.first,) * (count - 1) + (games,) * (count > 0):
            own, other = sum(game[0] for game in encounter), sum(game[1] for game in encounter)
            self.counts = add_encounter(self.counts, own, other)
        if count:
            self.state = decide(self._test, self.counts)

    def status(self) -> str:
        """Format the state of the test in one line."""
        state, estimate = self.state, stopped_difference(self._test, self.counts)
        return (
            f"{state.encounters} encounters: log-likelihood ratio {state.llr:+.2f}"
            f" ({state.lower:.2f} to {state.upper:.2f}),"
            f" {signed(estimate.elo)} Elo ({signed(estimate.low)} to {signed(estimate.high)})"
        )

    def _superiority(self, chance: float) -> str:
        """Name the bot that is the better one, with the likelihood of that."""
        if abs(chance - 50) < 0.05:
            return "neither is more likely to be the better one"
        better = self.new if chance > 50 else self.old
        return f"{better} is the better one with {claimed_percent(chance):.1f} %"

    def result_text(self) -> str:
        """Format the result."""
        state, test = self.state, self._test
        estimate = stopped_difference(test, self.counts)
        unit = "normalised Elo" if state.model == "normalized" else "Elo"
        than = f"than {self.old}" + (f" by {test.elo0:g}" if test.elo0 else "")
        result = {
            SprtDecision.BETTER: f"{self.new} is better {than}:"
            f" {test.elo1:+g} {unit} fits the games better than {test.elo0:+g}",
            SprtDecision.NOT_BETTER: f"{self.new} is not better than {self.old} by {test.elo1:g}:"
            f" {test.elo0:+g} {unit} fits the games better than {test.elo1:+g}",
            SprtDecision.PLAY_ON: f"undecided between {self.new} and {self.old}",
        }[state.decision]
        lines = [
            f"{result} (log-likelihood ratio {state.llr:+.2f}, bounds {state.lower:.2f} and"
            f" {state.upper:.2f}), after {state.encounters} encounters"
            f" ({2 * state.encounters} games).",
            f"Estimate: {signed(estimate.elo)} Elo, 95 % from {signed(estimate.low)} to"
            f" {signed(estimate.high)}; {self._superiority(estimate.superiority)}."
            + (f" ({estimate.note})" if estimate.note else ""),
        ]
        if self.repeated:
            lines.append(f"{self.repeated} encounters repeated an earlier one, and did not count.")
        lines += [f"{bot} made {count} faults." for bot, count in self.faults.items() if count]
        return "\n".join(lines)


def _play(engine: LocalEngine, comparison: Comparison, tasks: Iterator[Task]) -> None:
    """Play until the test is over or all encounters are played."""
    next_line = monotonic() + LINE_SECONDS
    live = sys.stderr.isatty()
    retries: deque[Task] = deque()

    def next_task() -> Task | None:
        if retries:
            return retries.popleft()
        task = next(tasks, None)
        if task is not None:
            comparison.begin(task)
        return task

    for event in engine.play(next_task):
        if isinstance(event, GameBatch):
            retries.extend(_add_all(comparison, event))
        if comparison.is_over:
            break
        if live and event is None:
            print(f"\r{comparison.status()}\x1b[K", end="", file=sys.stderr, flush=True)
        elif not live and monotonic() >= next_line:
            next_line = monotonic() + LINE_SECONDS
            print(comparison.status(), file=sys.stderr, flush=True)
    if live:
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def _add_all(comparison: Comparison, ended: GameBatch) -> list[Task]:
    """Add games until the comparison is over; return the games to play again."""
    for summary in ended.summaries:
        comparison.add(summary)
        if comparison.is_over:
            return []
    return [(void.fixture,) for void in ended.voids if comparison.retry(void)]
