"""Identity through a whole session: what a draft's steps are, what they read, and what is counted for them."""

from __future__ import annotations

import pytest

from tests.rehearse import rehearse
from tests.replan.listing import changes, drafts, ending, refusals, version
from tests.run.telling import history


def test_a_new_step_does_not_read_itself_in_place_of_the_one_it_stands_for() -> None:
    events, result = rehearse(
        """
        goal: g
        steps: [{id: 1, tool: a}, {id: 2, tool: b}]
        planner:
          - {when: {type: invalid_draft}, steps: [{id: 10, tool: x}]}
          - {when: {step: 2}, steps: [{id: 9, tool: x, args: {in: "#E2.rows"}}]}
        outcomes: [{match: {step: 2}, returns: [semantic]}]
        """
    )
    reason = "step 9 reads #E2.rows, which goes, and nothing listed before it stands for it"
    assert (refusals(events), [line.split()[1] for line in history(result)]) == ([(reason,)], ["1", "2", "10"])


def test_a_chain_of_done_work_listed_again_is_recognised() -> None:
    events, result = rehearse(
        """
        goal: g
        steps: [{id: 1, tool: get}, {id: 2, tool: parse, args: {x: "#E1"}}, {id: 3, tool: send, args: {x: "#E2"}}]
        planner:
          - when: {step: 3}
            steps:
              - {id: 7, tool: get}
              - {id: 8, tool: parse, args: {x: "#E7"}}
              - {id: 9, tool: mail, args: {x: "#E8"}}
        outcomes: [{match: {tool: send}, returns: [semantic]}]
        """
    )
    assert (drafts(events)[-1].mapping, changes(result)) == ({"7": "1", "8": "2"}, ["v1→v2 tail semantic@3: -3 +9"])
    assert [execution.tool for execution in result.history] == ["get", "parse", "send", "mail"]


# 1 rests on p and q, 2 is computed from it; 3 fails and refutes p, so that both are stale (a tail keeps them).
STALE = """
goal: g
assumptions: {{p: x, q: y}}
steps:
  - {{id: 1, tool: get, action: fetch it, assumes: [p, q]}}
  - {{id: 2, tool: sum, action: add it up, args: {{of: "#E1"}}}}
  - {{id: 3, tool: send, granularity: tail}}
planner: [{{steps: {steps}, verdicts: {verdicts}}}]
outcomes: [{{match: {{step: 3, version: 1}}, returns: [{{status: semantic, refutes: [{refutes}]}}]}}]
"""
AGAIN = "[{id: 7, tool: get, action: fetch it}, {id: 8, tool: send}]"
OWN = "[{id: 1, tool: get, action: fetch it}, {id: 8, tool: send}]"

# steps, verdicts, refuted -> the steps that ran, the local names
LISTED: dict[str, tuple[str, str, str, str, dict[str, str]]] = {
    "clean": (AGAIN, "{}", "", "1 2 3 8", {"7": "1"}),
    "clean, under its own id": (OWN, "{}", "", "1 2 3 8", {}),
    "stale and unjudged": (AGAIN, "{}", "p", "1 2 3 7 8", {}),
    "stale and unjudged, under its own id": (OWN, "{}", "p", "1 2 3 9 8", {"1": "9"}),
    "stale and kept": (AGAIN, "{E1: keep}", "p", "1 2 3 8", {"7": "1"}),
    "stale and converted, under its own id": (OWN, "{E1: convert}", "p", "1 2 3 8", {}),
    "void, whatever the verdict": (AGAIN, "{E1: keep}", "p, q", "1 2 3 7 8", {}),
    "discarded": (AGAIN, "{E1: discard}", "", "1 2 3 7 8", {}),
    "once more": (AGAIN.replace("get,", "get, again: true,"), "{}", "", "1 2 3 7 8", {}),
    "once more, under its own id": (OWN.replace("get,", "get, again: true,"), "{}", "", "1 2 3 9 8", {"1": "9"}),
}  # fmt: skip


@pytest.mark.parametrize(("steps", "verdicts", "refutes", "ran", "mapping"), LISTED.values(), ids=LISTED)
def test_done_work_is_not_done_again_while_it_holds(
    steps: str, verdicts: str, refutes: str, ran: str, mapping: dict[str, str]
) -> None:
    events, result = rehearse(STALE.format(steps=steps, verdicts=verdicts, refutes=refutes))
    assert refusals(events) == []
    assert ([line.split()[1] for line in history(result)], drafts(events)[-1].mapping) == (ran.split(), mapping)


DISCARDED = "which is void"

# what a draft with verdicts reads -> what is said of it
READS: dict[str, tuple[str, str, str | None]] = {
    "what is computed from a discarded one": ("#E2", "{E1: discard}", DISCARDED),
    "the discarded one": ("#E1", "{E1: discard}", DISCARDED),
    "what is computed from it, and kept": ("#E2", "{E1: discard, E2: keep}", None),
    "what it was computed from": ("#E1", "{E2: discard}", None),
}


@pytest.mark.parametrize(("reads", "verdicts", "said"), READS.values(), ids=READS)
def test_a_discarded_result_takes_what_was_computed_from_it_along(reads: str, verdicts: str, said: str | None) -> None:
    steps = f'[{{id: 3, tool: send, args: {{of: "{reads}"}}}}]'
    events, _ = (
        rehearse(STALE.format(steps=steps, verdicts=verdicts, refutes=""), max_repeat=1)
        if False
        else rehearse(STALE.format(steps=steps, verdicts=verdicts, refutes=""))
    )
    assert set(refusals(events)) == ({(f"step 3 reads {reads}, {said}",)} if said else set())


