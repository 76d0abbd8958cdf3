"""Goal, assumptions, tools and steps."""

from __future__ import annotations

from typing import Any

import pytest

from replanctl.plan.model import Alternative, Granularity, OnFailure, Plan, Step, Tool
from tests.files.case import found, problems, rehearse


def steps(*lines: str) -> str:
    """A plan file of these steps, one a line from line 3 on."""
    return "goal: g\nsteps:\n" + "".join(f"- {line}\n" for line in lines)


WHOLE = """\
goal: Compare
assumptions: {public: every vendor publishes, free: null}
tools:
  look:
    args: {type: object, required: [vendor]}
    idempotent: false
    fallback: scrape
    timeout: 250ms
  scrape: {timeout: 2m}
  sum: {args: null, fallback: [look, scrape]}
steps:
- id: 1
  action: look it up
  tool: look
  args: {vendor: A, deep: [{x: null}]}
  expected_outcome: a list
  produces: {rows: list, note: str?}
  depends_on: []
  assumes: [public, free]
  on_failure: defer
  alternatives: [{tool: scrape, args: {vendor: B}, action: scrape it}, {}]
  granularity: tail
  required: true
  again: true
- {id: "2b", tool: sum, args: {t: "#E1.rows"}, expected_outcome: a sum, produces: {schema: {type: object}}}
- {id: c-3, tool: sum, depends_on: 1, action: close, on_failure: null, granularity: null, produces: null}
"""


def test_everything_a_plan_may_say() -> None:
    assert rehearse(WHOLE).plan == Plan(
        "Compare",
        (
            Step(
                "1",
                "look",
                {"vendor": "A", "deep": [{"x": None}]},
                "a list",
                "look it up",
                (),
                {"rows": "list", "note": "str?"},
                ("public", "free"),
                OnFailure.DEFER,
                (Alternative("scrape", {"vendor": "B"}, "scrape it"), Alternative()),
                Granularity.TAIL,
                required=True,
                again=True,
            ),
            Step("2b", "sum", {"t": "#E1.rows"}, "a sum", "sum", ("1",), {"schema": {"type": "object"}}),
            Step("c-3", "sum", {}, None, "close", ("1",)),
        ),
        {"public": "every vendor publishes", "free": ""},
        {
            "look": Tool({"type": "object", "required": ["vendor"]}, False, ("scrape",), 0.25),
            "scrape": Tool(timeout=120.0),
            "sum": Tool(fallback=("look", "scrape")),
        },
    )


def test_left_out_dependencies_mean_the_step_before() -> None:
    plan = rehearse(steps("{id: 1, tool: t}", "{id: 2, tool: t, depends_on: []}", "{id: '3', tool: t}")).plan
    assert [step.depends_on for step in plan.steps] == [(), (), ("2",)]


