"""Every reason against a draft, and what is carried along without one."""

from __future__ import annotations

import pytest

from replanctl.errors import InputError
from replanctl.live.draft import Draft
from replanctl.plan.model import Step
from tests.rehearse import rehearse
from tests.replan.answering import Answering
from tests.replan.listing import drafts, refusals, version
from tests.run.telling import history

# 1 is done, 2 failed with `semantic`, 3 and 4 rest on it, 5 and 6 do not.
PLAN = """
goal: g
assumptions: {p: x}
tools: {look: {}, sum: {}, write: {}}
steps:
  - {id: 1, tool: look, depends_on: []}
  - {id: 2, tool: sum, depends_on: [1]}
  - {id: 3, tool: write, depends_on: [2]}
  - {id: 4, tool: write, depends_on: [3]}
  - {id: 5, tool: look, args: {q: five}, depends_on: []}
  - {id: 6, tool: write, depends_on: [5]}
outcomes: [{match: {step: 2, version: 1}, returns: [semantic]}]
"""

# what the planner answers to the failure of step 2 (a tail) -> the reasons
REFUSED: dict[str, tuple[str, tuple[str, ...]]] = {
    "an unknown dependency": (
        "[{id: 2, tool: sum, depends_on: [1, 99]}]",
        ("step 2 depends on 99, which is not in the plan",),
    ),
    "a dependency on a step that goes and has no successor": (
        "[{id: 7, tool: sum, depends_on: [4]}]",
        ("step 7 depends on 4, which goes, and nothing listed before it stands for it",),
    ),
    "a cycle of the draft": (
        "[{id: 2, tool: sum, depends_on: [3]}, {id: 3, tool: write, depends_on: [2]}]",
        ("the steps wait for each other: 2 → 3 → 2",),
    ),
    "a step that waits for itself": (
        "[{id: 2, tool: sum, depends_on: [2]}]",
        ("the steps wait for each other: 2 → 2",),
    ),
    "a cycle through a step that stays": (
        "[{id: 2, tool: sum, depends_on: [6]}, {id: 5, tool: look, args: {q: five}, depends_on: [2]}]",
        ("the steps wait for each other: 2 → 6 → 5 → 2",),
    ),
    "an unknown tool": (
        "[{id: 2, tool: guess}]",
        ("step 2 uses the tool guess, which the plan does not have",),
    ),
    "an alternative's unknown tool": (
        "[{id: 2, tool: sum, alternatives: [{tool: guess}, {args: {q: x}}, {tool: guess}]}]",
        ("step 2 uses the tool guess, which the plan does not have",),
    ),
    "an unknown assumption": (
        "[{id: 2, tool: sum, assumes: [p, q]}]",
        ("step 2 assumes q, which the plan does not name",),
    ),
    "a reference to nothing": (
        '[{id: 2, tool: sum, args: {a: "#E99", b: "<#E99>", c: ["#Ex.rows"]}}]',
        ("step 2 reads #E99, which no step produces", "step 2 reads #Ex.rows, which no step produces"),
    ),
    "a reference to what goes and has no successor": (
        '[{id: 2, tool: sum, args: {a: "#E4", b: "<#E4.x>"}}]',
        ("step 2 reads #E4, which goes, and nothing stands for it",),
    ),
    "it replaces, but is not new": (
        "[{id: 2, tool: sum, replaces: 3}]",
        ("step 2 says it replaces 3, but it is no new step",),
    ),
    "it replaces itself": (
        "[{id: 2, tool: sum, replaces: 2}]",
        ("step 2 says it replaces 2, but it is no new step",),
    ),
    "it replaces, but is done": (
        "[{id: 1, tool: look, replaces: 3}, {id: 2, tool: sum}]",
        ("step 1 says it replaces 3, but it is no new step",),
    ),
    "it replaces what stays": (
        "[{id: 7, tool: sum, replaces: 5}]",
        ("step 7 replaces 5, which does not go, or is replaced already",),
    ),
    "it replaces what is listed": (
        "[{id: 2, tool: sum}, {id: 7, tool: sum, replaces: 2}]",
        ("step 7 replaces 2, which does not go, or is replaced already",),
    ),
    "it replaces what is done": (
        "[{id: 7, tool: sum, replaces: 1}]",
        ("step 7 replaces 1, which does not go, or is replaced already",),
    ),
    "it replaces what nobody knows": (
        "[{id: 7, tool: sum, replaces: 99}]",
        ("step 7 replaces 99, which does not go, or is replaced already",),
    ),
    "two replace the same": (
        "[{id: 7, tool: sum, replaces: 2}, {id: 8, tool: sum, replaces: 2}]",
        ("step 8 replaces 2, which does not go, or is replaced already",),
    ),
    "everything at once": (
        '[{id: 2, tool: guess, args: {a: "#E99"}, depends_on: [98], replaces: 3}]',
        (
            "step 2 says it replaces 3, but it is no new step",
            "step 2 depends on 98, which is not in the plan",
            "step 2 uses the tool guess, which the plan does not have",
            "step 2 reads #E99, which no step produces",
        ),
    ),
}


