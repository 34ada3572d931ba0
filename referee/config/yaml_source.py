"""YAML with the line and column of every value, and a list of problems."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from referee.errors import InputError

Key = tuple[str | int, ...]
"""The path to a value: keys and list indices from the top."""

_MAX_CHARACTERS = 4_000_000
_MAX_NODES = 200_000
_MAX_DEPTH = 40


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """An error in a file, with its position."""

    line: int
    column: int
    key: str
    message: str


class FileProblems(InputError):
    """All problems of a file, one line each."""

    def __init__(self, path: Path, problems: list[Problem]) -> None:
        ordered = sorted(set(problems))
        super().__init__(
            "\n".join(
                f"{path}:{problem.line}:{problem.column}: "
                + (f"{problem.key}: " if problem.key else "")
                + problem.message
                for problem in ordered
            )
        )


@dataclass
class YamlFile:
    """A file's data, with the position and the raw text of each value."""

    path: Path
    data: Any = None
    problems: list[Problem] = field(default_factory=list)
    _places: dict[Key, tuple[int, int]] = field(default_factory=dict)
    _key_places: dict[Key, tuple[int, int]] = field(default_factory=dict)
    _raw: dict[Key, str] = field(default_factory=dict)

    def add_problem(self, key: Key, message: str, at_key: bool = False) -> None:
        """Add a problem at a value, at its key, or at the nearest enclosing value."""
        place = self._key_places.get(key) if at_key else None
        known = key
        while place is None:
            place = self._places.get(known, None if known else (1, 1))
            known = known[:-1]
        self.problems.append(Problem(*place, format_key(key), message))

    def raw(self, key: Key) -> str | None:
        """Return the text of a value if it is a scalar without quotes."""
        return self._raw.get(key)

    def raise_if_problems(self) -> None:
        """Raise all problems at once, if there are any."""
        if self.problems:
            raise FileProblems(self.path, self.problems)


def format_key(key: Key) -> str:
    """Format a key as `bots[2].name`, with list items counted from 1."""
    text = ""
    for part in key:
        text += f"[{part + 1}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def read_yaml(path: Path) -> YamlFile:
    """Read a file that contains a mapping; raise InputError if it cannot be read."""
    try:
        with path.open(encoding="utf-8") as source:
            text = source.read(_MAX_CHARACTERS + 1)  # a device may have no end
    except IsADirectoryError as error:
        raise InputError(f"{path} is a folder: name the tournament file in it") from error
    except FileNotFoundError as error:
        raise InputError(f"there is no file {path}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not a text file: {error.reason}") from error
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from error
    if len(text) > _MAX_CHARACTERS:
        raise InputError(f"{path} is too large: the maximum is {_MAX_CHARACTERS:,} characters")
    file = YamlFile(path)
    _parse(file, text)
    if file.data is None:
        file.raise_if_problems()
        raise FileProblems(path, [Problem(1, 1, "", "the file is empty")])
    if not isinstance(file.data, dict):
        kind = "a list" if isinstance(file.data, list) else "a single value"
        message = f"the file is {kind}: expected `key: value` lines"
        raise FileProblems(path, [Problem(1, 1, "", message)])
    return file


def _parse(file: YamlFile, text: str) -> None:
    """Set the data of a file, or add the problem that makes it invalid YAML."""
    loader: yaml.SafeLoader | None = None
    try:
        loader = yaml.SafeLoader(text)
        node = loader.get_single_node()
        if node is not None:
            file.data = _Builder(file, loader).build(node, ())
    except yaml.reader.ReaderError as error:
        before = text[: error.position]
        place = before.count("\n") + 1, error.position - before.rfind("\n")
        wrong = ascii(text[error.position])
        file.problems.append(Problem(*place, "", f"this is not YAML: it has {wrong} in it"))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        why = f"this is not YAML: {error.problem}"
        # PyYAML splits some messages ("expected …, but found …") between context and problem, and
        # marks them in no other way.
        if error.problem and error.problem.startswith("but "):
            why = f"this is not YAML: {error.context}, {error.problem}"
        if mark is not None and text[mark.index : mark.index + 1] == "\t":
            why = "this is not YAML: there is a tab here, indent with blanks"
        file.problems.append(Problem(*place, "", why))
    except (yaml.YAMLError, RecursionError):
        file.problems.append(Problem(1, 1, "", "the file is too large or refers to itself"))
    finally:
        if loader is not None:
            loader.dispose()


