"""Compiles the path of a move while a wheel is made, if this machine can.

The compiler is mypyc: it makes C of the very modules that are installed beside what it makes, so
there is one source, and it is Python. Without a C compiler or Python's headers, and if compiling
fails for whatever reason, the wheel is pure Python: everything works, a move takes a little longer.
An editable install is never compiled, so that whoever edits a file sees what that does.
"""

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACKAGE = "referee"
COMPILED = (
    *("countdown", "game", "grid", "protocol", "table", "transcript"),
    *("bot", "human", "process", "pulse", "worker", "records"),
    *("evidence", "ids", "pairings", "timing"),
    *("variants/barricade", "variants/placing", "variants/runner"),
)
"""What every turn goes through, what every game does, how games are handed out and counted, and the
rules: not values that travel to other machines."""
PROGRAM = f"""
import sys
from mypyc.build import mypycify
from setuptools import Distribution

modules = mypycify(["--ignore-missing-imports", *sys.argv[1:]], group_name="{PACKAGE}")
command = Distribution({{"name": "{PACKAGE}", "ext_modules": modules}}).get_command_obj("build_ext")
command.build_lib = "made"
command.ensure_finalized()
command.run()
"""


class CompilingHook(BuildHookInterface[Any]):
    """Adds compiled modules to a wheel."""

    def dependencies(self) -> list[str]:
        return ["mypy[mypyc]>=1.15"] if can_compile() else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self.target_name != "wheel" or version == "editable" or not can_compile():
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
    """Whether there are a C compiler and the headers of this Python."""
    words = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")
    headers = Path(sysconfig.get_path("include"), "Python.h")
    return (
        sys.implementation.name == "cpython"
        and shutil.which(words[0]) is not None
        and headers.is_file()
    )


def compile_modules(root: Path, folder: Path) -> dict[Path, str]:
    """Compile in this folder; what was made, and where it belongs. Nothing if it fails."""
    shutil.copytree(root / PACKAGE, folder / PACKAGE)
    sources = [f"{PACKAGE}/{name}.py" for name in COMPILED]
    command = [sys.executable, "-c", PROGRAM, *sources]
    result = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if result.returncode:
        sys.stderr.write(result.stdout.decode(errors="replace")[-2000:])
        sys.stderr.write("compiling failed: what is installed is pure Python, and works\n")
        return {}
    made = folder / "made"
    return {path: path.relative_to(made).as_posix() for path in made.rglob("*") if path.is_file()}
