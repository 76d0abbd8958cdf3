"""Small rehearsals whose end follows from one sentence of the contract, told of the model and of the engine."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import msgspec
import pytest

from tests.model.compare import engine
from tests.model.session import rehearse as model
from tests.model.test_against_model import speaks_the_contract

ONCE = {"pay": {"idempotent": False}, "look": {}}


@dataclass(frozen=True)
class Case:
    """One sentence, a document, and what comes out: its reason, the executions (step: status), and more by path."""

    name: str
    document: dict[str, Any]
    reason: str
    runs: str
    more: dict[str, Any] = field(default_factory=dict)


def plan(*steps: dict[str, Any], **rest: Any) -> dict[str, Any]:
    return {"goal": "g", "steps": list(steps), **rest}


def outcome(match: dict[str, Any], *returns: Any) -> dict[str, Any]:
    return {"match": match, "returns": list(returns)}


CASES = [
    Case(
        "an answer that broke the contract took effect: the template's patch is not asked to pay again",
        plan({"id": 1, "tool": "pay"}, tools=ONCE, outcomes=[outcome({}, "shape")]),
        "escalated",
        "1 failed",
        {"routes": ["small-radius"]},
    ),
    Case(
        "no answer may have taken effect: no retry, and no completion before it is settled, also after defer",
        plan(
            {"id": 1, "tool": "pay", "on_failure": "defer"},
            {"id": 2, "tool": "look", "depends_on": []},
            tools=ONCE,
            outcomes=[outcome({"tool": "pay"}, "timeout")],
        ),
        "escalated",
        "1 failed, 2 done",
    ),
    Case(
        "a call that takes no time has ended before the next step starts",
        plan(
            {"id": 1, "tool": "a", "depends_on": []},
            {"id": 2, "tool": "b", "args": {"q": "#E1"}, "depends_on": []},
            policy={"max_parallel": 2},
            outcomes=[outcome({"step": 1}, {"status": "ok", "latency": "0s"})],
        ),
        "goal_met",
        "1 done, 2 done",
        {"routes": []},
    ),
    Case(
        "a draft that lists a gap again is not refused for what reads it: the args can't be read yet",
        plan(
            {"id": 1, "tool": "look", "on_failure": "defer"},
            {"id": 2, "tool": "look", "depends_on": []},
            {"id": 3, "tool": "pay", "args": {"q": "#E1"}, "depends_on": [1, 2]},
            tools=ONCE,
            outcomes=[
                outcome({"step": 1}, "empty", {"status": "ok", "value": 7}),
                outcome({"tool": "pay"}, "semantic", "ok"),
            ],
            planner=[
                {
                    "when": {},
                    "steps": [
                        {"id": 1, "tool": "look", "depends_on": []},
                        {"id": "pay_it", "tool": "pay", "action": "pay", "args": {"q": "#E1"}, "depends_on": [1]},
                    ],
                }
            ],
        ),
        "goal_met",
        "1 failed, 2 done, 3 failed, 1 done, pay_it done",
    ),
    Case(
        "an error of a tool that acts once is handed over",
        plan({"id": 1, "tool": "pay"}, tools=ONCE, outcomes=[outcome({}, "error")]),
        "escalated",
        "1 failed",
        {"routes": ["may-have-happened"]},
    ),
    Case(
        "rate_limited says that it did not happen: it is tried again",
        plan({"id": 1, "tool": "pay"}, tools=ONCE, outcomes=[outcome({}, "rate_limited", "ok")]),
        "goal_met",
        "1 done",
    ),
    Case(
        "a global takes the answer that is there, and counts an execution without a call",
        plan(
            {"id": 1, "tool": "pay"},
            {"id": 2, "tool": "look", "granularity": "global"},
            tools=ONCE,
            outcomes=[outcome({"tool": "look"}, "semantic", "ok")],
        ),
        "goal_met",
        "1 done, 2 failed, 3 done, 4 done",
    ),
    Case(
        "two calls that v1 itself lists are two calls",
        plan({"id": 1, "tool": "pay"}, {"id": 2, "tool": "pay"}, tools=ONCE),
        "goal_met",
        "1 done, 2 done",
    ),
    Case(
        "again is good for one more call",
        plan(
            {"id": 1, "tool": "look"},
            {"id": 2, "tool": "pay"},
            tools=ONCE,
            interruptions=[{"goal": "other", "after": 2}],
            planner=[{"when": {"goal": "other"}, "steps": [{"id": 5, "tool": "pay", "again": True}]}],
        ),
        "goal_met",
        "1 done, 2 done, 5 done",
        {"attempts": [1, 1, 1]},
    ),
    Case(
        "an answer that got lost looks like a timeout",
        plan({"id": 1, "tool": "look"}, policy={"retry": {"max_attempts": 1}}, outcomes=[outcome({}, "lost")]),
        "escalated",
        "1 failed",
        {"messages": ["timeout"]},
    ),
    Case(
        "the breaker hands over its step, and the rest runs",
        plan(
            {"id": 1, "tool": "a"},
            {"id": 2, "tool": "b"},
            {"id": 3, "tool": "b", "depends_on": []},
            policy={"gates": {"per_step": 0}},
            outcomes=[outcome({"tool": "a"}, "shape")],
        ),
        "step_breaker",
        "1 failed, 2 skipped, 3 done",
    ),
    Case(
        "the rest of the plan listed again under a new id is that step, and takes the failed one's place no more",
        plan(
            {"id": 1, "tool": "a"},
            {"id": 2, "tool": "b", "action": "tell"},
            planner=[{"when": {}, "steps": [{"id": 5, "tool": "c"}, {"id": 6, "tool": "b", "action": "tell"}]}],
            outcomes=[outcome({"tool": "a"}, "shape")],
        ),
        "goal_met",
        "1 failed, 5 done, 2 done",
    ),
    Case(
        "a required step is not replaced by an unrelated one",
        plan(
            {"id": 1, "tool": "a", "required": True},
            policy={"gates": {"per_step": 2}},
            planner=[
                {"when": {"type": "invalid_draft"}, "steps": [{"id": 6, "tool": "b", "replaces": 1}]},
                {"when": {}, "steps": [{"id": 5, "tool": "b"}]},
            ],
            outcomes=[outcome({"tool": "a"}, "shape")],
        ),
        "goal_met",
        "1 failed, 6 done",
    ),
    Case(
        "a required step that is skipped is insufficient evidence",
        plan(
            {"id": 1, "tool": "a", "required": True, "on_failure": "skip"},
            {"id": 2, "tool": "b", "depends_on": []},
            outcomes=[outcome({"tool": "a"}, "shape")],
        ),
        "insufficient_evidence",
        "1 failed, 2 done",
    ),
    Case(
        "in a global a dependency on a done step is dropped",
        plan(
            {"id": 1, "tool": "a"},
            {"id": 2, "tool": "b", "granularity": "global"},
            planner=[{"when": {}, "steps": [{"id": 5, "tool": "c", "depends_on": [1], "args": {"q": "#E1"}}]}],
            outcomes=[outcome({"tool": "b"}, "shape")],
        ),
        "goal_met",
        "1 done, 2 failed, 5 done",
    ),
    Case(
        "new ids come from the step they stand for",
        plan(
            {"id": "fetch", "tool": "a"},
            {"id": "s9", "tool": "b"},
            {"id": 7, "tool": "c"},
            interruptions=[{"goal": "other", "at": 0}],
        ),
        "goal_met",
        "fetch_2 done, s10 done, 8 done",
    ),
    Case(
        "a misspelt arg is mended, and nothing else is done",
        plan(
            {"id": 1, "tool": "a", "args": {"vendr": "x"}},
            tools={"a": {"args": {"type": "object", "required": ["vendor"], "properties": {"vendor": {}}}}},
        ),
        "goal_met",
        "1 failed, 1 done",
        {"actions": ["a"]},
    ),
    Case(
        "a tail takes an alternative under its own action",
        plan(
            {"id": 1, "tool": "a", "alternatives": [{"tool": "b", "action": "ask b"}]},
            outcomes=[outcome({"tool": "a"}, "semantic")],
        ),
        "goal_met",
        "1 failed, 1 done",
        {"actions": ["ask b"]},
    ),
    Case(
        "a message that is cut says so",
        plan(
            {"id": 1, "tool": "a"},
            outcomes=[outcome({}, {"status": "semantic", "message": "exactly twenty chars and more"}, "ok")],
        ),
        "goal_met",
        "1 failed, 1 done",
        {"actions": ["work around [exactly twenty chars…]"]},
    ),
    Case(
        "void results are not carried to a planner, nor paid for",
        plan(
            {"id": 1, "tool": "a", "assumes": ["A"]},
            {"id": 2, "tool": "b", "granularity": "patch"},
            assumptions={"A": "a"},
            outcomes=[outcome({"tool": "b"}, {"status": "shape", "refutes": ["A"]}, "ok")],
        ),
        "goal_met_with_gaps",
        "1 done, 2 failed, 2 done",
        {"replans": [120 + 40 + 80 + 60 + 60]},
    ),
    Case(
        "gaps stand in list order",
        plan(
            {"id": 1, "tool": "a", "on_failure": "defer", "depends_on": []},
            {"id": 2, "tool": "b", "on_failure": "defer", "depends_on": []},
            {"id": 3, "tool": "c", "depends_on": []},
            policy={"max_parallel": 2},
            outcomes=[outcome({"tool": "a"}, {"status": "shape", "latency": "3s"}), outcome({"tool": "b"}, "shape")],
        ),
        "goal_met_with_gaps",
        "2 failed, 3 done, 1 failed",
        {"gaps": ["1", "2"]},
    ),
    Case(
        "a call's line in the ledger stands where the call began",
        plan(
            {"id": 1, "tool": "a", "depends_on": []},
            {"id": 2, "tool": "b", "depends_on": []},
            policy={"max_parallel": 2},
            outcomes=[outcome({"tool": "a"}, {"status": "ok", "latency": "3s"})],
        ),
        "goal_met",
        "2 done, 1 done",
        {"lines": [None, "1", "2"]},
    ),
    Case(
        "max_tokens is asked before a step, with what is in flight",
        plan(
            {"id": 1, "tool": "a", "depends_on": []},
            {"id": 2, "tool": "b", "depends_on": []},
            policy={"max_parallel": 2, "gates": {"max_tokens": 120 + 40 + 120 + 180 + 179}},
        ),
        "session_token_budget",
        "1 done",
    ),
    Case(
        "the step alone decides its direct dependent's input: no gap is made of it",
        plan(
            {"id": 1, "tool": "a"},
            {"id": 2, "tool": "b"},
            {"id": 3, "tool": "c", "depends_on": []},
            {"id": 4, "tool": "c", "depends_on": [2, 3]},
            {"id": 5, "tool": "c", "depends_on": [4]},
            policy={"mode": "auto", "gates": {"per_step": 0}},
            outcomes=[outcome({"tool": "a"}, "shape")],
        ),
        "step_breaker",
        "1 failed, 2 skipped, 4 skipped, 5 skipped, 3 done",
    ),
    Case(
        "a required step's own id counts, whatever other step does the same",
        plan(
            {"id": 1, "tool": "a", "required": True},
            {"id": 2, "tool": "a"},
            interruptions=[{"goal": "other", "at": 0}],
            planner=[{"when": {"goal": "other"}, "steps": [{"id": 1, "tool": "a"}]}],
        ),
        "goal_met",
        "3 done",
    ),
    Case(
        "an alternative's reference follows the step that stands for the one it names",
        plan(
            {"id": 1, "tool": "a", "granularity": "tail"},
            {"id": 2, "tool": "b"},
            {"id": 3, "tool": "c", "depends_on": [2], "granularity": "patch", "alternatives": [{"args": {"q": "#E2"}}]},
            outcomes=[
                outcome({"tool": "a"}, "shape", "ok"),
                outcome({"tool": "b"}, {"status": "ok", "value": 7}),
                outcome({"tool": "c"}, "shape", "ok"),
            ],
        ),
        "goal_met",
        "1 failed, 1 done, 4 done, 5 failed, 5 done",
        {"args": {"q": 7}},
    ),
    Case(
        "a copy keeps its reference to nothing, although a step has that id by now",
        plan(
            {"id": 1, "tool": "a", "granularity": "tail"},
            {"id": 2, "tool": "b"},
            {"id": 3, "tool": "c", "args": {"q": "#E4"}, "granularity": "none"},
            outcomes=[outcome({"tool": "a"}, "shape", "shape", "ok")],
        ),
        "escalated",
        "1 failed, 1 failed, 1 done, 6 done, 7 failed",
        {"messages": ["shape", "shape", "#E4: no such step"]},
    ),
    Case(
        "an id that a draft's local name is given means nothing in the draft's own texts",
        plan(
            {"id": 1, "tool": "a"},
            interruptions=[{"goal": "other", "at": 0}],
            planner=[
                {
                    "when": {"goal": "other"},
                    "steps": [{"id": 1, "tool": "a"}, {"id": "n", "tool": "b", "args": {"q": "see #E2 and #E1"}}],
                }
            ],
        ),
        "goal_met",
        "2 done, n done",
        {"args": {"q": "see #E2 and ok"}},
    ),
    Case(
        "a reference to an id that only a local name is given is one to nothing",
        plan(
            {"id": 1, "tool": "a"},
            policy={"gates": {"max_replans": 2}},
            interruptions=[{"goal": "other", "at": 0}],
            planner=[{"steps": [{"id": 1, "tool": "a", "args": {"q": "#E2"}}]}],
        ),
        "replan_budget",
        "",
    ),
    Case(
        "an answer that broke another step's contract is taken by a step that asks for less",
        plan(
            {"id": 1, "tool": "pay", "produces": {"rows": "list"}},
            tools=ONCE,
            planner=[{"when": {}, "steps": [{"id": 1, "tool": "look"}, {"id": 2, "tool": "pay"}]}],
            outcomes=[outcome({"tool": "pay"}, {"status": "ok", "value": 7})],
        ),
        "goal_met",
        "1 failed, 1 done, 2 done",
        {"attempts": [1, 1, 0]},
    ),
    Case(
        "what a running step has read and then fell makes its variable void",
        plan(
            {"id": 1, "tool": "a", "assumes": ["A"], "depends_on": []},
            {"id": 2, "tool": "b", "args": {"q": "#E1"}, "assumes": ["B"]},
            {"id": 3, "tool": "c", "depends_on": [1], "on_failure": "skip"},
            assumptions={"A": "a", "B": "b"},
            policy={"max_parallel": 2},
            outcomes=[
                outcome({"tool": "b"}, {"status": "ok", "latency": "3s"}),
                outcome({"tool": "c"}, {"status": "shape", "refutes": ["A"]}),
            ],
        ),
        "goal_met_with_gaps",
        "1 done, 3 failed, 2 done",
        {"health": ["void", "void"]},
    ),
    Case(
        "an answer that will do counts before a call that may have happened: what is meant once more is made",
        plan(
            {"id": 1, "tool": "pay", "depends_on": []},
            {"id": 2, "tool": "pay", "depends_on": [], "on_failure": "defer"},
            {"id": 3, "tool": "look", "depends_on": []},
            tools=ONCE,
            planner=[{"when": {}, "steps": [{"id": 9, "tool": "pay", "again": True, "depends_on": []}]}],
            outcomes=[outcome({"step": 2}, "tool_error"), outcome({"step": 3}, "shape")],
        ),
        "escalated",
        "1 done, 2 failed, 3 failed, 9 done",
        {"attempts": [1, 1, 1, 1]},
    ),
    Case(
        "again is good for one answered call, also one of a tool that may be called again",
        plan(
            {"id": 1, "tool": "pay"},
            {"id": 2, "tool": "look", "again": True, "alternatives": [{"tool": "pay"}]},
            tools=ONCE,
            outcomes=[outcome({"step": 2}, "empty")],
        ),
        "goal_met",
        "1 done, 2 failed, 2 done",
        {"attempts": [1, 1, 0]},
    ),
    Case(
        "what a draft discards is not taken by the same draft",
        plan(
            {"id": 1, "tool": "pay"},
            {"id": 2, "tool": "look"},
            tools=ONCE,
            policy={"gates": {"per_step": 1}},
            planner=[
                {
                    "when": {},
                    "verdicts": {"E1": "discard"},
                    "steps": [{"id": 2, "tool": "look"}, {"id": 9, "tool": "pay"}],
                }
            ],
            outcomes=[outcome({"tool": "look"}, "shape", "ok")],
        ),
        "step_breaker",
        "1 done, 2 failed",
    ),
]


def facts(result: dict[str, Any]) -> dict[str, Any]:
    """What the cases ask for."""
    return {
        "reason": result["reason"],
        "runs": ", ".join(f"{h['step_id']} {h['status']}" for h in result["history"]),
        "routes": [x["rule"] for x in result["routes"]],
        "attempts": [len(h["attempts"]) for h in result["history"]],
        "messages": [x["error_msg"] for x in result["signals"]],
        "actions": [st["action"] for st in result["versions"][-1]["steps"]],
        "args": result["history"][-1]["args"] if result["history"] else None,
        "health": [x["health"] for x in result["variables"].values()],
        "gaps": [x["step_id"] for x in result["gaps"]],
        "lines": [x["step_id"] for x in result["ledger"]["lines"]],
        "replans": [x["booked"] for x in result["ledger"]["lines"] if x["kind"] == "replan"],
    }


def expected(case: Case) -> dict[str, Any]:
    return {"reason": case.reason, "runs": case.runs, **case.more}


def told(case: Case, result: dict[str, Any]) -> dict[str, Any]:
    found = facts(result)
    return {name: found[name] for name in expected(case)}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_model_says_what_the_contract_says(case: Case) -> None:
    assert told(case, model(case.document)) == expected(case)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_engine_says_what_the_contract_says(case: Case) -> None:
    if not speaks_the_contract():
        pytest.skip("the engine does not know the whole contract yet")
    _, result = engine(json.dumps(case.document))
    assert told(case, msgspec.to_builtins(result)) == expected(case)
