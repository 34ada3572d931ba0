"""Attacks by processes: how they end, and how they avoid it."""

import os
import signal
import threading
import time

from .registry import EVERYWHERE, attack
from .tools import (
    ANSWERED,
    LEGAL,
    attempt,
    burn,
    child,
    daemon,
    info,
    leave_session,
    play_on_and_report_use,
    say,
    wait,
    wait_and_exit,
)

MAX_PROCESSES = 300
"""Well above the limit, because other tests of the same user may end some meanwhile."""


@attack("crash", rungs=EVERYWHERE)
def exits_with_success():
    os._exit(0)


@attack("crash", rungs=EVERYWHERE)
def exits_with_failure():
    os._exit(1)


@attack("crash", rungs=EVERYWHERE)
def breaks_down():
    os.kill(os.getpid(), signal.SIGSEGV)
    return wait()


@attack("crash", rungs=EVERYWHERE)
def kills_itself():
    os.kill(os.getpid(), signal.SIGKILL)
    return wait()


@attack("timeout", rungs=EVERYWHERE)
def stops_itself():
    os.kill(os.getpid(), signal.SIGSTOP)
    return wait()


@attack("start", when="start", rungs=EVERYWHERE)
def is_gone_at_once():
    os._exit(0)


@attack(rungs=EVERYWHERE)
def leaves_a_daemon():
    """Fork twice and create a session."""
    daemon(wait)


@attack("crash", rungs=EVERYWHERE)
def lets_a_daemon_answer():
    """Let the main process exit before the answer comes."""

    def answer():
        wait(0.3)
        say(f"move {LEGAL[0]}\n")
        wait()

    daemon(answer)
    os._exit(0)


@attack("crash", rungs=EVERYWHERE)
def child_holds_the_pipes():
    """Keep the pipes open in a child, so that no end of file comes."""

    def hold():
        leave_session()
        wait()

    child(hold)
    os._exit(0)


@attack(rungs=EVERYWHERE)
def child_is_deaf():
    """Ignore every signal that can be ignored, in a child."""

    def ignore():
        for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
            signal.signal(number, signal.SIG_IGN)
        wait()

    child(ignore)


@attack(rungs=EVERYWHERE)
def child_is_stopped():
    """Leave a child that is stopped."""
    process = child(wait)
    os.kill(process, signal.SIGSTOP)


@attack(rungs=EVERYWHERE)
def makes_zombies():
    """Leave children that have ended unreaped."""
    for _ in range(20):
        child(lambda: None)


@attack(rungs=EVERYWHERE)
def makes_orphans():
    """Leave children to the init process."""
    for _ in range(20):
        daemon(lambda: None)


@attack(says="refused EAGAIN")
def fork_bomb():
    """Fork as often as possible."""
    try:
        for _ in range(MAX_PROCESSES):
            child(wait_and_exit)
    except BlockingIOError:
        info("refused EAGAIN")
    else:
        info("pwned")


@attack("timeout")
def fork_bomb_that_branches():
    """Let every process fork more of them, without waiting."""
    end = time.monotonic() + 5
    while time.monotonic() < end:
        try:
            os.fork()
        except OSError:
            time.sleep(0.001)
    return ANSWERED


@attack(says="refused")
def thread_bomb():
    """Start as many threads as possible."""
    try:
        for _ in range(MAX_PROCESSES):
            threading.Thread(target=wait, daemon=True).start()
    except RuntimeError:
        info("refused")
    else:
        info("pwned")


def hop(end):
    """Replace this process by a child again and again."""
    while time.monotonic() < end:
        if os.fork():
            os._exit(0)
        leave_session()


@attack()
def hops_from_process_to_process():
    """Exit before a signal can arrive, and continue in a child."""
    daemon(hop, time.monotonic() + 5)


@attack("crash")
def hops_and_is_gone():
    """Do the same, and end the game at once."""
    daemon(hop, time.monotonic() + 5)
    os._exit(0)


@attack()
def hops_behind_a_crowd():
    """Do the same beside many other processes."""
    for _ in range(25):
        child(wait_and_exit)
    daemon(hop, time.monotonic() + 5)


@attack()
def ponders_in_a_daemon():
    """Use the processor while the opponent thinks."""

    def count():
        end = time.monotonic() + 5
        while time.monotonic() < end:
            pass

    daemon(count)


@attack()
def wakes_its_family():
    """Resume the parent from a child whenever it is stopped."""
    parent = os.getpid()

    def wake():
        end = time.monotonic() + 5
        while time.monotonic() < end:
            os.kill(parent, signal.SIGCONT)

    child(wake)


@attack(rungs=EVERYWHERE)
def child_starts_when_the_game_ends():
    """Start new processes all the time, until the end."""

    def have_children():
        leave_session()
        end = time.monotonic() + 5
        while time.monotonic() < end:
            os.waitpid(child(lambda: None), 0)

    child(have_children)


@attack(when="move")
def burns_on_its_opponents_time():
    """Use the processor in many processes, in sessions of their own if they can have some."""

    def work():
        leave_session()
        signal.alarm(5)
        burn(5)

    for _ in range(30):
        child(work)


@attack(says="refused EPERM")
def starts_a_session():
    """Get a share of the processor for each session, where the kernel schedules by session."""
    os.waitpid(child(attempt, os.setsid), 0)


@attack(says="is stopped", opponent_thinks=True)
def complains_without_end():
    """Write to standard error all the time while the opponent thinks."""

    def complain():
        end = time.monotonic() + 5
        while time.monotonic() < end:
            os.write(2, b"e" * 4096)

    play_on_and_report_use([child(complain) for _ in range(4)])


@attack("crash", opponent_thinks=True)
def wakes_itself():
    """Be resumed by timers whenever it is stopped."""
    import ctypes

    signal.signal(signal.SIGCONT, lambda *_: None)
    by_signal, monotonic = 0, 1
    event = (ctypes.c_int * 16)(0, 0, signal.SIGCONT, by_signal)
    library = ctypes.CDLL(None)
    for number in range(1, 200):  # many: to be stopped takes back a signal that is pending
        timer = ctypes.c_void_p()
        first = number * 5_000_000
        times = (ctypes.c_long * 4)(1, 0, 0, first)
        assert library.timer_create(monotonic, event, ctypes.byref(timer)) == 0
        assert library.timer_settime(timer, 0, times, None) == 0
    threading.Thread(target=burn, args=(5,), daemon=True).start()
