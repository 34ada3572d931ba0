"""Games of visitors: through the server, with real bots and real processes."""

import json
import resource
import shlex
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Referee
from tests.support.processes import PATIENCE_SECONDS, below
from tests.support.servers import Server, serving, started
from tests.support.tools import skip
from tests.web.conftest import PATIENT, RANDOM, write_cup

SELECTION = {
    "bot": "random_bot",
    "variant": "standoff",
    "rows": 4,
    "cols": 4,
    "seat": 1,
    "clock": None,
    "nickname": "anna",
}
PLAY = ("--play", str(RANDOM), "--sandbox", "none")


def open_table(server: Server, **changes: Any) -> dict[str, str]:
    answer = server.post("/api/tables", {**SELECTION, **changes})
    assert answer.status == 201, answer
    found: dict[str, str] = answer.value
    return found


def play_on(server: Server, table: str, key: str) -> dict[str, Any]:
    """Play the first legal move of each turn; the state at the end."""
    asked = 0
    with server.events(f"/api/tables/{table}/events") as events:
        for event in events:
            value: dict[str, Any] = event.value
            if value["over"] and "moves" in value["over"]:
                return value
            turn = value["turn"]
            if turn and turn["ply"] > asked:
                asked = turn["ply"]
                move = {"key": key, "ply": asked, "move": turn["legal"][0]}
                assert server.post(f"/api/tables/{table}/move", move).status == 200
    raise AssertionError("the stream ended before the game")


@pytest.mark.parametrize("seat", [1, 2])
def test_visitor_plays_a_game_and_its_record_counts(tmp_path: Path, seat: int) -> None:
    with serving(tmp_path, *PLAY) as server:
        offers = server.get("/api/play").value
        assert offers["bots"] == ["random_bot"]
        assert offers["variants"][0]["name"] == "standoff"
        table = open_table(server, seat=seat)
        end = play_on(server, table["id"], table["key"])
        assert end["bots"][seat - 1] == "anna"
        assert end["over"]["reason"] == "no-moves"
        people = server.get("/api/play").value["scoreboard"]
        assert [(row["name"], row["games"]) for row in people] == [("anna", 1)]
        server.process.send_signal(signal.SIGINT)
        assert server.process.wait(PATIENCE_SECONDS) == 130
    (record,) = map(json.loads, (tmp_path / "results/arena/games.jsonl").read_text().splitlines())
    assert (record["id"], record["moves"]) == (table["id"], end["moves"])
    assert record["hashes"][seat - 1] == "human"
    result = Referee(tmp_path)("standings", "results/arena")
    assert "anna" in result.stdout


def test_numbers_of_games_continue_after_a_restart(tmp_path: Path) -> None:
    ids = []
    for _ in range(2):
        with serving(tmp_path, *PLAY) as server:
            table = open_table(server)
            play_on(server, table["id"], table["key"])
            ids.append(table["id"])
    assert ids == ["standoff-4x4.anna.random_bot.1a", "standoff-4x4.anna.random_bot.2a"]


def test_illegal_move_is_explained_and_can_be_corrected(tmp_path: Path) -> None:
    with serving(tmp_path, *PLAY) as server:
        table = open_table(server)
        path = f"/api/tables/{table['id']}"
        with server.events(f"{path}/events") as events:
            turn = next(event.value["turn"] for event in events if event.value["turn"])
        wrong = {"key": table["key"], "ply": turn["ply"], "move": "9,9"}
        answer = server.post(f"{path}/move", wrong)
        assert (answer.status, "9,9 is off the board" in answer.value["error"]) == (409, True)
        assert server.post(f"{path}/move", {**wrong, "ply": 7}).status == 409
        assert server.post(f"{path}/move", {**wrong, "key": "guess"}).status == 403
        assert server.post(f"{path}/move", {**wrong, "ply": "1"}).status == 400
        right = {**wrong, "move": turn["legal"][0]}
        assert server.post(f"{path}/move", right).status == 200


@pytest.mark.parametrize(
    ("changes", "part"),
    [
        ({"bot": "none"}, "there is no bot none"),
        ({"variant": "../x.py"}, "there is no game"),
        ({"rows": 99}, "rows and columns"),
        ({"rows": "many"}, "not complete"),
        ({"seat": 3}, "the seat is 1 or 2"),
        ({"clock": "soon"}, "write a number and a unit"),
        ({"nickname": "a b"}, "a nickname has"),
        ({"nickname": "Random_Bot"}, "is the name of a bot"),
    ],
)
def test_wrong_request_for_a_game_is_refused_with_a_reason(
    offering: Server, changes: dict[str, Any], part: str
) -> None:
    answer = offering.post("/api/tables", {**SELECTION, **changes})
    assert answer.status == 400
    assert part in answer.value["error"]


