"""A tournament from its file to its tables: what `run` does after the launcher has started."""

import argparse
import json
import shlex
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from referee.bots.launcher import Launcher
from referee.commands.cluster_options import check_cluster_arguments, wants_cluster
from referee.commands.engine_factory import ClusterFactory, EngineFactory, LocalFactory
from referee.commands.next_steps import next_steps, program_words
from referee.commands.serving import DEFAULT_HOST, DEFAULT_PORT, hyperlink
from referee.commands.terminal import (
    for_screen,
    link_to,
    print_status,
    shows_overview,
    terminal_width,
    wrapped,
)
from referee.config.tournament import Tournament, read_tournament
from referee.errors import (
    EXIT_INTERRUPTED,
    EXIT_OUTSIDE,
    InputError,
    OutsideError,
    unknown_name_message,
)
from referee.records.games_file import GamesFile
from referee.records.manifest import FILE, Manifest, load_manifest
from referee.records.store import Store, move_aside
from referee.run.arena import Arena
from referee.run.engine import Engine
from referee.run.progress import (
    LineProgress,
    LiveProgress,
    NoProgress,
    Progress,
    TurnAnnouncer,
    duration,
)
from referee.sandbox.probe import SandboxProbe
from referee.scoring.ledger import Ledger, check_hashes, check_settings, count_games, read_ledger
from referee.scoring.schedule_checks import find_dropped

if TYPE_CHECKING:
    from referee.report.collect import ReportGames
    from referee.scoring.render import AllRatings
    from referee.web.run_server import RunServer

MAX_GAMES = 1_000_000


def read(arguments: argparse.Namespace) -> Tournament:
    """Read the tournament file; raise InputError if it contradicts the arguments."""
    on_cluster = wants_cluster(arguments)
    if on_cluster:
        check_cluster_arguments(arguments)
    most = None if arguments.yes else MAX_GAMES
    tournament = read_tournament(arguments.file, most, bots_run_here=not on_cluster)
    if arguments.workers is not None and arguments.workers < 1:
        raise InputError(f"--workers {arguments.workers}: the minimum is 1")
    if arguments.port is not None and not arguments.serve:
        raise InputError("--port is for --serve: add --serve, or leave out --port")
    for bot in arguments.redo:
        if bot not in tournament.bots:
            raise InputError(unknown_name_message("bot", bot, tournament.bots))
    tournament.check_results_folder(_results_folder(arguments))
    if on_cluster and tournament.has_people:
        raise InputError("a person plays at this terminal: run this file without --cluster")
    if on_cluster and tournament.content.network:
        raise InputError(
            "network: true is not possible on a cluster: bots could send commands to its scheduler"
            " and workers; run this file without --cluster"
        )
    return tournament


def run_tournament(
    tournament: Tournament, arguments: argparse.Namespace, launcher: Launcher, probe: SandboxProbe
) -> int:
    """Play the games that have no record, write the tables, and return the exit code."""
    folder = _results_folder(arguments)
    with _serving(arguments, folder) as server:
        factory: EngineFactory = (
            ClusterFactory(tournament, arguments)
            if wants_cluster(arguments)
            else LocalFactory(tournament, arguments, launcher, probe, server)
        )
        if arguments.dry_run:
            return _dry_run(tournament, factory)
        if arguments.fresh and folder.exists():
            with Store(folder):
                pass  # it holds the lock: no other run uses the folder
            print(f"the old results are in {move_aside(folder)} now", file=sys.stderr)
        with Store(folder) as store:
            if server is not None:
                print_status(_addresses(server, tournament))
            code = _play(tournament, store, factory, arguments)
        if server is not None and code != EXIT_INTERRUPTED:
            print(f"the arena stays open at {server.address} (Ctrl-C ends it)", file=sys.stderr)
            with suppress(KeyboardInterrupt):
                server.wait()
        return code


@contextmanager
def _serving(arguments: argparse.Namespace, folder: Path) -> Iterator["RunServer | None"]:
    """Start the server of `--serve`, and end it with the run."""
    if not arguments.serve or arguments.dry_run:
        yield None
        return
    from referee.web.run_server import RunServer

    port = DEFAULT_PORT if arguments.port is None else arguments.port
    server = RunServer(folder, DEFAULT_HOST, port)
    try:
        yield server
    finally:
        server.close()


def _addresses(server: "RunServer", tournament: Tournament) -> list[str]:
    lines = [f"watch it at {hyperlink(server.address, sys.stderr)}"]
    if tournament.has_people:
        lines.append(f"play at {hyperlink(server.seat_address, sys.stderr)}")
    return lines


def _results_folder(arguments: argparse.Namespace) -> Path:
    folder: Path = arguments.out or Path("results") / arguments.file.stem
    return folder


