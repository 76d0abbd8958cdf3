"""One step's story: its line, where it stands, what it waits for, and what belongs to it of all that happened."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from replanctl.run.events import Event, GoalChanged, Ledger, SessionComplete, SessionStart
from replanctl.run.story import ExecutionStory, Story, VersionStory, step_ids, story_of
from tests.rehearse import rehearse

PLAN = """\
goal: g
steps:
  - {id: 1, tool: look, depends_on: []}
  - {id: 2, tool: look, args: {at: "#E1"}, depends_on: [1]}
  - {id: 3, tool: tell, args: {what: "#E2"}, depends_on: [2]}
  - {id: 4, tool: tell, args: {what: "#E1"}, depends_on: [1]}
"""
WIDE = "policy: {routing: {patch_radius: 0}}\n"


def fails(step: int, status: str, more: str = "") -> str:
    return PLAN + f"outcomes: [{{match: {{step: {step}, version: 1}}, returns: [{status}]}}]\n{more}"


def told(text: str, step: str) -> Story:
    events, _ = rehearse(text)
    return story_of(events, step)


def in_short(one: Story) -> str:
    """`line: state; what it waits for or was skipped for`."""
    blockers = ", ".join(f"{blocker.step_id} {blocker.state}" for blocker in one.blockers)
    return f"{' '.join(one.line)}: {one.state or 'gone'}{f'; {blockers}' if blockers else ''}"


def entries(one: Story) -> list[str]:
    return [_change(each) if isinstance(each, VersionStory) else _execution(each) for each in one.entries]


def _change(one: VersionStory) -> str:
    return f"{one.version} {one.cause}: {one.old.id if one.old else '-'} → {one.new.id if one.new else '-'}"


def _execution(one: ExecutionStory) -> str:
    assert one.ended is not None
    answer = " ".join(event.__struct_config__.tag for event in one.answer if isinstance(event, Event))
    return f"{one.step.id} {one.ended.status}{f': {answer}' if answer else ''}"


REPLANNED = "route lesson gate gate gate plan.draft gate gate plan.diff"

# A plan and a step of it → the story in short, and its entries.
STORIES: dict[str, tuple[str, str, str, list[str]]] = {
    "done at once": (PLAN, "1", "1: done", ["v1 start: - → 1", "1 ok"]),
    "revised in its place": (
        fails(2, "empty"),
        "2",
        "2: done",
        ["v1 start: - → 2", f"2 empty: {REPLANNED}", "v2 assumption@2: 2 → 2", "2 ok"],
    ),
    "replaced, asked for by its first id": (
        fails(2, "empty", WIDE),
        "3",
        "3 5: done",
        ["v1 start: - → 3", "v2 assumption@2: 3 → 5", "5 ok"],
    ),
    "replaced, asked for by its last id": (
        fails(2, "empty", WIDE),
        "5",
        "3 5: done",
        ["v1 start: - → 3", "v2 assumption@2: 3 → 5", "5 ok"],
    ),
    "another's failure is not its business": (fails(2, "empty"), "4", "4: done", ["v1 start: - → 4", "4 ok"]),
    "handed to a person": (
        fails(2, "denied"),
        "2",
        "2: failed",
        ["v1 start: - → 2", "2 denied: route lesson"],
    ),
    "skipped for one that was handed over": (
        fails(1, "denied"),
        "3",
        "3: skipped; 1 failed",
        ["v1 start: - → 3", "3 skipped"],
    ),
    "waiting when the planner gave up": (
        fails(2, "empty", "planner: [{otherwise: give_up}]\n"),
        "3",
        "3: pending; 2 failed",
        ["v1 start: - → 3"],
    ),
    "ready when a gate stopped the session": (
        fails(1, "ok", "policy: {gates: {max_steps: 1}}\n"),
        "2",
        "2: pending",
        ["v1 start: - → 2"],
    ),
    "dropped without a successor": (
        fails(2, "empty", WIDE + "planner: [{when: {}, steps: [{id: 9, tool: ask}]}]\n"),
        "3",
        "3: gone",
        ["v1 start: - → 3", "v2 assumption@2: 3 → -"],
    ),
    "a gap, down to what it came from": (
        fails(1, "empty", "policy: {mode: rewoo}\n"),
        "3",
        "3: skipped; 2 skipped, 1 failed",
        ["v1 start: - → 3", "3 skipped"],
    ),
    "replaced at a changed goal": (
        PLAN + "interruptions: [{after: 1, goal: h}]\n",
        "1",
        "1 5: done",
        ["v1 start: - → 1", "1 ok", "v2 goal-changed: 1 → 5", "5 ok"],
    ),
}


@pytest.mark.parametrize(("text", "step", "short", "listed"), STORIES.values(), ids=STORIES)
def test_the_story(text: str, step: str, short: str, listed: list[str]) -> None:
    one = told(text, step)
    assert (in_short(one), entries(one)) == (short, listed)


def test_the_gate_that_kept_it_from_starting() -> None:
    text = PLAN + "policy: {gates: {max_steps: 1}}\n"
    stop = told(text, "2").stop
    assert stop is not None
    assert (stop.gate, stop.limit, stop.reading) == ("max_steps", 1, 1)
    assert told(text, "1").stop is None


def test_what_it_read_and_what_became_of_its_value() -> None:
    text = fails(1, "empty", "policy: {mode: rewoo}\n").replace(
        "depends_on: [1]}\n  - {id: 3", "depends_on: []}\n  - {id: 3"
    )
    _, execution = told(text, "2").entries
    assert isinstance(execution, ExecutionStory)
    assert (execution.reads, execution.gaps) == (("E1",), ("E1",))
    _, first, *_ = told(PLAN + "interruptions: [{after: 1, goal: h}]\n", "1").entries
    assert isinstance(first, ExecutionStory)
    assert [event.health for event in first.health] == ["stale"]


def test_every_id_there_ever_was() -> None:
    events, _ = rehearse(fails(2, "empty", WIDE))
    assert step_ids(events) == ("1", "2", "3", "4", "5")


def belonging(events: Sequence[Event]) -> set[int]:
    """The events that the stories of all steps tell, by number."""
    seen: set[int] = set()
    for id_ in step_ids(events):
        for entry in story_of(events, id_).entries:
            if isinstance(entry, ExecutionStory):
                parts = (entry.started, *entry.calls, entry.ended, entry.signal, *entry.answer, *entry.health)
                seen.update(event.seq for event in parts if event is not None)
    return seen


@pytest.mark.parametrize("status", ["ok", "empty", "semantic", "denied", "[timeout, ok]"])
def test_the_stories_of_all_steps_leave_nothing_out(status: str) -> None:
    events, _ = rehearse(fails(2, status.strip("[]"), WIDE))
    told_whole = (SessionStart, Ledger, GoalChanged, SessionComplete)
    rest = {event.seq for event in events if not isinstance(event, told_whole)} - belonging(events)
    assert {type(events[seq]).__name__ for seq in rest} <= {"PlanCommit"}
