"""One session of a sweep: which it is, what is put before its script, and what is known of it afterwards."""

from __future__ import annotations

import msgspec

from replanctl.files import Rehearsal
from replanctl.host import session_of
from replanctl.lab.facts import Facts, facts_of
from replanctl.replan import Lesson, ScriptedReplanner
from replanctl.run import Interruption, Policy
from replanctl.script import Fault, ScriptedTools, with_faults

replace = msgspec.structs.replace


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


def run_trial(rehearsal: Rehearsal, trial: Trial) -> Facts:
    """Run one session and say what is known of it."""
    outcomes = with_faults(rehearsal.outcomes, trial.faults) if trial.faults else rehearsal.outcomes
    if trial.change is not None:
        rehearsal = replace(rehearsal, interruptions=(*rehearsal.interruptions, trial.change))
    script = ScriptedTools(outcomes)
    planner = ScriptedReplanner(rehearsal.planner) if rehearsal.planner else None
    policy = trial.policy or rehearsal.policy
    session = session_of(rehearsal, policy, trial.lessons, tools=script, replanner=planner)
    fold, mine = facts_of(session.events()), len(trial.faults)
    used = script.used()
    return fold.facts(
        trial.key,
        planner=planner.used() if planner is not None else (),
        outcomes=tuple(number - mine for number in used if number >= mine),
        unlanded=tuple(str(one) for number, one in enumerate(trial.faults) if number not in used),
    )
