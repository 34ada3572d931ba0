"""HTML pages of the server, with one script and one style that contain the report's modules."""

import hashlib
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files

from jinja2 import Environment, StrictUndefined

from referee.report.page import (
    REPLAY_SCRIPTS,
    REPLAY_STYLES,
    in_one_scope,
    make_style,
    read_script,
)

REPORT_SCRIPTS = (*REPLAY_SCRIPTS, "charts", "bracket")
"""The scripts of the report that the arena uses."""
SCRIPTS = (
    *("connection", "live_board", "standings", "featured", "wall", "tournament"),
    *("index", "play", "table", "start"),
)
"""The scripts of the arena, in their order."""
REPORT_STYLES = (*REPLAY_STYLES, "report", "phone")
_HERE = files("referee.web")
_REPORT = files("referee.report")


@dataclass(frozen=True)
class Asset:
    """A script or a style; its address contains its digest, so it never changes."""

    name: str
    text: str
    media_type: str

    @cached_property
    def digest(self) -> str:
        """A short hash of the text."""
        return hashlib.blake2b(self.text.encode(), digest_size=8).hexdigest()

    @property
    def address(self) -> str:
        """The path of its address."""
        return f"/assets/{self.digest}/{self.name}"


def make_assets() -> dict[str, Asset]:
    """Read the scripts and the style, by name."""
    theme = _REPORT.joinpath("js/theme.js").read_text(encoding="utf-8")
    style = f"{make_style(REPORT_STYLES)}\n{_read('arena.css')}"
    assets = (
        Asset("arena.js", make_script(), "text/javascript"),
        Asset("theme.js", theme, "text/javascript"),
        Asset("arena.css", style, "text/css"),
    )
    return {asset.name: asset for asset in assets}


def make_script() -> str:
    """Join the scripts in one function scope, so that they define no global names."""
    return in_one_scope(
        [*map(read_script, REPORT_SCRIPTS), *(_read(f"js/{name}.js") for name in SCRIPTS)]
    )


def make_html(view: str, title: str, assets: dict[str, Asset], *, has_tables: bool) -> str:
    """Render the page of a view."""
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    template = environment.from_string(_read("arena.html"))
    return template.render(
        view=view,
        title=title,
        script=assets["arena.js"].address,
        theme=assets["theme.js"].address,
        style=assets["arena.css"].address,
        has_tables=has_tables,
    )


def _read(name: str) -> str:
    return _HERE.joinpath(name).read_text(encoding="utf-8")
