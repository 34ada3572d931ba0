"""How fast the referee is, compared with one in C that plays the same games with the same bots.

    python benchmarks/run.py                    everything but what takes long
    python benchmarks/run.py turns games        some parts only
    python benchmarks/run.py --profile runner   where the time of the game loop goes
    python benchmarks/run.py growth             100,000 games in one worker: a few minutes
    python benchmarks/run.py --repeats 25       steadier medians

C and Python take turns, all on one core, and what is printed is the median of the ratios: other
work on the machine hits both. A C compiler is needed. docs/performance.md tells how to read them.
What is measured is the referee that is installed: `pip install .` first compiles what it can.
"""

import argparse
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import parts
from c_programs import CReferee, compile_bot, compile_referee, compiler
from setting import pin_to

PARTS: dict[str, Callable[[parts.Bench], str]] = {
    "turns": parts.turns,
    "games": parts.games,
    "workers": parts.workers,
    "memory": parts.memory,
    "start": parts.start,
    "growth": parts.growth,
}
USUAL = [name for name in PARTS if name != "growth"]


def read_arguments(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"some of {', '.join(PARTS)}")
    parser.add_argument("--repeats", type=int, default=9)
    parser.add_argument("--profile", metavar="VARIANT", help="profile the game loop instead")
    options = parser.parse_args(words)
    for part in options.parts:
        if part not in PARTS:
            parser.error(f"there is no part {part!r}: there are {', '.join(PARTS)}")
    options.parts = options.parts or USUAL
    return options


def main() -> int:
    options = read_arguments(sys.argv[1:])
    if compiler() is None:
        print("There is no C compiler here (cc, gcc or clang): nothing to compare with.")
        return 0
    with tempfile.TemporaryDirectory(prefix="referee-bench-") as name:
        folder = Path(name)
        folder.chmod(0o755)  # bots of root run as somebody else
        bot = compile_bot(folder)
        if options.profile:
            print(parts.profile(options.profile, bot, folder))
            return 0
        c_referee = CReferee(compile_referee(folder), bot, folder)
        bench = parts.Bench(c_referee, bot, folder, options.repeats)
        python = f"Python {sys.version.split()[0]}, the referee {parts.how_installed()}"
        print(f"{os.cpu_count()} cores, {python}, {options.repeats} repeats\n")
        cores = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set()
        for part in options.parts:
            # On one core, but for what is about several.
            pin_to(cores if part in ("workers", "start") else {max(cores, default=0)})
            print(f"{PARTS[part](bench)}\n", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
