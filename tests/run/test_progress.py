"""A draft that makes the failed call again, with nothing changed before it, is told."""

from __future__ import annotations

import pytest

from tests.rehearse import rehearse

PLAN = """
goal: g
steps:
  - {id: 1, tool: a}
  - {id: 2, tool: b, args: {x: "#E1"}}
  - {id: 3, tool: c, args: {y: "#E2"}}
planner: [{when: {step: 2, type: assumption}, steps: STEPS}, {otherwise: template}]
policy: {routing: {patch_radius: RADIUS}}
outcomes: [{match: {tool: b, version: 1}, returns: [shape]}]
"""


@pytest.mark.parametrize(
    ("steps", "told"),
    [
        # the same call under its id, under another, by what it replaces, under another action
        ('[{id: 2, tool: b, args: {x: "#E1"}, depends_on: [1]}, {id: 3, tool: c}]', "step 2"),
        ('[{id: n, tool: b, args: {x: "#E1"}, depends_on: [1]}, {id: 3, tool: c}]', "step n as step 2"),
        ('[{id: 2, tool: b, action: try, args: {x: "#E1"}, depends_on: [1]}, {id: 3, tool: c}]', "step 2"),
        # waiting for nothing, as where a draft's first step leaves `depends_on` out
        ('[{id: 2, tool: b, args: {x: "#E1"}}, {id: 3, tool: c}]', "step 2"),
        # other args, another tool
        ('[{id: 2, tool: b, args: {x: "#E1.rows"}, depends_on: [1]}, {id: 3, tool: c}]', ""),
        ('[{id: 2, tool: d, args: {x: "#E1"}, depends_on: [1]}, {id: 3, tool: c}]', ""),
        # a step before it
        ('[{id: p, tool: prepare, depends_on: [1]}, {id: 2, tool: b, args: {x: "#E1"}}, {id: 3, tool: c}]', ""),
        ('[{id: p, tool: prepare, depends_on: []}, {id: 2, tool: b, args: {x: "#E1"}, depends_on: [1, p]},'
         " {id: 3, tool: c}]", ""),
        # a step beside it, and one behind
        ('[{id: p, tool: other, depends_on: []}, {id: 2, tool: b, args: {x: "#E1"}, depends_on: [1]},'
         " {id: 3, tool: d}]", "step 2"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("radius", [0, 1])
def test_a_draft_that_does_nothing_about_the_failure(steps: str, told: str, radius: int) -> None:
    _, result = rehearse(PLAN.replace("STEPS", steps).replace("RADIUS", str(radius)))
    idle = [warning for warning in result.warnings if warning.startswith("no-progress")]
    step, _, old = told.partition(" as ")
    assert idle == ([f"no-progress: {step} makes the same call{old and ' as '}{old} again"] if told else [])


@pytest.mark.parametrize(
    ("step", "told"),
    [
        ("{id: 1, tool: a}", True),
        ("{id: 1, tool: a, alternatives: [{tool: z}]}", False),
        ('{id: 1, tool: a, args: {x: "#E7"}}', False),  # mended
    ],
)
def test_the_template_s_drafts_are_looked_at_too(step: str, told: bool) -> None:
    _, result = rehearse(f"goal: g\nsteps: [{step}]\noutcomes: [{{match: {{version: 1}}, returns: [shape]}}]")
    assert any(warning.startswith("no-progress") for warning in result.warnings) is told


def test_a_new_edge_is_progress() -> None:
    _, result = rehearse(
        'goal: g\nsteps: [{id: 2, tool: a, args: {x: "#E1"}, depends_on: []}, {id: 1, tool: b, depends_on: []}]'
    )
    assert not any(warning.startswith("no-progress") for warning in result.warnings)
