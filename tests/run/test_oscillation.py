"""A return to an abandoned plan is refused; the same plan again is left to the breaker."""

from __future__ import annotations

from typing import Any

import pytest

from replanctl.run.result import SessionResult
from tests.run.limits import of, under
from tests.run.telling import ending, gates

LOOK, ASK = "{id: 1, action: look, tool: web, args: {n: N}}", "{id: 1, action: ask, tool: phone, args: {n: N}}"


def drafts(*plans: str) -> str:
    """Planner rules: the draft that follows the failure with this number."""
    return "planner:\n" + "".join(
        f"  - {{when: {{error: failure {n}.}}, steps: [{plan.replace('N', str(n))}]}}\n"
        for n, plan in enumerate(plans, 1)
    )


def swinging(limit: int | None, *plans: str, **limits: Any) -> SessionResult:
    messages = ", ".join(f"{{status: shape, message: failure {n}.}}" for n in range(1, len(plans) + 1))
    text = f"goal: g\nsteps: [{LOOK.replace('N', '0')}]\n{drafts(*plans)}"
    return under(text, f"{{returns: [{messages}, ok]}}", max_repeat=limit, **limits)


@pytest.mark.parametrize(
    ("limit", "plans", "rows", "end"),
    [
        (1, [ASK], ["v1 1 0/1"], "completed goal_met"),
        (1, [ASK, LOOK], ["v1 1 0/1", "v2 1 1/1!"], "failed oscillation"),
        (2, [ASK, LOOK], ["v1 1 0/2", "v2 1 1/2"], "completed goal_met"),
        (2, [ASK, LOOK, ASK], ["v1 1 0/2", "v2 1 1/2", "v3 1 1/2"], "completed goal_met"),
        (2, [ASK, LOOK, ASK, LOOK], ["v1 1 0/2", "v2 1 1/2", "v3 1 1/2", "v4 1 2/2!"], "failed oscillation"),
        (None, [ASK, LOOK, ASK, LOOK], ["v1 1 0/-", "v2 1 1/-", "v3 1 1/-", "v4 1 2/-"], "completed goal_met"),
        # the same plan again, whatever its args, is not a return
        (1, [LOOK, LOOK], ["v1 1 0/1", "v2 1 0/1"], "completed goal_met"),
        (1, [ASK, ASK], ["v1 1 0/1", "v2 1 0/1"], "completed goal_met"),
        # the sequence counts, not the ids nor the args
        (1, [ASK, LOOK.replace("id: 1", "id: 7, replaces: 1")], ["v1 1 0/1", "v2 1 1/1!"], "failed oscillation"),
        (1, [ASK, LOOK.replace("look", "look closer")], ["v1 1 0/1", "v2 1 0/1"], "completed goal_met"),
        (1, [ASK, LOOK.replace("web", "book")], ["v1 1 0/1", "v2 1 0/1"], "completed goal_met"),
        (1, [ASK, f"{LOOK}, {ASK.replace('id: 1', 'id: 2')}"], ["v1 1 0/1", "v2 1 0/1"], "completed goal_met"),
    ],
)
def test_a_return_to_an_abandoned_plan(limit: int | None, plans: list[str], rows: list[str], end: str) -> None:
    result = swinging(limit, *plans)
    assert (of("max_repeat", result), f"{result.status} {result.reason}") == (rows, end)
    assert len(result.versions) == 1 + len(plans) - (result.status == "failed")


def test_the_third_version_of_a_swing_is_not_committed() -> None:
    result = swinging(1, ASK, LOOK)
    assert [v.version for v in result.versions] == ["v1", "v2"]
    assert result.versions[-1].steps[0].action == "ask"
    assert result.handover is not None and result.handover.gate == result.gates[-1]


def test_the_same_plan_over_and_over_is_the_breakers_business() -> None:
    result = swinging(1, LOOK, LOOK, LOOK, LOOK, per_step=3)
    assert (ending(result), of("per_step", result)[-1]) == ("failed step_breaker 4s", "v4 1 3/3!")


def test_what_a_version_leaves_open_is_its_fingerprint_when_it_is_replaced() -> None:
    """v1 was look, look when it began, but only one look was open when it was left: a draft with one is a return."""
    text = "goal: g\nsteps: [{id: 0, action: look, tool: web}, {id: 1, action: look, tool: web}]\n"
    result = under(
        text + drafts(ASK, LOOK),
        "{match: {step: 0}, returns: [ok]}, {returns: [{status: shape, message: failure 1.},"
        " {status: shape, message: failure 2.}, ok]}",
        max_repeat=1,
    )
    assert of("max_repeat", result) == ["v1 1 0/1", "v2 1 1/1!"]


def test_a_fingerprint_stays_what_it_was_after_done_steps_have_left_the_plan() -> None:
    """v1 left one look open; its done step leaves in the global that made v3, and v4 would be that look again."""
    text = "goal: g\nsteps: [{id: 0, tool: first}, {id: 1, action: look, tool: web, args: {n: 0}}]\n" + drafts(
        ASK.replace("}}", "}, granularity: global}"),
        "{id: 1, action: read, tool: book}",
        LOOK,
    )
    failures = ", ".join(f"{{status: shape, message: failure {n}.}}" for n in (1, 2, 3))
    result = under(text, f"{{match: {{step: 0}}, returns: [ok]}}, {{returns: [{failures}, ok]}}", max_repeat=1)
    assert [v.granularity for v in result.versions] == [None, "patch", "global"]
    assert of("max_repeat", result) == ["v1 1 0/1", "v2 1 0/1", "v3 2 1/1!"]


def test_a_changed_goal_may_return_to_what_was_abandoned_before_it() -> None:
    text = (
        f"goal: g\nsteps: [{LOOK.replace('N', '0')}]\n{drafts(ASK, ASK.replace('ask', 'ask again'))}"
        f"  - {{when: {{goal: other}}, steps: [{LOOK.replace('N', '9')}]}}\n"
        "interruptions: [{at: 2s, goal: other}]"
    )
    result = under(
        text,
        "{returns: [{status: shape, message: failure 1.}, ok, {status: shape, message: failure 1.}, ok]}",
        max_repeat=1,
    )
    # look and ask were both seen, but for the goal before
    assert of("max_repeat", result) == ["v1 1 0/1", "v2 None 0/1", "v3 2 0/1"]
    assert ending(result) == "completed goal_met 4s"


def test_the_guard_comes_before_the_step_budget() -> None:
    result = swinging(1, ASK, LOOK, max_steps=3)
    assert (gates(result)[-1], result.reason) == ("v2 1 max_repeat 1/1!", "oscillation")
    assert gates(swinging(2, ASK, LOOK, max_steps=2))[-1] == "v2 1 max_steps 3/2!"
