"""`prompt`: the request behind a version, rebuilt from what is stored."""

from __future__ import annotations

import json

import msgspec
import pytest

from replanctl.store import Store
from tests.cli.conftest import NOW, Cli, Done

# Two replans: the first draft is refused, the second commits v2; step 5 of it fails, and the planner gives up.
PLAN = """\
goal: find the price
tools: {look: {}, phone: {}, write: {}}
steps:
  - {id: 1, tool: look, args: {at: a}}
  - {id: 2, tool: look, args: {at: b}, expected_outcome: a price}
  - {id: 3, action: write it up, tool: write, args: {text: "#E2"}}
planner:
  - when: {type: assumption, step: 2}
    cause: sold by quote
    steps: [{id: 4, tool: fax}]
  - when: {type: invalid_draft}
    steps: [{id: 5, tool: phone}, {id: 6, tool: write, args: {text: "#E5"}}]
  - otherwise: give_up
outcomes:
  - {match: {tool: look, args: {at: b}}, returns: [{status: shape, message: no price}]}
  - {match: {tool: phone}, returns: [{status: semantic, message: wrong number}]}
"""

ASKED_AGAIN = """\
Goal: find the price
Done:
  1 look: ok
Failed step: 2
Failure: invalid_draft: step 4 uses the tool fax, which the plan does not have
Attempted: look: shape
Lessons:
  v1 step 2 assumption: sold by quote; avoid: look: shape
  v1 step 2 invalid_draft: step 4 uses the tool fax, which the plan does not have; avoid: look: shape
Remaining:
  2 look [look] after 1
  3 write it up [write] after 2
Replan (tail): Replace the failed step and all that rests on it; what is done stays done.
"""
GAVE_UP = """\
Goal: find the price
Done:
  1 look: ok
Failed step: 5
Failure: semantic: wrong number
Attempted: phone: semantic
Lessons:
  v1 step 2 assumption: sold by quote; avoid: look: shape
  v1 step 2 invalid_draft: step 4 uses the tool fax, which the plan does not have; avoid: look: shape
  v2 step 5 semantic: expected none, got wrong number; avoid: phone: semantic
Remaining:
  5 phone [phone] after none
  6 write [write] after 5
Replan (tail): Replace the failed step and all that rests on it; what is done stays done.
"""
SIZE = "482 characters, some 120 tokens; with the observations carried it would be 482 characters, some 120 tokens\n"
NO_VERSION = f"{SIZE.replace('482', '516').replace('120', '129')}run 1: asked in v2; no version came of the answer\n"


@pytest.fixture
def ran(cli: Cli) -> Cli:
    """Run 1 is the session of PLAN, with every replan a tail; run 2 needs no replan."""
    cli.files({"asked.yaml": PLAN})
    assert cli("run", "asked.yaml", "--granularity", "tail", "-q").code == 1
    assert cli("run", "plan.yaml", "-q").code == 0
    return cli


ASKED: dict[str, tuple[str, Done]] = {
    "the last one asked, though nothing came of it": ("1", Done(0, GAVE_UP, NO_VERSION)),
    "without the note": ("1 -q", Done(0, GAVE_UP, "")),
    "the one that led to a version": ("1 v2", Done(0, ASKED_AGAIN, SIZE)),
    "a version by its number": ("1 2", Done(0, ASKED_AGAIN, SIZE)),
    "a version of a run": ("1:v2", Done(0, ASKED_AGAIN, SIZE)),
    "the first plan": ("1 v1", Done(2, "", "replanctl: no replan led to v1 of run 1\n  replans led to v2\n")),
    "no such version": ("1 v9", Done(2, "", "replanctl: run 1 has no version v9\n  its last one is v2\n")),
    "the latest run, which was not replanned": (
        "",
        Done(2, "", "replanctl: no replan was asked for in run 2\n  replanctl show 2 tells how it went\n"),
    ),
    "no such run": ("9", Done(2, "", "replanctl: there is no run 9 in store\n  replanctl runs lists them\n")),
    "no run at all": (
        "x",
        Done(
            2,
            "",
            "replanctl: Invalid value for 'RUN': 'x' is not a run (7), a version (v2) or a version of a run (7:v2)\n"
            "  replanctl prompt --help\n",
        ),
    ),
}


@pytest.mark.parametrize(("words", "done"), ASKED.values(), ids=ASKED)
def test_prompt(ran: Cli, words: str, done: Done) -> None:
    assert ran("prompt", *words.split()) == done


def test_json_holds_the_exact_text(ran: Cli) -> None:
    assert json.loads(ran("prompt", "1", "v2", "--format", "json").out) == {
        "schema_version": 1, "run": 1, "version": "v2", "asked_in": "v1", "step_id": "2", "granularity": "tail",
        "prompt": ASKED_AGAIN.rstrip("\n"), "observed": 482,
    }  # fmt: skip


def test_a_resumed_run_is_asked_about_as_it_went_on(ran: Cli) -> None:
    ran.files({"works.yaml": "outcomes: [{match: {tool: phone, version: 2}, returns: [empty]}]\n"})
    ran("resume", "1", "--outcomes", "works.yaml", "--granularity", "patch", "-q")
    assert "Replan (patch): Replace the failed step, and its direct" in ran("prompt", "1").out
    assert ran("prompt", "1", "v2") == Done(0, ASKED_AGAIN, SIZE)


def test_what_the_observations_would_have_added_is_said_below_the_text(cli: Cli) -> None:
    """A result of 4,000 characters is carried as 40; a void one would not have been carried either."""
    cli.files(
        {
            "long.yaml": PLAN.replace(
                "outcomes:\n",
                """\
outcomes:
  - {match: {tool: look, args: {at: a}}, returns: [{status: ok, value: %s}]}
"""
                % ("x" * 4000),
            ).replace("cause: sold", "verdicts: {E1: discard}\n    cause: sold")
        }
    )
    cli("run", "long.yaml", "--granularity", "tail", "-q")
    first = cli("prompt", "1", "v2")
    assert "x" * 41 not in first.out
    assert first.err.split(";")[1] == " with the observations carried it would be 4,480 characters, some 1,120 tokens\n"


def test_nothing_in_a_prompt_acts_on_a_terminal(cli: Cli) -> None:
    cli.files({"nasty.yaml": PLAN.replace("wrong number", '"\\e[31m[bold]\\u202eno"')})
    cli("run", "nasty.yaml", "--granularity", "patch", "-q")
    asked = cli("prompt", "1", "-q")
    assert "Failure: semantic: ⟨U+001B⟩[31m[bold]⟨U+202E⟩no\n" in asked.out
    assert "\x1b[31m[bold]\u202eno" in json.loads(cli("prompt", "1", "--format", "json").out)["prompt"]


def test_a_run_that_does_not_come_out_again_is_not_made_up(ran: Cli) -> None:
    with Store.open(ran.store, create=True) as store:
        first, *others = store.events(1)
        with store.begin(store.inputs(1), goal="find the prize", started=NOW) as writer:
            for event in (msgspec.structs.replace(first, goal="find the prize"), *others):
                writer.append(event)
    assert ran("prompt") == Done(
        4,
        "",
        "replanctl: run 3 does not come out as it was stored from event 0 on\n"
        "  replanctl replay 3 says where they part\n",
    )
