"""Work is counted, not timed: what a replan and a step take does not grow with the plan."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

import pytest

from replanctl.plan.model import Plan, Step
from replanctl.replan.gates import GateLimits
from replanctl.replan.replanner import PlannerRule, PlannerWhen, ScriptedReplanner
from replanctl.replan.signal import Status
from replanctl.run import events as e
from replanctl.run.engine import Session
from replanctl.run.interruptions import Interruption
from replanctl.run.policy import Policy
from replanctl.script import Entry, Match, OutcomeRule, ScriptedTools

UNLIMITED = Policy(gates=GateLimits(per_step=None, max_replans=100, max_replan_tokens=None, max_steps=None))
SIZES = (50, 500, 5_000)
WRONG, RIGHT = Entry(Status.SHAPE), Entry(Status.OK)


def threads(count: int) -> Plan:
    """Threads of four steps each, one after the other in the list."""
    steps = []
    for thread in range(count // 4):
        for place in range(4):
            id_ = str(thread * 4 + place + 1)
            after = (str(int(id_) - 1),) if place else ()
            args = {"read": f"#E{after[0]}"} if after else {}
            steps.append(Step(id_, f"t{place}", args, depends_on=after, action=f"do {id_}"))
    return Plan.of("count", steps)


def counted(advance: Callable[[], Any]) -> tuple[int, Any]:
    """How many functions, Python's and C's, one advance calls; and what it returns."""
    calls = 0

    def count(frame: FrameType, kind: str, argument: Any) -> None:
        nonlocal calls
        calls += kind in ("call", "c_call")

    sys.setprofile(count)
    try:
        value = advance()
    finally:
        sys.setprofile(None)
    return calls, value


def measured(session: Session) -> Iterator[tuple[int, e.Event]]:
    """Each event with the work it took to come to it."""
    events = session.events()
    while True:
        calls, event = counted(lambda: next(events, None))
        if event is None:
            return
        yield calls, event


def replan_work(session: Session) -> list[int]:
    """The work of each of the first four replans, from the route to the diff."""
    found: list[int] = []
    under_way = False
    for calls, event in measured(session):
        if isinstance(event, e.Route):
            under_way = True
            found.append(0)
        if under_way:
            found[-1] += calls
        if isinstance(event, e.PlanDiffed):
            under_way = False
            if len(found) == 4:
                break
    return found


def scripted() -> ScriptedReplanner:
    """Every failed thread is answered with two steps."""
    return ScriptedReplanner([PlannerRule(PlannerWhen(), "", (Step("x", "a"), Step("y", "b")))])


@pytest.mark.parametrize("failing", ["t0", "t1", "t3"], ids=["a tail of four", "a tail of three", "a patch"])
@pytest.mark.parametrize("planner", [None, scripted], ids=["template", "scripted"])
def test_a_replan_takes_what_it_replaces_whatever_the_plan(
    failing: str, planner: Callable[[], ScriptedReplanner] | None
) -> None:
    work = []
    for size in (*SIZES, *SIZES):  # the first round takes the texts apart, the second knows them
        rules = [OutcomeRule(Match(step=str(i)), (WRONG, RIGHT)) for i in range(int(failing[1]) + 1, 40, 4)]
        tools = ScriptedTools(rules)
        session = Session(threads(size), UNLIMITED, tools=tools, replanner=planner() if planner else None)
        replans = replan_work(session)
        assert len(replans) == 4
        work.append(replans[-1])  # the first ones build the indexes, once a session
    del work[: len(SIZES)]
    assert max(work) <= min(work) + 20, work  # a longer path through a heap or a sort


def test_a_step_takes_the_same_whatever_the_plan() -> None:
    work = []
    list(Session(threads(max(SIZES)), tools=ScriptedTools([])).events())  # from here on each text was read before
    for size in SIZES:
        starts = [calls for calls, event in measured(Session(threads(size), tools=ScriptedTools([])))
                  if isinstance(event, e.StepStart | e.StepEnd)]  # fmt: skip
        work.append(sum(starts[10:60]))
    assert max(work) <= min(work) + 20, work


# The ordinary step reads nothing, is called once and is done: it pays for nothing that other steps need. The figures
# leave a tenth of room.
def islands(count: int) -> Plan:
    """Steps that do not rest on each other."""
    return Plan.of("count", [Step(str(i), f"t{i}", {"n": i}, depends_on=()) for i in range(1, count + 1)])


def functions_called(work: Callable[[], Any]) -> int:
    """How many Python functions it enters; a generator counts each time it goes on."""
    calls = 0

    def count(frame: FrameType, kind: str, argument: Any) -> None:
        nonlocal calls
        calls += kind == "call"

    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(None)
    return calls


def a_step_more(checked: bool) -> float:
    """What each step of a plain session adds, from the start to the end."""

    def run(plan: Plan) -> int:
        return functions_called(lambda: list(Session(plan, tools=ScriptedTools([]), checked=checked).events()))

    run(islands(10))  # what is loaded with the first session
    return (run(islands(1_100)) - run(islands(100))) / 1_000


@pytest.mark.parametrize(("checked", "most"), [(True, 21), (False, 25)], ids=["from a file", "from Python"])
def test_an_ordinary_step_calls_few_functions(checked: bool, most: int) -> None:
    assert a_step_more(checked) <= most


# A replan is a failed execution, its route and lesson, five gates, a draft that is laid over and checked, a commit and
# a diff: a long way, and the most of what a sweep does. None of it may grow unseen.
def failing_once(count: int) -> ScriptedTools:
    """The first steps are wrong the first time."""
    return ScriptedTools([OutcomeRule(Match(step=str(i)), (WRONG, RIGHT)) for i in range(1, count + 1)])


def test_a_patch_calls_few_functions() -> None:
    def run(failing: int) -> int:
        session = Session(islands(200), UNLIMITED, tools=failing_once(failing), checked=True)
        return functions_called(lambda: list(session.events()))

    run(10)
    assert (run(90) - run(10)) / 80 <= 390


def test_a_goal_change_takes_what_the_versions_it_makes_hold() -> None:
    def by_step(count: int) -> float:
        changes = [Interruption(f"goal {i}", at=float(i)) for i in range(1, count + 1)]
        session = Session(islands(2 * count), UNLIMITED, tools=ScriptedTools([]), interruptions=changes, checked=True)
        events: list[e.Event] = []
        calls = functions_called(lambda: events.extend(session.events()))
        return calls / sum(len(event.steps) for event in events if isinstance(event, e.PlanCommit))

    by_step(5)
    small, large = by_step(20), by_step(80)
    assert large <= small * 1.05, (small, large)