_KeyAndValue = tuple[yaml.Node, yaml.Node]


class _Builder:
    """Conversion of YAML nodes to data that records the position of each value."""

    def __init__(self, file: YamlFile, loader: yaml.SafeLoader) -> None:
        self._file = file
        self._loader = loader
        self._nodes = 0
        self._entries: dict[int, dict[str, _KeyAndValue]] = {}
        """The entries of each mapping, merged ones included, so that each is merged only once."""

    def build(self, node: yaml.Node, key: Key) -> Any:
        """Convert a node; aliases may place the same node at several keys."""
        self._nodes += 1
        if self._nodes > _MAX_NODES or len(key) > _MAX_DEPTH:
            raise yaml.YAMLError
        file = self._file
        file._places[key] = _place(node)
        if isinstance(node, yaml.MappingNode):
            data: dict[str, Any] = {}
            for name, (name_node, value_node) in self._entries_of(node, key).items():
                file._key_places[(*key, name)] = _place(name_node)
                data[name] = self.build(value_node, (*key, name))
            return data
        if isinstance(node, yaml.SequenceNode):
            return [self.build(item, (*key, index)) for index, item in enumerate(node.value)]
        if isinstance(node, yaml.ScalarNode):
            self._check_text(node, key)
            if node.style is None:
                file._raw[key] = node.value
        try:
            return self._loader.construct_object(node)
        except (ValueError, LookupError, AttributeError):
            return node.value  # matches the pattern of a date or number, but is invalid

    def _entries_of(self, node: yaml.MappingNode, key: Key) -> dict[str, _KeyAndValue]:
        if id(node) in self._entries:
            return self._entries[id(node)]
        self._entries[id(node)] = {}  # ends the recursion of a mapping that merges itself
        own: dict[str, _KeyAndValue] = {}
        merged: dict[str, _KeyAndValue] = {}
        for name_node, value_node in node.value:
            if name_node.tag == "tag:yaml.org,2002:merge":
                for name, entry in self._merged(value_node, key):
                    merged.setdefault(name, entry)
            elif not isinstance(name_node, yaml.ScalarNode):
                self._add_problem(name_node, key, "a key is a single word")
            elif not self._check_text(name_node, key):
                continue
            elif name_node.value in own:
                first = own[name_node.value][0].start_mark.line + 1
                message = f"this key occurs twice, first in line {first}"
                self._add_problem(name_node, (*key, name_node.value), message)
            else:
                own[name_node.value] = (name_node, value_node)
        self._entries[id(node)] = {**merged, **own}
        return self._entries[id(node)]

    def _merged(self, node: yaml.Node, key: Key) -> Iterator[tuple[str, _KeyAndValue]]:
        """Yield the entries that `<<` merges: of one mapping, or of a list (the first wins)."""
        sources = node.value if isinstance(node, yaml.SequenceNode) else [node]
        for source in sources:
            if isinstance(source, yaml.MappingNode):
                yield from self._entries_of(source, key).items()
            else:
                self._add_problem(source, (*key, "<<"), "only `key: value` lines can be merged")

    def _check_text(self, node: yaml.ScalarNode, key: Key) -> bool:
        """Report text that cannot be encoded: an escape may denote a lone surrogate."""
        try:
            node.value.encode()
        except UnicodeEncodeError as error:
            wrong = ascii(node.value[error.start])[1:-1]
            self._add_problem(node, key, f"{wrong} is no character: write text that is UTF-8")
            return False
        return True

    def _add_problem(self, node: yaml.Node, key: Key, message: str) -> None:
        self._file.problems.append(Problem(*_place(node), format_key(key), message))


def _place(node: yaml.Node) -> tuple[int, int]:
    return node.start_mark.line + 1, node.start_mark.column + 1
