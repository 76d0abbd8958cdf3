"""What a step is called with: references read when it starts, and what stands in the way of reading one."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from tests.rehearse import rehearse
from tests.run.telling import args_of, ending, history, routes, signals

READER = """
goal: read
steps:
  - {{id: 1, tool: source, depends_on: []}}
  - {{id: 10, tool: ten, depends_on: []}}
  - {{id: 2, tool: reader, args: {args}, depends_on: [1, 10]}}
outcomes:
  - match: {{tool: source}}
    returns:
      - status: ok
        value:
          rows: [{{price: 0.5}}, {{price: 2}}]
          zero: 0
          no: false
          empty: ""
          nothing: null
          text: hi
          any key: 1
          a-b: dash
          trap: "#E10 and ##E10"
  - {{match: {{tool: ten}}, returns: [{{status: ok, value: ten}}]}}
"""
VALUE = {
    "rows": [{"price": 0.5}, {"price": 2}],
    "zero": 0,
    "no": False,
    "empty": "",
    "nothing": None,
    "text": "hi",
    "any key": 1,
    "a-b": "dash",
    "trap": "#E10 and ##E10",
}


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ('{x: "#E1"}', {"x": VALUE}),
        ('{x: "#E1.rows"}', {"x": VALUE["rows"]}),
        ('{x: "#E1.rows[1].price"}', {"x": 2}),
        ('{x: "#E1[\\"any key\\"]"}', {"x": 1}),
        ('{x: "#E1.a-b"}', {"x": "dash"}),
        # falsy values are values
        ('{x: "#E1.zero", y: "#E1.no", z: "#E1.empty", n: "#E1.nothing"}', {"x": 0, "y": False, "z": "", "n": None}),
        # at any depth, in values only
        ('{deep: [{er: ["#E1.zero"]}], "#E1": key}', {"deep": [{"er": [0]}], "#E1": "key"}),
        # inside a longer text: text as it is, everything else as compact JSON
        ('{x: "say #E1.text!"}', {"x": "say hi!"}),
        ('{x: "got #E1.rows"}', {"x": 'got [{"price":0.5},{"price":2}]'}),
        ('{x: " #E1.zero"}', {"x": " 0"}),
        ('{x: "#E1.no or #E1.nothing"}', {"x": "false or null"}),
        ('{x: "#E1.zero-#E10"}', {"x": "0-ten"}),
        ('{x: "#E1.text-"}', {"x": "hi-"}),
        ('{x: "#E1.text."}', {"x": "hi."}),
        # the longest known id that no letter or digit follows
        ('{x: "#E10"}', {"x": "ten"}),
        ('{x: "a #E10b"}', {"x": "a #E10b"}),
        # what is no reference in running text stays text
        ('{x: "C#E, #12, #E404 and #E1E1E1"}', {"x": "C#E, #12, #E404 and #E1E1E1"}),
        ('{x: "#E404 or #E10"}', {"x": "#E404 or ten"}),
        # the escape
        ('{x: "##E1"}', {"x": "#E1"}),
        ('{x: "##E404 ##E10 #E10"}', {"x": "#E404 #E10 ten"}),
        # read once, never scanned again
        ('{x: "#E1.trap", y: "<#E1.trap>"}', {"x": "#E10 and ##E10", "y": "<#E10 and ##E10>"}),
    ],
)
def test_references_are_read_when_the_step_starts(written: str, read: Any) -> None:
    _, result = rehearse(READER.format(args=written))
    assert (args_of(result, "2"), ending(result)) == (read, "completed goal_met 3s")


def test_the_plans_own_args_are_never_changed() -> None:
    _, result = rehearse(READER.format(args='{x: ["#E1.rows", "##E1"]}'))
    assert result.versions[0].steps[2].args == {"x": ["#E1.rows", "##E1"]}


# What stands in the way, with the state of the step that is named, and the rule that answers it. The first step to run
# is `reader` wherever nothing must have ended before it.
@pytest.mark.parametrize(
    ("steps", "outcomes", "signal", "route"),
    [
        (
            '[{id: r, tool: reader, args: {x: "#E2.a"}, depends_on: []}, {id: 2, tool: two, depends_on: []}]',
            "",
            "v1 r missing_var: #E2.a: pending",
            "v1 r missing_var radius 0 hidden-dependency → patch",
        ),
        (
            '[{id: 1, tool: one, on_failure: skip}, {id: r, tool: reader, args: {x: "#E1"}, depends_on: []}]',
            "{match: {tool: one}, returns: [shape]}",
            "v1 r missing_var: #E1: failed",
            "v1 r missing_var radius 0 broken-dependency → tail",
        ),
        (
            "[{id: 1, tool: one, on_failure: skip}, {id: 2, tool: two},"
            ' {id: r, tool: reader, args: {x: "a #E2 b"}, depends_on: []}]',
            "{match: {tool: one}, returns: [shape]}",
            "v1 r missing_var: #E2: skipped",
            "v1 r missing_var radius 0 broken-dependency → tail",
        ),
        (
            "[{id: 1, tool: one, assumes: [p]}, {id: 2, tool: two, on_failure: skip, depends_on: []},"
            ' {id: r, tool: reader, args: {x: "#E1"}, depends_on: [1]}]',
            "{match: {tool: two}, returns: [{status: shape, refutes: [p]}]}",
            "v1 r missing_var: #E1: void",
            "v1 r missing_var radius 0 broken-dependency → tail",
        ),
        (
            '[{id: r, tool: reader, args: {x: "#E404.rows"}}]',
            "",
            "v1 r missing_var: #E404.rows: no such step",
            "v1 r missing_var radius 0 plan-typo → patch",
        ),
        (
            '[{id: 1, tool: one}, {id: r, tool: reader, args: {x: "#E1.rows[3]"}}]',
            "{match: {tool: one}, returns: [{status: ok, value: {rows: [1, 2]}}]}",
            "v1 r missing_var: #E1.rows[3]: no such field",
            "v1 r missing_var radius 0 plan-typo → patch",
        ),
        (
            '[{id: 1, tool: one}, {id: r, tool: reader, args: {x: "#E1.rowz"}}]',
            "{match: {tool: one}, returns: [{status: ok, value: text}]}",
            "v1 r missing_var: #E1.rowz: no such field",
            "v1 r missing_var radius 0 plan-typo → patch",
        ),
        (  # of several, the first in reading order
            '[{id: r, tool: reader, args: {x: "#E3 #E2", y: "#E404"}, depends_on: []},'
            " {id: 2, tool: two, depends_on: []}, {id: 3, tool: three, depends_on: []}]",
            "",
            "v1 r missing_var: #E3: pending",
            "v1 r missing_var radius 0 hidden-dependency → patch",
        ),
    ],
)
def test_what_can_not_be_read_is_found_before_the_call(steps: str, outcomes: str, signal: str, route: str) -> None:
    _, result = rehearse(f"goal: g\nassumptions: {{p: premise}}\nsteps: {steps}\noutcomes: [{outcomes}]")
    failed = next(one for one in result.history if one.step_id == "r")
    assert (failed.status, failed.attempts, failed.ended - failed.started) == ("failed", (), 0)
    first = next(i for i, told in enumerate(result.signals) if told.step_id == "r")
    assert (signals(result)[first], routes(result)[0]) == (signal, route)
    assert result.signals[first].attempted == ()


def test_a_step_that_is_still_running_has_not_produced_anything_yet() -> None:
    _, result = rehearse(
        """
