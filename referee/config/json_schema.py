"""JSON Schema of the tournament file; checks it cannot express are made on reading."""

import ast
import dataclasses
import inspect
from dataclasses import MISSING, fields
from functools import singledispatch
from itertools import pairwise
from typing import Any

from referee.config.cross_checks import FORMAT_KEYS
from referee.config.fields import (
    MAX_VARIABLE_LENGTH,
    BoolField,
    ChoiceField,
    DataclassField,
    Field,
    IntField,
    ListField,
    TextField,
    TextMapField,
    is_required,
)
from referee.config.tournament_file import (
    AnchorField,
    BotEntry,
    CommandField,
    FaultLimitField,
    TournamentFile,
    VariantField,
    VariantListField,
)
from referee.records.manifest import FORMATS_WITH_ROUNDS

Schema = dict[str, Any]


def json_schema() -> Schema:
    """Return the schema of all keys: types, defaults and descriptions."""
    schema = _dataclass_schema(DataclassField(TournamentFile))
    bot = _dataclass_schema(DataclassField(BotEntry))
    schema["$defs"] = {"BotEntry": bot}
    schema["properties"]["bots"] |= {"items": {"$ref": "#/$defs/BotEntry"}, "minItems": 2}
    schema["oneOf"] = [{"required": ["variant"]}, {"required": ["variants"]}]
    for part in (schema, bot):
        part["not"] = {"required": ["time", "per_move"]}
    schema["dependentSchemas"] = {key: _when_format([owner]) for key, owner in FORMAT_KEYS.items()}
    never = {"properties": {"disqualify_after": {"const": "never"}}}
    schema["allOf"] = [
        {"if": _when_format(["swiss"]), "then": {"required": ["rounds"]}},
        {"if": _when_format([*FORMATS_WITH_ROUNDS]), "then": never},
    ]
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def _when_format(formats: list[str]) -> Schema:
    return {"properties": {"format": {"enum": formats}}, "required": ["format"]}


@singledispatch
def field_schema(field: Field) -> Schema:
    """Return the schema of the values that a field accepts."""
    raise NotImplementedError(f"{type(field).__name__} has no schema")


@field_schema.register
def _text_schema(field: TextField) -> Schema:
    return {"type": "string"} | ({"pattern": f"^{field.pattern}$"} if field.pattern else {})


@field_schema.register
def _int_schema(field: IntField) -> Schema:
    limits = {"minimum": field.minimum, "maximum": field.maximum}
    return {"type": "integer"} | {key: at for key, at in limits.items() if at is not None}


@field_schema.register
def _bool_schema(_field: BoolField) -> Schema:
    return {"type": "boolean"}


@field_schema.register
def _choice_schema(field: ChoiceField) -> Schema:
    return {"type": "string", "enum": list(field.words)}


@field_schema.register
def _list_schema(field: ListField) -> Schema:
    limits: Schema = {"minItems": field.min_items} if field.min_items else {}
    limits |= {"uniqueItems": True} if field.unique else {}
    return {"type": "array", "items": field_schema(field.item), **limits}


@field_schema.register
def _text_map_schema(_field: TextMapField) -> Schema:
    return {
        "type": "object",
        "propertyNames": {"pattern": r"^[^=\u0000]+$", "maxLength": MAX_VARIABLE_LENGTH},
        "additionalProperties": {
            "type": "string",
            "pattern": r"^[^\u0000]*$",
            "maxLength": MAX_VARIABLE_LENGTH,
        },
    }


@field_schema.register
def _dataclass_schema(field: DataclassField) -> Schema:
    described = field_descriptions(field.kind)
    properties = {}
    for each in fields(field.kind):
        schema = field_schema(field.fields[each.name])
        schema["title"] = each.name.replace("_", " ").title()
        schema["description"] = described[each.name]
        if default_of(each) not in (None, [], {}):
            schema["default"] = default_of(each)
        properties[each.name] = schema
    return {
        "title": field.kind.__name__,
        "description": field.kind.__doc__,
        "type": "object",
        "properties": properties,
        "required": [each.name for each in fields(field.kind) if is_required(each)],
        "additionalProperties": False,
    }


@field_schema.register
def _command_schema(_field: CommandField) -> Schema:
    return {"oneOf": [_text_schema(TextField()), _list_schema(ListField(TextField(), min_items=1))]}


@field_schema.register
def _fault_limit_schema(field: FaultLimitField) -> Schema:
    return {"oneOf": [_int_schema(field), {"const": "never"}]}


@field_schema.register
def _variant_schema(field: VariantField) -> Schema:
    both = {"dependentRequired": {"rows": ["cols"], "cols": ["rows"]}}
    return {"oneOf": [_text_schema(TextField()), _dataclass_schema(field) | both]}


@field_schema.register
def _anchor_schema(field: AnchorField) -> Schema:
    return {"oneOf": [_text_schema(TextField()), _dataclass_schema(field)]}


@field_schema.register
def _variant_list_schema(field: VariantListField) -> Schema:
    listed = _list_schema(field)
    return {"oneOf": [*listed["items"]["oneOf"], listed]}


def default_of(field: "dataclasses.Field[Any]") -> Any:
    """Return the default of a dataclass field; None if there is none."""
    if field.default_factory is not MISSING:
        return field.default_factory()
    return None if field.default is MISSING else field.default


def field_descriptions(kind: type[object]) -> dict[str, str]:
    """Return the string literal below each field in the source, by name.

    The fields of base classes are included.
    """
    found: dict[str, str] = {}
    for owner in reversed(kind.__mro__[:-1]):
        (definition,) = ast.parse(inspect.getsource(owner)).body
        assert isinstance(definition, ast.ClassDef)
        for field, text in pairwise(definition.body):
            match field, text:
                case (
                    ast.AnnAssign(target=ast.Name(id=name)),
                    ast.Expr(value=ast.Constant(value=str(description))),
                ):
                    found[name] = inspect.cleandoc(description)
    return found
