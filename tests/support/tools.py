"""Programs and privileges that tests need: without them a test is skipped, in CI it fails.

All skips are raised here, so that pytest's summary has one line per reason.
"""

import os
import shutil
import subprocess
from functools import cache
from typing import NoReturn

import pytest

PACKAGES = {
    "/usr/bin/python3": "python3",
    "bwrap": "bubblewrap",
    "cc": "build-essential",
    "g++": "build-essential",
    "go": "golang-go",
    "ip": "iproute2",
    "java": "default-jdk-headless",
    "javac": "default-jdk-headless",
    "make": "build-essential",
    "node": "nodejs",
    "setpriv": "util-linux",
    "tclsh": "tcl",
}
"""Debian packages of programs; the others are called like their package."""


def needs(*programs: str) -> None:
    """Skip the test if one of these programs is missing."""
    for program in programs:
        if not has(program):
            skip(f"needs {program}: apt install {PACKAGES.get(program, program)}")


@cache
def has(program: str) -> bool:
    """Return whether a program is installed, and a compiler with the headers of the C library."""
    found = shutil.which(program)
    if found is None or program not in ("cc", "g++"):
        return found is not None
    words = [found, "-E", "-x", "c", "-"]
    source = b"#include <stdio.h>\n"
    return subprocess.run(words, input=source, capture_output=True).returncode == 0


def needs_root() -> None:
    """Skip the test for an ordinary user."""
    if os.geteuid() != 0:
        skip("needs root: run the tests as root")


def skip_control_groups() -> NoReturn:
    """Skip the test because no control group can be made."""
    skip("no control group can be made here: run the tests as root, outside of a container")


def skip(reason: str) -> NoReturn:
    """End the test here: as skipped, or as failed in CI."""
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)
