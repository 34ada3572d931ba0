"""Identity of the machine that this process runs on."""

import platform
from pathlib import Path


def machine_id() -> str:
    """Return a text that processes on the same machine, and only they, have in common."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return platform.node()
