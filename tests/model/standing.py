"""Which step a new one stands for."""

from __future__ import annotations

from typing import Any

from tests.model import refs
from tests.model.bench import Bench
from tests.model.steps import Step, parse_step
from tests.model.world import Ambiguous


class Standing(Bench):
    """A planner's draft, read step by step."""

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
            step.read_texts(known)
        self.index = {st.id: at for at, st in enumerate(self.new)}
        self.kind = ["" for _ in self.new]  # own, done, fresh, local
        self.bound: dict[int, str] = {}  # draft step -> the old step it is or stands for
        self.how: dict[int, str] = {}
        self.local: set[int] = set()  # drafted ids that are only names

    def meaning(self, at: int, name: str) -> tuple[str, Any]:
        """What an id in the draft's step number `at` names: a step of the draft, or an old one."""
        other = self.index.get(name)
        if other is None:
            return "old", name
        if other in self.local and other >= at:
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
        self.local = {at for at, kind in enumerate(self.kind) if kind == "local"}
        if self.everything:
            return
        for at, step in enumerate(self.new):
            old = self.old.get(step.id)
            if old is not None and old.state == "done" and self.listed_again(at, old):
                self.mark_done(at, old)
                self.local.discard(at)
                continue
            if self.kind[at] == "own" and self.repeats(at, self.old[step.id], done=False):
                continue  # an open step listed as it stands is that step, whatever else did the same
            found = next((o for o in self.s.steps if self.repeats(at, o)), None)
            if found is not None:
                if self.kind[at] == "own":
                    self.local.add(at)  # the id is the open step's, and here only a name
                self.mark_done(at, found)

    def listed_again(self, at: int, old: Step) -> bool:
        step = self.new[at]
        return step.tool == old.tool and self.same_args(at, old) and self.usable(old, step)

    def repeats(self, at: int, old: Step, done: bool = True) -> bool:
        step = self.new[at]
        usable = self.usable(old, step) or not done
        return usable and (step.action, step.tool) == (old.action, old.tool) and self.same_args(at, old)

    def mark_done(self, at: int, old: Step) -> None:
        self.kind[at] = "done"
        self.bound[at] = old.id

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
        if self.failed is not None and self.failed in self.goes and self.failed not in self.bound.values():
            left = [] if self.s.root(self.failed) in self.s.required_roots else self.unbound()
            if left:
                self.bind(left[-1] if self.granularity == "patch" else left[0], self.failed, "last")
        self.hold_required()

    def explicit(self, at: int, step: Step) -> None:
        target = step.raw.get("replaces")
        if target is None:
            return
        target = str(target)
        if self.kind[at] not in ("fresh", "local") or target not in self.goes or target in self.bound.values():
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
        """Whether a rule pairs these two; for a required step only what counts for it does."""
        step, old = self.new[at], self.old[old_id]
        required = old_id in self.goes and self.s.root(old_id) in self.s.required_roots and old.state != "done"
        if required and rule != "name" and not self.delivers(at, old):
            return False
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
