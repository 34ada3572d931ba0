"""Variant files that are sent to the workers of a cluster."""

from pathlib import Path

import pytest

from referee.config.plan import BoardPlan, PortablePlan
from referee.config.variant_files import install_variants, read_variants
from referee.errors import InputError
from referee.game.config import PlaySettings
from referee.rules import Size
from referee.schedule.fixtures import Board
from tests.conftest import ROOT

TICTACTOE = str(ROOT / "docs" / "examples" / "tictactoe.py")


def portable_plan(**sources: str) -> PortablePlan:
    boards = {name: BoardPlan(Board(name, Size(3, 3)), source) for name, source in sources.items()}
    return PortablePlan((), boards, PlaySettings(startup_ms=1000), "")


def test_variant_files_are_read_without_installed_variants() -> None:
    """Installed ones are found by name on the worker."""
    files = read_variants(portable_plan(tictactoe=TICTACTOE, lockdown="lockdown"))
    assert files == {TICTACTOE: Path(TICTACTOE).read_bytes()}


def test_installed_plan_names_the_files_in_the_folder(tmp_path: Path) -> None:
    """Their rules can be loaded there; a second installation changes nothing."""
    sent = portable_plan(tictactoe=TICTACTOE, lockdown="lockdown")
    files = read_variants(sent)
    plan = install_variants(sent, files, tmp_path)
    assert Path(plan.boards["tictactoe"].source).is_relative_to(tmp_path)
    assert plan.boards["tictactoe"].rules.to_move(plan.boards["tictactoe"].rules.start()) == 1
    assert plan.boards["lockdown"].source == "lockdown"
    assert install_variants(sent, files, tmp_path) == plan
    assert len(list(tmp_path.rglob("*.py"))) == 1


def test_variant_that_is_not_installed_is_an_error(tmp_path: Path) -> None:
    """With its name."""
    with pytest.raises(InputError, match="nosuchgame"):
        install_variants(portable_plan(nosuchgame="nosuchgame"), {}, tmp_path)
