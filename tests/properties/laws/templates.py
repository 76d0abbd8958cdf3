"""What the template drafts, at each depth and for each slip, written down a second time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from replanctl.plan import references
from replanctl.plan.model import Step, Tool
from replanctl.plan.references import Reference
from replanctl.run.events import PlanCommit, PlanDraft, Signal, StepEnd
from tests.properties.laying import next_id, renamed
from tests.properties.run import Run
from tests.properties.story import DONE, FAILED, PENDING, RUNNING, SKIPPED, Moment, Standing

_SHOWN = 20
_NEAR = 2


def the_template_drafts_what_is_agreed(run: Run) -> Iterator[str]:
    """A patch is the failed step another way; a tail works around it and lists what rests on it again; a global all."""
    template = _Template(run)
    for moment in run.moments:
        event = moment.event
        if type(event) is PlanDraft and event.replanner == "template":
            expected = template.draft(event, moment.before)
            for got, wanted in zip(event.steps, expected, strict=False):
                if got != wanted:
                    yield f"the template drafts {got} at event {event.seq}, not {wanted}"
            if len(event.steps) != len(expected):
                yield f"the template drafts {len(event.steps)} steps at event {event.seq}, not {len(expected)}"
        template.see(moment)


class _Template:
    """What a template may look at."""

    def __init__(self, run: Run) -> None:
        self._calls = run.calls
        self._tools = run.rehearsal.plan.tools or {}
        self._signals: dict[str, Signal] = {}
        self._unmade: dict[str, set[str]] = {}  # what a failed step reads that had not run, by the failed step
        self._patches: dict[str, int] = {}  # by the first id of the lineage
        self._values: dict[str, Any] = {}

    def see(self, moment: Moment) -> None:
        """Take one event in."""
        event = moment.event
        if type(event) is Signal:
            self._signals[event.step_id] = event
            reads = {reference.step_id for reference in moment.before.reads(event.step_id) if reference.known}
            self._unmade[event.step_id] = {id_ for id_ in reads if moment.before.state.get(id_) in (PENDING, RUNNING)}
        elif type(event) is StepEnd and event.state is DONE:
            self._values[event.step_id] = event.value
        elif type(event) is PlanCommit and event.granularity == "patch":
            root = moment.before.line(event.cause.partition("@")[2])[0]
            self._patches[root] = self._patches.get(root, 0) + 1

    def draft(self, event: PlanDraft, plan: Standing) -> list[Step]:
        """The steps of the draft."""
        failed = plan.steps[event.step_id] if event.step_id is not None else None
        if failed is not None and event.granularity == "patch":
            return [replace(self._patch(failed, plan, event.seq), replaces=None)]
        signal = self._signals[failed.id] if failed is not None else None
        if event.granularity == "global":
            again = list(plan.steps)
        else:
            again = plan.radius(event.step_id, signal.refutes if signal is not None else ())
        names = self._new_ids(again, plan)
        first = [failed.id] if failed is not None and failed.id not in again else []
        return [self._again(plan.steps[id_], failed, names, plan) for id_ in (*first, *again)]

    def _new_ids(self, again: list[str], plan: Standing) -> dict[str, str]:
        had, names = set(plan.lines), {}
        for id_ in again:
            names[id_] = next_id(id_, had)
            had.add(names[id_])
        return names

    def _again(self, step: Step, failed: Step | None, names: dict[str, str], plan: Standing) -> Step:
        old, knew = step.id, plan.knew[step.id]
        if failed is not None and step is failed:
            signal = self._signals[old]
            way = _alternative(step)
            own = way is not None and bool(step.alternatives[0].action)
            step = way if way is not None and own else _worked_around(way or step, signal.error_msg)
            if signal.error_type == "missing_var":
                step = self._mended(step, plan)
                knew |= set(step.depends_on or ())  # what a mend put into the text is a dependency now
        return replace(
            renamed(step, knew, names, keep_text=True),
            id=names.get(old, old),
            depends_on=tuple(names.get(d, d) for d in step.depends_on or ()),
            replaces=old if old in names else None,
        )

    def _patch(self, step: Step, plan: Standing, now: int) -> Step:
        signal = self._signals[step.id]
        if signal.error_type == "missing_var":
            return self._mended(step, plan)
        if signal.error_type == "assumption" and not signal.attempted and (meant := self._meant(step)):
            return replace(step, args={meant.get(name, name): value for name, value in step.args.items()})
        way = _alternative(step)
        if way is None:
            line = plan.line(step.id)
            tried = {call.tool for at, call, _ in self._calls if at <= now and call.step_id in line}
            untried = [name for name in self._tools.get(step.tool_name, Tool()).fallback if name not in tried]
            way = replace(step, tool_name=[*untried, step.tool_name][0])
        number = self._patches.get(plan.line(step.id)[0], 0) + 1
        return replace(way, action=re.sub(r" \(patch [0-9]+\)$", "", way.action) + f" (patch {number})")

    def _meant(self, step: Step) -> dict[str, str]:
        """Misspelt args and what they are spelt."""
        schema = (self._tools[step.tool_name].args if step.tool_name in self._tools else None) or {}
        missing = [name for name in schema.get("required", ()) if name not in step.args]
        near = {name: _nearest(name, missing) for name in step.args if name not in schema.get("properties", {})}
        return {name: meant for name, meant in near.items() if meant is not None}

    def _mended(self, step: Step, plan: Standing) -> Step:
        mend = _Mend(step, plan, self._values, self._unmade[step.id])
        args = references.transform(step.args, plan.knew[step.id], mend.whole, mend.inside, undo=False)
        depends_on = dict.fromkeys([*(step.depends_on or ()), *mend.edges])
        return replace(
            step, args=args, depends_on=tuple(depends_on), gaps=tuple(dict.fromkeys([*step.gaps, *mend.gaps]))
        )


def _worked_around(step: Step, message: str) -> Step:
    cut = message[:_SHOWN] + ("…" if len(message) > _SHOWN else "")
    return replace(step, action=f"work around [{cut}]")


def _alternative(step: Step) -> Step | None:
    if not step.alternatives:
        return None
    way, *left = step.alternatives
    args = step.args if way.args is None else way.args
    done = replace(step, tool_name=way.tool or step.tool_name, args=args, alternatives=tuple(left))
    return replace(done, action=way.action or step.action, gaps=step.gaps if way.args is None else ())


class _Mend:
    """The cures of one step's references."""

    def __init__(self, step: Step, plan: Standing, values: dict[str, Any], unmade: set[str]) -> None:
        self._plan, self._values, self._unmade = plan, values, unmade
        self._resting = {step.id, *plan.radius(step.id)}
        self.edges: list[str] = []
        self.gaps: list[str] = []

    def whole(self, reference: Reference) -> Any:
        """What stands in place of a reference that is all of a text."""
        return self._cure(reference)

    def inside(self, reference: Reference) -> str:
        """What stands in place of a reference in running text."""
        return self._cure(reference) or f"[gap: E{reference.step_id}]"

    def _cure(self, reference: Reference) -> str | None:
        cured = self._meant(reference) if reference.known else self._near(reference.step_id, reference.path)
        if cured is None:
            self.gaps.append(reference.step_id)
            return None
        id_, path = cured
        if id_ != reference.step_id or not reference.known or id_ not in self._values or self._was_unmade(id_):
            self.edges += [id_] if id_ not in self._plan.gaps else []
        same = (id_, path) == (reference.step_id, reference.path)
        return reference.text if same else references.render(id_, path)

    def _meant(self, reference: Reference) -> tuple[str, tuple[str | int, ...]] | None:
        plan, id_, path = self._plan, reference.step_id, reference.path
        if self._was_unmade(id_) and id_ in plan.steps:
            lost = plan.state[id_] in (FAILED, SKIPPED) and id_ not in plan.waiting
            return None if lost or id_ in self._resting else (id_, path)
        if id_ in self._values:
            return None if plan.health[id_] == "void" else self._path(id_, path)
        if id_ in plan.gaps:
            return id_, path
        if id_ not in plan.steps:
            return self._near(id_, path)
        return (id_, path) if plan.state[id_] in ("pending", "running") and id_ not in self._resting else None

    def _near(self, id_: str, path: tuple[str | int, ...]) -> tuple[str, tuple[str | int, ...]] | None:
        near = _nearest(id_, self._candidates())
        return (near, path) if near not in self._values and near is not None else self._path(near, path)

    def _was_unmade(self, id_: str) -> bool:
        """Whether it had not run when the step that reads it failed: what counts is how things stood then."""
        return bool(self._unmade.intersection(self._plan.lines.get(id_, ())))

    def _candidates(self) -> list[str]:
        plan = self._plan
        if done := [id_ for id_ in plan.done_ids() if plan.health[id_] == "clean"]:
            return done
        return [id_ for id_ in plan.open_ids() if id_ not in self._resting]

    def _path(self, id_: str | None, path: tuple[str | int, ...]) -> tuple[str, tuple[str | int, ...]] | None:
        if id_ is None:
            return None
        value, meant = self._values[id_], []
        for part in path:
            key = _nearest(part, list(value)) if isinstance(part, str) and isinstance(value, dict) else part
            found = part if isinstance(value, dict) and part in value else key
            holds = found in value if isinstance(value, dict) else _indexes(found, value)
            if found is None or not holds:
                return None
            value = value[found]
            meant.append(found)
        return id_, tuple(meant)


