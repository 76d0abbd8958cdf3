"""`PlanExecuteAgent` over real callables: the plain two-budget loop, and the whole engine with a policy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from replanctl import FailureSignal, PlanExecuteAgent, Policy, SessionResult, Step, UsageError
from replanctl.host.functions import Toolbox
from replanctl.replan import GateLimits
from replanctl.run import events as e

Steps = list[Step]


def steps(*specs: tuple[str, str]) -> Steps:
    """Steps by id and tool."""
    return [Step(id_, tool, {}, f"what {tool} gives") for id_, tool in specs]


def answers(*plans: Steps) -> Callable[[str, Sequence[Step], FailureSignal | None], Steps]:
    """A planner that gives these plans one after the other, the last one again and again."""
    left = list(plans)
    return lambda goal, history, last_error: left.pop(0) if len(left) > 1 else left[0]


def work(name: str, args: dict[str, Any]) -> str:
    """A tool that is down when its name says so."""
    if name.startswith("bad"):
        raise ConnectionError(f"{name} is down")
    return f"{name}!"


def facts(result: SessionResult) -> tuple[str, str, list[str], list[tuple[Any, ...]]]:
    """Status, reason, what ran, and what each version changed."""
    ran = [f"{x.version} {x.step_id} {x.status}" for x in result.history]
    changed = [(r.removed, r.added, r.revised) for r in result.revisions]
    return result.status, result.reason, ran, changed


SAME = steps(("1", "bad"))
PLAIN: dict[str, tuple[list[Steps], dict[str, int], tuple[Any, ...]]] = {
    "linear success": (
        [steps(("1", "a"), ("2", "b"))],
        {},
        ("completed", "goal_met", ["v1 1 done", "v1 2 done"], []),
    ),
    "a failure is routed around": (
        [steps(("1", "a"), ("2", "bad"), ("3", "c")), steps(("4", "d"), ("3", "c"))],
        {},
        (
            "completed",
            "goal_met",
            ["v1 1 done", "v1 2 failed", "v2 4 done", "v2 3 done"],
            [(("2",), ("4",), ())],
        ),
    ),
    "a step is revised under its own id": (
        [steps(("1", "bad")), steps(("1", "good"))],
        {},
        ("completed", "goal_met", ["v1 1 failed", "v2 1 done"], [((), (), ("1",))]),
    ),
    "finished work listed again is not run again": (
        [steps(("1", "a"), ("2", "bad")), steps(("1", "a"), ("3", "c"))],
        {},
        ("completed", "goal_met", ["v1 1 done", "v1 2 failed", "v2 3 done"], [(("2",), ("3",), ())]),
    ),
    "the same broken plan until the budget": (
        [SAME],
        {"max_replans": 2},
        ("failed", "replan_budget", ["v1 1 failed", "v2 1 failed", "v3 1 failed"], [((), (), ())] * 2),
    ),
    "the same broken plan until the default budget": (
        [SAME],
        {},
        ("failed", "replan_budget", [f"v{n} 1 failed" for n in range(1, 7)], [((), (), ())] * 5),
    ),
    "twenty steps under a budget of five": (
        [steps(*((str(n), "a") for n in range(1, 21)))],
        {"max_steps": 5},
        ("failed", "step_budget", [f"v1 {n} done" for n in range(1, 6)], []),
    ),
    "no replans at all": ([SAME], {"max_replans": 0}, ("failed", "replan_budget", ["v1 1 failed"], [])),
    "an empty first plan": ([[]], {}, ("failed", "no_plan", [], [])),
    "nothing to replan": ([SAME, []], {}, ("failed", "no_plan", ["v1 1 failed"], [])),
}


@pytest.mark.parametrize(("plans", "budgets", "expected"), PLAIN.values(), ids=PLAIN)
def test_the_plain_loop(plans: list[Steps], budgets: dict[str, int], expected: tuple[Any, ...]) -> None:
    assert facts(PlanExecuteAgent(answers(*plans), work, **budgets).run("a goal")) == expected


def test_the_events_of_a_failure_that_is_routed_around_in_order() -> None:
    agent = PlanExecuteAgent(answers(steps(("1", "bad")), steps(("2", "good"))), work)
    kinds = [type(event).__struct_config__.tag for event in agent.events("a goal")]
    assert kinds == [
        "session.start", "plan.commit", "ledger", "step.start", "step.end", "signal", "route", "lesson",
        "gate", "gate", "gate", "plan.draft", "ledger", "gate", "gate", "plan.commit", "plan.diff",
        "step.start", "step.end", "session.complete",
    ]  # fmt: skip


def test_a_planner_is_told_what_ran_and_the_newest_error() -> None:
    told: list[tuple[str, list[tuple[str, Any, str | None]], str | None]] = []

    def planner(goal: str, history: Sequence[Step], last_error: FailureSignal | None) -> Steps:
        ran = [(step.id, step.result, step.error) for step in history]
        told.append((goal, ran, last_error and f"{last_error.step_id} {last_error.error_type}: {last_error.error_msg}"))
        return steps(("1", "a"), (str(len(told) + 1), "bad" if len(told) < 3 else "good"))

    PlanExecuteAgent(planner, work).run("a goal")
    first = ("1", "a!", None)
    assert told == [
        ("a goal", [], None),
        ("a goal", [first, ("2", None, "bad is down")], "2 environmental: bad is down"),
        ("a goal", [first, ("2", None, "bad is down"), ("3", None, "bad is down")], "3 environmental: bad is down"),
    ]


RAISED: list[tuple[type[Exception], str, str]] = [
    (TimeoutError, "environmental", "timeout"),
    (ConnectionRefusedError, "environmental", "unavailable"),
    (ConnectionError, "environmental", "tool_error"),
    (ConnectionResetError, "environmental", "tool_error"),
    (PermissionError, "permission", "denied"),
    (ValueError, "unknown", "error"),
    (KeyError, "unknown", "error"),
]


@pytest.mark.parametrize(("error", "error_type", "status"), RAISED)
def test_what_a_tool_raises_is_classified(error: type[Exception], error_type: str, status: str) -> None:
    def tool() -> None:
        raise error

    result = PlanExecuteAgent(answers(steps(("1", "t"))), {"t": tool}, max_replans=0).run("g")
    (signal,) = result.signals
    assert (signal.error_type, signal.error_msg) == (error_type, error.__name__)
    assert [attempt.status for attempt in result.history[0].attempts] == [status]


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit])
def test_a_person_who_stops_the_program_is_not_swallowed(stop: type[BaseException]) -> None:
    def tool(name: str, args: dict[str, Any]) -> None:
        raise stop

    with pytest.raises(stop):
        PlanExecuteAgent(answers(steps(("1", "t"))), tool).run("g")


def keywords(city: str, *, days: int = 1) -> str:
    return f"{city} {days}"


CALLED: list[tuple[Toolbox, dict[str, Any], Any]] = [
    ({"t": keywords}, {"city": "Oslo", "days": 2}, "Oslo 2"),
    ({"t": lambda **args: args}, {"x": 1}, {"x": 1}),
    (lambda name, args: (name, args), {"x": [1]}, ["t", {"x": [1]}]),
]


@pytest.mark.parametrize(("tools", "args", "value"), CALLED)
def test_how_tools_are_called(tools: Toolbox, args: dict[str, Any], value: Any) -> None:
    result = PlanExecuteAgent(answers([Step("1", "t", args)]), tools).run("g")
    assert result.variables["E1"].value == value


def test_a_tool_that_is_not_there_and_args_that_do_not_fit_are_failures() -> None:
    result = PlanExecuteAgent(answers(steps(("1", "nowhere"))), {"t": keywords}, max_replans=0).run("g")
    assert [s.error_msg for s in result.signals] == ["no tool named nowhere"]
    result = PlanExecuteAgent(answers([Step("1", "t", {"town": "Oslo"})]), {"t": keywords}, max_replans=0).run("g")
    assert (result.reason, result.signals[0].error_type) == ("replan_budget", "unknown")
    assert result.signals[0].error_msg == "TypeError: keywords() got an unexpected keyword argument 'town'"


def test_a_tool_can_not_change_the_plan() -> None:
    def tool(name: str, args: dict[str, Any]) -> str:
        args["list"].append(3)
        return "ok"

    result = PlanExecuteAgent(answers([Step("1", "t", {"list": [1, 2]})]), tool).run("g")
    assert result.history[0].args == {"list": [1, 2]}
    assert result.versions[0].steps[0].args == {"list": [1, 2]}


BAD_FIRST: list[tuple[Any, str]] = [
    ("a plan", "the planner failed: TypeError: a planner returns a list of Step, not str"),
    ([Step("1", "a"), Step("1", "b")], "two steps have the id 1"),
    ([Step("1", "a", depends_on=("9",))], "step 1 depends on 9, which no step is"),
    ([Step("1", "a", depends_on=("2",)), Step("2", "a")], "the steps wait for each other: 1 → 2 → 1"),
]


@pytest.mark.parametrize(("plan", "detail"), BAD_FIRST)
def test_a_first_plan_that_can_not_be_run_is_no_plan(plan: Any, detail: str) -> None:
    result = PlanExecuteAgent(lambda goal, history, last_error: plan, work).run("g")
    assert (result.status, result.reason, result.detail) == ("failed", "no_plan", detail)


def test_a_planner_that_raises_is_asked_as_often_as_the_budget_allows() -> None:
    asked: list[FailureSignal | None] = []

    def planner(goal: str, history: Sequence[Step], last_error: FailureSignal | None) -> Steps:
        asked.append(last_error)
        if last_error is None:
            return SAME
        raise RuntimeError("no idea")

    result = PlanExecuteAgent(planner, work, max_replans=3).run("g")
    assert (result.reason, len(asked)) == ("replan_budget", 4)
    assert [signal and signal.error_type for signal in asked] == [None, "environmental", *["invalid_draft"] * 2]


def test_with_a_policy_it_is_the_whole_engine() -> None:
    plan = steps(("1", "a"), ("2", "bad"), ("3", "c"))
    result = PlanExecuteAgent(answers(plan), work, policy=Policy()).run("g")
    assert (result.reason, [r.rule for r in result.routes]) == ("escalated", ["environmental"])
    assert len(result.history[1].attempts) == 3


def test_budgets_given_to_the_agent_win_over_the_policy() -> None:
    limits = {"max_steps": 3, "max_replans": 1}
    agent = PlanExecuteAgent(answers(SAME), work, policy=Policy(), **limits)
    start = next(iter(agent.events("g")))
    assert isinstance(start, e.SessionStart)
    assert {name: start.limits[name] for name in limits} == limits
    unsaid = next(iter(PlanExecuteAgent(answers(SAME), work, policy=Policy()).events("g")))
    assert isinstance(unsaid, e.SessionStart)
    assert (unsaid.limits["max_steps"], unsaid.limits["max_replans"]) == (12, 5)


@pytest.mark.parametrize("limit", [-1, True, 1.5, "3", None])
def test_a_budget_that_is_no_whole_number_is_refused(limit: Any) -> None:
    with pytest.raises(UsageError, match="max_steps is a whole number from 0 up"):
        PlanExecuteAgent(answers(SAME), work, max_steps=limit)


def test_time_is_what_the_clock_says() -> None:
    ticks = iter([0.0, 1.5, 10.0, 12.0])
    agent = PlanExecuteAgent(answers(steps(("1", "a"), ("2", "b"))), work, clock=lambda: next(ticks))
    result = agent.run("g")
    assert [(x.started, x.ended) for x in result.history] == [(0.0, 1.5), (1.5, 3.5)]


class Clock:
    """Time that passes only where somebody takes it."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize(("limit", "reason"), [(None, "goal_met"), (7.0, "goal_met"), (5.0, "time_budget")])
