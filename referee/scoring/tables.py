"""Standings as tables: for a terminal, for Markdown, as CSV and as JSON. Pure."""

import csv
import io
import re
from collections.abc import Sequence
from typing import Any

from referee.scoring.json_text import Objects
from referee.scoring.meetings import Meeting
from referee.scoring.standings import Standings
from referee.scoring.timing import Timing
from referee.scoring.totals import StandingsRow
from referee.text import printable

SCHEMA = 1
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?", re.ASCII)
Cells = list[list[Any]]


def number(value: float) -> str:
    """Points as people write them: `3`, `3.5`; a product of points may end in quarters."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def percent(points: float, games: int) -> str:
    """A score in percent; `-` where nothing was played."""
    return f"{100 * points / games:.1f}" if games else "-"


def standings_table(standings: Standings) -> tuple[list[str], Cells]:
    """Headers and rows; draws have a column only if there are any."""
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
        cells += [number(row.byes)] if byes else []
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
    """Faults by kind: `timeout 2, crash 1`; `-` is none."""
    return ", ".join(f"{reason} {count}" for reason, count in row.faults) or "-"


def crosstable(standings: Standings) -> tuple[list[str], Cells]:
    """Points and wins-losses of each bot against each other one."""
    names = [row.bot for row in standings.rows]
    texts: dict[Meeting | None, str] = {None: ""}  # A million cells have a few different texts.
    rows: Cells = []
    for row in standings.rows:
        met = standings.meetings.of(row.bot)
        for meeting in met.values():
            if meeting not in texts:
                texts[meeting] = f"{number(meeting.points)} ({meeting.wins}-{meeting.losses})"
        rows.append([row.rank, row.bot, *(texts[met.get(opponent)] for opponent in names)])
    return ["rank", "bot", *names], rows


def timing_table(timing: Timing) -> tuple[list[str], Cells]:
    """Thinking and start-up times of each bot, in milliseconds."""
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
    """How long the referee itself took on each host, in milliseconds per move."""
    headers = ["host", "games", "mean latency ms", "longest latency ms", "games too busy"]
    rows: Cells = [
        [name, host.games, f"{host.mean_ms:.3f}", f"{host.longest_ms:.1f}", host.disturbed]
        for name, host in sorted(timing.hosts.items())
    ]
    return headers, rows


def render(table: tuple[list[str], Cells], format: str) -> str:
    """A table in one of tabulate's formats; names in it may come from anywhere."""
    headers, rows = table = _escaped(table)
    if format == "github" and _is_plain(table):
        return _markdown(headers, rows)
    from tabulate import tabulate  # not before there is a table to be shown

    align = _align(rows) if rows else None
    return tabulate(rows, headers, tablefmt=format, disable_numparse=True, colalign=align)


def _escaped(table: tuple[list[str], Cells]) -> tuple[list[str], Cells]:
    """The table with nothing that a terminal would obey; usually that is the table itself."""
    headers, rows = table
    cells: set[Any] = set(headers).union(*rows)
    if all(not isinstance(cell, str) or cell.isprintable() for cell in cells):
        return table
    shown = [[printable(c) if isinstance(c, str) else c for c in row] for row in rows]
    return [printable(header) for header in headers], shown


def _is_plain(table: tuple[list[str], Cells]) -> bool:
    """Whether each character of each cell takes one place, and stays where it is."""
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
    """What tabulate makes of a plain table, without the many copies that it makes on its way: a
    crosstable of a thousand bots has a million cells.
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
    """Numbers to the right, names to the left."""
    columns = zip(*rows, strict=True)
    return ["right" if all(map(_is_number, column)) else "left" for column in columns]


def _is_number(cell: Any) -> bool:
    return not isinstance(cell, str) or cell == "-" or _NUMBER.fullmatch(cell) is not None


def to_csv(table: tuple[list[str], Cells]) -> str:
    """Comma-separated values that no spreadsheet takes for a formula, and no terminal obeys."""
    headers, rows = _escaped(table)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(headers)
    writer.writerows([[_neutral(cell) for cell in row] for row in rows])
    return out.getvalue()


def _neutral(cell: Any) -> Any:
    if isinstance(cell, str) and cell[:1] in ("=", "+", "-", "@") and cell != "-":
        return f"'{cell}"
    return cell


def to_json(standings: Standings, repeated: int = 0) -> dict[str, Any]:
    """Everything in one object; so many games repeat earlier ones."""
    return {
        "games": standings.games,
        "repeated_games": repeated,
        "tie_breaks": list(standings.tie_breaks),
        "rows": [
            {
                "rank": row.rank,
                "bot": row.bot,
                "points": row.points,
                "byes": row.byes,
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
        "meetings": Objects(
            ("bot", "opponent", "points", "wins", "losses", "games"),
            standings.meetings.in_order(),
        ),
    }


def sections(parts: Sequence[tuple[str, str]], format: str) -> str:
    """Several tables one below the other, each with its title."""
    is_markdown = format in ("github", "pipe")
    return "\n".join(
        f"{'## ' if is_markdown else ''}{printable(title)}\n\n{table}\n" for title, table in parts
    )
