"""Play a tournament, or what is left of it, and write its tables.

Running the same command again plays exactly the games that have no record yet, whatever ended the
run before. Results go to ./results/NAME/ (NAME is the file's, without its ending).

examples:
  referee run tournaments/quickstart.yaml
  referee run cup.yaml --workers 4 --out /tmp/cup
  referee run cup.yaml --dry-run          check the file and the bots, show the schedule
  referee run cup.yaml --redo alpha       alpha was changed: play its games again
  referee run cup.yaml --fresh            start anew, the old folder is moved aside
"""

import argparse
import json
import shlex
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from referee.about import FILE, read_about
from referee.arena import Arena, Ledger, check_hashes, check_settings, read_ledger
from referee.bot import Bot, Launcher, close_all
from referee.cli import EXIT_INTERRUPTED, EXIT_OUTSIDE
from referee.commands.isolation import add_sandbox_argument, isolation_text
from referee.console import Console
from referee.dossier import fault_text
from referee.engine import Engine, LocalEngine, default_slots
from referee.errors import InputError, unknown
from referee.formats import Knockout
from referee.game import try_bots
from referee.pairings import Fixture
from referee.plan import Plan
from referee.progress import Announcements, Lines, Live, Progress, Silence, duration
from referee.results import (
    AllRatings,
    all_parts,
    notes,
    ratings_text,
    standings_text,
    write_results,
)
from referee.rounds import rounds_text
from referee.sandbox import Rung, choose_rung
from referee.store import Store, move_aside
from referee.tournament import Tournament, read_tournament

MOST_GAMES = 1_000_000
Say = Callable[[Sequence[str]], None]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="FILE", help="a tournament file (YAML)")
    parser.add_argument("--out", type=Path, metavar="DIR", help="where the results go")
    parser.add_argument(
        "--workers", type=int, metavar="N", help="games at once (default: one per physical core)"
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="check everything, show the schedule, play nothing"
    )
    parser.add_argument("--fresh", action="store_true", help="start anew; moves old results aside")
    parser.add_argument("--redo", metavar="BOT", help="play the games of this bot again")
    add_sandbox_argument(parser, default=None)
    parser.add_argument("--quiet", action="store_true", help="print the final standings alone")
    parser.add_argument("--hints", action="store_true", help="mark where people may play")
    parser.add_argument("--yes", action="store_true", help="yes, more than a million games")


def run(arguments: argparse.Namespace) -> int:
    tournament = read_tournament(arguments.file, None if arguments.yes else MOST_GAMES)
    if arguments.workers is not None and arguments.workers < 1:
        raise InputError(f"--workers {arguments.workers}: it takes 1 at least")
    if arguments.redo is not None and arguments.redo not in tournament.bots:
        raise InputError(unknown("bot", arguments.redo, tournament.bots))
    rung = choose_rung(arguments.sandbox or tournament.content.sandbox)
    slots = 1 if tournament.has_people else arguments.workers or default_slots()
    if arguments.dry_run:
        return _dry_run(tournament, rung, slots)
    folder = arguments.out or Path("results") / arguments.file.stem
    if arguments.fresh and folder.exists():
        with Store(folder):
            pass  # nobody else is at work there
        print(f"the old results are in {move_aside(folder)} now", file=sys.stderr)
    with Store(folder) as store:
        return _play(tournament, store, rung, slots, arguments)


def _play(
    tournament: Tournament, store: Store, rung: Rung, slots: int, arguments: argparse.Namespace
) -> int:
    about = tournament.about(rung.name)
    hashes = {bot: found.hash for bot, found in tournament.files.items()}
    say = _say_nothing if arguments.quiet else _say
    before = store.read_json(FILE)
    if before is not None:
        check_settings(about, read_about(before))
    if arguments.redo is not None:
        dropped = store.drop(lambda record: arguments.redo in record["bots"])
        say([f"{dropped} games of {arguments.redo} are played again"])
    ledger = read_ledger(about, store.records())
    check_hashes(ledger, hashes)
    say([*store.warnings, *about.notes])
    arena = Arena(tournament, store, ledger)
    if not _is_over(ledger):
        plan = _make_ready(tournament, store.folder, rung)
        store.write_text(FILE, json.dumps(about.to_json(), indent=1) + "\n")
        if tournament.has_people:
            say(["a person plays: one game at a time"])
        say([isolation_text(rung), *rung.notes])
        console = Console(sys.stderr, hints=arguments.hints) if tournament.has_people else None
        engine: Engine = _seat_people(plan, console) if console else LocalEngine(plan, slots)
        arena.progress = _make_progress(ledger, arguments.quiet, tournament.has_people)
        try:
            arena.play(engine)
            if console and console.left and not _is_over(ledger):
                arena.interrupted = True
        finally:
            engine.close()
            arena.progress.close()
            store.sync()
            ratings = write_results(ledger, store)
    else:
        # The name or the tie-breaks may have changed since.
        store.write_text(FILE, json.dumps(about.to_json(), indent=1) + "\n")
        say([f"all {len(ledger.done)} games were played before"])
        ratings = write_results(ledger, store)
    return _report(store, arena, ratings, say)


def _seat_people(plan: Plan, console: Console) -> Engine:
    from referee.human_engine import HumanEngine  # which most tournaments need not wait for

    return HumanEngine(plan, console)


