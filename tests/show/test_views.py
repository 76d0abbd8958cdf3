"""What `show` writes of a stored run, part by part."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from replanctl.run.result import (
    Gap,
    GateView,
    HandOver,
    LedgerLine,
    LedgerTotals,
    LedgerView,
    SessionResult,
    VariableView,
)
from replanctl.show import events, handover, ledger, lessons, variables, verdict
from replanctl.show.handover import gap_in_words, gate_in_words
from replanctl.show.header import limits_in_words
from replanctl.show.text import width
from replanctl.show.verdict import closing_line, commands
from tests.show import sample
from tests.show.golden import assert_golden, drawn
from tests.show.rehearsed import NAMES, rehearsed

VIEWS: dict[str, Callable[..., Any]] = {
    "variables": variables.view,
    "ledger": ledger.view,
    "lessons": lessons.view,
    "handover": handover.view,
}
STORIES = {"variables": "goal", "ledger": "breaker", "lessons": "drafts", "handover": "breaker"}


@pytest.mark.parametrize(("view", "story"), STORIES.items())
def test_a_view(view: str, story: str) -> None:
    _, result = rehearsed(story)
    assert_golden(f"view-{view}", drawn(lambda paper: VIEWS[view](paper, result)))


@pytest.mark.parametrize("columns", [80, 120])
def test_events(columns: int) -> None:
    seen, _ = rehearsed("vendors")
    assert_golden(f"view-events-{columns}", drawn(lambda paper: events.view(paper, seen), width=columns))


def test_events_are_one_line_each() -> None:
    for name in NAMES:
        seen, _ = rehearsed(name)
        text = drawn(lambda paper: events.view(paper, seen), width=60)  # noqa: B023 - drawn at once
        assert text.count("\n") == len(seen)


@pytest.mark.parametrize("columns", [20, 60])
@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("name", NAMES)
def test_no_line_is_wider_than_the_terminal(name: str, view: str, columns: int) -> None:
    _, result = rehearsed(name)
    text = drawn(lambda paper: VIEWS[view](paper, result), width=columns)
    assert text
    assert [line for line in text.splitlines() if width(line) > columns] == []


NOTHING = sample.result(variables={}, lessons=(), handover=None)


@pytest.mark.parametrize(
    ("view", "text"),
    [
        ("variables", "  No step has produced a variable.\n"),
        ("lessons", "  No lesson was learned.\n"),
        ("handover", "  The session completed: there is nothing to hand over.\n"),
    ],
)
def test_nothing_to_show(view: str, text: str) -> None:
    assert drawn(lambda paper: VIEWS[view](paper, NOTHING)) == text


def var(health: str, *assumptions: str, verdict: str | None = None) -> VariableView:
    return VariableView(1, health, assumptions, "1", "v1", verdict)


def test_variables_by_health() -> None:
    found = {
        "E1": var("clean"),
        "E2": var("stale", "p", "q"),
        "E3": var("clean", "p"),
        "E4": var("stale", "p", "q"),
        "E5": var("void", "p"),
        "E6": var("clean", "p", verdict="keep"),
        "E7": var("void"),
    }
    assert drawn(lambda paper: variables.section(paper, sample.result(variables=found))) == (
        "  variables  E1 E3 clean\n"
        "             E2 E4 stale, rests on p, q\n"
        "             E5 void, rests on p\n"
        "             E6 clean, by the verdict keep\n"
        "             E7 void\n"
    )


def test_lessons_say_how_often() -> None:
    book = [sample.result().lessons[0], *(_lesson("v2 step 1 unknown: x; avoid: none", 3),)]
    assert drawn(lambda paper: lessons.section(paper, sample.result(lessons=tuple(book))), width=100) == (
        "  lessons    v1 step 3 assumption: sells by quote only; avoid price_lookup (shape)\n"
        "             v2 step 1 unknown: x, 3 times\n"
    )


def _lesson(text: str, count: int) -> Any:
    return type(sample.result().lessons[0])(text, count, "v2", "1", "unknown")


def test_many_replans_are_counted() -> None:
    lines = tuple(LedgerLine("replan", f"v{n}", "3", "patch", 500, 500) for n in range(1, 10))
    result = sample.result(ledger=LedgerView(lines, LedgerTotals(0, 4_500, 4_500, 0.0)))
    text = drawn(lambda paper: ledger.section(paper, result)).splitlines()
    assert text[-2:] == [
        "             replan  patch of v6 at step 3: 500, as estimated",
        "                     … 3 more replans",
    ]


@pytest.mark.parametrize(
    ("gap", "text"),
    [
        (Gap("2", "permission", "no", ()), "E2: permission: no"),
        (Gap("3", "missing_var", "blocked by E2", ("2", "x")), "E3: blocked by 2, x"),
    ],
)
def test_gap(gap: Gap, text: str) -> None:
    assert gap_in_words(gap) == text


@pytest.mark.parametrize(
    ("gate", "text"),
    [
        (
            GateView("max_steps", 12, 13, False, "3", "v2"),
            "max_steps at step 3 in v2, step executions: 13, the limit is 12",
        ),
        (
            GateView("max_seconds", 60, 60, False, None, "v1"),
            "max_seconds in v1, session time by then: 1m, the limit is 1m",
        ),
    ],
)
def test_gate(gate: GateView, text: str) -> None:
    assert gate_in_words(gate) == text


GATE = GateView("max_replans", 5, 5, False, "3", "v2")
FAILED = {
    "status": "failed",
    "reason": "replan_budget",
    "handover": HandOver("replan_budget", GATE, {}, ("2",), (), (), (), ("do this",)),
}
NO_REMEDY = LedgerView((), LedgerTotals(1_000, 0, 1_000, 0.0))
REFUSED = LedgerView((LedgerLine("replan", "v1", "3", "patch", 1, 1),) * 3, LedgerTotals(10, 3, 13, 0.3))

ENDINGS: dict[str, tuple[SessionResult, str]] = {
    "as planned": (
        sample.result(revisions=(), ledger=NO_REMEDY),
        "Goal met without a replan: 5s of session time, 1,000 tokens.",
    ),
    "after a replan": (
        sample.result(),
        "Goal met after 1 replan: 5s of session time, 1,890 tokens, 710 of them to recover from failures.",
    ),
    "with gaps": (
        sample.result(reason="goal_met_with_gaps", revisions=(), ledger=NO_REMEDY),
        "Goal met with gaps, without a replan: 5s of session time, 1,000 tokens.",
    ),
    "with refused drafts": (
        sample.result(ledger=REFUSED),
        "Goal met after 1 replan and 2 that failed: 5s of session time, 13 tokens, 3 of them to recover "
        "from failures.",
    ),
    "at a gate": (
        sample.result(**FAILED, revisions=(), ledger=REFUSED),
        "Goal not met after 3 replans that failed: no replans were left at step 3 (replan_budget, 5/5). "
        "It took 5s of session time, 13 tokens, 3 of them to recover from failures.",
    ),
    "without a gate": (
        sample.result(status="failed", reason="aborted", revisions=(), ledger=NO_REMEDY),
        "Goal not met: a step failed that nothing may go on without (aborted). It took 5s of session time, "
        "1,000 tokens.",
    ),
    "for a reason of its own": (
        sample.result(status="failed", reason="rained_off", revisions=(), ledger=NO_REMEDY),
        "Goal not met: rained_off (rained_off). It took 5s of session time, 1,000 tokens.",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("result", "text"), ENDINGS.values(), ids=ENDINGS)
def test_ending(result: SessionResult, text: str) -> None:
    assert "".join(closing_line(result)).replace("\u00a0", " ") == text


NEXT: dict[str, tuple[SessionResult, list[str]]] = {
    "after a replan": (sample.result(), ["replanctl diff v1 v2", "replanctl why 3", "replanctl show --ledger"]),
    "as planned": (sample.result(revisions=(), signals=()), ["replanctl show --variables"]),
    "not stored": (sample.result(run=None), []),
    "handed over": (sample.result(**FAILED), ["do this"]),
}


@pytest.mark.parametrize(("result", "todo"), NEXT.values(), ids=NEXT)
def test_next(result: SessionResult, todo: list[str]) -> None:
    assert commands(result) == todo
    text = drawn(lambda paper: verdict.closing(paper, result), width=120)
    assert text.splitlines()[-1].startswith("  Next: ") is bool(todo)


def test_a_long_hand_over_shows_both_ends() -> None:
    results = {f"E{n}": n for n in range(1, 101)}
    handed = HandOver("aborted", None, results, (), tuple(f"v1 step {n} failed: x" for n in range(1, 42)), (), (), ())
    text = drawn(lambda paper: handover.view(paper, sample.result(handover=handed, detail="it had to"))).splitlines()
    assert text[0] == "  reason     aborted: it had to"
    assert [line.strip() for line in text if "more" in line] == ["… 60 more", "… 1 more"]
    assert (text[2], text[42], text[43]) == (
        "  results    E1 = 1",
        "             E100 = 100",
        "  trajectory v1 step 1 failed: x",
    )


def test_a_hand_over_folds_what_was_done() -> None:
    done = [f"v1 step {n} done" for n in range(1, 8)]
    lines = (*done, "v1 step 8 failed: unknown: x", *(f"v2 step {n} done" for n in range(9, 13)))
    handed = HandOver("aborted", None, {}, (), lines, (), (), ())
    text = drawn(lambda paper: handover.view(paper, sample.result(handover=handed)))
    assert (
        """\
  trajectory v1 steps 1–7 done
             v1 step 8 failed: unknown: x
             v2 step 9 done
