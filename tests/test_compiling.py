"""Wheels have compiled modules where that is possible, and are pure Python where it is not."""

import subprocess
import sys
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
    names = ", ".join(f"referee.{name}" for name in COMPILED)
    program = f"import {names}\nfor module in [{names}]: print(module.__file__)"
    command = [sys.executable, "-c", program]
    files = subprocess.check_output(command, cwd=tmp_path, text=True).splitlines()
    compiled = can_compile() and not Path(files[0]).is_relative_to(ROOT / "referee")
    assert [not file.endswith(".py") for file in files] == [compiled] * len(COMPILED)
    assert f"{'compiled' if compiled else 'pure Python'}\n" in referee("doctor").stdout


def test_without_a_compiler_nothing_is_needed_and_nothing_changes(
    hook: CompilingHook, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody has to have one."""
    monkeypatch.setenv("CC", "no-such-compiler")
    build_data: dict[str, Any] = {"force_include": {}}
    hook.initialize("standard", build_data)
    assert (hook.dependencies(), build_data) == ([], {"force_include": {}})


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
