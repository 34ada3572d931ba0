"""Text at the top of the page: summary, settings and warnings."""

from collections import Counter
from collections.abc import Iterable

from referee.report.collect import ReportGames
from referee.scoring.ledger import Ledger
from referee.text import printable, short_label

Fact = tuple[str, str]


def make_summary(ledger: Ledger, gathered: ReportGames) -> str:
    """Describe the tournament in one line."""
    manifest = ledger.manifest
    parts = [f"{_games(ledger, gathered)} games", f"{len(manifest.bots):,} bots"]
    parts.append(f"{len(manifest.boards):,} {'board' if len(manifest.boards) == 1 else 'boards'}")
    if gathered.first and gathered.last:
        parts.append(_when(gathered.first, gathered.last))
    return " · ".join(parts)


def _games(ledger: Ledger, gathered: ReportGames) -> str:
    planned = max(ledger.manifest.games or 0, gathered.total)
    return f"{gathered.total:,}" + ("" if planned == gathered.total else f" of {planned:,}")


def make_facts(ledger: Ledger, gathered: ReportGames) -> list[Fact]:
    """List games, format, boards, clocks and settings, as titles and values."""
    manifest, settings = ledger.manifest, ledger.manifest.settings
    facts = [
        ("Games", _games(ledger, gathered)),
        ("Format", _format(ledger)),
        ("Boards", ", ".join(short_label(board) for board in manifest.boards)),
    ]
    if manifest.encounters:
        facts.append(
            ("Encounters", f"{manifest.encounters:,} per pairing and board, two games each")
        )
    facts.append(("Clock", _clocks(ledger)))
    facts += [
        (title, _plain(settings[key]))
        for key, title in _SETTINGS.items()
        if settings.get(key) is not None
    ]
    isolation = "none: bots ran with the rights of the referee"
    facts.append(
        ("Isolation", isolation if manifest.sandbox == "none" else short_label(manifest.sandbox))
    )
    return facts


_SETTINGS = {
    "opening_plies": "Opening plies",
    "seed": "Seed",
    "margin": "Margin (ms)",
    "startup": "Start-up (ms)",
    "attempts": "Attempts",
    "restart": "Restart",
    "pondering": "Pondering",
}
"""The settings shown. Commands and environments are left out, because pages are shared."""


def _plain(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return short_label(value)


def _format(ledger: Ledger) -> str:
    manifest = ledger.manifest
    if manifest.format == "gauntlet":
        return f"gauntlet of {', '.join(short_label(name) for name in manifest.challengers)}"
    return (
        f"swiss, {manifest.rounds} rounds"
        if manifest.format == "swiss"
        else short_label(manifest.format)
    )


def _clocks(ledger: Ledger) -> str:
    """Format the most common clock, and the clocks of bots that differ."""
    manifest = ledger.manifest
    clocks = {bot: manifest.bot_settings.get(bot, {}).get("time") for bot in manifest.bots}
    known = {bot: short_label(clock) for bot, clock in clocks.items() if clock is not None}
    if not known:
        return "see each game"
    usual, _ = Counter(known.values()).most_common(1)[0]
    others = [f"{short_label(bot)} {clock}" for bot, clock in known.items() if clock != usual]
    return "; ".join([usual, *others])


def _when(first: str, last: str) -> str:
    """Format a period from the start times of two records."""
    one, two = (
        short_label(text).removesuffix("Z").replace("T", " ")[:16] for text in (first, last)
    )
    if one == two:
        return f"{one} UTC"
    return f"{one} to {two[11:] if one[:10] == two[:10] else two} UTC"


def make_warnings(ledger: Ledger, notes: Iterable[str]) -> list[str]:
    """Return the warnings shown above the tables."""
    return [printable(note) for note in (*notes, *ledger.timing.warnings())]
