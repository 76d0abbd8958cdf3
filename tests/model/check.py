"""The draft check."""

from __future__ import annotations

from typing import Any

from tests.model import refs
from tests.model.bench import Bench, Laid
from tests.model.state import canonical
from tests.model.steps import Step
from tests.model.world import Ambiguous, breach


class Check(Bench):
    """Is the new version one that may be committed?"""

    def refused(self) -> Laid:
        self.laid.reasons = self.reasons
        self.laid.calls_only = self.call_reasons
        return self.laid

    def check(self, listed: dict[str, Step], stands: dict[str, Step]) -> Laid:
        for step in listed.values():
            self.mark_changed(step, stands.get(step.id))
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

    def mark_changed(self, step: Step, old: Step | None) -> None:
        """A step stands as v1 lists it while what a draft says of it is what it was; where it follows is no change."""
        if old is None or old.id != step.id or old.changed:
            step.changed = True
            return
        was, now = canonical(refs.write(old.args)), canonical(refs.write(step.args))
        step.changed = (old.action, old.tool, was) != (step.action, step.tool, now)
        step.unclear = (old.action, old.tool) == (step.action, step.tool) and was != now == self.follows(old)

    def follows(self, old: Step) -> str:
        led = old.copy()
        final = {gone: new for new, gone in self.laid.parents.items()}
        for ref in refs.refs(led.args):
            ref.step = final.get(ref.step, ref.step)
        return canonical(refs.write(led.args))

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
        if ref.nothing:
            return "which no step produces"
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
            if ref.nothing:
                return None
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
            if earlier is not None and not (step.again and earlier.answered):
                fits = earlier.status == "ok" and breach(earlier.value, step.produces) is None
                taken = fits and self.after.answer_of(earlier).health != "void"  # with the draft's verdicts written
                fault = None if taken else f"which is not made again, after step {earlier.step}'s {earlier.kind}"
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
