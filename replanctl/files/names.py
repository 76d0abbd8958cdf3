"""What a plan declares, for the readers of whatever mentions it."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

import msgspec

from replanctl.plan import Step


class Names(msgspec.Struct, frozen=True, gc=False):
    """Step ids with their positions in the list, and all `later` ids, which drafts bring.

    `assumptions` and `tools` are None when the plan does not restrict them.
    """

    ids: dict[str, int] = {}
    later: frozenset[str] = frozenset()
    assumptions: Collection[str] | None = None
    tools: Collection[str] | None = None

    @classmethod
    def of(cls, value: Any) -> Names:
        """The names in the value of a plan file, whatever else may be wrong with it."""
        if not isinstance(value, dict):
            return cls()
        ids: dict[str, int] = {}
        for index, step in enumerate(_list(value.get("steps"))):
            id_ = raw_id(step)
            if id_ is not None:
                ids.setdefault(id_, index)
        return cls(ids, frozenset(_drafted(value)), _declared(value, "assumptions"), _declared(value, "tools"))

    @property
    def every_id(self) -> frozenset[str]:
        """The ids of the plan and of its drafts."""
        return self.later.union(self.ids)


def raw_id(step: Any) -> str | None:
    """The id of a step that was read, or of one as it is written; None where it has none."""
    if step.__class__ is Step:
        id_: str = step.id
        return id_
    written = step.get("id") if isinstance(step, dict) else None
    return str(written) if isinstance(written, str | int) and not isinstance(written, bool) else None


def _drafted(value: dict[str, Any]) -> Iterator[str]:
    for rule in _list(value.get("planner")):
        for step in _list(rule.get("steps")) if isinstance(rule, dict) else ():
            id_ = raw_id(step)
            if id_ is not None:
                yield id_


def _declared(value: dict[str, Any], section: str) -> Collection[str] | None:
    names = value.get(section)
    return names.keys() if isinstance(names, dict) else None


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
