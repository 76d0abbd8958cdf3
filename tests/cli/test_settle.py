"""`resume --settle`: a run that leaves calls in doubt asks for a person's word, and nothing happens without it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from replanctl.store import Store
from tests.cli.conftest import Cli, Done

PLAN = """\
goal: pay and tell
tools: {pay: {idempotent: false}, look: {}, write: {}}
steps:
  - {id: 1, tool: look}
  - {id: 2, tool: pay, args: {sum: 7}, produces: {paid: bool}}
  - {id: 3, tool: write, args: {text: "#E2.paid"}}
  - {id: s-4, tool: pay, args: {sum: 8}, depends_on: [1]}
"""
LOST = "outcomes: [{match: {step: 2}, returns: [lost]}]\n"
BOTH = "outcomes: [{match: {tool: pay}, returns: [lost]}]\n"
PAID = """2=done:{"paid": true}"""


@pytest.fixture
def paying(cli: Cli) -> Cli:
    """A command line in a folder with a plan that pays twice."""
    cli.files({"plan.yaml": PLAN, "lost.yaml": LOST, "both.yaml": BOTH, "fine.yaml": "outcomes: []\n"})
    return cli


def run(cli: Cli, outcomes: str, *flags: str) -> Any:
    done = cli("run", "plan.yaml", "--outcomes", outcomes, "--format", "json", *flags)
    assert done.code == 1
    return json.loads(done.out)


def resumed(cli: Cli, *flags: str) -> Any:
    done = cli("resume", "--outcomes", "fine.yaml", "--format", "json", *flags)
    assert done.code in (0, 1), done.err
    assert cli("replay").out.endswith("byte for byte the same\n")
    return json.loads(done.out)


def events(cli: Cli) -> int:
    with Store.open(cli.store) as store:
        return len(list(store.event_lines(1)))


def refused(done: Done) -> str:
    assert (done.code, done.out) == (2, "")
    return done.err


def test_it_asks_with_commands_that_work(paying: Cli) -> None:
    result = run(paying, "lost.yaml")
    assert result["handover"]["next"][:3] == [
        """replanctl resume 1 --settle '2=done:{"paid": true}'""",
        "replanctl resume 1 --settle 2=again",
        "replanctl resume 1 --settle 2=skip",
    ]
    before = events(paying)
    said = " ".join(refused(paying("resume")).split())
    assert "run 1 asks for a person's word: step 2's call of pay may have happened" in said
    assert """replanctl resume 1 --settle '2=done:{"paid": true}': it happened, with this answer""" in said
    assert events(paying) == before


def test_a_call_that_promises_nothing_happened_with_null(cli: Cli) -> None:
    cli.files({"plan.yaml": PLAN.replace(", produces: {paid: bool}", ""), "lost.yaml": LOST})
    run(cli, "lost.yaml")
    said = " ".join(refused(cli("resume")).split())
    assert "--settle 2=done: it happened, and its answer is null (done:JSON gives another)" in said


def test_the_commands_name_the_store(paying: Cli) -> None:
    run(paying, "lost.yaml")
    said = refused(paying("resume", "--store", "store"))
    assert "replanctl resume 1 --settle 2=again --store store" in " ".join(said.split())


def test_an_answer_rests_on_the_premises_under_which_its_call_was_made(cli: Cli) -> None:
    plan = """\
goal: pay
assumptions: {open: the bank is open, solvent: there is money}
tools: {pay: {idempotent: false}, look: {}}
policy: {max_parallel: 2}
steps:
  - {id: 1, tool: look, depends_on: []}
  - {id: 2, tool: pay, depends_on: [], assumes: [open, solvent]}
outcomes:
  - {match: {step: 1}, returns: [{status: shape, refutes: [open]}, ok]}
  - {match: {step: 2}, returns: [error]}
