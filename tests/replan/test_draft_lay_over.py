"""What a scripted draft becomes when it is laid over the plan: names, places, order, and what follows."""

from __future__ import annotations

import pytest

from tests.rehearse import rehearse
from tests.replan.listing import changes, drafts, refusals, version
from tests.run.telling import history

# Four steps in a row, the third of which fails once; look is answered with its args so that calls can be told apart.
ROW = """
goal: g
steps:
  - {id: 1, tool: look, action: look up A, args: {q: a}}
  - {id: 2, tool: look, action: look up B, args: {q: b}}
  - {id: 3, tool: ask, action: ask C, args: {q: "#E2"}}
  - {id: 4, tool: sum, action: total, args: {of: ["#E1", "#E3"]}, depends_on: [1, 3]}
  - {id: 5, tool: write, action: report, args: {of: "#E4"}}
outcomes: [{match: {step: 3, version: 1}, returns: [semantic]}]
"""

# what the planner lists -> the changes, the final version, the mapping of local names
TAILS: dict[str, tuple[str, list[str], list[str], dict[str, str]]] = {
    "the failed step anew, the rest goes": (
        "[{id: 3, tool: ask, action: ask D}]",
        ["v1→v2 tail semantic@3: -4,5 ~3"],
        ["3 ask “ask D” – done"],
        {},
    ),
    "left-out dependencies follow the draft's order, the first has none": (
        "[{id: 3, tool: ask}, {id: 4, tool: sum}, {id: 5, tool: write}, {id: 6, tool: send}]",
        ["v1→v2 tail semantic@3: +6 ~3,4,5"],
        [
            "3 ask “ask” – done",
            "4 sum “sum” after 3 – done",
            "5 write “write” after 4 – done",
            "6 send “send” after 5 – done",
        ],
        {},
    ),
    "in the draft's order": (
        "[{id: 5, tool: write, depends_on: 4}, {id: 4, tool: sum, depends_on: 3}, {id: 3, tool: ask, depends_on: []}]",
        ["v1→v2 tail semantic@3: ~5,4,3"],
        ["5 write “write” after 4 – done", "4 sum “sum” after 3 – done", "3 ask “ask” – done"],
        {},
    ),
    "done steps need not be listed, and are done when they are": (
        """[{id: 1, tool: look, args: {q: a}, action: whatever}, {id: 2, tool: look, args: {q: b}},
            {id: 3, tool: ask, args: {of: "#E1"}}]""",
        ["v1→v2 tail semantic@3: -4,5 ~3"],
        ['3 ask “ask” {"of":"#E1"} after 2 – done'],
        {},
    ),
    "finished work under another id means the done step": (
        """[{id: 8, tool: look, action: look up A, args: {q: a}},
            {id: 9, tool: ask, args: {of: "#E8", n: "<#E8>"}, depends_on: [8, 2]}]""",
        ["v1→v2 tail semantic@3: -3,4,5 +9"],
        ['9 ask “ask” {"of":"#E1","n":"<#E1>"} after 1,2 instead of 3 – done'],
        {"8": "1"},
    ),
    "the same call with another action is not finished work": (
        "[{id: 8, tool: look, action: look again, args: {q: a}}]",
        ["v1→v2 tail semantic@3: -3,4,5 +8"],
        ['8 look “look again” {"q":"a"} instead of 3 – done'],
        {},
    ),
    "a done id with other args is a local name; before it is listed it means the old variable": (
        """[{id: 7, tool: ask, args: {of: "#E1"}, depends_on: [1]},
            {id: 1, tool: look, args: {q: z, old: "#E1"}, depends_on: [7]},
            {id: 8, tool: sum, args: {of: "#E1", n: "<#E1>"}, depends_on: [1]}]""",
        ["v1→v2 tail semantic@3: -3,4,5 +7,9,8"],
        [
            '7 ask “ask” {"of":"#E1"} after 1 instead of 3 – done',
            '9 look “look” {"q":"z","old":"#E1"} after 7 – done',
            '8 sum “sum” {"of":"#E9","n":"<#E9>"} after 9 instead of 4 – done',
        ],
        {"1": "9"},
    ),
    "a done id with another tool is one too": (
        "[{id: 2, tool: ask, args: {q: b}}]",
        ["v1→v2 tail semantic@3: -3,4,5 +6"],
        ['6 ask “ask” {"q":"b"} instead of 3 – done'],
        {"2": "6"},
    ),
    "dependencies and references on a step that goes follow to what replaces it": (
        """[{id: 6, tool: ask}, {id: 7, tool: sum, args: {of: "#E3", n: "<#E3>"}, depends_on: [3]},
            {id: 8, tool: send, args: {of: "#E4", and: "#E1"}, depends_on: [4, 3, 6]}]""",
        ["v1→v2 tail semantic@3: -3,4,5 +6,7,8"],
        [
            "6 ask “ask” instead of 3 – done",
            '7 sum “sum” {"of":"#E6","n":"<#E6>"} after 6 instead of 4 – done',
            '8 send “send” {"of":"#E7","and":"#E1"} after 7,6 – done',
        ],
        {},
    ),
    "a new step stands for one with its tool, whatever is put before it": (
        """[{id: 6, tool: a}, {id: 7, tool: ask, args: {q: "#E2"}}]""",
        ["v1→v2 tail semantic@3: -3,4,5 +6,7"],
        ["6 a “a” – done", '7 ask “ask” {"q":"#E2"} after 6 instead of 3 – done'],
        {},
    ),
    "where nothing is alike the first stands for the failed step, and the others for nothing": (
        "[{id: 6, tool: a}, {id: 7, tool: b}]",
        ["v1→v2 tail semantic@3: -3,4,5 +6,7"],
        ["6 a “a” instead of 3 – done", "7 b “b” after 6 – done"],
        {},
    ),
    "a step that says what it replaces": (
        "[{id: 6, tool: a}, {id: 7, tool: b, replaces: 3}, {id: 8, tool: c}]",
        ["v1→v2 tail semantic@3: -3,4,5 +6,7,8"],
        [
            "6 a “a” – done",
            "7 b “b” after 6 instead of 3 – done",
            "8 c “c” after 7 – done",
        ],
        {},
    ),
    "a listed step keeps its place, new ones share what goes": (
        "[{id: 4, tool: sum}, {id: 6, tool: a}]",
        ["v1→v2 tail semantic@3: -3,5 +6 ~4"],
        ["4 sum “sum” – done", "6 a “a” after 4 instead of 3 – done"],
        {},
    ),
    "more than go, beside a listed one": (
        "[{id: 4, tool: sum}, {id: 6, tool: a}, {id: 7, tool: b}, {id: 8, tool: c}]",
        ["v1→v2 tail semantic@3: -3,5 +6,7,8 ~4"],
        [
            "4 sum “sum” – done",
            "6 a “a” after 4 instead of 3 – done",
            "7 b “b” after 6 – done",
            "8 c “c” after 7 – done",
        ],
        {},
    ),
}


