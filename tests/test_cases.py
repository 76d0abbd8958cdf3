"""Every golden case says what it must, every example plan has one, and what must hold for every plan holds for them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.cli.conftest import Cli
from tests.conftest import ROOT
from tests.transcript import Case, transcript

CASES = sorted((ROOT / "tests" / "cases").glob("*.yaml"))
PLANS = sorted(file for file in (ROOT / "plans").rglob("*.yaml") if not file.stem.endswith(".outcomes"))


@pytest.mark.parametrize("file", CASES, ids=lambda file: file.stem)
def test_case(file: Path, root_cli: Cli) -> None:
    case = Case.read(file)
    said = transcript(case, root_cli)
    if os.environ.get("REPLANCTL_BLESS"):
        case.write(file, said)
        case = Case.read(file)
    assert said == case.expected


def test_every_example_plan_has_a_case() -> None:
    told = {word for file in CASES for words in Case.read(file).commands for word in words}
    assert {str(plan.relative_to(ROOT)) for plan in PLANS} - told == set()
