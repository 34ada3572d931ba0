"""Argument parser of the commands."""

import argparse
from typing import NoReturn

from referee.errors import InputError


class _Parser(argparse.ArgumentParser):
    """Parser that raises InputError instead of printing its usage."""

    def error(self, message: str) -> NoReturn:
        raise InputError(f"{message} (`{self.prog} --help` shows how)")


def make_parser(name: str, description: str | None) -> argparse.ArgumentParser:
    """Make a parser without abbreviations, which prints the description unchanged."""
    return _Parser(
        prog=name,
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
