"""Random lives of a session: it stops, a person changes something, and it goes on; in the engine as in the model."""

from __future__ import annotations

import copy
import json
import random
import tempfile
from pathlib import Path
from typing import Any

import msgspec

from replanctl.errors import UsageError
from replanctl.files import Role, Source, parse_rehearsal
from replanctl.host.amending import More, amended, changes_of
from replanctl.host.rehearse import events_of
from replanctl.replan.lessons import Lesson
from replanctl.run import doubts, fold
from replanctl.store import Inputs, SourceText
from tests.model.compare import first_difference
from tests.model.dice import FEATURES, Dice
from tests.model.schemas import with_values
from tests.model.session import Session
from tests.model.settings import GOALS
from tests.model.taking_up import RefusedError
from tests.model.world import Ambiguous

MORE = {
    "per_step": ["+1", 2, None], "max_replans": ["+1", "+2", 9, 1], "max_steps": ["+1", "+4", 30, None, 3],
    "max_tool_calls": ["+1", "+3", 40, None], "max_replan_tokens": ["+500", "+9000", None, 700],
    "max_tokens": ["+200", "+3000", None], "max_seconds": ["+2", "+60", None], "max_repeat": ["+1", None],
}  # fmt: skip
GATE_OF = {
    "step_breaker": "per_step", "replan_budget": "max_replans", "token_budget": "max_replan_tokens",
    "step_budget": "max_steps", "tool_call_budget": "max_tool_calls", "session_token_budget": "max_tokens",
    "time_budget": "max_seconds", "oscillation": "max_repeat",
}  # fmt: skip


class Life(Dice):
    """What happens to one session, by its seed."""

    def __init__(self, seed: int, features: frozenset[str] = FEATURES) -> None:
        super().__init__(seed, features)
        self.first = self.document()
        self.r = self.part("life")
        self.expected: list[dict[str, Any]] | None = None

    def next_change(self, stopped: dict[str, Any], doubts: list[str]) -> dict[str, Any]:
        """What a person changes of a session that stopped so."""
        r, found = self.r, dict[str, Any]()
        gate = GATE_OF.get(stopped["reason"])
        if gate is not None and r.random() < 0.85:
            found["limits"] = {gate: r.choice(MORE[gate])}
        if r.random() < 0.15:
            other = r.choice(sorted(MORE))
            found.setdefault("limits", {})[other] = r.choice(MORE[other])
        if r.random() < 0.2:
            found["goal"] = r.choice([*GOALS, stopped["goal"]])
        if r.random() < 0.15:
            found["granularity"] = r.choice(["patch", "tail", "global", "none"])
        if r.random() < (0.3 if gate else 0.5):
            found["outcomes"] = self.outcomes(r) if r.random() < 0.6 else []
            if '"schema": {' in json.dumps(self.first):  # a result under one can't be made up
                found["outcomes"] = with_values(r, found["outcomes"])
            self.expect(r, found)
        if doubts:
            found["settle"] = {name: self.word(r) for name in doubts}
        return found

    def expect(self, r: random.Random, found: dict[str, Any]) -> None:
        """Other interruptions; a later file without any would go back to the plan's own."""
        if r.random() < 0.2:
            one = {"goal": r.choice(GOALS)} | r.choice([{"after": r.choice(self.ids)}, {"at": "90s"}])
            same = self.first.get("interruptions", [])
            self.expected = r.choice([[*same, one], [one], same])
        if self.expected is not None:
            found["interruptions"] = self.expected

    def word(self, r: random.Random) -> Any:
        kind = r.choice(["done", "done", "again", "skip"])
        return ["done", r.choice([{"rows": [1]}, {"rows": [1], "total": 2}, None, 7])] if kind == "done" else kind


def model_life(seed: int, features: frozenset[str] = FEATURES, most: int = 3) -> tuple[list[Any], list[Any], Any]:
    """The changes of a life, the model's results, and how it refused the last change, if it did."""
    life = Life(seed, features)
    session = Session(copy.deepcopy(life.first))
    results, changes = [session.run()], list[Any]()
    for _ in range(most):
        if results[-1]["status"] == "completed":
            break
        change = json.loads(json.dumps(life.next_change(results[-1], list(session.doubts()))))
        changes.append(change)
        try:
            session.take_up(copy.deepcopy(change))
        except RefusedError as error:
            return changes, results, error
        session.made.append(copy.deepcopy(change))
        results.append(session.run())
    return changes, results, None


def engine_life(document: dict[str, Any], changes: list[Any]) -> list[Any]:
    """The engine's results, with the UsageError that a change is refused with as the last."""
    document = json.loads(json.dumps(document))
    lessons = tuple(Lesson(**lesson) for lesson in document.pop("lessons", []))
    text = json.dumps(document)
    policy = parse_rehearsal([Source("plan.yaml", Role.PLAN, text)]).policy
    inputs = Inputs((SourceText("plan.yaml", "plan", text),), policy, lessons, "test")
    events: list[Any] = list(events_of(inputs, None))
    results: list[Any] = [msgspec.to_builtins(fold(events))]
    with tempfile.TemporaryDirectory() as folder:
        for number, change in enumerate(changes):
            try:
                inputs, kept = amended(inputs, events, taken(change, Path(folder, f"{number}.yaml")), doubts(events))
            except UsageError as error:
                return [*results, error]
            again: list[Any] = list(events_of(inputs, None))
            assert again[:kept] == events[:kept], "what happened comes out otherwise"
            events = again
            results.append(msgspec.to_builtins(fold(events)))
    return results


def taken(change: dict[str, Any], file: Path) -> Any:
    """A change as Python code gives it."""
    limits = {
        gate: More(float(value[1:]) if gate == "max_seconds" else int(value[1:])) if isinstance(value, str) else value
        for gate, value in change.get("limits", {}).items()
    }
    if "outcomes" in change:
        given = {name: change[name] for name in ("outcomes", "interruptions") if name in change}
        file.write_text(json.dumps(given), encoding="utf-8")
    settle = {name: tuple(word) if isinstance(word, list) else word for name, word in change.get("settle", {}).items()}
    outcomes = file if "outcomes" in change else None
    return changes_of(limits, change.get("granularity"), change.get("goal"), outcomes, settle)


def try_life(seed: int, features: frozenset[str] = FEATURES) -> tuple[str, str]:
    """How one life compares, like `try_document`, and how often it was taken up."""
    try:
        changes, ours, refused = model_life(seed, features)
    except Ambiguous as why:
        return "ambiguous", str(why)
    return compare_lives(Life(seed, features).first, changes, ours, refused)


def compare_lives(document: dict[str, Any], changes: list[Any], ours: list[Any], refused: Any) -> tuple[str, str]:
    theirs = engine_life(document, changes)
    for number, (x, y) in enumerate(zip(ours, theirs, strict=False)):
        if isinstance(y, UsageError):
            return "refused by the engine", f"stretch {number}: {y}"
        if difference := first_difference(x, y):
            kind, text = difference
            return kind, f"stretch {number}: {text}"
    last = theirs[-1] if len(theirs) > len(ours) else None
    if (refused is None) != (not isinstance(last, UsageError)):
        return "refusal", f"model {refused}\n    engine {last}"
    return "same", ""
