"""Laying a draft over a plan, written down a second time from what was agreed, the slow way."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from replanctl.plan import references
from replanctl.plan.model import Step, id_prefix, sequenced, trailing_number
from replanctl.run.events import PlanDraft
from tests.properties.story import DONE, Standing


class Laid(msgspec.Struct):
    """A draft laid over a plan: the listed steps as they will be, the ids that leave, what each stands for, and what
    is wrong with the draft's own names."""

    listed: dict[str, Step]
    kept: dict[str, Step]
    removed: set[str]
    mapping: dict[str, str]
    before: dict[str, Step]
    faults: list[str]

    def steps(self, plan: Standing) -> dict[str, Step]:
        """The new list: what has ended, the draft's steps, what else is open."""
        ended = {id_: step for id_, step in self.kept.items() if not plan.is_open(id_)}
        return {**ended, **self.listed, **self.kept}


def lay(draft: PlanDraft, plan: Standing, scope: list[str], refuted: set[str]) -> Laid:
    """The version that this draft means. `scope` is what the granularity replaces, the failed step first."""
    steps = sequenced(draft.steps)
    faults = [] if len({step.id for step in steps}) == len(steps) else ["a step is listed twice"]
    first: dict[str, Step] = {}
    for step in steps:
        first.setdefault(step.id, step)
    steps = tuple(first.values())
    anew = draft.granularity == "global"
    names = _names(draft, steps, plan, anew)
    stays = {id_ for id_ in names.values() if not anew and plan.state.get(id_) is DONE}
    new = {names[s.id]: s for s in steps if names[s.id] not in stays}
    going = [id_ for id_ in scope if id_ not in new]
    says = {names[step.id]: step.replaces for step in steps if step.replaces is not None}
    places = _places(new, says, {id_: plan.steps[id_] for id_ in going}, plan, faults)
    follows = {old: id_ for id_, old in places.items()}
    follows |= {id_: names[id_] for id_ in going if id_ not in follows and names.get(id_) in stays}
    listed = _listed(steps, new, names, plan, places, follows, refuted, anew)
    kept = {} if anew else {i: s for i, s in plan.steps.items() if i not in going and i not in new}
    return Laid(
        listed=listed,
        kept={id_: _followed(step, id_, plan, follows, refuted) for id_, step in kept.items()},
        removed=set(going),
        mapping={local: id_ for local, id_ in names.items() if local != id_},
        before={i: plan.steps[o] for i in listed if (o := i if i in plan.steps else places.get(i, "")) in plan.steps},
        faults=faults,
    )


def _names(draft: PlanDraft, steps: Iterable[Step], plan: Standing, anew: bool) -> dict[str, str]:
    """The id of each drafted step in the new version."""
    names = {step.id: _usable(step, plan, anew, draft.replanner == "template") for step in steps}
    highest = max(map(trailing_number, (*plan.lines, *filter(None, names.values()))), default=0)
    prefix = id_prefix(draft.step_id or "")
    given: dict[str, str] = {}
    for local, id_ in names.items():
        if id_ is None:
            highest += 1
        given[local] = f"{prefix}{highest}" if id_ is None else id_
    return given


def _usable(step: Step, plan: Standing, anew: bool, template: bool) -> str | None:
    here = None if anew else plan.steps.get(step.id)
    done = here is not None and plan.state[step.id] is DONE
    if here is not None and (_way(here)[1:] if done else _way(here)) == (_way(step)[1:] if done else _way(step)):
        return step.id
    same = [id_ for id_ in plan.done_ids() if _way(plan.steps[id_]) == _way(step)]
    if not anew and not template and same:
        return same[0]
    if here is not None:
        return None if done else step.id
    return None if step.id in plan.lines else step.id


def _way(step: Step) -> tuple[Any, ...]:
    return step.action, step.tool_name, step.args


def _places(
    new: Mapping[str, Step], says: Mapping[str, str], going: dict[str, Step], plan: Standing, faults: list[str]
) -> dict[str, str]:
    """Which step that goes each new one stands for: as it says, by its name, by its call, in order."""
    fresh = {id_: step for id_, step in new.items() if id_ not in plan.steps}
    places: dict[str, str] = {}

    def take(id_: str, old: str) -> None:
        places[id_] = old
        del going[old]

    for id_, old in says.items():
        if id_ not in fresh or old not in going:
            faults.append(f"{id_} replaces {old}")
        else:
            take(id_, old)
    for id_, step in fresh.items():
        if id_ not in places and step.id != id_ and step.id in going:
            take(id_, step.id)
    for id_, step in fresh.items():
        alike = [old for old, gone in going.items() if _way(gone)[1:] == _way(step)[1:]]
        if id_ not in places and alike:
            take(id_, alike[0])
    rest = [id_ for id_ in fresh if id_ not in places]
    if len(rest) > len(going) > 0:
        rest = [*rest[: len(going) - 1], rest[-1]]
    for id_, old in zip(rest, list(going), strict=False):
        take(id_, old)
    return places


def _listed(
    steps: Iterable[Step],
    new: Mapping[str, Step],
    names: Mapping[str, str],
    plan: Standing,
    places: Mapping[str, str],
    follows: Mapping[str, str],
    refuted: set[str],
    anew: bool,
) -> dict[str, Step]:
    """The drafted steps: a name means the draft's step listed before, else what replaces a step that goes and has no
    value, else what the plan keeps, else the draft's step listed later."""
    known = set(plan.lines) | set(names) | set(names.values())
    meant = {old: id_ for old, id_ in follows.items() if plan.state[old] is not DONE}
    listed: dict[str, Step] = {}
    for step in steps:
        id_ = names[step.id]
        if id_ in new:
            kept = set() if anew else set(plan.steps)
            deps = (meant.get(d, d if d in kept else names.get(d, d)) for d in step.depends_on or ())
            listed[id_] = replace(
                step,
                id=id_,
                depends_on=tuple(dict.fromkeys(deps)),
                args=references.rename(step.args, known, meant),
                assumes=tuple(name for name in step.assumes if name not in refuted),
                replaces=plan.steps[id_].replaces if id_ in plan.steps else places.get(id_),
            )
        meant[step.id] = id_
    return listed


def _followed(step: Step, id_: str, plan: Standing, follows: dict[str, str], refuted: set[str]) -> Step:
    """A step that stays follows those that go to what replaces them; an open one drops refuted premises."""
    if plan.state[id_] is DONE:
        return step
    return replace(
        step,
        depends_on=tuple(dict.fromkeys(follows.get(d, d) for d in step.depends_on or ())),
        args=references.rename(step.args, plan.lines, follows),
        assumes=tuple(name for name in step.assumes if name not in refuted or not plan.is_open(id_)),
    )
