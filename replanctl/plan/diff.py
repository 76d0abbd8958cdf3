"""What one plan changed against another, by step id: no text, no colour."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

import msgspec

from replanctl.kinds import ChangeKind
from replanctl.plan.data import same_args
from replanctl.plan.model import Plan, Step, sequenced


class StepLike(Protocol):
    """What is compared of a step; plan steps and the steps of a stored version have it alike."""

    @property
    def id(self) -> str: ...
    @property
    def action(self) -> str: ...
    @property
    def tool(self) -> str: ...
    @property
    def args(self) -> dict[str, Any]: ...
    @property
    def depends_on(self) -> tuple[str, ...] | None: ...


# Steps are compared by id alone. A planner that lists the same work under another id is taken for one that removed a
# step and added another, since nobody but the planner knows that it meant the same; where it looks so, a screen may say
# it (`show/changes.py`). Outcome, contract and premises of a step are not compared: they change what is expected of it,
# and not what it does.
class StepChange(msgspec.Struct, frozen=True, gc=False):
    """One changed step. `fields` are the names of what changed: action, tool, args, depends_on."""

    kind: ChangeKind
    id: str
    old: Any = None
    new: Any = None
    fields: tuple[str, ...] = ()


class PlanDiff(msgspec.Struct, frozen=True, gc=False):
    """The steps that went, came, or changed under their id; `kept` counts the others.

    `revised` have another tool, args or action, `rewired` other dependencies only. Ids are in list order: the
    removed in the old list's, the others in the new one's. `changes` hold the same steps whole: revised and
    rewired, then removed, then added.
    """

    from_: str = msgspec.field(name="from")
    to: str = ""
    removed: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    revised: tuple[str, ...] = ()
    rewired: tuple[str, ...] = ()
    kept: int = 0
    changes: tuple[StepChange, ...] = ()

    def __bool__(self) -> bool:
        """Whether anything changed."""
        return bool(self.changes)


def diff_plans(
    old: Plan | Sequence[StepLike],
    new: Plan | Sequence[StepLike],
    *,
    old_name: str = "v1",
    new_name: str = "v2",
) -> PlanDiff:
    """Compare two plans step by step; only equal ids are compared. The order of the list alone changes nothing."""
    before, after = _by_id(old), _by_id(new)
    gone = [id_ for id_ in before if id_ not in after]
    return diff_steps(before, after.values(), gone, old_name=old_name, new_name=new_name)


def diff_steps(
    before: Mapping[str, StepLike],
    touched: Iterable[StepLike],
    gone: Iterable[str],
    *,
    old_name: str,
    new_name: str,
) -> PlanDiff:
    """The diff of a plan known by id and what a new version touched; costs no more than the change.

    `touched` are steps as the new version has them, in its order, `gone` the ids it dropped, in the old order.
    """
    removed = [StepChange(ChangeKind.REMOVED, id_, before[id_]) for id_ in gone]
    found = [change for step in touched if (change := _change(before.get(step.id), step))]
    added = [change for change in found if change.kind is ChangeKind.ADDED]
    altered = [change for change in found if change.kind is not ChangeKind.ADDED]
    return PlanDiff(
        old_name,
        new_name,
        removed=_ids(removed),
        added=_ids(added),
        revised=_ids([change for change in altered if change.kind is ChangeKind.REVISED]),
        rewired=_ids([change for change in altered if change.kind is ChangeKind.REWIRED]),
        # Counted and not listed: a replan of two steps in a plan of 100,000 has to cost two steps.
        kept=len(before) - len(removed) - len(altered),
        changes=(*altered, *removed, *added),
    )


def changed_fields(old: StepLike, new: StepLike) -> tuple[str, ...]:
    """The names of what makes two steps of one id different; the order of `depends_on` does not."""
    if old is new:
        return ()
    same = {
        "action": old.action == new.action,
        "tool": old.tool == new.tool,
        "args": same_args(old.args, new.args),
        "depends_on": _wait_alike(old, new),
    }
    return tuple(name for name, equal in same.items() if not equal)


def kind_of_change(old: StepLike, new: StepLike) -> ChangeKind | None:
    """How two steps of one id differ, without naming the fields; None where they do not."""
    if old.action != new.action or old.tool != new.tool or not same_args(old.args, new.args):
        return ChangeKind.REVISED
    return None if _wait_alike(old, new) else ChangeKind.REWIRED


def _wait_alike(old: StepLike, new: StepLike) -> bool:
    """Whether two steps wait for the same ones; the order in which they are written says nothing."""
    return old.depends_on == new.depends_on or set(old.depends_on or ()) == set(new.depends_on or ())


def step_change(old: StepLike | None, new: StepLike | None) -> StepChange:
    """What became of a step, one of which may be missing; without `fields` it is the same step again."""
    if new is None:
        assert old is not None
        return StepChange(ChangeKind.REMOVED, old.id, old)
    if old is None:
        return StepChange(ChangeKind.ADDED, new.id, None, new)
    fields = changed_fields(old, new)
    kind = ChangeKind.REWIRED if fields == ("depends_on",) else ChangeKind.REVISED
    return StepChange(kind, new.id, old, new, fields)


def _change(old: StepLike | None, new: StepLike) -> StepChange | None:
    """What became of a step that is in the new plan; None where nothing did."""
    change = step_change(old, new)
    return change if old is None or change.fields else None


def _by_id(plan: Plan | Sequence[StepLike]) -> dict[str, StepLike]:
    steps: Sequence[StepLike] = plan.steps if isinstance(plan, Plan) else plan
    if any(step.depends_on is None for step in steps):
        steps = sequenced(step for step in steps if isinstance(step, Step))
    return {step.id: step for step in steps}


def _ids(changes: Iterable[StepChange]) -> tuple[str, ...]:
    return tuple([change.id for change in changes])
