"""Which variables may still be used."""

from __future__ import annotations

from typing import Any

from tests.model import refs
from tests.model.steps import Call, Step, Variable
from tests.model.world import Ambiguous


class Health:
    """Variables, what they rest on, and what of it was refuted."""

    steps: list[Step]
    version: str
    variables: dict[str, Variable]
    refuted: set[str]
    goal_number: int

    def refute(self, names: list[str]) -> None:
        for name in names:
            self.refuted.add(name)
            fresh: set[str] = set()
            for at, variable in self.variables.items():
                if name not in variable.rests:
                    continue
                if name in variable.absolved:
                    raise Ambiguous("an assumption is refuted again after a verdict")
                variable.hot.add(name)
                if variable.absolved and variable.hot == variable.rests - variable.absolved:
                    raise Ambiguous("all that is left after a verdict is refuted")
                if variable.hot == variable.rests:
                    if variable.health != "void":
                        fresh.add(at)
                    variable.health = "void"
                elif variable.health == "clean":
                    variable.health = "stale"
            self.void_descendants(fresh, set())

    def void_descendants(self, roots: set[str], kept: set[str]) -> None:
        grown = set(roots)
        while grown:
            grown = {
                at for at, v in self.variables.items() if v.sources & grown and v.health != "void" and at not in kept
            }
            for at in grown:
                self.variables[at].health = "void"

    def give_verdicts(self, verdicts: dict[str, str]) -> None:
        named = {k[1:]: v for k, v in verdicts.items()}
        judged = {k: v for k, v in named.items() if k in self.variables and self.variables[k].health != "void"}
        kept = {k for k, v in judged.items() if v in ("keep", "convert")}
        dropped = {k for k, v in judged.items() if v == "discard"}
        for at, verdict in judged.items():
            variable = self.variables[at]
            variable.verdict = verdict
            if verdict == "discard":
                variable.health = "void"
            else:
                variable.health, variable.goal_stale = "clean", False
                variable.absolved |= variable.rests & self.refuted
                variable.hot = set()
        self.void_descendants(dropped, kept)
        for at, variable in self.variables.items():
            if at not in kept and variable.health != "void" and self.rests_on(at, dropped):
                raise Ambiguous("a variable rests on a discarded one through a kept one")

    def rests_on(self, at: str, roots: set[str]) -> bool:
        if at in roots:
            return True
        return any(self.rests_on(s, roots) for s in self.variables[at].sources if s in self.variables)

    def born(self, step: Step, value: Any) -> Variable:
        """What a step's answer makes: what it rests on, and the health that leaves it."""
        sources = {r.step for r in refs.refs(step.args) if r.step in self.variables and not self.is_gap(r.step)}
        inputs = [self.variables[s] for s in sources]
        rests = set(step.assumes).union(*(v.rests for v in inputs))
        hot = (set(step.assumes) & self.refuted).union(*(v.hot for v in inputs))
        absolved = set().union(*(v.absolved for v in inputs)) - hot
        variable = Variable(value, step.id, self.version, rests, hot, sources, absolved=absolved)
        if any(v.health == "void" for v in inputs):  # it was read in time, and fell while the step ran
            variable.health = "void"
        if variable.absolved and variable.hot and variable.hot == variable.rests - variable.absolved:
            raise Ambiguous("born with all that is left after a verdict refuted")
        if variable.health == "clean" and variable.hot:
            variable.health = "void" if variable.hot == variable.rests else "stale"
        return variable

    def answer_of(self, call: Call) -> Variable:
        """What was made of a call's answer, as it stands now; where nothing was, what would be made of it now."""
        if call.variable is not None:
            here = self.variables.get(call.step)
            return here if here is not None and here.version == call.variable.version else call.variable
        assert call.caller is not None
        variable = self.born(call.caller, call.value)
        if variable.health == "clean" and call.goal != self.goal_number:
            variable.health, variable.goal_stale = "stale", True
        return variable

    def is_gap(self, step_id: str) -> bool:
        step = self.find(step_id)
        return step is not None and step.gap

    def find(self, step_id: str) -> Step | None:
        return next((s for s in self.steps if s.id == step_id), None)
