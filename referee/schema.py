"""The tournament file as a JSON Schema; what that cannot say is checked when a file is read."""

import ast
import inspect
from itertools import pairwise
from typing import Any

from referee.tournament_file import BotEntry, Entry, TournamentFile, VariantEntry


def json_schema() -> dict[str, Any]:
    """All keys with their types, defaults and descriptions."""
    schema = _schema_of(TournamentFile)
    properties, parts = schema["properties"], schema["$defs"]
    _describe(BotEntry, parts["BotEntry"])
    # A game is a name, or more than a name; of games there may be several.
    del parts["VariantEntry"]
    variant = _schema_of(VariantEntry)
    variant["dependentRequired"] = {"rows": ["cols"], "cols": ["rows"]}
    forms = [{"type": "string"}, variant]
    listed = {"type": "array", "items": {"oneOf": forms}, "minItems": 1}
    for key, choices in (("variant", forms), ("variants", [*forms, listed])):
        properties[key] = {"description": properties[key]["description"], "oneOf": choices}
    properties["bots"]["minItems"] = 2
    schema["oneOf"] = [{"required": ["variant"]}, {"required": ["variants"]}]
    for part in (schema, parts["BotEntry"]):
        part["not"] = {"required": ["time", "per_move"]}
    schema["dependentSchemas"] = {
        key: _when_format([owner])
        for key, owner in (("challengers", "gauntlet"), ("rounds", "swiss"))
    }
    never = {"properties": {"disqualify_after": {"const": "never"}}}
    schema["allOf"] = [
        {"if": _when_format(["swiss"]), "then": {"required": ["rounds"]}},
        {"if": _when_format(["swiss", "knockout"]), "then": never},
    ]
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def _when_format(formats: list[str]) -> dict[str, Any]:
    return {"properties": {"format": {"enum": formats}}, "required": ["format"]}


def _schema_of(model: type[Entry]) -> dict[str, Any]:
    schema: dict[str, Any] = _without_null(model.model_json_schema())
    _describe(model, schema)
    return schema


def _without_null(schema: Any) -> Any:
    """A key that may be left out has None in the model; it cannot be written into the file."""
    if isinstance(schema, list):
        return [_without_null(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    plain = {key: _without_null(value) for key, value in schema.items()}
    if plain.get("default", "") is None:
        del plain["default"]
    if {"type": "null"} in plain.get("anyOf", ()):
        (only,) = (choice for choice in plain.pop("anyOf") if choice != {"type": "null"})
        plain |= only
    return plain


def _describe(model: type[Entry], schema: dict[str, Any]) -> None:
    """Say of each key what stands below it in the model.

    Pydantic can do that too, but does it whenever the model is imported, and that takes time.
    """
    for owner in reversed(model.__mro__[: model.__mro__.index(Entry)]):
        (definition,) = ast.parse(inspect.getsource(owner)).body
        assert isinstance(definition, ast.ClassDef)
        for key, text in pairwise(definition.body):
            match key, text:
                case (
                    ast.AnnAssign(target=ast.Name(id=name)),
                    ast.Expr(value=ast.Constant(value=str(description))),
                ):
                    schema["properties"][name]["description"] = inspect.cleandoc(description)
