"""Laying a draft over a plan, written down a second time from what was agreed, the slow way."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import msgspec
from msgspec.structs import replace

from replanctl.plan import references
from replanctl.plan.model import Step, sequenced
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
    knew: dict[str, set[str]]  # the ids that are references in each listed step

    def steps(self, plan: Standing) -> dict[str, Step]:
        """The new list: what has ended, the draft's steps, what else is open."""
        ended = {id_: step for id_, step in self.kept.items() if not plan.is_open(id_)}
        return {**ended, **self.listed, **self.kept}


def lay(draft: PlanDraft, plan: Standing, scope: list[str], refuted: set[str], health: Callable[[str], str]) -> Laid:
    """The version that this draft means. `scope` is what the granularity replaces, the failed step first; `health` is
    that of variables once the draft's verdicts are written."""
    return _Lay(draft, plan, scope, refuted, health).laid()


class _Lay:
    def __init__(
        self, draft: PlanDraft, plan: Standing, scope: list[str], refuted: set[str], health: Callable[[str], str]
    ) -> None:
        self.plan, self.refuted, self.health, self.failed = plan, refuted, health, draft.step_id
        self.anew, self.patch = draft.granularity == "global", draft.granularity == "patch"
        self.template = draft.replanner == "template"
        drafted = sequenced(draft.steps)
        self.steps: dict[str, Step] = {}
        for step in drafted:
            self.steps.setdefault(step.id, step)
        self.order = list(self.steps)
        self.faults = ["a step is listed twice"] if len(drafted) > len(self.steps) else []
        self.known = set(plan.lines) | set(self.steps)
        self.ids: dict[str, str] = {}
        self.stands: dict[str, str] = {}
        while found := {local: id_ for local in self.order if local not in self.ids and (id_ := self._in_plan(local))}:
            self.ids.update(found)
        self.going = [id_ for id_ in scope if id_ not in self.ids.values()]
        self._match()
        self._name()

    def _is_done(self, id_: str) -> bool:
        return not self.anew and self.plan.state.get(id_) is DONE

    # -- what each step is ------------------------------------------------------------------------------------------

    def _in_plan(self, local: str) -> str | None:
        step, here = self.steps[local], not self.anew and local in self.plan.steps
        if self.anew:
            return None
        if here and not self._is_done(local) and _way(self.plan.steps[local]) == _way(step):
            return local
        if not self.template and not step.again and (args := self._args(local)) is not None:
            own = _way(self.plan.steps[local]) if here and self._is_done(local) else None
            if own is not None and self.health(local) == "clean" and own[1:] == (step.tool_name, _exact(args)):
                return local
            for id_ in self.plan.done_ids():
                done = _way(self.plan.steps[id_])
                if self.health(id_) == "clean" and done == (step.action, step.tool_name, _exact(args)):
                    return id_
        return local if here and not self._is_done(local) else None

    def _named(self, local: str, name: str) -> str | None:
        """The old step that a name stands for in a step of the draft; None where it names a new one without a place."""
        before = self.order[: self.order.index(local)]
        if name in self.steps and (name in before or name not in self.plan.lines):
            return self.ids.get(name) or self.stands.get(name)
        return name

    def _args(self, local: str) -> Any:
        """The args with references to old steps alone; None while one names a new step without a place."""
        args = self.steps[local].args
        names = {r.step_id: self._named(local, r.step_id) for r in references.find(args, self.known) if r.known}
        if any(id_ is None for id_ in names.values()):
            return None
        return references.rename(args, self.known, {name: id_ for name, id_ in names.items() if id_ is not None})

    # -- which step a new one stands for ------------------------------------------------------------------------------

    def _new(self) -> list[str]:
        return [local for local in self.order if local not in self.ids and local not in self.stands]

    def _free(self) -> list[str]:
        free = [id_ for id_ in self.plan.steps if id_ in self.going and id_ not in self.stands.values()]
        return sorted(free, key=lambda id_: id_ != self.failed)

    def _match(self) -> None:
        fresh = self._new()
        for local in self.order:
            says = self.steps[local].replaces
            if says is None:
                continue
            if local in fresh and says in self._free():
                self.stands[local] = says
            else:
                self.faults.append(f"{local} replaces {says}")
        while (found := next(self._found(), None)) is not None:
            local, old = found
            if old in self.going:
                self.stands[local] = old
            else:
                self.ids[local] = old
        left = self._new()
        if left and self.failed in self._free() and self.failed not in self.plan.required:
            self.stands[left[-1 if self.patch else 0]] = self.failed

    def _found(self) -> Iterator[tuple[str, str]]:
        kept = (
            [] if self.anew else [i for i in self.plan.open_ids() if i not in self.going and i not in self.ids.values()]
        )
        rules = (self._same_call, self._same_work, self._same_name, self._same_tool)
        for rule in rules:
            backwards = rule == self._same_tool and self.patch
            among = self._free()
            if rule == self._same_call:
                among = sorted([*among, *kept], key=lambda id_: (id_ != self.failed, list(self.plan.steps).index(id_)))
            for local in reversed(self._new()) if backwards else self._new():
                for old in among:
                    if rule(self.steps[local], self.plan.steps[old]) and self._counts(local, old, kept):
                        yield local, old

    def _same_call(self, new: Step, old: Step) -> bool:
        args = self._args(new.id)
        return self._same_work(new, old) and args is not None and _exact(args) == _exact(old.args)

    def _same_work(self, new: Step, old: Step) -> bool:
        return (new.action, new.tool_name) == (old.action, old.tool_name)

    def _same_name(self, new: Step, old: Step) -> bool:
        return new.id == old.id

    def _same_tool(self, new: Step, old: Step) -> bool:
        return new.tool_name == old.tool_name

    def _counts(self, local: str, old: str, kept: list[str]) -> bool:
        if old not in self.plan.required or old in kept or local == old:
            return True
        new, gone = self.steps[local], self.plan.steps[old]
        written = new.action == gone.action != gone.tool_name
        args = self._args(local)
        return new.tool_name == gone.tool_name and (
            written or (bool(gone.args and args) and _exact(args) == _exact(gone.args))
        )

    # -- ids --------------------------------------------------------------------------------------------------------

    def _name(self) -> None:
        had = set(self.plan.lines) | set(self.steps)
        for local in self.order:
            if local in self.ids:
                continue
            if local not in self.plan.lines:
                self.ids[local] = local
            else:
                self.ids[local] = next_id(self.stands.get(local, local), had)
                had.add(self.ids[local])

    # -- the new version ----------------------------------------------------------------------------------------------

    def laid(self) -> Laid:
        plan, ids = self.plan, self.ids
        listed = {ids[local]: self._step(local) for local in self.order if not self._is_done(ids[local])}
        kept = {} if self.anew else {i: s for i, s in plan.steps.items() if i not in self.going and i not in listed}
        places = {ids[local]: old for local, old in self.stands.items()}
        for id_ in sorted(plan.required.intersection(self.going)):
            if plan.state[id_] is not DONE and id_ not in places.values():
                self.faults.append(f"{id_} is required")
        return Laid(
            listed=listed,
            kept={id_: self._followed(step) for id_, step in kept.items()},
            removed=set(self.going),
            mapping={local: ids[local] for local in self.order if local != ids[local]},
            before={
                i: plan.steps[old]
                for i in listed
                if (old := i if i in plan.steps and not self.anew else places.get(i, "")) in plan.steps
            },
            faults=self.faults,
            knew={ids[local]: self._knew(local) for local in self.order},
        )

    def _knew(self, local: str) -> set[str]:
        """The ids that are references in a step: in the template's copy those that were in the text it copies, the
        draft's own new ones, and what a mend put in, which the old step does not read, or does not wait for."""
        step = self.steps[local]
        old = local if local in self.plan.steps else step.replaces
        if not self.template or old is None:
            led = {self.ids[local] for name in self._names(step) for local in self._may_mean(name)}
            return self.known | led
        knew = self.plan.knew[old].union(set(self.steps).difference(self.plan.lines))
        if old != self.failed:
            return knew
        before = self.plan.steps[old]
        had = {r.step_id for r in references.find(texts(before), self.known)}
        put_in = {r.step_id for r in references.find(step.args, self.known)} - had
        return knew.union(put_in, set(step.depends_on or ()).difference(before.depends_on or ()))

    def _names(self, step: Step) -> list[str]:
        return [r.step_id for r in references.find(texts(step), self.known) if r.known]

    def _may_mean(self, name: str) -> list[str]:
        """The draft's step of this name, and the one that stands for the old step of this name."""
        return [local for local in self.order if local == name or self.stands.get(local) == name]

    def _follows(self) -> dict[str, str]:
        """Where everything that named a step that goes is led."""
        follows = {id_: self.ids[id_] for id_ in self.going if not self.anew and self._is_done(self.ids.get(id_, ""))}
        return follows | {old: self.ids[local] for local, old in self.stands.items()}

    def _step(self, local: str) -> Step:
        step, id_ = self.steps[local], self.ids[local]
        listed = not self.anew and id_ in self.plan.steps
        known = self._knew(local)
        reads = [r.step_id for r in references.find(step.args, known) if r.known]
        named = [r.step_id for r in references.find(texts(step), known) if r.known]
        meant = {name: self._meant(local, name, listed) for name in named}
        depends_on = [self._dependency(local, name, listed) for name in step.depends_on or ()]
        for name in [*reads, *(step.depends_on or ())]:
            led = meant.get(name) if name in meant else self._dependency(local, name, listed)
            if name in self.going and not self._has_value(name) and led == name:
                self.faults.append(f"{id_} names {name}, which is nothing")
        return replace(
            renamed(step, known, meant, keep_text=self.template),
            id=id_,
            depends_on=tuple(dict.fromkeys(name for name in depends_on if name)),
            assumes=tuple(name for name in step.assumes if name not in self.refuted),
            replaces=self.plan.steps[id_].replaces if listed else self.stands.get(local),
        )

    def _has_value(self, id_: str) -> bool:
        return self.plan.state[id_] is DONE

    def _meant(self, local: str, name: str, listed: bool) -> str:
        before = self.order[: self.order.index(local)]
        if name in before:
            return self.ids[name]
        if name in self.going and not self._has_value(name):
            follows = (
                self._follows() if listed else {self.stands[new]: self.ids[new] for new in before if new in self.stands}
            )
            return follows.get(name, name)
        return self.ids[name] if name in self.steps and name not in self.plan.lines else name

    def _dependency(self, local: str, name: str, listed: bool) -> str:
        led = self._meant(local, name, listed)
        if led != name or name in self.order[: self.order.index(local)]:
            return led
        if not self.anew and name in self.plan.steps and name not in self.going:
            return name
        if name in self.steps:
            return self.ids[name]
        return "" if self.anew and self.plan.state.get(name) is DONE else name

    def _followed(self, step: Step) -> Step:
        """A step that stays follows those that go; an open one drops refuted premises."""
        if self.plan.state[step.id] is DONE:
            return step
        follows, known = self._follows(), self.plan.knew[step.id]
        return replace(
            renamed(step, known, follows, keep_text=True),
            depends_on=tuple(dict.fromkeys(follows.get(d, d) for d in step.depends_on or ())),
            assumes=tuple(n for n in step.assumes if n not in self.refuted or not self.plan.is_open(step.id)),
        )