def answered(listed: str, plan: str = PLAN) -> str:
    """The plan with a planner that answers so once and then gives up."""
    return f"{plan}\nplanner: [{{when: {{type: semantic}}, steps: {listed}}}, {{otherwise: give_up}}]\n"


@pytest.mark.parametrize(("listed", "reasons"), REFUSED.values(), ids=REFUSED)
def test_a_refused_draft(listed: str, reasons: tuple[str, ...]) -> None:
    events, result = rehearse(answered(listed))
    assert (refusals(events), result.reason, len(result.versions)) == ([reasons], "no_plan", 1)


# plan, answer -> the reasons
OTHER_PLANS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "what is kept depends on a step that goes and is replaced by nothing": (
        """
goal: g
steps:
  - {id: 1, tool: look}
  - {id: 2, tool: sum, granularity: patch}
  - {id: 3, tool: write}
  - {id: 4, tool: write, depends_on: [2, 3]}
outcomes: [{match: {step: 2}, returns: [semantic]}]
""",
        "[{id: 1, tool: look}]",
        (
            "step 3 depends on 2, which goes and is replaced by nothing",
            "step 4 depends on 2, which goes and is replaced by nothing",
        ),
    ),
    "a void variable": (
        """
goal: g
steps:
  - {id: 1, tool: look, assumes: [p]}
  - {id: 2, tool: sum, granularity: tail}
outcomes: [{match: {step: 2}, returns: [{status: semantic, refutes: [p]}]}]
""",
        '[{id: 2, tool: sum, args: {of: "#E1.x", n: "<#E1>"}}]',
        ("step 2 reads #E1.x, which is void", "step 2 reads #E1, which is void"),
    ),
    "a void variable, whatever the verdict": (
        """
goal: g
steps: [{id: 1, tool: look, assumes: [p]}, {id: 2, tool: sum, granularity: tail}]
outcomes: [{match: {step: 2}, returns: [{status: semantic, refutes: [p]}]}]
""",
        '[{id: 2, tool: sum, args: {of: "#E1"}}], verdicts: {E1: keep}',
        ("step 2 reads #E1, which is void",),
    ),
    "a stale variable without a verdict": (
        """
goal: g
steps: [{id: 1, tool: look, assumes: [p, q]}, {id: 2, tool: sum, granularity: tail}]
outcomes: [{match: {step: 2}, returns: [{status: semantic, refutes: [p]}]}]
""",
        '[{id: 2, tool: sum, args: {of: "#E1"}}], verdicts: {E7: keep}',
        ("step 2 reads #E1, which is stale and has no verdict",),
    ),
    "a variable that the draft discards": (
        """
goal: g
steps: [{id: 1, tool: look}, {id: 2, tool: sum, granularity: tail}]
outcomes: [{match: {step: 2}, returns: [semantic]}]
""",
        '[{id: 2, tool: sum, args: {of: "#E1"}}], verdicts: {E1: discard}',
        ("step 2 reads #E1, which is void",),
    ),
    "a denied call": (
        """
goal: g
steps:
  - {id: 1, tool: look, args: {q: x}, on_failure: skip}
  - {id: 2, tool: sum, depends_on: []}
outcomes: [{match: {step: 1}, returns: [denied]}, {match: {step: 2}, returns: [semantic]}]
""",
        "[{id: 2, tool: look, args: {q: x}}]",
        ("step 2 makes a call of look that was denied before",),
    ),
    "a denied call behind references": (
        """
goal: g
steps:
  - {id: 0, tool: name}
  - {id: 1, tool: look, args: {q: ok}, on_failure: skip}
  - {id: 2, tool: sum, depends_on: []}
outcomes: [{match: {step: 1}, returns: [denied]}, {match: {step: 2}, returns: [semantic]}]
""",
        '[{id: 2, tool: look, args: {q: "#E0"}}]',
        ("step 2 makes a call of look that was denied before",),
    ),
    "all that is left rests on a step that failed for good": (
        """
goal: g
steps: [{id: 1, tool: look, on_failure: skip}, {id: 2, tool: sum, depends_on: []}]
outcomes: [{match: {step: 1}, returns: [error]}, {match: {step: 2}, returns: [semantic]}]
""",
        "[{id: 2, tool: sum, depends_on: [1]}, {id: 3, tool: write}]",
        ("nothing is left to run that does not rest on a step that failed for good or was skipped",),
    ),
    "all that is left rests on a step that was skipped": (
        """
goal: g
steps: [{id: 0, tool: look, on_failure: skip}, {id: 1, tool: look}, {id: 2, tool: sum, depends_on: []}]
outcomes: [{match: {step: 0}, returns: [error]}, {match: {step: 2}, returns: [semantic]}]
""",
        "[{id: 2, tool: sum, depends_on: [1]}]",
        ("nothing is left to run that does not rest on a step that failed for good or was skipped",),
    ),
    "what is kept rests on what is listed and doomed": (
        """
goal: g
steps:
  - {id: 1, tool: look, on_failure: skip}
  - {id: 2, tool: sum, depends_on: [], granularity: patch}
  - {id: 3, tool: write, depends_on: [2]}
  - {id: 4, tool: write, depends_on: [3]}
outcomes: [{match: {step: 1}, returns: [error]}, {match: {step: 2}, returns: [semantic]}]
""",
        "[{id: 2, tool: sum, depends_on: [1]}]",
        ("nothing is left to run that does not rest on a step that failed for good or was skipped",),
    ),
    "what is kept rests on what replaces and is doomed": (
        """
goal: g
steps:
  - {id: 1, tool: look, on_failure: skip}
  - {id: 2, tool: sum, depends_on: [], granularity: patch}
  - {id: 3, tool: write, depends_on: [2]}
  - {id: 4, tool: write, depends_on: [3]}
outcomes: [{match: {step: 1}, returns: [error]}, {match: {step: 2}, returns: [semantic]}]
""",
        "[{id: 9, tool: sum, depends_on: [1]}]",
        ("nothing is left to run that does not rest on a step that failed for good or was skipped",),
    ),
    "nothing is left at all": (
        """
goal: g
steps: [{id: 1, tool: look}, {id: 2, tool: sum}]
outcomes: [{match: {step: 2}, returns: [semantic]}]
""",
        "[{id: 1, tool: look}]",
        ("nothing is left to run that does not rest on a step that failed for good or was skipped",),
    ),
    "a cycle through a step that was skipped": (
        """
goal: g
steps:
  - {id: 1, tool: look, on_failure: skip, depends_on: []}
  - {id: 2, tool: sum, depends_on: [1, 3]}
  - {id: 3, tool: write, depends_on: []}
outcomes: [{match: {step: 1}, returns: [semantic]}, {match: {step: 3}, returns: [semantic]}]
""",
        "[{id: 3, tool: write, depends_on: [2]}, {id: 9, tool: look, depends_on: []}]",
        ("the steps wait for each other: 3 → 2 → 3",),
    ),
    "what was skipped depends on a step that goes": (
        """
goal: g
steps:
  - {id: 1, tool: look, on_failure: skip, depends_on: []}
  - {id: 2, tool: sum, depends_on: []}
  - {id: 3, tool: write, depends_on: [2, 1]}
  - {id: 4, tool: tell, depends_on: [2]}
outcomes: [{match: {step: 1}, returns: [semantic]}, {match: {step: 2}, returns: [semantic]}]
""",
        "[{id: 4, tool: tell, depends_on: []}]",
        ("step 3 depends on 2, which goes and is replaced by nothing",),
    ),
    "in a global what the step it stands for read is no excuse": (
        """
goal: g
steps: [{id: 1, tool: look}, {id: 2, tool: sum, granularity: global}, {id: 3, tool: write, args: {a: "#E99"}}]
outcomes: [{match: {step: 2}, returns: [semantic]}]
""",
        '[{id: 7, tool: write, args: {a: "#E99"}}]',
        ("step 7 reads #E99, which no step produces",),
    ),
    "in a global the tool it had is none either": (
        """
goal: g
tools: {look: {}, sum: {}}
steps: [{id: 1, tool: look}, {id: 2, tool: sum, granularity: global, alternatives: [{tool: look}]}]
outcomes: [{match: {step: 2}, returns: [semantic]}]
""",
        "[{id: 7, tool: sum, alternatives: [{tool: write}]}]",
        ("step 7 uses the tool write, which the plan does not have",),
    ),
    "in a global a step that was not done is nothing to depend on": (
        """
goal: g
steps: [{id: 1, tool: look}, {id: 2, tool: sum, granularity: global}, {id: 3, tool: look}]
outcomes: [{match: {step: 2}, returns: [semantic]}]
""",
        "[{id: 7, tool: sum, depends_on: [1, 3]}]",
        ("step 7 depends on 3, which goes, and nothing listed before it stands for it",),
    ),
}


