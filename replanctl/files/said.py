"""What each key of a file is for, in a sentence: the help that an editor shows, and that `explain` gives.

The keys are named by their path, without the items of lists and the names that a mapping is free in. A scenario holds
sections of the plan, and a draft steps: what is said of those is said of their copies too.
"""

from __future__ import annotations

from typing import Any

from replanctl.replan import GATES
from replanctl.run import Schema

_TIME = " A number of seconds, or a text like `250ms`, `30s`, `2m`, `1h`."

_TOP = {
    "goal": "What the session is to come to, in the user's own words.",
    "assumptions": "Named premises that steps may rest on, each with what it says. When this is given, steps and "
    "outcomes may name no others.",
    "tools": "What is known of each tool, by its name. When this is given, steps may use no others.",
    "steps": "The steps that lead to the goal, in their order; each says what it depends on.",
    "policy": "How the session is run: retries, routing, gates, lessons, mode.",
    "planner": "A scripted replanner: its rules are tried in order, and the first that matches answers.",
    "outcomes": "What each tool call returns. The first rule that matches a call answers it; a call that none matches "
    "succeeds.",
    "interruptions": "Changes of the goal while the plan runs.",
    "scenarios": "Several scripts for the same plan, by name; `run --scenario NAME` runs one.",
    "expect": "What must come out: a part of the result document. It makes the plan a test.",
    "recorded": "Where an imported rehearsal came from, and how the recording ended. `import` writes it.",
    "plan": "The plan that this file of outcomes belongs to, as a path from here.",
}

_TOOL = {
    "tools.args": "A JSON Schema for the tool's args. A call that does not fit it fails before it is made.",
    "tools.idempotent": "Whether the same call may be made twice. `false` says that the tool acts on the world: a call "
    "that acted, or may have, is not made again.",
    "tools.fallback": "The tools that get the same call, in this order, once this one's attempts are spent.",
    "tools.timeout": "How long an answer may take, 30s where it is left out. A later one counts as no answer." + _TIME,
}

_STEP = {
    "steps.id": "The step's name: letters, digits, `_` and `-`, or a whole number. Its result is read as `#E` and the "
    "id.",
    "steps.tool": "The tool that the step calls.",
    "steps.action": "What the step is for, in a few words; the tool's name where it is left out.",
    "steps.args": "What the tool is called with. A text may hold references to earlier results: `#E1`, `#E2.rows`.",
    "steps.expected_outcome": "What should come out, in words. It goes into lessons and into what a planner is asked.",
    "steps.depends_on": "The ids of the steps that must be done before. Left out it is the step above this one; `[]` "
    "is none.",
    "steps.produces": "The contract that each result is held to: fields with their types, or a JSON Schema under "
    "`schema`.",
    "steps.produces.schema": "A JSON Schema that each result has to keep, instead of fields with types.",
    "steps.assumes": "The assumptions that the step rests on. Where one of them is refuted, the step's result is in "
    "doubt.",
    "steps.on_failure": "What becomes of a failure once retries and fallbacks are spent; `replan` where it is "
    "left out.",
    "steps.alternatives": "Other ways to do the step, in order. A replan takes the next one that was not tried.",
    "steps.alternatives.tool": "The tool of this other way; the step's own where it is left out.",
    "steps.alternatives.args": "The args of this other way; the step's own where they are left out.",
    "steps.alternatives.action": "What this other way is called in the plan; the step's own action where it is left "
    "out.",
    "steps.granularity": "How deep a replan of this step cuts, whatever the routing table would say.",
    "steps.required": "`true` means that no draft may drop the step, and that it must have been done at the end.",
    "steps.again": "`true` means that the call is meant to be made once more, although its tool acts only once.",
    "steps.replaces": "The step of the old plan that this step of a draft stands for.",
}

_OUTCOMES = {
    "outcomes.match": "Which calls the rule answers. What is left out matches everything.",
    "outcomes.match.step": "Only calls of this step, and of the steps that take its place.",
    "outcomes.match.tool": "Only calls of this tool.",
    "outcomes.match.args": "Only calls whose args hold these, once their references are read.",
    "outcomes.match.version": "Only calls in this version of the plan: `v2` or `2`.",
    "outcomes.returns": "What comes back, one entry for each attempt; the last one repeats.",
    "outcomes.returns.status": "How the call ends. Only this decides what kind of failure it is.",
    "outcomes.returns.value": "What the tool answers. An `ok` without it gets a small value that keeps the contract.",
    "outcomes.returns.message": "What the tool says of a failure. It is shown, and cut at 200 characters.",
    "outcomes.returns.latency": "How long the call takes: 1s where it is left out, and the tool's own timeout for a "
    "`timeout`." + _TIME,
    "outcomes.returns.retry_after": "How long to wait before the next attempt, instead of the policy's backoff."
    + _TIME,
    "outcomes.returns.tokens": "What the call really took in tokens, instead of the coefficient.",
    "outcomes.returns.refutes": "The assumptions that a failure has shown to be wrong.",
    "outcomes.returns.cause": "Why it failed, as somebody knows who looked into it. It goes into the lesson.",
    "interruptions.goal": "The goal from then on.",
    "interruptions.after": "The step after which the goal changes, however it ended.",
    "interruptions.at": "The time on the session's clock at which the goal changes." + _TIME,
    "interruptions.refutes": "The assumptions that the change has shown to be wrong.",
}

