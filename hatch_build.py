"""Build hook that compiles the modules of the turn loop with mypyc when a wheel is built.

The Python sources are installed beside the compiled modules, so there is one source. Without a C
compiler or Python's headers, and if compiling fails for any reason, the wheel is pure Python, which
works the same and takes longer per move. An editable install is never compiled, so that edits take
effect, and nothing is compiled with REFEREE_COMPILE=0. Run as a program, this file compiles the
modules in its arguments.
"""

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from itertools import chain
from multiprocessing.pool import ThreadPool
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACKAGE = "referee"
OUTPUT = "made"
"""Subfolder of the compiled modules."""
COMPILED = (
    *("rules/grid", "variants/barricade", "variants/placing", "variants/runner"),
    *("protocol/messages", "protocol/answers", "protocol/line_buffer"),
    *("protocol/clock", "protocol/transcript"),
    *("bots/output_state", "bots/player", "bots/process", "bots/bot"),
    *("bots/watchdog", "bots/exchange"),
    *("game/result", "game/latency", "game/handshake", "game/loop", "human/player"),
    *("records/record", "records/fixture_ids", "run/worker"),
    *("analysis/bitset", "analysis/budget", "analysis/position_table"),
    *("analysis/node_kayles", "analysis/snort", "analysis/barricade", "analysis/runner"),
)
"""The modules of every turn and every game, the rules, and the searches of the analysis; not values
that are pickled to other machines. `human/player` is included because it derives from a compiled
class."""
PURE = "the installed package is pure Python, and works"
STANDARD_ERROR = 2
SWITCH = "REFEREE_COMPILE"
"""Environment variable that disables compiling if it is 0."""


class CompilingHook(BuildHookInterface[Any]):
    """Hook that adds compiled modules to a wheel."""

    def dependencies(self) -> list[str]:
        """Return the build requirements: mypyc, if this machine can compile."""
        return ["mypy[mypyc]>=1.15"] if can_compile() else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, and add the compiled modules to the wheel."""
        if self.target_name != "wheel" or version == "editable":
            return
        if reason := obstacle():
            sys.stderr.write(f"nothing is compiled, because {reason}: {PURE}\n")
            return
        self._folder = TemporaryDirectory(prefix="referee-compile-")
        made = compile_modules(Path(self.root), Path(self._folder.name))
        if made:
            build_data["force_include"] |= {str(path): name for path, name in made.items()}
            build_data["pure_python"] = False
            build_data["infer_tag"] = True

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the temporary folder."""
        if hasattr(self, "_folder"):
            self._folder.cleanup()


def can_compile() -> bool:
    """Return whether this machine can compile."""
    return obstacle() is None


def obstacle() -> str | None:
    """Return the reason why nothing can be compiled; None if there is none."""
    words = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")
    headers = Path(sysconfig.get_path("include"), "Python.h")
    if os.environ.get(SWITCH) == "0":
        return f"{SWITCH} is 0"
    if sys.implementation.name != "cpython":
        return "this is not CPython"
    if shutil.which(words[0]) is None:
        return f"there is no C compiler {words[0]}"
    return None if headers.is_file() else f"Python's headers are missing ({headers})"


def compile_modules(root: Path, folder: Path) -> dict[Path, str]:
    """Compile in this folder; return the compiled files and their paths in the wheel.

    If compiling fails, return nothing.
    """
    shutil.copytree(root / PACKAGE, folder / PACKAGE)
    sources = [f"{PACKAGE}/{name}.py" for name in COMPILED]
    command = [sys.executable, "-u", str(Path(__file__).absolute()), *sources]
    # Its lines are not collected: each of them moves the progress indicator of pip.
    if subprocess.run(command, cwd=folder, stdout=STANDARD_ERROR).returncode:
        sys.stderr.write(f"compiling failed: {PURE}\n")
        return {}
    output = folder / OUTPUT
    files = (path for path in output.rglob("*") if path.is_file())
    return {path: path.relative_to(output).as_posix() for path in files}


def compile_here(sources: Sequence[str]) -> None:
    """Compile these modules in the current folder, with all cores."""
    from mypyc.build import mypycify
    from setuptools import Distribution
    from setuptools.command.build_ext import build_ext

    class ParallelBuild(build_ext):
        """Command that compiles the C files of one library in parallel, unlike setuptools."""

        def build_extensions(self) -> None:
            compile_some = self.compiler.compile

            def compile_all(sources: Sequence[str], **options: Any) -> list[str]:
                def compile_one(source: str) -> list[str]:
                    sys.stdout.write(f"compiling {source}\n")
                    return list(compile_some([source], **options))

                # The largest first, so that all cores are in use until the end.
                in_order = sorted(sources, key=os.path.getsize, reverse=True)
                with ThreadPool() as pool:
                    return list(chain.from_iterable(pool.map(compile_one, in_order, 1)))

            self.compiler.compile = compile_all
            super().build_extensions()

    # One C file per module, so that all cores are used. -O1: with -O3 gcc takes 21 instead of 13 s
    # for code that executes as many instructions (benchmarks/HISTORY.md).
    extensions = mypycify(
        ["--ignore-missing-imports", *sources],
        opt_level="1",
        debug_level="0",
        multi_file=True,
        group_name=PACKAGE,
    )
    for extension in extensions:
        extension.extra_compile_args.append("-Wno-error")  # newer compilers have more warnings
    build = ParallelBuild(Distribution({"name": PACKAGE, "ext_modules": extensions}))
    build.build_lib = OUTPUT
    build.parallel = True
    build.ensure_finalized()
    build.run()


if __name__ == "__main__":
    compile_here(sys.argv[1:])
