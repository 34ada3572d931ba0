"""Starts bots and makes sure that nothing of them outlives its time.

This file is a program of its own, `python -I -S launcher.py FD`: it imports nothing of the package
and stays small, because it forks once per bot. The referee sends it a command, a folder, an
environment and four descriptors; it forks a supervisor, and the supervisor forks the bot.

    referee --- launcher --- supervisor --- bot --- whatever the bot starts

The supervisor tells the referee over the status socket what became of the bot ("started 123",
"failed 2", "exit 1", "signal 9"), and ends every process below it as soon as that socket is closed
at the other end: because the referee wants it so, or because the referee was killed.
"""

import array
import marshal
import os
import select
import signal
import socket
import sys

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
DESCRIPTORS = 4
"""Standard input, output and error of the bot, and the status socket."""


def serve(requests: socket.socket) -> None:
    """Start a bot for each request, until the referee is gone."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # supervisors are reaped by the system
    while True:
        request = receive(requests)
        if request is None:
            return
        command, descriptors = request
        if os.fork() == 0:
            requests.close()
            try:
                supervise(command, descriptors)
            finally:
                os._exit(0)
        for descriptor in descriptors:
            os.close(descriptor)


def receive(requests: socket.socket) -> tuple[dict[str, object], list[int]] | None:
    """The next request and its descriptors, or None at the end."""
    room = socket.CMSG_SPACE(DESCRIPTORS * array.array("i").itemsize)
    head, ancillary, _, _ = requests.recvmsg(4, room)
    if not head:
        return None
    descriptors = array.array("i")
    for _, _, payload in ancillary:
        descriptors.frombytes(payload)
    for descriptor in descriptors:
        os.set_inheritable(descriptor, False)
    length, body = int.from_bytes(head, "big"), b""
    while len(body) < length:
        chunk = requests.recv(length - len(body))
        if not chunk:
            return None
        body += chunk
    return marshal.loads(body), list(descriptors)


def supervise(command: dict[str, object], descriptors: list[int]) -> None:
    """Run one bot, report how it ended, and in the end leave nothing of it alive."""
    standard, status = descriptors[:3], descriptors[3]
    wake, awakened = os.pipe()
    for descriptor in (wake, awakened):
        os.set_blocking(descriptor, False)
    signal.set_wakeup_fd(awakened, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    # What dies below us without a parent comes to us instead of to process 1.
    prctl(PR_SET_CHILD_SUBREAPER, 1)

    failure, failed = os.pipe()
    supervisor = os.getpid()
    bot = os.fork()
    if bot == 0:
        os.close(failure)
        try:
            become(command, standard, supervisor)
        except OSError as error:
            os.write(failed, str(error.errno).encode())
        finally:
            os._exit(127)
    os.close(failed)
    for descriptor in standard:
        os.close(descriptor)
    reason = os.read(failure, 16).decode()
    report(status, f"failed {reason}" if reason else f"started {bot}")

    poll = select.poll()
    poll.register(status, select.POLLIN)
    poll.register(wake, select.POLLIN)
    while not any(descriptor == status for descriptor, _ in poll.poll()):
        os.read(wake, 4096)
        for process, how in ended_children():
            if process == bot:
                signalled = os.WIFSIGNALED(how)
                code = os.WTERMSIG(how) if signalled else os.waitstatus_to_exitcode(how)
                report(status, f"{'signal' if signalled else 'exit'} {code}")
    end_all(bot)


def become(command: dict[str, object], standard: list[int], supervisor: int) -> None:
    """Turn this process into the bot; only returns by an OSError."""
    os.setsid()
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != supervisor:
        os._exit(1)
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGCHLD, signal.SIGPIPE):
        signal.signal(number, signal.SIG_DFL)
    # Above 2 first, so that no descriptor is overwritten before it is used.
    for target, source in enumerate([os.dup(descriptor) for descriptor in standard]):
        os.dup2(source, target)
    os.chdir(str(command["folder"]))
    environment = command["environment"]
    arguments = command["arguments"]
    assert isinstance(environment, dict)
    assert isinstance(arguments, list)
    os.execvpe(arguments[0], arguments, environment)


def report(status: int, text: str) -> None:
    """Tell the referee; if it is gone the status socket says so by itself."""
    try:
        os.write(status, text.encode() + b"\n")
    except OSError:
        return


def ended_children() -> list[tuple[int, int]]:
    """The children that ended since the last look, with their wait status."""
    ended: list[tuple[int, int]] = []
    while True:
        try:
            process, how = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return ended
        if process == 0:
            return ended
        ended.append((process, how))


def end_all(bot: int) -> None:
    """Kill what is left of the bot until nothing is."""
    while True:
        for process in [-bot, *descendants()]:
            try:
                os.kill(process, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                continue
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def descendants() -> list[int]:
    """All processes below this one, where the system tells (elsewhere: none)."""
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc") if sys.platform == "linux" else []:
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb") as file:
                    parent = int(file.read().rpartition(b")")[2].split()[1])
            except OSError:
                continue
            children.setdefault(parent, []).append(int(name))
    found = children.get(os.getpid(), [])
    for process in found:
        found.extend(children.get(process, []))
    return found


def prctl(option: int, value: int) -> None:
    """Linux's process options; other systems have the status socket alone."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


if __name__ == "__main__":
    if sys.platform == "linux":
        import ctypes  # noqa: F401  once here, not again in every fork
    serve(socket.socket(fileno=int(sys.argv[1])))
