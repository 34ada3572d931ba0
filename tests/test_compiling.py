"""Wheels: compiled modules where possible, else pure Python."""

import os
import subprocess
import sys
from configparser import ConfigParser
from pathlib import Path
from typing import Any

import pytest

from hatch_build import COMPILED, CompilingHook, can_compile, compile_modules
from tests.conftest import ROOT, Referee
from tests.support.processes import ended


@pytest.fixture
def hook(tmp_path: Path) -> CompilingHook:
    """Return the hook as it is called when a wheel is built."""
    metadata: Any = None
    return CompilingHook(str(ROOT), {}, metadata, metadata, str(tmp_path), "wheel")


def test_installed_package_is_compiled_if_there_is_a_compiler(
    tmp_path: Path, referee: Referee
) -> None:
    """A checkout stays unchanged."""
    names = ", ".join(f"referee.{name.replace('/', '.')}" for name in COMPILED)
    program = f"import {names}\nfor module in [{names}]: print(module.__file__)"
    command = [sys.executable, "-c", program]
    files = subprocess.check_output(command, cwd=tmp_path, text=True).splitlines()
    compiled = can_compile() and not Path(files[0]).is_relative_to(ROOT / "referee")
    assert [not file.endswith(".py") for file in files] == [compiled] * len(COMPILED)
    said = referee("doctor").stdout
    assert f"{'compiled' if compiled else 'pure Python'}\n" in said
    assert ("`pip install -v .` in its checkout compiles" in said) == (not compiled)


def test_compiled_rules_equal_pure_python(tmp_path: Path) -> None:
    """All games of a few moves."""
    program = (
        "from referee.rules import BUILT_IN, find_variant, perft\n"
        "for name in BUILT_IN:\n"
        "    rules = find_variant(name).on()\n"
        "    print(name, perft(rules, rules.start(), 3), rules.draw(rules.start()))\n"
    )
    assert _said_everywhere(program, tmp_path).startswith("standoff ")


def test_proofs_are_the_same_however_the_solver_is_installed(tmp_path: Path) -> None:
    """Values of all moves, lengths and nodes; on boards that need the whole machine word, too."""
    program = (
        "from referee.analysis.solver import Solver\n"
        "from referee.rules import Size, find_variant\n"
        "for name, rows, cols, nodes in [\n"
        "    ('standoff', 5, 5, 10**6), ('standoff', 7, 8, 300), ('lockdown', 5, 6, 10**6),\n"
        "    ('lockdown', 7, 8, 300), ('crossfire', 5, 5, 10**6), ('crossfire', 8, 8, 100),\n"
        "    ('barricade', 4, 4, 10**6), ('barricade', 6, 10, 2000), ('runner', 5, 5, 10**6),\n"
        "    ('runner', 6, 10, 5000), ('runner', 9, 9, 500)]:\n"
        "    rules = find_variant(name).on(Size(rows, cols))\n"
        "    print(name, rows, cols, Solver(rules, nodes).solve(rules.start()))\n"
    )
    assert _said_everywhere(program, tmp_path).startswith("standoff ")


def _said_everywhere(program: str, elsewhere: Path) -> str:
    """Return what a program prints with the installed package and with the checkout."""
    command = [sys.executable, "-c", program]
    installed = subprocess.check_output(command, cwd=elsewhere, text=True)
    assert installed == subprocess.check_output(command, cwd=ROOT, text=True)
    return installed


