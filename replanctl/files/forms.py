"""What readers are made of, noted where they are made: the one description of the files that schemas are drawn from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

R = TypeVar("R", bound=Callable[..., Any])


def made_of(form: str, *parts: Any) -> Callable[[R], R]:
    """Note on a reader its form (mostly its maker's name) and the parts it is made of."""

    def mark(read: R) -> R:
        read.form = (form, parts)  # type: ignore[attr-defined]
        return read

    return mark
