"""Steps of a diff in which nothing is lost: listed again under a new id, or gone from the list with a result that is
kept. Each kind is told in one line."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence
from typing import Any, NamedTuple

from replanctl.kinds import ChangeKind, Health, StepState
from replanctl.plan import StepChange, StepLike, same_args, variable_name
from replanctl.run import SessionResult, VersionView
from replanctl.show.naming import title

_VARIABLE = re.compile(r"#E([\w-]+)")


class Again(NamedTuple):
    """The changes that are none, and the others in their order: `old` steps are listed again as `new` ones, and of the
    `held` ones, which left, the results are kept."""

    old: tuple[str, ...]
    new: tuple[str, ...]
    others: tuple[StepChange, ...]
    held: tuple[str, ...] = ()


def listed_again(changes: Sequence[StepChange], held: Container[str] = ()) -> Again:
    """Tell steps that took another's place with the same action, tool, args and dependencies from real changes.

    A reference to a step is the same as one to what stands in its place. `held` are the steps whose results are kept
    even when they leave: a plan that is written anew need not list what is done.
    """
    removed = {change.id: change.old for change in changes if change.kind is ChangeKind.REMOVED}
    added = [change.new for change in changes if change.kind is ChangeKind.ADDED]
    stands_for: dict[str, str] = {step.id: old for step in added if (old := _replaced(step)) is not None}
    pairs = {
        old: step.id for step in added if (old := stands_for.get(step.id)) in removed
        and _is_same(removed[old], step, stands_for)
    }  # fmt: skip
    kept = tuple(id_ for id_ in removed if id_ in held and id_ not in pairs)
    hidden = {*pairs, *pairs.values(), *kept}
    others = tuple(change for change in changes if change.kind in _ALTERED or change.id not in hidden)
    return Again(tuple(pairs), tuple(pairs.values()), others, kept)


def results_kept(result: SessionResult, version: VersionView) -> set[str]:
    """The steps that were done in a version and whose results may be used as they are."""
    usable = {name for name, variable in result.variables.items() if variable.health == Health.CLEAN}
    return {step.id for step in version.steps if step.state is StepState.DONE and variable_name(step.id) in usable}


_ALTERED = (ChangeKind.REVISED, ChangeKind.REWIRED)


def _replaced(step: StepLike) -> str | None:
    replaces: str | None = getattr(step, "replaces", None)
    return replaces


def _is_same(old: StepLike, new: StepLike, stands_for: Mapping[str, str]) -> bool:
    needs = {stands_for.get(id_, id_) for id_ in new.depends_on or ()}
    return (
        title(old) == title(new)
        and old.tool == new.tool
        and needs == set(old.depends_on or ())
        and same_args(old.args, _as_before(new.args, stands_for))
    )


def unreferenced(args: dict[str, Any]) -> Any:
    """Args without the names of what they read."""
    return _as_before(args, _Anything())


class _Anything(dict[str, str]):
    """Takes every reference for one and the same."""

    def get(self, key: str, default: Any = None) -> str:
        return ""


def _as_before(value: Any, stands_for: Mapping[str, str]) -> Any:
    """Args with every reference as it was called before."""
    if isinstance(value, str):
        return _VARIABLE.sub(lambda found: f"#E{stands_for.get(found[1], found[1])}", value)
    if isinstance(value, dict):
        return {key: _as_before(inner, stands_for) for key, inner in value.items()}
    if isinstance(value, list):
        return [_as_before(inner, stands_for) for inner in value]
    return value