@pytest.mark.parametrize(("plan", "listed", "reasons"), OTHER_PLANS.values(), ids=OTHER_PLANS)
def test_refused_in_another_plan(plan: str, listed: str, reasons: tuple[str, ...]) -> None:
    events, result = rehearse(answered(listed, plan))
    assert (refusals(events), result.reason) == ([reasons], "no_plan")


# plan, answer -> what ran after the replan
ADMITTED: dict[str, tuple[str, str, list[str]]] = {
    "an unknown tool and an unknown premise where the plan lists none": (
        """
goal: g
steps: [{id: 1, tool: look}, {id: 2, tool: sum}]
outcomes: [{match: {step: 2, version: 1}, returns: [semantic]}]
""",
        "[{id: 2, tool: guess, assumes: [q]}]",
        ["v2 2 done 2-3 guess:ok"],
    ),
    "a reference to a step of the draft, wherever it is listed": (
        PLAN,
        '[{id: 7, tool: sum, args: {a: "#E8"}, depends_on: [8]}, {id: 8, tool: look, args: {q: 8}, depends_on: [1]}]',
        ["v2 8 done 2-3 look:ok", "v2 7 done 3-4 sum:ok", "v2 5 done 4-5 look:ok", "v2 6 done 5-6 write:ok"],
    ),
    "a reference to finished work, wherever it is listed": (
        PLAN,
        '[{id: 7, tool: sum, args: {a: "#E8"}, depends_on: [8]}, {id: 8, tool: look}]',
        ["v2 7 done 2-3 sum:ok", "v2 5 done 3-4 look:ok", "v2 6 done 4-5 write:ok"],
    ),
    "a reference to a pending step": (
        PLAN,
        '[{id: 2, tool: sum, args: {a: "#E5"}, depends_on: [1, 5]}]',
        ["v2 5 done 2-3 look:ok", "v2 2 done 3-4 sum:ok", "v2 6 done 4-5 write:ok"],
    ),
    "a skipped step follows to the new one, and leaves it to run": (
        """
goal: g
steps:
  - {id: 1, tool: look, on_failure: skip, depends_on: []}
  - {id: 2, tool: sum, depends_on: []}
  - {id: 3, tool: write, depends_on: [1, 2]}
outcomes: [{match: {step: 1}, returns: [semantic]}, {match: {step: 2, version: 1}, returns: [semantic]}]
""",
        "[{id: 9, tool: sum, depends_on: []}]",
        ["v2 9 done 2-3 sum:ok"],
    ),
    "a text that looks like a reference": (
        PLAN,
        '[{id: 2, tool: sum, args: {a: "##E99", b: "see #E99"}}]',
        ["v2 2 done 2-3 sum:ok", "v2 5 done 3-4 look:ok", "v2 6 done 4-5 write:ok"],
    ),
    "the reference to nothing that the step it replaces had": (
        """
goal: g
steps:
  - {id: 1, tool: look}
  - {id: 2, tool: sum, depends_on: []}
  - {id: 3, tool: write, args: {a: "#E99"}}
outcomes: [{match: {step: 2, version: 1}, returns: [semantic]}]
policy: {routing: {rules: [{name: give up, when: {step: 3}, granularity: none}]}}
""",
        '[{id: 2, tool: sum}, {id: 3, tool: write, args: {a: "#E99.rows", b: "<#E99>"}}]',
        ["v2 2 done 2-3 sum:ok", "v2 3 failed 3-3 (missing_var: #E99.rows: no such step)"],
    ),
    "the stale variable that the step it replaces read": (
        """
goal: g
steps:
  - {id: 1, tool: look, assumes: [p, q]}
  - {id: 2, tool: sum, depends_on: [], granularity: tail}
  - {id: 3, tool: write, args: {a: "#E1"}, depends_on: [1, 2]}
outcomes: [{match: {step: 2, version: 1}, returns: [{status: semantic, refutes: [p]}]}]
""",
        '[{id: 2, tool: sum}, {id: 9, tool: write, args: {a: ["<#E1>"]}, depends_on: [1, 2]}]',
        ["v2 2 done 2-3 sum:ok", "v2 9 done 3-4 write:ok"],
    ),
    "the void variable that the step it replaces read fails when its turn comes": (
        """
goal: g
steps:
  - {id: 1, tool: look, assumes: [p]}
  - {id: 2, tool: sum, depends_on: [], granularity: tail}
  - {id: 3, tool: write, args: {a: "#E1"}, depends_on: [1, 2]}
outcomes: [{match: {step: 2, version: 1}, returns: [{status: semantic, refutes: [p]}]}]
policy: {routing: {rules: [{name: give up, when: {step: 3}, granularity: none}]}}
""",
        '[{id: 2, tool: sum}, {id: 3, tool: write, args: {a: "#E1"}, depends_on: [1, 2]}]',
        ["v2 2 done 2-3 sum:ok", "v2 3 failed 3-3 (missing_var: #E1: void)"],
    ),
    "a stale variable with a verdict": (
        """
goal: g
steps: [{id: 1, tool: look, assumes: [p, q]}, {id: 2, tool: sum, granularity: tail}]
outcomes: [{match: {step: 2, version: 1}, returns: [{status: semantic, refutes: [p]}]}]
""",
        '[{id: 2, tool: sum, args: {of: "#E1"}}], verdicts: {E1: convert}',
        ["v2 2 done 2-3 sum:ok"],
    ),
    "another step's denied call that it had before fails when its turn comes": (
        """
goal: g
steps:
  - {id: 1, tool: look, args: {q: x}, on_failure: skip}
  - {id: 2, tool: sum, depends_on: [], granularity: tail}
  - {id: 3, tool: look, args: {q: x}, depends_on: [2]}
outcomes: [{match: {step: 1}, returns: [denied]}, {match: {step: 2, version: 1}, returns: [semantic]}]
""",
        "[{id: 2, tool: sum}, {id: 9, tool: look, args: {q: x}}]",
        ["v2 2 done 2-3 sum:ok", "v2 9 failed 3-3 (permission: denied before)"],
    ),
    "a step that rests on a gap": (
        """
goal: g
steps: [{id: 1, tool: look, on_failure: defer}, {id: 2, tool: sum, depends_on: []}]
outcomes: [{match: {step: 1}, returns: [error]}, {match: {step: 2, version: 1}, returns: [semantic]}]
""",
        '[{id: 2, tool: sum}, {id: 3, tool: write, args: {a: "#E1"}, depends_on: [1, 2]}]',
        ["v2 2 done 2-3 sum:ok", "v2 3 done 3-4 write:ok"],
    ),
    "some of what is left rests on a step that failed for good": (
        """
goal: g
steps: [{id: 1, tool: look, on_failure: skip}, {id: 2, tool: sum, depends_on: []}]
outcomes: [{match: {step: 1}, returns: [error]}, {match: {step: 2, version: 1}, returns: [semantic]}]
""",
        "[{id: 2, tool: sum}, {id: 3, tool: write, depends_on: [1]}, {id: 4, tool: write}]",
        ["v2 3 skipped 2-2", "v2 4 skipped 2-2", "v2 2 done 2-3 sum:ok"],
    ),
    "only what is kept is left, and it does not rest on the draft": (
        PLAN,
        "[{id: 1, tool: look}]",
        ["v2 5 done 2-3 look:ok", "v2 6 done 3-4 write:ok"],
    ),
}


