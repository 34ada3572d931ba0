"""A game played, as one JSON object: the only truth about it."""

import hashlib
import json
from typing import Any

from referee.faults import Fault
from referee.game import Played, Setup

SCHEMA = 1


def make_record(
    setup: Setup,
    bots: tuple[str, str],
    played: Played,
    *,
    encounter: int,
    hashes: tuple[str, str],
    sandbox: str,
    host: str,
    started: str,
) -> dict[str, Any]:
    """The record of a finished game."""
    record: dict[str, Any] = {
        "schema": SCHEMA,
        "id": setup.id,
        "variant": setup.variant,
        "rows": setup.size.rows,
        "cols": setup.size.cols,
        "bots": list(bots),
        "encounter": encounter,
        "opening": len(setup.opening),
        "moves": list(played.moves),
        "ms": list(played.ms),
        "score": list(played.outcome.score),
        "reason": str(played.outcome.reason),
        "fault": _fault_keys(played.faults[0]) if played.faults else None,
        "settings": settings_hash(setup),
        "hashes": list(hashes),
        "sandbox": sandbox,
        "host": host,
        "started": started,
    }
    if len(played.faults) > 1:
        record["faults"] = [_fault_keys(fault) for fault in played.faults]
    return record


def _fault_keys(fault: Fault) -> dict[str, Any]:
    return {"seat": fault.seat, "reason": str(fault.reason), "detail": fault.detail}


def settings_hash(setup: Setup) -> str:
    """A fingerprint of the settings that make games comparable."""
    settings = [[str(time), time.margin_ms] for time in setup.times]
    text = json.dumps([settings, setup.seed, setup.attempts, list(setup.startup_ms)])
    return hashlib.sha256(text.encode()).hexdigest()[:16]
