"""Resource limits of a bot."""

from dataclasses import dataclass

MIB = 2**20


@dataclass(frozen=True)
class ResourceLimits:
    """The limits of one bot; sizes are in bytes, `processes` and `files` are counts."""

    memory: int = 1024 * MIB
    processes: int = 96
    files: int = 256
    scratch: int = 64 * MIB
    network: bool = False
    read: tuple[str, ...] = ()
    """Further paths that it may read."""
