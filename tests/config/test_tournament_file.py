"""The tournament file: keys and values, messages about mistakes, JSON Schema."""

import json
import os
import re
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from referee.config.fields import is_required
from referee.config.json_schema import default_of, json_schema
from referee.config.tournament import Tournament, read_tournament
from referee.config.tournament_file import (
    BotEntry,
    TournamentFile,
    VariantEntry,
    parse_size,
    validate,
)
from referee.config.yaml_source import read_yaml
from referee.errors import InputError
from tests.conftest import ROOT, Referee

Document = dict[str, Any]
A_VARIANT = "a variant's name, or `{name: …, rows: …, cols: …}`"
PAGE = ROOT / "docs" / "tournaments.md"
BOTS = """\
bots:
  - {name: alpha, command: python3 alpha.py}
  - {name: beta, command: [python3, beta.py]}
"""
GAME = "variant: standoff\n"
BOT = """\
import sys
for line in sys.stdin:
    verb, _, rest = line.partition(" ")
    if verb == "game":
        print("ready", flush=True)
    if verb == "turn":
        print("move", rest.rpartition("legal=")[2].split(";")[0], flush=True)
"""
SCHEMA = Draft202012Validator(json_schema())

# What each key takes. The schema has shapes; only the reader finds `like text, but wrong`.
GOOD: dict[str, list[Any]] = {
    "name": ["Cup", ""],
    "variant": ["standoff", {"name": "runner"}, {"name": "runner", "rows": 5, "cols": 16}],
    "variants": [["standoff", {"name": "lockdown", "rows": 5, "cols": 6}], "standoff"],
    "bots": [[{"name": "a", "command": "true"}, {"name": "b", "command": ["true", "6"]}]],
    "format": ["gauntlet", "knockout", "round-robin"],
    "challengers": [["a"]],
    "rounds": [1, 9],
    "encounters": [1, 30, 1_000_000],
    "opening_plies": [0, 100, 3],
    "openings": ["spread", "shared"],
    "seed": [0, -7, 2026],
    "time": ["2s + 50ms", "1min", " none ", "0.5s", " 0001 s+0s ", "86400000ms + 24h"],
    "per_move": ["500ms", "1.5s", "1ms"],
    "margin": ["0ms", "1s", "24h"],
    "startup": ["1s", "10 min"],
    "attempts": [1, 9],
    "restart": ["fault", "game"],
    "pondering": [True, False],
    "pin": [True, False],
    "sandbox": ["auto", "bwrap", "limits", "none"],
    "sandbox_read": [[], ["/opt"]],
    "network": [True, False],
    "memory": ["512MiB", "1.5 GB"],
    "processes": [1],
    "files": [16],
    "scratch": ["0B", "1KiB"],
    "tie_breaks": [[], ["buchholz", "buchholz-cut-1"], ["fewest-faults", "head-to-head"]],
    "anchor": ["a", {"bot": "b"}, {"bot": "a", "rating": -1500}],
    "broken_bots": ["stop", "forfeit"],
    "disqualify_after": [1, "never"],
}
BAD: dict[str, list[Any]] = {
    "name": [5, False, ["Cup"], {}, None],
    "variant": [5, ["standoff"], {}, {"name": 5}, {"name": "runner", "rows": 5}, None],
    "variants": [5, [], [5], [[]], {"name": "runner", "cols": 5}, None],
    "bots": ["alpha", {}, [], [5, 6], [{}, {}], [{"name": "a", "command": "true"}], None],
    "format": ["league", "swiss", 5, None],
    "challengers": ["a", [], [5], [["a"]], {}, None, ["a", "a"]],
    "rounds": [0, "5", 1.5, None],
    "encounters": [0, -1, 1_000_001, 10**30, "5", True, 1.5, [], None],
    "opening_plies": [-1, 101, "2", None],
    "openings": ["common", True, 5, None],
    "seed": ["1", 1.5, False, None],
    "time": [5, True, ["2s"], None],
    "per_move": [5, {}, None],
    "margin": [20, None],
    "startup": [10, None],
    "attempts": [0, "1", None],
    "restart": ["games", True, None],
    "pondering": [1, "true", None],
    "pin": [0, "false", None],
    "sandbox": ["docker", False, None],
    "sandbox_read": ["/opt", [5], None, ["/opt", "/opt"]],
    "network": ["no", None],
    "memory": [1, None],
    "processes": [0, "96", None],
    "files": [15, "256", None],
    "scratch": [64, None],
    "tie_breaks": ["head-to-head", ["coin"], [5], None, ["fewest-faults", "fewest-faults"]],
    "anchor": [5, ["a"], {}, {"rating": 5}, {"bot": 5}, {"bot": "a", "rating": "5"}, None],
    "broken_bots": ["forfeits", None],
    "disqualify_after": [0, "often", 1.5, None],
}
LIKE_TEXT_BUT_WRONG: dict[str, list[str]] = {
    "time": ["5", "2s+", "0s", "0s + 1s", "0.0ms", "2s + x", "1:30", "2 days", f"{10**20}h"],
    "per_move": ["5", "0ms", "0h", "none", "-1s", "999999999ms"],
    "margin": ["20", f"{10**9}ms"],
    "startup": ["soon", "0s", f"{10**30}min"],
    "memory": ["1", "1Gib", "-1GiB", "GiB"],
    "scratch": ["64 M"],
}
# A pattern cannot compare numbers, nor round them.
WRONG_BEYOND_THE_SCHEMA: dict[str, list[str]] = {
    "time": ["25h", "0.2ms", "1s + 25h"],
    "per_move": ["86400001ms"],
    "margin": ["1441min"],
    "startup": ["0.4ms"],
}
GOOD_BOT: dict[str, list[Any]] = {
    "name": ["a", "A-1_" * 8],
    "command": ["python3 bot.py", ["./bot", "--depth", "6"]],
    "dir": ["bots"],
    "build": ["make bot", ["make"]],
    "env": [{}, {"THREADS": "1"}],
    **{key: GOOD[key] for key in ("time", "per_move", "memory", "processes", "files", "scratch")},
}
BAD_BOT: dict[str, list[Any]] = {
    "name": [5, True, "", "a b", "ä", "x" * 33, "a.b", ["a"], None],
    "command": [5, [], ["a", 5], {}, None],
    "dir": [5, ["bots"], None],
    "build": [5, [], [6], None],
    "env": [[], "A=1", {"A": 1}, {"A": None}, None, {"A=B": "1"}, {"": "1"}, {"A": "1\0"}],
    **{key: BAD[key] for key in ("time", "per_move", "memory", "processes", "files", "scratch")},
}
GOOD_VARIANT: dict[str, list[Any]] = {"name": ["runner"], "rows": [3, 16], "cols": [3, 16]}
BAD_VARIANT: dict[str, list[Any]] = {
    "name": [5, [], None],
    "rows": [2, 17, "5", True, None],
    "cols": [2, 17, 5.5, None],
}


