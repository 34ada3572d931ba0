"""Standings as tables: for a terminal, for Markdown, as CSV and as JSON. Pure."""

import csv
import io
import json
import re
from collections.abc import Iterator, Sequence
from decimal import ROUND_HALF_UP, Decimal
from itertools import islice
from math import isfinite
from typing import Any

from referee.scoring.meetings import Meeting
from referee.scoring.standings import Standings
from referee.scoring.timing import Timing
from referee.scoring.totals import StandingsRow
from referee.text import printable

SCHEMA = 1
_ITEMS_PER_PIECE = 1000
_encode_json = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?", re.ASCII)
Cells = list[list[Any]]


def number(value: float) -> str:
    """Format points without trailing zeros: `3`, `3.5`; a product of points may be `0.25`."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def percent(points: float, games: int) -> str:
    """Format a score in percent; `-` without games."""
    return f"{100 * points / games:.1f}" if games else "-"


def duration_text(ms: float) -> str:
    """Format milliseconds with about three digits: `0.29 ms`, `12.3 ms`, `1.20 s`.

    The script of the report has the same function for the times of single moves; both round half
    up, which is not what `format` does.
    """
    if not isfinite(ms):
        return "-"
    seconds = ms >= 1000
    digits = (1 if ms >= 10_000 else 2) if seconds else 0 if ms >= 100 else 1 if ms >= 10 else 2
    value = Decimal(ms / 1000 if seconds else ms).quantize(
        Decimal(1).scaleb(-digits), ROUND_HALF_UP
    )
    return f"{value} {'s' if seconds else 'ms'}"


def standings_table(standings: Standings) -> tuple[list[str], Cells]:
    """Tabulate standings; draws and byes have a column only if there are any."""
    draws = any(row.draws for row in standings.rows)
    headers = ["rank", "bot", "points", "games", "wins", "losses"]
    headers += ["draws"] if draws else []
    byes = any(row.byes for row in standings.rows)
    headers += ["byes"] if byes else []
    headers += ["score %", "seat 1 %", "seat 2 %", *standings.tie_breaks, "faults"]
    rows: Cells = []
    for row in standings.rows:
        cells: list[Any] = [row.rank, row.bot, number(row.points), row.games, row.wins, row.losses]
        cells += [row.draws] if draws else []
        cells += [row.bye_count] if byes else []
        cells += [
            percent(row.points - row.byes, row.games),
            percent(*row.seat_1),
            percent(*row.seat_2),
        ]
        cells += [number(abs(value)) for value in row.tie_breaks]
        rows.append([*cells, faults_text(row)])
    for bot in standings.withdrawn:
        rows.append(["-", bot, *["-"] * (len(headers) - 3), "withdrawn"])
    return headers, rows


def faults_text(row: StandingsRow) -> str:
    """Format faults by reason: `timeout 2, crash 1`; `-` for none."""
    return ", ".join(f"{reason} {count}" for reason, count in row.faults) or "-"


def crosstable(standings: Standings) -> tuple[list[str], Cells]:
    """Tabulate points, wins and losses of each bot against each other bot."""
    names = [row.bot for row in standings.rows]
    texts: dict[Meeting | None, str] = {None: ""}  # A million cells have few different texts.
    rows: Cells = []
    for row in standings.rows:
        met = standings.meetings.of(row.bot)
        for meeting in met.values():
            if meeting not in texts:
                texts[meeting] = f"{number(meeting.points)} ({meeting.wins}-{meeting.losses})"
        rows.append([row.rank, row.bot, *(texts[met.get(opponent)] for opponent in names)])
    return ["rank", "bot", *names], rows


def timing_table(timing: Timing) -> tuple[list[str], Cells]:
    """Tabulate thinking and start-up times of each bot, in milliseconds."""
    headers = ["bot", "moves", "mean ms", "longest ms", "starts", "mean start-up ms"]
    rows: Cells = [
        [
            bot,
            row.moves,
            f"{row.thinking_ms / row.moves:.2f}" if row.moves else "-",
            f"{row.longest_ms:.1f}" if row.moves else "-",
            row.starts,
            f"{row.startup_ms / row.starts:.1f}" if row.starts else "-",
        ]
        for bot, row in sorted(timing.bots.items())
    ]
    return headers, rows


def host_table(timing: Timing) -> tuple[list[str], Cells]:
    """Tabulate the latency of the referee on each host, in milliseconds per move."""
    headers = ["host", "games", "mean latency ms", "longest latency ms", "games too busy"]
    rows: Cells = [
        [name, host.games, f"{host.mean_ms:.3f}", f"{host.longest_ms:.1f}", host.disturbed]
        for name, host in sorted(timing.hosts.items())
    ]
    return headers, rows


def render(table: tuple[list[str], Cells], table_format: str) -> str:
    """Format a table in one of tabulate's formats; escape its cells, which may be untrusted."""
    headers, rows = table = _escape(table)
    if table_format == "github" and _is_plain(table):
        return _markdown(headers, rows)
    from tabulate import tabulate  # imported on use: start-up time

    align = _align(rows) if rows else None
    return tabulate(rows, headers, tablefmt=table_format, disable_numparse=True, colalign=align)


