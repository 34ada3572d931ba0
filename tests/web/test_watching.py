"""A tournament that is watched while it is played."""

import os
import signal
import subprocess
from pathlib import Path

from tests.conftest import command_line
from tests.support.processes import PATIENCE_SECONDS, ended
from tests.support.servers import serving, started
from tests.web.conftest import write_cup

EVENTS = "/api/tournaments/cup/events"


def run(folder: Path, *words: str) -> subprocess.Popen[bytes]:
    """`referee run` in the background."""
    command = command_line("run", str(folder / "cup.yaml"), "--workers", "1", *words)
    silent = subprocess.DEVNULL
    return subprocess.Popen(command, cwd=folder, stdout=silent, stderr=silent)


def test_position_is_seen_while_a_bot_thinks(tmp_path: Path) -> None:
    write_cup(tmp_path, held=True)
    (tmp_path / "results").mkdir()
    with serving(tmp_path) as server, ended(run(tmp_path)):
        while not server.get("/api/tournaments").value["tournaments"]:
            pass
        with server.events(EVENTS) as events:
            ids = []
            for event in events:
                if event.id:
                    ids.append(event.id)
                if event.kind == "live" and event.value:
                    break
            (position,) = event.value
            assert position["game"] == "standoff-5x5.first.last.1a"
            assert (position["ply"], len(position["moves"])) == (3, 2)
            assert position["board"].count("/") == 4
            (tmp_path / "hold").unlink()
            for event in events:
                if event.kind == "update":
                    ids.append(event.id)
                    if event.value["progress"]["state"] == "finished":
                        break
        assert len(ids) > 1
        with server.events(EVENTS, ids[0]) as events:
            assert [next(events).id for _ in ids[1:]] == ids[1:]
        assert server.get("/api/tournaments/cup").value["live"] == []
    assert not (tmp_path / "results/cup/.live").exists()


def test_stale_socket_of_a_killed_server_is_removed(tmp_path: Path) -> None:
    write_cup(tmp_path, held=True)
    (tmp_path / "results").mkdir()
    with ended(run(tmp_path)):
        for _ in range(2):
            with serving(tmp_path) as server:
                while not server.get("/api/tournaments").value["tournaments"]:
                    pass
                with server.events(EVENTS) as events:
                    next(event for event in events if event.kind == "live" and event.value)
                os.kill(server.process.pid, signal.SIGKILL)
                server.process.wait()
                pid = server.process.pid
        (name,) = (path.name for path in (tmp_path / "results/cup/.live").iterdir())
        assert name == str(pid)


def test_run_serves_itself_and_stays_open_until_it_is_interrupted(tmp_path: Path) -> None:
    path = write_cup(tmp_path)
    words = ("run", str(path), "--serve", "--port", "0")
    with started(tmp_path, *words, stream="stderr") as server:
        with server.events(EVENTS) as events:
            for event in events:
                # `live` events have a list of positions.
                progress = event.value.get("progress") if isinstance(event.value, dict) else None
                if progress and progress["state"] == "finished":
                    break
        assert server.get("/t/cup/report").status == 200
        server.process.send_signal(signal.SIGINT)
        out, _ = server.process.communicate(timeout=PATIENCE_SECONDS)
        assert server.process.returncode == 0
        assert b"2 of 2 games" in out
