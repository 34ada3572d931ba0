"""The page itself: data, style and scripts in one file that asks nothing of any network."""

import base64
import contextlib
import hashlib
import json
import os
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from referee.errors import OutsideError

FILE = "report.html"
SCRIPTS = (
    "dom",
    "data",
    "rules",
    "table",
    "charts",
    "board",
    "overview",
    "crosstable",
    "games",
    "replay",
    "bots",
    "router",
)
"""The scripts in the order in which they stand in the page."""
_HERE = files("referee.report")


def make_page(
    data: dict[str, Any],
    summary: str,
    facts: Sequence[tuple[str, str]],
    warnings: Sequence[str],
) -> str:
    """The whole file as text."""
    style, script = _read("report.css"), make_script()
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    template = environment.from_string(_read("page.html"))
    return template.render(
        name=data["name"],
        summary=summary,
        facts=facts,
        warnings=warnings,
        policy=make_policy(style, script),
        style=Markup(style),
        script=Markup(script),
        data=Markup(to_json(data)),
    )


def make_script() -> str:
    """All scripts as one, which shares nothing with anybody."""
    parts = "\n".join(_read(f"js/{name}.js") for name in SCRIPTS)
    return f'(() => {{\n"use strict";\n{parts}}})();\n'


def make_policy(style: str, script: str) -> str:
    """What the browser lets this page do: run its own script, show its own style, nothing else."""
    return (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)};"
        " img-src data:; base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def to_json(value: Any) -> str:
    """JSON that can stand inside of an element: nothing in it can end that element.

    What is not ASCII is escaped by `json` already, U+2028 and U+2029 included.
    """
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _read(name: str) -> str:
    return _HERE.joinpath(name).read_text(encoding="utf-8")


def write_page(folder: Path, text: str) -> Path:
    """Write the page whole, in place of the one that was there; another run may do the same."""
    path = folder / FILE
    unfinished = folder / f".{FILE}.{os.getpid()}.part"
    try:
        unfinished.write_text(text, encoding="utf-8")
        unfinished.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            unfinished.unlink()
        raise OutsideError(f"{path} cannot be written: {error.strerror}") from error
    return path
