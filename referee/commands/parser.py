"""Argument parser of the commands, and the layout of their help."""

import argparse
import re
import sys
from collections.abc import Iterable
from typing import NoReturn

from referee.errors import InputError
from referee.text import wrap_words

_GAP = re.compile(r"(?<=\S) {2,}(?=\S)")
"""The blanks between an example and the remark on it."""
_WORD = re.compile(r"""(?:"[^"]*"|'[^']*'|\S)+""")
"""A word of a command line; blanks in quotes are part of it."""


class _Parser(argparse.ArgumentParser):
    """Parser that raises InputError instead of printing its usage."""

    def error(self, message: str) -> NoReturn:
        raise InputError(f"{message} (`{self.prog} --help` shows how)")


class _HelpFormatter(argparse.HelpFormatter):
    """Formatter that breaks lines at blanks only, and keeps examples line by line."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return "\n".join(_layout(text, width))

    def _format_usage(
        self,
        usage: str | None,
        actions: Iterable[argparse.Action],
        groups: Iterable[argparse._MutuallyExclusiveGroup],
        prefix: str | None,
    ) -> str:
        text = super()._format_usage(usage, actions, groups, prefix)
        if all(len(line) <= self._width for line in text.splitlines()):
            return text
        first, *rest = wrap_words(text, self._width - 2)
        return "\n".join([first, *(f"  {line}" for line in rest)]) + "\n\n"

    def _split_lines(self, text: str, width: int) -> list[str]:
        return wrap_words(text, width)


def make_parser(name: str, description: str | None) -> argparse.ArgumentParser:
    """Make a parser without abbreviations, which prints the description with its examples."""
    parser = _Parser(
        prog=name,
        description=description,
        formatter_class=_HelpFormatter,
        allow_abbrev=False,
    )
    if sys.version_info >= (3, 14):
        parser.color = False  # lines are broken by their length, colour codes included
    return parser


def _layout(text: str, width: int) -> list[str]:
    """Break paragraphs at words; indented lines are examples."""
    lines: list[str] = []
    for paragraph in text.strip().split("\n\n"):
        prose = [line for line in paragraph.splitlines() if not line.startswith(" ")]
        examples = [line for line in paragraph.splitlines() if line.startswith(" ")]
        lines += ["", *wrap_words(" ".join(prose), width)]
        lines += [part for example in examples for part in _example(example.strip(), width)]
    return lines[1:]


def _example(text: str, width: int) -> list[str]:
    """Indent an example; if it is too long, its remark and further words stand below it."""
    if len(text) + 2 <= width:
        return [f"  {text}"]
    command, *remarks = _GAP.split(text)
    lines = [""]
    for word in _WORD.findall(command):
        if lines[-1] and len(lines[-1]) + len(word) + 7 > width:
            lines[-1] += " \\"  # the shell goes on with the next line
            lines.append("")
        lines[-1] += f" {word}" if lines[-1] else word
    lines = [f"  {lines[0]}", *(f"    {line}" for line in lines[1:])]
    return lines + [f"      {line}" for remark in remarks for line in wrap_words(remark, width - 6)]
