"""`recorded:` in a plan file."""

from __future__ import annotations

import pytest

from replanctl.errors import InputError
from replanctl.files import End, Recorded, Role, Source, parse_rehearsal, recorded_in

PLAN = "goal: g\nsteps: [{id: 1, tool: t}]\n"


def parsed(recorded: str) -> Recorded | None:
    return parse_rehearsal([Source("p.yaml", Role.PLAN, f"{PLAN}recorded: {recorded}\n")]).recorded


def test_it_is_known() -> None:
    text = "{source: a.json, kind: otel, id: x, end: failed, solved: true, calls: 3, bound: 2, missing: [what]}"
    assert parsed(text) == Recorded("a.json", "otel", "x", End.FAILED, True, 3, 2, ("what",))


@pytest.mark.parametrize("text", ["{}", "{end: null, solved: null}"])
def test_all_of_it_may_be_left_out(text: str) -> None:
    assert parsed(text) == Recorded()


def test_a_plan_of_our_own_has_none() -> None:
    assert parsed("null") is None
    assert recorded_in("p.yaml", PLAN) is None
    assert recorded_in("p.yaml", f"{PLAN}# recorded: nothing\n") is None


def test_it_is_found_in_a_text() -> None:
    assert recorded_in("p.yaml", f"{PLAN}recorded: {{id: x}}\n") == Recorded(id="x")


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("{end: done}", "bad-choice"),
        ("{solved: 1}", "wrong-type"),
        ("{calls: -1}", "bad-number"),
        ("{missing: x}", "wrong-type"),
        ("{from: x}", "unknown-key"),
        ("[]", "wrong-type"),
    ],
)
def test_what_is_wrong_is_named(text: str, rule: str) -> None:
    with pytest.raises(InputError) as caught:
        parsed(text)
    assert [(problem.rule, problem.line) for problem in caught.value.problems] == [(rule, 3)]
