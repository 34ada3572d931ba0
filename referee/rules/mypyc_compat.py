"""A mark for classes that are compiled where that is possible, and that others may derive from.

What such a class has outside its methods, and reads in them, is a ClassVar: compiled methods would
not see what a derived one has in place of anything else there.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    # The compiler knows it by this name, and nobody else has to have it.
    from mypy_extensions import mypyc_attr as mypyc_attr
else:

    def mypyc_attr(**settings: Any) -> Any:
        return lambda marked: marked
