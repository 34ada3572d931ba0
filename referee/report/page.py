"""The HTML file: data, style and scripts in one page that loads nothing from a network."""

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
"""The scripts, in their order in the page."""
_HERE = files("referee.report")


def make_page(
    data: dict[str, Any],
    summary: str,
    facts: Sequence[tuple[str, str]],
    warnings: Sequence[str],
) -> str:
    """Render the whole file."""
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
    """Join all scripts in one function scope, so that they define no global names."""
    parts = "\n".join(_read(f"js/{name}.js") for name in SCRIPTS)
    return f'(() => {{\n"use strict";\n{parts}}})();\n'


def make_policy(style: str, script: str) -> str:
    """Return the Content-Security-Policy: the page's own script and style, nothing else."""
    return (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)};"
        " img-src data:; base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def to_json(value: Any) -> str:
    """Encode as JSON that is safe inside a `script` element: it cannot close the element.

    `json` already escapes all characters beyond ASCII, including U+2028 and U+2029.
    """
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _read(name: str) -> str:
    return _HERE.joinpath(name).read_text(encoding="utf-8")


def write_page(folder: Path, text: str) -> Path:
    """Replace the page atomically; another process may write it at the same time."""
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
