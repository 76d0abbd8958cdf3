"""Python tools are what they seem: awaited, called with keywords, copied, and free to say how they failed."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from replanctl import (
    Draft,
    FailureSignal,
    Interruption,
    Lesson,
    Outcome,
    PlanExecuteAgent,
    Policy,
    Session,
    SessionResult,
    Status,
    Step,
    Tool,
    ToolFailure,
    UsageError,
)
from replanctl.host.functions import FunctionTools

Steps = list[Step]


def once(*steps: Step) -> Callable[[str, Sequence[Step], FailureSignal | None], Steps]:
    """A planner that has one plan, and nothing to say to a failure."""
    return lambda goal, history, last_error: list(steps) if last_error is None else []


def run(tool: Callable[..., Any], *, policy: Policy | None = None, **args: Any) -> SessionResult:
    """A session of one step that calls this tool."""
    return PlanExecuteAgent(once(Step(1, "t", args)), {"t": tool}, policy=policy).run("g")


# -- async --


async def slowly(x: int) -> int:
    await asyncio.sleep(0)
    return x + 1


class Later:
    """Something that can be awaited, and is no coroutine."""

    def __await__(self) -> Any:
        return slowly(1).__await__()


@pytest.mark.parametrize("tool", [slowly, lambda x: slowly(x), lambda x: Later()])
def test_what_an_async_tool_returns_is_awaited(tool: Callable[..., Any]) -> None:
    assert run(tool, x=1).variables["E1"].value == 2


def test_an_async_tool_that_raises_is_a_failure() -> None:
    async def tool() -> None:
        raise ConnectionRefusedError("down")

    (signal,) = run(tool).signals
    assert (signal.error_type, signal.error_msg, signal.attempted) == ("environmental", "down", ("t: unavailable",))


def test_an_async_planner_is_awaited() -> None:
    async def planner(goal: str, history: Sequence[Step], last_error: FailureSignal | None) -> Steps:
        await asyncio.sleep(0)
        return [Step(1, "t")]

    assert PlanExecuteAgent(planner, {"t": lambda: 1}).run("g").reason == "goal_met"


def test_a_session_runs_in_a_loop_that_is_running() -> None:
    """Async tools meet their own loop; the loop goes on meanwhile, sync tools included."""
    met: list[asyncio.AbstractEventLoop] = []

    async def there() -> str:
        met.append(asyncio.get_running_loop())
        return "there"

    async def main() -> tuple[SessionResult, int]:
        ticks = 0

        async def tick() -> None:
            nonlocal ticks
            while True:
                ticks += 1
                await asyncio.sleep(0)

        ticking = asyncio.create_task(tick())
        agent = PlanExecuteAgent(once(Step(1, "a"), Step(2, "b")), {"a": there, "b": lambda: "here"})
        result = await agent.arun("g")
        ticking.cancel()
        met.append(asyncio.get_running_loop())
        return result, ticks

    result, ticks = asyncio.run(main())
    assert [variable.value for variable in result.variables.values()] == ["there", "here"]
    assert met[0] is met[1]
    assert ticks > 1


def test_run_works_inside_a_running_loop_too() -> None:
    async def main() -> SessionResult:
        return run(slowly, x=1)

    assert asyncio.run(main()).variables["E1"].value == 2


def test_a_cancelled_session_starts_nothing_more() -> None:
    called = []

    async def main() -> None:
        begun = asyncio.Event()

        async def wait() -> None:
            begun.set()
            await asyncio.sleep(0.05)

        agent = PlanExecuteAgent(once(Step(1, "a"), Step(2, "b")), {"a": wait, "b": lambda: called.append("b")})
        task = asyncio.create_task(agent.arun("g"))
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.sleep(0.1)

    asyncio.run(main())
    assert called == []


# -- how a tool says that it failed --

SAID: dict[str, tuple[Callable[[], Any], tuple[str, str, str]]] = {
    "semantic": (lambda: fail(ToolFailure("semantic", "wrong city")), ("semantic", "wrong city", "t: semantic")),
    "an enum": (lambda: fail(ToolFailure(Status.EMPTY)), ("assumption", "empty", "t: empty")),
    "an outcome": (lambda: Outcome(Status.SHAPE, message="no rows"), ("assumption", "no rows", "t: shape")),
    "no such status": (
        lambda: fail(ToolFailure("borken")),
        ("unknown", "ValueError: 'borken' is not a valid Status", "t: error"),
    ),
    "not a failure": (lambda: fail(ToolFailure("ok")), ("unknown", "ValueError: a tool can't fail as ok", "t: error")),
    "an outcome that is none": (
        lambda: Outcome("fine"),  # type: ignore[arg-type]
        ("unknown", "TypeError: the tool's Outcome is none: Invalid enum value 'fine' - at `$.status`", "t: error"),
    ),
    "a class in front": (lambda: {}["month"], ("unknown", "KeyError: 'month'", "t: error")),
    "no words": (lambda: fail(ValueError()), ("unknown", "ValueError", "t: error")),
    "cancelled": (lambda: fail(asyncio.CancelledError()), ("unknown", "CancelledError", "t: error")),
    "a group": (
        lambda: fail(BaseExceptionGroup("g", [asyncio.CancelledError()])),
        ("unknown", "BaseExceptionGroup: g (1 sub-exception)", "t: error"),
    ),
}


def fail(error: BaseException) -> None:
    raise error


@pytest.mark.parametrize(("tool", "said"), SAID.values(), ids=SAID)
def test_what_a_tool_says_of_its_failure(tool: Callable[[], Any], said: tuple[str, str, str]) -> None:
    (signal,) = run(tool).signals
    assert (signal.error_type, signal.error_msg, *signal.attempted) == said


class WordlessError(Exception):
    """An exception that can't be shown."""

    def __str__(self) -> str:
        raise RuntimeError("no words")