@pytest.fixture(scope="module")
def offering(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A server that offers a bot, for requests that start no game."""
    with serving(tmp_path_factory.mktemp("offering"), *PLAY) as server:
        yield server


def test_tables_are_limited_and_end_with_the_server(tmp_path: Path) -> None:
    (tmp_path / "hold").touch()
    bot = "slow=" + shlex.join([sys.executable, str(PATIENT), "first", str(tmp_path)])
    words = ("--play", bot, "--sandbox", "none", "--tables", "1", "--per-move", "60s")
    with serving(tmp_path, *words) as server:
        open_table(server, bot="slow", seat=2)
        while not list(tmp_path.glob("playing-*")):
            pass  # the bot is asked for its move
        answer = server.post("/api/tables", {**SELECTION, "bot": "slow"})
        assert (answer.status, "all 1 tables are taken" in answer.value["error"]) == (503, True)
        players = below(server.process.pid)
        assert players
        server.process.send_signal(signal.SIGINT)
        assert server.process.wait(PATIENCE_SECONDS) == 130
        while any(Path(f"/proc/{player}").exists() for player in players):
            pass


def test_resigned_game_has_a_record(tmp_path: Path) -> None:
    with serving(tmp_path, *PLAY) as server:
        table = open_table(server)
        path = f"/api/tables/{table['id']}"
        with server.events(f"{path}/events") as events:
            next(event for event in events if event.value["turn"])
            assert server.post(f"{path}/resign", {"key": table["key"]}).status == 200
            over = next(e.value["over"] for e in events if e.value["over"])
        assert over["reason"] == "resign"


def test_record_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    """The page shows why; the next game, with space again, has a record."""
    if not hasattr(resource, "prlimit"):
        skip("needs Linux")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    overs = []
    with serving(tmp_path, *PLAY) as server:
        for limit in (0, soft):
            table = open_table(server)
            path = f"/api/tables/{table['id']}"
            with server.events(f"{path}/events") as events:
                next(event for event in events if event.value["turn"])
                resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (limit, hard))
                assert server.post(f"{path}/resign", {"key": table["key"]}).status == 200
                found = (event.value["over"] or {} for event in events)
                overs.append(next(over for over in found if {"failed", "moves"} & over.keys()))
            resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (soft, hard))
    assert "its record could not be kept" in overs[0]["failed"]
    assert overs[1]["reason"] == "resign"
    (record,) = map(json.loads, (tmp_path / "results/arena/games.jsonl").read_text().splitlines())
    assert record["id"] == table["id"]


def test_token_is_required_of_players_and_not_of_viewers(tmp_path: Path) -> None:
    with serving(tmp_path, *PLAY, "--host", "0.0.0.0", "--token", "secret") as server:
        assert server.get("/api/play").value["needs_token"] is True
        assert server.post("/api/tables", SELECTION).status == 401
        assert server.post("/api/tables", SELECTION, Authorization="Bearer wrong").status == 401
        answer = server.post("/api/tables", SELECTION, Authorization="Bearer secret")
        assert answer.status == 201


def test_person_plays_a_seat_of_a_tournament(tmp_path: Path) -> None:
    path = write_cup(tmp_path)
    path.write_text(path.read_text() + "  - {name: anna, command: human}\n")
    words = ("run", str(path), "--serve", "--port", "0", "--quiet")
    with started(tmp_path, *words, stream="stderr") as server:
        assert server.process.stderr is not None
        seat = server.process.stderr.readline().decode().split()[2]
        key = seat.partition("#key=")[2]
        ended: set[str] = set()
        with server.events("/api/tables/seat/events") as events:
            while len(ended) < 4:  # two games against each of the two bots
                value = next(events).value
                if turn := value["turn"]:
                    move = {"key": key, "ply": turn["ply"], "move": turn["legal"][0]}
                    assert server.post("/api/tables/seat/move", move).status == 200
                if value["over"]:
                    ended.add(value["game"])
        with server.events("/api/tournaments/cup/events") as events:
            states = (e.value["progress"]["state"] for e in events if e.kind != "live")
            assert "finished" in states
        server.process.send_signal(signal.SIGINT)
        out, _ = server.process.communicate(timeout=PATIENCE_SECONDS)
        assert (server.process.returncode, b"6 of 6 games" in out) == (0, True)


def test_browser_option_is_for_people(referee: Referee) -> None:
    words = ("play", "standoff", str(RANDOM), str(RANDOM), "--browser")
    assert "--browser is for people" in referee.refuse(*words)


@pytest.mark.parametrize("option", [("--port", "0"), ("--no-open",)])
def test_browser_settings_without_a_browser_are_refused(
    referee: Referee, option: tuple[str, ...]
) -> None:
    words = ("play", "standoff", str(RANDOM), str(RANDOM), *option)
    assert "--port and --no-open are for --browser" in referee.refuse(*words)


def test_port_without_a_server_is_refused(referee: Referee, tmp_path: Path) -> None:
    assert "--port is for --serve" in referee.refuse("run", str(write_cup(tmp_path)), "--port", "0")


def test_play_in_a_browser_prints_the_same_record(tmp_path: Path) -> None:
    words = ("play", "standoff", "human", str(RANDOM), "--rows", "4", "--cols", "4")
    options = ("--opening", "1,1;4,4", "--seed", "5", "--browser", "--no-open", "--json")
    with started(tmp_path, *words, *options, stream="stderr") as server:
        table, _, key = server.address.rpartition("/")[2].partition("#key=")
        end = play_on(server, table, key)
        server.process.send_signal(signal.SIGINT)
        out, _ = server.process.communicate(timeout=PATIENCE_SECONDS)
    record = json.loads(out)
    assert (record["bots"], record["opening"]) == (["human", "random_bot"], 2)
    assert (record["seed"], record["moves"]) == (5, end["moves"])
