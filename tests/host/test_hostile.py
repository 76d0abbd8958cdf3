"""Whatever tools and planners do: no session raises or hangs, and its result can be written and read."""

from __future__ import annotations

import asyncio
import io
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from replanctl import (
    Coefficients,
    Draft,
    Event,
    GateLimits,
    Interruption,
    Lesson,
    Outcome,
    Plan,
    PlanExecuteAgent,
    Policy,
    RetryPolicy,
    ScriptedTools,
    Session,
    SessionResult,
    Step,
    Tool,
    ToolFailure,
    UsageError,
    fold,
)
from replanctl.cli.app import main
from replanctl.cli.world import World
from replanctl.run import AnyEvent


def once(*steps: Any) -> Callable[..., Any]:
    """A planner that has these steps and nothing for a failure."""
    return lambda goal, history, last_error: list(steps) if last_error is None else []


def deep(levels: int = 100_000) -> list[Any]:
    found: list[Any] = []
    for _ in range(levels):
        found = [found]
    return found


def endless() -> dict[str, Any]:
    found: dict[str, Any] = {}
    found["a"] = found
    return found


def raising(error: BaseException) -> Callable[..., Any]:
    def tool(**args: Any) -> None:
        raise error

    return tool


class Unmade(ToolFailure):
    """A failure whose parts were never set."""

    def __init__(self) -> None:
        pass


def spoilt(**parts: Any) -> ToolFailure:
    failure = ToolFailure("shape", "no rows")
    for name, value in parts.items():
        setattr(failure, name, value)
    return failure


class Odd:
    """Something that can be awaited, and misbehaves."""

    def __init__(self, given: Any) -> None:
        self.given = given

    def __await__(self) -> Any:
        return self.given


class Trap(dict[str, Any]):
    """A mapping that can't be looked into."""

    def get(self, key: str, default: Any = None) -> Any:
        raise RuntimeError("no look")


async def answer() -> int:
    return 5


def numbers() -> Iterator[int]:
    yield 1


# What a tool does, and how its step ended: the status, and what the failure says.
TOOLS: dict[str, tuple[Callable[..., Any], str, str]] = {
    "a huge number": (lambda: 10**5000, "failed", "a int that JSON can't say"),
    "a deep list": (deep, "failed", "nested too deep"),
    "itself": (endless, "failed", "in itself"),
    "cancelled": (raising(asyncio.CancelledError()), "failed", "CancelledError"),
    "a generator's end": (raising(GeneratorExit()), "failed", "GeneratorExit"),
    "an iterator's end": (raising(StopIteration()), "failed", "StopIteration"),
    "a group": (raising(BaseExceptionGroup("g", [asyncio.CancelledError()])), "failed", "BaseExceptionGroup: g"),
    "async": (answer, "done", ""),
    "a generator": (numbers, "failed", "a generator, which is no data"),
    "a coroutine in a list": (lambda: [_closed(answer())], "failed", "a coroutine, which is no data"),
    "awaits nothing": (lambda: Odd(5), "failed", "TypeError"),
    "awaits a number": (lambda: Odd(iter([5])), "failed", "Task got bad yield: 5"),
    "a failure never made": (raising(Unmade()), "failed", "a Unmade that does not say how it failed"),
    "a failure of no status": (raising(spoilt(status="x")), "failed", "a ToolFailure that does not say how it failed"),
    "a failure of other parts": (raising(spoilt(refutes=5)), "failed", "does not say how it failed"),
    "a message that is none": (raising(spoilt(message=object())), "failed", "does not say how it failed"),
    "a cause half written": (raising(ToolFailure("shape", "m", cause="\ud800")), "failed", "m"),
    "a premise half written": (raising(ToolFailure("shape", "m", refutes="\ud800")), "failed", "m"),
    "a wait without end": (raising(ToolFailure("rate_limited", retry_after=1e300)), "failed", "does not say how"),
    "tokens below nothing": (lambda: Outcome(tokens=-5), "failed", "tokens is a number from 0 to 1,000,000,000"),
    "tokens without end": (lambda: Outcome(tokens=10**30), "failed", "tokens is a number from 0"),
    "half a message": (lambda: Outcome("shape", message="\ud800"), "failed", "half a surrogate pair"),  # type: ignore[arg-type]
}


def _closed(coroutine: Any) -> Any:
    """The coroutine, which nobody will miss when it is not awaited."""
    coroutine.close()
    return coroutine


