"""Standard output and error, as the program replaces them."""

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from referee.system import output


@contextmanager
def pipe() -> Iterator[tuple[int, int]]:
    ends = os.pipe()
    try:
        yield ends
    finally:
        for end in ends:
            os.close(end)


def test_output_prints_an_interrupted_line_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The exception is raised after the write, which the caller cannot know."""

    def write_and_interrupt(sink: io.FileIO, data: bytes) -> int:
        monkeypatch.undo()
        output._write(sink, data)
        raise KeyboardInterrupt

    with pipe() as (end, start):
        stream = output._open(start, None)
        print("one", file=stream, flush=True)
        monkeypatch.setattr(output, "_write", write_and_interrupt)
        with pytest.raises(KeyboardInterrupt):
            print("two", file=stream, flush=True)
        print("three", file=stream, flush=True)
        assert os.read(end, 100) == b"one\ntwo\nthree\n"


def test_output_continues_after_a_large_interrupted_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """A text that is larger than the buffer is not written again."""

    def interrupt(sink: io.FileIO, data: bytes) -> int:
        monkeypatch.undo()
        raise KeyboardInterrupt

    with pipe() as (end, start):
        buffer = io.BufferedWriter(output._Sink(start), 10)
        monkeypatch.setattr(output, "_write", interrupt)
        with pytest.raises(KeyboardInterrupt):
            buffer.write(b"x" * 100)
        buffer.write(b"three")
        buffer.flush()
        assert os.read(end, 200).endswith(b"three")
