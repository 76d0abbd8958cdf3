"""A draft laid over the plan: ids, what each step stands for, what is kept, and the draft check."""

from __future__ import annotations

import copy as copying
import re
from dataclasses import dataclass, field
from typing import Any

from tests.model import refs
from tests.model.planning import Draft
from tests.model.state import Failure, State, Step, canonical, parse_step
from tests.model.world import Ambiguous, breach


@dataclass
class Laid:
    """The new version, or the reasons why there is none."""

    steps: list[Step] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)
    calls_only: list[str] = field(default_factory=list)  # those of the reasons that are calls not made again
    parents: dict[str, str] = field(default_factory=dict)
    new_ids: list[str] = field(default_factory=list)
    drafted: list[str] = field(default_factory=list)
    verdicts: dict[str, str] = field(default_factory=dict)

    @property
    def only_calls(self) -> bool:
        return bool(self.reasons) and len(self.reasons) == len(self.calls_only)


def lay(session: Any, draft: Draft, failure: Failure | None, granularity: str) -> Laid:
    s: State = session.s
    if draft.empty:
        return keep_what_ended(s, draft)
    bench = Bench(session, draft, failure, granularity)
    return bench.template() if draft.template else bench.scripted()


def keep_what_ended(s: State, draft: Draft) -> Laid:
    """An empty answer to a goal change: what is there will do."""
    verdicts = dict(draft.verdicts)
    for at, variable in s.variables.items():
        if variable.health == "stale" and variable.goal_stale and not variable.hot:
            verdicts.setdefault(f"E{at}", "keep")
    steps = [st.copy() for st in s.steps if st.state != "pending"]
    for step in steps:
        if step.state == "failed":
            raise Ambiguous("a failure waits while an empty draft keeps what has ended")
    if any(s.root(st.id) in s.required_roots for st in s.steps if st.state != "done"):
        raise Ambiguous("an empty draft with required steps open")
    if any(st.state == "lost" and not st.gap for st in steps):
        raise Ambiguous("an empty draft with failed steps")
    s.handed = []
    return Laid(steps, verdicts=verdicts)


def next_id(base: str, had: list[str]) -> str:
    """The successor of an id among all that were ever had."""
    if base.isdigit() and len(base) <= 18:
        stem, numbers = "", [int(i) for i in had if i.isdigit() and len(i) <= 18]
    elif found := re.match(r"(.*[^0-9])([0-9]{1,3})\Z", base):
        stem = found.group(1)
        numbers = [int(i[len(stem) :]) for i in had if re.fullmatch(re.escape(stem) + r"[0-9]{1,3}", i)]
    else:
        stem = base + "_"
        numbers = [int(i[len(stem) :]) for i in had if re.fullmatch(re.escape(stem) + r"[0-9]{1,3}", i)] or [1]
    number = max(numbers) + 1
    while f"{stem}{number}" in had:
        number += 1
    if len(f"{stem}{number}") > 64:
        raise Ambiguous("an id that would pass 64 characters")
    return f"{stem}{number}"


