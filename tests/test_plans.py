"""Each example plan tells the story it was written for."""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec
import pytest

from replanctl.files import load_rehearsal
from replanctl.replan.gates import REASONS
from replanctl.replan.replanner import ScriptedReplanner
from replanctl.run.engine import Session
from replanctl.run.fold import fold
from replanctl.run.result import SessionResult
from replanctl.script import ScriptedTools
from tests.cli.conftest import Cli
from tests.conftest import ROOT
from tests.test_cases import PLANS


class Story(NamedTuple):
    """How a session ends and which way it takes: `route` as rule and granularity, `stopped` as gate and reading."""

    code: int
    reason: str
    routes: tuple[str, ...] = ()
    versions: int = 1
    stopped: str = ""
    facts: dict[str, Any] = {}


TAIL = "wide-radius → tail"
PATCH = "small-radius → patch"
LIFTED = "small-radius → tail"
SEMANTIC = "wrong-decomposition → tail"

STORIES = {
    "vendors": Story(0, "goal_met", (TAIL,), 2, facts={"seconds": 2708.0, "variables.E3.health": "clean"}),
    "pipeline": Story(0, "goal_met", (TAIL,), 2, facts={"ledger.totals.remedy": 1055, "seconds": 37.0}),
    "render": Story(0, "goal_met", (TAIL,), 2, facts={"history.1.error.error_type": "unknown"}),
    "chinese": Story(0, "goal_met", (TAIL,), 2, facts={"versions.1.steps.2.tool": "询价"}),
    "premise": Story(
        0,
        "goal_met",
        ("premise-overturned → global",),
        2,
        facts={
            "variables.E1.verdict": "keep",
            "variables.E2.verdict": "convert",
            "variables.Esum.value": 37003,
            "history.7.args.amounts": [18400, 9828, 8775],
        },
    ),
    "bad-draft": Story(
        0, "goal_met", (TAIL,), 2, facts={"lessons.1.error_type": "invalid_draft", "ledger.totals.remedy": 1200}
    ),
    "goal-change": Story(
        0,
        "goal_met",
        ("goal-changed → global",),
        2,
        facts={"goal": "Book an offsite in Porto for 12 people", "variables.E2.health": "void"},
    ),
    "parallel": Story(0, "goal_met", (SEMANTIC,), 2, facts={"seconds": 422.0}),
    "rewoo": Story(
        0,
        "goal_met_with_gaps",
        facts={"gaps.0.step_id": "2", "gaps.1.step_id": "4", "gaps.2.step_id": "6", "gaps.#": 3},
    ),
    "escalation": Story(
        1,
        "escalated",
        ("permission → none",),
        facts={"history.1.error.error_type": "permission", "handover.clean_results.#": 3},
    ),
    "slips": Story(0, "goal_met", ("hidden-dependency → patch", "plan-typo → patch"), 3, facts={"warnings.#": 3}),
    "gates/step_breaker": Story(1, "step_breaker", (PATCH, LIFTED, LIFTED, LIFTED), 4, "per_step 3/3"),
    "gates/replan_budget": Story(1, "replan_budget", (PATCH,) * 3, 3, "max_replans 2/2"),
    "gates/token_budget": Story(1, "token_budget", (TAIL, TAIL), 2, "max_replan_tokens 1627/1040"),
    "gates/step_budget": Story(1, "step_budget", (SEMANTIC, SEMANTIC), 2, "max_steps 8/7"),
    "gates/tool_call_budget": Story(1, "tool_call_budget", stopped="max_tool_calls 8/8"),
    "gates/time_budget": Story(1, "time_budget", stopped="max_seconds 305/120"),
    "gates/oscillation": Story(1, "oscillation", (PATCH, LIFTED), 2, "max_repeat 1/1"),
}


@pytest.mark.parametrize("name", STORIES)
def test_story(name: str) -> None:
    result = rehearsed(name)
    story = STORIES[name]
    assert (result.reason, len(result.versions)) == (story.reason, story.versions)
    assert tuple(f"{route.rule} → {route.granularity}" for route in result.routes) == story.routes
    refused = [f"{gate.gate} {gate.reading:g}/{gate.limit:g}" for gate in result.gates if not gate.admitted]
    assert refused == ([story.stopped] if story.stopped else [])
    document = msgspec.json.decode(msgspec.json.encode(result))
    assert {path: looked_up(document, path) for path in story.facts} == story.facts


@pytest.mark.parametrize("name", STORIES)
def test_exit_code(name: str, root_cli: Cli) -> None:
    done = root_cli("run", f"plans/{name}.yaml", "-q")
    assert (done.code, done.err) == (STORIES[name].code, "")


def test_every_plan_has_a_story() -> None:
    assert {str(plan.relative_to(ROOT / "plans").with_suffix("")) for plan in PLANS} == STORIES.keys()


def test_each_plan_in_gates_is_stopped_by_the_gate_it_is_named_after() -> None:
    stopped = {story.reason for name, story in STORIES.items() if name == f"gates/{story.reason}"}
    assert stopped == set(REASONS.values())


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: plan.stem)
def test_nothing_is_wrong_with_a_plan(plan: Any, root_cli: Cli) -> None:
    assert root_cli("validate", plan).code == 0


def rehearsed(name: str) -> SessionResult:
    """The result of an example plan."""
    rehearsal = load_rehearsal(ROOT / "plans" / f"{name}.yaml")
    session = Session(
        rehearsal.plan,
        rehearsal.policy,
        tools=ScriptedTools(rehearsal.outcomes),
        replanner=ScriptedReplanner(rehearsal.planner) if rehearsal.planner else None,
        interruptions=rehearsal.interruptions,
        warnings=[problem.message for problem in rehearsal.warnings],
    )
    return fold(session.events())


def looked_up(document: Any, path: str) -> Any:
    """The value at a dotted path; `#` is how many there are."""
    for key in path.split("."):
        document = len(document) if key == "#" else document[int(key)] if isinstance(document, list) else document[key]
    return document
