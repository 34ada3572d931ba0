"""Lines of games.jsonl, compared with the standard library's JSON encoder."""

import json
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from referee.game.config import GameConfig, GameSetup
from referee.game.result import PlayedGame
from referee.outcome import Outcome, Reason
from referee.protocol.faults import Fault
from referee.protocol.time_control import TimeControl
from referee.protocol.transcript import Transcript
from referee.records.record import RecordWriter, make_record, to_line
from referee.rules import find_variant
from referee.rules.grid import Size
from tests.conftest import ROOT

words = st.text(max_size=8)
moves = st.lists(
    st.one_of(st.sampled_from(["1,1", "0,1x1,0"]), words.filter(lambda w: w and ";" not in w))
)
times_ms = st.floats(min_value=0, max_value=1e9)
scores = st.sampled_from([(1, 0), (0, 1), (0.5, 0.5), (0, 0)])
TICTACTOE: Path = ROOT / "docs" / "examples" / "tictactoe.py"


def fault(seat: int, detail: str) -> Fault:
    return Fault(seat, Reason.START, detail, None, None, 1.0, 2.0, "running", ())


@given(moves, st.data())
def test_record_writer_equals_json_dumps(played_moves: list[str], data: st.DataObject) -> None:
    """For any text in moves, names and reasons."""
    opening = data.draw(st.integers(0, len(played_moves)))
    sent_at = len(played_moves) - opening
    ms = data.draw(st.lists(times_ms, min_size=sent_at, max_size=sent_at))
    transcript = Transcript(0.0)
    for line in data.draw(st.lists(st.binary(max_size=8), max_size=2)):
        transcript.add(0.0, 1, False, b"info " + line)
    details = data.draw(st.lists(words, max_size=2))
    played = PlayedGame(
        Outcome(data.draw(scores), data.draw(words)),
        ";".join(played_moves),
        (*[None] * opening, *ms),
        tuple(fault(seat, detail) for seat, detail in enumerate(details, start=1)),
        transcript,
        (data.draw(st.none() | times_ms), None),
        (data.draw(times_ms), 0.25),
    )
    clocks = TimeControl.clock("2s + 50ms"), TimeControl.per_move("1s")
    rules = find_variant(str(TICTACTOE)).on()
    config = GameConfig(data.draw(words), Size(3, 4), rules, clocks)
    setup = GameSetup(data.draw(words), config, tuple(played_moves[:opening]))
    provenance = {
        "settings": data.draw(words),
        "hashes": (data.draw(words), "b"),
        "sandbox": "none",
        "host": data.draw(words),
    }
    writer = RecordWriter(config, ("one", "two"), **provenance)
    line = writer.line(setup, played, 1, "2026-11-16T10:00:00Z")
    record = json.loads(line)
    assert to_line(record) == line
    assert record == make_record(writer, setup, played, "2026-11-16T10:00:00Z")
    assert record["moves"] == played_moves
    assert record["ms"] == [None] * opening + ms
    assert (record["id"], record["variant"], record["host"]) == (
        setup.id,
        config.variant,
        provenance["host"],
    )
    assert record["score"] == list(played.outcome.score)
    assert [found["detail"] for found in record.get("faults", [])] == details[
        : 2 * (len(details) > 1)
    ]
