"""The table of the live display: standings, ratings, and bars for the intervals. Pure."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from referee.schedule.fixtures import Fixture
from referee.scoring.overview import Column, lay_out, shorten
from referee.scoring.rating_tables import elo_and_error_text
from referee.scoring.standings import Standings
from referee.scoring.tables import number, percent

if TYPE_CHECKING:
    from referee.ratings.ratings import RatingRow

MIN_LIMIT = 400
"""The axis of the bars is at least from minus this rating to plus it."""
NARROW_BAR, WIDE_BAR, WIDE_WINDOW = 23, 41, 110
MAX_NAME_LENGTH = 14
"""Names are shortened to this length in the list of running games."""
UNICODE_BAR, ASCII_BAR = "─●·", "-o."
"""The characters of an interval, of the rating in it, and of rating 0."""


def live_table(
    standings: Standings,
    ratings: Mapping[str, "RatingRow"],
    limit: int,
    size: tuple[int, int],
    bar: str = UNICODE_BAR,
) -> str:
    """Format the first bots of the standings, in a window of these rows and columns."""
    rows, width = size
    bots = standings.rows[:rows]
    columns = [
        Column("rank", [str(row.rank) for row in bots]),
        Column("bot", [row.bot for row in bots], "<"),
        Column("points", [number(row.points) for row in bots]),
        Column("games", [str(row.games) for row in bots]),
        Column("score %", [percent(row.points - row.byes, row.games) for row in bots]),
    ]
    omitted_first = ["score %", "games"]
    if ratings:
        found = [ratings.get(row.bot) for row in bots]
        length = WIDE_BAR if width >= WIDE_WINDOW else NARROW_BAR
        axis = f"{-limit:+}".ljust(length // 2) + "0" + f"{limit:+}".rjust(length // 2)
        elo = [elo_and_error_text(row) if row else "-" for row in found]
        columns += [
            Column("Elo ± 95 %", elo),
            Column(axis, [interval_bar(row, limit, length, bar) for row in found], "<"),
        ]
        omitted_first += [axis, "Elo ± 95 %"]
    more = len(standings.rows) - len(bots)
    table = lay_out(columns, width, left_out_first=omitted_first)
    return f"{table}\n      … and {more:,} more" if more else table


def interval_bar(row: "RatingRow | None", limit: int, length: int, characters: str) -> str:
    """Draw an interval on an axis from `-limit` to `limit`; what is outside is cut off.

    An interval with one end goes on to the end of the axis, and has no rating in it.
    """
    interval, rating, zero = tuple(characters)
    cells = [" "] * length
    cells[length // 2] = zero
    if row is not None and (row.low is not None or row.high is not None):

        def cell(value: float) -> int:
            return round((min(max(value, -limit), limit) + limit) / (2 * limit) * (length - 1))

        low = cell(-limit if row.low is None else row.low)
        high = cell(limit if row.high is None else row.high)
        cells[low : high + 1] = interval * (high + 1 - low)
        if row.elo is not None:
            cells[cell(row.elo)] = rating
    return "".join(cells).rstrip()


def rating_limit(ratings: Mapping[str, "RatingRow"], before: int = MIN_LIMIT) -> int:
    """Return the end of an axis with all ratings on it.

    It never becomes smaller: on the same axis, bars shrink as their intervals do.
    """
    known = [row.elo for row in ratings.values()]
    largest = max((abs(elo) for elo in known if elo is not None), default=0.0)
    while before < largest:
        before *= 2
    return before


def pairing(game: Fixture, length: int = 32) -> str:
    """Format the bots and the board of a game; names are shortened to this length."""
    one, two = (shorten(name, length) for name in sorted(game.bots, key=str.casefold))
    return f"{one} - {two} ({game.board})"


def running_text(games: Sequence[Fixture], width: int) -> str:
    """List the running games in one line; those that do not fit are counted."""
    pairings = sorted(pairing(game, MAX_NAME_LENGTH) for game in games)
    text = f"now: {', '.join(pairings) or '-'}"
    shown = len(pairings)
    while len(text) > width and shown > 1:
        shown -= 1
        text = f"now: {', '.join(pairings[:shown])} and {len(pairings) - shown} more"
    return text[:width]