@pytest.mark.parametrize("policy", [None, Policy()], ids=["plain", "whole"])
@pytest.mark.parametrize(("tool", "status", "said"), TOOLS.values(), ids=TOOLS)
def test_no_tool_breaks_a_session(tool: Callable[..., Any], status: str, said: str, policy: Policy | None) -> None:
    steps = Step(1, "t"), Step(2, "use", {"q": "see #E1"})
    result = written(PlanExecuteAgent(once(*steps), {"t": tool, "use": lambda q: q}, policy=policy).run("g"))
    assert result.history[0].status == status
    error = result.history[0].error
    assert said in (error.error_msg if error is not None else "")


# What a planner answers at first, and what its session says of it.
PLANS: dict[str, tuple[Any, str]] = {
    "no args": ([Step(1, "u", None)], "goal_met"),
    "a number to rest on": ([Step(1, "u", depends_on=1)], "no_plan"),
    "a word as contract": ([Step(1, "u", produces="x")], "no_plan"),  # type: ignore[arg-type]
    "a number as premise": ([Step(1, "u", assumes=5)], "no_plan"),  # type: ignore[arg-type]
    "an id half written": ([Step("\ud800", "u"), Step(3, "u", depends_on=9)], "no_plan"),
    "an id of two words": ([Step("a b", "u")], "no_plan"),
    "an id of no letters": ([Step("", "u")], "no_plan"),
    "args in themselves": ([Step(1, "u", {"q": endless()})], "no_plan"),
    "args half written": ([Step(1, "u", {"q": "\ud800"})], "no_plan"),
    "a tool half written": ([Step(1, "\ud800")], "no_plan"),
    "an outcome half written": ([Step(1, "u", expected_outcome="\ud800")], "no_plan"),
    "a premise half written": ([Step(1, "u", assumes="\ud800")], "no_plan"),
    "a generator": (numbers(), "no_plan"),
    "nothing": (None, "no_plan"),
    "a number": (5, "no_plan"),
    "verdicts that are none": ({"steps": [Step(1, "u")], "verdicts": 5}, "no_plan"),
    "a cause that is none": ({"steps": [Step(1, "u")], "cause": object()}, "goal_met"),
    "a cause half written": ({"steps": [Step(1, "u")], "cause": "\ud800"}, "goal_met"),
    "other keys": ({"step": []}, "no_plan"),
    "a draft of numbers": (Draft((5,)), "no_plan"),  # type: ignore[arg-type]
    "a draft of other parts": (Draft((Step(1, "u"),), 5, cause=object()), "goal_met"),  # type: ignore[arg-type]
}


@pytest.mark.parametrize(("plan", "reason"), PLANS.values(), ids=PLANS)
def test_no_plan_breaks_a_session(plan: Any, reason: str) -> None:
    agent = PlanExecuteAgent(lambda *asked: plan, {"u": lambda **args: "ok"})
    assert written(agent.run("g")).reason == reason


@pytest.mark.parametrize("policy", [None, Policy()], ids=["plain", "whole"])
@pytest.mark.parametrize("plan", [plan for plan, _ in PLANS.values()], ids=PLANS)
def test_no_draft_breaks_a_session(plan: Any, policy: Policy | None) -> None:
    def planner(goal: str, history: Sequence[Step], last_error: object) -> Any:
        return [Step(7, "fail")] if last_error is None else plan

    agent = PlanExecuteAgent(planner, {"u": lambda **args: "ok", "fail": raising(LookupError())}, policy=policy)
    assert written(agent.run("g")).reason in ("goal_met", "replan_budget", "step_breaker", "no_plan")


@pytest.mark.parametrize("tools", [Trap(u=len), lambda name, args: numbers()], ids=["a trap", "one function"])
def test_no_toolbox_breaks_a_session(tools: Any) -> None:
    assert written(PlanExecuteAgent(once(Step(1, "u")), tools).run("g")).reason == "no_plan"


@pytest.mark.parametrize("goal", [None, 5, "", "\ud800"], ids=ascii)
def test_a_goal_is_text(goal: Any) -> None:
    agent = PlanExecuteAgent(once(Step(1, "u")), {"u": len})
    for does in (agent.run, agent.events, agent.change_goal, lambda goal: asyncio.run(agent.arun(goal))):
        with pytest.raises(UsageError, match="a goal is text, not "):
            does(goal)
    with pytest.raises(UsageError, match="a goal is text, not "):
        Session(Plan.of(goal, [Step(1, "u")]), tools=ScriptedTools(()))


