"""A rehearsal as the plan file that means it, so that a failing seed can be run, read and kept."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import yaml
from msgspec import NODEFAULT

from replanctl.files import Rehearsal
from replanctl.replan.replanner import PlannerRule
from replanctl.replan.routing import RoutingPolicy
from replanctl.script import OutcomeRule

_SECTIONS = ("policy", "planner", "outcomes", "interruptions")
_UNWRITTEN = {(RoutingPolicy, "force"), (OutcomeRule, "line")}  # a flag's, and a place in a file


def plan_file(rehearsal: Rehearsal) -> str:
    """The text of the file. What only a command line can say stands in a comment above it."""
    force = rehearsal.policy.routing.force
    flags = f" --granularity {force}" if force is not None else ""
    sections = {name: _plain(getattr(rehearsal, name)) for name in _SECTIONS}
    document = _plain(rehearsal.plan) | {name: section for name, section in sections.items() if section}
    return f"# replanctl run FILE{flags}\n" + yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=120)


def _plain(value: Any) -> Any:
    """Plain data with the fields that say something: those that are as they are by default are left out."""
    if isinstance(value, msgspec.Struct):
        return {name: _plain(item) for name, item in _said(value)}
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return str(value) if isinstance(value, str) else value


def _said(struct: msgspec.Struct) -> Iterator[tuple[str, Any]]:
    """The fields by the names they have in a file."""
    for field in msgspec.structs.fields(struct):
        value = getattr(struct, field.name)
        default = field.default_factory() if field.default_factory is not NODEFAULT else field.default
        written = value != default or (field.name == "steps" and _is_answer(struct))
        if written and (type(struct), field.name) not in _UNWRITTEN:
            yield field.encode_name, value


def _is_answer(struct: msgspec.Struct) -> bool:
    """Whether this is a planner rule that answers with steps, be they none."""
    return isinstance(struct, PlannerRule) and struct.otherwise is None