def keys(part: type[Any]) -> list[str]:
    """Return all keys of a part of the file."""
    return [field.name for field in fields(part)]


def pairs(table: dict[str, list[Any]]) -> list[tuple[str, Any]]:
    """Yield every key with each of its values."""
    return [(key, value) for key, values in table.items() for value in values]


def document(**changes: Any) -> Document:
    """Return a correct document, with these keys added or replaced."""
    content: Document = {"variant": "standoff", "bots": GOOD["bots"][0], **changes}
    content |= {"format": "gauntlet"} if "challengers" in changes else {}
    content |= {"format": "swiss"} if "rounds" in changes else {}
    if "variants" in changes:
        del content["variant"]
    return content


def with_bot(**changes: Any) -> Document:
    """Return a correct document whose second bot has these keys added or replaced."""
    bot = {"name": "b", "command": "true", **changes}
    return document(bots=[{"name": "first", "command": "true"}, bot])


def with_variant(**changes: Any) -> Document:
    """Return a correct document whose second variant has these keys added or replaced."""
    return document(variants=["standoff", {"name": "runner", "rows": 5, "cols": 5, **changes}])


def shape_problems(content: Document) -> list[str]:
    """Return the reader's problems with a document, without those about files; JSON is YAML."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "cup.yaml")
        path.write_text(json.dumps(content, indent=1))
        file = read_yaml(path)
        validate(file)
        return [f"{problem.key}: {problem.message}" for problem in file.problems]


Read = Callable[[str | bytes], Tournament]
Complain = Callable[[str | bytes], list[str]]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Read this text as a tournament file; two bots lie beside it."""
    for name in ("alpha.py", "beta.py"):
        (tmp_path / name).write_text("print('a bot')\n")

    def reader(text: str | bytes) -> Tournament:
        path = tmp_path / "cup.yaml"
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return read_tournament(path)

    return reader


@pytest.fixture
def complain(read: Read, tmp_path: Path) -> Complain:
    """Return all problems of this text, without the file's name."""

    def complaints(text: str | bytes) -> list[str]:
        with pytest.raises(InputError) as error:
            read(text)
        lines = str(error.value).splitlines()
        return [line.removeprefix(f"{tmp_path / 'cup.yaml'}:") for line in lines]

    return complaints


