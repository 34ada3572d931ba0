"""A bot with correct behaviour except one action, which its arguments name.

    python scripted_bot.py WHEN DEED [GAME]

WHEN is `start` (before anything is read), `game` (instead of `ready`), `ready` (right after it),
`turn` (instead of the first move), `move` (right after the first move) or `end` (after the game).
GAME is the number of the game in which it happens (default: 1). Its honest moves are the first
legal ones. Standard library only, and quick to start: it runs many times.
"""

import os
import signal
import sys


def say(text):
    """Write to standard output at once."""
    sys.stdout.write(text)
    sys.stdout.flush()


def wait_for_ever():
    """Do nothing until the end of input, and nothing after it."""
    while True:
        signal.pause()


def drip():
    """Write a byte now and then, never a line end."""
    # Without a buffer, which a handler that interrupts itself on a busy machine cannot use.
    signal.signal(signal.SIGALRM, lambda *_: os.write(1, b"x"))
    signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
    wait_for_ever()


def flood(stream, chunk):
    """Write as much as the reader takes."""
    while True:
        stream.write(chunk)
        stream.flush()


def leave_child(code):
    """Exit and leave a child that keeps all pipes open and ignores SIGTERM and SIGINT."""
    if os.fork() == 0:
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            signal.signal(number, signal.SIG_IGN)
        wait_for_ever()
    os._exit(code)


def close_output():
    """Close standard output, and stay alive."""
    os.close(1)
    wait_for_ever()


def ignore_signals():
    """Answer nothing, and ignore all signals that can be ignored."""
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    wait_for_ever()


def complain_and_raise():
    """Write to standard error and raise, as a Python bot with a bug does."""
    raise ValueError("no idea what to play")


def late_and_illegal():
    """Answer with an illegal move, too late for a limit below 10 s."""
    signal.signal(signal.SIGALRM, lambda *_: say("move 99,99\n"))
    signal.setitimer(signal.ITIMER_REAL, 10)
    wait_for_ever()


def background_child():
    """Start a child process that stays alive."""
    if os.fork() == 0:
        wait_for_ever()


DEEDS = {
    "hang": wait_for_ever,
    "drip": drip,
    "deaf": ignore_signals,
    "exit": lambda: os._exit(3),
    "raise": complain_and_raise,
    "segv": lambda: os.kill(os.getpid(), signal.SIGSEGV),
    "orphan": lambda: leave_child(4),
    "child": background_child,
    "close": close_output,
    "close-stdin": lambda: os.close(0),
    "flood": lambda: flood(sys.stdout, "x" * 65536),
    "flood-info": lambda: flood(sys.stdout, f"info {'x' * 1000}\n" * 32),
    "flood-stderr": lambda: sys.stderr.write("e" * 4_000_000 + "\nthe end\n"),
    "garbage": lambda: say("hello there\n"),
    "bare": lambda: say(FIRST[0] + "\n"),
    "empty": lambda: say("\n"),
    "binary": lambda: os.write(1, bytes(range(256)) + b"\n"),
    "partial": lambda: (say("move "), wait_for_ever()),
    "illegal": lambda: say("move 99,99\n"),
    "spaced": lambda: say(f"move {FIRST[0]} \n"),
    "zeros": lambda: say("move 0" + FIRST[0] + "\n"),
    "resign": lambda: say("resign\n"),
    "decline": lambda: say("decline not my game\n"),
    "info": lambda: say("info thinking\r\n"),
    "twice": lambda: say(f"move {FIRST[0]}\nmove {FIRST[0]}\n"),
    "answer-and-exit": lambda: (say(f"move {FIRST[0]}\n"), os._exit(5)),
    "crlf": lambda: say(f"move {FIRST[0]}\r\n"),
    "late-illegal": late_and_illegal,
}
FIRST = [""]


def main():
    when, deed = sys.argv[1], sys.argv[2]
    wanted = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    games, pending = 0, True

    def is_time(moment):
        nonlocal pending
        if pending and moment == when and max(games, 1) == wanted:
            pending = False
            DEEDS[deed]()
            return True
        return False

    is_time("start")
    for line in sys.stdin:
        verb, *fields = line.split()
        if verb == "game":
            games += 1
            if not is_time("game") or deed in ("info", "child", "flood-stderr"):
                say("ready\n")
            is_time("ready")
        elif verb == "turn":
            legal = dict(field.split("=", 1) for field in fields)["legal"]
            FIRST[0] = legal.split(";")[0]
            if not is_time("turn") or deed in ("info", "child", "flood-stderr", "close-stdin"):
                say(f"move {FIRST[0]}\n")
            is_time("move")
        elif verb == "end":
            is_time("end")
        elif verb == "quit":
            break


main()
