"""Figures of the command line beside the contract's formulas: the coupling table, the cost of a failure, expectations,
and runs that were killed anywhere and taken up."""

from __future__ import annotations

import copy
import json
import random
from pathlib import Path
from typing import Any

import msgspec
import pytest

from replanctl import mismatches
from replanctl.files import Role, Source, parse_rehearsal
from replanctl.host.amending import amended, changes_of
from replanctl.host.rehearse import events_of
from replanctl.replan.lessons import Lesson
from replanctl.run import doubts, fold
from replanctl.store import Inputs, SourceText
from tests.cli.conftest import Cli
from tests.model import routing
from tests.model.compare import engine, first_difference
from tests.model.dice import draw
from tests.model.session import Session
from tests.model.state import DEFAULT_COEFFICIENTS, State
from tests.model.world import Ambiguous


@pytest.mark.parametrize("seed", range(60))
def test_the_coupling_table(seed: int, tmp_path: Path) -> None:
    document = draw(seed)
    document.pop("lessons", None)
    cli, s = Cli(tmp_path), State(document)
    (plan,) = cli.files({"plan.yaml": json.dumps(document)})
    named = {str(name)[1:] for name in s.solver.get("require", [])}
    want = [(st.id, len(s.dependents({st.id})), routing.coupling(s, st.id, named)) for st in s.steps]
    rows = json.loads(cli("coupling", plan, "--format", "json").out)["steps"]
    assert [(row["step_id"], row["dependents"], row["coupling"]) for row in rows] == want
    assert all(row["on_failure"] == ("defer" if row["coupling"] == "weak" else "replan") for row in rows)


def test_what_a_failure_would_cost(tmp_path: Path) -> None:
    r, cli = random.Random(3), Cli(tmp_path)
    for _ in range(60):
        steps, lessons, c, words = r.randint(1, 15), r.randint(0, 7), dict(DEFAULT_COEFFICIENTS), list[str]()
        for name in r.sample(sorted(c), r.choice([0, 0, 1, 2])):
            c[name] = r.choice([0, 1, 85, 1000])
            words += ["--set", f"{name}={c[name]}"]
        fail = r.randint(1, steps)
        given = ["--steps", str(steps), "--fail", str(fail), "--lessons", str(lessons), *words]
        found = json.loads(cli("cost", *given, "--format", "json").out)
        assert found["failure"]["fail"] == fail
        for block in (found["failure"], *found["by_done"]):
            rows = {row["way"]: (row["carried"], row["re_executed"], row["total"]) for row in block["rows"]}
            assert rows == costs(c, steps, block["fail"] - 1, lessons), given


def costs(c: dict[str, int], steps: int, done: int, lessons: int) -> dict[str, tuple[int, int, int]]:
    carried = c["prompt"] + c["goal"] + c["failure"] + c["lesson"] * lessons + c["done_line"] * done
    patch, tail, again = carried + c["step"] * 2, carried + c["step"] * (steps - done), c["execution"] * done
    return {
        "retry": (c["retry"], 0, c["retry"]), "patch": (patch, 0, patch), "tail": (tail, 0, tail),
        "global": (tail, again, tail + again),
    }  # fmt: skip


def test_an_expectation_holds_where_it_says_what_came_and_nowhere_else() -> None:
    r = random.Random(5)
    for seed in range(120):
        document = draw(seed)
        document.pop("lessons", None)
        result = engine(json.dumps(document))[1]
        path, value = leaf(r, json.loads(json.dumps(msgspec.to_builtins(result))))
        assert mismatches(at(path, value), result) == []
        assert mismatches(at(path, other(value)), result)
        assert (
            mismatches({"exit": 0 if result.status == "completed" else 1, "replans": len(result.revisions)}, result)
            == []
        )


def leaf(r: random.Random, value: Any) -> tuple[list[str], Any]:
    if not isinstance(value, dict) or not value:
        return [], value
    key = r.choice(sorted(value))
    path, found = leaf(r, value[key])
    return [key, *path], found


def at(path: list[str], value: Any) -> Any:
    return {path[0]: at(path[1:], value)} if path else value


def other(value: Any) -> Any:
    """Another value of the same kind."""
    if value is None or isinstance(value, bool):
        return "other"
    if isinstance(value, (int, float)):
        return value + 1
    return value + "x" if isinstance(value, str) else [*value, "x"] if isinstance(value, list) else {"x": 1}


@pytest.mark.parametrize("first", range(0, 200, 50))
def test_a_run_that_was_killed_anywhere_comes_to_what_it_would_have(first: int) -> None:
    """But for a denial, which a person's resume lifts, and a call in doubt, which it asks about."""
    taken_up = 0
    for seed in range(first, first + 50):
        document, r = draw(seed), random.Random(seed)
        try:
            session = Session(copy.deepcopy(document))
            ours = session.run()
        except Ambiguous:
            continue
        lessons = tuple(Lesson(**lesson) for lesson in document.pop("lessons", []))
        text = json.dumps(document)
        policy = parse_rehearsal([Source("plan.yaml", Role.PLAN, text)]).policy
        inputs = Inputs((SourceText("plan.yaml", "plan", text),), policy, lessons, "test")
        whole: list[Any] = list(events_of(inputs, None))
        killed = whole[: r.randrange(1, len(whole))]
        if doubts(killed, broken_off=True) or any(call.status == "denied" for call in session.s.calls):
            continue
        went_on = list(events_of(amended(inputs, killed, changes_of({}, None, None, None, {}), ())[0], None))
        assert first_difference(ours, msgspec.to_builtins(fold(went_on))) is None, f"seed {seed}"
        taken_up += 1
    assert taken_up > 30