def test_an_exception_that_can_not_be_shown_is_told_by_its_class() -> None:
    assert run(lambda: fail(WordlessError())).signals[0].error_msg == "WordlessError"


def test_an_interrupt_in_a_group_is_an_interrupt() -> None:
    with pytest.raises(KeyboardInterrupt):
        run(lambda: fail(BaseExceptionGroup("g", [KeyboardInterrupt()])))


def test_a_tool_refutes_a_premise_and_gives_the_cause() -> None:
    """What scripts have of premises, a real tool has too: the route, the health, the lesson."""
    first, second = Step(1, "look", assumes="public"), Step(2, "price", {"at": "#E1"}, assumes=["public"])

    def planner(goal: str, history: Sequence[Step], last_error: FailureSignal | None) -> Steps:
        return [first, second] if last_error is None else []

    def price(at: str) -> None:
        raise ToolFailure("shape", "no price", refutes="public", cause="sold by quote")

    result = PlanExecuteAgent(planner, {"look": lambda: "A", "price": price}, policy=Policy()).run("g")
    assert [(route.rule, route.granularity) for route in result.routes] == [("premise-overturned", "global")]
    assert result.variables["E1"].health == "void"
    assert result.lessons[0].text == "v1 step 2 assumption: sold by quote; avoid: price: shape"


def test_a_tool_says_when_to_come_again() -> None:
    left = [ToolFailure("rate_limited", retry_after=7), None]

    def tool() -> str:
        if error := left.pop(0):
            raise error
        return "ok"

    result = run(tool, policy=Policy())
    assert (result.reason, round(result.seconds)) == ("goal_met", 7)


# -- what is given --

GIVEN: dict[str, tuple[dict[str, Any], str]] = {
    "a list as tools": ({"tools": ["look"]}, "tools are a list, which can't be called"),
    "a tool that is none": ({"tools": {"look": 1}}, "the tool look is a int, which can't be called"),
    "a planner that is none": ({"planner": [Step(1, "look")]}, "the planner is a list, which can't be called"),
    "another policy": ({"policy": {"mode": "rewoo"}}, "the policy is a dict, not a Policy"),
    "specs of something else": (
        {"specs": {"look": {"idempotent": False}}},
        "specs map tool names to Tool(…), and 'look' is mapped to a dict",
    ),
    "a lesson that is none": ({"lessons": [3]}, "a lesson is a Lesson or text, not a int"),
}


