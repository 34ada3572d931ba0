"""No variable of a comprehension has the name of something that its module defines or imports.

Python 3.12.0 and 3.12.1 compile a function that uses both wrongly: it fails with UnboundLocalError.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT

MODULES = sorted((ROOT / "referee").rglob("*.py"))
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def module_names(module: ast.Module) -> Iterator[str]:
    for statement in module.body:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield statement.name
        elif isinstance(statement, ast.Import | ast.ImportFrom):
            yield from (name.asname or name.name for name in statement.names)


def comprehension_names(module: ast.Module) -> Iterator[str]:
    for node in ast.walk(module):
        if isinstance(node, COMPREHENSIONS):
            for part in node.generators:
                yield from (n.id for n in ast.walk(part.target) if isinstance(n, ast.Name))


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_comprehensions_hide_no_name_of_their_module(path: Path) -> None:
    module = ast.parse(path.read_text(encoding="utf-8"))
    assert set(comprehension_names(module)) & set(module_names(module)) == set()