def test_reader_reports_all_problems_at_once(complain: Complain) -> None:
    """Each with line, column, the key's path, what was expected, and a suggestion."""
    text = """\
name: no
varients: [standoff]
variants:
  - standof
  - {name: runner, rows: 7}
  - {name: lockdown, rows: 2, cols: 5, colour: red}
encounters: five
encounters: 6
time: 1:30
per_move: 500ms
restart: fualt
tie_breaks: [head-to-head, coin-toss]
bots:
  - {name: alpha, command: python3 alpha.py, memory: 1}
  - {name: ALPHA, comand: python3 beta.py}
  - {name: gamma ray, command: [python3, 3]}
  - {name: delta, command: ./nosuch}
  - {name: epsilon, dir: nowhere, command: python3 beta.py}
"""
    assert complain(text) == [
        '1:7: name: expected text: YAML reads `no` as false; put it in quotes: "no"',
        "2:1: varients: there is no such key: did you mean `variants`?",
        "4:5: variants[1]: there is no variant 'standof': did you mean standoff?",
        "5:20: variants[2].rows: `rows` needs `cols` beside it: a board has both",
        "6:28: variants[3].rows: it is `2`: expected 3 or more",
        "6:40: variants[3].colour: there is no such key: did you mean `cols`?",
        "7:13: encounters: it is `five`: expected a whole number",
        "8:1: encounters: this key occurs twice, first in line 7",
        "9:7: time: expected text, like 2s + 50ms, 1min or none:"
        " YAML reads `1:30` as the number 90",
        "10:1: per_move: `time` and `per_move` exclude each other",
        "11:10: restart: it is `fualt`: expected `fault` or `game`; did you mean `fault`?",
        "12:28: tie_breaks[2]: it is `coin-toss`: expected `head-to-head`, `sonneborn-berger`,"
        " `fewest-faults`, `wins-from-seat-2`, `buchholz` or `buchholz-cut-1`",
        "14:54: bots[1].memory: expected text, like 512MiB or 1GiB: YAML reads `1` as the number 1",
        "15:5: bots[2].command: this key is missing",
        "15:12: bots[2].name: the name 'ALPHA' is taken by bots[1]"
        " (capital letters make no difference)",
        "15:19: bots[2].comand: there is no such key: did you mean `command`?",
        "16:12: bots[3].name: 'gamma ray' is no name for a bot: 1 to 32 of A-Z a-z 0-9 _ - are",
        "16:32: bots[3].command: word 2 of the command is no text: put 3 in quotes",
        "17:28: bots[4].command: there is no program './nosuch' to start a bot with",
        "18:26: bots[5].dir: there is no folder 'nowhere'",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "1:1: the file is empty"),
        ("# nothing but a remark\n", "1:1: the file is empty"),
        ("- standoff\n", "1:1: the file is a list: expected `key: value` lines"),
        ("standoff\n", "1:1: the file is a single value: expected `key: value` lines"),
        (f"{GAME}{BOTS}seed: 1\nseed: 2\n", "6:1: seed: this key occurs twice, first in"),
        (
            f"{GAME}bots: [{{name: no, command: 'true'}}, {{name: b, command: 'true'}}]",
            "2:15: bots[1].name: expected text, like alpha: YAML reads `no` as false;"
            ' put it in quotes: "no"',
        ),
        (
            f"{GAME}{BOTS}name: 2026-11-16\n",
            "5:7: name: expected text: YAML reads `2026-11-16` as the date 2026-11-16;"
            ' put it in quotes: "2026-11-16"',
        ),
        (
            f"{GAME}{BOTS}  - {{name: c, command: python3 alpha.py, env: {{A: null}}}}\n",
            "5:51: bots[3].env.A: expected text: YAML reads `null` as nothing;"
            ' put it in quotes: "null"',
        ),
        (
            f"{GAME}{BOTS}memory: {10**18}GiB\n",
            f"5:9: memory: it is '{10**18}GiB': no machine has that much",
        ),
        (
            f"{GAME}{BOTS}startup: 1:30\n",
            "5:10: startup: expected text, like 500ms, 2s or 10min:"
            " YAML reads `1:30` as the number 90",
        ),
        (
            f"{GAME}bots: [{{name: alpha, command: python3 alpha.py}}]\n",
            "2:1: bots: one bot has no opponent: name 2 or more",
        ),
        (f"{GAME}bots: []\n", "2:1: bots: there are no bots: name 2 or more"),
        (f"{GAME}bots:\n", "2:6: bots: it is empty: write a value, or leave the key out"),
        (
            f"{GAME}{BOTS}time: 2s\nper_move: 1s\n",
            "6:1: per_move: `time` and `per_move` exclude each other",
        ),
        (
            f"{BOTS}variant: {{name: standoff, rows: 7}}\n",
            "4:27: variant.rows: `rows` needs `cols` beside it: a board has both",
        ),
        (
            f"{BOTS}variants: {{name: standoff, cols: 7}}\n",
            "4:11: variants[1].cols: `cols` needs `rows` beside it: a board has both",
        ),
        (BOTS, "1:1: no game is named: write `variant: standoff`, or `variants:` and a list"),
        (f"{GAME}{BOTS}variants: [runner]", "5:1: variants: `variant` and `variants` exclude"),
        (f"{BOTS}variant:\n", "4:9: variant: it is empty: write a value, or leave the key out"),
        (
            f"{BOTS}variant: [standoff, runner]\n",
            "4:10: variant: it is a list: expected a variant's name, or `{name: …, rows: …,",
        ),
        (
            f"{BOTS}variants: [runner, {{name: runner, rows: 5, cols: 5}}]\n",
            "4:20: variants[2]: runner on 5x5 is in this list already",
        ),
        (f"{BOTS}variant: nosuch.py\n", "4:10: variant: there is no variant file "),
        (f"{BOTS}variant: cup.yaml\n", "4:10: variant: there is no variant 'cup.yaml': there are "),
        (
            f"{GAME}{BOTS}disqualify_after: nevr\n",
            "5:19: disqualify_after: it is 'nevr': expected a whole number, or `never`",
        ),
        (
            f"{GAME}{BOTS}format: roundrobin\n",
            "5:9: format: it is `roundrobin`: expected `round-robin`, `gauntlet`, `swiss` or"
            " `knockout`; did you mean `round-robin`?",
        ),
        (
            f"{GAME}{BOTS}format: swiss\n",
            "5:9: format: a Swiss tournament needs the number of its `rounds`",
        ),
        (f"{GAME}{BOTS}rounds: 3\n", "5:1: rounds: this belongs to `format: swiss`"),
        (
            f"{GAME}{BOTS}challengers: [alpha]\n",
            "5:1: challengers: this belongs to `format: gauntlet`",
        ),
        (
            f"{GAME}{BOTS}format: gauntlet\nchallengers: [alpah]\n",
            "6:15: challengers[1]: there is no bot 'alpah': did you mean alpha?",
        ),
        (
            f"{GAME}{BOTS}format: gauntlet\nchallengers: [beta, alpha]\n",
            "6:1: challengers: no opponent is left",
        ),
        (
            f"{GAME}{BOTS}format: gauntlet\nchallengers: [alpha, alpha]\n",
            "6:22: challengers[2]: 'alpha' is in this list already, as challengers[1]",
        ),
        (
            f"{GAME}{BOTS}tie_breaks: [fewest-faults, head-to-head, fewest-faults]\n",
            "5:43: tie_breaks[3]: 'fewest-faults' is in this list already, as tie_breaks[1]",
        ),
        (
            f"{GAME}{BOTS}sandbox_read: [alpha.py, alpha.py]\n",
            "5:26: sandbox_read[2]: 'alpha.py' is in this list already, as sandbox_read[1]",
        ),
        (
            f"{GAME}{BOTS}format: knockout\ndisqualify_after: 3\n",
            "6:1: disqualify_after: this works with fixed pairings only",
        ),
        (f"{GAME}{BOTS}? [a, b]\n: c\n", "5:3: a key is a single word"),
        (f"{GAME}{BOTS}seed: 0b_\n", "5:7: seed: it is `0b_`: expected a whole number"),
        (f"{GAME}{BOTS}seed: {'9' * 5000}\n", "5:7: seed: it is `999999999999999999"),
    ],
)
def test_reader_reports_each_mistake_in_one_line(
    complain: Complain, text: str, message: str
) -> None:
    """At its place."""
    (line,) = complain(text)
    assert line.startswith(message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name: [1, 2\nseed: 5\n", "2:5: this is not YAML: expected ',' or ']', but got ':'"),
        ("name: a\n  seed: 5\n", "2:7: this is not YAML: mapping values are not allowed here"),
        ("bots:\n\t- alpha\n", "2:1: this is not YAML: there is a tab here, indent with blanks"),
        ("name: 'Cup\n", "2:1: this is not YAML: found unexpected end of stream"),
        ("name: *cup\n", "1:7: this is not YAML: found undefined alias 'cup'"),
        ("name: !cup x\n", "1:7: this is not YAML: could not determine a constructor for the tag"),
        ("seed: 1\n---\nseed: 2\n", "2:1: this is not YAML: expected a single document in the"),
        ("seed: 1\nname: a\0b\n", "2:8: this is not YAML: it has '\\x00' in it"),
        ("name: \x1b[31m\n", "1:7: this is not YAML: it has '\\x1b' in it"),
        (f"{GAME}<<: 5\n{BOTS}", "2:5: <<: only `key: value` lines can be merged"),
    ],
)
def test_reader_locates_invalid_yaml(complain: Complain, text: str, message: str) -> None:
    """By line and column."""
    (line,) = complain(text)
    assert line.startswith(message)


