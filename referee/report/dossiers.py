"""Dossiers of faulted games, shortened to what a page can contain."""

from pathlib import Path

from referee.text import printable

HEAD_BYTES, TAIL_BYTES = 6_000, 3_000
"""The head has the faults with standard error, the tail the last lines of the transcript."""
MAX_LINE_LENGTH = 600


def read_dossier(folder: Path, game_id: str) -> str | None:
    """Read the dossier of one game, escaped; None if there is none."""
    name = f"{game_id}.txt"
    # Ids are read from an untrusted file: reject those that are paths to other folders.
    if not game_id.isprintable() or "/" in game_id or "\\" in game_id or len(name) > 255:
        return None
    path = folder / "faults" / name
    try:
        if path.is_symlink() or not path.is_file():
            return None
        with path.open("rb") as file:
            size = path.stat().st_size
            if size <= HEAD_BYTES + TAIL_BYTES:
                return _safe(file.read(HEAD_BYTES + TAIL_BYTES))
            head = file.read(HEAD_BYTES)
            file.seek(size - TAIL_BYTES)
            tail = file.read(TAIL_BYTES)
    except OSError:
        return None
    gap = f"… {size - HEAD_BYTES - TAIL_BYTES:,} bytes are left out here, the file has them all …"
    # Cut both ends at line boundaries, if there are any.
    head, tail = head.rpartition(b"\n")[0] or head, tail.partition(b"\n")[2] or tail
    return f"{_safe(head)}\n{gap}\n{_safe(tail)}"


def _safe(text: bytes) -> str:
    return "\n".join(printable(line, MAX_LINE_LENGTH) for line in text.rstrip(b"\n").split(b"\n"))
