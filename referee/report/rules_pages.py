"""Pages of rules, in Markdown: of the games of this package, and of other variants."""

import inspect
from collections.abc import Iterable
from pathlib import Path

from referee.rules import BUILT_IN, Variant, find_variant
from referee.schedule.fixtures import Board


def rules_page(variant: Variant) -> str:
    """Return the rules as text: the page beside the module, or else its docstring."""
    module = inspect.getmodule(variant.rules)
    beside = None
    if module and module.__file__:
        # The suffix of the file depends on whether the module is compiled.
        stem = inspect.getmodulename(module.__file__)
        beside = Path(module.__file__).with_name(f"{stem}.md")
    # The pages of the five games are installed beside the modules; a checkout has them in docs.
    in_checkout = Path(__file__).parents[2] / "docs" / "rules" / f"{variant.name}.md"
    for path in (beside, in_checkout):
        if path and path.is_file():
            return path.read_text(encoding="utf-8").strip()
    return f"# {variant.name}\n\n{inspect.getdoc(module) or variant.summary}"


def built_in_rules(boards: Iterable[str]) -> dict[str, str]:
    """Return the pages of those games of this package that are played on these boards."""
    played = {Board.parse(board).variant for board in boards}
    return {name: rules_page(find_variant(name)) for name in BUILT_IN if name in played}
