"""`report`: what it takes, where the page goes, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Cli


@pytest.fixture
def stored(cli: Cli) -> Cli:
    """Two runs: one that completes after a replan, and one that was handed over."""
    cli("run", "plan.yaml", "--outcomes", "shape.yaml", "-q")
    cli("run", "plan.yaml", "--outcomes", "denied.yaml", "-q")
    return cli


def test_a_run_by_number_or_the_latest(stored: Cli) -> None:
    first, second, latest = (stored("report", *words) for words in (["1"], ["2"], []))
    assert (first.code, second.code) == (0, 0), "the page was asked for, however the run ended"
    assert latest == second != first
    assert ": run 1</title>" in first.out and ": run 2</title>" in second.out


def test_it_goes_to_a_file_whole(stored: Cli) -> None:
    said = stored("report", "1").out
    assert stored("report", "1", "-o", "run.html") == (0, "", "")
    assert Path("run.html").read_text(encoding="utf-8") == said


def test_events_make_the_page_of_the_run_but_for_the_prompts(stored: Cli) -> None:
    line = ("run", "plan.yaml", "--outcomes", "shape.yaml", "--no-store", "--format", "jsonl")
    Path("events.jsonl").write_text(stored(*line).out, encoding="utf-8")
    events, rehearsal = stored("report", "events.jsonl").out, stored("report", "1").out.replace("run 1<", "rehearsal<")
    assert events.partition('<section aria-labelledby="prompts"')[0] == _without(rehearsal)
    assert "A result does not hold them" in events


def _without(page: str) -> str:
    return page.partition('<section aria-labelledby="prompts"')[0]


def test_a_rehearsal_from_standard_input(cli: Cli) -> None:
    said = cli("report", "-", stdin=Path("plan.yaml").read_text(encoding="utf-8"))
    assert said == cli("report", "plan.yaml") and said.code == 0


def test_a_run_that_is_resumed_says_so(stored: Cli) -> None:
    stored("resume", "2", "--outcomes", "shape.yaml", "-q")
    assert "taken up again" in stored("report", "2").out


REFUSED = {
    "report 9": "there is no run 9",
    "report nothing.yaml": "can't be read",
    "report broken.json": "looks like the matrix that replanctl writes, but",
    "report stats.json": "is by replanctl, but nothing that there is a page for",
    "report tail.jsonl": "tail.jsonl:1: this is no event that follows the one before it",
    "report trace.json": "this is no plan: it looks like messages of an agent",
    "report plan.yaml -o plan.yaml": "would overwrite plan.yaml, which is read",
    "report other.yaml -o other.outcomes.yaml": "would overwrite other.outcomes.yaml, which is read",
    "report broken.json -o broken.json": "would overwrite broken.json, which is read",
    "report 1 -o store/runs.db": "would overwrite the store",
    "report plan.yaml -o store/runs.db": "would overwrite the store",
    "report 1 -o nowhere/run.html": "nowhere/run.html can't be written",
}


@pytest.mark.parametrize(("line", "why"), REFUSED.items())
def test_what_is_refused_says_why_and_leaves_everything_as_it_was(stored: Cli, line: str, why: str) -> None:
    events = stored("run", "plan.yaml", "--no-store", "--format", "jsonl").out
    stored.files({
        "broken.json": '{"schema_version": 1, "plans": 3, "honest": ""}\n', "trace.json": '[{"role": "user"}]\n',
        "stats.json": stored("stats", "--format", "json").out, "tail.jsonl": "\n".join(events.splitlines()[-3:]),
        "other.yaml": "goal: g\nsteps: [{id: 1, tool: t}]\n", "other.outcomes.yaml": "outcomes: []\n",
    })  # fmt: skip
    before = {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()}
    done = stored(*line.split())
    assert (done.code, done.out) == (2, "") and why in done.err
    assert {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()} == before


def test_a_damaged_run_is_named(stored: Cli) -> None:
    database = stored.store / "runs.db"
    data = database.read_bytes()
    database.write_bytes(data.replace(b"find the price", b"find the prize"))
    assert stored("report", "1").code == 3
