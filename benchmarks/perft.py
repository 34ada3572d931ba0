"""Speed of the rules: move sequences per second, every move applied, on one core.

    python benchmarks/perft.py [--repeats 5]

python-chess is measured in the same run (`pip install chess`), so that the ratio is comparable
across machines. Each figure is the best of the repeats: noise only slows a run down.
"""

import argparse
import time
from collections.abc import Callable

from tabulate import tabulate

from referee.rules import BUILT_IN, find_variant, perft

DEPTHS = {"standoff": 4, "barricade": 5, "lockdown": 4, "runner": 4, "crossfire": 4}


def leaves_per_second(count: Callable[[], int], repeats: int) -> tuple[int, float]:
    """Return the leaves of a tree and the best speed; small trees are counted several times."""
    leaves, best = 0, 0.0
    for _ in range(repeats):
        done, started, spent = 0, time.perf_counter(), 0.0
        while spent < 0.2:
            leaves = count()
            done += leaves
            spent = time.perf_counter() - started
        best = max(best, done / spent)
    return leaves, best


def chess_perft(board: "chess.Board", depth: int) -> int:  # type: ignore[name-defined] # noqa: F821
    """Count leaves with python-chess, every move applied."""
    count = 0
    for move in board.legal_moves:
        board.push(move)
        count += 1 if depth == 1 else chess_perft(board, depth - 1)
        board.pop()
    return count


def main() -> None:
    """Run the benchmark and print its figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    repeats = parser.parse_args().repeats

    chess_speed = None
    try:
        import chess
    except ImportError:
        print("python-chess is not installed (`pip install chess`): no ratio.\n")
    else:
        board = chess.Board()
        leaves, chess_speed = leaves_per_second(lambda: chess_perft(board, 3), repeats)
    rows = []
    for name in BUILT_IN:
        rules = find_variant(name).on()
        depth = DEPTHS[name]
        count, speed = leaves_per_second(lambda: perft(rules, rules.start(), depth), repeats)  # noqa: B023
        ratio = f"{speed / chess_speed:.1f}" if chess_speed else "-"
        rows.append((name, depth, f"{count:,}", f"{speed:,.0f}", ratio))
    if chess_speed:
        rows.append(("python-chess", 3, f"{leaves:,}", f"{chess_speed:,.0f}", "1.0"))
    headers = ("variant", "depth", "leaves", "leaves/s", "times python-chess")
    print(tabulate(rows, headers, disable_numparse=True, colalign=("left", *["right"] * 4)))


if __name__ == "__main__":
    main()