# -- a reference is read once ----------------------------------------------------------------------------------------


def asked(plan: str, tool: str) -> list[tuple[str, object]]:
    _, result = rehearse(plan)
    return [(each.step_id, each.args.get("q")) for each in result.history if each.tool == tool]


ONCE = """
goal: g
steps:
  - {id: 1, tool: a, depends_on: [], granularity: tail}
  - {id: 2, tool: b, depends_on: [1]}
  - {id: late, tool: c, depends_on: [two], args: {q: "%s"}}
  - {id: two, tool: d, depends_on: []}
outcomes:
  - {match: {step: 1}, returns: [shape, ok]}
  - {match: {tool: b}, returns: [{status: ok, value: 5}]}
"""


def test_an_id_born_later_changes_no_text() -> None:
    assert asked(ONCE % "see #E3 and #E2", "c") == [("late", "see #E3 and 5")]


def test_and_gives_no_reference_to_nothing_a_meaning() -> None:
    _, result = rehearse(ONCE % "#E3" + "policy: {gates: {max_replans: 1}}\n")
    missing = [e.error.error_msg for e in result.history if e.error is not None and e.step_id == "late"]
    assert (missing, ending(result)[0]) == (["#E3: no such step"], "replan_budget")


def test_a_templates_copy_reads_what_the_old_text_read() -> None:
    """Step 3 speaks of a step 5 that v1 does not have; its copy is step 5 itself, and step 4's copy reads step 2's."""
    plan = """
    goal: g
    steps:
      - {id: 1, tool: a, granularity: tail}
      - {id: 2, tool: b}
      - {id: 3, tool: c, args: {q: "#E5 or #E2"}}
    outcomes:
      - {match: {step: 1}, returns: [shape, ok]}
      - {match: {tool: b}, returns: [{status: ok, value: 7}]}
    """
    assert asked(plan, "c") == [("5", "#E5 or 7")]


def test_a_draft_is_read_with_the_ids_known_at_its_commit() -> None:
    plan = """
    goal: g
    steps: [{id: 1, tool: a}, {id: 2, tool: b}]
    planner:
      - when: {error: first}
        steps: [{id: 8, tool: d}, {id: 9, tool: c, args: {q: "#E8, not #E10"}}, {id: 2, tool: b}]
      - steps: [{id: 10, tool: d}, {id: 2, tool: b}, {id: 11, tool: c, args: {q: "#E8 and #E10"}}]
    outcomes:
      - match: {tool: b}
        returns: [{status: semantic, message: first}, {status: semantic, message: second}, ok]
      - {match: {tool: d}, returns: [{status: ok, value: 1}]}
    """
    assert asked(plan, "c") == [("9", "1, not #E10"), ("11", "1 and 1")]


def test_the_nearest_id_may_be_one_that_was_born_since() -> None:
    """`#E3` meant nothing when it was written; the mend takes step 3, which came with the replan of step 1."""
    events, result = rehearse(ONCE % "#E3")
    assert ("late", 5) in asked(ONCE % "#E3", "c")
    assert "step late: #E3 → #E3" in drafts(events)[-1].warnings
    assert 'late c “c” {"q":"#E3"} after two,3 – done' in version(result)


# -- what is counted --------------------------------------------------------------------------------------------------

PREPARED = """
goal: g
steps: [{id: 1, tool: look, action: look it up}, {id: 2, tool: tell}]
planner:
  - when: {step: 1}
    steps: [{id: 8, tool: prepare}, {id: 9, tool: look, action: look again}, {id: 2, tool: tell}]
outcomes: [{match: {tool: look}, returns: [semantic]}]
"""


def test_the_breaker_counts_through_preparing_steps() -> None:
    _, result = rehearse(PREPARED)
    reads = [(gate.reading, gate.admitted) for gate in result.gates if gate.gate == "per_step"]
    assert (reads, result.reason) == ([(0, True), (1, True), (2, True), (3, False)], "step_breaker")


def test_new_ids_come_from_what_a_step_stands_for() -> None:
    """7 does what fetch did, fetch what summarise did, s3 what 7 did; summarise does something else, and is its own."""
    events, _ = rehearse(
        """
        goal: g
        steps: [{id: fetch, tool: get}, {id: s3, tool: sum}, {id: summarise, tool: write}, {id: 7, tool: send}]
        interruptions: [{after: s3, goal: h}]
        planner:
          - steps: [{id: 7, tool: get}, {id: fetch, tool: write}, {id: s3, tool: send}, {id: summarise, tool: x}]
        """
    )
    assert drafts(events)[-1].mapping == {"7": "fetch_2", "fetch": "summarise_2", "s3": "8", "summarise": "summarise_3"}


def test_a_gap_stays_one_when_the_step_follows_another() -> None:
    """1 reads nothing that is there (null from then on) and waits for 2, which another step stands for."""
    _, result = rehearse(
        """
        goal: g
        steps: [{id: 1, tool: a, args: {x: "#Enowhere", y: "#E2"}, depends_on: []}, {id: 2, tool: b, depends_on: []}]
        planner: [{when: {type: assumption}, steps: [{id: 9, tool: c}]}, {otherwise: template}]
        outcomes: [{match: {tool: b}, returns: [shape]}]
        """
    )
    assert ('1 a “a” {"x":null,"y":"#E9"} after 9 – done', result.reason) == (version(result)[-1], "goal_met_with_gaps")
