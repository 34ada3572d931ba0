"""Events of an engine: batches of results, in order and in few objects."""

import pickle
import pickletools

from referee.records.record import to_line
from referee.records.summary import GameSummary
from referee.run.events import GameBatch, GameFinished, GameVoid, Result, batch_of
from referee.schedule.fixtures import Fixture
from tests.support.report_games import make_tournament

GAMES = make_tournament(1)
SUMMARY, LINE = GameSummary.from_record(GAMES[0]), to_line(GAMES[0])
PLAYED = GameFinished(SUMMARY, LINE, None, ())
FAULTY = GameFinished(
    GameSummary.from_record(GAMES[1]), to_line(GAMES[1]), "a dossier\nof two lines", (("a", "b"),)
)
VOID = GameVoid(Fixture("x.a.b.1a", "x", ("a", "b"), 1, (), 7), "Traceback\r\n…")


def travelled(*results: Result) -> GameBatch:
    """Return these results after pickling, as the coordinator receives them."""
    ended = batch_of(results)
    there = pickle.loads(pickle.dumps(ended, protocol=pickle.HIGHEST_PROTOCOL))
    assert isinstance(there, GameBatch)
    assert there == ended
    return there


def test_game_batch_keeps_finished_and_void_games() -> None:
    """In any order."""
    there = travelled(PLAYED, VOID, FAULTY)
    assert there.summaries == [SUMMARY, FAULTY.summary]
    assert all(type(summary) is GameSummary for summary in there.summaries)
    assert there.lines == LINE + FAULTY.line
    assert there.dossiers == ((FAULTY.summary, FAULTY.dossier),)
    assert there.warnings == FAULTY.warnings
    assert there.voids == (VOID,)
    assert there.ids == {SUMMARY.id, FAULTY.summary.id, "x.a.b.1a"}


def test_game_batch_of_nothing_is_empty() -> None:
    assert travelled() == GameBatch([], b"")
    assert travelled(PLAYED) == GameBatch([SUMMARY], LINE)
    assert travelled(VOID) == GameBatch([], b"", voids=(VOID,))


def test_game_batch_pickles_few_objects() -> None:
    """Their number grows with the differences between games, not with the number of games."""
    some, more = (_remembered(batch_of(_games(number))) for number in (10, 110))
    assert (more - some) / 100 < 6


def _games(count: int) -> list[GameFinished]:
    """Return games that have as little in common as possible."""
    return [
        GameFinished(
            SUMMARY._replace(id=f"{n}", thinking_times=((1, n + 0.1, n + 0.1),) * 2), LINE, None, ()
        )
        for n in range(count)
    ]


def _remembered(ended: GameBatch) -> int:
    data = pickle.dumps(ended, protocol=pickle.HIGHEST_PROTOCOL)
    return sum(operation.name == "MEMOIZE" for operation, _, _ in pickletools.genops(data))
