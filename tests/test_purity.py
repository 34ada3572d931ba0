"""The pure parts do no I/O, read no clock and draw no random numbers: their imports show that."""

import ast
from pathlib import Path

import pytest

from tests.conftest import ROOT

PACKAGES = ["rules", "variants", "protocol", "schedule", "ratings", "scoring", "analysis"]
PURE = ["outcome.py", "text.py", "records/fixture_ids.py", "records/summary.py"]
PURE += ["game/dossier.py", "game/hints.py"]
PURE += ["cluster/dispatch.py", "cluster/worker_pool.py"]
PURE += [
    path.relative_to(ROOT / "referee").as_posix()
    for package in PACKAGES
    for path in (ROOT / "referee" / package).glob("*.py")
]
ALLOWED = {"abc", "collections", "dataclasses", "enum", "functools", "itertools", "re", "typing"}
ALLOWED |= {"array", "bisect", "hashlib", "math", "statistics", "referee"}
TEXT = {"csv", "decimal", "io", "json", "tabulate"}
"""Formats of tables: values in, text out."""
FURTHER = {
    "rules/mypyc_compat.py": {"mypy_extensions"},  # for type checkers alone
    "rules/registry.py": {"importlib", "pathlib", "types"},  # finds variants in files and packages
    "schedule/openings.py": {"random"},  # always seeded
    "game/hints.py": {"errno", "signal"},  # constants only
    **{
        f"ratings/{name}.py": {"numpy"}
        for name in (
            "bradley_terry",
            "covariance",
            "design",
            "encounter_table",
            "expected_scores",
            "maximum_likelihood",
            "prior",
            "rating_notes",
            "ratings",
            "seat_advantages",
            "strengths",
        )
    },
    "scoring/ledger.py": TEXT,
    "scoring/tables.py": TEXT,
}


def imports(path: Path) -> set[str]:
    """The top-level names that a module imports, wherever it does so."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add((node.module or "").partition(".")[0])
    return names


@pytest.mark.parametrize("module", sorted(set(PURE)))
def test_pure_modules_import_no_clock_file_or_process(module: str) -> None:
    """Rules depend on values alone."""
    assert imports(ROOT / "referee" / module) <= ALLOWED | FURTHER.get(module, set())
