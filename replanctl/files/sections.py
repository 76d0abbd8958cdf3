"""The top of each kind of file: which sections it may have, and a plan as its sections make it."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Any

from msgspec import UNSET

from replanctl.files.check import check_ids, check_steps
from replanctl.files.faults import At, Names
from replanctl.files.plan import assumptions, step, tools
from replanctl.files.reader import Document
from replanctl.files.shapes import Fields, Later, check_keys, made_of, mapping, words, wrong
from replanctl.plan import Plan, Step

# Most plans have a goal and steps and little else. The readers of all other sections are loaded by the first file that
# has one (`Later`); they are the larger half of this room.
Sections = dict[str, Any]


class Role(StrEnum):
    """What a file is to a rehearsal."""

    PLAN = "plan"
    BESIDE = "beside"  # the outcomes found beside the plan
    SCENARIO = "scenario"  # no file: its name is that of the scenario in force
    SCENARIO_FILE = "scenario-file"  # a file that is a scenario
    OUTCOMES = "outcomes"  # the outcomes that were asked for
    POLICY = "policy"


def read_sections(document: Document, role: Role, names: Names | None) -> Sections:
    """The sections of a file, as far as they could be read; what is wrong with them is in its faults."""
    fields = fields_of(role, document.lines.get("outcomes", ()))
    read = document.made(lambda value, at: _read(value, at, role, fields), names)
    return {} if read is UNSET else {name: value for name, value in read.items() if value is not UNSET}


def _read(value: Any, at: At, role: Role, fields: Fields) -> Any:
    if not isinstance(value, dict):
        return wrong(value, at, _WHAT.get(role, _SCRIPT))
    check_keys(value, at, fields)
    _check_presence(value, at, role, fields)
    return {name: field(value[name], at[name]) for name, field in fields.items() if name in value}


def role_of(value: Any) -> Role:
    """What a file is, from its sections."""
    # One key of a plan makes it a plan, so that a plan without its goal is told so.
    if not isinstance(value, dict) or "goal" in value or "steps" in value:
        return Role.PLAN
    script = bool(value.keys() & {"outcomes", "interruptions", "scenarios"}) or isinstance(value.get("plan"), str)
    if "policy" in value and not script:
        return Role.POLICY
    return Role.OUTCOMES if script else Role.PLAN


def plan_of(sections: Sections) -> Plan | None:
    """The plan that these sections make; None where one of them is missing."""
    if "goal" not in sections or "steps" not in sections:
        return None
    return Plan.of(
        sections["goal"], sections["steps"], assumptions=sections.get("assumptions"), tools=sections.get("tools")
    )


# What is said to whoever gives a list, or a text, where a file of this kind was meant.
_SCRIPT = "a mapping with outcomes or interruptions"
_WHAT = {Role.PLAN: "a mapping with goal and steps", Role.POLICY: "a mapping with policy"}
_INTERRUPTIONS, _SCENARIOS = Later("outcomes", "interruptions"), Later("scenarios", "scenarios")
_POLICY = Later("policy", "policy")
REQUIRED: dict[Role, tuple[str, ...]] = {Role.PLAN: ("goal", "steps"), Role.POLICY: ("policy",)}


def fields_of(role: Role, lines: Sequence[int] = ()) -> Fields:
    """The sections of a file with this role; `lines` are those that the items of `outcomes` begin on."""
    script: Fields = {"outcomes": Later("outcomes", "outcomes", lines), "interruptions": _INTERRUPTIONS}
    if role is Role.POLICY:
        return {"policy": _POLICY}
    if role is Role.SCENARIO_FILE:
        return {**script, "plan": words, "expect": mapping}
    if role is not Role.PLAN:
        return {**script, "scenarios": _SCENARIOS, "plan": words, "expect": mapping}
    return {
        "goal": words,
        "assumptions": assumptions,
        "tools": tools,
        "steps": _steps,
        "policy": _POLICY,
        "planner": Later("planner", "planner"),
        **script,
        "scenarios": _SCENARIOS,
        "expect": mapping,
        "recorded": Later("recorded", "recorded"),
    }


def _check_presence(value: dict[str, Any], at: At, role: Role, fields: Fields) -> None:
    for name in REQUIRED.get(role, ()):
        if name not in value:
            at.error("missing-key", f"{name} is missing", f"add {name}:")
    if role not in REQUIRED and not value.keys() & fields.keys():
        at.error("missing-key", "neither outcomes nor interruptions are here", "add outcomes:")


@made_of("list_of", step, 1)
def _steps(value: Any, at: At) -> Any:
    """The steps of a plan, each held against the others."""
    if not isinstance(value, list):
        return wrong(value, at, "a list of steps")
    if not value:
        return at.error("empty-list", "a plan has at least one step")
    # Usual steps were made while the file was read; what is still a mapping is due a second look.
    steps = [item if item.__class__ is Step else step(item, at[index]) for index, item in enumerate(value)]
    names = at.names or Names()
    check_ids(value, names, at)
    check_steps(value, steps, names, at)
    return tuple([item for item in steps if item is not UNSET])
