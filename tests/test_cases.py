"""Every golden case says what it must, every example plan has one, and what must hold for every plan holds for them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from replanctl.files import Role, Source, parse_rehearsal
from tests.cli.conftest import Cli
from tests.conftest import ROOT
from tests.properties.laws import LAWS
from tests.properties.run import run
from tests.transcript import Case, transcript

CASES = sorted((ROOT / "tests" / "cases").glob("*.yaml"))
PLANS = sorted(file for file in (ROOT / "plans").rglob("*.yaml") if not file.stem.endswith(".outcomes"))


def beside(source: Source) -> list[Source]:
    """The outcomes beside an example plan."""
    file = (ROOT / source.name).with_suffix(".outcomes.yaml")
    return [Source(file.name, Role.OUTCOMES, file.read_text(encoding="utf-8"))] if file.exists() else []


def sources() -> Iterator[Source]:
    """The example plans, and the plans that cases hold themselves."""
    for plan in PLANS:
        yield Source(str(plan.relative_to(ROOT)), Role.PLAN, plan.read_text(encoding="utf-8"))
    for file in CASES:
        head = Case.read(file).head
        if "\nsteps:" in head and file.stem != "invalid":
            yield Source(file.stem, Role.PLAN, head)


REHEARSALS = list(sources())


@pytest.mark.parametrize("file", CASES, ids=lambda file: file.stem)
def test_case(file: Path, root_cli: Cli) -> None:
    case = Case.read(file)
    said = transcript(case, root_cli)
    if os.environ.get("REPLANCTL_BLESS"):
        case.write(file, said)
        case = Case.read(file)
    assert said == case.expected


@pytest.mark.parametrize("source", REHEARSALS, ids=lambda source: source.name)
def test_it_obeys_every_law(source: Source) -> None:
    told = run(parse_rehearsal([source, *beside(source)]))
    assert [(law.__name__, what) for law in LAWS for what in law(told)] == []


def test_every_example_plan_has_a_case() -> None:
    told = {word for file in CASES for words in Case.read(file).commands for word in words}
    assert {str(plan.relative_to(ROOT)) for plan in PLANS} - told == set()
