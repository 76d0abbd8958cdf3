"""References read by the plainest means: the shapes that the generator writes, and no others."""

from __future__ import annotations

import json
import re
from collections.abc import Container, Mapping
from typing import Any

from tests.properties.story import Standing

_PART = r'\.\w+|\[[0-9]+\]|\["[^"]*"\]'
_REFERENCE = re.compile(rf"(?<!#)#E([A-Za-z0-9][A-Za-z0-9_-]*)((?:{_PART})*)")


class Reading:
    """A step's args as they are read at one moment; `unreadable` are the references that nothing comes of."""

    def __init__(self, plan: Standing, values: Mapping[str, Any], known: Container[str]) -> None:
        self._plan, self._values, self._known = plan, values, known
        self.unreadable: list[str] = []

    def of(self, part: Any) -> Any:
        """The same with every reference replaced."""
        if isinstance(part, str):
            return self._text(part)
        if isinstance(part, dict):
            return {key: self.of(value) for key, value in part.items()}
        return [self.of(value) for value in part] if isinstance(part, list | tuple) else part

    def _text(self, text: str) -> Any:
        whole = _REFERENCE.fullmatch(text)
        if whole is not None:
            return self._value(whole, None)
        known = _REFERENCE.sub(lambda found: self._inside(found), text)
        return re.sub(r"##E(?=[A-Za-z0-9])", "#E", known)

    def _inside(self, found: re.Match[str]) -> str:
        if found[1] not in self._known:
            return found[0]
        value = self._value(found, f"[gap: E{found[1]}]")
        return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"), ensure_ascii=False)

    def _value(self, found: re.Match[str], gap: str | None) -> Any:
        id_ = found[1]
        if id_ not in self._known:
            self.unreadable.append(found[0])
        elif id_ in self._values and self._plan.health[id_] != "void":
            value = self._values[id_]
            for part in re.findall(_PART, found[2]):
                key = part[1:] if part[0] == "." else json.loads(part)[0]
                try:
                    value = value[key] if isinstance(value, list | tuple if isinstance(key, int) else dict) else {}[key]
                except LookupError:
                    self.unreadable.append(found[0])
                    return None
            return value
        elif id_ not in self._plan.gaps:
            self.unreadable.append(found[0])
        return gap
