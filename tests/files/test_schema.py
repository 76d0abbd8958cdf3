"""The schemas of the files: they take what the loader takes and refuse what it refuses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from replanctl.errors import InputError
from replanctl.files import Role
from replanctl.files.reader import read
from replanctl.files.schema import file_schema
from tests.files.case import rehearse

EXAMPLES = sorted((Path(__file__).parents[2] / "plans").rglob("*.yaml"))
SCHEMAS = {role: Draft202012Validator(file_schema(role)) for role in Role}

# What stands below `goal: g` in plan files.
STEP = "steps: [{id: 1, tool: t}]\n"
RIGHT = {
    "the least there is": STEP,
    "ids as numbers and texts": "steps: [{id: 1, tool: t}, {id: b-2, tool: t, depends_on: [1]}]\n",
    "one dependency": "steps: [{id: 1, tool: t}, {id: 2, tool: t, depends_on: 1}]\n",
    "every key of a step": """\
steps:
  - {id: 1, action: a, tool: t, args: {x: [1, {}]}, expected_outcome: o, depends_on: [], produces: {a: list, b: "int?"},
     assumes: [p], on_failure: skip, alternatives: [{tool: u}, {args: {}}, {action: b}], granularity: tail}
""",
    "nulls": "steps: [{id: 1, tool: t, expected_outcome: ~, produces: ~, on_failure: ~, granularity: ~}]\n",
    "a contract under schema": "steps: [{id: 1, tool: t, produces: {schema: {type: array}}}]\n",
    "a field called schema": "steps: [{id: 1, tool: t, produces: {schema: str}}]\n",
    "tools": STEP
    + "tools: {t: {args: {type: object}, idempotent: false, fallback: u, timeout: 250ms}, u: {timeout: 3}}\n",
    "more fallbacks": STEP + "tools: {t: {fallback: [u, v], args: ~}, u: {}, v: {}}\n",
    "assumptions": STEP + "assumptions: {a: it is so, b: ~}\n",
    "shorthands": STEP + "outcomes: [{match: {}, returns: [rate_limited, ok, {status: ok, value: ~}]}]\n",
    "outcomes": STEP
    + """\
outcomes:
  - match: {step: 1, tool: t, args: {a: 1}, version: v2}
    returns: [{status: shape, message: "", latency: 1.5m, retry_after: 0, tokens: 3, refutes: [], cause: c}]
  - {match: {version: 2, step: ~}, returns: [{status: timeout, latency: ~}]}
  - {returns: [ok]}
""",
    "interruptions": STEP + "interruptions: [{goal: h, after: 1}, {goal: i, at: 12.5s, refutes: [a]}]\n",
    "a recording": STEP
    + "recorded: {source: a.json, kind: otel, id: x, end: failed, solved: ~, calls: 1, bound: 0, missing: [results]}\n",
    "no recording": STEP + "recorded: ~\n",
    "a planner": STEP
    + """\
planner:
  - when: {error: e, type: semantic, step: 1, granularity: tail, goal: ~}
    cause: c
    steps: [{id: 1, tool: t, replaces: 1}]
    verdicts: {E1: keep}
  - {steps: []}
  - otherwise: give_up
""",
    "a policy": STEP
    + """\
policy:
  mode: auto
  max_parallel: 2
  retry: {max_attempts: 1, backoff: 1s, factor: 1.5, max_backoff: 1h}
  routing:
    {patch_radius: 0, radius: direct, overrides: {"1": tail},
     rules: [{name: r, when: {error_type: semantic, step: 1, tool: t, min_radius: 1}, granularity: none}]}
  gates:
    {preset: anchored, per_step: ~, max_replans: 0, max_replan_tokens: 5, max_steps: ~, max_tool_calls: 1,
     max_seconds: 2m, max_repeat: 1}
  lessons: {max: ~, evict: by_type}
  solver: {require: [E1], min_evidence: 0}
  coefficients: {prompt: 1}