PLACES: list[tuple[str, list[tuple[str, int, int]]]] = [
    ("steps:\n- {id: 1, tool: t}\n", [("missing-key", 1, 1)]),
    ("goal: g\n", [("missing-key", 1, 1)]),
    ("goal: ' '\nsteps:\n- {id: 1, tool: t}\n", [("empty-text", 1, 7)]),
    ("goal: 5\nsteps:\n- {id: 1, tool: t}\n", [("wrong-type", 1, 7)]),
    ("goal: g\nsteps: []\n", [("empty-list", 2, 8)]),
    ("goal: g\nsteps:\n", [("wrong-type", 2, 7)]),
    ("goal: g\nsteps: {id: 1}\n", [("wrong-type", 2, 8)]),
    (steps("1"), [("wrong-type", 3, 3)]),
    (steps("{id: 1}"), [("missing-key", 3, 3)]),
    (steps("{tool: t}"), [("missing-key", 3, 3)]),
    (steps("{id: 1.0, tool: t}"), [("bad-id", 3, 8)]),
    (steps("{id: true, tool: t}"), [("bad-id", 3, 8)]),
    (steps("{id: null, tool: t}"), [("bad-id", 3, 8)]),
    (steps("{id: [1], tool: t}"), [("bad-id", 3, 8)]),
    (steps("{id: -3, tool: t}"), [("bad-id", 3, 8)]),
    (steps("{id: _a, tool: t}"), [("bad-id", 3, 8)]),
    (steps("{id: 'a b', tool: t}"), [("bad-id", 3, 8)]),
    (steps("{id: é, tool: t}"), [("bad-id", 3, 8)]),
    (steps(f"{{id: {'a' * 65}, tool: t}}"), [("bad-id", 3, 8)]),
    (steps(f"{{id: {'a' * 64}, tool: t}}"), []),
    (steps("{id: 3, tool: t}", "{id: '3', tool: t}"), [("duplicate-id", 4, 8)]),
    (steps("{id: 03, tool: t}", "{id: 3, tool: t}"), []),
    (steps("{id: 1, tool: 5}"), [("wrong-type", 3, 17)]),
    (steps("{id: 1, tool: ''}"), [("empty-text", 3, 17)]),
    (steps("{id: 1, tool: t, action: ''}"), [("empty-text", 3, 28)]),
    (steps("{id: 1, tool: t, args: [a]}"), [("wrong-type", 3, 26)]),
    (steps("{id: 1, tool: t, args: }"), [("wrong-type", 3, 26)]),
    (steps("{id: 1, tool: t, arg: {}}"), [("unknown-key", 3, 20)]),
    (steps("{id: 1, tool: t, replaces: 1}"), [("unknown-key", 3, 20)]),
    (steps("{id: 1, tool: t, expected_outcome: [a]}"), [("wrong-type", 3, 38)]),
    (steps("{id: 1, tool: t, depends_on: null}"), [("wrong-type", 3, 32)]),
    (steps("{id: 1, tool: t, depends_on: {}}"), [("wrong-type", 3, 32)]),
    (steps("{id: 1, tool: t, depends_on: [null]}"), [("bad-id", 3, 33)]),
    (steps("{id: 1, tool: t}", "{id: 2, tool: t, depends_on: [true]}"), [("bad-id", 4, 33)]),
    (steps("{id: 1, tool: t}", "{id: 2, tool: t, depends_on: [1, '1']}"), [("repeated-name", 4, 32)]),
    (steps("{id: 1, depends_on: [2, 3]}", "{id: 2, tool: t}"), [("missing-key", 3, 3), ("unknown-dependency", 3, 27)]),
    (steps("{tool: t, depends_on: 3}"), [("missing-key", 3, 3), ("unknown-dependency", 3, 25)]),
    (steps("{tool: t, depends_on: [a b, 1.5]}"), [("missing-key", 3, 3), ("bad-id", 3, 26), ("bad-id", 3, 31)]),
    (steps("{id: 1, tool: t, produces: [rows]}"), [("wrong-type", 3, 30)]),
    (steps("{id: 1, tool: t, produces: {rows: lst}}"), [("bad-type", 3, 37)]),
    (steps("{id: 1, tool: t, produces: {rows: list??}}"), [("bad-type", 3, 37)]),
    (steps("{id: 1, tool: t, produces: {schema: str, a: int?}}"), []),
    (steps("{id: 1, tool: t, produces: {schema: {type: object}, rows: list}}"), [("unknown-key", 3, 55)]),
    (steps("{id: 1, tool: t, produces: {schema: {type: objct}}}"), [("bad-schema", 3, 46)]),
    (steps("{id: 1, tool: t, assumes: a}"), [("wrong-type", 3, 29)]),
    (steps("{id: 1, tool: t, on_failure: Replan}"), [("bad-choice", 3, 32)]),
    (steps("{id: 1, tool: t, granularity: deep}"), [("bad-choice", 3, 33)]),
    (steps("{id: 1, tool: t, alternatives: {tool: u}}"), [("wrong-type", 3, 34)]),
    (steps("{id: 1, tool: t, alternatives: [u]}"), [("wrong-type", 3, 35)]),
    (steps("{id: 1, tool: t, alternatives: [{tols: u}]}"), [("unknown-key", 3, 36)]),
    ("assumptions: [a]\n" + steps("{id: 1, tool: t}"), [("wrong-type", 1, 14)]),
    ("assumptions: {a: 5}\n" + steps("{id: 1, tool: t}"), [("wrong-type", 1, 18)]),
    ("tools: [t]\n" + steps("{id: 1, tool: t}"), [("wrong-type", 1, 8)]),
    ("tools: {t: }\n" + steps("{id: 1, tool: t}"), [("wrong-type", 1, 12)]),
    ("tools: {t: {args: {type: objct}}}\n" + steps("{id: 1, tool: t}"), [("bad-schema", 1, 26)]),
    ("tools: {t: {args: {$ref: 'http://x/y'}}}\n" + steps("{id: 1, tool: t}"), [("bad-schema", 1, 26)]),
    ("tools: {t: {idempotent: no}}\n" + steps("{id: 1, tool: t}"), [("wrong-type", 1, 25)]),
    ("tools: {t: {timeout: 3 s}}\n" + steps("{id: 1, tool: t}"), [("bad-duration", 1, 22)]),
    (
        "tools: {t: {fallback: [u, t, u]}, u: {}}\n" + steps("{id: 1, tool: t}"),
        [("repeated-name", 1, 23), ("own-fallback", 1, 23)],
    ),
    ("tools: {t: {fallback: 5}}\n" + steps("{id: 1, tool: t}"), [("wrong-type", 1, 23)]),
    ("tools: {t: {fallback: v}}\n" + steps("{id: 1, tool: t}"), [("unknown-tool", 1, 23)]),
    ("tools: {t: {}}\n" + steps("{id: 1, tool: u}"), [("unknown-tool", 4, 17)]),
    ("tools: {t: {}}\n" + steps("{id: 1, tool: t, alternatives: [{tool: u}]}"), [("unknown-tool", 4, 42)]),
    ("assumptions: {a: x}\n" + steps("{id: 1, tool: t, assumes: [a, b]}"), [("unknown-assumption", 4, 33)]),
    ("assumptions: {}\n" + steps("{id: 1, tool: t, assumes: [a]}"), [("unknown-assumption", 4, 30)]),
]