def _play(
    tournament: Tournament, store: Store, factory: EngineFactory, arguments: argparse.Namespace
) -> int:
    """Play the games that have no record, and print the tables."""
    hashes = {name: bot.hash for name, bot in tournament.specs.items()}
    notify = _discard if arguments.quiet else print_status
    before = load_manifest(store.folder)
    if before is not None:
        tournament = tournament.resumed(before)
    manifest = tournament.manifest(factory.sandbox)
    if before is not None:
        check_settings(manifest, before)
    games, dropped = store.games_path, ""
    if arguments.redo or arguments.reschedule:
        played = count_games(manifest, GamesFile(store.games_path))
        # The drop is committed after all checks have passed.
        count = store.prepare_drop(find_dropped(played, arguments.redo, arguments.reschedule))
        dropped = _dropped_text(count, arguments) if count else ""
        games = store.shortened_path
    ledger, gathered = _read_games(manifest, games)
    check_hashes(ledger, hashes)
    notify([*store.warnings, *manifest.notes])
    arena = Arena(tournament, store, ledger)
    if ledger.is_over():
        # Records outside the schedule may be dropped; the name or the tie-breaks may be new.
        _commit(store, manifest, dropped, notify)
        notify([f"all {len(ledger.done)} games were played before"])
        ratings = _write_results(tournament, ledger, store, gathered)
        return _report(tournament, store, arena, ratings, arguments)
    notify([_start_text(tournament, ledger)])
    engine = factory.open(tournament, store.folder, notify)
    try:
        try:
            _commit(store, replace(manifest, sandbox=factory.sandbox), dropped, notify)
            at_terminal = tournament.has_people and not arguments.serve
            arena.progress = _make_progress(ledger, arguments.quiet, at_terminal)
            arena.play(engine)
        finally:
            engine.close()
            arena.progress.close()
    except BaseException:
        # Report the error that ended the run, not that the tables cannot be written either.
        with suppress(OutsideError):
            store.sync()
            _write_results(tournament, ledger, store)
        raise
    if tournament.has_people and _person_left(engine) and not ledger.is_over():
        arena.interrupted = True
    store.sync()
    ratings = _write_results(tournament, ledger, store)
    return _report(tournament, store, arena, ratings, arguments)


def _commit(
    store: Store, manifest: Manifest, dropped: str, notify: Callable[[Sequence[str]], None]
) -> None:
    """Commit the dropped games that `dropped` reports, if any, and write the manifest."""
    if dropped:
        store.commit_drop()
        notify([dropped])
    store.write_text(FILE, json.dumps(manifest.to_json(), indent=1) + "\n")


def _dropped_text(count: int, arguments: argparse.Namespace) -> str:
    if arguments.reschedule:
        return f"{count} games were dropped, and those of the schedule are played again"
    bots = " and ".join(dict.fromkeys(arguments.redo))
    return f"{count} games of {bots} are played again"


def _start_text(tournament: Tournament, ledger: Ledger) -> str:
    """Describe what comes first: builds, and slow bots, may take minutes."""
    builds = [bot.name for bot in tournament.content.bots if bot.build is not None]
    games = (ledger.manifest.games or 0) - len(ledger.done)
    built = f"building {', '.join(builds)} and " if builds else ""
    what = f"{max(games, 1):,} games to play"
    return f"{tournament.name}: {what}; {built}starting each of {len(tournament.bots)} bots once"


def _person_left(engine: Engine) -> bool:
    from referee.run.human_engine import HumanEngine

    return isinstance(engine, HumanEngine) and engine.person_left


def _read_games(manifest: Manifest, path: Path) -> tuple[Ledger, "ReportGames | None"]:
    """Read the ledger and, if the tournament seems complete, the games for the report."""
    games = GamesFile(path)
    if games.total != manifest.games:
        return read_ledger(manifest, games), None
    # Slow to import, and not needed before.
    from referee.report.collect import read_ledger_and_games

    return read_ledger_and_games(manifest, games)


def _write_results(
    tournament: Tournament, ledger: Ledger, store: Store, gathered: "ReportGames | None" = None
) -> "AllRatings":
    from referee.run.write_results import write_results  # not needed before the first results

    return write_results(ledger, store, gathered, tournament.foreign_variants())


def _report(
    tournament: Tournament,
    store: Store,
    arena: Arena,
    ratings: "AllRatings",
    arguments: argparse.Namespace,
) -> int:
    """Print tables, remarks and errors; return the exit code."""
    _print_tables(arena, ratings, arguments)
    if sys.stdout.isatty() and not arguments.quiet:
        if not arena.interrupted:
            steps = next_steps(tournament, arena.ledger, store)
            print("\n".join(["", "Try next:", *(f"  {step}" for step in steps)]))
        path = link_to(store.folder / "report.html")
        watch = shlex.join([*program_words(), "serve", str(store.folder)])
        print(f"\nreport: {path}, with the games and tables beside it\nwatch:  {watch}")
    elif not arguments.quiet:
        print_status([f"\nthe games are in {store.games_path}, the tables beside them"])
    _report_voids(arena, store)
    if arena.interrupted:
        print("referee: interrupted; run the same command to go on", file=sys.stderr)
        return EXIT_INTERRUPTED
    return EXIT_OUTSIDE if arena.voids else 0