def aliases(last: str, pattern: str) -> str:
    """Return nine levels of aliases, each with ten times the one before."""
    lines = [f"a: &a {last}"]
    lines += [
        f"{name}: &{name} {pattern.format(','.join([f'*{before}'] * 10))}"
        for before, name in zip("abcdefghi", "bcdefghij", strict=True)
    ]
    return "\n".join(lines)


@pytest.mark.parametrize(
    "text",
    [
        "name: &a [*a]",
        "name: &a {b: *a}",
        "bots: &a [{name: b, command: *a}]",
        f"name: {'[' * 1000}{']' * 1000}",
        "- " * 1000,
        aliases("[x,x]", "[{}]"),
        aliases("{x: 1}", "{{y: [{}]}}"),
    ],
)
def test_reader_rejects_aliases_without_end(complain: Complain, text: str) -> None:
    """Aliases that contain themselves, or that unfold to billions, get one sentence."""
    assert complain(text) == ["1:1: the file is too large or refers to itself"]


def test_reader_merges_nested_merges_in_bounded_memory(complain: Complain) -> None:
    """A mapping may merge itself."""
    lines = complain(aliases("{x: 1}", "{{<<: [{}]}}") + "\nname: &n {<<: *n}\n")
    assert len([line for line in lines if "there is no such key" in line]) == 10
    assert "11:7: name: expected text: it is a mapping" in lines


def test_reader_supports_anchors_and_merge_keys(read: Read) -> None:
    """Own keys precede merged ones."""
    tournament = read("""\
variants: [&board {name: standoff, rows: 5, cols: 6}, {<<: *board, name: runner}]
bots:
  - &first {name: alpha, command: python3 alpha.py, time: 3s, env: &env {A: "1", B: "1"}}
  - {<<: *first, name: beta, env: &more {<<: *env, B: "2"}}
  - {<<: [{time: 4s}, *first], name: gamma, env: *more}
  - name: delta
    command: [python3, beta.py]
    env: *more
""")
    assert [board.name for board in tournament.openings] == ["standoff-5x6", "runner-5x6"]
    bots = tournament.content.bots
    assert [bot.time for bot in bots] == ["3s", "3s", "4s", None]
    assert [bot.env for bot in bots] == [
        {"A": "1", "B": "1"},
        *[{"A": "1", "B": "2"}] * 3,
    ]


def test_reader_reports_a_mistake_in_an_anchor_once(complain: Complain) -> None:
    """At its place, however often it is used."""
    text = """\
variant: standoff
bots:
  - {name: alpha, command: python3 alpha.py, env: &env {A: "1", A: "2"}}
  - {name: beta, command: python3 beta.py, env: *env}
  - {name: gamma, command: python3 beta.py, env: {<<: *env}}
"""
    assert complain(text) == [
        "3:65: bots[1].env.A: this key occurs twice, first in line 3",
    ]


def test_reader_takes_an_invalid_date_for_text(read: Read) -> None:
    """For example the thirteenth month."""
    assert read(f"{GAME}{BOTS}name: 2026-13-01\n").name == "2026-13-01"


def test_every_key_has_good_and_bad_values_here() -> None:
    """In the tables of this module."""
    assert set(GOOD) == set(BAD) == set(keys(TournamentFile))
    assert set(GOOD_BOT) == set(BAD_BOT) == set(keys(BotEntry))
    assert set(GOOD_VARIANT) == set(BAD_VARIANT) == set(keys(VariantEntry))


@pytest.mark.parametrize(
    "content",
    [document(**{key: value}) for key, value in pairs(GOOD)]
    + [with_bot(**{key: value}) for key, value in pairs(GOOD_BOT)]
    + [with_variant(**{key: value}) for key, value in pairs(GOOD_VARIANT)],
    ids=json.dumps,
)
def test_reader_and_schema_accept_good_values_of_every_key(content: Document) -> None:
    """At every level."""
    assert shape_problems(content) == []
    assert SCHEMA.is_valid(content)