NEAREST = [
    ("arguments: {}", "did you mean args?"),
    ("dependson: []", "did you mean depends_on?"),
    ("assume: []", "did you mean assumes?"),
    ("zzz: 1", ""),
]


@pytest.mark.parametrize(("written", "hint"), NEAREST)
def test_an_unknown_key_is_told_with_the_nearest_known_one(written: str, hint: str) -> None:
    (problem,) = problems(steps(f"{{id: 1, tool: t, {written}}}"))
    assert (problem.rule, problem.hint if hint else "") == ("unknown-key", hint)


@pytest.mark.parametrize(("text", "expected"), PLACES)
def test_what_is_wrong_with_a_plan(text: str, expected: list[tuple[str, int, int]]) -> None:
    assert found(text) == expected


def test_the_tool_itself_and_repeats_are_no_fallbacks() -> None:
    text = "tools: {t: {fallback: [u, t, u]}, u: {fallback: u}}\n" + steps("{id: 1, tool: t}")
    tools: Any = rehearse(text).plan.tools
    assert {name: tool.fallback for name, tool in tools.items()} == {"t": ("u",), "u": ()}


def test_two_equal_ids_name_both_lines() -> None:
    (problem,) = problems(steps("{id: 3, tool: t}", "{id: a, tool: t}", "{id: '3', tool: t}"))
    assert (problem.line, problem.message) == (5, "two steps have the id 3, first in line 3")


DEPENDENCIES: list[tuple[list[str], list[tuple[str, int, int]], str]] = [
    (["{id: 1, tool: t, depends_on: [1]}"], [("cycle", 3, 32)], "steps wait for each other: 1 → 1"),
    (
        ["{id: 1, tool: t, depends_on: [3]}", "{id: 2, tool: t}", "{id: 3, tool: t}"],
        [("cycle", 3, 32)],
        "steps wait for each other: 1 → 3 → 2 → 1",
    ),
    (
        ["{id: a, tool: t, depends_on: b}", "{id: b, tool: t, depends_on: c}", "{id: c, tool: t, depends_on: b}"],
        [("cycle", 4, 32)],
        "steps wait for each other: b → c → b",
    ),
    (
        ["{id: fetch, tool: t, depends_on: []}", "{id: 2, tool: t, depends_on: [fetch, fetsh]}"],
        [("unknown-dependency", 4, 40)],
        "step 2 depends on fetsh, which no step is",
    ),
    (["{id: 1, tool: t, depends_on: [2]}", "{id: 2, tool: t, depends_on: []}"], [], ""),
]


@pytest.mark.parametrize(("lines", "expected", "message"), DEPENDENCIES)
def test_dependencies_lead_to_steps_and_not_in_circles(
    lines: list[str], expected: list[tuple[str, int, int]], message: str
) -> None:
    assert found(steps(*lines)) == expected
    assert [problem.message for problem in problems(steps(*lines))] == ([message] if message else [])


def test_a_long_cycle_is_shortened() -> None:
    lines = [f"{{id: {i}, tool: t, depends_on: [{i % 5000 + 1}]}}" for i in range(1, 5001)]
    (problem,) = problems(steps(*lines))
    assert problem.message == (
        "steps wait for each other: 1 → 2 → 3 → 4 → 5 → 6 → 7 → 8 → 9 → 10 → … 4989 more … → 5000 → 1"
    )