def _print_tables(arena: Arena, ratings: "AllRatings", arguments: argparse.Namespace) -> None:
    from referee.scoring.render import (
        notes,
        overview_text,
        ratings_text,
        standings_text,
        table_sections,
    )
    from referee.scoring.round_tables import rounds_text

    ledger = arena.ledger
    # Programs read the output of --quiet, so it has all columns.
    overview = shows_overview(wide=arguments.wide or arguments.quiet)
    games = max(ledger.manifest.games or 0, len(ledger.done))  # a knockout may take more
    print(f"{ledger.manifest.name}: {len(ledger.done)} of {games} games\n")
    sections = table_sections(ledger.manifest)
    if overview:
        text = overview_text(ledger, ratings, sections, terminal_width(), by_board=arguments.boards)
        print(for_screen(text), end="")
    else:
        print(standings_text(ledger, "simple", sections), end="")
    if ledger.manifest.has_rounds:
        width = terminal_width() if overview else None
        print(f"\n{rounds_text(ledger.schedule(), ledger.scores, width)}", end="")
    if not overview:
        print(f"\n{ratings_text(ratings, 'simple', sections[:1])}", end="")
    remarks = [*notes(ledger), *arena.warnings, *ledger.timing.warnings()]
    if remarks:
        lines = [f"- {remark}" for remark in remarks]
        print("\n" + "\n".join(map(wrapped, lines) if overview else lines))


def _report_voids(arena: Arena, store: Store) -> None:
    """Print the void games, and write their tracebacks to void.txt."""
    for void in arena.voids:
        last = void.why.strip().splitlines()[-1]
        print(f"referee: {void.fixture.id} could not be played: {last}", file=sys.stderr)
    if arena.voids:
        text = "\n".join(f"{void.fixture.id}\n{void.why}" for void in arena.voids)
        store.write_text("void.txt", text)


def _make_progress(ledger: Ledger, quiet: bool, people: bool) -> Progress:
    manifest = ledger.manifest
    if quiet:
        return NoProgress()
    if people:
        return TurnAnnouncer()
    if sys.stderr.isatty():
        return LiveProgress(manifest.name, len(ledger.done), manifest.games or 0)
    return LineProgress(len(ledger.done), manifest.games or 0)


def _discard(lines: Sequence[str]) -> None:
    """Print nothing, for --quiet."""


def _dry_run(tournament: Tournament, factory: EngineFactory) -> int:
    """Prepare everything and print the schedule, without playing."""
    with tempfile.TemporaryDirectory(prefix="referee-") as folder:
        engine = factory.open(tournament, Path(folder), _discard)
        slots = engine.slots
        engine.close()
    worst = _worst_case_seconds(tournament)
    print(f"{tournament.name}: the file is valid, and all bots are ready\n")
    manifest = tournament.manifest(factory.sandbox)
    rows = [
        ("format", manifest.format),
        ("bots", f"{len(tournament.bots)}: {', '.join(tournament.bots)}"),
        ("boards", ", ".join(tournament.board_plans)),
        ("pairings", str(manifest.schedule().match_count)),
        ("encounters", f"{tournament.content.encounters} per pairing and board, two games each"),
        ("games", f"{manifest.games:,}"),
        ("workers", str(slots)),
        ("isolation", factory.sandbox),
        ("worst case", _worst_case_text(worst, slots, tournament.has_people)),
    ]
    for title, text in rows:
        print(f"{title + ':':<13}{text}")
    for line in tournament.short_of_openings():
        print(f"- {line}")
    return 0


def _worst_case_seconds(tournament: Tournament) -> float | None:
    """Compute the time if every bot used all its time in the longest games; None if unknown."""
    total_ms = 0.0
    portable_plan = tournament.portable_plan()
    meetings = 2 * (len(portable_plan.bots) - 1) * tournament.content.encounters
    for board in portable_plan.boards.values():
        plies = board.rules.most_plies
        if plies is None:
            return None
        for bot in portable_plan.bots:
            if bot.command.is_human:
                continue
            time, moves = bot.time, (plies + 1) // 2
            spent_ms = time.start() + time.increment_ms * moves
            if time.main_ms is None:
                spent_ms = (time.start() + time.margin_ms) * moves
            total_ms += meetings * (spent_ms + portable_plan.play.startup_ms)
    return total_ms / 1000


def _worst_case_text(seconds: float | None, slots: int, people: bool) -> str:
    if seconds is None:
        return "unknown: a variant has no maximum length of a game"
    text = f"{duration(seconds / slots)}, if every bot used all its time in the longest games"
    return f"{text}; people take as long as they like" if people else text
