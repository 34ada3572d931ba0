"""What watching costs a run, and what the server needs for many viewers and tables.

    python benchmarks/serve.py [--games 20000] [--rounds 3] [--viewers 100]
    python benchmarks/serve.py --load [--viewers 200] [--tables 20] [--seconds 60]

The first form plays the same tournament of two bots that answer at once, alternately with and
without viewers, and prints games per second, their ratio, and games lost by time. The viewers are
on this machine too, in a process with the priority of the server. The second form connects
viewers to a server, plays games of visitors at its tables, and prints errors and memory.
"""

import argparse
import asyncio
import contextlib
import json
import os
import re
import selectors
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from subprocess import PIPE
from time import monotonic, process_time
from typing import Any

from c_programs import compile_bot

MAX_GAMES, MAX_VIEWERS, MAX_TABLES, MAX_SECONDS = 1_000_000, 900, 64, 600
START_SECONDS = 60.0
NICENESS = 10
REFEREE = [sys.executable, "-m", "referee"]
CUP = """variants: [standoff]
encounters: {encounters}
per_move: {per_move}
bots:
  - {{name: one, command: [{bot}]}}
  - {{name: two, command: [{bot}]}}
"""


def view(port: int, name: str, count: int) -> None:
    """Wait for a line of standard input, then watch a tournament until that is closed.

    Print what was received and the processor time for it. Other machines would spend that time, so
    it is kept small: what comes is counted and not parsed.
    """
    os.nice(NICENESS)
    words = f"GET /api/tournaments/{name}/events HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n"
    counts: Counter[str] = Counter()
    sys.stdin.readline()
    with selectors.DefaultSelector() as selector:
        selector.register(sys.stdin, selectors.EVENT_READ)
        for _ in range(count):
            connection = socket.create_connection(("127.0.0.1", port), START_SECONDS)
            connection.sendall(words.encode())
            selector.register(connection, selectors.EVENT_READ)
        while sys.stdin not in (ready := [key.fileobj for key, _ in selector.select()]):
            for connection in ready:
                assert isinstance(connection, socket.socket)
                chunk = connection.recv(2**18)
                counts["connected"] += chunk.startswith(b"HTTP/1.1 200")
                counts["bytes"] += len(chunk)
                counts["events"] += chunk.count(b"event: ")
                counts["live events"] += chunk.count(b"event: live")
                if not chunk:
                    counts["dropped"] += 1
                    selector.unregister(connection)
    print(json.dumps(counts | {"cpu_s": round(process_time(), 2)}))


async def start_viewers(port: int, name: str, count: int) -> asyncio.subprocess.Process:
    """Start a process that waits for a line, then watches."""
    words = ["--view", str(port), "--name", name, "--viewers", str(count)]
    return await asyncio.create_subprocess_exec(
        sys.executable, __file__, *words, stdin=PIPE, stdout=PIPE
    )


async def until_shown(port: int) -> None:
    """Wait until the server has found a tournament."""
    while not (await request(port, "/api/tournaments"))[1]["tournaments"]:
        await asyncio.sleep(0.05)


