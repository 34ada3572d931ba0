"""Attacks by output: its content, its size and its time."""

import atexit
import os
import signal

from .registry import EVERYWHERE, PLAYS_ON, attack
from .tools import ANSWERED, LEGAL, info, say, wait

ESCAPES = "\x1b]0;owned\x07\x1b[2J\x1b[31m\x9b6n\r\b\x7f"
FLOOD = 100 * 2**20


def everywhere(verdict=PLAYS_ON, says=None, when="turn"):
    return attack(verdict, says, when, EVERYWHERE)


def flood(chunk, total=FLOOD):
    """Write as much as is read, up to a limit."""
    for _ in range(total // len(chunk)):
        say(chunk)
    return wait()


@everywhere("timeout")
def never_answers():
    """Send nothing."""
    return wait()


@everywhere("timeout")
def drips():
    """Send a byte now and then."""
    signal.signal(signal.SIGALRM, lambda *_: say("x"))
    signal.setitimer(signal.ITIMER_REAL, 0.02, 0.02)
    return wait()


@everywhere("timeout")
def keeps_talking():
    """Send `info` again and again."""
    signal.signal(signal.SIGALRM, lambda *_: info("wait for it"))
    signal.setitimer(signal.ITIMER_REAL, 0.02, 0.02)
    return wait()


@everywhere("timeout")
def answers_too_late():
    """Send a legal move after the deadline, extended by the time that a busy machine loses."""
    wait(10)
    say(f"move {LEGAL[0]}\n")
    return ANSWERED


@everywhere("protocol")
def floods_lines():
    return flood("hello there\n" * 4096)


@everywhere("protocol")
def floods_info():
    """Send allowed lines in excess."""
    return flood(f"info {'x' * 1018}\n" * 64)


@everywhere("protocol")
def floods_empty_lines():
    return flood("\n" * 65536)


@everywhere("protocol")
def line_of_100_megabytes():
    """Send a very long line."""
    return flood("x" * 65536)


@everywhere("protocol")
def move_of_100_megabytes():
    """Send a very long line that starts like a move."""
    say("move ")
    return flood("1" * 65536)


@everywhere("protocol")
def info_line_of_a_megabyte():
    say("info " + "x" * 2**20 + "\n")
    return wait()


@everywhere("protocol", when="game")
def floods_instead_of_ready():
    return flood("x" * 65536)


@everywhere("protocol")
def binary():
    say(bytes(range(256)) + b"\n")
    return ANSWERED


@everywhere("protocol")
def nul_bytes():
    """Send bytes that some languages take for the end of a text."""
    say(f"mo\0ve {LEGAL[0]}\n")
    return ANSWERED


@everywhere("illegal-move")
def nul_behind_the_move():
    say(f"move {LEGAL[0]}\0\n")
    return ANSWERED


@everywhere("illegal-move")
def invalid_utf8():
    say(b"move \xff\xfe\xc0\x80\n")
    return ANSWERED


@everywhere("illegal-move")
def unicode_digits():
    """Send digits that `int` accepts and the rules do not."""
    say("move \u0661,\u0661\n")
    return ANSWERED


@everywhere("illegal-move")
def fullwidth_digits():
    say("move \uff11,\uff11\n")
    return ANSWERED


@everywhere("illegal-move")
def two_moves_in_one_line():
    say(f"move {LEGAL[0]} {LEGAL[1]}\n")
    return ANSWERED


@everywhere("illegal-move")
def carriage_return_in_the_move():
    """Send a line that some readers split in two."""
    say(f"move {LEGAL[0]}\rmove {LEGAL[1]}\n")
    return ANSWERED


@everywhere("illegal-move")
def huge_number():
    """Send numbers that take long to parse."""
    say("move " + "9" * 60_000 + ",1\n")
    return ANSWERED


@everywhere("illegal-move")
def path_as_move():
    say("move ../../../../etc/passwd\n")
    return ANSWERED


@everywhere("protocol", when="game")
def sends_moves_ahead():
    """Send answers to later turns."""
    say("ready\n" + "move 1,1\nmove 1,2\nmove 2,1\n")
    return ANSWERED


@everywhere("protocol")
def answers_twice():
    say(f"move {LEGAL[0]}\nmove {LEGAL[1]}\n")
    return ANSWERED


@everywhere("protocol", when="start")
def answers_before_it_is_asked():
    say("move 1,1\n")


@everywhere("protocol", when="move")
def speaks_between_turns():
    say("hello there\n")


@everywhere("protocol", when="move")
def half_a_line_between_turns():
    """Send the start of a line between turns."""
    say("mo")


@everywhere("protocol")
def ready_again():
    say("ready\n")
    return ANSWERED


@everywhere("protocol")
def speaks_for_the_referee():
    """Send lines of the referee."""
    say("end result=win reason=no-moves moves=-\n")
    return ANSWERED


@everywhere("start", when="game")
def declines_with_a_path():
    say("decline ../../../x; rm -rf / \x1b[2J\n")
    return ANSWERED


@everywhere("timeout")
def closes_output():
    os.close(1)
    return wait()


@everywhere("timeout", when="move")
def closes_input():
    """Close standard input and stay alive."""
    os.close(0)
    wait()


@everywhere()
def closes_errors():
    os.close(2)


@everywhere()
def floods_errors():
    for _ in range(64):
        os.write(2, b"e" * 65536)


@everywhere("illegal-move")
def escapes_in_the_move():
    """Send terminal control sequences."""
    say(f"move {ESCAPES}\n".encode("utf-8", "surrogateescape"))
    return ANSWERED


@everywhere(says=r".*owned.*")
def escapes_in_info():
    info(ESCAPES)


@everywhere("crash")
def escapes_in_errors():
    os.write(2, ESCAPES.encode() + b"\n\xff\xfe\n")
    os._exit(1)


@everywhere("crash")
def complains_like_bubblewrap():
    """Imitate a failed start, with terminal control sequences."""
    os.write(2, f"bwrap: execvp /x: {ESCAPES}\n".encode())
    os._exit(1)


@everywhere("crash")
def complains_like_setpriv():
    os.write(2, f"setpriv: failed to execute x: {ESCAPES}\n".encode())
    os._exit(127)


@everywhere(says=r"<script>.*")
def markup_in_info():
    info("<script>alert(1)</script><img src=x onerror=alert(1)> [bold red]rich[/] `code` |x|")


@everywhere(says=r"=cmd.*")
def formulas_in_info():
    info("=cmd|' /C calc'!A0")
    info("@SUM(1+1)*cmd|' /C calc'!A0")


@everywhere(says=r".*evil.*")
def marks_from_right_to_left():
    """Send text that is displayed in another order."""
    info("\u202egnp.evil\u202c\u2066\u200b\ufeff")


@everywhere()
def ignores_quit():
    """Ignore `quit` and SIGTERM."""
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    atexit.register(wait)


@everywhere("crash")
def half_an_answer_and_gone():
    say(f"move {LEGAL[0][:1]}")
    os._exit(0)
