"""Files of variants that are not installed: read by the coordinator, written by workers."""

import hashlib
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from referee.config.plan import PortablePlan
from referee.rules import find_variant
from referee.rules.registry import is_variant_file


def read_variants(portable_plan: PortablePlan) -> dict[str, bytes]:
    """Return the contents of the plan's variant files by path."""
    sources = {board.source for board in portable_plan.boards.values()}
    return {name: Path(name).read_bytes() for name in sources if is_variant_file(name)}


def install_variants(
    portable_plan: PortablePlan, files: Mapping[str, bytes], folder: Path
) -> PortablePlan:
    """Write the files below the folder, and return a plan that names them there.

    InputError if another variant of the plan is not installed on this machine.
    """
    paths: dict[str, str] = {}
    for source, data in files.items():
        path = folder / hashlib.sha256(data).hexdigest()[:16] / Path(source).name
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_name(f"{path.name}.{os.getpid()}.part")
        unfinished.write_bytes(data)
        unfinished.replace(path)
        paths[source] = str(path)
    boards = {
        name: replace(board, source=paths.get(board.source, board.source))
        for name, board in portable_plan.boards.items()
    }
    for board in boards.values():
        find_variant(board.source)
    return replace(portable_plan, boards=boards)