@pytest.mark.parametrize(("given", "said"), GIVEN.values(), ids=GIVEN)
def test_an_agent_looks_at_what_it_is_given(given: dict[str, Any], said: str) -> None:
    sound: dict[str, Any] = {"planner": once(), "tools": {}}
    with pytest.raises(UsageError, match=said.replace("(", r"\(").replace(")", r"\)")):
        PlanExecuteAgent(**(sound | given))


def cyclic() -> dict[str, Any]:
    args: dict[str, Any] = {}
    args["a"] = args
    return args


WRONG: dict[str, tuple[Steps, str]] = {
    "equal ids": ([Step(1, "t"), Step("1", "t")], "two steps have the id 1"),
    "an unknown dependency": ([Step(1, "t", depends_on=[9])], "step 1 depends on 9, which no step is"),
    "a circle": ([Step(1, "t", depends_on=2), Step(2, "t")], "the steps wait for each other: 1 → 2 → 1"),
    "args that hold themselves": (
        [Step(1, "t", cyclic())],
        "step 1: its args hold a dict nested too deep, or in itself",
    ),
    "args that are none": ([Step(1, "t", 5)], "step 1: its args are no mapping of names to values"),  # type: ignore[arg-type]
    "no tool": ([Step(1)], "step 1: it has no tool"),
    "alternatives that are none": (
        [Step(1, "t", alternatives=[5])],  # type: ignore[list-item]
        "step 1: a int where an Alternative belongs",
    ),
    "a contract that is none": (
        [Step(1, "t", produces={"rows": "rows"})],
        "step 1: it produces rows of no known type (any, str, int, float, bool, list, dict, with or without ?)",
    ),
    "assumes a number": ([Step(1, "t", assumes=5)], "step 1: it assumes what is no name"),  # type: ignore[arg-type]
}


@pytest.mark.parametrize(("steps", "said"), WRONG.values(), ids=WRONG)
def test_steps_that_can_not_be_run_are_told_before_anything_runs(steps: Steps, said: str) -> None:
    """By the agent as what its planner did, by a session as wrong usage."""
    from replanctl import Plan

    result = PlanExecuteAgent(once(*steps), {"t": lambda: 1}).run("g")
    assert (result.reason, result.history) == ("no_plan", ())
    assert said in result.detail
    with pytest.raises(UsageError) as caught:
        Session(Plan.of("g", steps), tools=FunctionTools({"t": lambda: 1}))
    assert str(caught.value) == f"the plan can't be run: {said}"


def test_ids_may_be_whole_numbers_wherever_ids_stand() -> None:
    step = Step(3, "t", depends_on=[1, "2"], replaces=2, assumes="a", on_failure="skip", granularity="tail")
    assert (step.id, step.depends_on, step.replaces, step.assumes) == ("3", ("1", "2"), "2", ("a",))
    assert Step(3, "t", depends_on=1).depends_on == ("1",)


def test_results_are_the_session_s_own_copies() -> None:
    shared: list[int] = []
    seen: list[Any] = []

    def add() -> list[int]:
        shared.append(len(shared))
        return shared

    def planner(goal: str, history: Sequence[Step], last_error: FailureSignal | None) -> Steps:
        for step in history[:2]:
            step.result.append("planner's")
            seen.append(step.result)
        return [Step(1, "add"), Step(2, "add"), Step(3, "fail")] if last_error is None else []

    args = {"list": [1]}
    result = PlanExecuteAgent(planner, {"add": add, "fail": lambda: fail(ValueError())}).run("g")
    assert [variable.value for variable in result.variables.values()] == [[0], [0, 1]]
    assert seen[0][:2] == [0, "planner's"]
    kept = PlanExecuteAgent(once(Step(1, "t", args)), {"t": lambda **taken: args["list"].append(2)}).run("g")
    assert kept.history[0].args == {"list": [1]}


# -- more than a file has, and as much --


