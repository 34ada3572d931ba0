"""Prove who wins with perfect play, at every ply of every recorded game; report errors per bot.

Results go to analysis.jsonl in the same folder, which may be deleted at any time; running the same
command again analyses what is missing. Each position has a budget: what cannot be proven within it
is `unproved`. Nodes give the same answers on every machine; a time does not.

A decision is a move in a won position in which some moves give the win away; an error is a move
that does. With ids of games, these alone are analysed, and shown ply by ply.

examples:
  referee analyse results/quickstart
  referee analyse results/quickstart --workers 4 --nodes 10000000
  referee analyse results/quickstart standoff-5x5.greedy.mirror.1a
  referee analyse results/cup --budget 2s --json
  referee analyse results/cup --cluster tcp://10.0.0.1:8786      on a Dask cluster
"""

import argparse
import json
import shlex
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from referee.analysis.bot_summary import summarise
from referee.commands.cluster_options import (
    add_cluster_arguments,
    check_cluster_arguments,
    connect_cluster,
    require_dask,
    wait_seconds,
    wants_cluster,
)
from referee.commands.results_folder import (
    add_folder_argument,
    add_variant_argument,
    find_record,
    open_results,
    read_variants,
    variant_of,
)
from referee.commands.solver_options import add_budget_arguments, read_budget
from referee.commands.terminal import for_screen, terminal_width
from referee.errors import EXIT_INTERRUPTED, InputError
from referee.records.analysis_file import AnalysisStore, analysed_games
from referee.records.record import Record
from referee.run.analysis import Analyser, PendingAnalysis, RecordSelection
from referee.run.analysis_task import VariantSource
from referee.run.count_progress import CountProgress, make_count_progress
from referee.system.cores import default_slots
from referee.system.signals import deferred
from referee.text import printable_block

WIDE = 1_000
"""Width of tables in a pipe: all columns, and whole names."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_folder_argument(parser)
    parser.add_argument(
        "games", nargs="*", default=[], metavar="GAME", help="only the games with these ids"
    )
    parser.add_argument(
        "--workers", type=int, metavar="N", help="processes (default: one per physical core)"
    )
    add_budget_arguments(parser)
    add_cluster_arguments(parser)
    add_variant_argument(parser)
    parser.add_argument("--json", action="store_true", help="print the summary as one JSON object")
    parser.add_argument("--quiet", action="store_true", help="print the summary alone")


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    budget = read_budget(arguments)
    if arguments.workers is not None and arguments.workers < 1:
        raise InputError(f"--workers {arguments.workers}: at least one is needed")
    if wants_cluster(arguments):
        check_cluster_arguments(arguments)
        require_dask()
    manifest, games = open_results(arguments.folder)
    ids = [find_record(manifest, games, name, arguments.folder)["id"] for name in arguments.games]
    records = RecordSelection(manifest, games, frozenset(ids))
    sources = _find_sources(records, arguments.variant_file)
    if wants_cluster(arguments):
        sources = {name: source.portable() for name, source in sources.items()}
    with AnalysisStore(arguments.folder) as store:
        for warning in store.warnings:
            _warn(warning)

        def open_analyser(games: int) -> Analyser:
            return _open_analyser(arguments, games)

        def make_progress(done: int, total: int) -> CountProgress:
            if done and not arguments.quiet:
                print(f"{done:,} of {total:,} games were analysed before", file=sys.stderr)
            return make_count_progress("analysing", done, total, quiet=arguments.quiet)

        pending = PendingAnalysis(records, sources, store, *budget)
        try:
            pending.run(open_analyser, make_progress)
        except KeyboardInterrupt:
            _warn("interrupted; run the same command to go on")
            return EXIT_INTERRUPTED
        if not ids:
            store.remove_stale({record["id"] for record in records})
        _print_results(records, store, arguments)
    return 0


def _find_sources(records: Iterable[Record], files: Sequence[str]) -> dict[str, VariantSource]:
    """Return the sources of the variants that are known here; warn about the others."""
    sources = {name: VariantSource(file) for file in files for name in read_variants([file])}
    unknown: dict[str, int] = {}
    for record in records:
        name = record["variant"]
        if name not in sources and name not in unknown:
            try:
                variant_of(record, {})
            except InputError as error:
                unknown[name] = 0
                _warn(str(error))
            else:
                sources[name] = VariantSource(name)
        if name in unknown:
            unknown[name] += 1
    for name, count in unknown.items():
        _warn(f"without the rules of {name}, {count:,} of the games are left out")
    return sources


def _open_analyser(arguments: argparse.Namespace, games: int) -> Analyser:
    """Start processes here, or connect to the cluster."""
    if not wants_cluster(arguments):
        from referee.run.analysis_pool import AnalysisPool

        return AnalysisPool(min(arguments.workers or default_slots(), games))
    with deferred():  # interrupted here, Dask leaves tracebacks and processes behind
        from referee.cluster.analysis import ClusterAnalysis

        return ClusterAnalysis(connect_cluster(arguments), wait_seconds(arguments), _warn)


def _print_results(
    records: RecordSelection, store: AnalysisStore, arguments: argparse.Namespace
) -> None:
    """Print the selected games ply by ply, or a summary of all games."""
    from referee.scoring.analysis_tables import game_table, summary_note, summary_table

    width = terminal_width() if sys.stdout.isatty() else WIDE
    if records.ids and not arguments.json:
        for record in records:
            analysis = store.get(record["id"], record["moves"])
            if analysis is not None:
                table = game_table(
                    analysis, record["moves"], record["opening"], record["bots"], width
                )
                print(for_screen(f"{record['id']}\n\n{table}\n"))
        return
    summaries = summarise(analysed_games(records, store))
    if arguments.json:
        print(json.dumps({"schema": 1, "bots": [summary.to_json() for summary in summaries]}))
        return
    print(for_screen(summary_table(summaries, width)))
    if not arguments.quiet:
        print(f"\n{summary_note(summaries)}\n{_where(store.path)}")


def _where(path: Path) -> str:
    """Name the file of the analysis, and the commands that show it."""
    folder = shlex.quote(str(path.parent))
    return (
        f"Every position is in {path}. These show it:\n"
        f"  referee report {folder}\n  referee puzzles {folder}\n  referee replay {folder} GAME"
    )


def _warn(text: str) -> None:
    print(f"referee: {printable_block(text)}", file=sys.stderr)
