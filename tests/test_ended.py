"""How games reach the coordinator: as they ended, in order, and as few objects."""

import pickle
import pickletools

from referee.records.record import to_line
from referee.records.summary import Gist, gist_of
from referee.run.events import Ended, Finished, Result, Void, together
from referee.schedule.fixtures import Fixture
from tests.report_games import make_tournament

GAMES = make_tournament(1)
GIST, LINE = gist_of(GAMES[0]), to_line(GAMES[0])
PLAYED = Finished(GIST, LINE, None, ())
FAULTY = Finished(gist_of(GAMES[1]), to_line(GAMES[1]), "a dossier\nof two lines", (("a", "b"),))
VOID = Void(Fixture("x.a.b.1a", "x", ("a", "b"), 1, (), 7), "Traceback\r\n…")


def travelled(*results: Result) -> Ended:
    """What the coordinator hears of these."""
    ended = together(results)
    there = pickle.loads(pickle.dumps(ended, protocol=pickle.HIGHEST_PROTOCOL))
    assert isinstance(there, Ended)
    assert there == ended
    return there


def test_games_are_told_of_together() -> None:
    """Played ones and void ones, in any order."""
    there = travelled(PLAYED, VOID, FAULTY)
    assert there.gists == [GIST, FAULTY.gist]
    assert all(type(gist) is Gist for gist in there.gists)
    assert there.lines == LINE + FAULTY.line
    assert there.dossiers == ((FAULTY.gist, FAULTY.dossier),)
    assert there.warnings == FAULTY.warnings
    assert there.voids == (VOID,)
    assert there.ids == {GIST.id, FAULTY.gist.id, "x.a.b.1a"}


def test_what_is_not_there_is_not_told() -> None:
    assert travelled() == Ended([], b"")
    assert travelled(PLAYED) == Ended([GIST], LINE)
    assert travelled(VOID) == Ended([], b"", voids=(VOID,))


def test_many_games_are_few_objects() -> None:
    """What pickle keeps count of grows with what differs between games, not with their parts."""
    some, more = (_remembered(together(_games(number))) for number in (10, 110))
    assert (more - some) / 100 < 6


def _games(count: int) -> list[Finished]:
    """Games that have nothing in common, as far as they can."""
    return [
        Finished(GIST._replace(id=f"{n}", thought=((1, n + 0.1, n + 0.1),) * 2), LINE, None, ())
        for n in range(count)
    ]


def _remembered(ended: Ended) -> int:
    data = pickle.dumps(ended, protocol=pickle.HIGHEST_PROTOCOL)
    return sum(operation.name == "MEMOIZE" for operation, _, _ in pickletools.genops(data))
