"""What each field of a result and of an event holds, in a sentence: the help of their JSON Schemas.

A field that means the same wherever it stands is said once, in `ALIKE`; what is particular to a struct stands under its
name in `SAID` and comes first. `described` refuses a field that nothing is said of, so that none is forgotten.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# The sentences stand here and not on the structs: those are loaded by every run, these only where a schema is made.
# Python keeps no docstring of a field, so that they are data.
Said = Mapping[str, str]

ALIKE: dict[str, str] = {
    "type": "What kind of event it is.",
    "seq": "The event's number in its session, from 0, without gaps.",
    "at": "The session's clock in seconds, from 0.",
    "version": "The version of the plan that was in force: `v1`, `v2` and so on.",
    "goal": "What the session is to come to, in the user's own words.",
    "step_id": "The id of the step that it is about; null where it is about none.",
    "id": "The step's id.",
    "action": "What the step is for, in a few words.",
    "tool": "The tool that was called, or that the step calls.",
    "args": "What the tool is called with.",
    "expected_outcome": "What should come out of the step, in words; null where nothing was said.",
    "depends_on": "The ids of the steps that must be done before.",
    "assumes": "The assumptions that the step rests on.",
    "replaces": "The id of the step that this one took the place of; null where it took none's.",
    "error_type": "What kind of failure it is; it decides the route.",
    "error_msg": "What was said of the failure, cut at 200 characters.",
    "attempted": "Every call that was made, in order, each as `tool: status`.",
    "evidence": "What the routing decision looked at: the radius, refuted assumptions, a reference and its state.",
    "rule": "The name of the routing rule that decided.",
    "radius": "How many open steps rest on the failure; null at a changed goal.",
    "granularity": "How deep the replan cuts: patch, tail or global; null where there was none.",
    "escalated_from": "What the table had said before the ladder made it deeper; null where it did not.",
    "cause": "Why it came to this: `start`, an error type and a step as in `assumption@3`, or `goal-changed`.",
    "parent": "The version that this one replaced; null for v1.",
    "removed": "The ids of the steps that left the plan, in list order.",
    "added": "The ids of the steps that are new, in list order.",
    "revised": "The ids of the steps with another action, tool or args, in list order.",
    "rewired": "The ids of the steps of which only the dependencies changed, in list order.",
    "from": "The version before.",
    "to": "The version behind.",
    "gate": "The gate that was asked.",
    "limit": "The gate's limit; null is none.",
    "reading": "What the gate read, to be compared with its limit.",
    "admitted": "Whether the gate let it pass.",
    "value": "What the step came to.",
    "health": "Whether the variable may still be used: clean, stale or void.",
    "verdict": "What a draft said of the variable: keep, convert or discard; null where none did.",
    "assumptions": "The assumptions that the step's variable rests on, those of what it was computed from included.",
    "text": "The lesson as a planner is told it.",
    "count": "How often the same was learned.",
    "kind": "What the tokens were booked for.",
    "estimated": "The tokens that were expected.",
    "booked": "The tokens that were booked.",
    "blocked_by": "The ids of the dependencies for lack of which the step was not run.",
    "status": "How the call ended.",
    "latency": "How long the call took, in seconds on the session's clock.",
    "reason": "Why the session ended.",
    "detail": "How the session ended, in words.",
    "seconds": "How long the session took on its own clock, in seconds.",
    "warnings": "What is doubtful and stops nothing, as texts.",
    "verdicts": "What the draft says of variables that are in doubt, by name.",
    "message": "What the tool said of it.",
    "attempt": "The number of the attempt that is made now, from 1 for each tool.",
    "failed": "How the attempt before this one ended.",
    "state": "Where the step stands.",
    "refutes": "The assumptions that it has shown to be wrong.",
    "on_failure": "What becomes of the step's failure; null where the plan says nothing.",
    "produces": "The contract that each result is held to; null where there is none.",
    "alternatives": "Other ways to do the step, in order.",
    "lessons": "The book of lessons, oldest first.",
    "gaps": "The steps that went without a result, in list order.",
}

_RESULT: dict[str, Said] = {
    "SessionResult": {
        "schema_version": "Which shape the document has; another number is another shape.",
        "run": "The run's number in the store; null for one that was not stored.",
        "status": "Whether the session came to its goal.",
        "versions": "Every version of the plan, whole, in order.",
        "history": "Every execution in the order in which they ended, and every step that was skipped.",
        "revisions": "What each version but the first changed.",
        "signals": "Every failure, in order.",
        "routes": "Every decision how deep to cut, in order.",
        "gates": "Every check of a gate at a replan, and the one that stopped the session.",
        "variables": "What steps produced, by the variable's name: `E3` is what step 3 did.",
        "ledger": "Every booking in tokens, and their sums.",
        "effects": "The calls that took effect, of tools that act on the world, and of others from the second time on.",
        "handover": "What a person needs to go on; null for a session that came to its goal.",
    },
    "VersionView": {
        "version": "The version's name: `v1`, `v2` and so on.",
        "rule": "The routing rule that led to this version; null for v1.",
        "steps": "The steps of the version, in list order.",
    },
    "StepView": {"state": "Where the step stood when the version ended."},
    "ExecutionView": {
        "seq": "The number of the event with which it ended.",
        "args": "What the tool was called with, references read.",
        "status": "How the execution ended: done, failed or skipped.",
        "result": "What the step came to; null where it failed or was skipped.",
        "error": "Why it failed; null where it did not.",
        "attempts": "Every call it took, in order, retries and fallbacks included.",
        "started": "When it began, in seconds on the session's clock.",
        "ended": "When it ended, in seconds on the session's clock.",
    },
    "SignalView": {"version": "The version that the step failed in."},
    "RouteView": {"version": "The version that the decision was made in."},
    "VariableView": {
        "step_id": "The step that produced it.",
        "version": "The version that it was produced in.",
    },
    "LessonView": {
        "version": "The version that it was learned in first.",
        "step_id": "The step it was learned from first; null at a changed goal.",
        "error_type": "The type of the failure it was learned from.",
    },
    "LedgerView": {"lines": "Every booking, in order.", "totals": "The sums of all bookings."},
    "LedgerTotals": {
        "main": "Tokens of the main flow: planning v1, and first executions.",
        "remedy": "Tokens of all else: retries, replans, work done again, the Solver.",
        "all": "All tokens.",
        "ratio": "Remedy as a share of the main flow.",
    },
    "EffectView": {
        "args": "What the tool was called with, references read.",
        "step_id": "The step that made the call for the first time.",
        "version": "The version in which the call was made for the first time.",
        "times": "How often the same call took effect.",
    },
    "HandOver": {
        "gate": "The check that stopped the session; null where no gate did.",
        "clean_results": "The results that still hold, by variable.",
        "open": "The ids of the steps of the last version that were never run.",
        "trajectory": "A line for each execution, skipped step and new version, in order.",
        "next": "What a person could do next, as commands.",
    },
}

_EVENTS: dict[str, Said] = {
    "SessionStart": {
        "mode": "What failures do in this session.",
        "limits": "The limits in force, by gate; null is no limit.",
        "coefficients": "What each part of a prompt and each call takes, in tokens.",
        "assumptions": "The names of the plan's assumptions.",
        "lessons": "The book that the session begins with.",
        "once_only": "The tools that act on the world, so that a call of theirs is made once.",
    },
    "Lesson": {"version": "The version that it was learned in first.", "error_type": "The type of the failure."},
    "PlanCommit": {
        "rule": "The routing rule that led to this version; null for v1.",
        "version": "The version that is in force from now on.",
        "steps": "The steps that are new or revised, in the draft's order; for v1 all of them.",
        "amended": "The steps that stay, and of which only dependencies, references or premises changed.",
        "total": "How many steps the version has.",
        "refuted": "The assumptions that were refuted by then.",
    },
    "Step": {
        "args": "What the tool is called with, references as they are written.",
        "granularity": "How deep a replan of this step must cut; null where the routing table decides.",
        "gaps": "The steps of which nothing will come any more, so that references to them were mended away.",
        "required": "Whether no draft may drop the step.",
        "again": "Whether its call is meant to be made once more, although its tool acts only once.",
        "result": "Of no meaning here: null.",
        "error": "Of no meaning here: null.",
    },
    "Alternative": {
        "tool": "The tool of this other way; null for the step's own.",
        "args": "The args of this other way; null for the step's own.",
        "action": "What this other way is called; null for the step's own action.",
    },
    "StepStart": {"args": "What the tool is called with, references read."},
    "StepRetry": {"wait": "The seconds that were waited before this attempt, on the session's clock."},
    "StepFallback": {"instead_of": "The tool whose attempts are spent."},
    "StepEnd": {
        "state": "How it ended: done, failed or skipped.",
        "status": "How the last attempt ended; `skipped`, or the error type, where no call was made.",
        "started": "When the execution began, in seconds on the session's clock.",
        "error": "Why it failed; null where it did not.",
        "attempts": "Every call it took, in order, retries and fallbacks included.",
        "again": "Whether the step, or one it stands for, had made a call before.",
        "gap": "Whether the failure became a gap that the plan goes on without.",
    },
    "Attempt": {
        "tokens": "The tokens that were booked for the call.",
        "acted": "Whether the call took effect, as far as the tool says, heard or not.",
    },
    "StepSettled": {
        "call": "Which of the step's calls in doubt it was, from 1.",
        "began": "The number of the event with which that call began.",
        "how": "What the person said: done, again or skip.",
        "stands": "Whether the step still is where that call had left it, so that it is settled too.",
        "value": "The answer that the person gave; null unless it is done.",
    },
    "Signal": {"cause": "Why it failed, as the outcome said; empty where it said nothing."},
    "LessonLearned": {
        "evicted": "The lesson that had to go; null where there was room.",
        "learned_in": "The version that it was learned in first.",
        "cause": "What the lesson says of why it failed.",
    },
    "PlanDraft": {
        "replanner": "Who answered: `template`, `scripted`, a `command` or a `planner` in Python.",
        "steps": "The steps of the draft, under the ids that they will have.",
        "mapping": "The ids that were given to the draft's own names.",
        "error": "What went wrong when the planner was asked; null where nothing did.",
    },
    "PlanRejected": {
        "reasons": "Every reason why the draft was refused.",
        "handed_over": "Whether a person has to settle what stands against it, so that the step is left to them.",
    },
    "GoalChanged": {
        "goal": "The goal from now on.",
        "previous": "The goal before.",
        "accepted": "Whether it changed anything; where not, the warnings say why.",
    },
    "VariableHealth": {
        "name": "The variable's name.",
        "because": "What it rests on that was refuted, or that the goal changed.",
    },
    "SolverCalled": {
        "evidence": "The ids of the steps whose results the Solver was given.",
        "gaps": "The ids of the steps that have none.",
        "missing": "The variables that it must have and has not.",
        "answered": "Whether it could answer.",
    },
    "Ledger": {"step_id": "The step that the replan was for; null where it was for none."},
    "SessionComplete": {
        "status": "Whether the session came to its goal.",
        "gate": "The gate that stopped the session; null where none did.",
    },
}

SAID: dict[str, Said] = {**_RESULT, **_EVENTS}


def described(parts: dict[str, Any], said: Mapping[str, Said], alike: Said = ALIKE) -> dict[str, Any]:
    """The parts of a schema with what is said of each property in them; they are changed in place.

    Raises KeyError for a property that nothing is said of.
    """
    for struct, part in parts.items():
        own = said.get(struct, {})
        for name, schema in part.get("properties", {}).items():
            part["properties"][name] = {"description": own.get(name) or alike[name], **schema}
    return parts
