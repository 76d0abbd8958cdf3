"""Every page: whole, in order, without a script, the same each time; and on it what was to be told."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from replanctl.report.lab import short_names
from tests.cli.conftest import Cli
from tests.report.conftest import DOCUMENTS, PLANS, document, page
from tests.report.reading import checked
from tests.test_cases import PLANS as EXAMPLES


@pytest.mark.parametrize("plan", EXAMPLES, ids=lambda plan: plan.stem)
def test_the_page_of_every_example_is_whole_and_the_same_each_time(cli: Cli, plan: Path) -> None:
    text = page(cli, plan)
    checked(text)
    assert page(cli, plan) == text
    assert "run 1" not in text and not cli.store.exists(), "a rehearsal is not kept"


@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_page_of_every_document_is_whole_and_the_same_each_time(cli: Cli, name: str) -> None:
    file = document(cli, name)
    text = page(cli, file)
    checked(text)
    assert page(cli, file) == text


@pytest.mark.parametrize("name", DOCUMENTS)
def test_no_page_says_where_it_was_made(cli: Cli, name: str, tmp_path: Path) -> None:
    text = page(cli, document(cli, name))
    assert str(PLANS) not in text and str(tmp_path) not in text
    assert not re.search(r"https?://|\b20\d\d-\d\d-\d\d", text)


def test_a_plan_makes_the_same_page_wherever_it_lies(cli: Cli) -> None:
    shutil.copytree(PLANS, "elsewhere")
    assert page(cli, "elsewhere/vendors.yaml") == page(cli, PLANS / "vendors.yaml")


def test_the_page_of_a_run_tells_all_of_it(cli: Cli) -> None:
    found = checked(page(cli, PLANS / "gates" / "step_breaker.yaml"))
    assert found.text_in("h2") == [
        "Hand-over", "Timeline", "Plan versions", "Failures and decisions", "Gates", "Effects", "Lessons", "Tokens",
        "Prompts", "Warnings",
    ]  # fmt: skip
    assert found.text_in("h3")[2:] == [
        "v1", "v2", "v3", "v4", "v4 as it ended", "Prompt 1, for v2", "Prompt 2, for v3", "Prompt 3, for v4",
    ]  # fmt: skip
    assert "the same failure kept coming back" in found.text
    assert "per_step: replans for this same failure" in found.text
    assert "Plan: 1 revised, 1 listed again, 0 kept." in found.text


def test_every_prompt_is_there_letter_by_letter(cli: Cli) -> None:
    cli("run", PLANS / "vendors.yaml", "-q")
    asked = cli("prompt", "1:v2", "-q").out
    found = checked(page(cli, "1"))
    assert "".join(found.text_in("pre")) == asked.removesuffix("\n")


def test_a_bar_shows_when_each_call_was_made(cli: Cli) -> None:
    """Step 2 fails from 1s to 2s, waits for a second and is answered from 3s to 4s; a result knows less."""
    cli.files({"waits.yaml": WAITS})
    rects = [(each["class"], each["x"], each["width"]) for each in checked(page(cli, "waits.yaml")).all("rect")]
    assert rects[:4] == [
        ("done", "0.0", "150.0"), ("failed", "150.0", "150.0"), ("wait", "300.0", "150.0"), ("done", "450.0", "150.0"),
    ]  # fmt: skip
    result = cli("run", "waits.yaml", "--no-store", "--format", "json").out
    Path("result.json").write_text(result, encoding="utf-8")
    rects = [(each["class"], each["x"], each["width"]) for each in checked(page(cli, "result.json")).all("rect")]
    assert rects[:2] == [("done", "0.0", "150.0"), ("done", "150.0", "450.0")]


WAITS = """\
goal: wait for an answer
steps: [{id: 1, tool: look}, {id: 2, tool: look}]
policy: {retry: {max_attempts: 3}}
outcomes: [{match: {step: 2}, returns: [unavailable, ok]}]
"""


def test_a_long_value_is_cut_and_its_size_said(cli: Cli) -> None:
    cli.files({"long.yaml": f"goal: g\nsteps: [{{id: 1, tool: t, args: {{text: {'x' * 5_000}}}}}]\n"})
    text = page(cli, "long.yaml")
    assert "x" * 241 not in text
    assert "(5.0 kB in all)" in checked(text).text


def test_of_very_many_executions_the_first_and_the_last_are_shown(cli: Cli) -> None:
    steps = "\n".join(f"  - {{id: {number}, tool: t}}" for number in range(1, 1_001))
    cli.files({"many.yaml": f"goal: g\nsteps:\n{steps}\npolicy: {{gates: {{max_steps: null}}}}\n"})
    text = page(cli, "many.yaml")
    found = checked(text)
    assert "The first and the last 200 are shown; 600 between them are not." in found.text
    assert len(text) < 700_000


def test_a_cell_of_the_grid_is_a_mark_and_words(cli: Cli) -> None:
    found = checked(page(cli, document(cli, "matrix")))
    cells = [text for text, around in found.texts if around[-3:] == ("td", "span", "span")]
    assert {"1", "‼", "✗"} <= set(cells)
    assert {"goal met after 1 replan", "handed over to a person", "stopped short"} <= set(cells)


@pytest.mark.parametrize(
    ("names", "short"),
    [
        (["/home/me/plans/a.yaml"], ["a.yaml"]),
        (["/home/me/plans/a.yaml", "/home/me/plans/b.yaml"], ["a.yaml", "b.yaml"]),
        (["/home/me/a/x.yaml", "/home/me/b/x.yaml"], ["a/x.yaml", "b/x.yaml"]),
        (["x.yaml", "/home/me/x.yaml"], ["x.yaml", "/home/me/x.yaml"]),
        (["C:\\me\\x.yaml", "C:\\me\\y.yaml"], ["x.yaml", "y.yaml"]),
        ([], []),
    ],
)
def test_names_of_rehearsals_are_told_apart_without_their_folders(names: list[str], short: list[str]) -> None:
    assert list(short_names(names).values()) == short