def processor_seconds(process: subprocess.Popen[str]) -> float:
    """Return the processor time of the server so far."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def request(
    port: int, path: str, body: Any = None, address: str = "127.0.0.1"
) -> tuple[int, Any]:
    """Send one request from a loopback address; return the status and value of its answer."""
    local = (address, 0)
    reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=local)
    data = b"" if body is None else json.dumps(body).encode()
    head = [
        f"{'GET' if body is None else 'POST'} {path} HTTP/1.1",
        f"Host: 127.0.0.1:{port}",
        "Content-Type: application/json",
        f"Content-Length: {len(data)}",
        "Connection: close",
    ]
    writer.write("\r\n".join([*head, "", ""]).encode() + data)
    answer = await asyncio.wait_for(reader.read(), START_SECONDS)
    writer.close()
    top, _, rest = answer.partition(b"\r\n\r\n")
    return int(top.split()[1]), json.loads(rest or b"null")


@contextlib.contextmanager
def server(folder: Path, *words: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """`referee serve` on a free port."""
    command = [*REFEREE, "serve", str(folder), "--port", "0", *words]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        found = re.search(r"http://[^:]+:(\d+)", process.stdout.readline())
        assert found is not None
        yield process, int(found[1])
    finally:
        process.send_signal(signal.SIGINT)
        process.wait()


async def run_once(folder: Path, games: int, bot: Path, viewers: int) -> tuple[float, int, str]:
    """Play a tournament; games per second, games lost by time, and what the viewers cost."""
    (folder / "results").mkdir(parents=True)
    cup = folder / "cup.yaml"
    cup.write_text(CUP.format(encounters=games // 2, per_move="1s", bot=bot))
    command = [*REFEREE, "run", str(cup), "--quiet", "--out", str(folder / "results/cup")]
    words = ["--sandbox", "none"]
    text = "no viewers"
    with contextlib.ExitStack() as stack:
        if viewers:
            serving, port = stack.enter_context(server(folder / "results"))
            watching = await start_viewers(port, "cup", viewers)
            before = processor_seconds(serving)
        started = monotonic()
        run = await asyncio.create_subprocess_exec(*command, *words, stdout=subprocess.DEVNULL)
        if viewers:
            assert watching.stdin is not None
            await until_shown(port)
            watching.stdin.write(b"\n")
        assert await run.wait() == 0
        took = monotonic() - started
        if viewers:
            spent = processor_seconds(serving) - before
            seen, _ = await watching.communicate(b"")
            text = f"server {spent:.2f} cpu_s of {took:.1f} s, {viewers} viewers "
            text += seen.decode().strip()
    reasons = Counter(
        json.loads(line)["reason"] for line in (folder / "results/cup/games.jsonl").open("rb")
    )
    return games / took, reasons["timeout"], text


async def compare(games: int, rounds: int, viewers: int) -> None:
    """Alternate runs with and without viewers, and print the ratio."""
    rates: dict[bool, list[float]] = {True: [], False: []}
    with tempfile.TemporaryDirectory() as place:
        bot = compile_bot(Path(place))
        for number in range(rounds):
            for watched in (False, True) if number % 2 else (True, False):
                folder = Path(place) / f"{number}-{watched}"
                rate, lost, text = await run_once(folder, games, bot, viewers if watched else 0)
                rates[watched].append(rate)
                print(f"{rate:8.0f} games/s, {lost} lost by time, {text}", flush=True)
    with_viewers, without = (statistics.median(rates[watched]) for watched in (True, False))
    print(f"median {with_viewers:.0f} with, {without:.0f} without: {with_viewers / without:.3f}")


async def play_games(port: int, number: int, end: float, counts: Counter[str]) -> None:
    """Play games of one visitor, one after the other: the first legal move of every turn."""
    address = f"127.0.1.{number + 1}"  # limits of rates are by address
    selection = {
        "bot": "random",
        "variant": "standoff",
        "rows": 6,
        "cols": 6,
        "seat": 1 + number % 2,
    }
    while monotonic() < end:
        status, table = await request(
            port, "/api/tables", {**selection, "nickname": f"visitor-{number}"}, address
        )
        if status != 201:
            counts[f"table: {status}"] += 1
            await asyncio.sleep(1)
            continue
        while monotonic() < end + START_SECONDS:
            status, value = await request(port, f"/api/tables/{table['id']}", None, address)
            if status != 200 or (value["over"] and "failed" in value["over"]):
                counts[f"game: {status}"] += 1
                break
            if value["over"]:
                counts["games"] += 1
                break
            if turn := value["turn"]:
                move = {"key": table["key"], "ply": turn["ply"], "move": turn["legal"][0]}
                status, _ = await request(port, f"/api/tables/{table['id']}/move", move, address)
                counts["moves" if status == 200 else f"move: {status}"] += 1
            await asyncio.sleep(0.2)


def memory_mb(process: subprocess.Popen[str]) -> float:
    """Return the resident memory of the server."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024  # type: ignore[index]


async def load(viewers: int, tables: int, seconds: float) -> None:
    """Connect viewers and play at tables; print errors, and the server's memory over time."""
    with tempfile.TemporaryDirectory() as place:
        bot = Path(__file__).resolve().parents[1] / "bots" / "random_bot.py"
        folder = Path(place) / "results"
        words = ["--play", f"random={sys.executable} {bot}", "--tables", str(tables)]
        words += ["--records", str(folder / "arena"), "--sandbox", "none"]
        folder.mkdir()
        with server(folder, *words) as (process, port):
            counts: Counter[str] = Counter()
            end = monotonic() + seconds
            playing = [
                asyncio.create_task(play_games(port, number, end, counts))
                for number in range(tables)
            ]
            await until_shown(port)
            watching = await start_viewers(port, "arena", viewers)
            assert watching.stdin is not None
            watching.stdin.write(b"\n")
            memory = [memory_mb(process)]
            while monotonic() < end:
                await asyncio.sleep(min(10.0, max(0.0, end - monotonic())))
                memory.append(memory_mb(process))
                print(f"{memory[-1]:6.1f} MB, {dict(counts)}", flush=True)
            await asyncio.gather(*playing)
            seen, _ = await watching.communicate(b"")
    print(f"{viewers} viewers {seen.decode().strip()}")
    print(f"memory {memory[0]:.1f} MB at the start, {max(memory):.1f} MB at most")


def main() -> None:
    """Read the arguments and measure."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--games", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--view", type=int, metavar="PORT", help=argparse.SUPPRESS)
    parser.add_argument("--name", help=argparse.SUPPRESS)
    parser.add_argument("--load", action="store_true")
    parser.add_argument("--viewers", type=int)
    parser.add_argument("--tables", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=60.0)
    words = parser.parse_args()
    viewers = min(words.viewers or (200 if words.load else 100), MAX_VIEWERS)
    if words.view:
        view(words.view, words.name, viewers)
    elif words.load:
        seconds, tables = min(words.seconds, MAX_SECONDS), min(words.tables, MAX_TABLES)
        asyncio.run(load(viewers, tables, seconds))
    else:
        asyncio.run(compare(min(words.games, MAX_GAMES), words.rounds, viewers))


if __name__ == "__main__":
    main()
