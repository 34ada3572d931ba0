"""Viewers that do not read, requests that do not end, folders that vanish."""

import json
import shutil
import signal
import socket
from pathlib import Path

from tests.support.processes import PATIENCE_SECONDS
from tests.support.servers import serving
from tests.web.test_playing import PLAY, open_table
from tests.web.test_watching import EVENTS

STREAM = f"GET {EVENTS} HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n"


def connect(port: int, request: str) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_SECONDS)
    connection.sendall(request.encode())
    return connection


def test_many_half_open_requests_and_silent_viewers_delay_no_viewer(cup: Path) -> None:
    with serving(cup) as server:
        halves = [connect(server.port, "GET / HTTP/1.1\r\nHost: ") for _ in range(100)]
        silent = [connect(server.port, STREAM % server.port) for _ in range(100)]
        assert server.get("/api/tournaments/cup").status == 200
        with server.events(EVENTS) as events:
            assert next(events).kind == "snapshot"
        server.process.send_signal(signal.SIGINT)
        assert server.process.wait(PATIENCE_SECONDS) == 130
        for connection in halves + silent:
            connection.close()


def test_viewer_that_does_not_read_is_dropped(cup: Path) -> None:
    """Events wait for it within bounds; then its connection is closed."""
    games = cup / "results/cup/games.jsonl"
    info = [[3, 1, "x" * 200]] * 40
    lines = [json.dumps(json.loads(line) | {"info": info}) for line in games.open("rb")]
    with serving(cup) as server:
        with socket.socket() as slow:
            slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            slow.settimeout(PATIENCE_SECONDS)
            slow.connect(("127.0.0.1", server.port))
            slow.sendall((STREAM % server.port).encode())
            slow.recv(100)
            with server.events(EVENTS) as events:
                next(events)
                number = 0
                while len(connections(server.process.pid, server.port)) > 1:
                    # Every replaced file is an update: they fill what may wait for a viewer.
                    number += 1
                    other = games.with_name("other")
                    other.write_text("\n".join([*lines[number % 2 :], ""]))
                    other.replace(games)
                    next(event for event in events if event.kind == "update")
        assert server.get("/api/tournaments/cup").status == 200


def connections(pid: int, port: int) -> list[str]:
    """The established connections of a server, by the inodes of its descriptors."""
    inodes = set()
    for descriptor in Path(f"/proc/{pid}/fd").iterdir():
        try:
            inodes.add(str(descriptor.readlink()))
        except OSError:
            continue
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    own = [row for row in rows if row[1].endswith(f":{port:04X}") and row[3] == "01"]
    return [row[9] for row in own if f"socket:[{row[9]}]" in inodes]


def test_folder_may_appear_be_replaced_and_vanish(played: Path, tmp_path: Path) -> None:
    results = tmp_path / "results"
    results.mkdir()
    with serving(tmp_path) as server:
        assert server.get("/api/tournaments").value == {"tournaments": []}
        shutil.copytree(played / "results/cup", results / "cup")
        with server.events(EVENTS) as events:
            assert len(next(events).value["games"]) == 6
            games = results / "cup/games.jsonl"
            shorter = games.read_bytes().splitlines(keepends=True)[:2]
            other = games.with_name("other")
            other.write_bytes(b"".join(shorter))
            other.replace(games)  # as --redo does
            done = (event.value["progress"]["done"] for event in events if event.kind == "update")
            assert next(number for number in done if number < 6) == 2
            shutil.rmtree(results / "cup")
            while server.get("/api/tournaments").value["tournaments"]:
                pass
        assert server.get("/api/tournaments/cup").status == 404
        shutil.copytree(played / "results/cup", results / "cup")
        while server.get("/api/tournaments/cup").value.get("progress", {}).get("done") != 6:
            pass


def test_interrupt_ends_streams_and_tables(tmp_path: Path) -> None:
    with serving(tmp_path, *PLAY) as server:
        table = open_table(server)
        with server.events(f"/api/tables/{table['id']}/events") as events:
            next(event for event in events if event.value["turn"])
            server.process.send_signal(signal.SIGINT)
            assert list(events) == []
            assert server.process.wait(PATIENCE_SECONDS) == 130