def _report(store: Store, arena: Arena, ratings: AllRatings, say: Say) -> int:
    ledger = arena.ledger
    games = max(ledger.about.games or 0, len(ledger.done))  # a knockout may take more
    print(f"{ledger.about.name}: {len(ledger.done)} of {games} games\n")
    parts = all_parts(ledger.about)
    print(standings_text(ledger, "simple", parts), end="")
    if ledger.about.format in ("swiss", "knockout"):
        print(f"\n{rounds_text(ledger.schedule(), ledger.scores)}", end="")
    print(f"\n{ratings_text(ratings, 'simple', parts[:1])}", end="")
    warning = ledger.timing.warning()
    remarks = [*notes(ledger), *arena.warnings, *([warning] if warning else [])]
    if remarks:
        print("\n" + "\n".join(f"- {remark}" for remark in remarks))
    say([f"\nthe games are in {store.games_path}, the tables beside them"])
    for void in arena.voids:
        last = void.why.strip().splitlines()[-1]
        print(f"referee: {void.fixture.id} could not be played: {last}", file=sys.stderr)
    if arena.voids:
        text = "\n".join(f"{void.fixture.id}\n{void.why}" for void in arena.voids)
        store.write_text("void.txt", text)
    if arena.interrupted:
        print("referee: interrupted; run the same command to go on", file=sys.stderr)
        return EXIT_INTERRUPTED
    return EXIT_OUTSIDE if arena.voids else 0


def _is_over(ledger: Ledger) -> bool:
    """Whether every game has a record; in a knockout only the champion tells."""
    if ledger.about.format in ("round-robin", "gauntlet"):
        return len(ledger.done) == ledger.about.games
    schedule = ledger.schedule()
    if isinstance(schedule, Knockout):
        return schedule.champion is not None
    return all(ledger.is_complete(round) for round in schedule.rounds)


def _make_progress(ledger: Ledger, quiet: bool, people: bool) -> Progress:
    about = ledger.about
    if quiet:
        return Silence()
    if people:
        return Announcements()
    if sys.stderr.isatty():
        return Live(about.name, len(ledger.done), about.games or 0)
    return Lines(len(ledger.done), about.games or 0)


def _say(lines: Sequence[str]) -> None:
    for line in lines:
        print(line, file=sys.stderr, flush=True)


def _say_nothing(lines: Sequence[str]) -> None:
    return


def _make_ready(tournament: Tournament, folder: Path, rung: Rung) -> Plan:
    """Copy, build and try every bot; InputError tells of all that cannot play."""
    plan, broken = tournament.prepare(folder, rung)
    complaints = [f"{bot} cannot be used: {why}" for bot, why in broken.items()]
    programs = [name for name, bot in plan.bots.items() if not bot.command.is_human]
    complaints += _try_all(plan, [bot for bot in programs if bot not in broken])
    if complaints and tournament.content.broken_bots == "stop":
        raise InputError(
            "\n".join(complaints)
            + "\nThe tournament was not started. Mend this, or write `broken_bots: forfeit` into"
            " the file to start all the same."
        )
    for complaint in complaints:
        print(complaint, file=sys.stderr)
    return plan


def _try_all(plan: Plan, names: list[str]) -> list[str]:
    """Start all bots and ask them to be ready for every board; a paragraph for each failure."""
    complaints = []
    with Launcher() as launcher:
        bots = [Bot(name, plan.bots[name].command, launcher) for name in names]
        try:
            for board in plan.boards if names else ():
                fixture = Fixture(f"{board}.try", board, (names[0], names[0]), 0, (), 1)
                setup = plan.setup(fixture)
                for name, fault in try_bots(setup, bots).items():
                    command = plan.bots[name].command
                    complaints.append(
                        f"{name} cannot play {board}.\n{fault_text(fault, name)}"
                        f"  its command:   {shlex.join(command.arguments)}\n"
                        f"  its folder:    {command.folder}\n"
                    )
                    bots = [bot for bot in bots if bot.name != name]
        finally:
            close_all(bots)
    return complaints


def _dry_run(tournament: Tournament, rung: Rung, slots: int) -> int:
    """Everything but the games."""
    with tempfile.TemporaryDirectory(prefix="referee-") as folder:
        plan = _make_ready(tournament, Path(folder), rung)
        worst = _worst_case_seconds(tournament, plan)
    print(f"{tournament.name}: the file is right, and all bots are ready\n")
    about = tournament.about(rung.name)
    rows = [
        ("format", about.format),
        ("bots", f"{len(tournament.bots)}: {', '.join(tournament.bots)}"),
        ("boards", ", ".join(str(board) for board in tournament.boards)),
        ("pairings", str(about.schedule().match_count)),
        ("encounters", f"{tournament.content.encounters} per pairing and board, two games each"),
        ("games", f"{about.games:,}"),
        ("workers", str(slots)),
        ("isolation", rung.name),
        ("worst case", _worst_case_text(worst, slots, tournament.has_people)),
    ]
    for title, text in rows:
        print(f"{title + ':':<13}{text}")
    for line in tournament.short_of_openings():
        print(f"- {line}")
    return 0


def _worst_case_seconds(tournament: Tournament, plan: Plan) -> float | None:
    """If every bot used all its time in the longest games there can be; None if unknown."""
    total_ms = 0.0
    meetings = 2 * (len(plan.bots) - 1) * tournament.content.encounters
    for board in plan.boards.values():
        plies = board.rules.most_plies
        if plies is None:
            return None
        for bot in plan.bots.values():
            if bot.command.is_human:
                continue
            time, moves = bot.time, (plies + 1) // 2
            spent_ms = time.start() + time.increment_ms * moves
            if time.main_ms is None:
                spent_ms = (time.start() + time.margin_ms) * moves
            total_ms += meetings * (spent_ms + plan.startup_ms)
    return total_ms / 1000


def _worst_case_text(seconds: float | None, slots: int, people: bool) -> str:
    if seconds is None:
        return "unknown: a variant does not say how long its games can be"
    text = f"{duration(seconds / slots)}, if every bot used all its time in the longest games"
    return f"{text}; people take as long as they like" if people else text
