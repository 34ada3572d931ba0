"""Play one game between two bots and show every move.

A bot is a command line in quotes, or the path of a program or script; a .py file is run with the
Python that runs the referee. `human` is a person at this terminal: the game is then a dialogue (on
standard error with --quiet or --json). With --coach a move that is proven to give the win
away is reported, and can be taken back; `hint` shows a move that keeps it.

examples:
  referee play standoff bots/random_bot.py bots/random_bot.py
  referee play runner "python3 my_bot.py --depth 4" ./other --time 10s+100ms
  referee play lockdown a.py b.py --rows 6 --cols 7 --opening "2,2;5,5" --transcript game.txt
  referee play crossfire a.py b.py --per-move 500ms --json
  referee play standoff human bots/greedy.py --hints
  referee play standoff human bots/greedy.py --coach
  referee play runner human bots/greedy.py --browser
  echo 3 3 | referee play standoff human bots/greedy.py --seed 1
"""

import argparse
import json
import platform
import secrets
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from referee.bots.bot import Bot, close_all
from referee.bots.command import HUMAN, Command
from referee.bots.launcher import Launcher, PlayerStarter
from referee.commands.sandbox_options import add_sandbox_argument
from referee.commands.size_options import add_size_arguments, read_size
from referee.config.bot_command import bot_name, confine_in_place, hash_command, parse_command
from referee.errors import InputError, write_error
from referee.game.config import GameConfig, GameSetup, PlaySettings
from referee.game.dossier import dossier, fault_text
from referee.game.loop import play_game
from referee.game.result import PlayedGame
from referee.human.board_view import draw_position
from referee.human.console import Console
from referee.human.player import PlayerFactory
from referee.outcome import Seat
from referee.protocol.time_control import TimeControl, human_time_control
from referee.records.record import RecordWriter, make_record
from referee.rules import find_variant, play_moves
from referee.sandbox.probe import choose_rung
from referee.schedule.fixtures import Board, fixture_id
from referee.scoring.tables import duration_text
from referee.system.terminal import shows_colour


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("variant", help="a game (see `referee variants`) or a path/to/file.py")
    parser.add_argument("bot1", help="the bot of seat 1, which moves first")
    parser.add_argument("bot2", help="the bot of seat 2")
    add_size_arguments(parser)
    clock = parser.add_mutually_exclusive_group()
    clock.add_argument("--time", metavar="T", help="clock: 2s+50ms, 1min, or none")
    clock.add_argument("--per-move", metavar="T", help="fixed time per move (default: 1s)")
    parser.add_argument(
        "--attempts",
        type=int,
        default=1,
        metavar="N",
        help="answers per turn before an illegal move loses (default: 1)",
    )
    parser.add_argument(
        "--opening",
        default="",
        metavar="MOVES",
        help="moves played before the first turn of a bot, like '3,3;1,1'",
    )
    parser.add_argument("--human-time", metavar="T", help="clock of people (default: none)")
    parser.add_argument("--hints", action="store_true", help="mark the legal cells for people")
    parser.add_argument(
        "--coach",
        action="store_true",
        help="warn people of a move that gives the win away, and let them take it back",
    )
    parser.add_argument(
        "--seed", type=int, metavar="N", help="seed that bots are sent (default: random)"
    )
    add_sandbox_argument(parser)
    parser.add_argument(
        "--transcript", type=Path, metavar="FILE", help="write every line to this file"
    )
    parser.add_argument("--quiet", action="store_true", help="print the outcome alone")
    parser.add_argument("--json", action="store_true", help="print the game's record alone")
    parser.add_argument(
        "--browser", action="store_true", help="people play in a browser, not in the terminal"
    )
    parser.add_argument(
        "--port", type=int, metavar="N", help="port of --browser (default: any free one)"
    )
    parser.add_argument(
        "--no-open", action="store_true", help="print the address of --browser, open nothing"
    )


@dataclass(frozen=True)
class _Players:
    """The two bots of the game, by seat."""

    names: tuple[str, str]
    commands: Sequence[Command]
    confined: Sequence[Command]
    """The same commands, isolated."""
    sandbox: str
    """Name of the rung."""
    folder: Path

    @property
    def has_people(self) -> bool:
        return any(command.is_human for command in self.commands)

    def hashes(self) -> tuple[str, str]:
        """Hash the files of both bots."""
        one, two = (hash_command(command, self.folder) for command in self.commands)
        return one, two


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    if not arguments.browser and (arguments.port is not None or arguments.no_open):
        raise InputError("--port and --no-open are for --browser: add it, or leave them out")
    setup, players = _read_game(arguments)
    if arguments.browser:
        return _play_in_browser(arguments, setup, players)
    started = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    played = _play(setup, players, arguments)
    if arguments.transcript:
        text = dossier(setup.id, players.names, played)
        try:
            arguments.transcript.write_text(text, encoding="utf-8")
        except OSError as error:
            raise write_error("the transcript", error) from error
    if arguments.json:
        _print_record(setup, players, played, started)
    else:
        _print_end(played, players)
    return 0


def _play_in_browser(arguments: argparse.Namespace, setup: GameSetup, players: _Players) -> int:
    if not players.has_people:
        raise InputError("--browser is for people: write `human` in place of a bot")
    if arguments.coach:
        raise InputError("--coach is for the terminal: leave out --browser")
    from referee.commands.play_browser import play_in_browser

    return play_in_browser(arguments, setup, list(players.commands))


