"""Dossiers of faulted games, shortened to what a page can contain."""

import re
from pathlib import Path
from typing import Any

from referee.game.dossier import FACT_INDENT, FAULT_MARK, STDERR_INDENT, TRANSCRIPT_TITLE
from referee.text import printable_lines

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
                return _escaped(file.read(HEAD_BYTES + TAIL_BYTES))
            head = file.read(HEAD_BYTES)
            file.seek(size - TAIL_BYTES)
            tail = file.read(TAIL_BYTES)
    except OSError:
        return None
    gap = f"… {size - HEAD_BYTES - TAIL_BYTES:,} bytes are left out here, the file has them all …"
    # Cut both ends at line boundaries, if there are any.
    head, tail = head.rpartition(b"\n")[0] or head, tail.partition(b"\n")[2] or tail
    return f"{_escaped(head)}\n{gap}\n{_escaped(tail)}"


def parse_dossier(text: str) -> dict[str, Any]:
    """Split a dossier: for each fault its facts and the end of standard error; the transcript.

    Text of a bot follows a bar or is in the transcript, so it cannot be read as a fact.
    """
    head, mark, transcript = text.partition(f"\n{TRANSCRIPT_TITLE}")
    faults: list[dict[str, Any]] = []
    for line in head.split("\n"):
        if faults and line.startswith(STDERR_INDENT):
            faults[-1]["stderr"].append(line.removeprefix(STDERR_INDENT))
        elif match := _FAULT.fullmatch(line):
            faults.append({"seat": int(match[1]), "rows": [], "stderr": []})
        elif faults and (fact := _FACT.fullmatch(line)):
            faults[-1]["rows"].append([fact[1], fact[2]])
    if not faults or not mark:
        return {"faults": faults, "transcript": text}
    return {"faults": faults, "transcript": transcript.partition("\n")[2]}


_FAULT = re.compile(rf".* \(seat ([12])\) {re.escape(FAULT_MARK)} .*")
_FACT = re.compile(rf"{FACT_INDENT}([a-z ]+):\s+(.*)")


def _escaped(text: bytes) -> str:
    return "\n".join(printable_lines(text, MAX_LINE_LENGTH))
