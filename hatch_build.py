"""Compiles the path of a move while a wheel is made, if this machine can.

The compiler is mypyc: it makes C of the very modules that are installed beside what it makes, so
there is one source, and it is Python. Without a C compiler or Python's headers, and if compiling
fails for whatever reason, the wheel is pure Python: everything works, a move takes a little longer.
An editable install is never compiled, so that whoever edits a file sees what that does, and nothing
is with REFEREE_COMPILE=0. Run as a program, this file compiles the modules that it is given.
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
MADE = "made"
"""Where what was made lies below the folder of a compilation."""
COMPILED = (
    *("rules/grid", "variants/barricade", "variants/placing", "variants/runner"),
    *("protocol/messages", "protocol/answers", "protocol/line_buffer"),
    *("protocol/clock", "protocol/transcript"),
    *("bots/player", "bots/process", "bots/launcher", "bots/bot", "bots/watchdog", "bots/exchange"),
    *("game/result", "game/handshake", "game/loop", "human/player"),
    *("records/record", "records/fixture_ids", "run/worker"),
)
"""What every turn goes through, what every game does, and the rules: not values that travel to
other machines. `human/player` is among them because it derives from a class that is compiled."""
PURE = "what is installed is pure Python, and works"
SWITCH = "REFEREE_COMPILE"
"""The environment variable that forbids compiling, if it is 0."""


class CompilingHook(BuildHookInterface[Any]):
    """Adds compiled modules to a wheel."""

    def dependencies(self) -> list[str]:
        return ["mypy[mypyc]>=1.15"] if can_compile() else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self.target_name != "wheel" or version == "editable":
            return
        if why := obstacle():
            sys.stderr.write(f"nothing is compiled, because {why}: {PURE}\n")
            return
        self._folder = TemporaryDirectory(prefix="referee-compile-")
        made = compile_modules(Path(self.root), Path(self._folder.name))
        if made:
            build_data["force_include"] |= {str(path): name for path, name in made.items()}
            build_data["pure_python"] = False
            build_data["infer_tag"] = True

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if hasattr(self, "_folder"):
            self._folder.cleanup()


def can_compile() -> bool:
    """Whether nothing stands against it."""
    return obstacle() is None


def obstacle() -> str | None:
    """Why nothing can be compiled here; None if it can."""
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
    """Compile in this folder; what was made, and where it belongs. Nothing if it fails."""
    shutil.copytree(root / PACKAGE, folder / PACKAGE)
    sources = [f"{PACKAGE}/{name}.py" for name in COMPILED]
    command = [sys.executable, str(Path(__file__).absolute()), *sources]
    result = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if result.returncode:
        sys.stderr.write(result.stdout.decode(errors="replace")[-2000:])
        sys.stderr.write(f"compiling failed: {PURE}\n")
        return {}
    made = folder / MADE
    return {path: path.relative_to(made).as_posix() for path in made.rglob("*") if path.is_file()}


def compile_here(sources: Sequence[str]) -> None:
    """Compile these modules in the current folder, with all cores."""
    from mypyc.build import mypycify
    from setuptools import Distribution
    from setuptools.command.build_ext import build_ext

    class ParallelBuild(build_ext):
        """Compiles the C files of one library at the same time; setuptools does it one by one."""

        def build_extensions(self) -> None:
            compile_some = self.compiler.compile

            def compile_all(sources: Sequence[str], **options: Any) -> list[str]:
                # The largest first, so that none of them is left for the end.
                in_order = sorted(sources, key=os.path.getsize, reverse=True)
                with ThreadPool() as pool:
                    made = pool.map(lambda one: compile_some([one], **options), in_order, 1)
                return list(chain.from_iterable(made))

            self.compiler.compile = compile_all
            super().build_extensions()

    # A file per module: one at a time takes longer, and all cores can work. Of what gcc can do at
    # -O3 nothing is left here but its time: the code is calls of the interpreter's own functions.
    extensions = mypycify(
        ["--ignore-missing-imports", *sources],
        opt_level="1",
        debug_level="0",
        multi_file=True,
        group_name=PACKAGE,
    )
    for extension in extensions:
        extension.extra_compile_args.append("-Wno-error")  # newer compilers warn of more
    build = ParallelBuild(Distribution({"name": PACKAGE, "ext_modules": extensions}))
    build.build_lib = MADE
    build.parallel = True
    build.ensure_finalized()
    build.run()


if __name__ == "__main__":
    compile_here(sys.argv[1:])
