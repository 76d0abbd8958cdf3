"""The names that can be imported from `replanctl`, and that the parts work alone."""

from __future__ import annotations

import doctest
import importlib
import io
import subprocess
import sys

import pytest

import replanctl
from replanctl import (
    BudgetGate,
    CostModel,
    FailureSignal,
    Granularity,
    LessonBook,
    OscillationGuard,
    Plan,
    ReplanBreaker,
    ReplanRequest,
    RouteFacts,
    Status,
    Step,
    VariableTable,
    build_prompt,
    classify,
    diff_plans,
    route,
)
from replanctl.replan.guards import fingerprint
from replanctl.replan.signal import ErrorType

PROMISED = (
    "load_plan", "Plan", "Step", "FailureSignal", "classify", "route", "ReplanBreaker", "BudgetGate",
    "OscillationGuard", "LessonBook", "VariableTable", "CostModel", "build_prompt", "diff_plans", "PlanDiff", "Event",
    "SessionResult", "PlanExecuteAgent", "Session", "resume", "replay", "rehearse", "mismatches", "ToolFailure",
    "Outcome", "Tool", "Policy", "GateLimits", "RetryPolicy", "OutcomeRule",
)  # fmt: skip


@pytest.mark.parametrize("name", sorted({*PROMISED, *replanctl.__all__}))
def test_every_public_name_is_there_and_says_what_it_is(name: str) -> None:
    assert name in replanctl.__all__
    value = getattr(replanctl, name)
    assert name == "__version__" or (value.__doc__ or "").strip()


@pytest.mark.parametrize("name", ["PlanExecuteAgent", "Session"])
def test_the_examples_of_docstrings_come_out_as_they_say(name: str) -> None:
    value, said = getattr(replanctl, name), io.StringIO()
    names = {each: getattr(replanctl, each) for each in replanctl.__all__}
    example = doctest.DocTestParser().get_doctest(value.__doc__, names, name, None, None)
    assert doctest.DocTestRunner(verbose=False).run(example, out=said.write) == (0, len(example.examples)), said
    assert len(example.examples) >= 2, said.getvalue()


def test_the_list_of_names_and_their_homes_agree() -> None:
    homes = {name: home for home, names in replanctl._HOMES.items() for name in names}
    assert ["__version__", *homes] == list(replanctl.__all__)
    assert all(getattr(importlib.import_module(home), name) for name, home in homes.items())


def test_importing_the_package_imports_nothing_else() -> None:
    code = "import sys; before = set(sys.modules); import replanctl; print(sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-S", "-c", f"import sys; sys.path[:0] = {sys.path!r}; {code}"],
                          capture_output=True, text=True, check=True)  # fmt: skip
    assert done.stdout == "['__future__', 'replanctl']\n"


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'Nothing'"):
        replanctl.Nothing  # noqa: B018


def test_parts_alone() -> None:
    signal = classify("3", Status.SHAPE, "no field named price", attempted=["look: shape"], radius=2)
    assert signal == FailureSignal("3", ErrorType.ASSUMPTION, "no field named price", ("look: shape",), {"radius": 2})
    decision = route(RouteFacts(signal.error_type, radius=2))
    assert (decision.rule, decision.granularity) == ("wide-radius", Granularity.TAIL)

    breaker = ReplanBreaker(per_step=1)
    assert breaker.check("3", "assumption").admitted
    breaker.record("3", "assumption")
    assert not breaker.check("3", "assumption").admitted
    assert breaker.check("3", "semantic").admitted
    assert BudgetGate("max_replan_tokens", 100).check(100).admitted
    assert not BudgetGate("max_replan_tokens", 100).check(101).admitted

    guard, a, b = OscillationGuard(), [("look", "web")], [("ask", "phone")]
    guard.replace(fingerprint(a), a.copy)
    guard.commit()
    guard.replace(fingerprint(b), b.copy)
    assert not guard.check(fingerprint(a), a.copy).admitted

    book = LessonBook()
    book.write("v1", "3", "assumption", "sells by quote only", "look: shape")
    assert [lesson.text for lesson in book] == ["v1 step 3 assumption: sells by quote only; avoid: look: shape"]

    table = VariableTable()
    table.add("1", [1], assumes=["prices"])
    assert [(change.step_id, change.health) for change in table.refute(["prices"])] == [("1", "void")]
    assert CostModel().patch(total=8, done=3) == 495

    old = Plan.of("g", [Step("1", "a"), Step("2", "b")])
    new = Plan.of("g", [Step("1", "a"), Step("3", "c")])
    diff = diff_plans(old, new)
    assert (diff.removed, diff.added) == (("2",), ("3",))
    text = build_prompt(ReplanRequest("a goal", Granularity.TAIL, signal=signal, remaining=old.steps))
    assert text.splitlines()[0] == "Goal: a goal"
