"""Names of `mypy_extensions` that have an effect only when mypyc compiles the module.

`mypyc_attr` decorates a class. Class-level values of a decorated class are declared as ClassVar:
compiled methods read any other attribute from the instance layout, and would not see the value that
a subclass assigns.

`i64` is an integer of 64 bits when it is compiled, and `int` otherwise. Results must fit into 63
bits and a sign: an overflow is silent in compiled code, and does not occur in the other.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    # mypyc recognises them by these names; at run time the package is not required.
    from mypy_extensions import i64 as i64
    from mypy_extensions import mypyc_attr as mypyc_attr
else:
    i64 = int

    def mypyc_attr(**settings: Any) -> Any:
        """Return a decorator that returns its class unchanged."""
        return lambda decorated: decorated
