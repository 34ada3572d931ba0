"""The class decorator `mypyc_attr`, which has an effect only when mypyc compiles the module.

Class-level values of a decorated class are declared as ClassVar: compiled methods read any other
attribute from the instance layout, and would not see the value that a subclass assigns.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    # mypyc recognises the decorator by this name; at run time the package is not required.
    from mypy_extensions import mypyc_attr as mypyc_attr
else:

    def mypyc_attr(**settings: Any) -> Any:
        """Return a decorator that returns its class unchanged."""
        return lambda decorated: decorated
