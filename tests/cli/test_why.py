"""`why`: which run and which step, and how they are written."""

from __future__ import annotations

import json

import pytest

from tests.cli.conftest import Cli, Done

SKIPPED = """\
  ○ step 3 of run 2: skipped

  start   took   step                                     tool
  v1
               + 3  write it up                           write  rests on 2
     2s        ○ 3  write it up                           blocked by 2

  because of step 2 (failed): permission: denied
  session    failed, escalated: step 2 needs a person: permission
"""


@pytest.fixture
def ran(cli: Cli) -> Cli:
    """Run 1 was replanned, run 2 was handed over."""
    assert cli("run", "plan.yaml", "--outcomes", "shape.yaml", "--granularity", "tail", "-q").code == 0
    assert cli("run", "plan.yaml", "--outcomes", "denied.yaml", "-q").code == 1
    return cli


def test_the_latest_run_is_told_of(ran: Cli) -> None:
    assert ran("why", "3") == Done(0, SKIPPED, "")
    assert ran("why", "3", "--run", "2") == Done(0, SKIPPED, "")
    assert ran("why", "3", "--run", "1").out.startswith("  ✓ step 3 of run 1: done, as step 4\n  lineage    3 → 4\n")


def test_the_document(ran: Cli) -> None:
    done = ran("why", "2", "--run", "1", "--format", "json")
    document = json.loads(done.out)
    assert list(document) == [
        "schema_version", "run", "step_id", "line", "state", "entries", "blockers", "stop", "ending",
    ]  # fmt: skip
    assert (document["run"], document["line"], document["state"]) == (1, ["2"], "done")
    start, failed, revised, done_ = document["entries"]
    assert [entry["type"] for entry in document["entries"]] == ["change", "execution", "change", "execution"]
    assert (start["version"], start["old"], revised["rule"]) == ("v1", None, "override")
    assert failed["signal"]["cause"] == "sold by quote"
    assert [event["type"] for event in failed["answer"]] == [
        "route", "lesson", "gate", "gate", "gate", "plan.draft", "gate", "gate", "plan.diff",
    ]  # fmt: skip
    assert done_["ended"]["value"] == 7


@pytest.mark.parametrize(("words", "said"), {
    "22": "replanctl: no plan of run 2 has a step 22\n  did you mean 2?\n",
    "x --run 1": "replanctl: no plan of run 1 has a step x\n  known here: 1, 2, 3, 4\n",
    "1 --run 9": "replanctl: there is no run 9 in store\n  replanctl runs lists them\n",
    "1 --run 0": "replanctl: Invalid value for '--run': '0' is not a whole number from 1\n  replanctl why --help\n",
}.items())  # fmt: skip
def test_what_is_not_there(ran: Cli, words: str, said: str) -> None:
    assert ran("why", *words.split()) == Done(2, "", said)
