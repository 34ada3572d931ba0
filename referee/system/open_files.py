"""The limit on open files of this process."""

import resource

_SPARE = 128
"""Descriptors for everything else: modules, the games file, the launcher, the report."""


def make_room(count: int) -> None:
    """Raise the soft limit on open files so that this many more fit, at most to the hard limit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = count + _SPARE
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return
    limit = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))
