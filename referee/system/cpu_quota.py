"""How much processor time the system grants this process: limits that cores do not show.

Containers and services are often given a share of the machine. Such a process sees every core, but
is stopped for the rest of a period when its share of that period is used up, and its bots with it.
"""

from collections.abc import Iterator
from pathlib import Path

MEMBERSHIP = Path("/proc/self/cgroup")
MOUNT = Path("/sys/fs/cgroup")


def cpu_quota(membership: Path = MEMBERSHIP, mount: Path = MOUNT) -> float | None:
    """Return how many cores' worth of time this process may use; None if that is not limited.

    The smallest of what its control group and the groups around it grant, of either version.
    """
    try:
        lines = membership.read_text().splitlines()
    except OSError:
        return None
    quotas = []
    for line in lines:
        number, _, rest = line.partition(":")
        names, _, path = rest.partition(":")
        if number == "0" and not names:
            # Beside groups of version 1, those of version 2 have a folder of their own.
            for root in (mount, mount / "unified"):
                quotas += [_read_max(group) for group in _groups(root, path)]
        elif "cpu" in names.split(","):
            for root in (mount / names, mount / "cpu"):
                quotas += [_read_cfs(group) for group in _groups(root, path)]
    return min((quota for quota in quotas if quota is not None), default=None)


def quota_warning(slots: int, quota: float | None) -> str | None:
    """Say that clocks cannot be trusted with so many games at once; None if they can."""
    if quota is None or quota >= slots:
        return None
    if quota < 1:
        advice = "bots lose time that they did not use; raise the quota to a core at least"
    else:
        advice = f"bots lose time that they did not use; --workers {int(quota)} at most avoids it"
    return (
        f"the clocks cannot be trusted: a quota grants {quota:g} cores' worth of processor time to"
        f" {slots} game{'s' if slots > 1 else ''} at once: {advice}"
    )


def _groups(root: Path, path: str) -> Iterator[Path]:
    """The folders of a group and of those around it.

    In a container the path may be that of the host: then its folder is not there, and the root is
    the container's own group.
    """
    group = root / path.lstrip("/")
    while group != root and root in group.parents:
        yield group
        group = group.parent
    yield root


def _read_max(group: Path) -> float | None:
    """Version 2: `150000 100000`, or `max 100000` without a limit."""
    try:
        granted, period = (group / "cpu.max").read_text().split()
        return None if granted == "max" else int(granted) / int(period)
    except (OSError, ValueError, ZeroDivisionError):
        return None


def _read_cfs(group: Path) -> float | None:
    """Version 1: two files, and -1 without a limit."""
    try:
        granted = int((group / "cpu.cfs_quota_us").read_text())
        period = int((group / "cpu.cfs_period_us").read_text())
        return granted / period if granted > 0 else None
    except (OSError, ValueError, ZeroDivisionError):
        return None