def _read_game(arguments: argparse.Namespace) -> tuple[GameSetup, _Players]:
    folder = Path.cwd()
    commands = [_read_command(text, folder) for text in (arguments.bot1, arguments.bot2)]
    setup = _read_setup(arguments, commands)
    first, second = (bot_name(command.arguments, folder) for command in commands)
    if first == second:
        first, second = f"{first[:30]}-1", f"{second[:30]}-2"
    rung = choose_rung(arguments.sandbox)
    confined = [confine_in_place(rung, command) for command in commands]
    if arguments.transcript:
        _check_writable(arguments.transcript)
    players = _Players((first, second), commands, confined, rung.name, folder)
    board = Board(setup.config.variant, setup.config.size).name
    return setup._replace(id=fixture_id(board, first, second, 1, "a")), players


def _play(setup: GameSetup, players: _Players, arguments: argparse.Namespace) -> PlayedGame:
    """Play the game and show it, unless only its result is wanted."""
    show = not (arguments.quiet or arguments.json)
    people = players.has_people
    with Launcher() as launcher:
        starter: PlayerStarter = launcher
        if people:
            console = Console(
                sys.stdout if show else sys.stderr, hints=arguments.hints, coach=arguments.coach
            )
            starter = PlayerFactory(launcher, console)
        one, two = (
            Bot(name, command, starter)
            for name, command in zip(players.names, players.confined, strict=True)
        )
        try:
            if show:
                _print_header(setup, players.names)
            if show and people:
                print(flush=True)
            observer = _MovePrinter(setup, players.names) if show and not people else None
            return play_game(setup, (one, two), observer)
        finally:
            close_all([one, two])


def _read_command(text: str, folder: Path) -> Command:
    return Command((HUMAN,), folder) if text.strip() == HUMAN else parse_command(text, folder)


def _read_times(
    arguments: argparse.Namespace, commands: Sequence[Command]
) -> tuple[TimeControl, TimeControl]:
    """Return the clocks of both seats; a person has one only with --human-time."""
    if arguments.time:
        bots = TimeControl.clock(arguments.time)
    else:
        bots = TimeControl.per_move(arguments.per_move or "1s")
    people = human_time_control(
        TimeControl.clock(arguments.human_time) if arguments.human_time else None
    )
    if not any(command.is_human for command in commands):
        for option in ("human_time", "hints", "coach"):
            if getattr(arguments, option):
                raise InputError(f"--{option.replace('_', '-')} is for people: no bot is `human`")
    one, two = (people if command.is_human else bots for command in commands)
    return one, two


def _read_setup(arguments: argparse.Namespace, commands: Sequence[Command]) -> GameSetup:
    variant = find_variant(arguments.variant)
    size = read_size(arguments) or variant.size
    rules = variant.on(size)
    opening = tuple(arguments.opening.replace(";", " ").split())
    if rules.outcome(play_moves(rules, opening)):
        raise InputError("the opening ends the game: use a shorter one")
    if arguments.attempts < 1:
        raise InputError(f"--attempts {arguments.attempts}: the minimum is 1")
    times = _read_times(arguments, commands)
    play = PlaySettings(attempts=arguments.attempts)
    config = GameConfig(variant.name, size, rules, times, play)
    seed = secrets.randbelow(2**31) if arguments.seed is None else arguments.seed
    return GameSetup("", config, opening, seed)  # the id follows from the names of the bots


def _check_writable(path: Path) -> None:
    try:
        path.open("a").close()
    except OSError as error:
        raise write_error("the transcript", error) from error


def _print_header(setup: GameSetup, names: tuple[str, str]) -> None:
    (one, two), (clock, other_clock) = names, setup.config.times
    players = f"{one} (seat 1) against {two} (seat 2), {clock}"
    if clock != other_clock:
        players = f"{one} (seat 1, {clock}) against {two} (seat 2, {other_clock})"
    print(f"{setup.config.variant} {setup.config.size}: {players}")
    if setup.opening:
        print(f"opening: {' '.join(setup.opening)}")


class _MovePrinter:
    """Observer of a game that prints each move, and the board on a terminal."""

    def __init__(self, setup: GameSetup, names: tuple[str, str]) -> None:
        self._rules = setup.config.rules
        self._names = names
        self._ply = len(setup.opening)
        self._boards = sys.stdout.isatty()
        self._colour = shows_colour(sys.stdout)
        if self._boards:
            self._draw(play_moves(self._rules, setup.opening), setup.opening)

    def __call__(self, seat: Seat, move: str, ms: float, state: Any) -> None:
        self._ply += 1
        name = self._names[seat - 1]
        print(f"{self._ply:>3}. {name} ({self._rules.marks[seat - 1]}) {move}  {duration_text(ms)}")
        if self._boards:
            self._draw(state, [move])

    def _draw(self, state: Any, moves: Sequence[str]) -> None:
        text = draw_position(self._rules, state, moves, colour=self._colour)
        print(f"\n{text}\n", flush=True)


def _print_record(setup: GameSetup, players: _Players, played: PlayedGame, started: str) -> None:
    writer = RecordWriter(
        setup.config,
        players.names,
        settings="",
        hashes=players.hashes(),
        sandbox=players.sandbox,
        host=platform.node(),
    )
    print(json.dumps(make_record(writer, setup, played, started)))


def _print_end(played: PlayedGame, players: _Players) -> None:
    names = players.names
    for fault in played.faults:
        if players.commands[fault.seat - 1].is_human:
            continue  # the dialogue has shown it
        print(fault_text(fault, names[fault.seat - 1]), file=sys.stderr, flush=True)
    winner = played.outcome.winner
    plies = f"after {len(played.moves)} {'ply' if len(played.moves) == 1 else 'plies'}"
    if winner is None:
        print(f"{played.outcome.sentence(names)}, {plies}")
    else:
        label = f"{names[winner - 1]} (seat {winner})"
        print(f"{label} wins: {played.outcome.why(names)}, {plies}")
