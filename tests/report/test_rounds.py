"""Rounds of the page: the bracket of a knockout with its play-offs, the matches of a Swiss."""

from typing import Any

from referee.records.manifest import Manifest
from referee.records.summary import GameSummary
from referee.report import rounds
from referee.report.rounds import make_rounds
from referee.scoring.ledger import Ledger
from referee.scoring.tables import standings_table
from tests.support.report_games import play_rounds


def manifest(format: str, bots: int, **settings: Any) -> Manifest:
    """A tournament of bots that are called after their seeds."""
    names = [f"bot-{number}" for number in range(1, bots + 1)]
    return Manifest("Cup", names, {"standoff-5x5": "standoff"}, format=format, **settings)


def lower_wins(one: str, two: str, _: int) -> bool:
    """The bot with the larger number wins, from either seat."""
    return int(one[4:]) > int(two[4:])


def shown(cup: Manifest, records: list[dict[str, Any]]) -> Any:
    """What the page gets."""
    ledger = Ledger(cup)
    for record in records:
        ledger.add(GameSummary.from_record(record))
    return make_rounds(ledger)


def test_a_knockout_is_a_bracket_with_a_champion() -> None:
    """Byes and pairs stand in the order of the tree, and each winner in the next round."""
    cup = manifest("knockout", 6, encounters=1)
    found = shown(cup, play_rounds(cup, lower_wins))
    assert found["lead"] == "Champion: bot-6"
    assert [stage["title"] for stage in found["stages"]] == [
        "Quarter-finals",
        "Semi-finals",
        "Final",
    ]
    bots = [[match["bots"] for match in stage["matches"]] for stage in found["stages"]]
    assert bots == [[[0, None], [3, 4], [1, None], [2, 5]], [[0, 4], [1, 5]], [[4, 5]]]
    assert [match["winner"] for match in found["stages"][0]["matches"]] == [0, 1, 0, 1]
    assert found["third"]["bots"] == [0, 1]
    assert found["places"] == [5, 4, 1]
    final = found["stages"][2]["matches"][0]
    assert (final["scores"], final["parts"], final["note"]) == (["0", "2"], ["0 : 2"], "")


def test_play_offs_are_part_of_their_match() -> None:
    """Each part has its score; the rule that decided is named."""
    cup = manifest("knockout", 4, encounters=2)

    def first_wins(one: str, two: str, encounter: int) -> bool:
        if {one, two} == {"bot-1", "bot-4"}:
            return True  # seat 1 always wins: level for ever
        return one == "bot-3" if encounter == 3 and "bot-3" in (one, two) else encounter != 3

    found = shown(cup, play_rounds(cup, first_wins))
    level, play_off = found["stages"][0]["matches"]
    assert (level["parts"], level["winner"]) == (["2 : 2", "1 : 1", "1 : 1"], 0)
    assert level["note"] == "level after 2 play-offs: the better seed wins"
    assert (play_off["parts"], play_off["scores"]) == (["2 : 2", "0 : 2"], ["2", "4"])
    assert (play_off["winner"], play_off["note"]) == (1, "after 1 play-off")
    assert play_off["encounters"] == "1-3"


def test_a_bracket_that_is_not_finished_has_open_places() -> None:
    """Later rounds are there, without bots; there is no champion yet."""
    cup = manifest("knockout", 8, encounters=1)
    found = shown(cup, play_rounds(cup, lower_wins, rounds=1))
    assert found["lead"] == "The champion is not known yet"
    assert [len(stage["matches"]) for stage in found["stages"]] == [4, 2, 1]
    assert found["stages"][1]["matches"][0]["scores"] is None
    assert found["stages"][2] == {"title": "Final", "matches": [None]}
    empty = shown(cup, [])
    assert [match["winner"] for match in empty["stages"][0]["matches"]] == [None] * 4


def test_swiss_rounds_have_matches_points_and_byes() -> None:
    """Points before the round, and who had the bye; the leader until all rounds are complete."""
    cup = manifest("swiss", 5, encounters=1, rounds=3)
    records = play_rounds(cup, lower_wins)
    found = shown(cup, records)
    assert found["lead"].startswith("Winner")
    assert [played["title"] for played in found["rounds"]] == ["Round 1", "Round 2", "Round 3"]
    assert found["rounds"][0]["bye"] == 4
    for played in found["rounds"]:
        everyone = [bot for match in played["matches"] for bot in match["bots"]]
        assert sorted([*everyone, played["bye"]]) == [0, 1, 2, 3, 4]
    assert {text for match in found["rounds"][0]["matches"] for text in match["before"]} == {"0"}
    assert {text for match in found["rounds"][1]["matches"] for text in match["before"]} == {
        "0",
        "2",
    }
    assert shown(cup, records[:4])["lead"] == "Leader after round 1 of 3: bot-4"
    assert shown(cup, [])["lead"] == "No round of 3 is complete yet"


def test_the_matches_of_the_page_are_bounded(monkeypatch: Any) -> None:
    """The latest rounds stay, and the page has the number of those that are missing."""
    cup = manifest("swiss", 8, encounters=1, rounds=4)
    records = play_rounds(cup, lower_wins)
    monkeypatch.setattr(rounds, "MAX_MATCHES", 9)
    found = shown(cup, records)
    assert [played["title"] for played in found["rounds"]] == ["Round 3", "Round 4"]
    assert found["left_out"] == 2


def test_a_round_robin_has_no_rounds() -> None:
    """Its page has no such view."""
    assert shown(manifest("round-robin", 3, encounters=1), []) is None


def test_byes_are_counted_as_byes_and_not_as_games() -> None:
    """A bye is worth a won match, and is still one bye."""
    cup = manifest("swiss", 3, encounters=3, rounds=1)
    ledger = Ledger(cup)
    for record in play_rounds(cup, lower_wins):
        ledger.add(GameSummary.from_record(record))
    headers, rows = standings_table(ledger.standings())
    assert sorted(row[headers.index("byes")] for row in rows) == [0, 0, 1]
    assert max(row.byes for row in ledger.standings().rows) == 6
