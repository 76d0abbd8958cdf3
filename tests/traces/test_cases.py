"""Each recording in `cases/` beside the rehearsals that must come out of it, or why none does.

`REPLANCTL_BLESS=1` writes what comes out; it is looked at before it is kept.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from replanctl import rehearse
from replanctl.files import Role, Source, parse_rehearsal
from replanctl.traces import Imported, import_traces
from tests.conftest import ROOT
from tests.traces.making import run

CASES = Path(__file__).parent / "cases"
RECORDINGS = sorted(path for path in CASES.iterdir() if path.suffix != ".yaml")


def came_out(path: Path) -> list[Imported]:
    return list(import_traces(path, solved="/reward=1.0"))


def told(imported: Imported) -> Iterator[str]:
    """What came of one trace: its report in a few lines, and the rehearsal."""
    report = imported.report
    if report.refused:
        yield f"# refused {report.id or '-'} at {report.place.rpartition('/')[2]}: {report.refused}"
        yield f"#   {report.hint}" if report.hint else "#"
    else:
        counts = f"{report.attempts} attempts, {report.bound} bound, {report.versions} versions"
        yield f"# {report.name}: {report.kind}, {counts}"
        yield from (f"# missing: {what}" for what in report.missing)
        yield from (f"# left out: {what}" for what in report.left_out)
        yield (imported.text or "").rstrip()
    yield ""


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.name)
def test_what_must_come_out(path: Path) -> None:
    text = "\n".join(line for imported in came_out(path) for line in told(imported))
    expected = path.with_name(f"{path.name}.yaml")
    if os.environ.get("REPLANCTL_BLESS"):
        expected.write_text(text, encoding="utf-8")
    assert text == expected.read_text(encoding="utf-8")


def test_the_example_is_what_comes_out() -> None:
    (found,) = import_traces(ROOT / "plans" / "recorded" / "spans.jsonl")
    assert found.text == (ROOT / "plans" / "recorded" / "refund.yaml").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.name)
def test_every_rehearsal_goes_the_recorded_way(path: Path) -> None:
    for imported in came_out(path):
        report = imported.report
        assert report.refused or report.parting is None
        assert report.refused or report.faithful is (None if report.kind == "rewoo" else True)


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.name)
def test_every_rehearsal_is_sound(path: Path) -> None:
    for imported in came_out(path):
        if imported.text is not None:
            rehearsal = parse_rehearsal([Source("it.yaml", Role.PLAN, imported.text)])
            assert rehearsal.warnings == ()
            assert rehearsal.recorded is not None
            assert rehearsal.recorded.bound == imported.report.bound


def test_a_step_that_comes_by_a_later_ones_number_is_not_given_its_answers(tmp_path: Path) -> None:
    calls = ("find", {"x": 1}, "there"), ("book", {"x": "there"}, "Error: full"), ("wait", {"x": 3}, "waited")
    (found,) = import_traces([run(*calls)])
    path = tmp_path / "it.yaml"
    path.write_text(found.text or "")
    # The tail of a fault in step 1 lists `book` again as step 3, which is the number of the recorded `wait`.
    done = rehearse(path, faults=["1=semantic"])
    third = next(execution for execution in done.history if execution.step_id == "3")
    assert (third.tool, third.status, third.error and third.error.error_msg) == ("book", "failed", "Error: full")