""",
    "an expectation": STEP + "expect: {reason: goal_met}\n",
}
WRONG = {
    "no steps": "tools: {}\n",
    "an empty list of steps": "steps: []\n",
    "steps that are no list": "steps: {id: 1, tool: t}\n",
    "an unknown section": STEP + "stepz: []\n",
    "an unknown key": "steps: [{id: 1, tool: t, arg: {}}]\n",
    "no id": "steps: [{tool: t}]\n",
    "no tool": "steps: [{id: 1}]\n",
    "an id that is none": "steps: [{id: a b, tool: t}]\n",
    "an id below zero": "steps: [{id: -1, tool: t}]\n",
    "an id that is true": "steps: [{id: true, tool: t}]\n",
    "an empty tool": "steps: [{id: 1, tool: ' '}]\n",
    "a tool that is a number": "steps: [{id: 1, tool: 3}]\n",
    "args that are a list": "steps: [{id: 1, tool: t, args: []}]\n",
    "no dependencies, as null": "steps: [{id: 1, tool: t, depends_on: ~}]\n",
    "a type of its own": "steps: [{id: 1, tool: t, produces: {a: text}}]\n",
    "a contract beside schema": "steps: [{id: 1, tool: t, produces: {schema: {}, a: str}}]\n",
    "an unknown way to fail": "steps: [{id: 1, tool: t, on_failure: retry}]\n",
    "a step of a plan that replaces": "steps: [{id: 1, tool: t, replaces: 1}]\n",
    "a duration without a unit": STEP + "tools: {t: {timeout: 3 seconds}}\n",
    "a duration below zero": STEP + "tools: {t: {timeout: -3}}\n",
    "a boolean as text": STEP + "tools: {t: {idempotent: yes}}\n",
    "a schema that is true": STEP + "tools: {t: {args: true}}\n",
    "nothing returned": STEP + "outcomes: [{returns: []}]\n",
    "an unknown status": STEP + "outcomes: [{returns: [fine]}]\n",
    "an entry without a status": STEP + "outcomes: [{returns: [{value: 1}]}]\n",
    "a version of none": STEP + "outcomes: [{match: {version: v0}, returns: [ok]}]\n",
    "neither after nor at": STEP + "interruptions: [{goal: h}]\n",
    "after and at": STEP + "interruptions: [{goal: h, after: 1, at: 1}]\n",
    "a rule and otherwise": STEP + "planner: [{steps: [], otherwise: give_up}]\n",
    "a rule without steps": STEP + "planner: [{cause: c}]\n",
    "a verdict on a step": STEP + "planner: [{steps: [], verdicts: {x: keep}}]\n",
    "an unknown verdict": STEP + "planner: [{steps: [], verdicts: {E1: maybe}}]\n",
    "a limit that is null": STEP + "policy: {gates: {max_replans: ~}}\n",
    "a limit below the least": STEP + "policy: {gates: {max_repeat: 0}}\n",
    "a limit as text": STEP + "policy: {gates: {max_steps: many}}\n",
    "an error type that is never routed": STEP
    + "policy: {routing: {rules: [{name: r, when: {error_type: goal-changed}, granularity: tail}]}}\n",
    "a rule without a name": STEP + "policy: {routing: {rules: [{granularity: tail}]}}\n",
    "an expectation that is a list": STEP + "expect: []\n",
}  # fmt: skip


def loads(text: str) -> bool:
    try:
        rehearse(text)
    except InputError:
        return False
    return True


def as_json(text: str) -> Any:
    return read("plan.yaml", text).value


@pytest.mark.parametrize("role", Role)
def test_a_schema_is_a_schema_and_says_what_it_is_of(role: Role) -> None:
    schema = file_schema(role)
    Draft202012Validator.check_schema(schema)
    assert list(schema)[:3] == ["$schema", "title", "description"]


@pytest.mark.parametrize("text", RIGHT.values(), ids=RIGHT)
def test_what_loads_is_valid(text: str) -> None:
    assert loads("goal: g\n" + text)
    assert [error.message for error in SCHEMAS[Role.PLAN].iter_errors(as_json("goal: g\n" + text))] == []


@pytest.mark.parametrize("text", WRONG.values(), ids=WRONG)
def test_what_does_not_load_is_not_valid(text: str) -> None:
    assert not loads("goal: g\n" + text)
    assert not SCHEMAS[Role.PLAN].is_valid(as_json("goal: g\n" + text))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_example_is_valid(path: Path) -> None:
    role = Role.OUTCOMES if path.stem.endswith(".outcomes") else Role.PLAN
    value = as_json(path.read_text(encoding="utf-8"))
    assert [error.message for error in SCHEMAS[role].iter_errors(value)] == []


@pytest.mark.parametrize(("role", "text", "valid"), [
    (Role.OUTCOMES, "outcomes: []", True), (Role.OUTCOMES, "interruptions: []\nexpect: {}", True),
    (Role.OUTCOMES, "{}", False), (Role.OUTCOMES, "policy: {}", False), (Role.OUTCOMES, "outcomes: {}", False),
    (Role.POLICY, "policy: {mode: rewoo}", True), (Role.POLICY, "policy: {mode: fast}", False),
    (Role.POLICY, "{}", False), (Role.POLICY, "policy: {}\noutcomes: []", False),
])  # fmt: skip
def test_the_other_files(role: Role, text: str, valid: bool) -> None:
    assert SCHEMAS[role].is_valid(as_json(text)) is valid


def test_what_a_key_means_is_said() -> None:
    properties = file_schema(Role.PLAN)["properties"]
    step = properties["steps"]["items"]
    assert step["description"] == "A step: what is done, by which tool, with which args, after which steps."
    assert properties["tools"]["additionalProperties"]["description"] == "What the plan knows of a tool."
    assert step["properties"]["depends_on"]["anyOf"][-1]["type"] == "array"
