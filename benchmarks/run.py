"""Speed of the referee, compared with one in C that plays the same games with the same bots.

    python benchmarks/run.py                    all parts but growth
    python benchmarks/run.py turns games        some parts only
    python benchmarks/run.py --profile runner   profile of the game loop
    python benchmarks/run.py growth             100,000 games in one worker: a few minutes
    python benchmarks/run.py --repeats 25       steadier medians

C and Python runs alternate on one core, and the median of the ratios is printed: other load on the
machine affects both. A C compiler is required. docs/performance.md explains the tables. The
installed referee is measured: `pip install .` compiles it.
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
    """Parse the arguments; no parts means all but growth."""
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
    """Run the parts and print their tables."""
    options = read_arguments(sys.argv[1:])
    if compiler() is None:
        print("There is no C compiler here (cc, gcc or clang): nothing to compare with.")
        return 0
    with tempfile.TemporaryDirectory(prefix="referee-bench-") as name:
        folder = Path(name)
        folder.chmod(0o755)  # bots that root starts run as another user
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
            # On one core, except for the parts that measure several.
            pin_to(cores if part in ("workers", "start") else {max(cores, default=0)})
            print(f"{PARTS[part](bench)}\n", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