"""
        in text
    )


def test_rules_that_were_never_used_are_counted() -> None:
    unused = [f"the outcome rule in line {n} was never used" for n in range(10, 30, 2)]
    for warnings, lines in (
        (unused[:1], ["  warnings   the outcome rule in line 10 was never used"]),
        (["new", *unused[:2]], ["  warnings   new", "             2 outcome rules were never used, in lines 10, 12"]),
        (unused, ["  warnings   10 outcome rules were never used, in lines 10 … 28 (show --format",
                  "             json names them all)"]),
    ):  # fmt: skip
        result = sample.result(warnings=tuple(warnings))
        text = drawn(lambda paper, result=result: verdict.closing(paper, result))  # type: ignore[misc]
        assert "\n".join(lines) in text


def test_lessons_that_say_the_same_share_a_line() -> None:
    book = tuple(
        _lesson(f"v{n} step {n} unknown: expected none, got no seats; avoid: t: error, t: error", 1)
        for n in range(1, 4)
    )
    assert drawn(lambda paper: lessons.section(paper, sample.result(lessons=book)), width=100) == (
        "  lessons    v1 step 1, v2 step 2, v3 step 3 unknown: no seats; avoid t (error ×2)\n"
    )


def test_warnings_that_were_said_are_not_said_again() -> None:
    result = sample.result(warnings=("said before", "new"))
    text = drawn(lambda paper: verdict.closing(paper, result, said=frozenset({"said before"})))
    assert "  warnings   new\n" in text
    assert "said before" not in text


@pytest.mark.parametrize(
    ("changes", "steps", "words"),
    [
        ({}, 5, "default gates"),
        ({"max_steps": 40}, 20, "default gates"),
        ({}, 20, "gates max_steps 12"),
        ({"max_seconds": 90.0, "per_step": None}, 5, "gates per_step no limit, max_seconds 1m30s"),
    ],
)
def test_limits(changes: dict[str, Any], steps: int, words: str) -> None:
    assert limits_in_words({**sample.LIMITS, **changes}, steps) == words
