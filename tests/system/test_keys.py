"""Keys from the bytes of a terminal, however they are cut."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.system.keys import KeyDecoder

CASES = {
    b"q": ["q"],
    b" ": [" "],
    b"\x1b[A\x1b[B\x1b[C\x1b[D": ["up", "down", "right", "left"],
    b"\x1bOA\x1bOH\x1b[4~": ["up", "home", "end"],
    b"\r\n": ["enter", "enter"],
    b"\x7f\x08": ["backspace", "backspace"],
    b"\x04": ["end-of-input"],
    b"\x1bq": ["escape", "q"],
    b"\x1b\x1b[C": ["escape", "right"],
    b"\x1b[1;5Cn": ["n"],  # a key without a use here
    b"\x1b[200~p": ["p"],
    "ä\N{BULLET}n".encode(): ["n"],
    b"\x00\x01g": ["g"],
}


@pytest.mark.parametrize(("data", "keys"), CASES.items())
def test_keys_are_the_same_in_one_piece_and_byte_by_byte(data: bytes, keys: list[str]) -> None:
    """A slow line may deliver a sequence in pieces."""
    whole, pieces = KeyDecoder(), KeyDecoder()
    assert whole.feed(data) == keys
    assert [key for byte in data for key in pieces.feed(bytes([byte]))] == keys
    assert not whole.is_waiting
    assert not pieces.is_waiting


def test_escape_is_a_key_if_nothing_follows() -> None:
    """The beginning of a sequence that ends there is none."""
    decoder = KeyDecoder()
    assert decoder.feed(b"\x1b") == []
    assert decoder.is_waiting
    assert decoder.flush() == ["escape"]
    assert decoder.feed(b"\x1b[1") == []
    assert decoder.flush() == []
    assert not decoder.is_waiting


@given(st.lists(st.binary(max_size=50), max_size=20))
def test_any_bytes_are_keys_or_nothing(pieces: list[bytes]) -> None:
    """And what is kept for a sequence is bounded."""
    decoder = KeyDecoder()
    for piece in pieces:
        assert all(isinstance(key, str) and key for key in decoder.feed(piece))
        assert len(decoder._text) <= 32
