"""A private root folder for a bot, which contains only what it may see.

The folders above the visible paths can be entered and are otherwise empty, so that an interpreter
or a bot below a folder that only root may enter can be used. This needs the right to mount (root,
or a user namespace) and Linux 5.12.
"""

import os
import stat
import struct

from referee.launcher import syscalls

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

DEVICES = ("/dev/null", "/dev/full", "/dev/random", "/dev/urandom")
"""Without /dev/zero: a shared mapping of it is memory that no process is charged for."""
_ZERO = {"/dev/zero": "/dev/full"}
"""The replacement reads the same, but cannot be mapped."""
_LINKS = {
    "/dev/fd": "/proc/self/fd",
    "/dev/stdin": "/proc/self/fd/0",
    "/dev/stdout": "/proc/self/fd/1",
    "/dev/stderr": "/proc/self/fd/2",
}
_BUILT_AT = "/usr"
"""Where the new root is mounted until it becomes the root: any folder that exists."""
_MAX_BYTES = 2**20
"""Size of the new root, which itself contains only folders and links."""


def enter(read: "Iterable[str]", write: "Iterable[str]", folder: str) -> None:
    """Replace the root folder by one that contains only these paths, under the same names.

    `folder` exists in it, too, because the bot starts there.
    """
    syscalls.unshare(syscalls.CLONE_NEWNS)
    syscalls.mount("none", "/", "", syscalls.MS_REC | syscalls.MS_PRIVATE)
    closed = syscalls.MOUNT_ATTR_RDONLY | syscalls.MOUNT_ATTR_NOSUID
    attributes = dict.fromkeys((*read, *DEVICES, *_ZERO), closed)
    attributes |= dict.fromkeys(write, syscalls.MOUNT_ATTR_NOSUID)
    links = {path: os.readlink(path) for path in attributes if os.path.islink(path)}
    trees = {
        # A path comes after the folders above it.
        path: _copy_mounts(_ZERO.get(path, path), attributes[path])
        for path in sorted(attributes)
        if path not in links and os.path.exists(path)
    }
    _mount_empty_root()
    for path, target in {**links, **_LINKS}.items():
        os.makedirs(os.path.dirname(path), exist_ok=True)
        os.symlink(target, path)
    for path, tree in trees.items():
        _make_mount_point(path, tree)
        syscalls.move_mount(tree, path)
        os.close(tree)
    os.makedirs(folder, exist_ok=True)
    _set_attributes(syscalls.AT_FDCWD, "/", closed, 0)


def _copy_mounts(path: str, attributes: int) -> int:
    """Copy the mounts at and below a path; return a descriptor of the copy."""
    tree = syscalls.open_tree(path)
    _set_attributes(tree, "", attributes, syscalls.AT_EMPTY_PATH | syscalls.AT_RECURSIVE)
    return tree


def _set_attributes(folder: int, path: str, attributes: int, flags: int) -> None:
    syscalls.mount_setattr(folder, path, flags, struct.pack("4Q", attributes, 0, 0, 0))


def _mount_empty_root() -> None:
    options = f"mode=755,size={_MAX_BYTES}"
    syscalls.mount("tmpfs", _BUILT_AT, "tmpfs", syscalls.MS_NOSUID | syscalls.MS_NODEV, options)
    os.chdir(_BUILT_AT)
    # The old root ends up on top of the new one, from where it is detached (pivot_root(2)).
    syscalls.pivot_root(".", ".")
    syscalls.umount(".", syscalls.MNT_DETACH)
    os.chdir("/")


def _make_mount_point(path: str, tree: int) -> None:
    """Create an empty file or folder to mount on, unless it exists in the folder above."""
    if os.path.exists(path):
        return
    if stat.S_ISDIR(os.fstat(tree).st_mode):
        os.makedirs(path)
    else:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o444))
