"""The dossiers of faulted games, cut to what a page can hold."""

from pathlib import Path

from referee.text import printable

HEAD_BYTES, TAIL_BYTES = 6_000, 3_000
"""The faults with standard error stand at the head; what was said last, at the end."""
MAX_LINE_LENGTH = 600


def read_dossier(folder: Path, id: str) -> str | None:
    """The dossier of one game, safe to show; None if there is none."""
    name = f"{id}.txt"
    # An id comes from a file that anybody may have written: it must not lead anywhere else.
    if not id.isprintable() or "/" in id or "\\" in id or len(name) > 255:
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
    # Both ends are cut at whole lines, if there are any.
    head, tail = head.rpartition(b"\n")[0] or head, tail.partition(b"\n")[2] or tail
    return f"{_safe(head)}\n{gap}\n{_safe(tail)}"


def _safe(text: bytes) -> str:
    return "\n".join(printable(line, MAX_LINE_LENGTH) for line in text.rstrip(b"\n").split(b"\n"))
