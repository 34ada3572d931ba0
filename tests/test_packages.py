"""The docstring of each package lists its modules, so that the layout can be read from it."""

import ast
import re
from pathlib import Path

import pytest

from tests.conftest import ROOT

PACKAGES = sorted(path.parent for path in (ROOT / "referee").glob("*/__init__.py"))
LINE = re.compile(r"^([a-z_0-9]+)  +\S", re.MULTILINE)
"""Name of a module, two spaces or more, and what it contains."""


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.name)
def test_package_docstring_lists_every_module(package: Path) -> None:
    """And, beside modules, at most sub-packages."""
    docstring = ast.get_docstring(ast.parse((package / "__init__.py").read_text()))
    assert docstring
    listed = LINE.findall(docstring)
    assert len(listed) == len(set(listed))
    modules = {path.stem for path in package.glob("*.py")} - {"__init__"}
    folders = {path.parent.name for path in package.glob("*/__init__.py")}
    assert modules <= set(listed) <= modules | folders
