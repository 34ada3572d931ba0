"""JSON Schema of the tournament file; checks it cannot express are made on reading."""

from referee.config.fields import DataclassField, Schema
from referee.config.tournament_file import BotEntry, TournamentFile


def json_schema() -> Schema:
    """Return the schema of all keys: types, defaults and descriptions."""
    schema = DataclassField(TournamentFile).schema()
    properties = schema["properties"]
    schema["$defs"] = {"BotEntry": DataclassField(BotEntry).schema()}
    properties["bots"] |= {"items": {"$ref": "#/$defs/BotEntry"}, "minItems": 2}
    schema["oneOf"] = [{"required": ["variant"]}, {"required": ["variants"]}]
    for part in (schema, schema["$defs"]["BotEntry"]):
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


def _when_format(formats: list[str]) -> Schema:
    return {"properties": {"format": {"enum": formats}}, "required": ["format"]}
