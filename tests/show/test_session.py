"""A session's screen, whole: at fixed widths, with and without colour, in ASCII, and against hostile text."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable

import pyte
import pytest

from replanctl.plan.model import Granularity, OnFailure, Step, StepState
from replanctl.replan.signal import ErrorType
from replanctl.run import events as e
from replanctl.show.console import make_console
from replanctl.show.header import Header
from replanctl.show.paper import Paper
from replanctl.show.session import SessionScreen
from replanctl.show.text import width
from tests.show import sample
from tests.show.golden import assert_golden, drawn
from tests.show.rehearsed import NAMES, draw

ANSI = re.compile(r"\x1b\[[0-9;]*m")


def told(*events: e.Event, columns: int = 80) -> list[str]:
    """What these events alone come to, as lines."""

    def draw_them(paper: Paper) -> None:
        screen = SessionScreen(paper)
        for event in events:
            screen.event(event)
        screen.flush()

    return drawn(draw_them, width=columns).splitlines()


def draw_sample(paper: Paper) -> None:
    screen = SessionScreen(paper, Header("vendors.outcomes.yaml"))
    for event in sample.vendors():
        screen.event(event)
    screen.close(sample.result())


@pytest.mark.parametrize("name", NAMES)
def test_a_rehearsed_session(name: str) -> None:
    assert_golden(f"session-{name}", drawn(lambda paper: draw(paper, name)))


def test_changed_args_on_wide_paper() -> None:
    assert_golden("session-booking-120", drawn(lambda paper: draw(paper, "booking"), width=120))


@pytest.mark.parametrize("columns", [40, 80, 120])
def test_the_sample(columns: int) -> None:
    assert_golden(f"sample-{columns}", drawn(draw_sample, width=columns))


def test_the_sample_in_ascii() -> None:
    text = drawn(draw_sample, encoding="ascii")
    assert text.isascii()
    assert_golden("sample-ascii", text)


@pytest.mark.parametrize("name", NAMES)
def test_colour_changes_nothing_but_colour(name: str) -> None:
    coloured = drawn(lambda paper: draw(paper, name), color=True)
    assert ANSI.sub("", coloured) == drawn(lambda paper: draw(paper, name))
    assert "\x1b[" in coloured


@pytest.mark.parametrize("columns", [20, 27, 40, 49, 50, 80, 120, 400])
@pytest.mark.parametrize("name", NAMES)
def test_no_line_is_wider_than_the_terminal(name: str, columns: int) -> None:
    for encoding in ("utf-8", "ascii"):
        lines = drawn(lambda paper: draw(paper, name), width=columns, encoding=encoding).splitlines()
        assert [line for line in lines if width(line) > columns or line != line.rstrip()] == []


@pytest.mark.parametrize("columns", [20, 40, 80, 120])
def test_nothing_but_line_breaks_and_what_can_be_seen(columns: int) -> None:
    text = drawn(lambda paper: draw(paper, "hostile"), width=columns)
    assert [char for char in text if not char.isprintable() and char != "\n"] == []
    assert not any(line.startswith("Forged") for line in text.splitlines())


def test_on_a_terminal() -> None:
    terminal = pyte.Screen(80, 60)
    text = drawn(lambda paper: draw(paper, "vendors"), color=True)
    pyte.Stream(terminal).feed(text.replace("\n", "\r\n"))
    assert [line.rstrip() for line in terminal.display[: text.count("\n")]] == ANSI.sub("", text).splitlines()
    marks = {
        (row, char.data): (char.fg, char.bold, char.strikethrough)
        for row in range(60)
        for column in (15, 17, 20)
        if (char := terminal.buffer[row][column]).data in "✓✗~-+lt"
    }
    seen = {(char, *style) for (_, char), style in marks.items()}
    assert {("✓", "green", False, False), ("✗", "red", True, False), ("~", "brown", False, False)} <= seen
    assert {("-", "red", False, False), ("+", "green", False, False), ("t", "red", False, True)} <= seen


def test_chinese_stands_in_columns() -> None:
    rows = [
        line
        for line in drawn(lambda paper: draw(paper, "gaps")).splitlines()
        if re.match(r" *\d+s +\d*s? [✓✗○] \d", line)
    ]
    columns = [width(line[: line.rindex(" ") + 1]) for line in rows if "blocked" not in line]
    assert len(columns) == 3
    assert len(set(columns)) == 1


def steps(count: int) -> tuple[Step, ...]:
    return tuple(sample.step(str(number), f"do thing {number}", "t") for number in range(1, count + 1))


def opened(count: int) -> Iterable[e.Event]:
    yield e.SessionStart(0, 0.0, "v1", goal="g", mode="hybrid", limits=sample.LIMITS)
    yield e.PlanCommit(1, 0.0, "v1", None, None, None, "start", "g", steps(count), total=count)


def test_long_stretches_are_folded_and_failures_are_not() -> None:
    lines = drawn(lambda paper: draw(paper, "long")).splitlines()
    assert [line.split(maxsplit=3) for line in lines if re.match(r" *\S+ +\w* [✓✗○] ", line)] == [
        ["0s", "59s", "✓", "1–59    read ×59                              59 calls"],
        ["59s", "32s", "✓", "60      read page 60                          read"],
        ["1m31s", "1m", "✓", "61–120  read ×60                              60 calls"],
        ["2m31s", "1s", "✗", "sum     summarise                             write"],
        ["2m32s", "○", "part1–part14", "skipped, blocked by sum         14 steps"],
    ]
    whole = drawn(lambda paper: draw(paper, "long", verbose=True)).splitlines()
    assert sum(bool(re.match(r" *\S+ +\w* [✓✗○] ", line)) for line in whole) == 135


def test_no_row_waits_where_real_tools_do() -> None:
    def lines_after(ended: int, *, live: bool) -> int:
        def draw_them(paper: Paper) -> None:
            screen = SessionScreen(paper, live=live)
            for event in (*opened(60), *(done(number) for number in range(1, ended + 1))):
                screen.event(event)

        return sum(" ✓ " in line for line in drawn(draw_them).splitlines())

    assert [lines_after(ended, live=True) for ended in (1, 12, 40, 50)] == [1, 12, 40, 40]
    assert [lines_after(ended, live=False) for ended in (1, 12, 40)] == [0, 0, 0]


def done(number: int) -> e.StepEnd:
    return e.StepEnd(number + 1, float(number), "v1", str(number), StepState.DONE, "ok", "t", number - 1.0)


class Counting(io.StringIO):
    writes = 0

    def write(self, text: str) -> int:
        self.writes += 1
        return super().write(text)


@pytest.mark.parametrize(("verbose", "most_lines", "most_writes"), [(False, 60, 60), (True, 3_010, 700)])
def test_a_long_session_is_written_many_lines_at_a_time(verbose: bool, most_lines: int, most_writes: int) -> None:
    stream = Counting()
    screen = SessionScreen(Paper(make_console(stream, color=False, width=100)), verbose=verbose)
    for event in opened(3_000):
        screen.event(event)
    for number in range(1, 3_001):
        screen.event(sample.ended(str(number), float(number), tool="t", seq=number))
    screen.close(sample.result())
    written = stream.getvalue()
    assert written.count("\n") - 20 <= most_lines
    assert stream.writes <= most_writes
    assert written.endswith("--ledger\n")


def test_a_diff_of_a_large_plan_looks_at_what_changed_alone() -> None:
    class Known(dict[str, Step]):
        def __iter__(self) -> None:  # type: ignore[override]
            raise AssertionError("the whole plan was looked through")

    screen = SessionScreen(Paper(make_console(io.StringIO(), color=False, width=80)))
    for event in opened(100):
        screen.event(event)
    screen._steps = Known(screen._steps)
    changed = sample.step("7", "another way", "u")
    screen.event(
        e.PlanCommit(2, 0.0, "v2", "v1", Granularity.PATCH, "small-radius", "unknown@7", "g", (changed,), total=100)
    )


FAILED = sample.failed("1", 0.0, "assumption", "no", tool="t")
ROUTE = e.Route(0, 1.0, "v1", "1", "assumption", "small-radius", 0, Granularity.PATCH)

TOLD: dict[str, tuple[tuple[e.Event, ...], list[str]]] = {
    "a route away from its step": (
        (FAILED, sample.ended("2", 0.0, tool="t"), ROUTE),
        [
            "     0s     1s ✗ 1  t                                     t",
            "                 assumption: no",
            "     0s     1s ✓ 2  t                                     t",
            "                 route   step 1: small-radius → patch   nothing rests on it",
        ],
    ),
    "lifted": (
        (e.Route(0, 1.0, "v1", "1", "x", "small-radius", 1, Granularity.TAIL, Granularity.PATCH),),
        [
            "                 route   step 1: small-radius → tail   1 step rests on it;",
            "                         lifted from patch: this step was replanned before",
        ],
    ),
    "a user's rule": (
        (e.Route(0, 1.0, "v1", "1", "x", "mine", 9, Granularity.GLOBAL),),
        ["                 route   step 1: mine → global   a rule of this policy"],
    ),
    "abandoned": (
        (sample.failed("1", 0.0, "abandoned", "abandoned, last: timeout", tool="t"),),
        ["     0s     1s ✗ 1  t                                     t", "                 abandoned, last: timeout"],
    ),
    "not replanned": (
        tuple(
            e.Signal(0, 1.0, "v1", "1", ErrorType.UNKNOWN, "m", (), {}, on_failure)
            for on_failure in (OnFailure.SKIP, OnFailure.ABORT, OnFailure.DEFER, OnFailure.REPLAN)
        ),
        [
            "                 skip    what depends on it is skipped, the rest goes on",
            "                 abort   nothing may go on without it",
            "                 defer   a gap, the rest goes on without it",
        ],
    ),
    "gates without a limit, and one seen before": (
        (
            e.Gate(0, 1.0, "v1", "per_step", None, 4, True, "1"),
            e.Gate(0, 1.0, "v1", "max_repeat", 3, 1, True, "1"),
            e.Gate(0, 1.0, "v1", "max_seconds", 120.0, 60.5, True, "1"),
        ),
        ["                 gates   before  this failure 4 · same plan 1/3 · time 1m/2m"],
    ),
    "a plan seen before": (
        (e.Gate(0, 1.0, "v1", "max_repeat", 1, 1, False, "1"),),
        [
            "                 gates   same plan 1/1 ✗",
            "                 stopped earlier versions with this very plan: 1, the limit is 1",
            "                         (oscillation)",
        ],
    ),
    "a replanner that failed": (
        (e.PlanDraft(0, 1.0, "v1", "1", Granularity.PATCH, "python", (), error="ValueError: x"),),
        ["                 draft   python failed: ValueError: x"],
    ),
    "names and warnings of a draft": (
        (e.PlanDraft(0, 1.0, "v1", "1", Granularity.PATCH, "scripted", (), {"a": "4", "b": "5"}, warnings=("twice",)),),
        ["                 named   the draft's a → 4, b → 5 here", "                 warning twice"],
    ),
    "a goal that is no other": (
        (e.GoalChanged(0, 2.0, "v1", "new", "old", False, (), ("it is the current one",)),),
        ["     2s        ! the goal stays: old", "                 warning it is the current one"],
    ),
    "health, gathered": (
        (
            e.VariableHealth(0, 1.0, "v1", "E1", "stale", "p"),
            e.VariableHealth(0, 1.0, "v1", "E2", "stale", "p"),
            e.VariableHealth(0, 1.0, "v1", "E3", "void", "computed from E1"),
            e.VariableHealth(0, 1.0, "v1", "E4", "clean", "verdict", "keep"),  # type: ignore[arg-type]
        ),
        [
            "                 health  E1 E2 → stale: p does not hold",
            "                 health  E3 → void: computed from E1",
        ],
    ),
    "warnings of an execution": (
        (
            e.StepStart(0, 0.0, "v1", "1", "t", {}, warnings=("step 1 reads E9, which is stale",)),
            sample.ended("1", 0.0, tool="t", warnings=("it may have happened",)),
        ),
        [
            "     0s     1s ✓ 1  t                                     t",
            "                 warning step 1 reads E9, which is stale",
            "                 warning it may have happened",
        ],
    ),
    "a Solver that can't": (
        (e.SolverCalled(0, 9.0, "v1", (), ("2",), ("E1",), False),),
        ["     9s        ✗ the Solver could not answer from nothing; gaps E2; missing E1"],
    ),
    "skipped": (
        (e.StepEnd(0, 3.0, "v1", "4", StepState.SKIPPED, "skipped", "t", 3.0, blocked_by=("2", "3")),),
        ["     3s        ○ 4  t                                     blocked by 2, 3"],
    ),
}


@pytest.mark.parametrize(("events", "lines"), TOLD.values(), ids=TOLD)
def test_told(events: tuple[e.Event, ...], lines: list[str]) -> None:
    assert told(*events) == lines


@pytest.mark.parametrize(
    ("cause", "said"),
    [
        ("sells by quote only", "sells by quote only"),
        ("expected none, got no rows", "no rows"),
        ("expected a list, got no rows", "expected a list, got no rows"),
        ("a: b; avoid: c", "a: b; avoid: c"),
    ],
)
def test_cause(cause: str, said: str) -> None:
    lesson = e.LessonLearned(0, 3.0, "v1", "whatever", 1, "3", ErrorType.ASSUMPTION, None, "v1", cause)
    commit = e.PlanCommit(1, 3.0, "v2", "v1", Granularity.PATCH, "small-radius", "assumption@3", "g", ())
    lines = told(lesson, commit, e.PlanDiffed(2, 3.0, "v2", "v1", "v2", Granularity.PATCH, "assumption@3"))
    assert any(f"because step 3 failed (assumption): {said}" in line for line in lines)
