"""Speed of the solver: proofs of start positions, and the games of the quickstart.

    python benchmarks/solver.py [--quick] [BOARD ...]        a board is like standoff-6x6
    python benchmarks/solver.py --games results/quickstart   every ply of recorded games

Each start position is proven in a process of its own: the value of every move, with all nodes that
it takes. CPU time is that of the process, without its start; the memory is its peak. Run it with
the package installed by `pip install .`, from another folder: pure Python takes some thirty times
as long.
"""

import argparse
import multiprocessing
import resource
import sys
import time
from multiprocessing.connection import Connection
from pathlib import Path

from tabulate import tabulate

BOARDS = {
    "standoff-5x5": 30,
    "standoff-6x6": 30,
    "lockdown-4x4": 30,
    "lockdown-5x5": 30,
    "lockdown-6x6": 30,
    "lockdown-7x7": 30,
    "crossfire-4x4": 30,
    "crossfire-5x5": 30,
    "crossfire-6x6": 30,
    "runner-5x5": 30,
    "runner-6x6": 30,
    "barricade-5x5": 90,
}
"""The longest time that each proof may take, in seconds."""
QUICK = ("standoff-5x5", "lockdown-5x5", "crossfire-5x5")
GAMES_SECONDS = 90
MEMORY_MIB = 1024
NODES = 10**12
HEADERS = (
    "board",
    "value",
    "moves that win",
    "nodes",
    "CPU s",
    "wall s",
    "nodes/s",
    "MiB",
    "limit",
)


def prove(board: str, results: Connection) -> None:
    """Prove a start position and send the figures."""
    from referee.analysis.solver import Solver
    from referee.rules import Size, find_variant

    name, _, size = board.rpartition("-")
    rules = find_variant(name).on(Size(*map(int, size.split("x"))))
    solver = Solver(rules, NODES)
    cpu, wall = time.process_time(), time.perf_counter()
    verdict = solver.solve(rules.start())
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    wins = f"{len(verdict.winning)} of {len(verdict.moves)}"
    results.send((str(verdict.value), wins, verdict.nodes, cpu, wall, peak_mib()))


def analyse(folder: str, results: Connection) -> None:
    """Analyse recorded games one after the other and send the figures."""
    from referee.analysis.game_analysis import Openings, analyse_game
    from referee.records.games_file import GamesFile
    from referee.rules import Rules, Size, find_variant

    cpu, wall = time.process_time(), time.perf_counter()
    positions = unproved = games = 0
    openings: dict[Rules[object], Openings] = {}
    for record in GamesFile(Path(folder, "games.jsonl")).records():
        rules = find_variant(record["variant"]).on(Size(record["rows"], record["cols"]))
        known = openings.setdefault(rules, {})
        analysis = analyse_game(rules, record["moves"], record["opening"], openings=known)
        positions += len(analysis.plies)
        unproved += sum(ply.value == "unproved" for ply in analysis.plies)
        games += 1
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    results.send((games, positions, unproved, cpu, wall, peak_mib()))


def peak_mib() -> float:
    """Return the peak of the memory of this process."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def in_own_process(function: object, argument: str) -> tuple[object, ...]:
    """Return what a function sends from a process of its own."""
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=function, args=(argument, sender))
    process.start()
    sender.close()
    try:
        figures: tuple[object, ...] = receiver.recv()
    finally:
        process.join()
    return figures


def main() -> int:
    """Run the benchmark and print its figures; return 1 if a limit is exceeded."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("boards", nargs="*", metavar="BOARD")
    parser.add_argument("--quick", action="store_true", help="three boards that take milliseconds")
    parser.add_argument("--games", metavar="DIR", help="analyse the games of a tournament instead")
    arguments = parser.parse_args()
    if arguments.games:
        games, positions, unproved, cpu, wall, mib = in_own_process(analyse, arguments.games)
        print(
            f"{games} games, {positions} positions, {unproved} unproved: {cpu:.1f} s CPU,"
            f" {wall:.1f} s on one core (limit: {GAMES_SECONDS} s), {mib:.0f} MiB"
        )
        return int(cpu > GAMES_SECONDS or mib > MEMORY_MIB)
    rows, is_late = [], False
    for board in arguments.boards or (QUICK if arguments.quick else BOARDS):
        value, wins, nodes, cpu, wall, mib = in_own_process(prove, board)
        limit = BOARDS.get(board, 0)
        is_late |= bool(limit) and (cpu > limit or mib > MEMORY_MIB)
        speed = f"{nodes / cpu:,.0f}"
        figures = [f"{nodes:,}", f"{cpu:.2f}", f"{wall:.2f}", speed, f"{mib:.0f}"]
        rows.append([board, value, wins, *figures, f"{limit} s" if limit else "-"])
    print(tabulate(rows, HEADERS, disable_numparse=True, colalign=("left", *["right"] * 8)))
    return int(is_late)


if __name__ == "__main__":
    sys.exit(main())
