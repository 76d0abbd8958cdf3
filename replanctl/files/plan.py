"""Goal, assumptions, tools and steps: what a plan file says of them."""

from __future__ import annotations

import re
from typing import Any, TypeGuard

from msgspec import UNSET

from replanctl.files.elsewhere import STEP_KEYS
from replanctl.files.faults import At
from replanctl.files.shapes import (
    Fields,
    Later,
    boolean,
    choice,
    list_of,
    made_of,
    map_of,
    mapping,
    names,
    optional,
    record,
    text,
    words,
)
from replanctl.files.words import duration, known_assumption, known_tool, step_ref
from replanctl.kinds import Granularity, OnFailure
from replanctl.plan import ID_PATTERN, Alternative, Step, Tool

_schema, _produces = Later("contracts", "schema"), Later("contracts", "produces")


@made_of("optional", text)
def _assumption(value: Any, at: At) -> Any:
    return "" if value is None else text(value, at)


assumptions = map_of(_assumption, key=words, hint="write {name: what it says}")


_tool_names = names(known_tool, one=True)


@made_of("same", _tool_names)
def _fallback(value: Any, at: At) -> Any:
    """The other tools to fall back to; the tool itself is none."""
    found = _tool_names(value, at)
    own = at.path[-2]
    if found is UNSET or own not in found:
        return found
    at.warning("own-fallback", f"{own} is named as its own fallback, which is dropped")
    return tuple(name for name in found if name != own)


tool = record(
    Tool,
    {"args": optional(_schema), "idempotent": boolean, "fallback": _fallback, "timeout": duration},
    what="what is known of the tool; {} when it is nothing",
)
tools = map_of(tool, key=words, hint="write {name: {}}")

# The keys of a step and how each is read; the schema of plan files is drawn from this table, and so is the did-you-mean
# for a key that is none. Null says the same as leaving the key out, wherever there is something to leave out.
_ALTERNATIVE: Fields = {"tool": optional(known_tool), "args": optional(mapping), "action": optional(words)}

_STEP: Fields = {
    "id": step_ref,
    "tool": known_tool,
    "action": words,
    "args": mapping,
    "expected_outcome": optional(text),
    "depends_on": names(step_ref, one=True),
    "produces": optional(_produces),
    "assumes": names(known_assumption),
    "on_failure": optional(choice(OnFailure)),
    "alternatives": list_of(record(Alternative, _ALTERNATIVE)),
    "granularity": optional(choice(Granularity)),
    "required": boolean,
    "again": boolean,
}


def _step(**found: Any) -> Step:
    """A step: what is done, by which tool, with which args, after which steps."""
    tool_name = found.pop("tool")
    return Step(tool_name=tool_name, action=found.pop("action", tool_name), **found)


step = record(_step, _STEP, required=("id", "tool"), what="a step", elsewhere=STEP_KEYS)

# A draft is held against the plan when it is made: the names in it are checked then.
_DRAFTED: Fields = {
    **_STEP,
    "tool": words,
    "assumes": names(words),
    "alternatives": list_of(record(Alternative, {**_ALTERNATIVE, "tool": optional(words)})),
    "replaces": optional(step_ref),
}
drafted_step = record(_step, _DRAFTED, required=("id", "tool"), what="a step", elsewhere=STEP_KEYS)

# A plan of 100,000 steps is mostly steps of these keys. They become a `Step` while the file is read, with no table in
# between, and the mapping that each is written as is gone before the next one comes.
_ID = re.compile(ID_PATTERN)
_USUAL = frozenset({"id", "action", "tool", "args", "depends_on", "expected_outcome"})


class Steps:
    """Steps as the quick reader comes upon them: usual ones become a `Step` at once, others stay as they are."""

    def __init__(self) -> None:
        self.ids: dict[str, str] = {}  # each id as one object, however often it is written

    def __call__(self, raw: Any) -> Any:
        """The step, or the raw value where a second look is due."""
        if raw.__class__ is not dict or not raw.keys() <= _USUAL:
            return raw
        get = raw.get
        id_, tool_name, args = self._id(get("id")), get("tool"), get("args")
        action, expected = get("action", tool_name), get("expected_outcome")
        if id_ is None or not _says(tool_name) or not _says(action):
            return raw
        if (args.__class__ is not dict and "args" in raw) or (expected is not None and expected.__class__ is not str):
            return raw
        needs = self._needs(raw["depends_on"]) if "depends_on" in raw else None
        if needs is UNSET:
            return raw
        return Step(id_, tool_name, args or {}, expected, action, needs)

    def _id(self, value: Any) -> str | None:
        if value.__class__ is int:
            value = str(value)
        elif value.__class__ is not str:
            return None
        # One object for each id: a plan writes each about as often as it has dependents, and comparing the same object
        # is free.
        known = self.ids.get(value)
        if known is None and _ID.fullmatch(value):
            known = self.ids[value] = value
        return known

    def _needs(self, value: Any) -> Any:
        if value.__class__ is not list:
            value = [value]
        needs = tuple([self._id(item) for item in value])
        return UNSET if None in needs or (len(needs) > 1 and len(set(needs)) < len(needs)) else needs


def _says(value: Any) -> TypeGuard[str]:
    return value.__class__ is str and bool(value.strip())
