"""Whole screens at four widths: Chinese and emoji text side by side, a hundred steps with five replans, and what is
wrong with a file."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from replanctl.errors import Problem
from replanctl.plan import diff_plans
from replanctl.run import story_of
from replanctl.show import folded, ledger, problem_spans, results_kept, variables
from replanctl.show.diff import diff_screen
from replanctl.show.header import Header
from replanctl.show.paper import Paper
from replanctl.show.session import SessionScreen
from replanctl.show.text import width
from replanctl.show.why import why_screen
from tests.show.golden import assert_golden, drawn
from tests.show.rehearsed import rehearsed

WIDTHS = [40, 80, 120, 200]
LANES = {"emoji": 3, "hundred": 1}


def run(paper: Paper, name: str) -> None:
    events, result = rehearsed(name)
    screen = SessionScreen(paper, Header(f"{name}.outcomes.yaml", result.run, side_by_side=LANES[name]))
    for event in events:
        screen.event(event)
    screen.close(result)


def diff(paper: Paper, name: str) -> None:
    result = rehearsed(name)[1]
    old, *_, new = result.versions
    changes = diff_plans(old.steps, new.steps, old_name=old.version, new_name=new.version)
    diff_screen(paper, changes, held=results_kept(result, old))


SCREENS: dict[str, Callable[[Paper], object]] = {
    "emoji-run": lambda paper: run(paper, "emoji"),
    "emoji-why": lambda paper: why_screen(paper, story_of(rehearsed("emoji")[0], "4"), 7),
    "emoji-diff": lambda paper: diff(paper, "emoji"),
    "emoji-variables": lambda paper: variables.view(paper, rehearsed("emoji")[1]),
    "hundred-run": lambda paper: run(paper, "hundred"),
    "hundred-why": lambda paper: why_screen(paper, story_of(rehearsed("hundred")[0], "31"), 7),
    "hundred-diff": lambda paper: diff(paper, "hundred"),
    "hundred-ledger": lambda paper: ledger.view(paper, rehearsed("emoji")[1]),
}

PROBLEMS = [
    Problem(
        "计划/礼物 🎁.yaml", 12, 76, "unknown-dependency",
        "step 6 depends on 手, which is no step of this plan 👨‍👩‍👧‍👦",
        excerpt="  - {id: 6, action: 写感谢信 💌, tool: write, args: {gift: \"#E手\"}, depends_on: [手], replaces: 5}",
        hint="did you mean 4? Steps that are done may be named, too, as long as their results may still be used",
    ),
    Problem("plans/a-long-folder-name/another-one/vendors.outcomes.yaml", 3, 7, "unused-outcome",
            "no step of the plan makes a call that this rule would answer", severity="warning"),
]  # fmt: skip


@pytest.mark.parametrize("columns", WIDTHS)
@pytest.mark.parametrize("name", SCREENS)
def test_the_screens(name: str, columns: int) -> None:
    text = drawn(SCREENS[name], width=columns)
    assert max(map(width, text.splitlines())) <= columns
    assert_golden(f"wide-{name}-{columns}", text)


@pytest.mark.parametrize("columns", WIDTHS)
def test_what_is_wrong(columns: int) -> None:
    lines = [text for line in problem_spans(PROBLEMS, "utf-8", columns) for text in folded(line, columns, 4)]
    assert max(map(width, lines)) <= columns
    assert_golden(f"wide-problems-{columns}", "".join(f"{line}\n" for line in lines))


def test_five_replans() -> None:
    assert len(rehearsed("hundred")[1].revisions) == 5
