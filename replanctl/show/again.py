"""Steps of a diff that are listed again under a new id: no change in what is done, and told in one line."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from replanctl.kinds import ChangeKind
from replanctl.plan import StepChange, StepLike, same_args
from replanctl.show.naming import title

_VARIABLE = re.compile(r"#E([\w-]+)")


class Again(NamedTuple):
    """The changes that are none, and the others in their order."""

    old: tuple[str, ...]
    new: tuple[str, ...]
    others: tuple[StepChange, ...]


def listed_again(changes: Sequence[StepChange]) -> Again:
    """Tell steps that took another's place with the same action, tool, args and dependencies from real changes.

    A reference to a step is the same as one to what stands in its place.
    """
    removed = {change.id: change.old for change in changes if change.kind is ChangeKind.REMOVED}
    added = [change.new for change in changes if change.kind is ChangeKind.ADDED]
    stands_for: dict[str, str] = {step.id: old for step in added if (old := _replaced(step)) is not None}
    pairs = {
        old: step.id for step in added if (old := stands_for.get(step.id)) in removed
        and _is_same(removed[old], step, stands_for)
    }  # fmt: skip
    hidden = {*pairs, *pairs.values()}
    others = tuple(change for change in changes if change.kind in _ALTERED or change.id not in hidden)
    return Again(tuple(pairs), tuple(pairs.values()), others)


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


def _as_before(value: Any, stands_for: Mapping[str, str]) -> Any:
    """Args with every reference as it was called before."""
    if isinstance(value, str):
        return _VARIABLE.sub(lambda found: f"#E{stands_for.get(found[1], found[1])}", value)
    if isinstance(value, dict):
        return {key: _as_before(inner, stands_for) for key, inner in value.items()}
    if isinstance(value, list):
        return [_as_before(inner, stands_for) for inner in value]
    return value
