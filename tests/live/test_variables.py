"""Variables and their health: what each refuted premise, changed goal and verdict does, and to whom."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from replanctl.live.variables import Health, HealthChange, VariableTable, Verdict

CLEAN, STALE, VOID = Health
KEEP, CONVERT, DISCARD = Verdict


def table(*made: tuple[str, str, str]) -> VariableTable:
    """Variables given as (step, assumptions, sources), names apart by spaces."""
    variables = VariableTable()
    for step, assumes, sources in made:
        variables.add(step, f"value {step}", assumes=assumes.split(), sources=sources.split())
    return variables


def healths(variables: VariableTable) -> str:
    return " ".join(f"{v.step_id}:{v.health}" for v in variables)


def brief(changes: list[HealthChange]) -> list[str]:
    return [f"{c.step_id} {c.health} {c.because}" + (f" ({c.verdict})" if c.verdict else "") for c in changes]


# variables, what is refuted in turn -> health afterwards, the changes of the last refutation
REFUTED: dict[str, tuple[list[tuple[str, str, str]], list[str], str, list[str]]] = {
    "rests on nothing": ([("1", "", "")], ["p"], "1:clean", []),
    "rests on another": ([("1", "q", "")], ["p"], "1:clean", []),
    "all it rests on": ([("1", "p", "")], ["p"], "1:void", ["1 void p"]),
    "some of it": ([("1", "p q", "")], ["p"], "1:stale", ["1 stale p"]),
    "the rest of it later": ([("1", "p q", "")], ["p", "q"], "1:void", ["1 void q"]),
    "all of it at once": ([("1", "p q", "")], ["p q"], "1:void", ["1 void p"]),
    "the same twice": ([("1", "p q", "")], ["p", "p"], "1:stale", []),
    "several at once": (
        [("1", "p", ""), ("2", "p q", ""), ("3", "q", "")],
        ["p"],
        "1:void 2:stale 3:clean",
        ["1 void p", "2 stale p"],
    ),
    "inherited from what it was computed from": (
        [("1", "p", ""), ("2", "q", "1")],
        ["p"],
        "1:void 2:void",
        ["1 void p", "2 void computed from E1"],
    ),
    "inherited and partly refuted": (
        [("1", "p q", ""), ("2", "r", "1")],
        ["p"],
        "1:stale 2:stale",
        ["1 stale p", "2 stale p"],
    ),
    "computed from a stale one that then is void": (
        [("1", "p q", ""), ("2", "r", "1")],
        ["p", "q"],
        "1:void 2:void",
        ["1 void q", "2 void computed from E1"],
    ),
    "void spreads down a chain": (
        [("1", "p", ""), ("2", "q", "1"), ("3", "r", "2"), ("4", "r", "")],
        ["p"],
        "1:void 2:void 3:void 4:clean",
        ["1 void p", "2 void computed from E1", "3 void computed from E1"],
    ),
    "one void source is enough": (
        [("1", "p", ""), ("2", "q", ""), ("3", "", "1 2")],
        ["p"],
        "1:void 2:clean 3:void",
        ["1 void p", "3 void computed from E1"],
    ),
    "a source without a variable": ([("2", "q", "404")], ["p"], "2:clean", []),
}


@pytest.mark.parametrize(("made", "refuted", "after", "changes"), REFUTED.values(), ids=REFUTED)
def test_refuting(made: Any, refuted: list[str], after: str, changes: list[str]) -> None:
    variables = table(*made)
    for names in refuted:
        last = variables.refute(names.split())
    assert (healths(variables), brief(last)) == (after, changes)


@pytest.mark.parametrize(("made", "refuted", "after", "changes"), REFUTED.values(), ids=REFUTED)
def test_whoever_is_made_later_is_born_as_it_would_have_become(
    made: Any, refuted: list[str], after: str, changes: list[str]
) -> None:
    variables = VariableTable()
    variables.refute(name for names in refuted for name in names.split())
    for step, assumes, sources in made:
        variables.add(step, 0, assumes=assumes.split(), sources=sources.split())
    assert healths(variables) == after


def test_a_variable_keeps_where_it_came_from() -> None:
    variables = VariableTable()
    variables.add("1", 5, version="v2", assumes=["p", "q", "p"])
    made = variables.add("2", 0, version="v3", assumes=["r"], sources=["1", "404"])
    assert (made.value, made.version, made.assumptions, made.sources) == (0, "v3", ("r", "p", "q"), ("1",))
    assert (len(variables), "1" in variables, "404" in variables) == (2, True, False)
    assert (variables.health("1"), variables.health("404"), variables.get("404")) == (CLEAN, None, None)


def test_who_rests_on_a_premise_directly_or_through_others() -> None:
    variables = table(("1", "p", ""), ("2", "", "1"), ("3", "q", ""), ("4", "q", "2"))
    assert variables.resting_on(["p"]) == ["1", "2", "4"]
    assert variables.resting_on(["q", "p"]) == ["3", "4", "1", "2"]
    assert variables.resting_on(["r"]) == []
    variables.refute(["p"])
    assert variables.resting_on(["p"]) == ["1", "2", "4"]


def test_refuted_premises_are_kept_in_the_order_they_fell() -> None:
    variables = VariableTable()
    variables.refute(["b", "a", "b"])
    variables.refute(["a", "c"])
    assert list(variables.refuted) == ["b", "a", "c"]


def test_a_changed_goal_makes_what_is_clean_stale() -> None:
    variables = table(("1", "p", ""), ("2", "p q", ""), ("3", "", ""))
    variables.refute(["p"])
    assert brief(variables.goal_changed()) == ["3 stale goal changed"]
    assert healths(variables) == "1:void 2:stale 3:stale"
    assert variables.goal_changed() == []


def test_what_is_made_for_the_new_goal_is_clean() -> None:
    variables = table(("1", "", ""))
    variables.goal_changed()
    variables.add("2", 0)
    variables.add("3", 0, sources=["1"])
    assert healths(variables) == "1:stale 2:clean 3:clean"


# variables, refuted, verdicts -> health afterwards, changes
JUDGED: dict[str, tuple[list[tuple[str, str, str]], str, Mapping[str, Verdict], str, list[str]]] = {
    "keep": ([("1", "p q", "")], "p", {"1": KEEP}, "1:clean", ["1 clean verdict (keep)"]),
    "convert": ([("1", "p q", "")], "p", {"1": CONVERT}, "1:clean", ["1 clean verdict (convert)"]),
    "discard": ([("1", "p q", "")], "p", {"1": DISCARD}, "1:void", ["1 void verdict (discard)"]),
    "keep of a clean one": ([("1", "", "")], "", {"1": KEEP}, "1:clean", ["1 clean verdict (keep)"]),
    "discard of a clean one": ([("1", "", "")], "", {"1": DISCARD}, "1:void", ["1 void verdict (discard)"]),
    "keep of a void one": ([("1", "p", "")], "p", {"1": KEEP}, "1:void", []),
    "discard of a void one": ([("1", "p", "")], "p", {"1": DISCARD}, "1:void", []),
    "an unknown one": ([("1", "", "")], "", {"404": KEEP}, "1:clean", []),
    "discard spreads": (
        [("1", "", ""), ("2", "", "1"), ("3", "", "2"), ("4", "", "")],
        "",
        {"1": DISCARD},
        "1:void 2:void 3:void 4:clean",
        ["1 void verdict (discard)", "2 void computed from E1", "3 void computed from E1"],
    ),
    "discard spares what the same draft keeps": (
        [("1", "", ""), ("2", "", "1"), ("3", "", "2")],
        "",
        {"1": DISCARD, "2": KEEP},
        "1:void 2:clean 3:clean",
        ["1 void verdict (discard)", "2 clean verdict (keep)"],
    ),
    "whatever their order": (
        [("1", "", ""), ("2", "", "1")],
        "",
        {"2": CONVERT, "1": DISCARD},
        "1:void 2:clean",
        ["2 clean verdict (convert)", "1 void verdict (discard)"],
    ),
    "two ways to a discarded one": (
        [("1", "", ""), ("2", "", "1"), ("3", "", "1 2")],
        "",
        {"1": DISCARD, "2": KEEP},
        "1:void 2:clean 3:void",
        ["1 void verdict (discard)", "3 void computed from E1", "2 clean verdict (keep)"],
    ),
}


@pytest.mark.parametrize(("made", "refuted", "verdicts", "after", "changes"), JUDGED.values(), ids=JUDGED)
def test_verdicts(made: Any, refuted: str, verdicts: Any, after: str, changes: list[str]) -> None:
    variables = table(*made)
    variables.refute(refuted.split())
    assert (brief(variables.judge(verdicts)), healths(variables)) == (changes, after)


def test_a_verdict_is_remembered_where_it_had_an_effect() -> None:
    variables = table(("1", "p q", ""), ("2", "p", ""))
    variables.refute(["p"])
    variables.judge({"1": KEEP, "2": KEEP})
    assert [v.verdict for v in variables] == [KEEP, None]


def test_a_verdict_ends_what_was_refuted_so_far_and_nothing_after_it() -> None:
    variables = table(("1", "p q r", ""))
    variables.refute(["p"])
    variables.judge({"1": KEEP})
    assert variables.refute(["p"]) == []
    variables.add("2", 0, sources=["1"])
    assert healths(variables) == "1:clean 2:clean"
    variables.refute(["q"])
    assert healths(variables) == "1:stale 2:stale"
    variables.refute(["r"])
    assert healths(variables) == "1:void 2:void"


def test_a_verdict_ends_a_changed_goal_too() -> None:
    variables = table(("1", "p", ""))
    variables.goal_changed()
    variables.judge({"1": CONVERT})
    assert healths(variables) == "1:clean"
    assert brief(variables.goal_changed()) == ["1 stale goal changed"]


def test_another_premise_falls_for_what_was_kept_and_now_rests_on_that_alone() -> None:
    variables = table(("1", "p q", ""))
    variables.refute(["p"])
    variables.judge({"1": KEEP})
    assert brief(variables.refute(["q"])) == ["1 void q"]


def test_a_discarded_variable_stays_void() -> None:
    variables = table(("1", "p", ""))
    variables.judge({"1": DISCARD})
    assert variables.judge({"1": KEEP}) == []
    assert (variables.refute(["p"]), variables.goal_changed(), healths(variables)) == ([], [], "1:void")
