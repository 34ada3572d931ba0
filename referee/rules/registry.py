"""Lookup of variants by name: built in, installed as a package, or in a file."""

import hashlib
import importlib
import re
from pathlib import Path
from types import ModuleType
from typing import Any

from referee.errors import InputError, unknown_name_message
from referee.rules.base import Variant

BUILT_IN = ("standoff", "barricade", "lockdown", "runner", "crossfire")
ENTRY_POINTS = "referee.variants"
"""The entry-point group of installed variants."""
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,31}")


def find_variant(name: str) -> Variant:
    """Return the variant with this name: built in, installed, or defined in `path/to/file.py`.

    A file is executed: pass only names that come from the local user.
    """
    return _load_file(Path(name)) if is_variant_file(name) else find_installed(name)


def is_variant_file(name: str) -> bool:
    """Check whether a variant is named by the path of its file."""
    return name.endswith(".py")


def find_installed(name: str) -> Variant:
    """Return the variant with this name: built in, or installed on this machine."""
    if name in BUILT_IN:
        variant: Variant = importlib.import_module(f"referee.variants.{name}").VARIANT
        return variant
    installed = _entry_points()
    if name in installed:
        return _load_installed(name, installed[name])
    raise InputError(unknown_name_message("variant", name, [*BUILT_IN, *installed]))


def source_digest(name: str) -> str | None:
    """Hash the Python file that defines a variant.

    None for a built-in variant, whose version is that of the referee.
    """
    if name in BUILT_IN:
        return None
    if is_variant_file(name):
        path = name
    else:
        from importlib.util import find_spec

        spec = find_spec(_entry_points()[name].module)
        if spec is None or spec.origin is None:
            return None
        path = spec.origin
    try:
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()[:16]
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from error


def variant_names() -> list[str]:
    """List the built-in variants, then the installed ones."""
    return [*BUILT_IN, *_entry_points()]


def _entry_points() -> dict[str, Any]:
    from importlib.metadata import entry_points  # slow, and rarely needed

    found = {point.name: point for point in entry_points(group=ENTRY_POINTS)}
    return {name: found[name] for name in sorted(found) if name not in BUILT_IN}


def _load_installed(name: str, point: Any) -> Variant:
    try:
        loaded = point.load()
    except Exception as error:  # third-party code may raise anything
        raise InputError(
            f"the installed variant {name!r} cannot be loaded: {_describe(error)}"
        ) from error
    variant = _check_external(loaded, f"the installed variant {name!r} ({point.value})")
    if variant.name != name:
        raise InputError(f"the variant installed as {name!r} has the name {variant.name!r}")
    return variant


def _load_file(path: Path) -> Variant:
    if not path.is_file():
        raise InputError(f"there is no variant file {str(path)!r}")
    module = ModuleType(f"referee_variant_{path.stem}")
    module.__file__ = str(path)
    try:
        # The import system would prefer a file of `__pycache__` beside it, with any content.
        exec(compile(path.read_bytes(), str(path), "exec"), vars(module))
    except Exception as error:  # third-party code may raise anything
        raise InputError(
            f"the variant file {str(path)!r} cannot be loaded: {_describe(error)}"
        ) from error
    if not hasattr(module, "VARIANT"):
        raise InputError(f"{str(path)!r} is not a variant file: it does not define VARIANT")
    return _check_external(module.VARIANT, f"VARIANT in {str(path)!r}")


def _check_external(found: object, where: str) -> Variant:
    """Check that an object from outside this package is a variant with a valid, unused name."""
    if not isinstance(found, Variant):
        raise InputError(f"{where} should be a referee.rules.Variant, not {type(found).__name__}")
    if found.name in BUILT_IN:
        raise InputError(f"{where} is called {found.name!r}, and that name is taken")
    if not _NAME.fullmatch(found.name):
        raise InputError(
            f"{where} is called {found.name!r}: a name is up to 32 of a-z 0-9 _ - from a letter on"
        )
    return found


def _describe(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"