def _escape(table: tuple[list[str], Cells]) -> tuple[list[str], Cells]:
    """Replace control characters, which a terminal would interpret; do not copy without any."""
    headers, rows = table
    cells: set[Any] = set(headers).union(*rows)
    if all(not isinstance(cell, str) or cell.isprintable() for cell in cells):
        return table
    shown = [[printable(c) if isinstance(c, str) else c for c in row] for row in rows]
    return [printable(header) for header in headers], shown


def _is_plain(table: tuple[list[str], Cells]) -> bool:
    """Check that the width of each cell is its number of characters."""
    headers, rows = table
    cells: set[Any] = set(headers).union(*rows)
    return bool(rows) and all(
        isinstance(cell, int)
        or (
            isinstance(cell, str) and cell.isascii() and cell.isprintable() and cell == cell.strip()
        )
        for cell in cells
    )


def _markdown(headers: list[str], rows: Cells) -> str:
    """Format a plain table as tabulate does, but without its copies of all cells.

    A crosstable of a thousand bots has a million cells.
    """
    widths = [
        max(len(header) + 2, *map(len, map(str, column)))
        for header, column in zip(headers, zip(*rows, strict=True), strict=True)
    ]
    sides = {"left": "<", "right": ">"}
    cells = [f"{{:{sides[side]}{w}}}" for side, w in zip(_align(rows), widths, strict=True)]
    line = f"| {' | '.join(cells)} |".format
    rule = f"|{'|'.join('-' * (width + 2) for width in widths)}|"
    return "\n".join([line(*headers), rule, *(line(*row) for row in rows)])


def _align(rows: Cells) -> list[str]:
    """Choose the alignment of columns: numbers right, others left."""
    columns = zip(*rows, strict=True)
    return ["right" if all(map(_is_number, column)) else "left" for column in columns]


def _is_number(cell: Any) -> bool:
    return not isinstance(cell, str) or cell == "-" or _NUMBER.fullmatch(cell) is not None


def to_csv(table: tuple[list[str], Cells]) -> str:
    """Format as CSV; quote cells that a spreadsheet would interpret as formulas."""
    headers, rows = _escape(table)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(headers)
    writer.writerows([[_quote_formula(cell) for cell in row] for row in rows])
    return out.getvalue()


def _quote_formula(cell: Any) -> Any:
    if isinstance(cell, str) and cell[:1] in ("=", "+", "-", "@") and cell != "-":
        return f"'{cell}"
    return cell


def standings_to_json(standings: Standings, repeated: int = 0) -> dict[str, Any]:
    """Convert standings to a JSON object; its meetings are an iterator, see `iter_json`."""
    return {
        "games": standings.games,
        "repeated_games": repeated,
        "tie_breaks": list(standings.tie_breaks),
        "rows": [
            {
                "rank": row.rank,
                "bot": row.bot,
                "points": row.points,
                "byes": row.bye_count,
                "bye_points": row.byes,
                "games": row.games,
                "wins": row.wins,
                "losses": row.losses,
                "draws": row.draws,
                "seat_1": {"points": row.seat_1[0], "games": row.seat_1[1]},
                "seat_2": {"points": row.seat_2[0], "games": row.seat_2[1]},
                "tie_breaks": dict(
                    zip(standings.tie_breaks, (abs(v) for v in row.tie_breaks), strict=True)
                ),
                "faults": dict(row.faults),
            }
            for row in standings.rows
        ],
        "withdrawn": list(standings.withdrawn),
        "meetings": map(_meeting_json, standings.meetings.in_order()),
    }


def _meeting_json(row: tuple[str, str, float, int, int, int]) -> dict[str, Any]:
    bot, opponent, points, wins, losses, games = row
    return {
        "bot": bot,
        "opponent": opponent,
        "points": points,
        "wins": wins,
        "losses": losses,
        "games": games,
    }


def iter_json(value: Any) -> Iterator[str]:
    """Generate JSON text in pieces, so that large data need not be in memory at once.

    The members of an object and the items of its lists have a line each; an item is compact. A
    value may be an iterator, which is written as a list, or a function that returns the value.
    """
    if callable(value):
        value = value()
    if isinstance(value, dict) and value:
        separator = "{\n"
        for key, member in value.items():
            yield f"{separator}{_encode_json(key)}:"
            yield from iter_json(member)
            separator = ",\n"
        yield "\n}"
    elif isinstance(value, (list, Iterator)):
        items = iter(value)
        separator = "[\n"
        while some := list(islice(items, _ITEMS_PER_PIECE)):
            yield separator + ",\n".join(map(_encode_json, some))
            separator = ",\n"
        yield "[]" if separator == "[\n" else "\n]"
    else:
        yield _encode_json(value)


def join_sections(sections: Sequence[tuple[str, str]], table_format: str) -> str:
    """Join tables, each with its title."""
    is_markdown = table_format in ("github", "pipe")
    return "\n".join(
        f"{'## ' if is_markdown else ''}{printable(title)}\n\n{table}\n"
        for title, table in sections
    )
