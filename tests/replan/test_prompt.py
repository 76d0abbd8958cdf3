"""The exact text a model would get: thirty lines at most, none of them blank, whatever the plan."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from replanctl.kinds import Health
from replanctl.plan.model import Granularity, Step
from replanctl.replan.prompt import DoneStep, Lazy, ReplanRequest, build_prompt, done_lines, step_lines, summary
from replanctl.replan.signal import ErrorType, FailureSignal

SIGNAL = FailureSignal("3", ErrorType.ASSUMPTION, "no field named price", ("look: timeout", "look: shape"))


def done(count: int) -> list[DoneStep]:
    return [DoneStep(str(n), f"act {n}", f"value {n}") for n in range(1, count + 1)]


def steps(count: int) -> list[Step]:
    return [Step(str(n), "look", action=f"act {n}", depends_on=("1", "2")) for n in range(1, count + 1)]


def request(**fields: Any) -> ReplanRequest:
    base = ReplanRequest("Compare costs", Granularity.TAIL, done=done(1), signal=SIGNAL, remaining=steps(1))
    return msgspec.structs.replace(base, **fields)


def test_a_whole_prompt() -> None:
    asked = request(
        done=[DoneStep("1", "look up A", '{"rows":[1]}'), DoneStep("2", "look up B", "")],
        remaining=[
            Step("3", "look", {"vendor": "C"}, action="look up C", depends_on=()),
            Step("4", "sum", action="total", depends_on=("1", "3")),
        ],
        lessons=("v1 step 3 assumption: by quote only; avoid: none", "v1 step 2 semantic: wrong; avoid: sum: semantic"),
    )
    assert build_prompt(asked).splitlines() == [
        "Goal: Compare costs",
        "Done:",
        '  1 look up A: {"rows":[1]}',
        "  2 look up B: none",
        "Failed step: 3",
        "Failure: assumption: no field named price",
        "Attempted: look: timeout, look: shape",
        "Lessons:",
        "  v1 step 3 assumption: by quote only; avoid: none",
        "  v1 step 2 semantic: wrong; avoid: sum: semantic",
        "Remaining:",
        "  3 look up C [look] after none",
        "  4 total [sum] after 1, 3",
        "Replan (tail): Replace the failed step and all that rests on it; what is done stays done.",
    ]


def test_what_is_missing_is_none() -> None:
    assert build_prompt(ReplanRequest("", Granularity.GLOBAL)).splitlines() == [
        "Goal: none",
        "Done: none",
        "Failed step: none",
        "Failure: none",
        "Attempted: none",
        "Lessons: none",
        "Remaining: none",
        "Replan (global): Plan again from the beginning; results that are still clean may be referenced.",
    ]


def test_a_failure_without_an_attempt() -> None:
    signal = FailureSignal("3", ErrorType.MISSING_VAR, "#E2.rows: pending")
    assert build_prompt(request(signal=signal)).splitlines()[3:6] == [
        "Failed step: 3",
        "Failure: missing_var: #E2.rows: pending",
        "Attempted: none",
    ]


@pytest.mark.parametrize("granularity", Granularity)
def test_the_closing_line_names_the_granularity(granularity: Granularity) -> None:
    last = build_prompt(request(granularity=granularity)).splitlines()[-1]
    head, _, instruction = last.partition(": ")
    assert (head, instruction.endswith(".")) == (f"Replan ({granularity})", True)


def between(prompt: str, title: str, after: str) -> list[str]:
    """The lines of one section, without their indent."""
    lines = prompt.splitlines()
    return [line[2:] for line in lines[lines.index(title) + 1 : lines.index(after)]]


@pytest.mark.parametrize(
    ("count", "numbers"),
    [
        (1, [1]),
        (7, [1, 2, 3, 4, 5, 6, 7]),
        (8, [1, 2, 3, 4, 5, 6, 7, 8]),
        (9, [1, 2, 3, "… 2 more", 6, 7, 8, 9]),
        (10, [1, 2, 3, "… 3 more", 7, 8, 9, 10]),
        (1000, [1, 2, 3, "… 993 more", 997, 998, 999, 1000]),
    ],
)
def test_many_done_steps_fold(count: int, numbers: list[Any]) -> None:
    shown = between(build_prompt(request(done=done(count))), "Done:", "Failed step: 3")
    assert shown == [n if isinstance(n, str) else f"{n} act {n}: value {n}" for n in numbers]
    assert len(shown) == done_lines(count)


@pytest.mark.parametrize(
    ("count", "numbers"),
    [
        (1, [1]),
        (8, [1, 2, 3, 4, 5, 6, 7, 8]),
        (9, [1, 2, 3, 4, 5, 6, 7, 8, 9]),
        (10, [1, 2, 3, 4, "… 2 more", 7, 8, 9, 10]),
        (1000, [1, 2, 3, 4, "… 992 more", 997, 998, 999, 1000]),
    ],
)
def test_many_steps_to_be_replaced_fold(count: int, numbers: list[Any]) -> None:
    prompt = build_prompt(request(remaining=steps(count)))
    shown = between(prompt, "Remaining:", prompt.splitlines()[-1])
    assert shown == [n if isinstance(n, str) else f"{n} act {n} [look] after 1, 2" for n in numbers]
    assert len(shown) == step_lines(count)


@pytest.mark.parametrize(("count", "shown"), [(1, "0"), (5, "01234"), (6, "12345"), (9, "45678")])
def test_the_newest_five_lessons(count: int, shown: str) -> None:
    prompt = build_prompt(request(lessons=tuple(f"lesson {n}" for n in range(count))))
    assert between(prompt, "Lessons:", "Remaining:") == [f"lesson {n}" for n in shown]


@pytest.mark.parametrize("many", [0, 1, 8, 9, 10, 5000])
def test_never_more_than_thirty_lines_and_none_blank(many: int) -> None:
    hostile = "\n\n \r\n\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"
    asked = ReplanRequest(
        hostile,
        Granularity.TAIL,
        done=[DoneStep("1", hostile, hostile)] * many,
        signal=FailureSignal("3", ErrorType.UNKNOWN, hostile, (hostile,)),
        remaining=[Step("3", "t", action=hostile)] * many,
        lessons=(hostile,) * many,
    )
    lines = build_prompt(asked).splitlines()
    assert len(lines) <= 30
    assert all(line.strip() for line in lines)


def test_thirty_lines_are_really_used() -> None:
    asked = request(done=done(9), remaining=steps(10), lessons=("a", "b", "c", "d", "e", "f"))
    assert len(build_prompt(asked).splitlines()) == 30


def test_line_breaks_become_spaces() -> None:
    asked = request(
        goal="one\ntwo",
        done=[DoneStep("1", "look\nup", "a\r\nb")],
        signal=FailureSignal("3", ErrorType.UNKNOWN, "no\nrows", ("look:\nerror",)),
        lessons=("v1 step 1 unknown: a\nb; avoid: none",),
        remaining=[Step("3", "t\nt", action="x\u2028y", depends_on=())],
    )
    assert build_prompt(asked).splitlines()[:-1] == [
        "Goal: one two",
        "Done:",
        "  1 look up: a b",
        "Failed step: 3",
        "Failure: unknown: no rows",
        "Attempted: look: error",
        "Lessons:",
        "  v1 step 1 unknown: a b; avoid: none",
        "Remaining:",
        "  3 x y [t t] after none",
    ]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("plain", "plain"),
        ("x" * 40, "x" * 40),
        ("x" * 41, "x" * 40),
        ("a\nb", "a b"),
        ("", "none"),
        (None, "null"),
        (0, "0"),
        (False, "false"),
        ([], "[]"),
        ({"rows": [{"price": 0.021}]}, '{"rows":[{"price":0.021}]}'),
        (["x" * 60], '["' + "x" * 38),
    ],
)
def test_a_value_is_cut_at_forty_characters(value: Any, text: str) -> None:
    assert summary(value) == text


def test_what_nobody_looks_at_is_never_made() -> None:
    made: list[int] = []

    def make() -> list[int]:
        made.append(1)
        return [1, 2, 3]

    lazy = Lazy(make)
    assert made == []
    assert (len(lazy), list(lazy), lazy[0], list(lazy[1:])) == (3, [1, 2, 3], 1, [2, 3])
    assert made == [1]


def test_a_stale_variable_is_marked_and_a_verdict_asked_for_a_void_one_left_out() -> None:
    asked = request(
        granularity=Granularity.PATCH,
        done=[
            DoneStep("1", "look up A", "9"),
            DoneStep("2", "look up B", "7", Health.STALE, "public, listed"),
            DoneStep("3", "look up C", "8", Health.VOID),
            DoneStep("4", "look up D", "6", Health.STALE, "goal changed"),
        ],
    )
    prompt = build_prompt(asked)
    assert between(prompt, "Done:", "Failed step: 3") == [
        "1 look up A: 9",
        "2 look up B: 7 [stale: public, listed]",
        "4 look up D: 6 [stale: goal changed]",
    ]
    assert prompt.splitlines()[-1] == (
        "Replan (patch): Replace the failed step, and its direct successors where they must change; a step may go "
        "between. Everything else stays. Give a verdict (keep, convert or discard) for each stale variable that is "
        "used."
    )
    void = request(done=[DoneStep("3", "look up C", "8", Health.VOID)])
    assert "verdict" not in build_prompt(void) and "Done: none" in build_prompt(void)
