"""One session of a sweep: which it is, what is put before its script, what is known of it, what a limit cost it.

A session that a gate stopped is run again with this gate lifted, and under the limits between. Exact, not estimated.
Below the limit that a session asks of a gate the gate refuses, and what it refuses ends the session; from there on
nothing is refused, and the session runs as without the limit. So the smallest that frees it is found by bisection over
real runs. `per_step` only takes a step away, after which a goal change may still save the session: its few limits are
tried one by one.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, floor

import msgspec

from replanctl.cost import CostModel
from replanctl.files import Rehearsal
from replanctl.host import session_of
from replanctl.kinds import GateName
from replanctl.lab.facts import Facts, Freed, InForce
from replanctl.lab.fold import facts_of
from replanctl.replan import GATE, GATES, GateRow, Lesson, ScriptedReplanner, Unit, resolve
from replanctl.run import Interruption, Policy
from replanctl.script import Fault, RuleBook, ScriptedTools, fault_rule

replace = msgspec.structs.replace


# A trial is small and plain, since it is sent to a worker together with its rehearsal, which is shared by all trials of
# a batch. Its key is what a table knows the session by: `fault` and `3=timeout:always`, a lane's name, a case's name.
# What differs from the rehearsal is put on top when it runs, and not into a rehearsal of its own: with one loaded plan
# for all sessions nothing is read or checked twice.
class Trial(msgspec.Struct, frozen=True, gc=False):
    """One session to run: which it is, the faults before the script, a goal change, the policy (None: its own).

    `lessons` are the book it begins with. One that is `judged` and stopped by a gate is run again with that gate alone
    lifted, and under the limits between.
    """

    key: tuple[str, ...]
    faults: tuple[Fault, ...] = ()
    change: Interruption | None = None
    policy: Policy | None = None
    lessons: tuple[Lesson, ...] = ()
    judged: bool = False


def run_trial(rehearsal: Rehearsal, trial: Trial, book: RuleBook | None = None) -> Facts:
    """Run one session and say what is known of it. `book` are the rehearsal's outcome rules, where they are filed."""
    script = ScriptedTools(book or rehearsal.outcomes, [*map(fault_rule, trial.faults)])
    if trial.change is not None:
        rehearsal = replace(rehearsal, interruptions=(*rehearsal.interruptions, trial.change))
    planner = ScriptedReplanner(rehearsal.planner) if rehearsal.planner else None
    policy = trial.policy or rehearsal.policy
    session = session_of(rehearsal, policy, trial.lessons, tools=script, replanner=planner)
    fold, mine = facts_of(session.events()), len(trial.faults)
    used = script.used()
    return fold.facts(
        trial.key,
        planner=planner.used() if planner is not None else (),
        # Faults stand before the script's own rules and are numbered with them; a rule keeps the number it has in its
        # file.
        outcomes=tuple(number - mine for number in used if number >= mine),
        unlanded=tuple(str(one) for number, one in enumerate(trial.faults) if number not in used),
    )


# A session that fails the same way for ever ends by the limit of replans alone where the policy lifts all others, which
# is why that one can't be lifted. So many replans more stand for it: one that needs them will never come to its goal.
MORE = 1_000
ONE_BY_ONE = 64  # limits that are tried one by one

Number = int | float


def judged(rehearsal: Rehearsal, trial: Trial, book: RuleBook | None = None) -> Facts:
    """The facts of a trial, with the smallest limit that frees it where a gate stopped it and one does."""
    policy = trial.policy or rehearsal.policy
    before = replace(run_trial(rehearsal, trial), limits=tuple(_limits(policy, len(rehearsal.plan.steps))))
    if before.stopped is None:
        return before
    # The gate that stopped it, alone: lifting all of them would say what the plan can do, and not what this limit cost.
    judge = _Judge(rehearsal, trial, book, GATE[before.stopped.gate])
    freed = judge.smallest(before.stopped.limit or 0, before)
    return replace(before, freed=freed, runs=1 + judge.runs)


def _limits(policy: Policy, steps: int) -> Iterator[InForce]:
    """What held for a session, gate by gate: some limits follow from the plan, and differ from case to case."""
    limits = resolve(policy.gates, steps, CostModel(policy.coefficients))
    return (InForce(row.name, getattr(limits, row.name), row.rule_under(policy.gates)) for row in GATES)


class _Judge:
    """Runs one session again and again with one gate set to other limits, and counts."""

    def __init__(self, rehearsal: Rehearsal, trial: Trial, book: RuleBook | None, row: GateRow) -> None:
        self._rehearsal, self._trial, self._book, self._row = rehearsal, trial, book, row
        self.runs = 0

    def smallest(self, low: Number, before: Facts) -> Freed | None:
        """The smallest limit above `low` under which it completes; None where it does not without one either."""
        # First without the limit: where that does not help either, no limit will, and the bisection need not begin.
        if not self._run(None if self._row.nullable else low + MORE).completed:
            return None
        high = self._one_that_frees(low)
        # Here the session may complete under a limit and not under a higher one, so that a bisection could step over
        # the first that frees it.
        if self._row.name is GateName.PER_STEP and high - low <= ONE_BY_ONE:
            low = next(limit for limit in range(int(low), int(high)) if self._run(limit + 1).completed)
            high = low + 1
        limit = self._between(low, high)
        # Run once more at the limit that was found: the last run of a bisection was on either side of it.
        after = self._run(limit)
        more = tuple(now - then for now, then in zip(after.spent, before.spent, strict=True))
        return Freed(limit, after.tokens - before.tokens, more)

    def _one_that_frees(self, low: Number) -> Number:
        """Twice as far from the limit that stopped it each time, until one lets it through."""
        step: Number = 1
        while not self._run(low + step).completed:
            step *= 2
        return low + step

    def _between(self, low: Number, high: Number) -> Number:
        """The smallest limit that frees it, between one that does not and one that does; seconds to the millisecond."""
        # In whole numbers: halving seconds would end beside the limit and never at it, and exactly at it is inside.
        unit = 1000 if self._row.unit is Unit.SECONDS else 1
        below, above = floor(low * unit), ceil(high * unit)
        while above - below > 1:
            middle = (below + above) // 2
            if self._run(middle / unit if unit > 1 else middle).completed:
                above = middle
            else:
                below = middle
        return above / unit if unit > 1 else above

    def _run(self, limit: Number | None) -> Facts:
        self.runs += 1
        policy = self._trial.policy or self._rehearsal.policy
        gates = replace(policy.gates, **{str(self._row.name): limit})
        return run_trial(self._rehearsal, replace(self._trial, policy=replace(policy, gates=gates)), self._book)
