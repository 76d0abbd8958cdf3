"""What a planner function is told that answers with something else than steps."""

from __future__ import annotations

import pytest

from replanctl import PlanExecuteAgent, Step

ANSWERS = [
    (None, "TypeError: a planner returns a list of Step, not NoneType"),
    ("look", "TypeError: a planner returns a list of Step, not str"),
    ([Step(1, "look"), {"id": 2, "tool": "write"}], "ValueError: a dict where a Step belongs"),
    ({"step": []}, "TypeError: a planner answers with steps, cause, verdicts, and not with 'step'"),
]


@pytest.mark.parametrize(("answer", "said"), ANSWERS)
def test_an_answer_that_is_no_list_of_steps(answer: object, said: str) -> None:
    result = PlanExecuteAgent(lambda *_: answer, {}).run("g")  # type: ignore[arg-type, return-value]
    fault = f"the planner failed: {said}"
    assert (result.reason, result.detail) == ("no_plan", fault)