POLICIES: dict[str, tuple[Callable[[], Policy], str]] = {
    "no room": (lambda: Policy(max_parallel=0), "max_parallel is a number from 1"),  # it would wait for ever
    "text": (lambda: Policy(max_parallel="2"), "Expected `int`, got `str`"),  # type: ignore[arg-type]
    "a limit in words": (lambda: Policy(gates=GateLimits(max_steps="5")), "got `str`"),  # type: ignore[arg-type]
    "a limit below": (lambda: Policy(gates=GateLimits(max_steps=-1)), "max_steps is a whole number from 0 up or None"),
    "no limit": (lambda: Policy(gates=GateLimits(max_replans=None)), "null"),  # type: ignore[arg-type]
    "no attempts": (
        lambda: Policy(retry=RetryPolicy(max_attempts=0)),
        "retry.max_attempts is a number from 1 ",
    ),
    "no number": (lambda: Policy(retry=RetryPolicy(backoff=float("nan"))), "retry.backoff is a number from 0"),
    "tokens below": (lambda: Policy(coefficients=Coefficients(step=-1)), "coefficients.step is a number from 0"),
}


@pytest.mark.parametrize(("policy", "said"), POLICIES.values(), ids=POLICIES)
def test_a_policy_is_looked_at_before_anything_runs(policy: Callable[[], Policy], said: str) -> None:
    for made in (
        lambda: PlanExecuteAgent(once(Step(1, "u")), {"u": len}, policy=policy()),
        lambda: Session(Plan.of("g", [Step(1, "u")]), policy(), tools=ScriptedTools(())),
    ):
        with pytest.raises(UsageError, match=said):
            made()


# What stands beside planner and tools, and what is said of it before anything runs.
BESIDE: dict[str, tuple[dict[str, Any], str]] = {
    "no specs": ({"specs": 5}, "map tool names to Tool.*, which a int does not"),
    "no tool": ({"specs": {"u": 5}}, "'u' is mapped to a int"),
    "a time in words": ({"specs": {"u": Tool(timeout="30s")}}, "u: Expected `float`, got `str` - at `\\$.timeout`"),  # type: ignore[arg-type]
    "no time": ({"specs": {"u": Tool(timeout=float("nan"))}}, "its timeout is a number of seconds from 0, not nan"),
    "one fallback": ({"specs": {"u": Tool(fallback="v")}}, "Expected `array`, got `str`"),  # type: ignore[arg-type]
    "no schema": ({"specs": {"u": Tool(args=0)}}, "Expected `object . null`, got `int`"),  # type: ignore[arg-type]
    "a schema that is none": ({"specs": {"u": Tool(args={"type": 5})}}, "its args are not a sound JSON Schema"),
    "one lesson": ({"lessons": 5}, "lessons are a list, not a int"),
    "no clock": ({"clock": 5}, "clock is a int, which can't be called"),
    "nobody to tell": ({"on_error": 5}, "on_error is a int, which can't be called"),
    "half a policy": ({"policy": Policy(max_parallel="\ud800")}, "the policy is none"),  # type: ignore[arg-type]
}


