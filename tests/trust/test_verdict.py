"""The verdict agrees with itself: text, JSON, JSON lines, hand-over, list of runs and exit code say the same."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from replanctl.replan.gates import REASONS
from replanctl.show.words import REASONS as WORDS
from replanctl.show.words import number, plural, reading
from tests.cli.conftest import Done
from tests.conftest import ROOT
from tests.run.test_reasons import SESSIONS
from tests.trust.conftest import WideCli

COMPLETED = ("goal_met", "goal_met_with_gaps")
GATES = sorted((ROOT / "plans" / "gates").glob("*.yaml"))


class Verdict(NamedTuple):
    """How a session ended, as one of its tellers has it."""

    status: str
    reason: str
    code: int


def session(reason: str, wide: WideCli) -> list[str]:
    """The words that run a session which ends for this reason."""
    plan, outcomes, policy, _ = SESSIONS[reason]
    given = {"outcomes": outcomes, "policy": policy}
    wide.files({"plan.yaml": plan, **{f"{name}.yaml": text for name, text in given.items() if text}})
    return [
        "run",
        "plan.yaml",
        *(word for name, text in given.items() if text for word in (f"--{name}", f"{name}.yaml")),
    ]


def closing(text: str) -> str:
    """The last sentence of a screen, unfolded, without what to do next."""
    ending = r"^ *(?:[✓◐✗] )?(Goal (?:not )?met\b.*?\.)\s*(?:Next:|\Z)"
    return re.sub(r"\s+", " ", re.findall(ending, text, re.DOTALL | re.MULTILINE)[-1])


def told_in_text(done: Done) -> Verdict:
    """What the closing line says."""
    said = closing(done.out)
    if said.startswith("Goal not met"):
        found = re.search(r"\((\w+)(?:, [^)]*)?\)\. ", said)
        assert found, said
        assert WORDS[found[1]] in said
        return Verdict("failed", found[1], done.code)
    met = [reason for reason in COMPLETED if said.startswith(f"{WORDS[reason]} ")]
    return Verdict("completed", met[-1], done.code)


def told_in_json(done: Done) -> Verdict:
    """What the document says; its hand-over, if there is one, says the same."""
    document = json.loads(done.out)
    handover = document["handover"]
    assert (handover is None) is (document["status"] == "completed")
    assert handover is None or handover["reason"] == document["reason"]
    return Verdict(document["status"], document["reason"], done.code)


def told_in_lines(done: Done) -> Verdict:
    """What the last event says, which is the only one of its kind."""
    events = [json.loads(line) for line in done.out.splitlines()]
    ends = [event for event in events if event["type"] == "session.complete"]
    assert ends == events[-1:]
    return Verdict(ends[0]["status"], ends[0]["reason"], done.code)


TELLERS = {"text": told_in_text, "json": told_in_json, "jsonl": told_in_lines}


def verdicts(words: list[str], wide: WideCli) -> Iterator[Verdict]:
    """What every way to run a session and to look at it says."""
    for form, told in TELLERS.items():
        done = wide(*words, "--format", form)
        yield told(done)
        yield told(wide(*words, "--format", form, "--no-store"))
        written = wide(*words, "--format", form, "-o", "out")
        yield told(Done(written.code, Path("out").read_text(encoding="utf-8"), ""))
        assert written.out == ""
    yield told_in_text(wide(*words, "-q"))
    code = wide(*words, "-q").code
    yield told_in_text(wide("show")._replace(code=code))
    yield told_in_json(wide("show", "--format", "json")._replace(code=code))
    row = json.loads(wide("runs", "--format", "json").out)["runs"][-1]
    yield Verdict(row["status"], row["reason"], code)
    assert f"{'✓' if code == 0 else '✗'} {row['reason']} " in wide("runs").out.splitlines()[-1]
    assert wide("replay").code == 0


@pytest.mark.parametrize("reason", SESSIONS)
def test_every_teller_says_the_same(reason: str, wide: WideCli) -> None:
    expected = Verdict("completed", reason, 0) if reason in COMPLETED else Verdict("failed", reason, 1)
    assert set(verdicts(session(reason, wide), wide)) == {expected}
    handed = wide("show", "--handover")
    assert handed.out.split()[:2] == (["The", "session"] if expected.code == 0 else ["reason", f"{reason}:"])


@pytest.mark.parametrize("plan", GATES, ids=lambda plan: plan.stem)
def test_every_teller_names_the_gate(plan: Path, wide: WideCli) -> None:
    reason = plan.stem
    assert set(verdicts(["run", str(plan)], wide)) == {Verdict("failed", reason, 1)}
    document = json.loads(wide("show", "--format", "json").out)
    gate = document["handover"]["gate"]
    assert REASONS[gate["gate"]] == reason
    assert [row for row in document["gates"] if not row["admitted"]] == [gate] == document["gates"][-1:]
    text = wide("show").out
    against = f"{reading(gate['gate'], gate['reading'])}/{reading(gate['gate'], gate['limit'])}"
    assert f"at step {gate['step_id']} ({reason}, {against})" in closing(text)
    assert f"{against} ✗" in text
    assert len(re.findall(rf"^ +(?:stopped|gave up) .*\({reason}\)", re.sub(r"\n {18,}", " ", text), re.MULTILINE)) == 1
    assert f"step {gate['step_id']} in {gate['version']}" in re.sub(r"\s+", " ", wide("show", "--handover").out)


@pytest.mark.parametrize("reason", SESSIONS)
def test_the_figures_of_the_closing_line_are_those_of_the_document(reason: str, wide: WideCli) -> None:
    words = session(reason, wide)
    said = closing(wide(*words).out).replace("\u00a0", " ")
    document: dict[str, Any] = json.loads(wide("show", "--format", "json").out)
    totals, replans = document["ledger"]["totals"], len(document["revisions"])
    assert f"{document['seconds']:g}s of session time, {number(totals['all'])} tokens" in said
    assert (f"{number(totals['remedy'])} of them to recover from failures" in said) is (totals["remedy"] > 0)
    assert (f"after {plural(replans, 'replan')}" in said) is (replans > 0)


@pytest.mark.parametrize("reason", SESSIONS)
def test_a_run_that_is_taken_up_again_agrees_with_itself(reason: str, wide: WideCli) -> None:
    code = wide(*session(reason, wide), "-q").code
    again = wide("resume")
    if code == 0:
        assert again == Done(0, "", f"run 1 is completed ({reason}): there is nothing to resume\n")
        return
    told = told_in_text(again)
    assert told == told_in_json(wide("show", "--format", "json")._replace(code=again.code))
    assert told == told_in_text(wide("show")._replace(code=again.code))
    assert told.code == (0 if told.status == "completed" else 1)
    assert wide("replay").code == 0


@pytest.mark.parametrize("reason", sorted(set(SESSIONS) - set(COMPLETED)))
def test_what_to_do_next_can_be_done(reason: str, wide: WideCli) -> None:
    """Every command that the hand-over names is one that runs."""
    wide(*session(reason, wide), "-q")
    wide.files({"FIXED.yaml": "outcomes: []\n"})
    for command in json.loads(wide("show", "--format", "json").out)["handover"]["next"]:
        program, *words = command.split()
        done = wide(*words)
        assert (program, done.code) in (("replanctl", 0), ("replanctl", 1)), (command, done)
        assert not done.err.startswith("replanctl: ")


def test_the_step_to_look_at_is_the_one_that_stopped_the_session(wide: WideCli) -> None:
    wide.files({
        "plan.yaml": "goal: g\nsteps:\n"
                     "  - {id: 1, tool: t}\n"
                     "  - {id: 2, tool: u, depends_on: [], on_failure: defer}\n",
        "outcomes.yaml": "outcomes: [{match: {tool: t}, returns: [denied]}, {match: {tool: u}, returns: [shape]}]\n",
    })  # fmt: skip
    wide("run", "plan.yaml", "--outcomes", "outcomes.yaml")
    handed = json.loads(wide("show", "--format", "json").out)["handover"]
    assert handed["next"][0] == "replanctl why 1 --run 1"
