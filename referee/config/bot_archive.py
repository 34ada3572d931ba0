"""Archives of bots' files: packed by the coordinator, unpacked by workers, named by hash."""

import hashlib
import io
import json
import shutil
import tarfile
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from referee.config.bot_files import hash_of, make_world_readable
from referee.config.plan import BotSpec
from referee.errors import InputError

MAX_PACKED = 256 * 2**20
"""Maximum size of one bot's archive in bytes; it is sent to every worker."""


def pack(bot: BotSpec) -> bytes:
    """Pack the files of a bot with names and executable bits; owners and times are left out."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz", compresslevel=1) as archive:
        for path, name in bot.files:
            # Symbolic links are packed as the files that they point to.
            entry, status = tarfile.TarInfo(name), path.stat()
            entry.mode, entry.size = 0o755 if status.st_mode & 0o111 else 0o644, status.st_size
            with path.open("rb") as file:
                archive.addfile(entry, file)
    if out.tell() > MAX_PACKED:
        sizes = sorted(((path.stat().st_size, name) for path, name in bot.files), reverse=True)
        largest = ", ".join(f"{name} ({size / 2**20:.0f} MiB)" for size, name in sizes[:3])
        raise InputError(
            f"the files of {bot.name} are too much to send to a cluster:"
            f" {out.tell() / 2**20:.0f} MiB packed, and {MAX_PACKED // 2**20} MiB is the most."
            f" The largest are {largest}; a file .refereeignore in its `dir` can leave some out"
        )
    return out.getvalue()


def pack_all(bots: Iterable[BotSpec], folder: Path) -> dict[str, Path]:
    """Pack every bot into an archive file; later edits of the bots have no effect on the run."""
    folder.mkdir(parents=True, exist_ok=True)
    packed: dict[str, Path] = {}
    for bot in bots:
        path = packed[bot.hash] = folder / f"{bot.hash}.tar.gz"
        if not path.exists():
            unfinished = path.with_name(f"{path.name}.part")
            unfinished.write_bytes(pack(bot))
            unfinished.replace(path)
    return packed


def unpack(data: bytes, digest: str, folder: Path) -> None:
    """Create the folder from an archive; InputError if its files do not have that hash."""
    unfinished = folder.with_name(folder.name + ".part")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(parents=True)
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:gz") as archive:
        names = sorted([_extract(archive, entry, unfinished) for entry in archive])
    if hash_of((unfinished / name, name) for name in names) != digest:
        raise InputError("its files changed while they were packed: run the same command again")
    make_world_readable(unfinished)
    unfinished.rename(folder)


def _extract(archive: tarfile.TarFile, entry: tarfile.TarInfo, folder: Path) -> str:
    """Write one file below the folder and return its name; InputError if it is no plain file.

    `pack` writes plain files with relative names and nothing else, so nothing else is accepted.
    `extractall` would need its argument `filter` for that, which Python 3.11.0 to 3.11.3 lack.
    """
    name = PurePosixPath(entry.name)
    source = archive.extractfile(entry) if entry.isreg() else None
    if source is None or name.is_absolute() or ".." in name.parts:
        raise InputError(f"the archive of its files has an entry that is not a file: {name}")
    target = folder / name
    target.parent.mkdir(parents=True, exist_ok=True)
    with source, target.open("xb") as file:
        shutil.copyfileobj(source, file)
    target.chmod(0o755 if entry.mode & 0o111 else 0o644)
    return entry.name


class BotCache:
    """The bots' files on a worker, in folders named by hash; kept for later runs."""

    def __init__(self, folder: Path) -> None:
        self._files = folder / "files"
        self._built = folder / "built"

    def missing(self, hashes: Iterable[str]) -> frozenset[str]:
        """Return those of the hashes whose files are not here."""
        return frozenset(digest for digest in hashes if not (self._files / digest).is_dir())

    def add(self, digest: str, data: bytes) -> None:
        """Unpack an archive; InputError if its files do not have that hash."""
        unpack(data, digest, self._files / digest)

    def folder_of(self, bot: BotSpec) -> Path:
        """Return the folder of a bot: its unpacked files, or a copy per build command."""
        files = self._files / bot.hash
        if bot.build is None:
            return files
        text = json.dumps([bot.hash, bot.build, dict(bot.command.environment)], sort_keys=True)
        copy = self._built / hashlib.sha256(text.encode()).hexdigest()[:16]
        if not copy.is_dir():
            unfinished = copy.with_name(copy.name + ".part")
            shutil.rmtree(unfinished, ignore_errors=True)
            shutil.copytree(files, unfinished)
            unfinished.rename(copy)
        return copy
