"""The live plan: who rests on whom, who may start, and what a commit makes of the list."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from msgspec.structs import replace

from replanctl.live.cells import Cell, Reading
from replanctl.live.graph import Graph
from replanctl.plan.model import Step, sequenced


def step(text: str, **fields: Any) -> Step:
    """`4:1,2` comes after 1 and 2, `4:` after nothing, `4` after the step before it, and `4:1!p` assumes p."""
    text, _, assumes = text.partition("!")
    id_, given, after = text.partition(":")
    depends_on = tuple(filter(None, after.split(","))) if given else None
    return Step(id_, "t", depends_on=depends_on, assumes=tuple(filter(None, assumes.split(","))), **fields)


def steps(text: str) -> tuple[Step, ...]:
    return sequenced(map(step, text.split()))


def graph(text: str) -> Graph:
    made = Graph()
    made.commit(steps(text))
    return made


def run(plan: Graph, moves: str) -> None:
    """`1` is done, `2x` failed and waits for a replan, `3X` failed for good, `4-` is skipped, `5~` a gap, `6.` runs."""
    for move in moves.split():
        cell = plan.cells[move.rstrip("xX-~.")]
        if move.endswith("-"):
            plan.skip(cell)
            continue
        if cell.state == "pending":
            assert plan.next_ready() is cell
            plan.start(cell)
        if move.endswith("."):
            continue
        if move[-1] not in "xX~":
            plan.finish(cell)
            continue
        plan.fail(cell, awaits_replan=move.endswith("x"))
        if move.endswith("~"):
            plan.leave_gap(cell)


def names(cells: Iterable[Cell]) -> str:
    return " ".join(cell.step.id for cell in cells)


def drain(plan: Graph) -> str:
    """Every step in the order in which it starts when each is done before the next."""
    order = []
    while (cell := plan.next_ready()) is not None:
        order.append(cell)
        plan.start(cell)
        plan.finish(cell)
    return names(order)


# plan, what ended -> the radius of a failure of step 3, its open direct dependents
RADIUS: dict[str, tuple[str, str, str, str, str]] = {
    "the rest of a sequence": ("1 2 3 4 5", "1 2 3x", "", "4 5", "4"),
    "nobody": ("1 2 3", "1 2 3x", "", "", ""),
    "only what rests on it": ("3: 1: 2: 4:3 5:1 6:4,5", "3x", "", "4 6", "4"),
    "in list order, not in the order of the graph": ("3: 6:5 4:3 5:4", "3x", "", "6 4 5", "4"),
    "a diamond counts once": ("3: 4:3 5:3 6:4,5", "3x", "", "4 5 6", "4 5"),
    "what has ended is not open": ("3: 4:3 5:3 6:5", "4- 3x", "", "5 6", "5"),
    "a step that failed and waits is open": ("2: 3: 4:2,3", "2x 3x", "", "4", "4"),
    "by a refuted premise": ("3: 4: 5:!p 6:5 7:!q", "3x", "p", "5 6", ""),
    "by both ways once": ("3: 4:3!p 5:4", "3x", "p", "4 5", "4"),
    "the failed step itself is not counted": ("3:!p 4:3!p", "3x", "p", "4", "4"),
    "a waiting step that rests on the premise": ("2:!p 3: 4:2", "2x 3x", "p", "2 4", ""),
    "done steps that rest on the premise are not open": ("2:!p 3: 4:2", "2 3x", "p", "", ""),
    "several premises": ("3: 4:!p 5:!q 6:!r", "3x", "p q", "4 5", ""),
}


@pytest.mark.parametrize(("plan", "ended", "refuted", "radius", "direct"), RADIUS.values(), ids=RADIUS)
def test_the_radius(plan: str, ended: str, refuted: str, radius: str, direct: str) -> None:
    live = graph(plan)
    run(live, ended)
    failed = live.cells["3"]
    assert (names(live.resting_on(failed, refuted.split())), names(live.direct(failed))) == (radius, direct)


@pytest.mark.parametrize(
    ("plan", "order"),
    [
        ("1 2 3", "1 2 3"),
        ("3: 1: 2:", "3 1 2"),
        ("3:1 1:2 2:", "2 1 3"),
        ("1:3 2: 3:", "2 3 1"),  # list order among the ready
        ("1: 2:5 3: 4:1 5:", "1 3 4 5 2"),
        ("1:1x 1x:", "1x 1"),
    ],
)
def test_dependencies_first_then_list_order(plan: str, order: str) -> None:
    assert drain(graph(plan)) == order


@pytest.mark.parametrize(
    ("plan", "ended", "ready"),
    [
        ("1 2 3", "1x", ""),
        ("1 2 3", "1X", ""),
        ("1: 2: 3:1,2", "1X 2", ""),
        ("1: 2: 3:1,2", "1~ 2", "3"),  # a gap keeps nobody waiting
        ("1: 2: 3:1,2", "1 2~", "3"),
        ("1: 2: 3:1,2", "1~ 2~", ""),  # but with nothing else there is nothing to run on
        ("1: 2:1", "1~", ""),
        ("1: 2: 3:", "1- 2X", "3"),
    ],
)
def test_who_may_start(plan: str, ended: str, ready: str) -> None:
    live = graph(plan)
    run(live, ended)
    cell = live.next_ready()
    assert (cell.step.id if cell else "") == ready


def test_a_gap_tells_who_has_nothing_left_to_run_on() -> None:
    live = graph("1: 2: 3:1 4:1,2 5:1 6:3,5")
    live.start(live.cells["1"])
    live.fail(live.cells["1"], awaits_replan=False)
    assert names(live.leave_gap(live.cells["1"])) == "3 5"


# plan, what ended, (steps, amended, removed) of a commit -> the new list, what starts in which order
COMMITS: dict[str, tuple[str, str, tuple[str, str, str], str, str]] = {
    "a patch": ("1 2 3 4", "1 2 3x", ("3:2", "", ""), "1 2 3 4", "3 4"),
    "a tail": ("1 2 3 4 5", "1 2 3x", ("3:2 6:3 7:6", "", "4 5"), "1 2 3 6 7", "3 6 7"),
    "the draft before what else is open": ("1: 3: 2: 4:3", "1 3x", ("3: 5:3", "", "4"), "1 3 5 2", "3 5 2"),
    "what has ended comes first": ("2: 3: 1:", "2. 3 2x", ("2:", "", ""), "3 2 1", "2 1"),
    "in the order it had": ("2: 4: 5: 3: 1:", "2. 4 2 5- 3x", ("3:", "", ""), "2 4 5 3 1", "3 1"),
    "another step instead": ("1 2 3", "1 2x", ("4:1", "3:4", "2"), "1 4 3", "4 3"),
    "a global": ("1 2 3", "1 2x", ("4: 5:4 6:5", "", "1 2 3"), "4 5 6", "4 5 6"),
    "only amended": ("1: 2: 3:2!p", "1x", ("1:", "3:2", ""), "1 2 3", "1 2 3"),
    "an edge that makes a ready step wait": ("1: 2: 3:", "1x", ("1:3", "", ""), "1 2 3", "2 3 1"),
    "a skipped step again": ("1: 2:1 3:", "1X 2- 3x", ("3: 1: 2:1", "", ""), "3 1 2", "3 1 2"),
    "a gap again, and who had gone on without it": (
        "1: 2: 3:1,2 5:",
        "1~ 2x",
        ("2: 1:5", "", ""),
        "2 1 3 5",
        "2 5 1 3",
    ),
    "a gap again, although its reader was ready": (
        "1: 2: 4: 3:1,2",
        "1~ 2 4x",
        ("4: 1:4", "", ""),
        "2 4 1 3",
        "4 1 3",
    ),
    "on a gap that stays": ("1: 2: 3:1,2", "1~ 2x", ("2: 4:1,2", "", ""), "1 2 4 3", "2 4 3"),
}


@pytest.mark.parametrize(("plan", "ended", "commit", "listed", "order"), COMMITS.values(), ids=COMMITS)
def test_a_commit(plan: str, ended: str, commit: tuple[str, str, str], listed: str, order: str) -> None:
    live = graph(plan)
    run(live, ended)
    drafted, amended, removed = commit
    made = live.commit(steps(drafted), steps(amended), removed.split())
    assert names(made) == " ".join(part.partition(":")[0] for part in f"{drafted} {amended}".split())
    assert (names(live.listed()), drain(live)) == (listed, order)
    assert (live.version, live.open) == (2, 0)


@pytest.mark.parametrize(("plan", "ended", "commit", "listed", "order"), COMMITS.values(), ids=COMMITS)
def test_counts_and_keys_are_what_counting_would_find(
    plan: str, ended: str, commit: tuple[str, str, str], listed: str, order: str
) -> None:
    live = graph(plan)
    before = live.open_key()
    run(live, ended)
    drafted, amended, removed = commit
    live.commit(steps(drafted), steps(amended), removed.split())
    assert live.open == len(live.open_cells()) == len(order.split())
    assert live.done == sum(cell.state == "done" for cell in live.listed())
    fresh = Graph()
    fresh.commit([cell.step for cell in live.open_cells()])
    assert live.open_key() == fresh.open_key()
    assert before == graph(plan).open_key()


def test_the_open_steps_of_an_earlier_version_as_they_were_when_it_was_replaced() -> None:
    live = graph("1 2 3 4")
    run(live, "1 2x")
    live.commit(steps("2:1 5:2"), (), ["3", "4"])
    run(live, "2 5x")
    live.commit(steps("6:2"), (), ["5"])
    assert [names(live.open_at(version)) for version in (1, 2, 3)] == ["2 3 4", "5", "6"]


def test_lineages_follow_what_replaces_what() -> None:
    live = graph("1 2 3")
    run(live, "1x")
    live.commit([step("1:"), step("4:1", replaces="2"), step("5:4")], (), ["2", "3"])
    lines = {id_: live.lineage(cell).ids for id_, cell in live.cells.items()}
    assert lines == {"1": ("1",), "4": ("2", "4"), "5": ("5",)}
    run(live, "1 4x")
    live.lineage(live.cells["4"]).patches = 2
    live.lineage(live.cells["4"]).called = True
    live.commit([step("6:1", replaces="4")], (), ["4", "5"], afresh=True)
    line = live.lineage(live.cells["6"])
    assert (line.ids, line.root, line.patches, line.deepest, line.called) == (("2", "4", "6"), "2", 2, None, True)


def test_a_removed_id_is_not_forgotten() -> None:
    live = graph("1 2 9")
    run(live, "1x")
    live.commit(steps("1:"), (), ["2", "9"])
    assert live.known == {"1": 1, "2": 1, "9": 1}
    assert live.new_ids().after("1") == "10"
    live.commit(steps("11:"))
    assert (live.known["11"], live.new_ids().after("1")) == (3, "12")


def test_a_text_is_read_with_the_ids_of_its_time() -> None:
    """What is written anew is read with all ids; what is kept, amended or listed as it was, with those it knew."""
    live = graph("1: 2: 3:")
    kept, listed, anew = live.cells["1"].step, live.cells["2"].step, step("3:", args={"a": "#E9"})
    live.commit([listed, anew, step("9:")], [replace(kept, assumes=("p",))])
    read = {id_: "9" in live.known.read(cell.reading) for id_, cell in live.cells.items()}
    assert read == {"1": False, "2": False, "3": True, "9": True}
    live.commit([step("4:")], [replace(anew, assumes=("p",))], (), readings={"4": Reading(1, frozenset({"9"}))})
    assert ["9" in live.known.read(live.cells[id_].reading) for id_ in ("1", "3")] == [False, True]
    known = live.known.read(live.cells["4"].reading)
    assert [id_ in known for id_ in ("1", "9", "4")] == [True, True, False]


def test_readers_that_do_not_depend_on_what_they_read() -> None:
    live = Graph()
    hidden = step("3:1", args={"a": "#E1", "b": ["<#E2>", "#E404"]})
    live.commit([step("1:"), step("2:"), hidden])
    assert [names(live.readers.hidden(id_, live.cells)) for id_ in ("1", "2", "404")] == ["", "3", "3"]
    live.start(live.cells["1"])
    live.fail(live.cells["1"], awaits_replan=True)
    live.commit([step("1:"), step("4:", args={"a": "#E2"})], [step("3:1", args={"a": "#E1"})])
    assert names(live.readers.hidden("2", live.cells)) == "4"


def test_an_illegal_move_is_a_bug_and_says_so() -> None:
    live = graph("1")
    run(live, "1")
    with pytest.raises(AssertionError, match="step 1 can't go from done to failed"):
        live.fail(live.cells["1"], awaits_replan=True)


def test_what_was_open_in_an_earlier_version_keeps_the_order_it_had_then() -> None:
    """Whatever was replaced first since: 3 left before 1 and 2, and still stood behind them."""
    live = graph("1: 2: 3:")
    run(live, "1x 2 3x")
    live.commit(steps("3:"))
    live.commit(steps("1: 3:"))
    assert [names(live.open_at(version)) for version in (1, 2)] == ["1 3", "3 1"]
