"""Checks that involve several keys of a tournament file: exclusive, missing and duplicate ones.

They work on the data as it was read, so that they find their problems even if single values are
invalid; a value of the wrong type is ignored here, because its field reports it.
"""

from collections.abc import Iterator
from typing import Any

from referee.config.fields import FieldError
from referee.config.yaml_source import Key, format_key
from referee.errors import unknown_name_message
from referee.records.manifest import FORMATS_WITH_ROUNDS

Data = dict[str, Any]
FORMAT_KEYS = {"challengers": "gauntlet", "rounds": "swiss"}
"""Keys that belong to one format."""


def find_conflicts(data: Data) -> Iterator[FieldError]:
    """Yield the problems that all checks find."""
    for check in CHECKS:
        yield from check(data)


def _check_variant_keys(data: Data) -> Iterator[FieldError]:
    if "variant" in data and "variants" in data:
        yield FieldError(("variants",), "`variant` and `variants` exclude each other", at_key=True)
    if "variant" not in data and "variants" not in data:
        message = "no game is named: write `variant: standoff`, or `variants:` and a list"
        yield FieldError((), message, at_key=True)


def _check_board_sizes(data: Data) -> Iterator[FieldError]:
    for key, entry in variant_entries(data):
        if isinstance(entry, dict) and ("rows" in entry) != ("cols" in entry):
            given, missing = ("rows", "cols") if "rows" in entry else ("cols", "rows")
            message = f"`{given}` needs `{missing}` beside it: a board has both"
            yield FieldError((*key, given), message, at_key=True)


def _check_bot_count(data: Data) -> Iterator[FieldError]:
    bots = data.get("bots")
    if isinstance(bots, list) and len(bots) < 2:
        few = "one bot has no opponent" if bots else "there are no bots"
        yield FieldError(("bots",), f"{few}: name 2 or more", at_key=True)


def _check_bot_names(data: Data) -> Iterator[FieldError]:
    seen: dict[str, Key] = {}
    for key, name in _bot_names(data):
        first = seen.setdefault(name.casefold(), key)
        if first != key:
            where = format_key(first)
            message = f"the name {name!r} is taken by {where} (capital letters make no difference)"
            yield FieldError((*key, "name"), message)


def _check_time_controls(data: Data) -> Iterator[FieldError]:
    for key, entry in [((), data), *bot_entries(data)]:
        if isinstance(entry, dict) and "time" in entry and "per_move" in entry:
            message = "`time` and `per_move` exclude each other"
            yield FieldError((*key, "per_move"), message, at_key=True)


def _check_format_keys(data: Data) -> Iterator[FieldError]:
    chosen = _format(data)
    for key, owner in FORMAT_KEYS.items():
        if key in data and chosen != owner:
            yield FieldError((key,), f"this belongs to `format: {owner}`", at_key=True)
    if chosen == "swiss" and "rounds" not in data:
        yield FieldError(("format",), "a Swiss tournament needs the number of its `rounds`")


def _check_disqualification(data: Data) -> Iterator[FieldError]:
    never = data.get("disqualify_after", "never") == "never"
    if _format(data) in FORMATS_WITH_ROUNDS and not never:
        message = "this works with fixed pairings only: round-robin and gauntlet"
        yield FieldError(("disqualify_after",), message, at_key=True)


def _check_challengers(data: Data) -> Iterator[FieldError]:
    challengers = data.get("challengers")
    if not isinstance(challengers, list) or not isinstance(data.get("bots"), list):
        return
    names = [name for _, name in _bot_names(data)]
    for position, name in enumerate(challengers):
        if isinstance(name, str) and name not in names:
            message = unknown_name_message("bot", name, names)
            yield FieldError(("challengers", position), message)
    if names and all(name in challengers for name in names):
        message = "no opponent is left: not all bots can be challengers"
        yield FieldError(("challengers",), message, at_key=True)


def _check_anchor(data: Data) -> Iterator[FieldError]:
    anchor = data.get("anchor")
    key: Key = ("anchor", "bot") if isinstance(anchor, dict) else ("anchor",)
    bot = anchor.get("bot") if isinstance(anchor, dict) else anchor
    names = [name for _, name in _bot_names(data)]
    if isinstance(bot, str) and names and bot not in names:
        yield FieldError(key, unknown_name_message("bot", bot, names))


CHECKS = (
    _check_variant_keys,
    _check_board_sizes,
    _check_bot_count,
    _check_bot_names,
    _check_time_controls,
    _check_format_keys,
    _check_disqualification,
    _check_challengers,
    _check_anchor,
)


def _format(data: Data) -> Any:
    return data.get("format", "round-robin")


def _bot_names(data: Data) -> Iterator[tuple[Key, str]]:
    """Yield the names of bots that are text, with the keys of these bots."""
    for key, bot in bot_entries(data):
        name = bot.get("name") if isinstance(bot, dict) else None
        if isinstance(name, str):
            yield key, name


def bot_entries(data: Data) -> list[tuple[Key, Any]]:
    """Return the items of `bots` with their keys."""
    bots = data.get("bots")
    return [
        (("bots", position), bot)
        for position, bot in enumerate(bots if isinstance(bots, list) else [])
    ]


def variant_entries(data: Data) -> list[tuple[Key, Any]]:
    """Return `variant` and the items of `variants` with their keys."""
    several = as_list(data.get("variants"))
    listed = enumerate(several if isinstance(several, list) else [])
    return [
        (("variant",), data.get("variant")),
        *((("variants", position), entry) for position, entry in listed),
    ]


def as_list(variants: Any) -> Any:
    """Return the value of `variants` as a list if it is a single variant."""
    return [variants] if isinstance(variants, str | dict) else variants
