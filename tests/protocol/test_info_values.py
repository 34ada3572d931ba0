"""Tags and numbers of `info` lines: what is read, what stays text, and what hostile lines do."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.protocol.info_values import LARGEST, MAX_LENGTH, InfoValue, read_values


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("depth=7", {"depth": 7}),
        ("tag=endgame depth=7  nodes=12345", {"tag": "endgame", "depth": 7, "nodes": 12345}),
        ("score=-0.25 x=+3 y=.5 z=1.5e6", {"score": -0.25, "x": 3, "y": 0.5, "z": 1_500_000}),
        ("a=b=c", {"a": "b=c"}),
        ("depth=1 depth=2", {"depth": 2}),
        ("n=nan i=inf j=-Infinity", {"n": "nan", "i": "inf", "j": "-Infinity"}),
        ("h=1e999 l=9e15 m=1e15", {"h": "1e999", "l": "9e15", "m": 10**15}),
        ("v=0x10 w=1_000 u=\u0661", {"v": "0x10", "w": "1_000", "u": "\u0661"}),
        ("depth 7", {}),
        ("depth=7 looks good", {}),
        ("", {}),
        ("=7", {}),
        ("depth=", {}),
        ("7=depth", {}),
        (" depth=7", {"depth": 7}),
        (f"{'k' * 33}=1", {}),
        (f"k={'v' * 65}", {}),
        (" ".join(f"k{number}=1" for number in range(1000)), {}),
    ],
)
def test_only_lines_of_pairs_are_read(text: str, expected: dict[str, InfoValue]) -> None:
    """Every word has to be `key=value`; numbers are finite, and everything else is text."""
    assert read_values(text) == expected


@given(st.text() | st.from_regex(r"([a-z]=\S{1,5} ?){1,9}", fullmatch=True))
def test_values_of_info_lines_are_bounded(text: str) -> None:
    """Few short keys and values, and no number that JSON or a chart cannot show."""
    values = read_values(text)
    assert len(values) <= MAX_LENGTH // 3
    for key, value in values.items():
        assert len(key) <= 32
        if isinstance(value, str):
            assert 1 <= len(value) <= 64
        else:
            assert math.isfinite(value)
            assert abs(value) <= LARGEST
