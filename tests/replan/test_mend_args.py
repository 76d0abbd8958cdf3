"""A misspelt arg is mended by a patch, and by nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from replanctl.replan.mend import misspelt_args
from tests.rehearse import rehearse
from tests.run.telling import args_of, history

SCHEMA = {"type": "object", "required": ["vendor", "month"], "properties": {"vendor": {}, "month": {}, "note": {}}}


@pytest.mark.parametrize(
    ("args", "meant"),
    [
        ({"vendr": "A", "month": 5}, {"vendr": "vendor"}),
        ({"vendro": "A", "mnoth": 5}, {"vendro": "vendor", "mnoth": "month"}),
        ({"vndr": "A", "month": 5}, {"vndr": "vendor"}),  # two edits
        ({"vdr": "A", "month": 5}, {}),  # three
        ({"vendr": "A", "vendor": "B", "month": 5}, {}),  # nothing is missing
        ({"vendr": "A", "vendoor": "B", "month": 5}, {"vendr": "vendor"}),  # the first takes it
        ({"note": "A", "month": 5}, {}),  # known
        ({}, {}),
    ],
)
def test_what_was_meant(args: dict[str, Any], meant: dict[str, str]) -> None:
    assert misspelt_args(args, SCHEMA) == meant


@pytest.mark.parametrize("schema", [{}, {"required": ["vendor"]}, {"required": 3, "properties": 4}, {"properties": {}}])
def test_a_schema_need_not_say_everything(schema: dict[str, Any]) -> None:
    assert misspelt_args({"vendr": "A"}, schema) == (
        {"vendr": "vendor"} if schema.get("required") == ["vendor"] else {}
    )


PLAN = """
goal: g
tools:
  look: {args: {type: object, required: [vendor], properties: {vendor: {type: string}, note: {}}}, fallback: ask}
  ask: {}
steps: [{id: 1, action: look it up, tool: look, args: {note: n, vendr: ARG}, granularity: DEPTH, alternatives: ALSO}]
"""


def session(arg: str = "A", depth: str = "patch", also: str = "[]") -> Any:
    return rehearse(PLAN.replace("ARG", arg).replace("DEPTH", depth).replace("ALSO", also))[1]


def test_a_patch_renames_the_arg_and_does_nothing_else() -> None:
    result = session(also="[{tool: ask}]")
    assert history(result) == [
        "v1 1 failed 0-0 (assumption: 'vendor' is a required property)",
        "v2 1 done 0-1 look:ok",
    ]
    assert (list(args_of(result, "1").items()), result.versions[-1].steps[0].action) == (
        [("note", "n"), ("vendor", "A")],
        "look it up",
    )
    assert result.warnings == ("step 1: arg vendr → vendor",)


def test_what_is_wrong_otherwise_is_patched_otherwise() -> None:
    """Under the right name it is still no text: the next patch would be a fallback."""
    result = session(arg="5", depth="patch")
    assert [version.steps[0].tool for version in result.versions] == ["look", "look", "ask"]
    assert result.versions[-1].steps[0].action == "look it up (patch 2)"


def test_a_tail_mends_no_args() -> None:
    result = session(depth="tail", also="[{tool: ask, action: ask them}, {tool: ask}]")
    assert [(step.tool, step.action) for step in result.versions[-1].steps] == [("ask", "ask them")]
    result = session(depth="tail", also="[{tool: ask}]")
    assert [(step.tool, step.action) for step in result.versions[-1].steps] == [
        ("ask", "work around ['vendor' is a requir…]")
    ]
