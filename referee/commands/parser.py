"""How a command's arguments are read."""

import argparse
from typing import NoReturn

from referee.errors import InputError


class _Parser(argparse.ArgumentParser):
    """A parser whose complaints are one sentence, like all others."""

    def error(self, message: str) -> NoReturn:
        raise InputError(f"{message} (`{self.prog} --help` shows how)")


def make_parser(name: str, description: str | None) -> argparse.ArgumentParser:
    """A parser without abbreviations, whose help shows the description as it was written."""
    return _Parser(
        prog=name,
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