REFERENCES: list[tuple[list[str], list[tuple[str, int, int]]]] = [
    (["{id: 1, tool: t}", "{id: 2, tool: t, args: {a: '#E1'}}"], []),
    (["{id: 1, tool: t}", "{id: 2, tool: t}", "{id: 3, tool: t, args: {a: ['#E1.rows[0]']}}"], []),
    (["{id: 1, tool: t}", "{id: 2, tool: t, depends_on: [], args: {a: {b: '#E1'}}}"], [("hidden-dependency", 4, 50)]),
    (["{id: 1, tool: t, args: {a: 'x #E2'}}", "{id: 2, tool: t}"], [("hidden-dependency", 3, 30)]),
    (["{id: 1, tool: t, args: {a: '#E1'}}"], [("hidden-dependency", 3, 30)]),
    (["{id: 1, tool: t, args: {a: '#E7'}}"], [("unknown-reference", 3, 30)]),
    (
        ["{id: 1, tool: t, args: {a: '#E7.x[1]', b: ['#E8']}}"],
        [("unknown-reference", 3, 30), ("unknown-reference", 3, 46)],
    ),
    (["{id: 1, tool: t, args: {a: 'x #E7', b: 'C#E', c: '##E7', d: '#12', e: '#E7 x', '#E7': f}}"], []),
    (
        ["{id: 1, tool: t}", "{id: 2, tool: t, depends_on: [], alternatives: [{args: {a: '#E1'}}]}"],
        [("hidden-dependency", 4, 62)],
    ),
    (["{id: 1, tool: t}", "{id: 10, tool: t, depends_on: [], args: {a: '#E10'}}"], [("hidden-dependency", 4, 47)]),
    (
        [
            "{id: 1, tool: t, depends_on: [2], args: {a: '#E3'}}",
            "{id: 2, tool: t, depends_on: [3]}",
            "{id: 3, tool: t, depends_on: []}",
        ],
        [],
    ),
]


@pytest.mark.parametrize(("lines", "expected"), REFERENCES)
def test_references_rest_on_dependencies(lines: list[str], expected: list[tuple[str, int, int]]) -> None:
    assert found(steps(*lines)) == expected


def test_hidden_dependencies_and_references_to_nothing_are_warnings() -> None:
    text = steps("{id: 1, tool: t}", "{id: 2, tool: t, depends_on: [], args: {a: '#E1', b: '#Ex'}}")
    assert [(w.severity, w.column, w.message, w.hint) for w in rehearse(text).warnings] == [
        ("warning", 46, "step 2 reads #E1 and does not depend on 1", "add 1 to its depends_on"),
        ("warning", 56, "step 2 reads #Ex, and no step is x", "known here: 1, 2"),
    ]


WRITTEN_ELSEWHERE: list[tuple[str, str, str]] = [  # a step's args, where the warning stands, and the way out
    ("{a: '$1'}", "'$1'", '"#E1"'),
    ("{a: '${1}'}", "'${1}'", '"#E1"'),
    ("{a: <GENERATED>-1}", "<GEN", '"#E1"'),
    ("{a: '{{steps.1.outputs.result}}'}", "'{{", '"#E1"'),
    ("{a: [{b: 'x {{steps.1.rows}} y'}]}", "'x", '"#E1.rows"'),
    ("{a: '#1.rows'}", "'#1", '"#E1.rows"'),
]


@pytest.mark.parametrize(("args", "at", "way_out"), WRITTEN_ELSEWHERE)
def test_what_another_system_would_read_is_a_warning_and_stays_text(args: str, at: str, way_out: str) -> None:
    line = f"- {{id: 2, tool: t, args: {args}}}"
    (problem,) = problems(f"goal: g\nsteps:\n- {{id: 1, tool: t}}\n{line}\n")
    assert (problem.rule, problem.severity, problem.line, problem.column) == (
        "foreign-reference",
        "warning",
        4,
        line.index(at) + 1,
    )
    assert problem.hint == f"to read step 1, write {way_out}"


def test_so_it_is_in_an_alternative_too() -> None:
    text = "goal: g\nsteps:\n- {id: 1, tool: t}\n- {id: 2, tool: t, alternatives: [{args: {a: $1}}]}\n"
    assert found(text) == [("foreign-reference", 4, 46)]


@pytest.mark.parametrize("key", ["required", "again"])
@pytest.mark.parametrize("value", ["null", "1", "'true'", "yes"])
def test_required_and_again_are_true_or_false(key: str, value: str) -> None:
    ((rule, line, _),) = found(f"goal: g\nsteps:\n- {{id: 1, tool: t, {key}: {value}}}\n")
    assert (rule, line) == ("wrong-type", 3)
