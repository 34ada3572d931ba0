"""The answers of the server about tournaments, and the requests that it refuses."""

import json
import os
import signal
import socket
from pathlib import Path

import pytest

from tests.conftest import Referee
from tests.support.processes import PATIENCE_SECONDS
from tests.support.servers import Server, serving


def test_tournaments_are_listed_with_their_progress(arena: Server) -> None:
    (found,) = arena.get("/api/tournaments").value["tournaments"]
    assert (found["name"], found["title"], found["bots"]) == ("cup", "cup", ["first", "last"])
    assert found["progress"]["state"] == "finished"
    assert (found["progress"]["done"], found["progress"]["total"]) == (6, 6)


def test_standings_agree_with_the_files_of_the_run(arena: Server, played: Path) -> None:
    written = json.loads((played / "results/cup/standings.json").read_text())
    answer = arena.get("/api/tournaments/cup/standings").value
    assert answer["games"] == 6
    ranks = [(row["rank"], row["bot"], float(row["points"])) for row in answer["rows"]]
    rows = written["overall"]["rows"]
    assert ranks == [(row["rank"], row["bot"], row["points"]) for row in rows]


def test_game_is_found_by_its_id_and_unknown_ones_are_404(arena: Server, played: Path) -> None:
    record = json.loads((played / "results/cup/games.jsonl").read_text().splitlines()[0])
    game = arena.get(f"/api/tournaments/cup/games/{record['id']}").value
    assert (game["id"], game["moves"]) == (record["id"], record["moves"])
    for path in ("/api/tournaments/cup/games/none", "/api/tournaments/none", "/none"):
        assert arena.get(path).status == 404


def test_unchanged_answers_are_not_sent_again(arena: Server) -> None:
    first = arena.get("/api/tournaments/cup/standings")
    tag = first.headers["etag"]
    again = arena.get("/api/tournaments/cup/standings", **{"If-None-Match": tag})
    assert (again.status, again.body) == (304, b"")


def test_report_has_an_origin_of_its_own(arena: Server) -> None:
    answer = arena.get("/t/cup/report")
    assert b"<!DOCTYPE html>" in answer.body[:100]
    assert answer.headers["content-security-policy"].startswith("sandbox ")


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 421),
        ({"Host": "127.0.0.1.evil.example"}, 421),
        ({"Host": "127.0.0.1:1"}, 421),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
    ],
)
def test_foreign_host_and_origin_are_refused(
    arena: Server, headers: dict[str, str], status: int
) -> None:
    assert arena.get("/api/tournaments", **headers).status == status
    origin = arena.address.rstrip("/")
    assert arena.get("/api/tournaments", Origin=origin).status == 200


def test_only_results_folders_can_be_read(cup: Path) -> None:
    """Neither `..` nor links lead out of the folders that were named."""
    (cup / "results/out").symlink_to("/etc")
    linked = cup / "results/linked"
    linked.mkdir()
    (linked / "games.jsonl").symlink_to(cup / "results/cup/games.jsonl")
    with serving(cup) as server:
        names = [found["name"] for found in server.get("/api/tournaments").value["tournaments"]]
        assert names == ["cup"]
        for name in ("..", "%2e%2e", "..%2f..", "out", "linked", "cup%2f..%2f.."):
            assert server.get(f"/api/tournaments/{name}").status == 404
            assert server.get(f"/t/{name}/report").status == 404


def test_requests_that_change_something_are_bounded(arena: Server) -> None:
    assert arena.post("/api/tables", {"bot": "x" * 5000}).status == 413
    headers = {"Content-Type": "text/plain"}
    assert arena.request("POST", "/api/tables", b"{}", headers).status == 415
    assert arena.request("DELETE", "/api/tables", b"", {}).status == 405
    assert arena.post("/api/tables", {}).status == 404  # no bots are offered


def test_control_characters_in_results_are_escaped(cup: Path) -> None:
    folder = cup / "results/cup"
    manifest = json.loads((folder / "tournament.json").read_text())
    manifest["name"] = "\x1b[31m<script>"
    (folder / "tournament.json").write_text(json.dumps(manifest))
    with serving(cup) as server:
        body = server.get("/t/cup").body
        assert b"\\x1b[31m&lt;script&gt;" in body
        assert b"\x1b" not in body
        assert b"<script>" not in body


def test_damaged_games_file_is_reported_and_does_not_end_the_server(cup: Path) -> None:
    path = cup / "results/cup/games.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join([*lines[:2], "{}\n", *lines[2:]]))
    with serving(cup) as server:
        assert "line 3" in server.get("/api/tournaments/cup").value["problem"]


def test_events_begin_with_a_snapshot_and_continue_after_a_reconnect(arena: Server) -> None:
    path = "/api/tournaments/cup/events"
    with arena.events(path) as events:
        first = next(events)
    assert (first.kind, len(first.value["games"])) == ("snapshot", 6)
    assert [row["bot"] for row in first.value["standings"]]
    with arena.events(path, "unknown.7") as events:
        assert next(events).kind == "snapshot"


def test_interrupt_ends_the_server_and_its_streams(cup: Path) -> None:
    with serving(cup) as server, server.events("/api/tournaments/cup/events") as events:
        next(events)
        server.process.send_signal(signal.SIGINT)
        assert server.process.wait(PATIENCE_SECONDS) == 130
        assert list(events) == []


def test_killed_server_changes_no_ledger(cup: Path) -> None:
    path = cup / "results/cup/games.jsonl"
    before = path.read_bytes()
    with serving(cup) as server:
        server.get("/api/tournaments/cup")
        os.kill(server.process.pid, signal.SIGKILL)
        server.process.wait()
    assert path.read_bytes() == before


def test_wrong_arguments_get_one_sentence(referee: Referee) -> None:
    assert "there is no folder nowhere" in referee.refuse("serve", "nowhere")
    (referee.folder / "results").mkdir()
    with socket.create_server(("127.0.0.1", 0)) as used:
        port = str(used.getsockname()[1])
        assert f"port {port} is in use" in referee.refuse("serve", "--port", port)
    assert "not a port" in referee.refuse("serve", "--port", "99999")
    words = ("--host", "0.0.0.0", "--play", "cat")
    assert "--play needs --token" in referee.refuse("serve", *words)
    assert "--tables 0" in referee.refuse("serve", "--tables", "0", "--play", "cat")
    assert "there is no program" in referee.refuse("serve", "--play", "no-such-bot")
