"""Variables and their health: which results may still be used once a premise has fallen.

Every variable carries the assumptions it rests on: those of its step, and those of every variable it was computed
from. A refuted assumption is looked up in reverse and degrades all its variables at once.
"""

# A result does not become wrong because a step fails somewhere else; it becomes *doubtful* when something it was
# computed under turns out not to hold. Health says how doubtful, from three facts about a variable, and from nothing
# else (`_reconsider`):
#
#   tainted, or all of the assumptions it still rests on have fallen   → void    nothing is left that speaks for it
#   some of them have fallen, or it was made for an earlier goal       → stale   it may still hold; somebody must judge
#   otherwise                                                          → clean
#
# A variable is tainted when it was computed from a void one, or when it was discarded. A stale source does not taint:
# what was computed from it rests on the same assumptions, and is degraded by them itself, at the same instant.
#
# What has fallen stays fallen (`refuted`), so a variable that is made later under a refuted assumption is born
# degraded; otherwise a slow step could launder a premise that is known to be wrong.
#
# A verdict is the only way up, and only from stale. `keep` and `convert` end the effect of everything refuted so far:
# the names are struck from `live`, what a fall is measured against, also for what is computed from the variable later.
# They stay in `assumptions`, which is what the result tells. `discard` voids a variable and all that was computed from
# it, but for what the same draft keeps. No verdict lifts what is void: there is nothing left to judge by.
#
# Each change is an event with its reason, so that a reader never has to guess which premise did it. Both directions
# are indexed (assumption → variables, variable → what was computed from it): a refuted premise costs what rests on it.

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from typing import Any

import msgspec

from replanctl.kinds import Health, Verdict
from replanctl.plan import size_of

CLEAN, STALE, VOID = Health


GOAL_CHANGED = "goal changed"


class HealthChange(msgspec.Struct, frozen=True, gc=False):
    """A variable's health changed; `because` names the refuted assumption, `goal changed`, `verdict` or a source."""

    step_id: str
    health: Health
    because: str
    verdict: Verdict | None = None


class Variable(msgspec.Struct, eq=False, gc=False):
    """One variable. `assumptions` are all it rests on, `live` those whose fall degrades it: a verdict settles what had
    fallen until then, also for what is computed from the variable later. `sources` are what it was computed from.

    `outdated`: made for an earlier goal; `tainted`: computed from a void one, or discarded. `size` is that of the value
    as JSON, in bytes, once somebody asked.
    """

    step_id: str
    value: Any
    version: str
    assumptions: tuple[str, ...] = ()
    live: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    health: Health = CLEAN
    because: str = ""
    verdict: Verdict | None = None
    outdated: bool = False
    tainted: bool = False
    size: int = 0


class Judged:
    """What health variables will have once a draft's verdicts are written."""

    def __init__(self, table: VariableTable, kept: Container[str], void: Container[str]) -> None:
        self._table, self._kept, self._void = table, kept, void

    def health(self, step_id: str) -> Health | None:
        """A variable's health; None where there is no such variable."""
        return CLEAN if step_id in self._kept else VOID if step_id in self._void else self._table.health(step_id)

    def is_clean(self, step_id: str) -> bool:
        """Whether a variable may be taken as it is."""
        return self.health(step_id) is CLEAN