def test_a_real_planner_takes_session_time(limit: float | None, reason: str) -> None:
    """The first plan comes before the session; the replan takes 4 s of it, and each call one."""
    clock = Clock()

    def planner(goal: str, history: Sequence[Step], last_error: object) -> list[Step]:
        clock.now += 4
        return [Step("2" if last_error else "1", "works" if last_error else "fails")]

    def tool(name: str, args: dict[str, Any]) -> str:
        clock.now += 1
        if name == "fails":
            raise ValueError("no")
        return "yes"

    policy = Policy(gates=GateLimits(max_seconds=limit))
    result = PlanExecuteAgent(planner, tool, policy=policy, clock=clock).run("g")
    assert (result.reason, result.seconds) == (reason, 6.0 if reason == "goal_met" else 5.0)
    drafted = [event.at for event in result.events if event.type == "plan.draft"]
    assert drafted == [5.0]


def test_the_cause_that_a_planner_names_stands_in_the_lesson() -> None:
    def planner(goal: str, history: Sequence[Step], last_error: FailureSignal | None) -> Any:
        if last_error is None:
            return [Step("1", "fails")]
        assert "no" in last_error and str(last_error) == "ValueError: no"
        return {"steps": [Step("1", "works")], "cause": "the wrong tool"}

    def tool(name: str, args: dict[str, Any]) -> str:
        if name == "fails":
            raise ValueError("no")
        return "yes"

    result = PlanExecuteAgent(planner, tool, policy=Policy()).run("g")
    assert [(lesson.text, lesson.count) for lesson in result.lessons] == [
        ("v1 step 1 unknown: the wrong tool; avoid: fails: error", 1)
    ]
