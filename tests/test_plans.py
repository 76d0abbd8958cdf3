"""Each example plan ends as it says it does, and says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from replanctl.files import load_rehearsal
from replanctl.host.expect import mismatches
from replanctl.host.rehearse import session_of
from replanctl.replan.gates import REASONS
from replanctl.run.fold import fold
from tests.cli.conftest import Cli
from tests.conftest import ROOT
from tests.test_cases import PLANS


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: plan.stem)
def test_it_ends_as_it_says(plan: Path, root_cli: Cli) -> None:
    rehearsal = load_rehearsal(plan)
    assert rehearsal.expect is not None
    assert {"exit", "reason", "routes"} <= rehearsal.expect.keys()
    assert mismatches(rehearsal.expect, fold(session_of(rehearsal, rehearsal.policy).events())) == []
    assert root_cli("run", plan, "-q").code == rehearsal.expect["exit"]


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: plan.stem)
def test_nothing_is_wrong_with_it(plan: Path, root_cli: Cli) -> None:
    assert root_cli("validate", plan).code == 0


def test_there_is_one_for_each_gate() -> None:
    assert {plan.stem for plan in (ROOT / "plans" / "gates").glob("*.yaml")} == set(REASONS.values())


@pytest.mark.parametrize("reason", REASONS.values())
def test_it_stops_at_the_gate_it_is_named_after(reason: str) -> None:
    expect = load_rehearsal(ROOT / "plans" / "gates" / f"{reason}.yaml").expect
    assert expect is not None
    assert (expect["reason"], REASONS[expect["handover"]["gate"]["gate"]]) == (reason, reason)