class VariableTable:
    """Every variable of a session by the id of the step that made it, with the reverse indexes that health needs."""

    def __init__(self) -> None:
        self._variables: dict[str, Variable] = {}
        self._resting: dict[str, list[str]] = {}
        self._derived: dict[str, list[str]] = {}
        self.refuted: dict[str, None] = {}  # in the order they fell
        self.void: dict[str, None] = {}  # the steps whose variables are void

    def __iter__(self) -> Iterator[Variable]:
        return iter(self._variables.values())

    def __contains__(self, step_id: str) -> bool:
        return step_id in self._variables

    def __len__(self) -> int:
        return len(self._variables)

    def get(self, step_id: str) -> Variable | None:
        """The variable a step made, or None."""
        return self._variables.get(step_id)

    def health(self, step_id: str) -> Health | None:
        """A variable's health; None where there is no such variable."""
        variable = self._variables.get(step_id)
        return variable.health if variable is not None else None

    def size(self, step_id: str) -> int:
        """The bytes of a variable's value as JSON; those of null where there is no such variable."""
        if (variable := self._variables.get(step_id)) is None:
            return 4
        if not variable.size:
            variable.size = size_of(variable.value)
        return variable.size

    def because(self, step_id: str) -> str:
        """What a stale variable rests on that was refuted; `goal changed` where it is nothing of the kind."""
        live = self._variables[step_id].live
        return ", ".join(name for name in live if name in self.refuted) or GOAL_CHANGED

    def add(
        self,
        step_id: str,
        value: Any,
        version: str = "v1",
        assumes: Iterable[str] = (),
        sources: Iterable[str] = (),
        *,
        outdated: bool = False,
    ) -> Variable:
        """Record what a step produced; it is born degraded where what it rests on has already fallen, or where it is
        `outdated`: made for an earlier goal."""
        if not assumes and not sources and not outdated:
            variable = self._variables[step_id] = Variable(step_id, value, version)
            return variable
        read = [self._variables[source] for source in sources if source in self._variables]
        names, live = dict.fromkeys(assumes), dict.fromkeys(assumes)
        for source in read:
            names.update(dict.fromkeys(source.assumptions))
            live.update(dict.fromkeys(source.live))
            self._derived.setdefault(source.step_id, []).append(step_id)
        inherited = tuple(source.step_id for source in read)
        variable = Variable(step_id, value, version, tuple(names), tuple(live), inherited)
        self._variables[step_id] = variable
        for name in live:
            self._resting.setdefault(name, []).append(step_id)
        variable.tainted, variable.outdated = any(source.health is VOID for source in read), outdated
        because = next((name for name in live if name in self.refuted), "goal changed" if outdated else "")
        self._reconsider(variable, because)
        return variable

    def take(self, step_id: str, like: Variable, version: str) -> Variable:
        """The same result again for another step: it rests on what that one rests on, and has its health."""
        variable = Variable(
            step_id, like.value, version, like.assumptions, like.live, like.sources, like.health, like.because,
            outdated=like.outdated, tainted=like.tainted,
        )  # fmt: skip
        self._variables[step_id] = variable
        for name in like.live:
            self._resting.setdefault(name, []).append(step_id)
        for source in like.sources:
            self._derived.setdefault(source, []).append(step_id)
        return variable

    def would_be_void(self, assumes: Iterable[str], sources: Iterable[str]) -> bool:
        """Whether what rests on these would be void from the start."""
        read = [self._variables[source] for source in sources if source in self._variables]
        live = {*assumes, *(name for source in read for name in source.live)}
        return any(source.health is VOID for source in read) or bool(live and live <= self.refuted.keys())

    def refute(self, assumptions: Iterable[str]) -> list[HealthChange]:
        """These assumptions do not hold, from now on; returns the variables this degrades."""
        fallen = [name for name in dict.fromkeys(assumptions) if name not in self.refuted]
        self.refuted.update(dict.fromkeys(fallen))
        because: dict[str, str] = {}  # each variable is looked at once, with all of them fallen
        for name in fallen:
            for step_id in self._resting.get(name, ()):
                because.setdefault(step_id, name)
        changes: list[HealthChange] = []
        for step_id, name in because.items():
            self._changed(self._variables[step_id], name, changes)
        return changes

    def resting_on(self, assumptions: Iterable[str]) -> list[str]:
        """The steps whose variables rest on one of these assumptions, directly or through what they were made from."""
        asked = dict.fromkeys(assumptions)
        resting = dict.fromkeys(step_id for name in asked for step_id in self._resting.get(name, ()))
        return [step_id for step_id in resting if not asked.keys().isdisjoint(self._variables[step_id].live)]

    def only_outdated(self) -> list[str]:
        """The steps whose variables are stale because the goal changed, and for nothing else."""
        stale = (variable for variable in self._variables.values() if variable.health is STALE and variable.outdated)
        return [v.step_id for v in stale if not any(name in self.refuted for name in v.live)]

    def goal_changed(self) -> list[HealthChange]:
        """The goal is another one: every clean variable becomes stale."""
        changes: list[HealthChange] = []
        for variable in self._variables.values():
            if variable.health is CLEAN:
                variable.outdated = True
                self._changed(variable, GOAL_CHANGED, changes)
        return changes

    def judge(self, verdicts: Mapping[str, Verdict]) -> list[HealthChange]:
        """Write a draft's verdicts back, by step id. On a void or unknown variable a verdict has no effect."""
        judged = {
            id_: verdict
            for id_, verdict in verdicts.items()
            if (health := self.health(id_)) is not None and health is not VOID
        }
        kept = {id_ for id_, verdict in judged.items() if verdict is not Verdict.DISCARD}
        changes: list[HealthChange] = []
        for id_, verdict in judged.items():
            self._judge_one(self._variables[id_], verdict, kept, changes)
        return changes

    def after(self, verdicts: Mapping[str, Verdict]) -> Judged:
        """The table as a draft's verdicts, by variable name (`E1`), will leave it; nothing is written."""
        if not verdicts:
            return Judged(self, (), ())
        judged = {n[1:]: Verdict(v) for n, v in verdicts.items() if self.health(n[1:]) not in (None, VOID)}
        kept = {id_ for id_, verdict in judged.items() if verdict is not Verdict.DISCARD}
        void = {id_ for id_ in judged if id_ not in kept}
        stack = list(void)
        while stack:
            found = {
                id_
                for id_ in self._derived.get(stack.pop(), ())
                if id_ not in kept and id_ not in void and self.health(id_) is not VOID
            }
            void |= found
            stack.extend(found)
        return Judged(self, kept, void)

    def _judge_one(self, variable: Variable, verdict: Verdict, kept: set[str], changes: list[HealthChange]) -> None:
        variable.verdict = verdict
        if verdict is Verdict.DISCARD:
            variable.tainted, variable.health, variable.because = True, VOID, "verdict"
            self.void[variable.step_id] = None
            changes.append(HealthChange(variable.step_id, VOID, "verdict", verdict))
            self._taint_derived(variable, changes, kept)
            return
        variable.live = tuple(name for name in variable.live if name not in self.refuted)
        variable.outdated = False
        variable.health, variable.because = CLEAN, "verdict"
        changes.append(HealthChange(variable.step_id, CLEAN, "verdict", verdict))

    def _changed(self, variable: Variable, because: str, changes: list[HealthChange]) -> None:
        before = variable.health
        self._reconsider(variable, because)
        if variable.health is not before:
            changes.append(HealthChange(variable.step_id, variable.health, because))
            if variable.health is VOID:
                self._taint_derived(variable, changes, set())

    def _reconsider(self, variable: Variable, because: str) -> None:
        fallen = sum(name in self.refuted for name in variable.live)
        if variable.tainted or (fallen and fallen == len(variable.live)):
            variable.health = VOID
            self.void[variable.step_id] = None
        elif fallen or variable.outdated:
            variable.health = STALE
        else:
            variable.health = CLEAN
        if variable.health is not CLEAN:
            variable.because = because or "computed from a void one"

    def _taint_derived(self, variable: Variable, changes: list[HealthChange], kept: set[str]) -> None:
        stack = list(reversed(self._derived.get(variable.step_id, ())))
        while stack:
            derived = self._variables[stack.pop()]
            if derived.health is VOID or derived.step_id in kept:
                continue
            derived.tainted, derived.health, derived.because = (
                True,
                VOID,
                f"computed from E{variable.step_id}",
            )
            self.void[derived.step_id] = None
            changes.append(HealthChange(derived.step_id, VOID, derived.because))
            stack.extend(reversed(self._derived.get(derived.step_id, ())))
