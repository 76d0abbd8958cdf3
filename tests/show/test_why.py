"""One step's story on a screen, compared whole."""

from __future__ import annotations

import pytest

from replanctl.run.events import SessionComplete, StepEnd
from replanctl.run.story import story_of
from replanctl.show.paper import Paper
from replanctl.show.text import width
from replanctl.show.why import FIRST, LAST, why_screen
from tests.rehearse import rehearse
from tests.show.golden import assert_golden, drawn
from tests.show.rehearsed import rehearsed

# A story and a step in it.
TOLD = [
    ("vendors", "3"),  # patched into a work-around
    ("vendors", "4"),  # replaced
    ("breaker", "rank"),  # fails until a gate stops it
    ("breaker", "book"),  # waits for it, under its third id
    ("drafts", "s2"),  # a draft is refused
    ("recorded", "6"),  # one draft is refused again and again
    ("escalated", "2"),  # a person takes over
    ("escalated", "5"),  # skipped for it
    ("gaps", "4"),  # done without one of the values it reads
    ("goal", "1"),  # its variable goes stale, and gets a verdict
    ("hostile", "2"),
    ("booking", "2"),  # the next attempt changed a few values deep in its args
]


@pytest.mark.parametrize(("name", "step"), TOLD)
def test_the_story(name: str, step: str) -> None:
    events, _ = rehearsed(name)
    assert_golden(f"why-{name}-{step}", drawn(lambda paper: why_screen(paper, story_of(events, step), 7)))


def test_what_the_next_attempt_changed_on_wide_paper() -> None:
    events, _ = rehearsed("booking")
    assert_golden("why-booking-2-120", drawn(lambda paper: why_screen(paper, story_of(events, "2"), 7), width=120))


@pytest.mark.parametrize(("columns", "encoding"), [(40, "utf-8"), (120, "utf-8"), (80, "ascii")])
@pytest.mark.parametrize(("name", "step"), TOLD)
def test_it_keeps_to_the_paper(name: str, step: str, columns: int, encoding: str) -> None:
    events, _ = rehearsed(name)
    said = drawn(lambda paper: why_screen(paper, story_of(events, step), 7), width=columns, encoding=encoding)
    assert max(map(width, said.splitlines())) <= columns
    assert "\x1b" not in said


def test_a_session_that_broke_off() -> None:
    events = [event for event in rehearsed("vendors")[0] if not isinstance(event, SessionComplete)]
    started = next(at for at, event in enumerate(events) if isinstance(event, StepEnd))
    assert (
        drawn(lambda paper: why_screen(paper, story_of(events[:started], "1"), 7))
        == """\
  ! step 1 of run 7: running

  start   took   step                                     tool
  v1
               + 1  look up A                             price_lookup
     0s        ! 1  look up A                             price_lookup
                 args    vendor: "A"

  session    broken off before it came to an end
"""
    )


def test_a_long_story_leaves_its_middle_out() -> None:
    plan = "goal: g\nsteps: [{id: 1, tool: t}]\noutcomes: [{match: {tool: t}, returns: [empty]}]\n"
    policy = "policy: {gates: {per_step: null, max_replans: 30, max_repeat: null, max_steps: null}}\n"
    events, _ = rehearse(plan, policy=policy)
    told = story_of(events, "1")
    said = drawn(lambda paper: why_screen(paper, told, 7))
    assert f"  … {len(told.entries) - FIRST - LAST} more changes and executions: --format json tells them all\n" in said
    assert said.count("tried") == (FIRST + LAST) // 2


def test_a_step_that_left_the_plan() -> None:
    def draw(paper: Paper) -> None:
        why_screen(paper, story_of(events, "3"), 7)

    plan = """\
goal: g
steps: [{id: 1, tool: t}, {id: 2, tool: t}, {id: 3, action: tell, tool: t}]
planner: [{when: {}, steps: [{id: 4, action: all at once, tool: t}]}]
outcomes: [{match: {step: 2, version: 1}, returns: [empty]}]
policy: {routing: {patch_radius: 0}}
"""
    events, _ = rehearse(plan)
    assert (
        drawn(draw)
        == """\
  step 3 of run 7: left the plan

  start   took   step                                     tool
  v1
               + 3  tell                                  t     rests on 2
  v2 tail, because step 2 failed (assumption)
               - 3  tell
"""
    )
