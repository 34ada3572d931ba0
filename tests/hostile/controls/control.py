"""A well-behaved bot that uses threads, a helper process and a scratch file."""

import multiprocessing
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

USES_LOCKS = "locks" in sys.argv


def count(queue, lock):
    for _ in range(3):
        with lock:
            queue.put(1)


def locks():
    """Python's own helpers, which meet in shared memory."""
    lock, queue = multiprocessing.Lock(), multiprocessing.Queue()
    helper = multiprocessing.Process(target=count, args=(queue, lock))
    helper.start()
    assert sum(queue.get() for _ in range(3)) == 3
    helper.join()


def choose(legal):
    found = []
    threads = [threading.Thread(target=found.append, args=(move,)) for move in legal]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with tempfile.NamedTemporaryFile("w+") as file:
        file.write(sorted(found)[0])
        file.flush()
        return subprocess.run(["cat", file.name], capture_output=True, text=True).stdout


for line in sys.stdin:
    verb, *fields = line.split()
    if verb == "game":
        if USES_LOCKS:
            locks()
        Path("~/.cache/control").expanduser().mkdir(parents=True, exist_ok=True)
        print("ready", flush=True)
    elif verb == "turn":
        legal = dict(field.split("=", 1) for field in fields)["legal"]
        print("move", choose(legal.split(";")), flush=True)
    elif verb == "quit":
        break
