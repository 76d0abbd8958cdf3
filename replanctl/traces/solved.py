"""`--solved POINTER=VALUE`: whether a recorded run solved its task, as a field of the trace says."""

from __future__ import annotations

from typing import Any

import msgspec

from replanctl.errors import UsageError
from replanctl.traces.content import ContentError, loads

_NOWHERE = object()


class Solved(msgspec.Struct, frozen=True):
    """A JSON pointer (RFC 6901) into a trace, and the value that means solved."""

    pointer: tuple[str, ...]
    value: Any

    @classmethod
    def parse(cls, text: str) -> Solved:
        """Read `/reward=1.0`. Raises UsageError."""
        pointer, equals, value = text.partition("=")
        if not equals or not pointer.startswith("/"):
            raise UsageError(f"{text!r} is not POINTER=VALUE", hint="a JSON pointer into a trace: --solved /reward=1.0")
        parts = tuple(part.replace("~1", "/").replace("~0", "~") for part in pointer[1:].split("/"))
        try:
            return cls(parts, loads(value))
        except ContentError:
            return cls(parts, value)

    def of(self, raw: Any) -> bool | None:
        """Whether the field of a trace has the value; None where there is no such field."""
        found = raw
        for part in self.pointer:
            found = _step(found, part)
        if found is _NOWHERE or found is None:
            return None
        return isinstance(found, bool) == isinstance(self.value, bool) and bool(found == self.value)


def _step(value: Any, part: str) -> Any:
    if isinstance(value, dict):
        return value.get(part, _NOWHERE)
    if isinstance(value, list) and part.isascii() and part.isdigit() and int(part) < len(value):
        return value[int(part)]
    return _NOWHERE