"""
    cli.files({"plan.yaml": plan, "fine.yaml": "outcomes: []\n"})
    assert cli("run", "plan.yaml").code == 1
    result = resumed(cli, "--settle", "2=done:7")
    assert result["versions"][-1]["steps"][1]["assumes"] == ["solvent"]  # v2 has let the fallen premise go
    variable = result["variables"]["E2"]
    assert (variable["health"], variable["assumptions"]) == ("stale", ["open", "solvent"])


@pytest.mark.parametrize(
    ("word", "reason", "paid", "state"),
    [
        (PAID, "goal_met", 2, "done"),
        ("2.1=again", "goal_met", 3, "done"),
        ("2=again", "goal_met", 3, "done"),
        ("2=skip", "goal_met_with_gaps", 2, "failed"),
    ],
)
def test_with_a_word_it_goes_on(paying: Cli, word: str, reason: str, paid: int, state: str) -> None:
    run(paying, "lost.yaml")
    result = resumed(paying, "--settle", word)
    assert result["reason"] == reason
    assert sum(attempt["tool"] == "pay" for row in result["history"] for attempt in row["attempts"]) == paid
    assert next(step["state"] for step in result["versions"][-1]["steps"] if step["id"] == "2") == state
    assert [row["times"] for row in result["effects"] if row["args"] == {"sum": 7}] == [2 if "again" in word else 1]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((PAID,), "step s-4's call of pay may have happened"),
        (("s-4=skip",), "step 2's call of pay may have happened"),
        ((PAID, "s-4=skip", "9=skip"), "--settle 9=…: no such call is in question"),
        ((PAID, "s-4=skip", "1=again"), "--settle 1=…: no such call is in question"),
        ((PAID, "s-4.2=skip"), "--settle s-4.2=…: no such call is in question"),
        ((PAID, "2=skip", "s-4=skip"), "--settle says of step 2 more than once what came of its call"),
        (("2=done:7", "s-4=skip"), "--settle 2=done: no field named paid"),
        (("2=done", "s-4=skip"), "--settle 2=done: no field named paid"),
        (("2=done:{", "s-4=skip"), "the answer is no JSON"),
        (("2=done:NaN", "s-4=skip"), "the answer is no JSON"),
        (("2=again:7", "s-4=skip"), "is not STEP=done:JSON, STEP=done, STEP=again or STEP=skip"),
        (("2=paid", "s-4=skip"), "is not STEP=done:JSON, STEP=done, STEP=again or STEP=skip"),
    ],
)
def test_a_word_that_says_nothing_is_refused(paying: Cli, words: tuple[str, ...], said: str) -> None:
    run(paying, "both.yaml")
    before = events(paying)
    done = paying("resume", *(part for word in words for part in ("--settle", word)))
    assert said in " ".join(refused(done).replace("│", " ").split())
    assert events(paying) == before


def test_a_run_without_such_calls_is_not_asked_for_words(paying: Cli) -> None:
    paying.files({"denied.yaml": "outcomes: [{match: {step: 2}, returns: [denied]}]\n"})
    run(paying, "denied.yaml")
    said = refused(paying("resume", "--settle", "2=again"))
    assert "no call of this run is in question: leave out --settle" in " ".join(said.split())
    assert resumed(paying)["reason"] == "goal_met"  # and a person's resume lifts denials


def test_a_limit_is_raised_and_a_call_settled_at_once(paying: Cli) -> None:
    result = run(paying, "lost.yaml", "--max-steps", "2")
    assert result["reason"] == "step_budget"
    assert result["handover"]["next"][0].startswith("replanctl resume 1 --max-steps +")
    assert "--settle" in result["handover"]["next"][0]
    assert resumed(paying, "--max-steps", "none", "--settle", PAID)["reason"] == "goal_met"


def test_a_person_is_told_on_the_screen_and_by_why(paying: Cli) -> None:
    run(paying, "lost.yaml")
    screen = paying("resume", "--outcomes", "fine.yaml", "--settle", PAID)
    assert "a person on step 2's call of pay: it happened" in screen.out
    why = paying("why", "2").out
    assert "settled" in why
    assert "it happened" in why
    assert "step.settled" in paying("show", "--events").out


def test_settled_calls_are_not_asked_for_again(paying: Cli) -> None:
    run(paying, "both.yaml")
    result = resumed(paying, "--settle", PAID, "--settle", "s-4=again", "--max-steps", "4")
    assert result["reason"] == "step_budget"
    assert resumed(paying, "--max-steps", "none")["reason"] == "goal_met"
