"""What the template drafts, at each of its three depths."""

from __future__ import annotations

import pytest

from tests.rehearse import rehearse
from tests.replan.listing import changes, draft, drafts, version

# plan -> the draft, the changes of every version, the final list
PATCHES: dict[str, tuple[str, list[str], list[str]]] = {
    "the same tool and a number": (
        """
        goal: g
        steps: [{id: 1, tool: look, action: look it up, args: {q: x}}, {id: 2, tool: sum}]
        outcomes: [{match: {step: 1}, returns: [shape, ok]}]
        """,
        ['1 look “look it up (patch 1)” {"q":"x"}'],
        ["v1→v2 patch assumption@1: ~1"],
    ),
    "the number counts the patches of the lineage and replaces an older one": (
        """
        goal: g
        steps: [{id: 1, tool: look, action: look (patch 9), granularity: patch}]
        outcomes: [{match: {step: 1}, returns: [shape, empty, semantic, ok]}]
        """,
        ["1 look “look (patch 3)”"],
        ["v1→v2 patch assumption@1: ~1", "v2→v3 patch assumption@1: ~1", "v3→v4 patch semantic@1: ~1"],
    ),
    "a suffix in the middle stays": (
        """
        goal: g
        steps: [{id: 1, tool: look, action: look (patch 2) twice}]
        outcomes: [{match: {step: 1}, returns: [shape, ok]}]
        """,
        ["1 look “look (patch 2) twice (patch 1)”"],
        ["v1→v2 patch assumption@1: ~1"],
    ),
    "an alternative's tool": (
        """
        goal: g
        steps: [{id: 1, tool: look, args: {q: x}, action: look, alternatives: [{tool: ask}, {tool: guess}]}]
        outcomes: [{match: {tool: look}, returns: [shape]}]
        """,
        ['1 ask “look (patch 1)” {"q":"x"}'],
        ["v1→v2 patch assumption@1: ~1"],
    ),
    "an alternative's args and action": (
        """
        goal: g
        steps: [{id: 1, tool: look, args: {q: x}, action: look, alternatives: [{args: {q: y}, action: look again}]}]
        outcomes: [{match: {args: {q: x}}, returns: [shape]}]
        """,
        ['1 look “look again (patch 1)” {"q":"y"}'],
        ["v1→v2 patch assumption@1: ~1"],
    ),
    "the next alternative that was not tried": (
        """
        goal: g
        steps: [{id: 1, tool: look, granularity: patch, alternatives: [{tool: ask}, {tool: guess}]}]
        outcomes: [{match: {tool: look}, returns: [shape]}, {match: {tool: ask}, returns: [shape]}]
        """,
        ["1 guess “look (patch 2)”"],
        ["v1→v2 patch assumption@1: ~1", "v2→v3 patch assumption@1: ~1"],
    ),
    "alternatives before the fallback": (
        """
        goal: g
        tools: {look: {fallback: [scrape]}, ask: {}, scrape: {}}
        steps: [{id: 1, tool: look, alternatives: [{tool: ask}]}]
        outcomes: [{match: {tool: look}, returns: [shape]}]
        """,
        ["1 ask “look (patch 1)”"],
        ["v1→v2 patch assumption@1: ~1"],
    ),
    "the fallback where there is no alternative": (
        """
        goal: g
        tools: {look: {fallback: [scrape, ask]}, ask: {}, scrape: {}}
        steps: [{id: 1, tool: look}]
        outcomes: [{match: {tool: look}, returns: [shape]}]
        """,
        ["1 scrape “look (patch 1)”"],
        ["v1→v2 patch assumption@1: ~1"],
    ),
    "not a fallback that the execution tried": (
        """
        goal: g
        tools: {look: {fallback: [scrape, ask]}, ask: {}, scrape: {}}
        steps: [{id: 1, tool: look}]
        policy: {retry: {max_attempts: 1}}
        outcomes: [{match: {tool: look}, returns: [unavailable]}, {match: {tool: scrape}, returns: [shape]}]
        """,
        ["1 ask “look (patch 1)”"],
        ["v1→v2 patch assumption@1: ~1"],
    ),
    "the same tool where every fallback was tried": (
        """
        goal: g
        tools: {look: {fallback: [scrape]}, scrape: {}}
        steps: [{id: 1, tool: look}]
        policy: {retry: {max_attempts: 1}}
        outcomes: [{match: {tool: look}, returns: [unavailable, ok]}, {match: {tool: scrape}, returns: [shape]}]
        """,
        ["1 look “look (patch 1)”"],
        ["v1→v2 patch assumption@1: ~1"],
    ),
    "everything else of the step stays": (
        """
        goal: g
        assumptions: {p: x}
        steps:
          - {id: 1, tool: a}
          - {id: 2, tool: look, args: {of: "#E1"}, assumes: [p], depends_on: [1]}
          - {id: 3, tool: sum}
        outcomes: [{match: {step: 2}, returns: [shape, ok]}]
        """,
        ['2 look “look (patch 1)” {"of":"#E1"} after 1 on p'],
        ["v1→v2 patch assumption@2: ~2"],
    ),
}