goal: g
policy: {max_parallel: 2}
steps:
  - {id: 1, tool: slow, depends_on: []}
  - {id: r, tool: reader, args: {x: "#E1"}, depends_on: []}
"""
    )
    assert history(result) == [
        "v1 r failed 0-0 (missing_var: #E1: pending)",
        "v1 1 done 0-1 slow:ok",
        "v2 r done 1-2 reader:ok",
    ]
    # by the time the wave has come to its end and the failure is routed, the signal still says what was found
    assert result.signals[0].evidence == {
        "radius": 0,
        "reference": "#E1",
        "referenced_step": "1",
        "state": "pending",
    }


def test_a_missing_variable_outranks_what_the_tool_would_have_answered() -> None:
    _, result = rehearse(
        """
goal: g
tools: {reader: {args: {type: object, required: [never]}}}
steps: [{id: r, tool: reader, args: {x: "#E404"}, on_failure: skip}]
outcomes: [{returns: [denied]}]
"""
    )
    assert history(result) == ["v1 r failed 0-0 (missing_var: #E404: no such step)"]


ARGS = """
goal: g
tools:
  look: {args: {type: object, required: [vendor], properties: {vendor: {type: string}}}}
  source: {}
steps:
  - {id: 1, tool: source}
  - {id: 2, tool: look, args: ARGS, on_failure: skip}
