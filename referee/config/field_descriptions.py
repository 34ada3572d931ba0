"""Descriptions of dataclass fields: the string literal below each field in the source."""

import ast
import inspect
from itertools import pairwise


def descriptions(kind: type[object]) -> dict[str, str]:
    """Return the descriptions by name, for the fields of a class and its base classes."""
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