@pytest.mark.parametrize(("plan", "drafted", "changed"), PATCHES.values(), ids=PATCHES)
def test_a_patch(plan: str, drafted: list[str], changed: list[str]) -> None:
    events, result = rehearse(plan)
    assert (draft(events), changes(result)) == (drafted, changed)
    assert (result.reason, drafts(events)[-1].replanner) == ("goal_met", "template")
    assert not [warning for warning in result.warnings if not warning.startswith("no-progress: ")]


# plan -> the draft, the changes, the final version
DEEPER: dict[str, tuple[str, list[str], list[str], list[str]]] = {
    "a tail of a sequence": (
        """
        goal: g
        steps:
          - {id: 1, tool: look}
          - {id: 2, tool: look, args: {of: "#E1"}}
          - {id: 3, tool: sum, args: {of: "#E2", n: "<#E1> of <#E2>"}}
          - {id: 4, tool: write, args: {of: "#E3"}, depends_on: [3, 1]}
        outcomes: [{match: {step: 2}, returns: [{status: shape, message: there is no public price list}, ok]}]
        """,
        [
            '2 look “work around [there is no public p…]” {"of":"#E1"} after 1',
            '5 sum “sum” {"of":"#E2","n":"<#E1> of <#E2>"} after 2 instead of 3',
            '6 write “write” {"of":"#E5"} after 5,1 instead of 4',
        ],
        ["v1→v2 tail assumption@2: -3,4 +5,6 ~2"],
        [
            "1 look “look” – done",
            '2 look “work around [there is no public p…]” {"of":"#E1"} after 1 – done',
            '5 sum “sum” {"of":"#E2","n":"<#E1> of <#E2>"} after 2 instead of 3 – done',
            '6 write “write” {"of":"#E5"} after 5,1 instead of 4 – done',
        ],
    ),
    "new ids from the old ones, and the status where there is no message": (
        """
        goal: g
        steps: [{id: s2, tool: look}, {id: x9, tool: sum}, {id: end, tool: write}]
        outcomes: [{match: {step: s2}, returns: [semantic, ok]}]
        """,
        [
            "s2 look “work around [semantic]”",
            "x10 sum “sum” after s2 instead of x9",
            "end_2 write “write” after x10 instead of end",
        ],
        ["v1→v2 tail semantic@s2: -x9,end +x10,end_2 ~s2"],
        [
            "s2 look “work around [semantic]” – done",
            "x10 sum “sum” after s2 instead of x9 – done",
            "end_2 write “write” after x10 instead of end – done",
        ],
    ),
    "the next alternative, and independent branches go on": (
        """
        goal: g
        steps:
          - {id: 1, tool: look, depends_on: [], alternatives: [{tool: ask, args: {q: y}, action: unseen}, {tool: z}]}
          - {id: 2, tool: other, depends_on: []}
          - {id: 3, tool: sum, depends_on: [1]}
          - {id: 4, tool: more, depends_on: [2]}
          - {id: 5, tool: write, depends_on: [3, 4]}
        outcomes: [{match: {step: 1}, returns: [{status: shape, message: no}]}]
        """,
        [
            '1 ask “unseen” {"q":"y"}',
            "6 sum “sum” after 1 instead of 3",
            "7 write “write” after 6,4 instead of 5",
        ],
        ["v1→v2 tail assumption@1: -3,5 +6,7 ~1"],
        [
            '1 ask “unseen” {"q":"y"} – done',
            "6 sum “sum” after 1 instead of 3 – done",
            "7 write “write” after 6,4 instead of 5 – done",
            "2 other “other” – done",
            "4 more “more” after 2 – done",
        ],
    ),
    "what rests on a refuted premise goes along and loses it": (
        """
        goal: g
        assumptions: {p: x, q: y}
        steps:
          - {id: 1, tool: look, depends_on: [], assumes: [p]}
          - {id: 2, tool: other, depends_on: [], assumes: [q, p]}
          - {id: 3, tool: sum, depends_on: [2]}
          - {id: 4, tool: free, depends_on: []}
        outcomes: [{match: {step: 1}, returns: [{status: shape, refutes: [p]}, ok]}]
        """,
        [
            "1 look “work around [shape]” on p",
            "5 other “other” instead of 2 on q,p",
            "6 sum “sum” after 5 instead of 3",
        ],
        ["v1→v2 tail assumption@1: -2,3 +5,6 ~1"],
        [
            "1 look “work around [shape]” – done",
            "5 other “other” instead of 2 on q – done",
            "6 sum “sum” after 5 instead of 3 – done",
            "4 free “free” – done",
        ],
    ),
    "the failed step first, the others in list order": (
        """
        goal: g
        assumptions: {p: x}
        steps:
          - {id: 5, tool: write, depends_on: [3, 7]}
          - {id: 3, tool: sum, depends_on: [2]}
          - {id: 2, tool: look, depends_on: []}
          - {id: 7, tool: other, depends_on: [8], assumes: [p]}
          - {id: 8, tool: free, depends_on: []}
        outcomes: [{match: {step: 2, version: 1}, returns: [{status: shape, refutes: [p]}]}]
        """,
        [
            "2 look “work around [shape]”",
            "9 write “write” after 10,11 instead of 5",
            "10 sum “sum” after 2 instead of 3",
            "11 other “other” after 8 instead of 7 on p",
        ],
        ["v1→v2 tail assumption@2: -5,3,7 +9,10,11 ~2"],
        [
            "2 look “work around [shape]” – done",
            "9 write “write” after 10,11 instead of 5 – done",
            "10 sum “sum” after 2 instead of 3 – done",
            "11 other “other” after 8 instead of 7 – done",
            "8 free “free” – done",
        ],
    ),
    "a failed step of the radius that waits is replaced with the rest": (
        """
        goal: g
        assumptions: {p: x}
        steps:
          - {id: 1, tool: look, depends_on: []}
          - {id: 2, tool: other, depends_on: [], assumes: [p]}
          - {id: 3, tool: sum, depends_on: [2]}
        policy: {max_parallel: 2}
        outcomes:
          - {match: {step: 1}, returns: [{status: shape, refutes: [p]}, ok]}
          - {match: {step: 2, version: 1}, returns: [shape]}
        """,
        [
            "1 look “work around [shape]”",
            "4 other “other” instead of 2 on p",
            "5 sum “sum” after 4 instead of 3",
        ],
        ["v1→v2 tail assumption@1: -2,3 +4,5 ~1"],
        [
            "1 look “work around [shape]” – done",
            "4 other “other” instead of 2 – done",
            "5 sum “sum” after 4 instead of 3 – done",
        ],
    ),
    "a global does everything again, done or not, in list order": (
        """
        goal: g
        assumptions: {p: x, q: y}
        steps:
          - {id: 3, tool: sum, args: {of: "#E1", and: "<#E2>"}, depends_on: [1, 2]}
          - {id: 1, tool: look, depends_on: [], assumes: [p, q]}
          - {id: 2, tool: other, action: ask, args: {q: x}, depends_on: [1], alternatives: [{tool: b}]}
        outcomes: [{match: {step: 2}, returns: [{status: shape, message: quotes only, refutes: [p]}]}]
        """,
        [
            '4 sum “sum” {"of":"#E5","and":"<#E6>"} after 5,6 instead of 3',
            "5 look “look” instead of 1 on p,q",
            '6 b “work around [quotes only]” {"q":"x"} after 5 instead of 2',
        ],
        ["v1→v2 global assumption@2: -3,1,2 +4,5,6"],
        [
            '4 sum “sum” {"of":"#E5","and":"<#E6>"} after 5,6 instead of 3 – done',
            "5 look “look” instead of 1 on q – done",
            '6 b “work around [quotes only]” {"q":"x"} after 5 instead of 2 – done',
        ],
    ),
    "a changed goal does everything again, also what failed or was skipped": (
        """
        goal: g
        steps:
          - {id: a, tool: look, depends_on: []}
          - {id: b, tool: other, depends_on: [], on_failure: skip}
          - {id: c, tool: sum, depends_on: [b]}
          - {id: d, tool: more, depends_on: [a], args: {of: "#Ea"}}
        outcomes: [{match: {step: b, version: 1}, returns: [error]}]
        interruptions: [{after: b, goal: h}]
        """,
        [
            "a_2 look “look” instead of a",
            "b_2 other “other” instead of b",
            "c_2 sum “sum” after b_2 instead of c",
            'd_2 more “more” {"of":"#Ea_2"} after a_2 instead of d',
        ],
        ["v1→v2 global goal-changed: -a,b,c,d +a_2,b_2,c_2,d_2"],
        [
            "a_2 look “look” instead of a – done",
            "b_2 other “other” instead of b – done",
            "c_2 sum “sum” after b_2 instead of c – done",
            'd_2 more “more” {"of":"#Ea_2"} after a_2 instead of d – done',
        ],
    ),
}


@pytest.mark.parametrize(("plan", "drafted", "changed", "final"), DEEPER.values(), ids=DEEPER)
def test_deeper(plan: str, drafted: list[str], changed: list[str], final: list[str]) -> None:
    events, result = rehearse(plan)
    assert (draft(events), changes(result), version(result)) == (drafted, changed, final)
