"""All attacks."""

from tests.hostile.bots import (  # noqa: F401
    files,
    processes,
    resources,
    secrets,
    speech,
    system,
)
from tests.hostile.bots.registry import ATTACKS

__all__ = ["ATTACKS"]
