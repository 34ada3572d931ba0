"""HTML files: data, style and scripts in one page that loads nothing from a network."""

import base64
import contextlib
import hashlib
import json
import os
from collections.abc import Iterable, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from referee.errors import write_error

FILE = "report.html"
REPLAY_SCRIPTS = (
    *("dom", "text", "rules", "board", "game_boards"),
    *("strips", "numbers", "analysis", "moves", "faults", "replay", "markdown"),
)
"""The scripts that show one game, in their order in a page."""
SCRIPTS = (
    *REPLAY_SCRIPTS,
    *("data", "table", "charts", "bracket", "rounds", "expected", "overview", "crosstable"),
    *("games", "game_page", "bots", "rules_view", "router"),
)
"""The scripts of the report."""
SHARE_SCRIPTS = (*REPLAY_SCRIPTS, "share")
PUZZLE_SCRIPTS = ("dom", "text", "rules", "board", "puzzles")
REPLAY_STYLES = ("base", "replay")
SHARE_STYLES = (*REPLAY_STYLES, "phone", "print")
PUZZLE_STYLES = (*REPLAY_STYLES, "puzzles", "phone", "print")
STYLES = (*REPLAY_STYLES, "report", "phone", "print")
_HERE = files("referee.report")


def make_page(
    data: dict[str, Any],
    summary: str,
    facts: Sequence[tuple[str, str]],
    warnings: Sequence[str],
) -> str:
    """Render the report."""
    return _render(
        "page.html",
        STYLES,
        SCRIPTS,
        data,
        name=data["name"],
        has_rounds=bool(data["rounds"]),
        summary=summary,
        facts=facts,
        warnings=warnings,
    )


def make_share_page(data: dict[str, Any], title: str, board: str, summary: str) -> str:
    """Render the page of one game."""
    texts = {"title": title, "board": board, "summary": summary}
    return _render("share.html", SHARE_STYLES, SHARE_SCRIPTS, data, **texts)


def make_puzzle_page(puzzles: Sequence[dict[str, Any]], name: str) -> str:
    """Render the page of puzzles."""
    return _render("puzzles.html", PUZZLE_STYLES, PUZZLE_SCRIPTS, puzzles, name=name)


def _render(
    template: str,
    styles: Sequence[str],
    scripts: Sequence[str],
    data: dict[str, Any] | Sequence[dict[str, Any]],
    **values: object,
) -> str:
    """Render a template with its styles, scripts and data."""
    style, script, theme = make_style(styles), make_script(scripts), _read("js/theme.js")
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    return environment.from_string(_read(template)).render(
        policy=make_policy(style, theme, script),
        style=Markup(style),
        theme=Markup(theme),
        script=Markup(script),
        data=Markup(json_for_script(data)),
        **values,
    )


def make_style(names: Sequence[str]) -> str:
    """Join style sheets."""
    return "\n".join(_read(f"css/{name}.css") for name in names)


def make_script(names: Sequence[str]) -> str:
    """Join scripts of the report."""
    return in_one_scope(map(read_script, names))


def read_script(name: str) -> str:
    """Read a script of the report."""
    return _read(f"js/{name}.js")


def in_one_scope(scripts: Iterable[str]) -> str:
    """Join scripts in one function scope, so that they define no global names."""
    parts = "\n".join(scripts)
    return f'(() => {{\n"use strict";\n{parts}}})();\n'


def make_policy(style: str, *scripts: str) -> str:
    """Return the Content-Security-Policy: the page's own scripts and style, nothing else."""
    own = " ".join(map(_hash, scripts))
    return (
        f"default-src 'none'; script-src {own}; style-src {_hash(style)};"
        " img-src data:; base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def json_for_script(value: Any) -> str:
    """Encode as JSON that is safe inside a `script` element: it cannot close the element.

    `json` already escapes all characters beyond ASCII, including U+2028 and U+2029.
    """
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _read(name: str) -> str:
    return _HERE.joinpath(name).read_text(encoding="utf-8")


def write_page(path: Path, text: str) -> Path:
    """Replace a file atomically; another process may write it at the same time."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished.unlink(missing_ok=True)  # it may be a link to another file of the user
        with unfinished.open("x", encoding="utf-8") as file:
            file.write(text)
        unfinished.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            unfinished.unlink()
        raise write_error(str(path), OSError(error.errno, error.strerror)) from error
    return path
