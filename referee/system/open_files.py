"""Room for the files and pipes that this process has open."""

import resource

_SPARE = 128
"""Descriptors besides: modules, the games file, the launcher, the report."""


def make_room(count: int) -> None:
    """Raise the limit of open files towards the hard one, where so many do not fit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = count + _SPARE
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