@pytest.mark.parametrize(("plan", "listed", "after"), ADMITTED.values(), ids=ADMITTED)
def test_an_admitted_draft(plan: str, listed: str, after: list[str]) -> None:
    events, result = rehearse(answered(listed, plan))
    assert refusals(events) == []
    assert [line for line in history(result) if line.startswith("v2")] == after


def test_the_templates_copy_of_what_stands_is_excused_in_a_global_too() -> None:
    plan = """
goal: g
steps: [{id: 1, tool: look}, {id: 2, tool: sum, granularity: global}, {id: 3, tool: write, args: {a: "#E99"}}]
outcomes: [{match: {step: 2, version: 1}, returns: [semantic]}]
policy: {routing: {rules: [{name: give up, when: {error_type: missing_var}, granularity: none}]}}
"""
    events, result = rehearse(plan)
    assert (refusals(events), result.reason) == ([], "escalated")
    assert [line for line in version(result) if "#E99" in line] == [
        '6 write “write” {"a":"#E99"} after 5 instead of 3 – failed'
    ]


def test_the_failed_steps_own_denied_call_is_never_exempt() -> None:
    plan = """
goal: g
steps: [{id: 1, tool: look, args: {q: x}}, {id: 2, tool: look, args: {q: x}}]
policy: {routing: {rules: [{name: own, when: {error_type: permission}, granularity: tail}]}}
outcomes: [{match: {step: 1}, returns: [denied]}]
planner: [{when: {type: permission}, steps: [{id: 1, tool: look, args: {q: x}}, {id: 2, tool: look, args: {q: x}}]},
          {otherwise: give_up}]
"""
    events, result = rehearse(plan)
    assert refusals(events) == [("step 1 makes a call of look that was denied before",)]
    assert result.reason == "no_plan"


