"""A run of forty steps on every screen: it tells its story on one or two of them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from replanctl.plan import diff_plans
from replanctl.run import story_of
from replanctl.show import handover, lessons, variables
from replanctl.show.diff import diff_screen
from replanctl.show.graph import Picture, graph_screen
from replanctl.show.header import Header
from replanctl.show.paper import Paper
from replanctl.show.session import SessionScreen
from replanctl.show.text import width
from replanctl.show.why import why_screen
from tests.show.forty import rehearsed
from tests.show.golden import assert_golden, drawn

TWO_SCREENS = 60  # lines


def run(paper: Paper) -> None:
    events, result = rehearsed()
    screen = SessionScreen(
        paper, Header(None, 7, recorded="recorded run 0007 (messages, loans.jsonl): 43 calls, failed")
    )
    for event in events:
        screen.event(event)
    screen.close(result)


def diff(paper: Paper) -> None:
    first, *_, last = rehearsed()[1].versions
    diff_screen(paper, diff_plans(first.steps, last.steps, old_name=first.version, new_name=last.version))


SCREENS: dict[str, Callable[[Paper], object]] = {
    "run": run,
    "why": lambda paper: why_screen(paper, story_of(rehearsed()[0], "37"), 7),
    "why-think": lambda paper: why_screen(paper, story_of(rehearsed()[0], "35"), 7),
    "diff": diff,
    "graph": lambda paper: graph_screen(
        paper, Picture("Renew what can be renewed", ("run 7", "v3"), rehearsed()[1].versions[-1].steps)
    ),
    "variables": lambda paper: variables.view(paper, rehearsed()[1]),
    "lessons": lambda paper: lessons.view(paper, rehearsed()[1]),
    "handover": lambda paper: handover.view(paper, rehearsed()[1]),
}


@pytest.mark.parametrize("columns", [40, 80, 120, 200])
@pytest.mark.parametrize("name", SCREENS)
def test_the_screens(name: str, columns: int) -> None:
    text = drawn(SCREENS[name], width=columns)
    assert_golden(f"forty-{name}-{columns}", text)
    assert columns == 40 or len(text.splitlines()) <= TWO_SCREENS


@pytest.mark.parametrize("name", SCREENS)
def test_no_screen_is_wider_than_the_terminal(name: str) -> None:
    for columns in (20, 33, 49, 50, 200):
        assert [line for line in drawn(SCREENS[name], width=columns).splitlines() if width(line) > columns] == []
