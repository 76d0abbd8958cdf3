"""Curing missing variables: which reference becomes what, at every depth, and that each mend is told."""

from __future__ import annotations

import pytest

from tests.rehearse import rehearse
from tests.replan.listing import draft, drafts

# plan -> the last draft, the warnings, the reason
MENDS: dict[str, tuple[str, list[str], tuple[str, ...], str]] = {
    "a pending step: the edge, and the action stays": (
        """
        goal: g
        steps:
          - {id: 1, tool: sum, args: {of: "#E2", n: "<#E2> and <#E2>"}, depends_on: [], alternatives: [{tool: never}]}
          - {id: 2, tool: look, depends_on: []}
        """,
        ['1 sum “sum” {"of":"#E2","n":"<#E2> and <#E2>"} after 2'],
        ("step 1: #E2 → #E2 after step 2",),
        "goal_met",
    ),
    "a pending step, in a tail": (
        """
        goal: g
        steps:
          - {id: 1, tool: sum, args: {of: "#E3"}, depends_on: [], granularity: tail}
          - {id: 2, tool: write, depends_on: [1]}
          - {id: 3, tool: look, depends_on: []}
        """,
        [
            '1 sum “work around [#E3: pending]” {"of":"#E3"} after 3',
            "4 write “write” after 1 instead of 2",
        ],
        ("step 1: #E3 → #E3 after step 3",),
        "goal_met",
    ),
    "a pending step, in a global, renamed with the rest": (
        """
        goal: g
        steps:
          - {id: 0, tool: first, depends_on: []}
          - {id: 1, tool: sum, args: {of: "#E3", and: "#E0"}, depends_on: [0], granularity: global}
          - {id: 3, tool: look, depends_on: []}
        """,
        [
            "4 first “first” instead of 0",
            '5 sum “work around [#E3: pending]” {"of":"#E6","and":"#E4"} after 4,6 instead of 1',
            "6 look “look” instead of 3",
        ],
        ("step 1: #E3 → #E3 after step 3",),
        "goal_met",
    ),
    "a pending step that rests on this one would make a cycle": (
        """
        goal: g
        steps:
          - {id: 1, tool: sum, args: {of: "#E3", n: "<#E3>"}, depends_on: []}
          - {id: 2, tool: a, depends_on: [1]}
          - {id: 3, tool: b, depends_on: [2]}
        """,
        ['1 sum “sum” {"of":null,"n":"<[gap: E3]>"}'],
        ("step 1: #E3 → null", "step 1: #E3 → [gap: E3]"),
        "goal_met_with_gaps",
    ),
    "the step itself": (
        """
        goal: g
        steps: [{id: 1, tool: sum, args: {of: "#E1"}}]
        """,
        ['1 sum “sum” {"of":null}'],
        ("step 1: #E1 → null",),
        "goal_met_with_gaps",
    ),
    "a failed step, in a tail": (
        """
        goal: g
        steps:
          - {id: 1, tool: look, on_failure: skip}
          - {id: 2, tool: sum, args: {of: "#E1", n: "<#E1.rows[0]>"}, depends_on: []}
          - {id: 3, tool: write, depends_on: [2], args: {of: "#E2"}}
        outcomes: [{match: {step: 1}, returns: [error]}]
        """,
        [
            '2 sum “work around [#E1: failed]” {"of":null,"n":"<[gap: E1]>"}',
            '4 write “write” {"of":"#E2"} after 2 instead of 3',
        ],
        ("step 2: #E1 → null", "step 2: #E1.rows[0] → [gap: E1]"),
        "goal_met_with_gaps",
    ),
    "a failed step, in a patch": (
        """
        goal: g
        steps:
          - {id: 1, tool: look, on_failure: skip}
          - {id: 2, tool: sum, args: {of: ["#E1"]}, depends_on: [], granularity: patch}
        outcomes: [{match: {step: 1}, returns: [error]}]
        """,
        ['2 sum “sum” {"of":[null]}'],
        ("step 2: #E1 → null",),
        "goal_met_with_gaps",
    ),
    "a failed step, in a global": (
        """
        goal: g
        steps:
          - {id: 1, tool: look, on_failure: skip}
          - {id: 2, tool: sum, args: {of: "#E1"}, depends_on: [], granularity: global}
        outcomes: [{match: {step: 1, version: 1}, returns: [error]}]
        """,
        ["3 look “look” instead of 1", '4 sum “work around [#E1: failed]” {"of":null} instead of 2'],
        ("step 2: #E1 → null",),
        "goal_met_with_gaps",
    ),
    "a skipped step": (
        """
        goal: g
        steps:
          - {id: 0, tool: look, on_failure: skip}
          - {id: 1, tool: look, depends_on: [0]}
          - {id: 2, tool: sum, args: {of: "#E1"}, depends_on: []}
        outcomes: [{match: {step: 0}, returns: [error]}]
        """,
        ['2 sum “work around [#E1: skipped]” {"of":null}'],
        ("step 2: #E1 → null",),
        "goal_met_with_gaps",
    ),
    "a void variable": (
        """
        goal: g
        assumptions: {p: x}
        steps:
          - {id: 1, tool: look, assumes: [p]}
          - {id: 2, tool: ask, on_failure: skip, depends_on: []}
          - {id: 3, tool: sum, args: {of: "#E1", n: "<#E1>"}, depends_on: [1]}
        outcomes: [{match: {step: 2}, returns: [{status: shape, refutes: [p]}]}]
        """,
        ['3 sum “work around [#E1: void]” {"of":null,"n":"<[gap: E1]>"} after 1'],
        ("step 3: #E1 → null", "step 3: #E1 → [gap: E1]"),
        "goal_met_with_gaps",
    ),
    "a typo: the closest among the done steps, with its edge": (
        """
        goal: g
        steps:
          - {id: fetch-a, tool: look}
          - {id: other, tool: sum, args: {of: "#Efetch-c"}, depends_on: []}
          - {id: fetch-b, tool: look, depends_on: []}
        """,
        ['other sum “sum” {"of":"#Efetch-a"} after fetch-a'],
        ("step other: #Efetch-c → #Efetch-a",),
        "goal_met",
    ),
    "a typo: the nearer of two": (
        """
        goal: g
        steps:
          - {id: fetch-xx, tool: look}
          - {id: fetch-ab, tool: look}
          - {id: other, tool: sum, args: {of: "#Efetch-aa.rows"}}
        outcomes: [{match: {step: fetch-ab}, returns: [{status: ok, value: {rows: 1}}]}]
        """,
        ['other sum “sum” {"of":"#Efetch-ab.rows"} after fetch-ab'],
        ("step other: #Efetch-aa.rows → #Efetch-ab.rows",),
        "goal_met",
    ),
    "a typo: the first in the list on a tie": (
        """
        goal: g
        steps:
          - {id: b1, tool: look, depends_on: []}
          - {id: a1, tool: look, depends_on: []}
          - {id: sum, tool: sum, args: {of: "#Ec1"}, depends_on: []}
        """,
        ['sum sum “sum” {"of":"#Eb1"} after b1'],
        ("step sum: #Ec1 → #Eb1",),
        "goal_met",
    ),
    "a typo: a done step before a closer one that is open": (
        """
        goal: g
        steps:
          - {id: look-1, tool: look}
          - {id: sum, tool: sum, args: {of: "#Elook-23"}, depends_on: []}
          - {id: look-2, tool: look, depends_on: []}
        """,
        ['sum sum “sum” {"of":"#Elook-1"} after look-1'],
        ("step sum: #Elook-23 → #Elook-1",),
        "goal_met",
    ),
    "a typo: among the open ones where nothing is done": (
        """
        goal: g
        steps:
          - {id: summ, tool: sum, args: {of: "#Elok"}, depends_on: []}
          - {id: lok1, tool: rests, depends_on: [summ]}
          - {id: look, tool: look, depends_on: []}
        """,
        ['summ sum “sum” {"of":"#Elook"} after look'],
        ("step summ: #Elok → #Elook",),
        "goal_met",
    ),
    "a typo: never the step itself": (
        """
        goal: g
        steps: [{id: sum, tool: sum, args: {of: "#Esun"}}, {id: other, tool: look, depends_on: []}]
        """,
        ['sum sum “sum” {"of":null}'],
        ("step sum: #Esun → null",),
        "goal_met_with_gaps",
    ),
    "a typo with nothing within two edits": (
        """
        goal: g
        steps: [{id: look-a, tool: look}, {id: sum, tool: sum, args: {of: "#Elookabc", and: "#Elook-abc"}}]
        """,
        ['sum sum “sum” {"of":null,"and":"#Elook-a"} after look-a'],
        ("step sum: #Elookabc → null", "step sum: #Elook-abc → #Elook-a"),
        "goal_met_with_gaps",
    ),
    "the closest key": (
        """
        goal: g
        steps: [{id: 1, tool: look}, {id: 2, tool: sum, args: {of: "#E1.row", n: "<#E1.Rows[0].cost>"}}]
        outcomes: [{match: {step: 1}, returns: [{status: ok, value: {rows: [{price: 1, cast: 2}], other: 3}}]}]
        """,
        ['2 sum “sum” {"of":"#E1.rows","n":"<#E1.rows[0].cast>"} after 1'],
        ("step 2: #E1.row → #E1.rows", "step 2: #E1.Rows[0].cost → #E1.rows[0].cast"),
        "goal_met",
    ),
    "a key that has to be quoted": (
        """
        goal: g
        steps: [{id: 1, tool: look}, {id: 2, tool: sum, args: {of: "#E1.a_b"}}]
        outcomes: [{match: {step: 1}, returns: [{status: ok, value: {a b: 1}}]}]
        """,
        ['2 sum “sum” {"of":"#E1[\\"a b\\"]"} after 1'],
        ('step 2: #E1.a_b → #E1["a b"]',),
        "goal_met",
    ),
    "no key within two edits": (
        """
        goal: g
        steps: [{id: 1, tool: look}, {id: 2, tool: sum, args: {of: "#E1.columns", n: "<#E1.columns>"}}]
        outcomes: [{match: {step: 1}, returns: [{status: ok, value: {rows: 1}}]}]
        """,
        ['2 sum “sum” {"of":null,"n":"<[gap: E1]>"} after 1'],
        ("step 2: #E1.columns → null", "step 2: #E1.columns → [gap: E1]"),
        "goal_met_with_gaps",
    ),
    "no mapping": (
        """
        goal: g
        steps: [{id: 1, tool: look}, {id: 2, tool: sum, args: {of: "#E1[3]", and: "#E1.a", or: "#E1[0].b"}}]
        outcomes: [{match: {step: 1}, returns: [{status: ok, value: [1, 2, 3]}]}]
        """,
        ['2 sum “sum” {"of":null,"and":null,"or":null} after 1'],
        ("step 2: #E1[3] → null", "step 2: #E1.a → null", "step 2: #E1[0].b → null"),
        "goal_met_with_gaps",
    ),
    "a typo in both": (
        """
        goal: g
        steps: [{id: look, tool: look}, {id: s, tool: sum, args: {of: "#Elok.row"}, depends_on: []}]
        outcomes: [{match: {step: look}, returns: [{status: ok, value: {rows: 1}}]}]
        """,
        ['s sum “sum” {"of":"#Elook.rows"} after look'],
        ("step s: #Elok.row → #Elook.rows",),
        "goal_met",
    ),
    "all of them at once, and what is good stays as it is written": (
        """
        goal: g
        steps:
          - {id: 1, tool: look}
          - {id: 2, tool: look, on_failure: skip, depends_on: []}
          - {id: 3, tool: sum, depends_on: [1], granularity: patch,
             args: {a: "#E2", b: "##E2 <#E2> <#E1> #E404", c: {d: ["#E1.row", "#E4"]}, e: 5}}
          - {id: 4, tool: look, depends_on: []}
        outcomes:
          - {match: {step: 1}, returns: [{status: ok, value: {rows: 1}}]}
          - {match: {step: 2}, returns: [error]}
        """,
        ['3 sum “sum” {"a":null,"b":"##E2 <[gap: E2]> <#E1> #E404","c":{"d":["#E1.rows","#E4"]},"e":5} after 1,4'],
        (
            "step 3: #E2 → null",
            "step 3: #E2 → [gap: E2]",
            "step 3: #E1.row → #E1.rows",
            "step 3: #E4 → #E4 after step 4",
        ),
        "goal_met_with_gaps",
    ),
    "a gap is no missing variable": (
        """
        goal: g
        steps:
          - {id: 1, tool: look, on_failure: defer, depends_on: []}
          - {id: 2, tool: sum, args: {of: "#E1.rows", n: "<#E1.rows>", and: "#E3"}, depends_on: []}
          - {id: 3, tool: look, depends_on: []}
        outcomes: [{match: {step: 1}, returns: [error]}]
        """,
        ['2 sum “sum” {"of":"#E1.rows","n":"<#E1.rows>","and":"#E3"} after 3'],
        ("step 2: #E3 → #E3 after step 3",),
        "goal_met_with_gaps",
    ),
    "an alternative, in a tail, is mended too": (
        """
        goal: g
        steps:
          - {id: 1, tool: sum, args: {of: "#E9"}, depends_on: [], granularity: tail,
             alternatives: [{tool: ask, args: {q: "#E2 or <#Elookx>", r: "#Elookx"}}]}
          - {id: 2, tool: look, depends_on: []}
        """,
        ['1 ask “work around [#E9: no such step]” {"q":"#E2 or <#Elookx>","r":null} after 2'],
        ("step 1: #E2 → #E2 after step 2", "step 1: #Elookx → null"),
        "goal_met_with_gaps",
    ),
    "a key of a variable whose step has left the plan": (
        """
        goal: g
        steps: [{id: 1, tool: look}, {id: 2, tool: ask, granularity: global}]
        planner:
          - {when: {type: assumption}, steps: [{id: 7, tool: sum, args: {of: "#E1.row"}, granularity: patch}]}
          - otherwise: template
        outcomes:
          - {match: {step: 1}, returns: [{status: ok, value: {rows: 1}}]}
          - {match: {step: 2, tool: ask}, returns: [shape]}
        """,
        ['7 sum “sum” {"of":"#E1.rows"}'],
        ("step 7: #E1.row → #E1.rows",),
        "goal_met",
    ),
}


@pytest.mark.parametrize(("plan", "drafted", "warnings", "reason"), MENDS.values(), ids=MENDS)
def test_a_mend(plan: str, drafted: list[str], warnings: tuple[str, ...], reason: str) -> None:
    events, result = rehearse(plan)
    assert (draft(events), drafts(events)[-1].warnings, result.reason) == (drafted, warnings, reason)
    assert (drafts(events)[-1].replanner, result.warnings) == ("template", warnings)
