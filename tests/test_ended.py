"""How games reach the coordinator: as they ended, in order, and as few objects."""

import pickle
import pickletools

from referee.ended import Ended, Finished, Result, Void
from referee.gist import gist_of
from referee.pairings import Fixture
from referee.records import to_line
from tests.report_games import make_tournament

GAMES = make_tournament(1)

GIST, LINE = gist_of(GAMES[0]), to_line(GAMES[0])
PLAYED = Finished(GIST, LINE, None, ())
FAULTY = Finished(gist_of(GAMES[1]), to_line(GAMES[1]), "a dossier\nof two lines", (("a", "b"),))
VOID = Void(Fixture("x.a.b.1a", "x", ("a", "b"), 1, (), 7), "Traceback\r\n…")


def travelled(ended: Ended) -> Ended:
    there = pickle.loads(pickle.dumps(ended, protocol=pickle.HIGHEST_PROTOCOL))
    assert isinstance(there, Ended)
    return there


def test_games_come_as_they_went() -> None:
    """Played ones, void ones, and both in any order."""
    many: list[list[Result]] = [
        [],
        [PLAYED],
        [PLAYED, FAULTY, PLAYED],
        [VOID],
        [VOID, PLAYED, VOID, FAULTY],
    ]
    for results in many:
        there = travelled(Ended(results))
        assert there == results
        assert list(map(type, there)) == list(map(type, results))
        assert there.finished + there.voids == sorted(results, key=lambda one: type(one) is Void)


def test_the_gists_are_gists_again() -> None:
    there = travelled(Ended([PLAYED, FAULTY]))
    assert [type(game.gist) for game in there.finished] == [type(GIST)] * 2
    assert [game.line for game in there.finished] == [PLAYED.line, FAULTY.line]


def test_many_games_are_few_objects() -> None:
    """What pickle keeps count of grows with what differs between games, not with their parts."""
    some, more = (_remembered(Ended(games)) for games in (_games(10), _games(110)))
    assert (more - some) / 100 < 6


def _games(count: int) -> list[Finished]:
    """Games that have nothing in common, as far as they can."""
    return [
        Finished(
            GIST._replace(id=f"{GIST.id}{n}", thought=((1, n + 0.1, n + 0.1),) * 2), LINE, None, ()
        )
        for n in range(count)
    ]


def _remembered(ended: Ended) -> int:
    data = pickle.dumps(ended, protocol=pickle.HIGHEST_PROTOCOL)
    return sum(operation.name == "MEMOIZE" for operation, _, _ in pickletools.genops(data))
