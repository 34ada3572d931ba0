"""JSON that is generated in pieces, compared with the JSON of the whole data."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from referee.scoring.tables import iter_json

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
data = st.recursive(
    scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20
)


def without_white_space(text: str) -> str:
    """Remove line breaks between values: those in strings are escaped."""
    return text.replace("\n", "")


@given(data)
def test_json_pieces_differ_from_compact_json_by_line_breaks_only(value: Any) -> None:
    """For any data, at any depth."""
    compact = json.dumps(value, separators=(",", ":"))
    assert without_white_space("".join(iter_json(value))) == compact


@given(st.lists(st.dictionaries(st.text(), data, max_size=4), max_size=4))
def test_json_writes_iterators_and_functions_as_their_values(rows: list[dict[str, Any]]) -> None:
    """At any depth of objects."""
    found = iter_json({"list": iter(rows), "made": lambda: {"of": iter(rows)}})
    assert "".join(found) == "".join(iter_json({"list": rows, "made": {"of": rows}}))


def test_json_has_a_line_for_each_item_of_a_list() -> None:
    """So a program can find a row without parsing the whole file."""
    rows = [{"bot": "a", "seat_1": {"games": 1}}, {"bot": "b\n", "seat_1": {"games": 2}}]
    lines = "".join(iter_json({"schema": 1, "overall": {"rows": iter(rows), "notes": []}}))
    assert lines.splitlines() == [
        "{",
        '"schema":1,',
        '"overall":{',
        '"rows":[',
        '{"bot":"a","seat_1":{"games":1}},',
        '{"bot":"b\\n","seat_1":{"games":2}}',
        "],",
        '"notes":[]',
        "}",
        "}",
    ]