def texts(step: Step) -> list[Any]:
    """A step's args and those of its alternatives."""
    return [step.args, *(way.args for way in step.alternatives)]


def renamed(step: Step, known: Iterable[str], names: Mapping[str, str], *, keep_text: bool) -> Step:
    """The step with the references in all of these renamed; in older texts nothing comes to be one."""
    knew = frozenset(known)
    given = {names[r.step_id] for r in references.find(texts(step), knew) if r.step_id in names}

    def anew(args: Any) -> Any:
        return references.rename(args, knew, names, escape=given if keep_text else None)

    ways = tuple(replace(way, args=anew(way.args)) for way in step.alternatives)
    return replace(step, args=anew(step.args), alternatives=ways)


def next_id(like: str, had: Iterable[str]) -> str:
    """The id after this one: its text, and one more than the highest number the text ever had."""
    text, number = _parts(like)
    sign = "" if number is not None else "_"
    numbers = [n for t, n in map(_parts, had) if t == text + sign and n is not None]
    n = max(numbers) + 1 if numbers else 2
    while (new := text[: 64 - len(f"{sign}{n}")] + f"{sign}{n}") in had:
        n += 1
    return new


def _parts(id_: str) -> tuple[str, int | None]:
    digits = len(id_) - len(id_.rstrip("0123456789"))
    if 0 < digits <= (18 if digits == len(id_) else 3):
        return id_[: len(id_) - digits], int(id_[-digits:])
    return id_, None


def _way(step: Step) -> tuple[Any, ...]:
    return step.action, step.tool_name, _exact(step.args)


def _exact(args: Mapping[str, Any]) -> bytes:
    return msgspec.json.encode(args, order="deterministic")
