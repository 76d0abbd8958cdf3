"""The lab's screens, whole: narrow and wide, without Unicode, folded by tool, with Chinese and hostile text."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest

from replanctl.lab import (
    Case,
    Matrix,
    MatrixOptions,
    Strategy,
    Totals,
    Tuning,
    compare,
    compare_trials,
    matrix,
    matrix_trials,
    race,
    stats,
    sweep_trials,
    tune,
    tune_trials,
)
from replanctl.lab.compare import Comparison
from replanctl.run import Policy
from replanctl.show import (
    Paper,
    compare_markdown,
    compare_screen,
    matrix_markdown,
    matrix_screen,
    stats_screen,
    tune_markdown,
    tune_screen,
)
from replanctl.show.matrix import totals_in_words
from tests.lab.making import case, example, limited
from tests.show.golden import assert_golden, drawn

STEPS = "\n".join(
    f"  - {{id: {n}, tool: {tool}, args: {{n: {n}}}, depends_on: []}}"
    for n, tool in enumerate(["find_order", "get_user", "refund", "mail"] * 8, start=1)
)
LARGE = f"""\
goal: Work through a long list
tools: {{find_order: {{fallback: get_user}}, get_user: {{}}, refund: {{}}, mail: {{idempotent: false}}}}
steps:
{STEPS}
policy: {{mode: rewoo}}
"""
HOSTILE = (
    'goal: "[red]x[/x] \\e[31m \\u202eabc"\nsteps: [{id: 1, tool: "a|b`c*", action: "]8;; \\e]0;t\\a 比较"},'
    ' {id: 2, tool: w}]\nplanner: [{when: {error: "[/b] \\e[2J"}, steps: [{id: 9, tool: w}]}]\n'
)


@cache
def matrix_of(name: str) -> Matrix:
    of = {"large": lambda: case(LARGE), "hostile": lambda: case(HOSTILE)}.get(name, lambda: example(name))()
    options = MatrixOptions(goals=True, pairs=60)
    return matrix(of, sweep_trials([(of.rehearsal, matrix_trials(of, options))]))


@cache
def race_of(name: str) -> Comparison:
    of = (
        case(HOSTILE + 'outcomes: [{match: {step: 1}, returns: [{status: shape, message: "\\e[1m[/x]"}]}]\n')
        if name == "hostile"
        else example(name)
    )
    lanes = list(Strategy)
    facts = list(sweep_trials([(of.rehearsal, compare_trials(of, lanes))]))
    return race(compare(facts, [str(lane) for lane in lanes]), of, lanes, facts)


@cache
def corpus() -> list[Case]:
    names = ("address", "card", "exchange", "invoice", "voucher", "warranty")
    return [
        *(limited(example(f"lab/support/{name}"), max_replans=1) for name in names),
        limited(example("pipeline"), max_steps=9),
    ]


@cache
def tuning() -> Tuning:
    solved = {of.name: of.solved for of in corpus()}
    return tune(sweep_trials((of.rehearsal, tune_trials(of)) for of in corpus()), solved)


@cache
def spans() -> Tuning:
    """A short plan that its 12 steps stop, and a long one that completes under its 30: no number is in force."""
    short = limited(chain(4, 9, "plans/short.yaml"), per_step=None, max_replans=99)
    return tune(sweep_trials((of.rehearsal, tune_trials(of)) for of in (short, chain(15, 2, "plans/long.yaml"))))


def chain(steps: int, fails: int, name: str) -> Case:
    """Steps one after the other, the first of which fails so often."""
    lines = "".join(f"  - {{id: {n}, tool: t{n}}}\n" for n in range(1, steps + 1))
    script = f"outcomes: [{{match: {{step: 1}}, returns: [{', '.join(['shape'] * fails + ['ok'])}]}}]\n"
    return case(f"goal: g\nsteps:\n{lines}{script}", name)


@cache
def bound() -> Tuning:
    """Sessions that two limits bind, so that no single one frees them."""
    cases = [limited(chain(4, 3, f"plans/{n}.yaml"), max_replans=1, max_steps=n) for n in (5, 6)]
    return tune(sweep_trials((of.rehearsal, tune_trials(of)) for of in cases))


@cache
def comparison() -> Comparison:
    lanes = [Strategy.HYBRID, Strategy.NONE, Strategy.REWOO]
    facts = sweep_trials((of.rehearsal, compare_trials(of, lanes)) for of in corpus())
    return compare(facts, [str(lane) for lane in lanes])


WITHOUT = "Without --max-replans 1 the rehearsals' own limits hold, and tune says what those come to."
NEXT = ["replanctl run plans/a.yaml --fault 1=denied"]
SCREENS: dict[str, Callable[[Paper], object]] = {
    "matrix-vendors": lambda paper: matrix_screen(paper, matrix_of("vendors"), NEXT),
    "matrix-chinese": lambda paper: matrix_screen(paper, matrix_of("chinese"), NEXT),
    "matrix-recorded": lambda paper: matrix_screen(paper, matrix_of("recorded/refund"), NEXT),
    "matrix-large": lambda paper: matrix_screen(paper, matrix_of("large"), NEXT),
    "matrix-hostile": lambda paper: matrix_screen(paper, matrix_of("hostile"), NEXT),
    "race-vendors": lambda paper: compare_screen(paper, race_of("vendors")),
    "race-chinese": lambda paper: compare_screen(paper, race_of("chinese")),
    "race-hostile": lambda paper: compare_screen(paper, race_of("hostile")),
    "tune": lambda paper: tune_screen(paper, tuning(), notes=["Wrote tuned.yaml."], todo=NEXT),
    "tune-spans": lambda paper: tune_screen(paper, spans(), notes=["Wrote tuned.yaml: max_steps 17 (on 1 session)."]),
    "tune-bound": lambda paper: tune_screen(paper, bound(), notes=[WITHOUT]),
    "compare": lambda paper: compare_screen(paper, comparison()),
}


@pytest.mark.parametrize("width", [40, 80, 120, 200])
@pytest.mark.parametrize("name", SCREENS)
def test_screen(name: str, width: int) -> None:
    assert_golden(f"lab-{name}-{width}", drawn(SCREENS[name], width=width))


@pytest.mark.parametrize("name", ["matrix-vendors", "race-vendors", "tune", "compare"])
def test_screen_in_ascii(name: str) -> None:
    said = drawn(SCREENS[name], width=80, encoding="ascii")
    assert said.isascii()
    assert_golden(f"lab-{name}-ascii", said)


@pytest.mark.parametrize("name", SCREENS)
def test_colour_only_helps(name: str) -> None:
    """Without its colours a screen is the same text, and at any width no line is wider."""
    import re

    from replanctl.show.text import width

    plain, coloured = (drawn(SCREENS[name], width=80, color=color) for color in (False, True))
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain
    for columns in (24, 40, 60, 100, 200):
        assert max(map(width, drawn(SCREENS[name], width=columns).splitlines())) <= columns


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("matrix", lambda: matrix_markdown(matrix_of("vendors"))),
        ("matrix-hostile", lambda: matrix_markdown(matrix_of("hostile"))),
        ("tune", lambda: tune_markdown(tuning())),
        ("tune-spans", lambda: tune_markdown(spans())),
        ("compare", lambda: compare_markdown(comparison())),
        ("race", lambda: compare_markdown(race_of("vendors"))),
    ],
)
def test_markdown(name: str, said: Callable[[], str]) -> None:
    assert_golden(f"lab-{name}-markdown", said())


def test_nothing_stored() -> None:
    assert "There are no runs yet" in drawn(lambda paper: stats_screen(paper, stats([])))


def test_nothing_stopped() -> None:
    of = example("vendors")
    said = drawn(lambda paper: tune_screen(paper, tune(sweep_trials([(of.rehearsal, tune_trials(of, Policy()))]))))
    assert "No gate stopped any of 1 session (0.0–97.5 %)." in said


def test_a_call_that_the_plan_makes_twice_doubles_without_a_fault() -> None:
    of = case("goal: g\nsteps: [{id: 1, tool: a}, {id: 2, tool: a}, {id: 3, tool: b}]\n")
    text = matrix_markdown(matrix(of, sweep_trials([(of.rehearsal, matrix_trials(of, MatrixOptions()))])))
    assert "a even without a fault: taken for idempotent" in text
    assert "b under lost, shape, empty, semantic: taken for idempotent" in text


TOTALS = [
    (Totals(60, 29, 17, 12, 0, 27, 4), "29 of 60 sessions reach the goal, 17 of them without a replan; 27 are handed "
     "over and 4 stopped."),
    (Totals(1, 1, 1, 0, 0, 0, 0), "1 of 1 session reaches the goal, 1 of them without a replan; none ends short."),
    (Totals(260, 236, 0, 0, 236, 0, 24), "236 of 260 sessions reach the goal, all with gaps; 24 are stopped."),
    (Totals(3, 1, 0, 0, 1, 1, 1), "1 of 3 sessions reaches the goal, 1 with gaps; 1 is handed over and 1 is stopped."),
]  # fmt: skip


@pytest.mark.parametrize(("totals", "said"), TOTALS, ids=[said[:12] for _, said in TOTALS])
def test_what_sessions_came_to_in_words(totals: Totals, said: str) -> None:
    assert totals_in_words(totals) == said
