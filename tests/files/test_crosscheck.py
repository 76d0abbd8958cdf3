"""Sections held against each other: script and contracts, limits and plan, args and schemas."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replanctl.files import check_plan
from tests.files.case import found, problems
from tests.pace import seconds_of

PLAN = "goal: g\nsteps:\n- {id: 1, tool: t}\n- {id: 2, tool: t}\n- {id: 3, tool: t}\n"

LIMITS: list[tuple[str, list[str]]] = [  # gates, and what is said of them
    ("max_steps: 2", ["max_steps is 2, and the plan has 3 steps"]),
    ("max_steps: 0", ["max_steps is 0, and the plan has 3 steps"]),
    ("max_tool_calls: 2", ["max_tool_calls is 2, and the plan makes 3 calls"]),
    ("max_steps: 3, max_tool_calls: 3", []),
    ("max_steps: null, max_tool_calls: null", []),
    ("max_replans: 0", []),
]


@pytest.mark.parametrize(("gates", "said"), LIMITS)
def test_limits_that_the_plan_itself_cant_keep(gates: str, said: list[str]) -> None:
    told = problems(f"{PLAN}policy: {{gates: {{{gates}}}}}\n")
    assert [problem.message for problem in told] == said
    assert {(problem.rule, problem.severity, problem.line) for problem in told} <= {("limit-too-small", "warning", 6)}


def test_limits_of_a_policy_file_are_told_there() -> None:
    (told,) = problems(PLAN, policy="policy:\n  gates:\n    max_steps: 1\n")
    assert (told.file, told.rule, told.line, told.column) == ("policy.yaml", "limit-too-small", 3, 16)


TOOLS = (
    "goal: g\ntools:\n  t: {args: {type: object, required: [q], properties: {q: {type: string}}}}\n  u: {}\n"
    "steps:\n- {id: 1, tool: u}\n"
)
ARGS: list[tuple[str, list[tuple[str, int, int]]]] = [
    ("{id: 2, tool: t, args: {q: a}}", []),
    ("{id: 2, tool: t, args: {q: 1}}", [("args-mismatch", 7, 26)]),
    ("{id: 2, tool: t}", [("args-mismatch", 7, 3)]),
    ("{id: 2, tool: t, args: {p: '#E1'}}", []),
    ("{id: 2, tool: u, args: {q: 1}}", []),
    ("{id: 2, tool: u, alternatives: [{tool: t, args: {q: 1}}]}", [("args-mismatch", 7, 51)]),
]


@pytest.mark.parametrize(("step", "expected"), ARGS)
def test_args_that_the_schema_of_their_tool_refuses(
    step: str, expected: list[tuple[str, int, int]], tmp_path: Path
) -> None:
    path = tmp_path / "plan.yaml"
    path.write_text(f"{TOOLS}- {step}\n", encoding="utf-8")
    told = check_plan(path)
    assert [(problem.rule, problem.line, problem.column) for problem in told] == expected
    assert {problem.severity for problem in told} <= {"warning"}
    assert found(f"{TOOLS}- {step}\n") == []  # a run finds out by itself


# -- values that contracts need ----------------------------------------------------------------------------------------


def with_rules(steps: list[str], rules: list[str]) -> str:
    """A plan whose steps are under a JSON Schema, and these rules."""
    schema = "produces: {schema: {type: object}}, depends_on: []"
    lines = [f"- {{id: {id_}, {step}, {schema}}}\n" for id_, step in enumerate(steps, 1)]
    return "".join(["goal: g\nsteps:\n", *lines, "outcomes:\n", *(f"- {rule}\n" for rule in rules)])


BARE, FULL = "returns: [ok]", "returns: [{status: ok, value: {}}]"
VALUES: list[tuple[list[str], list[str], list[int]]] = [  # steps, rules, the rules that need a value
    (["tool: t, args: {q: a}"], [f"{{match: {{args: {{q: a}}}}, {BARE}}}"], [0]),
    (["tool: t, args: {q: b}"], [f"{{match: {{args: {{q: a}}}}, {BARE}}}"], []),
    (["tool: t, args: {q: '#E1'}"], [f"{{match: {{args: {{q: a}}}}, {BARE}}}"], [0]),
    (["tool: t, args: {q: '#E1', r: b}"], [f"{{match: {{args: {{q: a, r: c}}}}, {BARE}}}"], []),
    (["tool: t, args: {q: '#E1'}"], [f"{{match: {{args: {{q: {{x: 1}}}}}}, {BARE}}}"], [0]),
    (["tool: t, args: {q: {x: 1, y: 2}}"], [f"{{match: {{args: {{q: {{x: 1.0}}}}}}, {BARE}}}"], [0]),
    (["tool: t, args: {q: true}"], [f"{{match: {{args: {{q: 1}}}}, {BARE}}}"], []),
    (["tool: t, args: {q: [1, '#E1']}"], [f"{{match: {{args: {{q: [1, 2]}}}}, {BARE}}}"], [0]),
    (["tool: t, args: {q: [1, 3]}"], [f"{{match: {{args: {{q: [1, 2]}}}}, {BARE}}}"], []),
    (["tool: t, args: {q: a}"], [f"{{match: {{tool: u, args: {{q: a}}}}, {BARE}}}"], []),
    (["tool: t, args: {q: a}"], [f"{{{FULL}}}", f"{{match: {{args: {{q: a}}}}, {BARE}}}"], []),
    (["tool: t, args: {q: a}"], [f"{{match: {{version: 2}}, {FULL}}}", f"{{{BARE}}}"], [1]),
    (["tool: t, args: {q: a}"], [f"{{match: {{args: {{}}}}, {BARE}}}"], [0]),
    (["tool: t, args: {q: {}}"], [f"{{match: {{args: {{q: {{}}}}}}, {BARE}}}"], [0]),
    (["tool: t"], [f"{{match: {{tool: t}}, {FULL}}}", f"{{{BARE}}}"], []),
    (["tool: t"], [f"{{match: {{step: 1}}, {BARE}}}", f"{{match: {{step: 2}}, {BARE}}}"], [0]),
    (["tool: t, alternatives: [{args: {q: b}}]"], [f"{{match: {{args: {{q: b}}}}, {BARE}}}"], [0]),
]


def needing(text: str) -> set[int]:
    """The rules that are told to need a value."""
    lines = text.splitlines()
    first = lines.index("outcomes:") + 2
    return {problem.line - first for problem in problems(text) if problem.rule == "value-required"}


@pytest.mark.parametrize(("steps", "rules", "expected"), VALUES)
def test_an_ok_needs_a_value_where_it_may_answer(steps: list[str], rules: list[str], expected: list[int]) -> None:
    assert needing(with_rules(steps, rules)) == set(expected)


_args = st.dictionaries(
    st.sampled_from("qr"), st.sampled_from(["1", "a", "'#E1'", "{x: 1}", "[1]", "true"]), max_size=2
)


def _flow(args: dict[str, str]) -> str:
    return "{" + ", ".join(f"{key}: {value}" for key, value in args.items()) + "}"


_rule = st.tuples(st.none() | _args, st.none() | st.sampled_from("tu"), st.booleans(), st.booleans())


def _rule_text(rule: tuple[Any, ...]) -> str:
    args, tool, version, bare = rule
    match = [f"args: {_flow(args).replace('#E1', 'z')}"] if args is not None else []
    match += [f"tool: {tool}"] if tool else []
    match += ["version: 2"] if version else []
    return f"{{match: {{{', '.join(match)}}}, {BARE if bare else FULL}}}"


@settings(max_examples=150, deadline=None)
@given(step=_args, rules=st.lists(_rule, min_size=1, max_size=5))
def test_what_is_looked_up_is_what_a_look_at_every_rule_finds(step: dict[str, str], rules: list[Any]) -> None:
    text = with_rules([f"tool: t, args: {_flow(step)}"], [_rule_text(rule) for rule in rules])
    expected = set()
    for number, (args, tool, version, bare) in enumerate(rules):
        asked = {key: value.replace("#E1", "z") for key, value in (args or {}).items()}
        may = tool in (None, "t") and all(step.get(key) in (value, "'#E1'") for key, value in asked.items())
        if may and bare:
            expected.add(number)
        if (
            may
            and not version
            and (args is None or "'#E1'" not in step.values())
            and all(step[key] == value for key, value in asked.items())
        ):
            break
    assert needing(text) == expected


def test_many_steps_and_many_rules_take_time_by_their_number() -> None:
    def seconds(count: int, most: float) -> float:
        steps = [f"tool: t, args: {{n: {n}, m: x}}" for n in range(count)]
        rules = [f"{{match: {{args: {{n: {n}, m: x}}}}, {FULL}}}" for n in range(count)]
        text = with_rules(steps, [*rules, f"{{match: {{args: {{n: x}}}}, {BARE}}}"])
        assert problems(text) == []
        return seconds_of(lambda: problems(text), most)

    short = seconds(1000, 0)
    assert seconds(4000, 10 * short) < 10 * short
