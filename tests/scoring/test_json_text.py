"""Indented JSON is what the standard library makes of it."""

import json

from hypothesis import given
from hypothesis import strategies as st

from referee.scoring.json_text import indented

scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
data = st.recursive(scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner))


@given(data)
def test_the_same_text_as_the_standard_library(value: object) -> None:
    """Letter by letter."""
    assert indented(value) == json.dumps(value, indent=1)
