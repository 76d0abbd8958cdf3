"""`explain`: a word, a kind, a page, all of them, and what there is nothing on."""

from __future__ import annotations

import pytest

from replanctl.docs import page_names
from tests.cli.conftest import Cli, Done

SKIP = """\
  skip  on_failure
    The step stays failed and what depends on it is skipped; everything else
    goes on. Nothing is replanned, and the session can still end as
    goal_met_with_gaps.

  skip  settling
    Let it be: the step is treated as if it said on_failure: skip.
"""


def without_pages(text: str) -> str:
    """What was said, without the lines that lead to a page."""
    return "".join(line for line in text.splitlines(keepends=True) if not line.lstrip().startswith("more "))


def test_a_word_is_shown_in_all_that_it_means(cli: Cli) -> None:
    done = cli("explain", "skip")
    assert (done.code, without_pages(done.out), done.err) == (0, SKIP, "")


def test_words_may_have_spaces(cli: Cli) -> None:
    assert cli("explain", "no", "such", "step") == cli("explain", "no-such-step")
    assert "no such step  unread reference\n" in cli("explain", "no", "such", "step").out


def test_what_the_tables_say_stands_below_the_words(cli: Cli) -> None:
    said = cli("explain", "max_replans").out
    assert "    default  5\n    ends as  replan_budget\n    go on    replanctl resume RUN --max-replans +2\n" in said
    assert "    cuts   tail\n    asked  12 of 12" in cli("explain", "wide-radius").out


def test_all_words_fit_a_screen(cli: Cli) -> None:
    done = cli("explain")
    lines = done.out.splitlines()
    assert (done.code, done.err) == (0, "")
    assert len(lines) <= 24 and max(map(len, lines)) <= 80
    assert any(line.startswith("  rules          goal-changed, override,") and line.endswith(" more") for line in lines)


def test_a_kind_lists_its_words(cli: Cli) -> None:
    said = cli("explain", "reasons").out
    assert said.startswith("  reasons\n    goal_met ")
    assert "insufficient_evidence  Too little came out" in said


@pytest.mark.parametrize(("asked", "hint"), [
    (["wide-radios"], "did you mean wide-radius or min_radius?"), (["qqqq"], "replanctl explain lists all words"),
])  # fmt: skip
def test_what_there_is_nothing_on(cli: Cli, asked: list[str], hint: str) -> None:
    assert cli("explain", *asked) == Done(2, "", f"replanctl: there is nothing on {asked[0]}\n  {hint}\n")


@pytest.mark.parametrize("width", [20, 40, 80, 120, 200])
def test_nothing_is_wider_than_asked(cli: Cli, width: int) -> None:
    cli.environ["COLUMNS"] = str(width)
    for asked in ([], ["max_steps"], ["rules"], ["step.end"], ["args"]):
        assert max(map(len, cli("explain", *asked).out.splitlines())) <= width, asked


def test_colour_changes_no_word(cli: Cli) -> None:
    import re

    plain, coloured = cli("explain", "timeout").out, cli("explain", "timeout", "--color", "always").out
    assert coloured != plain == re.sub(r"\x1b\[[0-9;]*m", "", coloured)


@pytest.mark.parametrize("name", page_names())
def test_a_page_is_shown(cli: Cli, name: str) -> None:
    done = cli("explain", name)
    assert (done.code, done.err) == (0, "")
    assert len(done.out.splitlines()) > 5
    assert "](" not in done.out and "| ---" not in done.out and "```" not in done.out