def _indexes(part: str | int | None, value: Any) -> bool:
    return isinstance(part, int) and isinstance(value, list | tuple) and part < len(value)


def _nearest(name: str, names: list[str]) -> str | None:
    near = sorted((_distance(name, other), place) for place, other in enumerate(names))
    return names[near[0][1]] if near and near[0][0] <= _NEAR else None


def _distance(one: str, other: str) -> int:
    if not one or not other:
        return len(one) + len(other)
    if one[0] == other[0]:
        return _distance(one[1:], other[1:])
    return 1 + min(_distance(one[1:], other), _distance(one, other[1:]), _distance(one[1:], other[1:]))


def a_step_that_was_mended_holds_its_gaps(run: Run) -> Iterator[str]:
    """What was mended away stands as null or as `[gap: …]` in its args: an alternative's args give it up."""
    for event in run.events:
        for step in event.steps if type(event) is PlanCommit else ():
            if step.gaps and not _holds_a_gap(step.args):
                yield f"step {step.id} of {event.version} is said to run without {step.gaps}, on {step.args}"


def _holds_a_gap(value: Any) -> bool:
    if isinstance(value, dict | list | tuple):
        return any(map(_holds_a_gap, value.values() if isinstance(value, dict) else value))
    return value is None or (isinstance(value, str) and "[gap: E" in value)


TEMPLATES = (the_template_drafts_what_is_agreed, a_step_that_was_mended_holds_its_gaps)