@pytest.mark.parametrize(
    ("content", "key"),
    [(document(**{key: value}), key) for key, value in pairs(BAD)]
    + [(with_bot(**{key: value}), f"bots[2].{key}") for key, value in pairs(BAD_BOT)]
    + [(with_variant(**{key: value}), f"variants[2].{key}") for key, value in pairs(BAD_VARIANT)],
    ids=json.dumps,
)
def test_reader_and_schema_reject_wrong_types_of_every_key(content: Document, key: str) -> None:
    """In one message about that key."""
    problems = shape_problems(content)
    assert problems
    assert len(set(problems)) == len(problems)
    assert all(re.match(rf"{re.escape(key)}\b", problem) for problem in problems)
    # One value is one problem; only a list or mapping can have more.
    assert len(problems) == 1 or key == "bots"
    assert not SCHEMA.is_valid(content)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (document(name=["Cup"]), "name: expected text: it is a list"),
        (document(variant=5), f"variant: it is `5`: expected {A_VARIANT}"),
        (document(variant={}), "variant.name: this key is missing"),
        (document(variants=5), "variants: it is `5`: expected a list"),
        (document(variants=[]), "variants: the list is empty: expected 1 or more items"),
        (document(variants=[[]]), f"variants[1]: it is a list: expected {A_VARIANT}"),
        (document(bots={}), "bots: it is a mapping: expected a list"),
        (document(bots=[*GOOD["bots"][0], 5]), "bots[3]: it is `5`: expected `key: value` lines"),
        (
            document(format="knockuot"),
            "format: it is 'knockuot': expected `round-robin`, `gauntlet`, `swiss` or `knockout`;"
            " did you mean `knockout`?",
        ),
        (document(restart=True), "restart: it is `true`: expected `fault` or `game`"),
        (document(tie_breaks="wins"), "tie_breaks: it is 'wins': expected a list"),
        (
            document(sandbox_read=[5]),
            'sandbox_read[1]: expected text: YAML reads `5` as the number 5; put it in quotes: "5"',
        ),
        (document(encounters=1.5), "encounters: it is `1.5`: expected a whole number"),
        (document(encounters=True), "encounters: it is `true`: expected a whole number"),
        (document(encounters=0), "encounters: it is `0`: expected 1 or more"),
        (document(opening_plies=101), "opening_plies: it is `101`: expected 100 or less"),
        (document(pin=1), "pin: it is `1`: expected true or false"),
        (document(seed=None), "seed: it is empty: write a value, or leave the key out"),
        (document(disqualify_after=1.5), "disqualify_after: it is `1.5`: expected a whole number"),
        (with_bot(env=[]), "bots[2].env: it is a list: expected `key: value` lines"),
        (with_bot(env={"A": "\0"}), "bots[2].env.A: no variable can hold a zero byte"),
        (
            with_bot(env={"A": "a" * 30_001}),
            "bots[2].env.A: a variable is longer than 30,000 characters",
        ),
        (
            with_bot(env={"A=B": "1"}),
            "bots[2].env.A=B: no variable can be called 'A=B': a name is not empty and has no `=`",
        ),
        (with_bot(command="a\0b"), "bots[2].command: no command can hold a zero byte"),
        (with_bot(build=["a", "\0"]), "bots[2].build: no command can hold a zero byte"),
        (
            with_bot(env={"A": 1}),
            'bots[2].env.A: expected text: YAML reads `1` as the number 1; put it in quotes: "1"',
        ),
        (
            with_bot(memory=1.5),
            "bots[2].memory: expected text, like 512MiB or 1GiB:"
            " YAML reads `1.5` as the number 1.5",
        ),
        (
            with_bot(command={}),
            "bots[2].command: write what starts it, like `python3 bot.py` or"
            ' `[./bot, --depth, "6"]`',
        ),
        (with_variant(cols="5"), "variants[2].cols: it is '5': expected a whole number"),
    ],
    ids=json.dumps,
)
def test_reader_names_the_expected_type(content: Document, problem: str) -> None:
    """And the value found."""
    assert shape_problems(content) == [problem]


@pytest.mark.parametrize(
    ("key", "value"), pairs(LIKE_TEXT_BUT_WRONG) + pairs(WRONG_BEYOND_THE_SCHEMA)
)
def test_reader_shows_how_to_write_times_and_sizes(key: str, value: str) -> None:
    """For the tournament and for one bot."""
    (problem,) = shape_problems(document(**{key: value}))
    assert repr(value) in problem or repr(value.partition("+")[2]) in problem
    assert re.search(r"write a number and a unit, like|1ms|a day \(24h\) is the most", problem)
    assert SCHEMA.is_valid(document(**{key: value})) == (
        value in WRONG_BEYOND_THE_SCHEMA.get(key, ())
    )
    if key in keys(BotEntry):
        assert shape_problems(with_bot(**{key: value})) == [f"bots[2].{problem}"]


@pytest.mark.parametrize("key", keys(TournamentFile))
def test_reader_suggests_the_key_for_a_misspelt_one(key: str) -> None:
    """For every key of the file."""
    message = f"{key}x: there is no such key: did you mean `{key}`?"
    assert message in shape_problems(document(**{f"{key}x": 1}))


@pytest.mark.parametrize("key", keys(BotEntry))
def test_reader_suggests_the_key_of_a_bot_for_a_misspelt_one(key: str) -> None:
    """For every key of a bot."""
    message = f"bots[2].{key}x: there is no such key: did you mean `{key}`?"
    assert shape_problems(with_bot(**{f"{key}x": 1})) == [message]


@pytest.mark.parametrize("key", keys(VariantEntry))
def test_reader_suggests_the_key_of_a_variant_for_a_misspelt_one(key: str) -> None:
    """For every key of a variant."""
    message = f"variants[2].{key}x: there is no such key: did you mean `{key}`?"
    assert shape_problems(with_variant(**{f"{key}x": 1})) == [message]


def test_reader_lists_all_keys_for_an_unknown_one() -> None:
    """Where no suggestion is possible."""
    (problem,) = shape_problems(with_variant(zzz=1))
    assert problem == "variants[2].zzz: there is no such key: there are name, rows, cols"


def test_reader_compares_names_without_case(complain: Complain) -> None:
    """They are parts of file names, and some file systems ignore case."""
    text = "variant: standoff\nbots:\n" + "".join(
        f"  - {{name: {name}, command: python3 alpha.py}}\n"
        for name in ("a", "b", "A", "x" * 32, "x" * 33, "-", "_")
    )
    assert complain(text) == [
        "5:12: bots[3].name: the name 'A' is taken by bots[1] (capital letters make no difference)",
        f"7:12: bots[5].name: '{'x' * 33}' is no name for a bot: 1 to 32 of A-Z a-z 0-9 _ - are",
    ]