_PLANNER = {
    "planner.when": "Which failures, or which new goals, the rule answers. What is left out matches everything.",
    "planner.when.error": "A text that the failure's message must contain, in capitals or not.",
    "planner.when.type": "Only failures of this error type.",
    "planner.when.step": "Only failures of this step, and of the steps that take its place.",
    "planner.when.granularity": "Only replans that cut this deep.",
    "planner.when.goal": "A text that the new goal must contain; such a rule answers changes of the goal only.",
    "planner.steps": "The plan from here on. Steps that are done need not be listed; an empty list gives up.",
    "planner.verdicts": "What the draft says of variables that are in doubt, by name.",
    "planner.cause": "Why the step failed, as the planner sees it. It goes into the lesson.",
    "planner.otherwise": "What to do where no rule before this one matched.",
}

_POLICY = {
    "policy.mode": "What failures do: replan, become gaps, or what each step says.",
    "policy.max_parallel": "How many steps may run side by side on the session's clock; 1 where it is left out.",
    "policy.retry": "How often a call without an answer is tried again, and how long to wait between.",
    "policy.retry.max_attempts": "How many attempts a tool gets in all, the first included; 3 where it is left out.",
    "policy.retry.backoff": "The wait before the second attempt; 1s where it is left out." + _TIME,
    "policy.retry.factor": "By how much each further wait is longer than the one before; 2 where it is left out.",
    "policy.retry.max_backoff": "The longest wait there is; 60s where it is left out." + _TIME,
    "policy.routing": "How deep a failure cuts into the plan.",
    "policy.routing.patch_radius": "Up to how many steps may rest on a failure for a patch to be enough; 1 where it is "
    "left out.",
    "policy.routing.radius": "Whether the radius counts all that rests on a failure, or its direct dependents only.",
    "policy.routing.overrides": "The depth for a step and for whatever takes its place, by the step's id.",
    "policy.routing.rules": "Rules of your own, asked in order before the built-in ones.",
    "policy.routing.rules.name": "What the rule is called on screens and in results.",
    "policy.routing.rules.when": "Which failures the rule is for. What is left out matches everything.",
    "policy.routing.rules.when.error_type": "Only failures of this type.",
    "policy.routing.rules.when.step": "Only failures of this step, or of a step that took its place.",
    "policy.routing.rules.when.tool": "Only failures of steps with this tool.",
    "policy.routing.rules.when.min_radius": "Only failures on which at least so many steps rest.",
    "policy.routing.rules.when.max_radius": "Only failures on which at most so many steps rest.",
    "policy.routing.rules.granularity": "How deep the rule cuts; `none` hands over to a person.",
    "policy.gates": "Hard limits. `null` is no limit, and 0 allows none.",
    "policy.gates.preset": "A named set of limits for those that are left out; with `anchored` they grow with the "
    "plan.",
    "policy.lessons": "The book of lessons that is carried into later replans.",
    "policy.lessons.max": "How many lessons the book holds; 5 where it is left out, and `null` holds them all.",
    "policy.lessons.evict": "Which lesson goes when the book is full.",
    "policy.solver": "What the Solver must have to answer the goal.",
    "policy.solver.require": "The variables without which there is no answer, by name: `[E1]`.",
    "policy.solver.min_evidence": "How many steps must be done for an answer; 1 where it is left out.",
    "policy.coefficients": "What each part of a prompt and each call takes in tokens.",
    "policy.coefficients.prompt": "Tokens for the fixed part of every prompt.",
    "policy.coefficients.goal": "Tokens for the goal in a prompt.",
    "policy.coefficients.done_line": "Tokens for each step in a prompt that is done.",
    "policy.coefficients.failure": "Tokens for the failure in a prompt, and for each gap the Solver is given.",
    "policy.coefficients.lesson": "Tokens for each lesson in a prompt.",
    "policy.coefficients.step": "Tokens for each step in a prompt that is to be planned.",
    "policy.coefficients.execution": "Tokens for a step's first call.",
    "policy.coefficients.retry": "Tokens for each further attempt of a step.",
    # What a gate counts and when it stops a session is said once, in its row.
    **{f"policy.gates.{row.name}": f"{row.help} Beyond the limit the session ends as `{row.reason}`." for row in GATES},
}

_RECORDED = {
    "recorded.source": "The file that the recording was read from.",
    "recorded.kind": "What kind of recording it was: `otel`, `messages`, `langsmith` and so on.",
    "recorded.id": "The recorded run's own id.",
    "recorded.end": "How the recorded run ended, as far as the recording says.",
    "recorded.solved": "Whether the recorded run solved its task, as far as the recording says.",
    "recorded.calls": "How many tool calls the recording holds.",
    "recorded.bound": "How many values of args were found in earlier results and became references.",
    "recorded.missing": "What the recording did not hold.",
}

SAID = {**_TOP, **_TOOL, **_STEP, **_OUTCOMES, **_PLANNER, **_POLICY, **_RECORDED}


def describe(schema: Schema, path: str = "") -> Schema:
    """The schema with what is said of every property in it; it is changed in place. Raises KeyError for one that
    nothing is said of."""
    for name, part in schema.get("properties", {}).items():
        inner = f"{path}.{name}" if path else name
        schema["properties"][name] = {"description": SAID[_own(inner)], **_without_description(describe(part, inner))}
    for below in (schema.get("items"), schema.get("additionalProperties"), *schema.get("anyOf", ())):
        if isinstance(below, dict):
            describe(below, path)
    return schema


def _own(path: str) -> str:
    """The path under which something is said of a key: a scenario's and a draft's keys are those of the plan."""
    return path.removeprefix("scenarios.").replace("planner.steps.", "steps.")


def _without_description(schema: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in schema.items() if key != "description"}
