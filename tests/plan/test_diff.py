"""Comparing two plans: what went, what came, what changed under its id."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from replanctl.plan.diff import ChangeKind, PlanDiff, StepChange, changed_fields, diff_plans, diff_steps
from replanctl.plan.model import OnFailure, Plan, Step


def s(
    id_: str, *after: str, action: str = "act", tool: str = "t", args: dict[str, Any] | None = None, **more: Any
) -> Step:
    return Step(id_, tool, args or {}, action=action, depends_on=after, **more)


PLAIN = (s("1"), s("2", "1"), s("3", "2"))

# old, new -> removed, added, revised, rewired, kept
CASES: dict[str, tuple[Any, Any, tuple[Any, ...]]] = {
    "the same": (PLAIN, PLAIN, ((), (), (), (), 3)),
    "nothing at all": ((), (), ((), (), (), (), 0)),
    "reordering alone": (PLAIN, PLAIN[::-1], ((), (), (), (), 3)),
    "removed in the old order": (PLAIN, PLAIN[1:2], (("1", "3"), (), (), (), 1)),
    "added in the new order": (PLAIN[:1], (s("9"), *PLAIN[:1], s("8")), ((), ("9", "8"), (), (), 1)),
    "another action": (PLAIN, (s("1", action="other"), *PLAIN[1:]), ((), (), ("1",), (), 2)),
    "another tool": (PLAIN, (s("1", tool="u"), *PLAIN[1:]), ((), (), ("1",), (), 2)),
    "other args": (PLAIN, (s("1", args={"q": 1}), *PLAIN[1:]), ((), (), ("1",), (), 2)),
    "args in another order": ((s("1", args={"a": 1, "b": 2}),), (s("1", args={"b": 2, "a": 1}),), ((), (), (), (), 1)),
    "1 is not true": ((s("1", args={"a": 1}),), (s("1", args={"a": True}),), ((), (), ("1",), (), 0)),
    "1 is not 1.0": ((s("1", args={"a": [1]}),), (s("1", args={"a": [1.0]}),), ((), (), ("1",), (), 0)),
    "half a surrogate pair": (
        (s("1", args={"a": "\ud800"}),),
        (s("1", args={"a": "\ud801"}),),
        ((), (), ("1",), (), 0),
    ),
    "not JSON, the same": ((s("1", args={"a": {(1, 2): 3}}),), (s("1", args={"a": {(1, 2): 3}}),), ((), (), (), (), 1)),
    "only rewired": (PLAIN, (*PLAIN[:2], s("3", "1")), ((), (), (), ("3",), 2)),
    "revised and rewired is revised": (PLAIN, (*PLAIN[:2], s("3", "1", tool="u")), ((), (), ("3",), (), 2)),
    "dependencies in another order": ((s("1", "a", "b"),), (s("1", "b", "a"),), ((), (), (), (), 1)),
    "other fields": (PLAIN, (s("1", assumes=("p",), on_failure=OnFailure.SKIP), *PLAIN[1:]), ((), (), (), (), 3)),
    "other ids are other steps": (PLAIN[:1], (s("7"),), (("1",), ("7",), (), (), 0)),
    "dependencies left out": (
        (Step("1", "t"), Step("2", "t")),
        (s("1", action="t"), s("2", "1", action="t")),
        ((), (), (), (), 2),
    ),
    "reordered where order is the dependency": (
        (Step("1", "t"), Step("2", "t")),
        (Step("2", "t"), Step("1", "t")),
        ((), (), (), ("2", "1"), 0),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("old", "new", "expected"), CASES.values(), ids=CASES)
def test_what_changed(old: Any, new: Any, expected: tuple[Any, ...]) -> None:
    diff = diff_plans(old, new)
    assert (diff.removed, diff.added, diff.revised, diff.rewired, diff.kept) == expected
    assert bool(diff) is any(expected[:4])


@pytest.mark.parametrize(("old", "new", "expected"), CASES.values(), ids=CASES)
def test_the_other_way_round(old: Any, new: Any, expected: tuple[Any, ...]) -> None:
    removed, added, revised, rewired, kept = expected
    diff = diff_plans(new, old)
    assert (set(diff.removed), set(diff.added)) == (set(added), set(removed))
    assert (set(diff.revised), set(diff.rewired), diff.kept) == (set(revised), set(rewired), kept)


def test_changes_hold_the_steps_in_the_order_they_are_told() -> None:
    old = (s("1"), s("2"), s("3", "1"), s("4"))
    new = (s("3", "2"), s("6", "3"), s("2", tool="u"), s("1"))
    assert diff_plans(old, new, old_name="v3", new_name="v4") == PlanDiff(
        "v3",
        "v4",
        removed=("4",),
        added=("6",),
        revised=("2",),
        rewired=("3",),
        kept=1,
        changes=(
            StepChange(ChangeKind.REWIRED, "3", old[2], new[0], ("depends_on",)),
            StepChange(ChangeKind.REVISED, "2", old[1], new[2], ("tool",)),
            StepChange(ChangeKind.REMOVED, "4", old[3]),
            StepChange(ChangeKind.ADDED, "6", None, new[1]),
        ),
    )


def test_plans_are_compared_by_their_steps() -> None:
    old, new = Plan.of("a", [Step("1", "t"), Step("2", "t")]), Plan.of("b", [Step("1", "t")])
    assert diff_plans(old, new).removed == ("2",)


def test_a_step_that_is_the_same_object_is_not_looked_into() -> None:
    step = s("1", args={"a": object()})
    assert changed_fields(step, step) == ()


def test_a_change_costs_no_more_than_itself() -> None:
    class Known(dict[str, Step]):
        asked = 0

        def get(self, key: str, default: Any = None) -> Any:
            self.asked += 1
            return super().get(key, default)

    before = Known({str(i): s(str(i)) for i in range(10_000)})
    diff = diff_steps(before, [s("5", tool="u"), s("x")], ["7"], old_name="v1", new_name="v2")
    assert (diff.revised, diff.added, diff.removed, diff.kept, before.asked) == (("5",), ("x",), ("7",), 9_998, 2)


def test_as_json() -> None:
    encoded = msgspec.to_builtins(diff_plans(PLAIN[:1], PLAIN[:2]))
    assert {key: encoded[key] for key in ("from", "to", "added", "kept")} == {
        "from": "v1",
        "to": "v2",
        "added": ("2",),
        "kept": 1,
    }