def tail(listed: str) -> str:
    return f"{ROW}\nplanner: [{{steps: {listed}}}]\n"


@pytest.mark.parametrize(("listed", "changed", "final", "mapping"), TAILS.values(), ids=TAILS)
def test_a_tail_laid_over_a_row(listed: str, changed: list[str], final: list[str], mapping: dict[str, str]) -> None:
    events, result = rehearse(tail(listed))
    done = ['1 look “look up A” {"q":"a"} – done', '2 look “look up B” {"q":"b"} after 1 – done']
    assert (changes(result), version(result)) == (changed, done + final)
    assert ([d.mapping for d in drafts(events)], result.reason) == ([mapping], "goal_met")
    assert [line.split()[1] for line in history(result)[:3]] == ["1", "2", "3"]  # nothing done runs again
    assert len(result.history) == 3 + len(final)


# plan -> the changes, the final version, the mapping of the last draft
PLANS: dict[str, tuple[str, list[str], list[str], dict[str, str]]] = {
    "a patch keeps every other step, whose dependencies and references follow": (
        """
        goal: g
        steps:
          - {id: 1, tool: look, depends_on: []}
          - {id: 2, tool: sum, args: {of: "#E1.rows", n: "<#E1>"}, depends_on: [1]}
          - {id: 3, tool: write, args: {of: "#E1"}, depends_on: [2]}
          - {id: 4, tool: other, args: {"#E1": "##E1"}, depends_on: []}
        planner: [{steps: [{id: 9, tool: ask}]}]
        outcomes:
          - {match: {step: 1, version: 1}, returns: [semantic]}
          - {match: {tool: ask}, returns: [{status: ok, value: {rows: 5}}]}
        policy: {routing: {overrides: {"1": patch}}}
        """,
        ["v1→v2 patch semantic@1: -1 +9 ~2,3"],
        [
            "9 ask “ask” instead of 1 – done",
            '2 sum “sum” {"of":"#E9.rows","n":"<#E9>"} after 9 – done',
            '3 write “write” {"of":"#E9"} after 2 – done',
            '4 other “other” {"#E1":"##E1"} – done',
        ],
        {},
    ),
    "of those that follow only in a dependency nothing is revised": (
        """
        goal: g
        steps: [{id: 1, tool: look}, {id: 2, tool: sum}, {id: 3, tool: write}]
        planner: [{steps: [{id: 9, tool: ask}]}]
        outcomes: [{match: {step: 1, version: 1}, returns: [shape]}]
        """,
        ["v1→v2 tail assumption@1: -1,2,3 +9"],
        ["9 ask “ask” instead of 1 – done"],
        {},
    ),
    "rewired": (
        """
        goal: g
        steps: [{id: 1, tool: look}, {id: 2, tool: sum}]
        planner: [{steps: [{id: 9, tool: ask}]}]
        outcomes: [{match: {step: 1, version: 1}, returns: [shape]}]
        """,
        ["v1→v2 patch assumption@1: -1 +9 >2"],
        ["9 ask “ask” instead of 1 – done", "2 sum “sum” after 9 – done"],
        {},
    ),
    "a patch may list other open steps": (
        """
        goal: g
        steps:
          - {id: 1, tool: look, depends_on: []}
          - {id: 2, tool: sum, depends_on: [1]}
          - {id: 3, tool: other, depends_on: []}
          - {id: 4, tool: more, depends_on: [3]}
        planner: [{steps: [{id: 4, tool: less, depends_on: [1]}, {id: 1, tool: look, depends_on: [3]}]}]
        outcomes: [{match: {step: 1, version: 1}, returns: [shape]}]
        """,
        ["v1→v2 patch assumption@1: ~4 >1"],
        [
            "4 less “less” after 1 – done",
            "1 look “look” after 3 – done",
            "2 sum “sum” after 1 – done",
            "3 other “other” – done",
        ],
        {},
    ),
    "what has ended comes first, in its order, then the draft, then what else is open": (
        """
        goal: g
        steps:
          - {id: 1, tool: look, depends_on: []}
          - {id: 2, tool: other, depends_on: []}
          - {id: 3, tool: look, depends_on: []}
          - {id: 4, tool: other, depends_on: [2]}
          - {id: 5, tool: ask, depends_on: []}
        policy: {max_parallel: 3}
        planner: [{steps: [{id: 9, tool: b, depends_on: []}, {id: 2, tool: b, depends_on: []}]}]
        outcomes:
          - {match: {step: 1}, returns: [{status: ok, latency: 2s}]}
          - {match: {step: 2, version: 1}, returns: [shape]}
        """,
        ["v1→v2 patch assumption@2: +9 ~2"],
        [
            "1 look “look” – done",
            "3 look “look” – done",
            "9 b “b” – done",
            "2 b “b” – done",
            "4 other “other” after 2 – done",
            "5 ask “ask” – done",
        ],
        {},
    ),
    "a listed step takes nothing over from its old self": (
        """
        goal: g
        assumptions: {p: x}
        steps: [{id: 1, tool: look, action: look up, produces: {rows: list}, assumes: [p], args: {q: a}}]
        planner: [{steps: [{id: 1, tool: look}]}]
        outcomes: [{match: {step: 1}, returns: [shape, {status: ok, value: 5}]}]
        """,
        ["v1→v2 patch assumption@1: ~1"],
        ["1 look “look” – done"],
        {},
    ),
    "a skipped step is pending again, and so is one that failed for good": (
        """
        goal: g
        steps:
          - {id: 1, tool: look, on_failure: skip, depends_on: []}
          - {id: 2, tool: sum, depends_on: [1]}
          - {id: 3, tool: write, depends_on: [2]}
          - {id: 4, tool: ask, depends_on: []}
        planner:
          - {steps: [{id: 1, tool: find, depends_on: []}, {id: 2, tool: sum}, {id: 4, tool: ask, depends_on: []}]}
        outcomes: [{match: {step: 1, version: 1}, returns: [error]}, {match: {step: 4, version: 1}, returns: [shape]}]
        """,
        ["v1→v2 patch assumption@4: ~1"],
        [
            "3 write “write” after 2 – skipped",
            "1 find “find” – done",
            "2 sum “sum” after 1 – done",
            "4 ask “ask” – done",
        ],
        {},
    ),
    "finished work under the id of the step that goes: what is kept follows to the done step": (
        """
        goal: g
        steps:
          - {id: 1, tool: look, args: {q: a}}
          - {id: 2, tool: look, args: {q: b}, depends_on: []}
          - {id: 3, tool: sum, args: {of: "#E2"}, depends_on: [2]}
        planner: [{steps: [{id: 2, tool: look, args: {q: a}}]}]
        outcomes: [{match: {args: {q: b}}, returns: [shape]}]
        """,
        ["v1→v2 patch assumption@2: -2 ~3"],
        ['1 look “look” {"q":"a"} – done', '3 sum “sum” {"of":"#E1"} after 1 – done'],
        {"2": "1"},
    ),
    "1 is not true, 1.0 or text: such calls are no finished work, and nothing changed only where all is the same": (
        """
        goal: g
        steps:
          - {id: 1, tool: look, args: {n: 1}}
          - {id: 2, tool: sum, granularity: tail, args: {n: 1}}
          - {id: 3, tool: write, args: {n: [1, {m: 0}]}}
        planner:
          - steps:
              - {id: 7, tool: look, args: {n: true}}
              - {id: 1, tool: look, args: {n: 1.0}}
              - {id: 2, tool: sum, args: {n: 1}, depends_on: [1]}
              - {id: 3, tool: write, args: {n: [1, {m: false}]}, depends_on: [2]}
        outcomes: [{match: {step: 2, version: 1}, returns: [shape]}]
        """,
        ["v1→v2 tail assumption@2: +7,8 ~3 >2"],
        [
            '1 look “look” {"n":1} – done',
            '7 look “look” {"n":true} – done',
            '8 look “look” {"n":1.0} after 7 – done',
            '2 sum “sum” {"n":1} after 8 – done',
            '3 write “write” {"n":[1,{"m":false}]} after 2 – done',
        ],
        {"1": "8"},
    ),
    "a step that is revised still remembers what it replaced": (
        """
        goal: g
        steps: [{id: 1, tool: look}]
        planner:
          - {when: {error: one}, steps: [{id: 7, tool: ask}]}
          - {steps: [{id: 7, tool: find}]}
        outcomes:
          - {match: {tool: look}, returns: [{status: shape, message: one}]}
          - {match: {tool: ask}, returns: [{status: shape, message: two}]}
        """,
        ["v1→v2 patch assumption@1: -1 +7", "v2→v3 tail assumption@7: ~7"],
        ["7 find “find” instead of 1 – done"],
        {},
    ),
    "a local name may say whose place it takes": (
        """
        goal: g
        steps: [{id: 1, tool: look}, {id: 2, tool: sum}, {id: 3, tool: write}]
        planner: [{steps: [{id: 8, tool: a}, {id: 1, tool: b, replaces: 2}]}]
        outcomes: [{match: {step: 2}, returns: [semantic]}]
        """,
        ["v1→v2 tail semantic@2: -2,3 +8,9"],
        ["1 look “look” – done", "8 a “a” – done", "9 b “b” after 8 instead of 2 – done"],
        {"1": "9"},
    ),
    "what is kept loses the refuted premise, which is no change of the plan": (
        """
        goal: g
        assumptions: {p: x, q: y}
        steps:
          - {id: 1, tool: look, depends_on: [], granularity: patch}
          - {id: 2, tool: sum, depends_on: [1], assumes: [p, q]}
          - {id: 3, tool: write, depends_on: [2], assumes: [p]}
        planner: [{steps: [{id: 1, tool: look, assumes: [q, p]}]}]
        outcomes: [{match: {step: 1, version: 1}, returns: [{status: shape, refutes: [p]}]}]
        """,
        ["v1→v2 patch assumption@1:"],
        ["1 look “look” on q – done", "2 sum “sum” after 1 on q – done", "3 write “write” after 2 – done"],
        {},
    ),
    "a removed id stays retired": (
        """
        goal: g
        steps: [{id: s1, tool: look}, {id: s2, tool: sum, granularity: tail}]
        planner:
          - {when: {type: semantic}, steps: [{id: s7, tool: a}]}
          - steps: [{id: s2, tool: x}, {id: s1, tool: y, args: {of: "<#Es2>"}}, {id: 3, tool: z}]
        outcomes:
          - {match: {step: s1, version: 1}, returns: [semantic]}
          - {match: {tool: a}, returns: [shape]}
        """,
        ["v1→v2 tail semantic@s1: -s1,s2 +s7", "v2→v3 tail assumption@s7: -s7 +s8,s9,3"],
        [
            "s8 x “x” instead of s7 – done",
            's9 y “y” {"of":"<#Es8>"} after s8 – done',
            "3 z “z” after s9 – done",
        ],
        {"s2": "s8", "s1": "s9"},
    ),
    "references of kept steps that do not depend on what they read follow too": (
        """
        goal: g
        steps:
          - {id: 1, tool: look, depends_on: []}
          - {id: 2, tool: other, depends_on: []}
          - {id: 3, tool: sum, args: {of: "#E1"}, depends_on: [2]}
        planner: [{steps: [{id: 9, tool: ask, depends_on: []}]}]
        outcomes: [{match: {step: 1, version: 1}, returns: [shape]}]
        """,
        ["v1→v2 patch assumption@1: -1 +9 ~3"],
        ["9 ask “ask” instead of 1 – done", "2 other “other” – done", '3 sum “sum” {"of":"#E9"} after 2 – done'],
        {},
    ),
    "a global: every id ever used is a local name": (
        """
        goal: g
        assumptions: {p: x, q: y}
        steps:
          - {id: 1, tool: look, assumes: [p, q]}
          - {id: 2, tool: sum, args: {of: "#E1"}}
          - {id: 3, tool: write, args: {of: "#E2"}}
        planner:
          - verdicts: {E1: keep}
            steps:
              - {id: 3, tool: ask, args: {old: "#E1"}}
              - {id: 1, tool: look, depends_on: [3]}
              - {id: 2, tool: sum, args: {of: "#E1", n: "<#E3>"}, depends_on: [1, 3]}
              - {id: 8, tool: write, args: {of: "#E2"}}
        outcomes: [{match: {step: 2, version: 1}, returns: [{status: shape, refutes: [p]}]}]
        """,
        ["v1→v2 global assumption@2: -1,2,3 +9,10,11,8"],
        [
            '9 ask “ask” {"old":"#E1"} – done',
            "10 look “look” after 9 instead of 1 – done",
            '11 sum “sum” {"of":"#E10","n":"<#E9>"} after 10,9 instead of 2 – done',
            '8 write “write” {"of":"#E11"} after 11 instead of 3 – done',
        ],
        {"3": "9", "1": "10", "2": "11"},
    ),
    "a global after a failure: the failed step's place is taken first": (
        """
        goal: g
        steps: [{id: 1, tool: look}, {id: 2, tool: sum, granularity: global}, {id: 3, tool: write}]
        planner: [{steps: [{id: 8, tool: a}, {id: 9, tool: b}]}]
        outcomes: [{match: {step: 2, version: 1}, returns: [shape]}]
        """,
        ["v1→v2 global assumption@2: -1,2,3 +8,9"],
        ["8 a “a” instead of 2 – done", "9 b “b” after 8 – done"],
        {},
    ),
    "a changed goal: steps that do something else stand for nothing": (
        """
        goal: g
        steps: [{id: 1, tool: look}, {id: 2, tool: sum}, {id: 3, tool: write}]
        planner: [{steps: [{id: 8, tool: a}, {id: 9, tool: b}]}]
        interruptions: [{after: 2, goal: h}]
        """,
        ["v1→v2 global goal-changed: -1,2,3 +8,9"],
        ["8 a “a” – done", "9 b “b” after 8 – done"],
        {},
    ),
    "a changed goal: the same call, then a local name, then nothing": (
        """
        goal: g
        steps: [{id: s1, tool: look, args: {q: a}}, {id: s2, tool: sum}, {id: s3, tool: write}, {id: s4, tool: send}]
        planner:
          - steps:
              - {id: x, tool: a, depends_on: []}
              - {id: y, tool: look, args: {q: a}, depends_on: []}
              - {id: s2, tool: z, depends_on: []}
              - {id: w, tool: a, depends_on: []}
              - {id: v, tool: b, depends_on: []}
        interruptions: [{after: s1, goal: h}]
        """,
        ["v1→v2 global goal-changed: -s1,s2,s3,s4 +x,y,s5,w,v"],
        [
            "x a “a” – done",
            'y look “look” {"q":"a"} instead of s1 – done',
            "s5 z “z” instead of s2 – done",
            "w a “a” – done",
            "v b “b” – done",
        ],
        {"s2": "s5"},
    ),
    "an empty answer to a changed goal: what has ended is all that is left": (
        """
        goal: g
        steps: [{id: 1, tool: look}, {id: 2, tool: sum}, {id: 3, tool: write}]
        planner: [{when: {goal: H}, steps: []}]
        interruptions: [{after: 1, goal: the h goal}]
        """,
        ["v1→v2 global goal-changed: -2,3"],
        ["1 look “look” – done"],
        {},
    ),
}


@pytest.mark.parametrize(("plan", "changed", "final", "mapping"), PLANS.values(), ids=PLANS)
def test_laid_over_a_plan(plan: str, changed: list[str], final: list[str], mapping: dict[str, str]) -> None:
    events, result = rehearse(plan)
    assert refusals(events) == []
    assert (changes(result), version(result), drafts(events)[-1].mapping) == (changed, final, mapping)