@pytest.mark.parametrize("from_where", ["a tool", "a thread"])
def test_the_goal_is_changed_from_outside(from_where: str) -> None:
    goals: list[str] = []

    def planner(goal: str, history: Sequence[Step], last_error: FailureSignal | None) -> Steps:
        goals.append(goal)
        return [Step(len(goals) * 10, "turn"), Step(len(goals) * 10 + 1, "turn")] if len(goals) < 3 else []

    def turn() -> str:
        def change() -> None:
            agent.change_goal("another", refutes="the first")

        if len(goals) == 1:
            if from_where == "a tool":
                change()
            else:
                thread = threading.Thread(target=change)
                thread.start()
                thread.join()
        return "ok"

    agent = PlanExecuteAgent(planner, {"turn": turn}, policy=Policy())
    result = agent.run("the one")
    assert goals == ["the one", "another"]
    assert (result.reason, result.goal) == ("goal_met", "another")
    assert [(row.version, row.step_id) for row in result.history] == [("v1", "10"), ("v2", "20"), ("v2", "21")]


def test_a_planner_may_answer_with_verdicts() -> None:
    def planner(goal: str, history: Sequence[Step], last_error: FailureSignal | None) -> Any:
        if last_error is None:
            return [Step(1, "a", assumes="p"), Step(2, "b", {"x": "#E1"}, assumes=["p", "q"])]
        return {"steps": [Step(3, "c", {"x": "#E1"})], "verdicts": {"E1": "keep"}}

    def b(x: str) -> None:
        raise ToolFailure("semantic", "no", refutes=["q"])

    tools: dict[str, Callable[..., Any]] = {"a": lambda: 1, "b": b, "c": lambda x: x}
    result = PlanExecuteAgent(planner, tools, policy=Policy()).run("g")
    assert (result.reason, result.variables["E3"].value) == ("goal_met", 1)


def test_a_draft_is_an_answer_too() -> None:
    planner = lambda goal, history, last_error: Draft((Step(1, "t"),))  # noqa: E731
    assert PlanExecuteAgent(planner, {"t": lambda: 1}).run("g").reason == "goal_met"


def test_lessons_are_carried_from_one_session_to_the_next() -> None:
    first = run(lambda: fail(ValueError("no")), policy=Policy())
    second = PlanExecuteAgent(once(Step(1, "t")), {"t": lambda: 1}, lessons=[*first.lessons, "mind the gap"]).run("g")
    assert [lesson.text for lesson in second.lessons] == [first.lessons[0].text, "mind the gap"]
    assert Lesson("x", 1, "v1", None, "unknown").text == "x"


def test_specs_say_of_tools_what_a_plan_would() -> None:
    def timeout() -> None:
        raise TimeoutError

    tries: list[int] = []
    specs = {"t": Tool(fallback=("u",))}
    tools: dict[str, Callable[..., Any]] = {"t": timeout, "u": lambda: tries.append(1)}
    result = PlanExecuteAgent(once(Step(1, "t")), tools, policy=Policy(), specs=specs).run("g")
    assert [attempt.tool for attempt in result.history[0].attempts] == ["t", "t", "t", "u"]
    assert result.reason == "goal_met"


def test_a_result_keeps_its_events_and_its_document_does_not() -> None:
    import msgspec

    result = run(lambda: 1)
    assert type(result.events[0]).__name__ == "SessionStart"
    assert "events" not in msgspec.to_builtins(result)


def test_exceptions_are_told_with_their_tracebacks() -> None:
    told: list[BaseException] = []
    agent = PlanExecuteAgent(once(Step(1, "t")), {"t": lambda: fail(ValueError("no"))}, on_error=told.append)
    agent.run("g")
    assert [str(error) for error in told] == ["no"]
    assert told[0].__traceback__ is not None


def test_the_mode_of_a_policy_may_be_written_as_text() -> None:
    assert Policy(mode="rewoo").mode == "rewoo"
    with pytest.raises(UsageError, match="a policy's mode is one of hybrid, replan, rewoo, auto, not 'other'"):
        Policy(mode="other")  # type: ignore[arg-type]
    assert Interruption("g", after="1").after == "1"
