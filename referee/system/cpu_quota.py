"""Processor time that control groups grant this process: a limit that the list of cores lacks.

Containers and services often have a quota. Such a process sees every core, but the kernel stops it,
and its bots with it, for the rest of a period when its share of that period is used up.
"""

from collections.abc import Iterator
from pathlib import Path

MEMBERSHIP = Path("/proc/self/cgroup")
MOUNT = Path("/sys/fs/cgroup")


def cpu_quota(membership: Path = MEMBERSHIP, mount: Path = MOUNT) -> float | None:
    """Return the quota of this process, in cores; None if there is none.

    It is the smallest quota of its control group and of the groups above it, of either version.
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
            # If version 1 is mounted too, version 2 has a folder of its own.
            for root in (mount, mount / "unified"):
                quotas += [_read_max(group) for group in _groups(root, path)]
        elif "cpu" in names.split(","):
            for root in (mount / names, mount / "cpu"):
                quotas += [_read_cfs(group) for group in _groups(root, path)]
    return min((quota for quota in quotas if quota is not None), default=None)


def quota_warning(slots: int, quota: float | None) -> str | None:
    """Return a warning if the quota is too small for this number of games at once, else None."""
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
    """Yield the folders of a group and of the groups above it.

    In a container the path may be that of the host: then its folder does not exist, and the root is
    the container's own group.
    """
    group = root / path.lstrip("/")
    while group != root and root in group.parents:
        yield group
        group = group.parent
    yield root


def _read_max(group: Path) -> float | None:
    """Read the quota of version 2: `150000 100000`, or `max 100000` without a limit."""
    try:
        granted, period = (group / "cpu.max").read_text().split()
        return None if granted == "max" else int(granted) / int(period)
    except (OSError, ValueError, ZeroDivisionError):
        return None


def _read_cfs(group: Path) -> float | None:
    """Read the quota of version 1: two files, and -1 without a limit."""
    try:
        granted = int((group / "cpu.cfs_quota_us").read_text())
        period = int((group / "cpu.cfs_period_us").read_text())
        return granted / period if granted > 0 else None
    except (OSError, ValueError, ZeroDivisionError):
        return None
