"""The scratch folder of a bot: made for its process, measured while it runs, removed after it.

Its owner may make any mess in it: folders deeper than a path can be long, folders without a right
to look inside, files that are open and have no name any more.
"""

import os
import stat
import sys
from contextlib import suppress

from referee.launcher import process_tree

MAX_FILES = 50_000
"""A folder with more files than this is counted as full: looking on would take too long."""
UNCOUNTABLE = sys.maxsize


def make(place: str) -> str:
    """A new folder that nobody else can look into."""
    folder = os.path.join(place, f"referee-scratch-{os.urandom(8).hex()}")
    os.mkdir(folder, 0o700)
    return folder


def bytes_below(folder: str) -> int:
    """How much the files in a folder take; UNCOUNTABLE if somebody sees to it that none can say."""
    total = files = 0
    folders = [folder]
    while folders:
        try:
            with os.scandir(folders.pop()) as entries:
                for entry in entries:
                    files += 1
                    if files > MAX_FILES:
                        return UNCOUNTABLE
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)
                    else:
                        with suppress(FileNotFoundError):
                            total += entry.stat(follow_symlinks=False).st_blocks * 512
        except (FileNotFoundError, NotADirectoryError):
            continue  # it went meanwhile
        except OSError:
            return UNCOUNTABLE
    return total


def is_crowded(processes: list[int]) -> bool:
    """Whether a scratch that only these processes see holds too many files.

    Its bytes are limited, but each file also takes memory of the kernel that nobody counts.
    """
    for process in processes:
        with suppress(OSError):
            room = os.statvfs(f"/proc/{process}/root/tmp")
            # Those who have not entered their cage yet see the machine's own.
            if os.stat(f"/proc/{process}/root/tmp").st_dev != os.stat("/tmp").st_dev:
                return room.f_files - room.f_ffree > MAX_FILES
    return False


def bytes_without_name(processes: list[int]) -> int:
    """How much the files take that these processes hold after their names were removed.

    UNCOUNTABLE if a process does not let others see what it holds.
    """
    sizes: dict[tuple[int, int], int] = {}
    for process in processes:
        try:
            task, names = process_tree.descriptors(process)
        except process_tree.Unreadable:
            return UNCOUNTABLE
        for name in names:
            with suppress(OSError):
                _note_nameless(os.stat(f"/proc/{task}/fd/{name}"), sizes)
        _note_mapped(task, sizes)
    return sum(sizes.values())


def _note_nameless(file: os.stat_result, sizes: dict[tuple[int, int], int]) -> None:
    if stat.S_ISREG(file.st_mode) and file.st_nlink == 0:
        sizes[file.st_dev, file.st_ino] = file.st_blocks * 512


def _note_mapped(task: int, sizes: dict[tuple[int, int], int]) -> None:
    """Add files that are mapped into memory; only root may look at more than the mapped part."""
    try:
        with open(f"/proc/{task}/maps", "rb") as file:
            lines = [line for line in file if line.endswith(b" (deleted)\n")]
    except OSError:
        return
    for line in lines:
        place, _, offset, device, number, _ = line.split(None, 5)
        start, end = (int(address, 16) for address in place.split(b"-"))
        try:
            _note_nameless(os.stat(f"/proc/{task}/map_files/{start:x}-{end:x}"), sizes)
        except OSError:
            major, minor = (int(part, 16) for part in device.split(b":"))
            key = os.makedev(major, minor), int(number)
            sizes[key] = max(sizes.get(key, 0), int(offset, 16) + end - start)


def remove(folder: str) -> None:
    """Remove a folder whose owner is gone, however deep and locked it is."""
    # What lies in a folder's folders is moved up first: so no path gets long, and nothing recurs.
    unforeseen, number = os.urandom(8).hex(), 0
    waiting = [folder]
    while waiting:
        here = waiting[-1]
        inner = []
        os.chmod(here, 0o700)
        with os.scandir(here) as entries:
            for entry in entries:
                if not entry.is_dir(follow_symlinks=False):
                    os.unlink(entry.path)
                elif here == folder:
                    inner.append(entry.path)
                else:
                    number += 1
                    os.chmod(entry.path, 0o700)
                    moved = os.path.join(folder, f"{unforeseen}-{number}")
                    os.rename(entry.path, moved)
        if inner:
            waiting.extend(inner)
        else:
            os.rmdir(here)
            waiting.pop()
