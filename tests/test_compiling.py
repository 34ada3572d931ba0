"""Wheels have compiled modules where that is possible, and are pure Python where it is not."""

import subprocess
import sys
from configparser import ConfigParser
from pathlib import Path
from typing import Any

import pytest

from hatch_build import COMPILED, CompilingHook, can_compile, compile_modules
from tests.conftest import ROOT, Referee


@pytest.fixture
def hook(tmp_path: Path) -> CompilingHook:
    """The hook as it is called when a wheel is made."""
    metadata: Any = None
    return CompilingHook(str(ROOT), {}, metadata, metadata, str(tmp_path), "wheel")


def test_what_is_installed_is_compiled_where_that_is_possible(
    tmp_path: Path, referee: Referee
) -> None:
    """A checkout that is used as it is stays as it is."""
    names = ", ".join(f"referee.{name.replace('/', '.')}" for name in COMPILED)
    program = f"import {names}\nfor module in [{names}]: print(module.__file__)"
    command = [sys.executable, "-c", program]
    files = subprocess.check_output(command, cwd=tmp_path, text=True).splitlines()
    compiled = can_compile() and not Path(files[0]).is_relative_to(ROOT / "referee")
    assert [not file.endswith(".py") for file in files] == [compiled] * len(COMPILED)
    said = referee("doctor").stdout
    assert f"{'compiled' if compiled else 'pure Python'}\n" in said
    assert ("`pip install -v .` in its checkout compiles" in said) == (not compiled)


def test_rules_are_the_same_however_they_are_installed(tmp_path: Path) -> None:
    """They are compiled, or not; all games of a few moves are played."""
    program = (
        "from referee.rules import BUILT_IN, find_variant, perft\n"
        "for name in BUILT_IN:\n"
        "    rules = find_variant(name).on()\n"
        "    print(name, perft(rules, rules.start(), 3), rules.draw(rules.start()))\n"
    )
    assert _said_everywhere(program, tmp_path).startswith("standoff ")


def _said_everywhere(program: str, elsewhere: Path) -> str:
    """What a program prints with what is installed, and the same in the checkout."""
    command = [sys.executable, "-c", program]
    installed = subprocess.check_output(command, cwd=elsewhere, text=True)
    assert installed == subprocess.check_output(command, cwd=ROOT, text=True)
    return installed


@pytest.mark.parametrize("name", ["Barricade", "Runner", "Standoff"])
def test_anybody_may_derive_from_installed_rules(tmp_path: Path, name: str) -> None:
    """Compiled or not: a part that is new is what the others see, too."""
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
def test_without_a_compiler_nothing_is_needed_and_nothing_changes(
    hook: CompilingHook,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    variable: str,
    value: str,
    why: str,
) -> None:
    """The wheel is pure Python, and one line says why."""
    monkeypatch.setenv(variable, value)
    build_data: dict[str, Any] = {"force_include": {}}
    hook.initialize("standard", build_data)
    assert (hook.dependencies(), build_data) == ([], {"force_include": {}})
    line = f"nothing is compiled, because {why}: the installed package is pure Python, and works\n"
    assert capfd.readouterr().err == line


def test_an_editable_install_is_not_compiled(hook: CompilingHook) -> None:
    """Whoever edits a file sees what that does."""
    build_data: dict[str, Any] = {"force_include": {}}
    hook.initialize("editable", build_data)
    assert build_data == {"force_include": {}}


def test_what_cannot_be_compiled_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """A compiler that fails costs nobody the installation."""
    monkeypatch.setenv("CC", "false")
    assert compile_modules(ROOT, tmp_path) == {}
    assert "pure Python, and works" in capfd.readouterr().err


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