@pytest.mark.parametrize("name", ["Barricade", "Runner", "Standoff"])
def test_subclass_of_compiled_rules_overrides_methods(tmp_path: Path, name: str) -> None:
    """As in pure Python."""
    program = (
        f"from referee.variants.{name.lower()} import {name}\n"
        "from referee.rules.grid import Size\n"
        f"class Mine({name}):\n"
        "    origin, marks, most_plies = 2, ('P', 'Q'), 7\n"
        "    def __init__(self, size):\n"
        "        super().__init__(size)\n"
        "        self.note = 'new'\n"
        "    def legal_text(self, state):\n"
        "        return ';'.join(reversed(super().legal_text(state).split(';')))\n"
        "class Other(Mine):\n"
        "    def board(self, state):\n"
        "        return '?'\n"
        "for rules in Mine(Size(4, 4)), Other(Size(4, 4)):\n"
        "    state = rules.start()\n"
        "    print(rules.note, rules.origin, rules.grid.origin, rules.marks, rules.most_plies)\n"
        "    print(rules.view(state), rules.legal_moves(state), rules.outcome(state))\n"
        "    print(rules.board(rules.apply(state, rules.legal_moves(state)[0])))\n"
        "mine = Mine(Size(4, 4))\n"
        "legal = mine.legal_moves(mine.start())\n"
        "after = mine.apply(mine.start(), legal[0])\n"
        "for move in ('0,3', '2,3', '9,9', *legal):\n"
        "    print(mine.why_illegal(after, move))\n"
    )
    assert "(1, '?', " in _said_everywhere(program, tmp_path)


@pytest.mark.parametrize(
    ("variable", "value", "why"),
    [
        ("CC", "no-such-compiler", "there is no C compiler no-such-compiler"),
        ("REFEREE_COMPILE", "0", "REFEREE_COMPILE is 0"),
    ],
)
def test_wheel_without_a_compiler_is_pure_python(
    hook: CompilingHook,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    variable: str,
    value: str,
    why: str,
) -> None:
    """One line names the reason."""
    monkeypatch.setenv(variable, value)
    build_data: dict[str, Any] = {"force_include": {}}
    hook.initialize("standard", build_data)
    assert (hook.dependencies(), build_data) == ([], {"force_include": {}})
    line = f"nothing is compiled, because {why}: the installed package is pure Python, and works\n"
    assert capfd.readouterr().err == line


def test_editable_install_is_not_compiled(hook: CompilingHook) -> None:
    """Edits take effect at once."""
    build_data: dict[str, Any] = {"force_include": {}}
    hook.initialize("editable", build_data)
    assert build_data == {"force_include": {}}


def test_failed_compilation_leaves_a_pure_python_wheel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The installation succeeds."""
    monkeypatch.setenv("CC", "false")
    assert compile_modules(ROOT, tmp_path) == {}
    assert "pure Python, and works" in capfd.readouterr().err


def test_lines_of_the_compiler_are_shown_while_it_runs(tmp_path: Path) -> None:
    """Each of them moves the progress indicator of pip: an installation is never silent."""
    package, go_on = tmp_path / "mypyc", tmp_path / "go on"
    package.mkdir()
    os.mkfifo(go_on)
    build = f"print('busy')\nopen({str(go_on)!r}).read()\n"
    (package / "__init__.py").write_text(build, encoding="utf-8")
    program = "import hatch_build as h, sys; h.compile_modules(*map(h.Path, sys.argv[1:]))"
    command = [sys.executable, "-c", program, str(ROOT), str(tmp_path)]
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    process = subprocess.Popen(command, cwd=ROOT, env=environment, stderr=subprocess.PIPE)
    with ended(process):
        assert process.stderr is not None
        assert process.stderr.readline() == b"busy\n"
        go_on.write_text("")
        assert b"compiling failed" in process.stderr.read()


def test_tox_builds_the_package_once() -> None:
    """Every environment that installs it gets the wheel of one build environment."""
    settings = ConfigParser()
    settings.read(ROOT / "tox.ini")
    builders = {
        section.get("wheel_build_env", settings["testenv"]["wheel_build_env"])
        for section in map(settings.__getitem__, settings.sections())
        if section.name != "tox" and section.get("package", "wheel") == "wheel"
    }
    assert (settings["testenv"]["package"], builders) == ("wheel", {".pkg"})
