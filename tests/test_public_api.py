"""The public imports and names, which other packages and bots use; changes break their code."""

import inspect
from dataclasses import fields
from importlib import import_module

import pytest

from referee.rules import BUILT_IN, Rules, Size, TextRules, Variant
from referee.rules.registry import ENTRY_POINTS

PUBLIC = {
    "referee": ["__version__"],
    "referee.cli": ["main"],
    "referee.errors": [
        "EXIT_INTERRUPTED",
        "EXIT_OUTSIDE",
        "EXIT_WRONG_INPUT",
        "IllegalMove",
        "InputError",
        "OutsideError",
        "RecordError",
        "RefereeError",
    ],
    "referee.kit": ["Turn", "play"],
    "referee.outcome": ["Outcome", "Reason", "Seat", "other", "win"],
    "referee.rules": [
        "BUILT_IN",
        "LARGEST",
        "SMALLEST",
        "Rules",
        "Size",
        "State",
        "Symmetry",
        "TextRules",
        "Variant",
        "after_opening",
        "board_symmetries",
        "canonical_board",
        "find_installed",
        "find_variant",
        "map_board",
        "map_move",
        "perft",
        "play_moves",
        "source_digest",
        "variant_names",
    ],
    "referee.rules.grid": ["Size"],
    "referee.variants.barricade": ["VARIANT", "Barricade"],
    "referee.variants.crossfire": ["VARIANT", "Crossfire"],
    "referee.variants.lockdown": ["VARIANT", "Lockdown"],
    "referee.variants.runner": ["VARIANT", "Runner"],
    "referee.variants.standoff": ["VARIANT", "Standoff"],
}


@pytest.mark.parametrize("module", PUBLIC)
def test_public_names_can_be_imported(module: str) -> None:
    """`from module import name` works for each of them."""
    found = vars(import_module(module))
    assert [name for name in PUBLIC[module] if name not in found] == []


@pytest.mark.parametrize("module", ["referee.kit", "referee.rules"])
def test_all_lists_the_public_names(module: str) -> None:
    """`__all__` and the list above are changed together."""
    assert sorted(import_module(module).__all__) == sorted(PUBLIC[module])


@pytest.mark.parametrize("name", BUILT_IN)
def test_each_built_in_variant_is_a_variant_of_its_name(name: str) -> None:
    """`referee.variants.NAME.VARIANT` is the variant that `find_variant` returns."""
    variant = import_module(f"referee.variants.{name}").VARIANT
    assert isinstance(variant, Variant)
    assert variant.name == name
    assert isinstance(variant.on(), Rules)
    assert isinstance(variant.on(Size(7, 8)), TextRules)


def test_the_group_of_entry_points_keeps_its_name() -> None:
    """Installed variants register in this group."""
    assert ENTRY_POINTS == "referee.variants"


def test_a_variant_is_made_from_these_fields() -> None:
    """Variant files pass them by name."""
    assert [field.name for field in fields(Variant)] == ["name", "summary", "size", "rules"]
    assert Size._fields == ("rows", "cols")


@pytest.mark.parametrize(
    ("method", "parameters"),
    [
        ("start", []),
        ("to_move", ["state"]),
        ("legal_moves", ["state"]),
        ("apply", ["state", "move"]),
        ("outcome", ["state"]),
        ("board", ["state"]),
        ("view", ["state"]),
        ("symmetries", []),
        ("draw", ["state"]),
        ("why_illegal", ["state", "move"]),
    ],
)
def test_rules_have_these_methods(method: str, parameters: list[str]) -> None:
    """Variants implement the first six, and may override the others."""
    assert list(inspect.signature(getattr(Rules, method)).parameters) == ["self", *parameters]


def test_rules_have_these_attributes() -> None:
    """Variants may override them."""
    assert (Rules.marks, Rules.origin, Rules.most_plies) == (("1", "2"), 1, None)


def test_the_abstract_methods_are_those_of_the_documentation() -> None:
    """`docs/adding-a-variant.md` lists what a game has to implement."""
    required = {"start", "to_move", "legal_moves", "apply", "outcome", "board"}
    assert Rules.__abstractmethods__ == required


def test_the_command_line_has_an_entry_function() -> None:
    """`referee.cli:main` takes the arguments and returns the exit code."""
    main = import_module("referee.cli").main
    assert main(["--version"]) == 0
