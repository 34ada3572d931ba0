"""`referee games`: ids of recorded games, filtered; plain in a pipe, a table on a terminal."""

import re
from pathlib import Path

import pytest

from tests.conftest import Referee
from tests.support.report_games import Record, make_tournament, write_tournament
from tests.support.terminals import Terminal

RECORDS = make_tournament(2)


@pytest.fixture(scope="module")
def cup(tmp_path_factory: pytest.TempPathFactory) -> Referee:
    """Return `referee` in a folder with a tournament `cup`, in which `shaky` sometimes crashes."""
    folder = tmp_path_factory.mktemp("games")
    write_tournament(folder / "cup", RECORDS)
    return Referee(folder)


def crashed(record: Record) -> bool:
    return record["fault"] is not None


@pytest.mark.parametrize(
    ("words", "fits"),
    [
        ("", lambda record: True),
        ("--bot shaky", lambda record: "shaky" in record["bots"]),
        ("--bot shaky --bot greedy", lambda record: {*record["bots"]} == {"shaky", "greedy"}),
        ("--variant runner", lambda record: record["variant"] == "runner"),
        ("--variant lockdown-5x6", lambda record: record["variant"] == "lockdown"),
        ("--reason goal", lambda record: record["reason"] == "goal"),
        ("--fault", crashed),
        ("--fault --bot shaky", crashed),
        ("--fault --bot greedy", lambda record: False),
        ("--reason crash --variant standoff", lambda record: crashed(record)),
        ("--reason timeout", lambda record: False),
    ],
)
def test_games_prints_ids_in_a_pipe(cup: Referee, words: str, fits: object) -> None:
    """One per line, in the order of the records; none is no error."""
    expected = [record["id"] for record in RECORDS if fits(record)]
    if "--variant standoff" in words:
        expected = [id for id in expected if id.startswith("standoff")]
    result = cup("games", "cup", *words.split())
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.splitlines() == expected


def test_games_prints_ids_that_other_commands_accept(cup: Referee) -> None:
    """Every one is replayed."""
    for id in cup("games", "cup", "--bot", "greedy", "--variant", "runner").stdout.split():
        assert cup("replay", "cup", id).stdout.startswith(f"{id}: ")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("games cup --bot shakey", "there is no bot 'shakey': did you mean shaky?"),
        ("games cup --variant runnr", "there is no variant 'runnr': did you mean runner?"),
        ("games cup --reason crashed", "there is no reason 'crashed': did you mean crash?"),
        (
            "games cup --bot shaky --bot greedy --bot mirror",
            "--bot is given for more than two bots, and a game has two",
        ),
        ("games nowhere", "there are no games in nowhere: name the folder of a tournament"),
    ],
)
def test_games_rejects_filters_with_unknown_names(cup: Referee, words: str, message: str) -> None:
    """A misspelt name gives no empty list."""
    assert cup.refuse(*words.split()) == message


def test_games_names_a_damaged_record(tmp_path: Path, referee: Referee) -> None:
    """In one sentence."""
    write_tournament(tmp_path / "cup", [RECORDS[0] | {"score": [1, 0]}])
    with (tmp_path / "cup" / "games.jsonl").open("a") as file:
        file.write("{}\n")
    result = referee("games", "cup")
    assert result.returncode == 2
    assert "line 2 is not a record" in result.stderr
    assert "Traceback" not in result.stderr


def test_a_second_record_of_a_game_is_named(tmp_path: Path, referee: Referee) -> None:
    """It is neither listed nor counted twice."""
    write_tournament(tmp_path / "cup", [*RECORDS[:2], RECORDS[0]])
    result = referee("games", "cup")
    assert result.returncode == 2
    assert f"line 3: {RECORDS[0]['id']} has a record already, in line 1" in result.stderr


@pytest.mark.parametrize("cols", [30, 80])
def test_games_prints_a_table_on_a_terminal(cup: Referee, cols: int) -> None:
    """Winner and reason beside the whole id; and the number of games."""
    with Terminal(24, cols) as terminal:
        words = ("games", "cup", "--variant", "standoff", "--bot", "shaky")
        process = terminal.start(*words, folder=cup.folder)
        lines = terminal.finish(process).splitlines()
        assert process.returncode == 0
    expected = [
        record
        for record in RECORDS
        if record["variant"] == "standoff" and "shaky" in record["bots"]
    ]
    assert lines[-1] == f"{len(expected)} of {len(RECORDS)} games"
    assert lines[0].split()[:2] == ["game", "winner"]
    rows = lines[2:-1]
    assert [row.split()[0] for row in rows] == [record["id"] for record in expected]
    if cols == 80:
        assert max(map(len, lines)) <= 80
        for row, record in zip(rows, expected, strict=True):
            winner = record["bots"][record["score"].index(1)]
            plies = len(record["moves"])
            assert re.fullmatch(rf"\S+ +{winner} +{record['reason']} +{plies}", row)


def test_games_prints_an_empty_selection_on_a_terminal(cup: Referee) -> None:
    """With the number of all games."""
    with Terminal(24, 80) as terminal:
        process = terminal.start("games", "cup", "--reason", "timeout", folder=cup.folder)
        assert terminal.finish(process) == f"0 of {len(RECORDS)} games\n"


def test_turn_names_the_bot_on_a_terminal(tmp_path: Path, referee: Referee) -> None:
    """On standard error; the lines are on standard output."""
    record = next(record for record in RECORDS if len(record["moves"]) >= 4) | {"seed": 1}
    write_tournament(tmp_path / "cup", [record])
    with Terminal(24, 80) as terminal:
        words = ("turn", "cup", record["id"], "4")
        process = terminal.start(*words, folder=tmp_path)
        shown = terminal.finish(process)
        assert process.returncode == 0
    assert shown.startswith(f"these lines were sent to {record['bots'][1]} (seat 2)\ngame ")
    assert referee(*words).stderr == ""
