"""Names of a room that are loaded when they are first used, so that the command line starts fast."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from sys import modules
from typing import Any


# Faces are loaded lazily because a session in which nothing fails needs half of the program: no prompt, no draft, no
# routing table, no schema. Each name is looked up once and stands in the package from then on. What an annotation alone
# needs is imported under TYPE_CHECKING, and what only a rare turn needs in the function that takes it.
def lazily(package: str, homes: Mapping[str, tuple[str, ...]]) -> Callable[[str], Any]:
    """The `__getattr__` of a package: each name is loaded from the module that owns it, once.

    `homes` maps a module, as seen from the package, to the names it owns. Raises AttributeError for any other name.
    """
    owner = {name: module for module, names in homes.items() for name in names}

    def load(name: str) -> Any:
        if name not in owner:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(f"{package}.{owner[name]}"), name)
        setattr(modules[package], name, value)
        return value

    return load