@pytest.mark.parametrize(
    ("bot", "message"),
    [
        ("command: nosuch", "command: there is no program 'nosuch' to start a bot"),
        ("command: ./nosuch -v", "command: there is no program './nosuch' to start"),
        ("command: folder", "command: there is no program 'folder' to start a bot"),
        ("command: ./alpha.txt", "command: ./alpha.txt is not executable: chmod +x"),
        ('command: "a \'b"', 'command: the command "a \'b" cannot be split: No'),
        ("command: ' '", "command: write what starts it, like `python3 bot.py`"),
        ("command: [' ', x]", "command: there is no program ' ' to start a bot"),
        ("command: 'true', dir: nosuch", "dir: there is no folder 'nosuch'"),
        ("command: 'true', dir: alpha.py", "dir: there is no folder 'alpha.py'"),
        (f"command: 'true', dir: {'x' * 300}", "dir: there is no folder 'xxxxxx"),
        (f"command: {'x' * 5000}", "command: there is no program 'xxxxxx"),
        ("command: ./beta.py, dir: folder", "command: there is no program './beta.py'"),
    ],
)
def test_reader_names_missing_files(
    complain: Complain, tmp_path: Path, bot: str, message: str
) -> None:
    """Before anything is started."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "alpha.txt").write_text("")
    text = f"{GAME}bots:\n  - {{name: a, command: python3 alpha.py}}\n  - {{name: b, {bot}}}\n"
    (line,) = complain(text)
    assert re.match(rf"4:\d+: bots\[2\]\.{re.escape(message)}", line)


def test_reader_takes_no_long_argument_for_a_file(read: Read) -> None:
    """A program given as an argument is longer than any file name."""
    bot = f"{{name: gamma, command: [python3, -c, '{'pass;' * 1000}']}}"
    assert read(f"{GAME}{BOTS}  - {bot}\n").bots == ["alpha", "beta", "gamma"]


def test_reader_does_not_expect_files_that_a_build_makes(read: Read) -> None:
    """The program of a bot with `build` is checked after the build."""
    bot = "{name: gamma, command: ./gamma, build: make gamma}"
    assert read(f"{GAME}{BOTS}  - {bot}\n").bots == ["alpha", "beta", "gamma"]


@pytest.mark.parametrize(
    ("text", "encoding"),
    [(f"{GAME}{BOTS}name: Frühling\n", "utf-8"), (f"{GAME}{BOTS}name: Cup\n", "utf-8-sig")],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_reader_accepts_byte_order_marks_and_all_line_ends(
    read: Read, text: str, encoding: str, newline: str
) -> None:
    """In UTF-8."""
    data = text.replace("\n", newline).encode(encoding)
    assert read(data).name in ("Frühling", "Cup")


def test_reader_rejects_other_encodings(complain: Complain, tmp_path: Path) -> None:
    """And binary files."""
    message = f"{tmp_path / 'cup.yaml'} is not a text file: invalid start byte"
    assert complain(b"name: Fr\xfchling\n") == [message]


def test_reader_finds_a_variant_file_beside_the_tournament_file(read: Read, tmp_path: Path) -> None:
    """A path is relative to that file."""
    shutil.copy(ROOT / "docs" / "examples" / "tictactoe.py", tmp_path)
    tournament = read(f"variants: [tictactoe.py, lockdown]\n{BOTS}")
    assert [board.name for board in tournament.openings] == ["tictactoe-3x3", "lockdown-4x4"]


def test_reader_rejects_opening_plies_without_an_opening(complain: Complain) -> None:
    """After four plies every game of lockdown on 4x4 is over."""
    assert complain(f"variant: lockdown\n{BOTS}opening_plies: 4\n") == [
        "5:16: opening_plies: no opening of 4 plies on lockdown-4x4 leaves a game to play"
    ]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (f"{GAME}bots:\n\t- {{name: a, command: python3 alpha.py}}\n", "3:1"),
        (f"variant:\tstandoff\n{BOTS}", "1:9"),
        (f"{GAME}{BOTS}  \tseed: 5\n", "5:3"),
    ],
)
def test_reader_names_a_tab(complain: Complain, text: str, place: str) -> None:
    """Editors show it like blanks."""
    assert complain(text) == [f"{place}: this is not YAML: there is a tab here, indent with blanks"]


@pytest.mark.parametrize(
    ("line", "place"),
    [('name: "\\ud800x"', "5:7: name"), ('name: "a\\udcff"', "5:7: name"), ('"\\udfff": 1', "5:1")],
)
def test_reader_rejects_surrogates(complain: Complain, line: str, place: str) -> None:
    """YAML's escapes can contain them."""
    (problem,) = complain(f"{GAME}{BOTS}{line}\n")
    assert re.fullmatch(rf"{place}: \\ud[0-9a-f]+ is no character: write text.*UTF-8", problem)


def test_reader_requires_a_name_for_a_file_name_that_is_not_utf_8(referee: Referee) -> None:
    """With one it is played."""
    path = referee.folder / os.fsdecode(b"c\xffp.yaml")
    (referee.folder / "alpha.py").write_text(BOT)
    (referee.folder / "beta.py").write_text(BOT)
    path.write_text(f"{GAME}{BOTS}encounters: 1\n")
    message = referee.refuse("run", str(path))
    assert message.endswith(
        "1:1: name: the file's name is not UTF-8 and cannot be the title: write `name: …`"
    )
    path.write_text(f"{GAME}{BOTS}encounters: 1\nname: Cup\n")
    result = referee("run", str(path))
    assert (result.returncode, result.stdout[:3]) == (0, "Cup"), result.stderr
    assert (referee.folder / "results" / path.stem / "report.html").is_file()


# The table of the contract, without `variant`, `variants` and `bots`, which are required.
DEFAULTS: Document = {
    "format": "round-robin",
    "encounters": 5,
    "opening_plies": 2,
    "openings": "spread",
    "seed": 1,
    "margin": "20ms",
    "startup": "10s",
    "attempts": 1,
    "restart": "fault",
    "pondering": False,
    "pin": True,
    "sandbox": "auto",
    "sandbox_read": [],
    "network": False,
    "memory": "1GiB",
    "processes": 96,
    "files": 256,
    "scratch": "64MiB",
    "tie_breaks": None,
    "anchor": None,
    "broken_bots": "stop",
    "disqualify_after": None,
}


def test_missing_keys_have_their_defaults(read: Read) -> None:
    """Five encounters, one second per move."""
    tournament = read(GAME + BOTS)
    content = asdict(tournament.content)
    assert {key: content[key] for key in DEFAULTS} == DEFAULTS
    unset = {"name", "variant", "variants", "bots", "time", "per_move", "challengers", "rounds"}
    assert set(keys(TournamentFile)) == DEFAULTS.keys() | unset
    assert tournament.name == "cup"
    assert [board.name for board in tournament.openings] == ["standoff-5x5"]
    times = [bot.time for bot in tournament.specs.values()]
    assert [(str(time), time.margin_ms) for time in times] == [("1000ms per move", 20)] * 2
    assert tournament.manifest("none").games == 10


