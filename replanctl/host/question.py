"""What a planner command reads on standard input: one JSON object.

    {
      "goal": "…",                      the goal in the user's own words
      "granularity": "tail",            how deep to cut: patch, tail or global
      "version": "v2",                  the version to be replaced
      "goal_changed": false,            whether a changed goal is what is asked about, and not a failure
      "failure": {"step_id": "3", "error_type": "assumption", "error_msg": "…", "attempted": ["look: shape"],
                  "evidence": {"radius": 2}},
                                        null at a changed goal; after a bad draft its type is invalid_draft
      "done": [{"id": "1", "action": "…", "summary": "…", "health": "stale", "because": "public_pricing",
                "expected_outcome": "…"}],
                                        values are cut at 40 characters; of its variable, whether it may be read:
                                        clean, stale (with a verdict) or void (not at all)
      "remaining": [{"id": "3", "action": "…", "tool": "look", "args": {…}, "depends_on": ["1"],
                     "expected_outcome": "…"}],
                                        the steps to be replaced, as an answer may list them
      "lessons": ["v1 step 2 …"],
      "left": {"replans": 4, "replan_tokens": 19350, "steps": 7, "calls": null, "tokens": null, "seconds": null},
                                        what the limits still allow, this replan included; null is no limit
      "prompt": "Goal: …"               the same as the text a model would get
    }

It answers on standard output, in YAML or JSON: a list of steps, or {steps, cause, verdicts}. An empty list gives up;
`cause` is what it knows of why the step failed, and stands in the lesson.
"""

from __future__ import annotations

from typing import Any

import msgspec

from replanctl.kinds import Granularity, OnFailure
from replanctl.plan import Alternative, Step
from replanctl.replan import DoneStep, FailureSignal, Left, ReplanRequest, build_prompt
from replanctl.run import DIALECT, Said, Schema, described


class RemainingStep(msgspec.Struct, frozen=True, omit_defaults=True):
    """A step in the words of a plan file: all that a draft may say of one."""

    id: str
    action: str
    tool: str
    depends_on: tuple[str, ...]
    expected_outcome: str | None
    args: dict[str, Any] = {}
    produces: dict[str, Any] | None = None
    assumes: tuple[str, ...] = ()
    on_failure: OnFailure | None = None
    alternatives: tuple[Alternative, ...] = ()
    granularity: Granularity | None = None


class Question(msgspec.Struct, frozen=True):
    """One request to a planner command."""

    goal: str
    granularity: Granularity
    version: str
    goal_changed: bool
    failure: FailureSignal | None
    done: tuple[DoneStep, ...]
    remaining: tuple[RemainingStep, ...]
    lessons: tuple[str, ...]
    left: Left
    prompt: str


def question(request: ReplanRequest) -> Question:
    """The question that a request is."""
    return Question(
        request.goal,
        request.granularity,
        request.version,
        request.goal_changed,
        request.signal,
        tuple(request.done),
        tuple(map(_as_drafted, request.remaining)),
        request.lessons,
        request.left,
        build_prompt(request),
    )


def _as_drafted(step: Step) -> RemainingStep:
    said = {name: getattr(step, name) for name in RemainingStep.__struct_fields__}
    return RemainingStep(**{**said, "depends_on": step.depends_on or ()})


# What is particular to a question; all else is said of results and events in the same words.
_SAID: dict[str, Said] = {
    "Question": {
        "granularity": "How deep to cut: patch, tail or global.",
        "version": "The version that is to be replaced.",
        "goal_changed": "Whether a changed goal is what is asked about, and not a failure.",
        "failure": "The failure that is asked about; null at a changed goal.",
        "done": "The steps that are done, in list order.",
        "remaining": "The steps to be replaced, as an answer may list them.",
        "lessons": "What was learned so far, oldest first.",
        "left": "What the limits still allow, this replan included.",
        "prompt": "The same as the text that a model would get.",
    },
    "FailureSignal": {"error_type": "What kind of failure it is; `invalid_draft` after a draft that was refused."},
    "DoneStep": {
        "summary": "What the step came to, cut at 40 characters.",
        "health": "Whether its variable may be read: clean, stale (with a verdict) or void (not at all).",
        "because": "What a stale variable rests on that was refuted, or `goal changed`; else empty.",
    },
    "RemainingStep": {"granularity": "How deep a replan of this step must cut; null where the routing table decides."},
    "Alternative": {
        "tool": "The tool of this other way; null for the step's own.",
        "args": "The args of this other way; null for the step's own.",
        "action": "What this other way is called; null for the step's own action.",
    },
    "Left": {
        "replans": "How many replans are left, this one included; null is no limit.",
        "replan_tokens": "How many tokens replans may still take; null is no limit.",
        "steps": "How many executions are left; null is no limit.",
        "calls": "How many tool calls are left; null is no limit.",
        "tokens": "How many tokens may still be booked; null is no limit.",
        "seconds": "How many seconds of session time are left; null is no limit.",
    },
}


def question_schema() -> Schema:
    """What a planner command reads, as a JSON Schema."""
    (schema,), parts = msgspec.json.schema_components([Question], ref_template="#/$defs/{name}")
    head: Schema = {"$schema": DIALECT, "title": "A question of replanctl", "description": "What a planner is asked."}
    return head | schema | {"$defs": described(parts, _SAID)}