@pytest.mark.parametrize(("beside", "said"), BESIDE.values(), ids=BESIDE)
def test_what_is_given_beside_is_looked_at_before_anything_runs(beside: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        PlanExecuteAgent(once(Step(1, "u")), {"u": len}, **beside)
    if specs := beside.get("specs"):
        with pytest.raises(UsageError, match=said):
            Session(Plan.of("g", [Step(1, "u")]), tools=ScriptedTools(()), specs=specs)
        with pytest.raises(UsageError, match=said):
            Session(Plan.of("g", [Step(1, "u")], tools=specs), tools=ScriptedTools(()))


def test_what_changes_a_stopped_session_is_looked_at() -> None:
    agent = PlanExecuteAgent(once(Step(1, "u")), {"u": raising(LookupError())})
    stopped = agent.run("g")
    for changes in ({"limits": 5}, {"settle": 5}, {"settle": {"1": 5}}, {"settle": {"1": ("done", 1, 2)}}):
        with pytest.raises(UsageError):
            agent.resume(stopped, **changes)
    with pytest.raises(UsageError, match="refutes are a list, not a int"):
        agent.change_goal("h", refutes=5)  # type: ignore[arg-type]


AN = {"text": "x", "count": 1, "version": "v1", "step_id": None, "error_type": "unknown"}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"interruptions": 7}, "interruptions are a list, not a int"),
        ({"interruptions": None}, "interruptions are a list, not a NoneType"),
        ({"interruptions": "soon"}, r"interruptions are a list of Interruption\(…\), and there is a str in it"),
        (
            {"interruptions": [{"goal": "x"}]},
            r"interruptions are a list of Interruption\(…\), and there is a dict in it",
        ),
        ({"interruptions": [Interruption("x", after=2)]}, r"interruptions hold what is no Interruption: .*after"),
        ({"interruptions": [Interruption("")]}, "a goal is text, not ''"),
        ({"interruptions": [Interruption("x", at=-1.0)]}, "at is a number of seconds from 0, not -1.0"),
        ({"interruptions": [Interruption("x", at=float("nan"))]}, "at is a number of seconds from 0, not nan"),
        ({"lessons": 7}, "lessons are a list, not a int"),
        ({"lessons": ["avoid it"]}, r"lessons are a list of Lesson\(…\), and there is a str in it"),
        ({"lessons": [Lesson(**AN | {"count": "often"})]}, r"lessons hold what is no Lesson: .*count"),
        ({"default_tool": "mail"}, "the default_tool is a str, not a Tool"),
        ({"default_tool": None}, "the default_tool is a NoneType, not a Tool"),
    ],
)
def test_what_a_session_starts_with_is_looked_at_before_anything_runs(given: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        Session(Plan.of("g", [Step(1, "u")]), tools=ScriptedTools(()), **given)


def test_what_a_session_starts_with_may_come_one_by_one() -> None:
    """Lists are read once: what is read to be looked at is still there for the session."""
    given: dict[str, Any] = {
        "interruptions": (one for one in [Interruption("h", after="1")]), "lessons": (one for one in [Lesson(**AN)])
    }  # fmt: skip
    session = Session(Plan.of("g", [Step(1, "u")]), tools=ScriptedTools(()), **given)
    result = fold(session.events())
    assert (result.goal, result.lessons[0].text) == ("h", "x")


def test_args_with_too_much_in_them_are_no_call() -> None:
    """The bound of a call is what is read in all, here as in scripts: 80 texts of a megabyte are one value."""
    called: list[str] = []
    steps = Step(1, "t"), Step(2, "u", {"q": ["#E1"] * 80})
    agent = PlanExecuteAgent(once(*steps), {"t": lambda: "x" * 1_000_000, "u": lambda q: called.append("u")})
    (signal,) = written(agent.run("g")).signals
    assert (signal.step_id, signal.error_type, signal.attempted, called) == ("2", "assumption", (), [])


def written(result: SessionResult) -> SessionResult:
    """The result, which can be written and read again, its events too."""
    assert msgspec.json.decode(msgspec.json.encode(result), type=SessionResult) == result
    for event in result.events:
        assert isinstance(event, Event)
        assert type(msgspec.json.decode(msgspec.json.encode(event), type=AnyEvent)) is type(event)
    return result


# -- the same from a command line --

CALLED = """\
import asyncio
import sys


class BadStr(Exception):
    def __str__(self):
        raise RuntimeError("no str")


class BadRepr:
    def __repr__(self):
        raise RuntimeError("no repr")


class ExitRepr:
    def __repr__(self):
        sys.exit(3)


class Whole(int):
    def __repr__(self):
        raise RuntimeError


def fail(error):
    raise error


CASES = {
    "bad str": lambda: fail(BadStr()),
    "bad repr": BadRepr,
    "exit in repr": ExitRepr,
    "cancelled": lambda: fail(asyncio.CancelledError()),
    "exit": lambda: sys.exit(3),
    "whole": lambda: Whole(4),
    "interrupted in a group": lambda: fail(BaseExceptionGroup("g", [KeyboardInterrupt()])),
}
"""
PLAN = """\
goal: g
steps:
  - {{id: 1, tool: t, args: {{case: {case}}}}}
  - {{id: 2, tool: t, args: {{case: whole, seen: "see #E1"}}}}
"""
# The exit code; an interrupted run is kept as far as it came.
CODES = {
    "bad str": 1,
    "bad repr": 1,
    "exit in repr": 1,
    "cancelled": 1,
    "exit": 1,
    "whole": 0,
    "interrupted in a group": 130,
}


@pytest.mark.parametrize(("case", "code"), CODES.items(), ids=CODES)
def test_no_tool_breaks_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str, code: int) -> None:
    monkeypatch.chdir(tmp_path)
    module = f"hostile_{os.getpid()}_{case.replace(' ', '_')}"
    text = f"{CALLED}\n\ndef one(name, args):\n    return CASES[args['case']]()\n"
    (tmp_path / f"{module}.py").write_text(text, encoding="utf-8")
    (tmp_path / "plan.yaml").write_text(PLAN.format(case=case), encoding="utf-8")
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.TextIOWrapper(io.BytesIO(), "utf-8")
    world = World(io.StringIO(), out, err, {"REPLANCTL_STORE": str(tmp_path / "store")}, lambda: "2026-01-01T00:00:00Z")
    assert main(["run", "plan.yaml", "--tools", f"{module}:one", "--format", "json"], world) == code
    err.seek(0)
    assert "Traceback" not in err.read()
    if code < 2:
        assert main(["replay", "-q"], world) == 0