def test_tournament_has_the_value_of_every_key(read: Read) -> None:
    """Of the file."""
    lines = [f"{key}: {json.dumps(values[-1])}" for key, values in GOOD.items()]
    left_out = ("variant:", "bots:", "per_move:", "sandbox_read:", "challengers:", "rounds:")
    left_out += ("anchor:",)
    text = "\n".join(line for line in lines if not line.startswith(left_out))
    content = asdict(read(f"{text}\nsandbox_read: [/opt]\n{BOTS}").content)
    own = {"variant", "variants", "bots", "per_move", "disqualify_after", "challengers", "rounds"}
    own |= {"anchor"}
    for key in GOOD.keys() - own:
        assert content[key] == GOOD[key][-1], key
    assert content["variants"] == [{"name": "standoff", "rows": None, "cols": None}]
    assert content["disqualify_after"] is None
    assert content["bots"][1]["command"] == ["python3", "beta.py"]


def test_bot_time_precedes_that_of_the_tournament(read: Read) -> None:
    """`time` or `per_move`."""
    tournament = read("""\
variant: standoff
time: 2s + 50ms
margin: 5ms
bots:
  - {name: alpha, command: python3 alpha.py}
  - {name: beta, command: python3 beta.py, per_move: 300ms}
  - {name: gamma, command: python3 beta.py, time: none}
""")
    times = [bot.time for bot in tournament.specs.values()]
    assert [str(time) for time in times] == ["2000ms + 50ms", "300ms per move", "no clock"]
    assert {time.margin_ms for time in times} == {5}


def test_hash_of_the_settings_stays_the_same(read: Read) -> None:
    """It is in every record: another one would make all records of before incomparable."""
    tournament = read("""\
variant: standoff
format: swiss
rounds: 2
bots:
  - {name: alpha, command: python3 alpha.py, env: {X: "1"}, memory: 100MiB}
  - {name: beta, command: [human], time: 5s}
""")
    assert tournament.portable_plan().settings == "63e4226bfba34e08"


def test_reader_and_schema_accept_the_keys_of_formats(read: Read) -> None:
    """For each format."""
    swiss = read(f"{GAME}{BOTS}format: swiss\nrounds: 3\n").content
    assert (swiss.format, swiss.rounds) == ("swiss", 3)
    gauntlet = read(f"{GAME}{BOTS}format: gauntlet\nchallengers: [beta]\n").content
    assert (gauntlet.format, gauntlet.challengers) == ("gauntlet", ["beta"])
    assert read(f"{GAME}{BOTS}format: gauntlet\n").manifest("none").challengers == ["alpha"]


def test_tie_breaks_depend_on_the_format_unless_the_file_has_some(read: Read) -> None:
    """Swiss tournaments compare opponents; an empty list is a list."""
    usual = ["head-to-head", "sonneborn-berger", "fewest-faults", "wins-from-seat-2"]
    assert read(GAME + BOTS).manifest("none").tie_breaks == usual
    assert read(f"{GAME}{BOTS}format: knockout\n").manifest("none").tie_breaks == usual
    swiss = f"{GAME}{BOTS}format: swiss\nrounds: 2\n"
    expected = ["buchholz", "buchholz-cut-1", "wins-from-seat-2"]
    assert read(swiss).manifest("none").tie_breaks == expected
    assert read(f"{swiss}tie_breaks: []\n").manifest("none").tie_breaks == []


def test_an_anchor_is_a_bot_of_the_file(read: Read, complain: Complain) -> None:
    """By its name alone, or with a rating."""
    assert read(f"{GAME}{BOTS}anchor: beta\n").manifest("none").anchor == {
        "bot": "beta",
        "rating": 0,
    }
    text = f"{GAME}{BOTS}anchor: {{bot: alpha, rating: 1500}}\n"
    assert read(text).manifest("none").anchor == {"bot": "alpha", "rating": 1500}
    assert read(GAME + BOTS).manifest("none").anchor is None
    assert complain(f"{GAME}{BOTS}anchor: alpah\n") == [
        "5:9: anchor: there is no bot 'alpah': did you mean alpha?"
    ]
    assert complain(text.replace("alpha, rating", "gamma, rating")) == [
        "5:15: anchor.bot: there is no bot 'gamma': there are alpha, beta"
    ]


def test_a_person_may_be_a_bot(read: Read, complain: Complain) -> None:
    """`human` needs no program, and has neither files nor a build."""
    text = f"{GAME}{BOTS}  - {{name: eve, command: human}}\n"
    assert read(text).has_people
    assert not read(GAME + BOTS).has_people
    assert complain(text.replace("human", "human, build: make")) == [
        "5:40: bots[3].build: a person has no files, build or environment"
    ]


def test_reader_and_schema_reject_two_kinds_of_time_of_a_bot() -> None:
    """As for the tournament."""
    content = with_bot(time="2s", per_move="1s")
    message = "bots[2].per_move: `time` and `per_move` exclude each other"
    assert shape_problems(content) == [message]
    assert not SCHEMA.is_valid(content)


@pytest.mark.parametrize(
    ("text", "size"),
    [("0B", 0), ("64MiB", 64 * 2**20), ("1.5 GB", 1_500_000_000), ("1KiB", 1024), ("2kB", 2000)],
)
def test_parse_size_accepts_powers_of_two_and_ten(text: str, size: int) -> None:
    """By unit."""
    assert parse_size(text) == size


def wrong_files(folder: Path) -> dict[str, tuple[Path, str]]:
    """Return arguments that name a wrong file, each with its message."""
    (folder / "alpha.py").write_text("")
    texts = {
        "wrong": ("colour: red\n", "colour: there is no such key"),
        "empty": ("", "the file is empty"),
        "bomb": (aliases("[x]", "[{}]"), "the file is too large or refers to itself"),
        "large": (
            "variant: standoff\nopening_plies: 6\nencounters: 500001\nbots:\n"
            "- {name: a, command: python3 alpha.py}\n- {name: b, command: python3 alpha.py}\n",
            "the schedule has 1,000,002 games: confirm that with --yes",
        ),
        "larger": (
            f"variant: standoff\nopening_plies: 6\nencounters: 1{'0' * 30}\nbots:\n"
            "- {name: a, command: python3 alpha.py}\n- {name: b, command: python3 alpha.py}\n",
            f"encounters: it is `1{'0' * 30}`: expected 1000000 or less",
        ),
    }
    files = {}
    for name, (text, message) in texts.items():
        files[name] = (folder / f"{name}.yaml", message)
        files[name][0].write_text(text)
    files["folder"] = (folder, f"{folder} is a folder: name the tournament file in it")
    files["missing"] = (folder / "no.yaml", f"there is no file {folder / 'no.yaml'}")
    files["endless"] = (Path("/dev/zero"), "/dev/zero is too large: the maximum is 4,000,000")
    files["below"] = (folder / "alpha.py" / "x.yaml", "cannot be read: Not a directory")
    return files