outcomes: [{match: {tool: source}, returns: [{status: ok, value: {name: A, size: 3}}]}]
"""


@pytest.mark.parametrize(
    ("args", "line"),
    [
        ("{vendor: A}", "v1 2 done 1-2 look:ok"),
        ('{vendor: "#E1.name"}', "v1 2 done 1-2 look:ok"),
        ("{}", "v1 2 failed 1-1 (assumption: 'vendor' is a required property)"),
        ("{vendor: 3}", "v1 2 failed 1-1 (assumption: 3 is not of type 'string')"),
        ('{vendor: "#E1.size"}', "v1 2 failed 1-1 (assumption: 3 is not of type 'string')"),
    ],
)
def test_args_are_held_against_the_tools_schema_after_substitution(args: str, line: str) -> None:
    _, result = rehearse(ARGS.replace("ARGS", args))
    assert history(result)[1] == line


@pytest.mark.parametrize(
    ("produces", "value", "fault"),
    [
        ("{rows: list}", "{rows: [1]}", None),
        ("{rows: list}", "{rows: [1], more: 2}", None),
        ("{rows: list}", "{rows: null}", "rows: expected list, got null"),
        ("{rows: list}", "{rows: []}", "rows: expected list, got empty list"),
        ("{rows: list}", "{}", "no field named rows"),
        ("{rows: list?}", "{rows: null}", None),
        ("{rows: list?}", "{rows: []}", None),
        ("{rows: list?}", "{}", "no field named rows"),
        ("{rows: dict}", "{rows: {}}", "rows: expected dict, got empty dict"),
        ("{rows: str}", '{rows: ""}', "rows: expected str, got empty str"),
        ("{rows: any}", "{rows: null}", "rows: expected any, got null"),
        ("{rows: any?}", "{rows: null}", None),
        ("{rows: any}", "{rows: 0}", None),
        ("{n: float}", "{n: 3}", None),
        ("{n: float}", "{n: true}", "n: expected float, got bool"),
        ("{n: int}", "{n: true}", "n: expected int, got bool"),
        ("{n: int}", "{n: 1.5}", "n: expected int, got float"),
        ("{n: int}", "{n: 0}", None),
        ("{n: bool}", "{n: false}", None),
        ("{n: int}", "text", "no field named n"),
        ("{schema: {type: array, minItems: 2}}", "[1, 2]", None),
        ("{schema: {type: array, minItems: 2}}", "[1]", "[1] is too short"),
    ],
)
def test_every_result_is_held_against_what_the_step_produces(produces: str, value: str, fault: str | None) -> None:
    _, result = rehearse(
        f"goal: g\nsteps: [{{id: 1, tool: t, produces: {produces}, on_failure: skip}}]\n"
        f"outcomes: [{{returns: [{{status: ok, value: {value}}}]}}]"
    )
    ended = f"failed 0-1 t:shape (assumption: {fault})" if fault else "done 0-1 t:ok"
    assert history(result) == [f"v1 1 {ended}"]


def test_an_event_says_its_type_in_python_as_in_json() -> None:
    events, _ = rehearse("goal: g\nsteps: [{id: 1, tool: t}]")
    assert [event.type for event in events] == [msgspec.to_builtins(event)["type"] for event in events]
