"""What steps from Python or a planner say that won't be read as it was meant: a file's loader warns of it by place."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any

from replanctl.plan import Plan, Step, foreign_in, may_be_foreign, references


def plan_warnings(plan: Plan) -> Iterator[str]:
    """The warnings that `validate` has for the references of a plan in a file, for one that code has made."""
    speaking = [step for step in plan.steps if step.alternatives or may_be_foreign(step.args)]
    if not speaking:
        return
    known = {step.id for step in plan.steps}
    yield from placeholders(speaking, known)
    waits = _waits(plan)
    for step in speaking:
        told: set[str] = set()
        for found in (each for args in _args(step) for each in references.find(args, known)):
            if found.text not in told and (warning := _unkept(step, found, known, waits)):
                told.add(found.text)
                yield warning


def placeholders(steps: Iterable[Step], known: Collection[str], of: str = "") -> Iterator[str]:
    """What is written in another system's words reaches its tool as text: its author is told what to write.

    `known` are the ids that can be meant; `of` says whose the steps are.
    """
    for step in steps:
        for args in filter(may_be_foreign, _args(step)):
            for foreign in foreign_in(args, known):
                yield (
                    f"foreign-reference: step {step.id}{of} has the text {foreign.text}, which is no reference here:"
                    f" to read step {foreign.step_id}, write {foreign.form}"
                )


def may_mislead(step: Step) -> bool:
    """Whether a step may hold a placeholder at all: a cheap look, for every step of a draft is asked."""
    if not may_be_foreign(step.args) and not step.alternatives:
        return False
    return any(map(may_be_foreign, _args(step)))


def _args(step: Step) -> Iterator[Any]:
    """The step's own args and those of its other ways."""
    yield step.args
    yield from (way.args for way in step.alternatives if way.args)


def _waits(plan: Plan) -> dict[str, tuple[str, ...]]:
    """What each step waits for: where it doesn't say, the step before it."""
    before = [(), *((step.id,) for step in plan.steps)]
    return {
        step.id: last if step.depends_on is None else step.depends_on
        for step, last in zip(plan.steps, before, strict=False)
    }


def _unkept(step: Step, found: references.Reference, known: Collection[str], waits: dict[str, tuple[str, ...]]) -> str:
    if found.step_id not in known:
        return f"unknown-reference: step {step.id} reads {found.text}, and no step is {found.step_id}"
    if found.step_id == step.id:
        return f"hidden-dependency: step {step.id} reads its own result, {found.text}"
    if not _rests_on(step.id, found.step_id, waits):
        return f"hidden-dependency: step {step.id} reads {found.text} and does not depend on {found.step_id}"
    return ""


def _rests_on(id_: str, other: str, waits: dict[str, tuple[str, ...]]) -> bool:
    """Whether a step waits for the other, directly or not."""
    open_, seen = [id_], set[str]()
    while open_:
        for each in waits.get(open_.pop(), ()):
            if each == other:
                return True
            if each not in seen:
                seen.add(each)
                open_.append(each)
    return False