@pytest.mark.parametrize(
    "name",
    ["wrong", "empty", "bomb", "large", "larger", "folder", "missing", "endless", "below"],
)
def test_run_with_a_wrong_file_starts_nothing(referee: Referee, tmp_path: Path, name: str) -> None:
    """Exit code 2, no traceback, and no folder for results."""
    source = tmp_path / "files"
    source.mkdir()
    path, message = wrong_files(source)[name]
    before = sorted(tmp_path.rglob("*"))
    result = referee("run", str(path))
    assert (result.returncode, result.stdout) == (2, "")
    assert message in result.stderr
    assert "Traceback" not in result.stderr
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("seed", ["1", "2", "3"])
def test_reader_orders_problems_at_one_place(
    referee: Referee, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: str
) -> None:
    """The text does not depend on hash values."""
    monkeypatch.setenv("PYTHONHASHSEED", seed)
    (tmp_path / "cup.yaml").write_text("{}\n")
    assert referee("run", "cup.yaml").stderr.splitlines() == [
        "referee: cup.yaml:1:1: no game is named: write `variant: standoff`,"
        " or `variants:` and a list",
        "cup.yaml:1:1: bots: this key is missing",
    ]


def test_schema_command_prints_the_schema(referee: Referee) -> None:
    """The one that is tested here."""
    result = referee("schema")
    assert (result.returncode, result.stderr) == (0, "")
    assert json.loads(result.stdout) == json_schema()


def test_schema_is_valid_and_describes_every_key() -> None:
    """With the defaults of the model."""
    schema = json_schema()
    Draft202012Validator.check_schema(schema)
    variant = schema["properties"]["variant"]["oneOf"][1]
    parts = {
        TournamentFile: schema["properties"],
        BotEntry: schema["$defs"]["BotEntry"]["properties"],
        VariantEntry: variant["properties"],
    }
    for model, properties in parts.items():
        assert list(properties) == keys(model)
        assert [key for key, value in properties.items() if not value.get("description")] == []
    shown = {key: value.get("default") for key, value in schema["properties"].items()}
    assert {key: shown[key] for key in DEFAULTS if DEFAULTS[key] != []} == {
        key: default for key, default in DEFAULTS.items() if default != []
    }
    assert "null" not in json.dumps(schema)


@pytest.mark.parametrize("path", sorted((ROOT / "tournaments").glob("*.yaml")), ids=str)
def test_reader_and_schema_accept_the_tournaments_of_this_project(path: Path) -> None:
    """Users copy them."""
    assert read_tournament(path).manifest("none").games
    assert list(SCHEMA.iter_errors(yaml.safe_load(path.read_text()))) == []


@given(st.data())
def test_reader_and_schema_agree_on_any_document(data: st.DataObject) -> None:
    """Exclusive keys included."""
    keys = data.draw(st.sets(st.sampled_from(sorted(GOOD))))
    bad = data.draw(st.sets(st.sampled_from(sorted(GOOD)), max_size=1))
    content = {
        key: data.draw(st.sampled_from((BAD if key in bad else GOOD)[key]))
        for key in sorted(keys | data.draw(st.sampled_from([set(), {"bots", "variant"}])))
    }
    assert (shape_problems(content) == []) == SCHEMA.is_valid(content)


def key_tables() -> dict[str, dict[str, str]]:
    """Return the tables of the page by section: each key and its default."""
    tables: dict[str, dict[str, str]] = {}
    title = ""
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            title = line.lstrip("# ")
        elif match := re.match(r"\| (`\w+`(?:, `\w+`)*) \| ([^|]+) \| ", line):
            for key in re.findall(r"\w+", match[1]):
                tables.setdefault(title, {})[key] = match[2]
    return tables


def default_text(value: object) -> str:
    """Format a default as the page does."""
    if value == [] or value == {}:
        return "none"
    if isinstance(value, list):
        return ", ".join(f"`{item}`" for item in value)
    return f"`{json.dumps(value)}`" if isinstance(value, bool | int) else f"`{value}`"


def test_page_has_every_key_and_its_default() -> None:
    """docs/tournaments.md."""
    tables = key_tables()
    own = {
        "name": "the file's name",
        "variant": "required",
        "variants": "required",
        "bots": "required",
        "time": "`per_move: 1s`",
        "per_move": "`1s`",
        "disqualify_after": "`never`",
        "tie_breaks": "depends on `format`",
        "anchor": "the mean is 0",
        "challengers": "the first bot",
        "rounds": "required for `swiss`",
    }
    expected = {
        field.name: own.get(field.name) or default_text(default_of(field))
        for field in fields(TournamentFile)
    }
    assert tables["Every key"] == expected
    bot = dict.fromkeys(("dir", "build", "env"), "none")
    limits = ("time", "per_move", "memory", "processes", "files", "scratch")
    bot |= dict.fromkeys(limits, "the tournament's")
    bot |= {field.name: "required" for field in fields(BotEntry) if is_required(field)}
    assert tables["A bot"] == bot
    assert bot.keys() == set(keys(BotEntry))
    size = "the game's own"
    assert tables["A game"] == {"name": "required", "rows": size, "cols": size}


def test_reader_and_schema_accept_the_examples_of_the_page(tmp_path: Path) -> None:
    """With the project's bots."""
    blocks = re.findall(r"^```yaml\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert blocks
    shutil.copytree(ROOT / "bots", tmp_path / "bots")
    (tmp_path / "tournaments").mkdir()
    for number, text in enumerate(blocks):
        path = tmp_path / "tournaments" / f"{number}.yaml"
        path.write_text(text, encoding="utf-8")
        assert read_tournament(path).manifest("none").games
        assert list(SCHEMA.iter_errors(yaml.safe_load(text))) == []
