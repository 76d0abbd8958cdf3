"""A draft laid over the plan: ids and references written out, what is kept, the new list."""

from __future__ import annotations

import re
from typing import Any

from tests.model import refs
from tests.model.bench import Laid, unique
from tests.model.check import Check
from tests.model.naming import next_id
from tests.model.planning import Draft
from tests.model.standing import Standing
from tests.model.state import State
from tests.model.steps import Failure, Step
from tests.model.world import Ambiguous


def lay(session: Any, draft: Draft, failure: Failure | None, granularity: str) -> Laid:
    s: State = session.s
    if draft.empty:
        return keep_what_ended(s, draft)
    bench = Table(session, draft, failure, granularity)
    return bench.template() if draft.template else bench.scripted()


def keep_what_ended(s: State, draft: Draft) -> Laid:
    """An empty answer to a goal change: what is there will do."""
    verdicts = dict(draft.verdicts)
    for at, variable in s.variables.items():
        if variable.health == "stale" and variable.goal_stale and not variable.hot:
            verdicts.setdefault(f"E{at}", "keep")
    dropped = [st.id for st in s.steps if st.state != "done" and s.root(st.id) in s.required_roots]
    if dropped:
        return Laid(reasons=[f"nothing stands for the required step {i}; say replaces: {i}" for i in dropped])
    s.handed = []
    return Laid([st.copy() for st in s.steps if not st.open], verdicts=verdicts)


class Table(Standing, Check):
    """One draft on its way to a version."""

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
                self.rename(step, final)
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
        texts = [step.args, step.ways]
        for ref in refs.refs(texts):
            if not ref.nothing:
                ref.step = final.get(ref.step, ref.step)
                named = rf"(?<!#)#E{re.escape(ref.step)}(?![A-Za-z0-9])"
                if any(re.search(named, text) for text in refs.plain(texts)):
                    raise Ambiguous("how a text is written that names what a reference beside it comes to mean")
        step.deps = unique([final.get(d, d) for d in step.deps])

    def order(self, kept: list[Step], drafted: list[Step]) -> list[Step]:
        ended = [st for st in kept if not st.open]
        return ended + drafted + [st for st in kept if st.open]

    def scripted(self) -> Laid:
        self.parse()
        if self.reasons:
            return self.refused()
        self.classify()
        self.stand()
        self.name()
        return self.write()

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
        other = self.stand_in.get(name)
        later = self.final[self.index[name]] if dependency and name in self.index else None
        if old is None or name not in self.goes:
            return name if old is not None and not self.everything else later or name
        if old.state == "done":
            return later if dependency else name
        if later is not None and (other is None or (other >= at and self.kind[at] != "own")):
            return later
        if other is None or other == at or (other > at and self.kind[at] != "own"):
            self.bad(f"step {self.final[at]} reads {name}, for which nothing stands")
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
            told = list(self.reasons)  # an alternative is not read yet
            for ref in refs.refs(step.ways):
                ref.step = self.follow(at, ref.step, False) or ref.step
            self.reasons[:] = told
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
                    self.rename(carried, {i: self.final[at] for i, at in self.stand_in.items()})
                kept.append(carried)
        self.laid.steps = self.order(kept, list(listed.values()))
        return self.check(listed, stands)
