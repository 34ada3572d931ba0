"""Changes of permissions and times of files, made by the supervisor on behalf of a bot.

Landlock does not cover metadata, and a filter of system calls cannot read paths. So where a bot
runs as a user who has other files, the kernel suspends such a call and notifies the supervisor
(seccomp_unotify(2)). The supervisor opens the file, checks that it lies below a folder of the bot,
and makes the change through that descriptor: so it does not matter if the bot changes the path in
its memory in between.
"""

import ctypes
import errno
import fcntl
import os
import struct

from referee.launcher import seccomp, syscalls

RECEIVE, SEND, IS_VALID = 0xC050_2100, 0xC018_2101, 0x4008_2102
"""Requests of ioctl(2) for a listener."""
NOTIFICATION, RESPONSE = struct.Struct("=QIIiIQ6Q"), struct.Struct("=QqiI")
AT_SYMLINK_NOFOLLOW = 0x100
OPENAT2, RESOLVE_NO_MAGICLINKS = 437, 0x02
MAX_PATH_LENGTH = 4096
OWN_DESCRIPTORS = (b"/proc/self/fd/", b"/proc/thread-self/fd/", b"/dev/fd/")
"""Paths by which a program names one of its own descriptors; here they would name ours."""
TIMES = {"utime": 16, "utimes": 32, "futimesat": 32, "utimensat": 32}
"""The size of the structure with the times, for each of these calls."""


class Metadata:
    """The handler of the notifications of one listener."""

    def __init__(self, listener: int, folders: list[str]) -> None:
        self.listener = listener
        self._folders = [os.path.realpath(folder) for folder in folders]
        self._names = seccomp.call_numbers(seccomp.METADATA)
        (self._utimensat,) = (n for n, name in self._names.items() if name == "utimensat")

    def answer(self) -> None:
        """Handle the pending notification and respond to it."""
        notification = bytearray(NOTIFICATION.size)
        try:
            fcntl.ioctl(self.listener, RECEIVE, notification)
        except OSError:
            return  # its process has ended
        number, task, _, call, _, _, *words = NOTIFICATION.unpack(notification)
        error = 0
        try:
            self._change(number, task, self._names[call], words)
        except OSError as failure:
            error = failure.errno or errno.EPERM
        try:
            fcntl.ioctl(self.listener, SEND, RESPONSE.pack(number, 0, -error, 0))
        except OSError:
            return

    def _change(self, number: int, task: int, call: str, words: list[int]) -> None:
        """Make the change of a call, or raise the OSError that the call returns."""
        place, flags = syscalls.AT_FDCWD, 0
        if call.startswith("f") or call == "utimensat":
            place = ctypes.c_int(words.pop(0)).value
        path = None if call == "fchmod" else words.pop(0)
        if call in ("fchmodat2", "utimensat"):
            flags = words[1]
        file = self._open(task, place, path, flags)
        try:
            times = None
            if call in TIMES and words[0]:
                times = _read(task, words[0], TIMES[call])
            # After the last read: the id of the process may have been reused before.
            fcntl.ioctl(self.listener, IS_VALID, struct.pack("=Q", number))
            where = os.readlink(f"/proc/self/fd/{file}")
            if not any(where == own or where.startswith(f"{own}/") for own in self._folders):
                raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))
            if call in TIMES:
                self._set_times(file, _in_nanoseconds(call, times))
            else:
                os.chmod(f"/proc/self/fd/{file}", words[0] & 0o7777)
        finally:
            os.close(file)

    def _set_times(self, file: int, times: bytes | None) -> None:
        path = ctypes.c_char_p(f"/proc/self/fd/{file}".encode())
        buffer = None if times is None else ctypes.c_char_p(times)
        syscalls.syscall(self._utimensat, syscalls.AT_FDCWD, path, buffer, 0)

    def _open(self, task: int, place: int, path: int | None, flags: int) -> int:
        """Open the file that a call names with O_PATH, without access to its content."""
        text = _read_text(task, path) if path else b""
        for prefix in OWN_DESCRIPTORS:
            if text.startswith(prefix) and text[len(prefix) :].isdigit():
                place, text, path = int(text[len(prefix) :]), b"", None
        if not text and (not path or flags & syscalls.AT_EMPTY_PATH):
            return _open_descriptor(task, place)
        if not text:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        base = _open_descriptor(task, place)
        try:
            follow = 0 if flags & AT_SYMLINK_NOFOLLOW else 1
            how = os.O_PATH | os.O_CLOEXEC | (0 if follow else os.O_NOFOLLOW)
            request = ctypes.c_char_p(struct.pack("=QQQ", how, 0, RESOLVE_NO_MAGICLINKS))
            return syscalls.syscall(OPENAT2, base, ctypes.c_char_p(text), request, 24)
        finally:
            os.close(base)


def _open_descriptor(task: int, place: int) -> int:
    """Open the file of a descriptor of another process, or its current folder."""
    name = "cwd" if place == syscalls.AT_FDCWD else f"fd/{place}"
    try:
        return os.open(f"/proc/{task}/{name}", os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF)) from None


def _read(task: int, address: int, size: int) -> bytes:
    """Read memory of another process."""
    memory = os.open(f"/proc/{task}/mem", os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.pread(memory, size, address)
    except (OSError, OverflowError):
        raise OSError(errno.EFAULT, os.strerror(errno.EFAULT)) from None
    finally:
        os.close(memory)


def _read_text(task: int, address: int) -> bytes:
    """Read a path in parts, because the page after its end may not be mapped."""
    text = b""
    while len(text) < MAX_PATH_LENGTH:
        size = 256 - address % 256
        part, end, _ = _read(task, address, size).partition(b"\0")
        text += part
        if end:
            return text
        address += size
    raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG))


def _in_nanoseconds(call: str, times: bytes | None) -> bytes | None:
    """Convert the times of any of the calls to the structure of `utimensat`."""
    if times is None or call == "utimensat":
        return times
    if call == "utime":
        accessed, changed = struct.unpack("=2q", times)
        return struct.pack("=4q", accessed, 0, changed, 0)
    seconds, micros, more_seconds, more_micros = struct.unpack("=4q", times)
    if not (0 <= micros < 1_000_000 and 0 <= more_micros < 1_000_000):
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
    return struct.pack("=4q", seconds, micros * 1000, more_seconds, more_micros * 1000)
