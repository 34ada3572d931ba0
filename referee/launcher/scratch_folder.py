"""The scratch folder of a bot: created for its process, measured while it runs, removed after it.

A bot may fill it with anything: folders nested deeper than a path can be long, folders without
permissions, open files that have no name any more.
"""

import os
import sys
from contextlib import suppress

from referee.launcher import process_memory

MAX_FILES, MAX_BUILD_FILES = 10_000, 50_000
"""A folder with more files than this counts as full: measuring it takes processor time, of which
the opponent's turn may lose a part."""
UNCOUNTABLE = sys.maxsize
OWN_FOLDERS = ("/tmp", "/dev/shm")
"""File systems of its own in which a bot can write under bubblewrap."""


def make(place: str) -> str:
    """Create a folder that no other user can read."""
    folder = os.path.join(place, f"referee-scratch-{os.urandom(8).hex()}")
    os.mkdir(folder, 0o700)
    return folder


def bytes_below(folder: str, max_files: int = MAX_FILES) -> int:
    """Return the size of the files in a folder; UNCOUNTABLE if it cannot be measured."""
    total = files = 0
    folders = [folder]
    while folders:
        try:
            with os.scandir(folders.pop()) as entries:
                for entry in entries:
                    files += 1
                    if files > max_files:
                        return UNCOUNTABLE
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)
                    with suppress(FileNotFoundError):
                        # A folder keeps its size when the files in it are removed.
                        total += entry.stat(follow_symlinks=False).st_blocks * 512
        except (FileNotFoundError, NotADirectoryError):
            continue  # it was removed in the meantime
        except OSError:
            return UNCOUNTABLE
    return total


def is_crowded(processes: list[int]) -> bool:
    """Return whether the folders that only these processes see have too many files.

    Their bytes are limited, but each file also takes kernel memory that no limit covers.
    """
    for process in processes:
        with suppress(OSError):
            # A process that is not confined yet still has the machine's /tmp.
            if os.stat(f"/proc/{process}/root/tmp").st_dev != os.stat("/tmp").st_dev:
                usages = [os.statvfs(f"/proc/{process}/root{path}") for path in OWN_FOLDERS]
                return sum(use.f_files - use.f_ffree for use in usages) > MAX_BUILD_FILES
    return False


def bytes_without_name(processes: list[int]) -> int:
    """Return the size of files and folders that these processes hold open without a name.

    UNCOUNTABLE if the descriptors of a process cannot be read.
    """
    sizes: dict[tuple[int, int], int] = {}
    for process in processes:
        try:
            task, names = process_memory.descriptors(process)
        except process_memory.Unreadable:
            return UNCOUNTABLE
        for name in names:
            with suppress(OSError):
                _add_if_deleted(os.stat(f"/proc/{task}/fd/{name}"), sizes)
        with suppress(OSError):
            _add_if_deleted(os.stat(f"/proc/{task}/cwd"), sizes)
        _add_mapped(task, sizes)
    return sum(sizes.values())


def _add_if_deleted(file: os.stat_result, sizes: dict[tuple[int, int], int]) -> None:
    if file.st_nlink == 0:
        sizes[file.st_dev, file.st_ino] = file.st_blocks * 512


def _add_mapped(task: int, sizes: dict[tuple[int, int], int]) -> None:
    """Add files that are mapped into memory; only root can read more than the mapped size."""
    try:
        with open(f"/proc/{task}/maps", "rb") as file:
            lines = [line for line in file if line.endswith(b" (deleted)\n")]
    except OSError:
        return
    for line in lines:
        place, _, offset, device, number, _ = line.split(None, 5)
        start, end = (int(address, 16) for address in place.split(b"-"))
        try:
            _add_if_deleted(os.stat(f"/proc/{task}/map_files/{start:x}-{end:x}"), sizes)
        except OSError:
            major, minor = (int(part, 16) for part in device.split(b":"))
            key = os.makedev(major, minor), int(number)
            sizes[key] = max(sizes.get(key, 0), int(offset, 16) + end - start)


def remove(folder: str) -> None:
    """Remove a folder whose processes have ended, whatever its depth and permissions."""
    # Nested folders are moved to the top first, so that paths stay short without recursion.
    prefix, number = os.urandom(8).hex(), 0  # random: the bot cannot have used these names
    pending = [folder]
    while pending:
        current = pending[-1]
        inner = []
        os.chmod(current, 0o700)
        with os.scandir(current) as entries:
            for entry in entries:
                if not entry.is_dir(follow_symlinks=False):
                    os.unlink(entry.path)
                elif current == folder:
                    inner.append(entry.path)
                else:
                    number += 1
                    os.chmod(entry.path, 0o700)
                    moved = os.path.join(folder, f"{prefix}-{number}")
                    os.rename(entry.path, moved)
        if inner:
            pending.extend(inner)
        else:
            os.rmdir(current)
            pending.pop()