def test_two_steps_of_one_id_are_refused_where_the_draft_is_written_down() -> None:
    with pytest.raises(InputError, match="the draft has two steps 7"):
        rehearse(answered("[{id: 7, tool: sum}, {id: 7, tool: sum}]"))


GOOD = Draft((Step("2", "sum"),))

BAD: dict[str, tuple[object, str]] = {
    "it raises": (ValueError("no idea"), "the replanner failed: ValueError: no idea"),
    "it times out": (TimeoutError("30 s"), "the replanner failed: TimeoutError: 30 s"),
    "text": ("a plan", "the replanner answered with str, not with a list of steps"),
    "a list of something else": (["2"], "the replanner answered with list, not with a list of steps"),
    "a draft of something else": (Draft(("2",)), "the replanner answered with str where a step belongs"),  # type: ignore[arg-type]
    "a verdict that is none": (
        Draft((Step("2", "sum"),), {"E1": "perhaps"}),  # type: ignore[dict-item]
        "the replanner answered with 'perhaps' for E1, where keep, convert, discard belong",
    ),
    "a verdict in plain text": (
        Draft((Step("2", "sum", {"of": "#E1"}),), {"E1": "discard"}),  # type: ignore[dict-item]
        "step 2 reads #E1, which is void",
    ),
    "two steps of one id": (Draft((Step("7", "sum"), Step("7", "look"))), "step 7 is listed twice"),
}


@pytest.mark.parametrize(("answer", "reason"), BAD.values(), ids=BAD)
def test_a_bad_answer_is_a_bad_draft(answer: object, reason: str) -> None:
    replanner = Answering(answer, GOOD)
    events, result = rehearse(PLAN, replanner=replanner)
    assert refusals(events) == [(reason,)]
    assert (result.reason, version(result)[1]) == ("goal_met", "2 sum “sum” – done")
    assert [str(request.signal.error_type) for request in replanner.requests if request.signal] == [
        "semantic",
        "invalid_draft",
    ]
    told = reason if reason.startswith("the replanner") else ""
    assert [(draft.replanner, draft.error) for draft in drafts(events)] == [
        ("answering", told or None),
        ("answering", None),
    ]