class Bench:
    """Where one draft is laid over one version."""

    def __init__(self, session: Any, draft: Draft, failure: Failure | None, granularity: str) -> None:
        self.session = session
        self.s: State = session.s
        self.draft = draft
        self.failed = failure.step if failure else None
        self.granularity = granularity
        self.everything = granularity == "global"
        self.old = {st.id: st for st in self.s.steps}
        if granularity == "patch":
            self.replaced = [self.failed]
        elif granularity == "tail":
            assert failure is not None
            self.replaced = [self.failed, *self.s.radius(failure.step, failure.refutes)]
        else:
            self.replaced = list(self.old)
        self.reasons: list[str] = []
        self.call_reasons: list[str] = []
        self.laid = Laid(verdicts=dict(draft.verdicts))
        self.after = copying.copy(self.s)  # the state with the verdicts given, to judge references by
        self.after.variables = copying.deepcopy(self.s.variables)
        self.after.give_verdicts(draft.verdicts)

    def bad(self, reason: str) -> None:
        if reason not in self.reasons:
            self.reasons.append(reason)

    # --- the template's draft

    def template(self) -> Laid:
        had = list(self.s.ever)
        final: dict[str, str] = {}
        for old, _ in self.draft.copies:
            if old == self.failed and not self.everything:
                final[old] = old
            else:
                final[old] = self.next(old, had)
                had.append(final[old])
        listed: dict[str, Step] = {}
        for old, step in self.draft.copies:
            step.state, step.gap, step.done_with_null = "pending", False, False
            step.id = final[old]
            if step.id != old:
                step.replaces = old
                self.laid.parents[step.id] = old
                self.laid.new_ids.append(step.id)
            self.rename(step, final)
            listed[step.id] = step
        kept = [st.copy() for st in self.s.steps if st.id not in self.replaced] if not self.everything else []
        for step in kept:
            if step.state != "done":
                self.carry(step, final)
        self.laid.steps = self.order(kept, list(listed.values()))
        stands = {step.id: self.old[old] for old, step in self.draft.copies}
        return self.check(listed, stands)

    def next(self, base: str, had: list[str]) -> str:
        """The contract does not say whether ids that were drafted and then not used count as had for good."""
        found = next_id(base, had)
        if found != next_id(base, unique(had + self.s.drafted)):
            raise Ambiguous("a number that a draft wrote and no version has")
        return found

    def rename(self, step: Step, final: dict[str, str]) -> None:
        for ref in refs.refs(step.args):
            ref.step = final.get(ref.step, ref.step)
        step.deps = unique([final.get(d, d) for d in step.deps])

    def carry(self, step: Step, final: dict[str, str]) -> None:
        before = refs.write(step.args)
        self.rename(step, final)
        step.touched = step.touched or before != refs.write(step.args)

    def order(self, kept: list[Step], drafted: list[Step]) -> list[Step]:
        ended = [st for st in kept if not st.open]
        return ended + drafted + [st for st in kept if st.open]

    # --- a planner's draft

    def scripted(self) -> Laid:
        self.parse()
        if self.reasons:
            return self.refused()
        self.classify()
        self.stand()
        self.name()
        return self.write()

    def refused(self) -> Laid:
        self.laid.reasons = self.reasons
        self.laid.calls_only = self.call_reasons
        return self.laid

    def parse(self) -> None:
        self.new: list[Step] = []
        before = None
        for raw in self.draft.raw:
            step = parse_step(raw, before)
            before = step.id
            self.new.append(step)
        ids = [st.id for st in self.new]
        if len(set(ids)) < len(ids):
            self.bad("two steps have one id")
        known = set(self.s.ever) | set(ids)
        for step in self.new:
            step.args = refs.read(step.raw.get("args") or {}, known)
        self.index = {st.id: at for at, st in enumerate(self.new)}
        self.kind = ["" for _ in self.new]  # own, done, fresh, local
        self.bound: dict[int, str] = {}  # draft step -> the old step it is or stands for
        self.how: dict[int, str] = {}

    def meaning(self, at: int, name: str) -> tuple[str, Any]:
        """What an id in the draft's step number `at` names: a step of the draft, or an old one."""
        other = self.index.get(name)
        if other is None:
            return "old", name
        if other == at and self.kind[other] in ("fresh", "own"):
            raise Ambiguous("a step of a draft that reads itself")
        if self.kind[other] == "local" and other >= at:
            return "old", name
        return "draft", other

    def same_args(self, at: int, old: Step) -> bool:
        def eq(mine: str, theirs: str) -> bool:
            what, which = self.meaning(at, mine)
            return (self.bound.get(which) if what == "draft" else which) == theirs

        return refs.same(self.new[at].args, old.args, eq)

    def usable(self, old: Step, step: Step) -> bool:
        """Finished work that needs no second run."""
        return old.state == "done" and self.after.variables[old.id].health == "clean" and not step.again

    def classify(self) -> None:
        ever = set(self.s.ever)
        for at, step in enumerate(self.new):
            old = self.old.get(step.id)
            if self.everything or old is None:
                self.kind[at] = "local" if step.id in ever else "fresh"
            elif old.state != "done":
                self.kind[at] = "own"
                self.bound[at] = old.id
            else:
                self.kind[at] = "local"
        if self.everything:
            return
        for at, step in enumerate(self.new):
            old = self.old.get(step.id)
            if old is not None and old.state == "done" and step.tool == old.tool and self.same_args(at, old):
                if self.usable(old, step):
                    self.mark_done(at, old)
                continue
            if self.kind[at] in ("fresh", "local"):
                found = next((o for o in self.s.steps if self.repeats(at, o)), None)
                if found is not None:
                    self.mark_done(at, found)

    def repeats(self, at: int, old: Step) -> bool:
        step = self.new[at]
        return self.usable(old, step) and (step.action, step.tool) == (old.action, old.tool) and self.same_args(at, old)

    def mark_done(self, at: int, old: Step) -> None:
        if old.id in self.bound.values():
            raise Ambiguous("finished work listed twice")
        if self.new[at].raw.get("replaces") is not None:
            raise Ambiguous("finished work listed again with `replaces`")
        self.kind[at] = "done"
        self.bound[at] = old.id

    # --- which step a new one stands for

    def stand(self) -> None:
        listed = {self.bound[at] for at, kind in enumerate(self.kind) if kind == "own"}
        self.goes = [i for i in self.old if i in self.replaced and i not in listed]
        if self.failed in self.goes:
            self.goes = [self.failed] + [i for i in self.goes if i != self.failed]
        self.kept_open = [i for i, st in self.old.items() if st.open and i not in self.replaced and i not in listed]
        for at, step in enumerate(self.new):
            self.explicit(at, step)
        while self.find_one():
            pass
        if self.failed in self.goes and self.failed not in self.bound.values():
            left = self.unbound()
            if left:
                self.bind(left[-1] if self.granularity == "patch" else left[0], self.failed, "last")
        self.hold_required()

    def explicit(self, at: int, step: Step) -> None:
        target = step.raw.get("replaces")
        if target is None:
            return
        target = str(target)
        if self.kind[at] == "local":
            raise Ambiguous("`replaces` on a local name")
        if self.kind[at] != "fresh" or target not in self.goes or target in self.bound.values():
            self.bad(f"step {step.id} replaces {target}")
            return
        self.bind(at, target, "replaces")

    def unbound(self) -> list[int]:
        return [at for at, kind in enumerate(self.kind) if kind in ("fresh", "local") and at not in self.bound]

    def bind(self, at: int, old: str, how: str) -> None:
        self.bound[at] = old
        self.how[at] = how
        if old in self.kept_open:
            self.kept_open.remove(old)
            self.kind[at] = "own"

    def find_one(self) -> bool:
        """The first pair that the first rule in order finds; rules are asked again after it."""
        for rule in ("same", "work", "name", "tool"):
            order = self.unbound()
            if rule == "tool" and self.granularity == "patch":
                order.reverse()
            for at in order:
                free = [i for i in self.goes if i not in self.bound.values()]
                if rule == "same":
                    free = sorted(
                        free + ([] if self.everything else self.kept_open),
                        key=lambda i: (i != self.failed, list(self.old).index(i)),
                    )
                for old in free:
                    if self.agree(rule, at, old):
                        self.bind(at, old, rule)
                        return True
        return False

    def agree(self, rule: str, at: int, old_id: str) -> bool:
        step, old = self.new[at], self.old[old_id]
        if rule == "same":
            return (step.action, step.tool) == (old.action, old.tool) and self.same_args(at, old)
        if rule == "work":
            return (step.action, step.tool) == (old.action, old.tool)
        if rule == "name":
            return self.kind[at] == "local" and step.id == old_id
        return step.tool == old.tool

    def hold_required(self) -> None:
        for old_id in self.goes:
            old = self.old[old_id]
            if self.s.root(old_id) not in self.s.required_roots:
                continue
            at = next((a for a, o in self.bound.items() if o == old_id), None)
            good = at is not None and self.delivers(at, old)
            if old.state == "done":
                if at is not None and not good:
                    raise Ambiguous("a required step that is done, and a loose successor")
                continue
            if not good:
                self.bad(f"nothing stands for the required step {old_id}; say replaces: {old_id}")

    def delivers(self, at: int, old: Step) -> bool:
        step = self.new[at]
        if self.how.get(at) in ("replaces", "name"):
            return True
        if self.kind[at] == "local" and step.id == old.id:
            return True
        if step.tool != old.tool:
            return False
        named = step.action == old.action and old.action != old.tool
        return named or (bool(step.args) and self.same_args(at, old))

    # --- ids, dependencies and references written out

    def name(self) -> None:
        had = unique(self.s.ever + [st.id for st in self.new])
        self.final: dict[int, str] = {}
        for at, step in enumerate(self.new):
            if self.kind[at] in ("own", "done"):
                self.final[at] = self.bound[at]
            elif self.kind[at] == "fresh":
                self.final[at] = step.id
            else:
                self.final[at] = self.next(self.bound.get(at, step.id), had)
                had.append(self.final[at])
        self.stand_in = {self.bound[at]: at for at in self.bound if self.kind[at] in ("fresh", "local")}
        self.laid.new_ids = unique(list(self.final.values()))
        self.laid.drafted = [st.id for st in self.new if st.id not in self.laid.new_ids]

    def follow(self, at: int, name: str, dependency: bool) -> str | None:
        """The new id behind a name in the draft's step `at`; None where a dependency is dropped."""
        what, which = self.meaning(at, name)
        if what == "draft":
            return self.final[which]
        old = self.old.get(name)
        if old is None or name not in self.goes:
            return name
        if old.state == "done":
            return None if dependency else name
        other = self.stand_in.get(name)
        if other is None or other == at or (other > at and self.kind[at] != "own"):
            self.bad(f"step {self.new[at].id} reads {name}, for which nothing stands")
            return name
        return self.final[other]

    def write(self) -> Laid:
        listed: dict[str, Step] = {}
        stands: dict[str, Step] = {}
        for at, step in enumerate(self.new):
            if self.kind[at] == "done":
                continue
            deps = [self.follow(at, d, True) for d in step.deps]
            for ref in refs.refs(step.args):
                ref.step = self.follow(at, ref.step, False) or ref.step
            step.id = self.final[at]
            step.deps = unique([d for d in deps if d is not None])
            if at in self.bound:
                stands[step.id] = self.old[self.bound[at]]
                if self.kind[at] == "own":
                    step.replaces = self.old[step.id].replaces
                else:
                    step.replaces = self.bound[at]
                    self.laid.parents[step.id] = self.bound[at]
            listed[step.id] = step
        kept = []
        if not self.everything:
            for old in self.s.steps:
                if old.id in listed or old.id in self.goes:
                    continue
                carried = old.copy()
                if old.state != "done":
                    self.carry(carried, {i: self.final[at] for i, at in self.stand_in.items()})
                kept.append(carried)
        self.laid.steps = self.order(kept, list(listed.values()))
        return self.check(listed, stands)

    # --- the draft check

    def check(self, listed: dict[str, Step], stands: dict[str, Step]) -> Laid:
        for step in listed.values():
            self.mark_changed(step)
        here = {st.id: st for st in self.laid.steps}
        for step in self.laid.steps:
            if step.state != "done":
                for dep in step.deps:
                    if dep not in here:
                        self.bad(f"step {step.id} depends on {dep}, which the plan does not have")
        if self.circular([st for st in self.laid.steps if st.state != "done"]):
            self.bad("the steps depend on each other in a circle")
        for step in listed.values():
            self.check_step(step, stands.get(step.id), here)
        if not self.reasons:
            self.check_rest()
        return self.refused()

    def mark_changed(self, step: Step) -> None:
        v1 = self.s.v1_text.get(step.id)
        step.touched = True
        step.changed = v1 != (step.tool, canonical(refs.write(step.args)))

    def circular(self, steps: list[Step]) -> bool:
        left = {st.id: set(st.deps) for st in steps}
        while free := [i for i, deps in left.items() if not deps & left.keys()]:
            for i in free:
                del left[i]
        return bool(left)

    def excused(self, old: Step | None) -> bool:
        return old is not None and (not self.everything or self.draft.template)

    def check_step(self, step: Step, old: Step | None, here: dict[str, Step]) -> None:
        s = self.s
        if s.tools_given and step.tool not in s.tools and not (self.excused(old) and old and old.tool == step.tool):
            self.bad(f"step {step.id} uses the tool {step.tool}")
        had = {r.step for r in refs.refs(old.args)} if old is not None and self.excused(old) else set()
        final = {old: new for new, old in self.laid.parents.items()}
        had |= {final[i] for i in had if i in final}
        for ref in refs.refs(step.args):
            fault = self.reference_fault(ref, here)
            if fault and ref.step not in had:
                self.bad(f"step {step.id} reads {ref.text}, {fault}")
        self.check_call(step, old, here)

    def reference_fault(self, ref: refs.Ref, here: dict[str, Step]) -> str | None:
        step = here.get(ref.step)
        if step is not None and step.state != "done":
            return None
        variable = self.after.variables.get(ref.step)
        if variable is None:
            return "which no step produces"
        return None if variable.health == "clean" else f"which is {variable.health}"

    def call_args(self, step: Step, here: dict[str, Step]) -> Any:
        """The args as far as they can be read when the draft is checked."""
        for ref in refs.refs(step.args):
            other = here.get(ref.step)
            if other is not None and other.state != "done" and not other.gap:
                return None
            variable = self.after.variables.get(ref.step)
            if not (other is not None and other.gap) and (variable is None or variable.health == "void"):
                return None
        return self.after.filled(step.args)

    def check_call(self, step: Step, old: Step | None, here: dict[str, Step]) -> None:
        s = self.s
        args = self.call_args(step, here)
        if args is None:
            return
        key = (step.tool, canonical(args))
        lineage = step.copy()
        fault = "which was denied" if key in s.denied else None
        if fault is None and s.acts_once(step.tool):
            if step.id not in s.parent and old is not None and old.id != step.id:
                lineage.id = old.id
            earlier = self.session.x.earlier_call(lineage, step.tool, args)
            if earlier is not None and not (step.again and earlier.kind == "took"):
                fits = earlier.status == "ok" and breach(earlier.value, step.produces) is None
                fault = None if fits else "which is not made again"
        if fault is None:
            return
        if self.excused(old) and old is not None and old.id != self.failed:
            before = s.filled(old.args)
            if old.tool == step.tool and before is not None and canonical(before) == canonical(args):
                return
        reason = f"step {step.id} calls {step.tool}, {fault}"
        self.bad(reason)
        self.call_reasons.append(reason)

    def check_rest(self) -> None:
        """Something must be left to run that does not depend on a step that failed for good or was skipped."""
        dead = {st.id for st in self.laid.steps if st.ended_badly}
        dead |= self.session.s.dependents(dead, self.laid.steps)
        if any(st.state == "pending" and st.id not in dead for st in self.laid.steps):
            return
        if any(st.state == "failed" for st in self.laid.steps):
            raise Ambiguous("nothing but failures that wait would be left to run")
        self.bad("nothing would be left to run")


def unique(names: list[str]) -> list[str]:
    return list(dict.fromkeys(names))
