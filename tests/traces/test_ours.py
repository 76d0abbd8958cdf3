"""Runs of our own, as rehearsals again."""

from __future__ import annotations

import json

import pytest

from replanctl.traces import import_traces
from tests.cli.conftest import Cli
from tests.traces.making import steps_of


@pytest.mark.parametrize("how", ["json", "jsonl"])
def test_a_run_comes_out_the_same(how: str, cli: Cli) -> None:
    made = cli("run", "plan.yaml", "--outcomes", "shape.yaml", "--format", how, "--no-store")
    (found,) = import_traces(made.out.splitlines())
    assert (found.report.kind, found.report.statuses) == ("run", {"ok": 3, "shape": 1})
    assert (found.report.end, found.report.faithful) == ("completed", True)
    assert [step["tool"] for step in steps_of(found).values()] == ["look", "look", "look", "write"]


def test_retries_are_attempts(cli: Cli) -> None:
    cli.files({"slow.yaml": "outcomes: [{match: {step: 2}, returns: [timeout, timeout, ok]}]\n"})
    made = cli("run", "plan.yaml", "--outcomes", "slow.yaml", "--format", "json", "--no-store")
    (found,) = import_traces([json.loads(made.out)])
    assert (found.report.steps, found.report.statuses) == (3, {"ok": 3, "timeout": 2})


def test_events_without_their_beginning_are_refused(cli: Cli) -> None:
    made = cli("run", "plan.yaml", "--format", "jsonl", "--no-store")
    found = list(import_traces(made.out.splitlines()[3:5]))
    assert [each.report.refused for each in found] == ["the events before this one are missing: no session.start"] * 2
