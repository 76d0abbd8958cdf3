"""A plan drawn: the list by levels, and what Mermaid and Graphviz read."""

from __future__ import annotations

import html
import re

import pytest

from replanctl.plan.model import Step, StepState
from replanctl.show.graph import Picture, dot, graph_screen, levels_of, mermaid
from replanctl.show.text import clean
from tests.show.golden import drawn

DONE, FAILED, SKIPPED = StepState.DONE, StepState.FAILED, StepState.SKIPPED


def step(id_: str, *after: str, action: str = "look it up", tool: str = "look") -> Step:
    return Step(id_, tool, action=action, depends_on=after)


STEPS = (
    step("sum", "1", "b", action="add it all up and then write a page about what came of it", tool="write"),
    step("1"),
    step("b", action="比较价格"),
    step("c", "b", tool="look it up"),
    step("9", "sum", "c"),
)
STATES = {"1": DONE, "b": FAILED, "c": SKIPPED, "sum": StepState.RUNNING, "9": StepState.PENDING}
PLAN = Picture("Compare prices", (), STEPS)
RUN = Picture("Compare prices", ("run 7", "v2"), STEPS, STATES)

HOSTILE = (
    '"quoted"', "<b>bold</b>", "a & b &lt; #quot; #35;", "back\\slash \\N", "`code` **bold**", '"] --> evil["',
    "%%{init: {}}%%", "style a:b #35; c", "end", "1. first", "red \x1b[31m", "left\u202eright", "two\nlines", "[/x]",
)  # fmt: skip


def test_the_list_of_a_run() -> None:
    assert (
        drawn(lambda paper: graph_screen(paper, RUN))
        == """\
  Compare prices
  run 7 · v2 · 5 steps on 3 levels
  ✓ 1 done  ✗ 1 failed  ○ 1 skipped  ! 1 running  1 pending

  1 ✓ 1    look it up                                   look
    ✗ b    比较价格                                     look
  2 ! sum  add it all up and then write a page about…   write       after 1, b
    ○ c    look it up                                   look it up  after b
  3   9    look it up                                   look        after sum, c
"""
    )


def test_the_list_of_a_plan_has_no_states() -> None:
    assert (
        drawn(lambda paper: graph_screen(paper, Picture("Compare prices", (), STEPS[1:3])))
        == """\
  Compare prices
  2 steps on 1 level

  1   1  look it up                            look
      b  比较价格                              look
"""
    )


def test_a_narrow_list_in_ascii() -> None:
    picture = Picture("Compare prices", ("run 7", "v2"), STEPS[:2], STATES)
    assert (
        drawn(lambda paper: graph_screen(paper, picture), width=40, encoding="ascii")
        == """\
  Compare prices
  run 7 | v2 | 2 steps on 2 levels
  ok 1 done  x 1 failed  - 1 skipped
  ! 1 running  1 pending

  1 ok 1    look it up
  2 !  sum  add it all up...  after 1, b
"""
    )


def test_levels() -> None:
    assert levels_of(STEPS) == [2, 1, 1, 2, 3]


def test_a_long_list_keeps_to_its_width() -> None:
    steps = (*(step(str(n)) for n in range(500)), step("end", *map(str, range(500))))
    said = drawn(lambda paper: graph_screen(paper, Picture("g", (), steps))).splitlines()
    assert (len(said), max(map(len, said))) == (3 + 501, 66)
    assert said[-1].endswith("after 0–499")


def test_mermaid() -> None:
    assert list(mermaid(RUN)) == [
        "flowchart TD",
        '  n0["! sum<br/>add it all up and then write a page about what came of it<br/>write"]',
        '  n1["✓ 1<br/>look it up<br/>look"]',
        '  n2["✗ b<br/>比较价格<br/>look"]',
        '  n3["○ c<br/>look it up"]',
        '  n4["9<br/>look it up<br/>look"]',
        *("  n1 --> n0", "  n2 --> n0", "  n2 --> n3", "  n0 --> n4", "  n3 --> n4"),
        *("  classDef done stroke:#2a7d2a", "  class n1 done"),
        *("  classDef failed stroke:#c0262d,stroke-width:3px", "  class n2 failed"),
        *("  classDef skipped stroke:#888,stroke-dasharray:4", "  class n3 skipped"),
    ]


def test_dot() -> None:
    assert list(dot(RUN)) == [
        "digraph plan {",
        '  graph [label="Compare prices", labelloc=t];',
        "  node [shape=box];",
        '  "sum" [label="! sum\\nadd it all up and then write a page about what came of it\\nwrite"];',
        '  "1" [label="✓ 1\\nlook it up\\nlook", color="#2a7d2a"];',
        '  "b" [label="✗ b\\n比较价格\\nlook", color="#c0262d", penwidth=3];',
        '  "c" [label="○ c\\nlook it up", color="#888888", style=dashed];',
        '  "9" [label="9\\nlook it up\\nlook"];',
        *('  "1" -> "sum";', '  "b" -> "sum";', '  "b" -> "c";', '  "sum" -> "9";', '  "c" -> "9";'),
        "}",
    ]


@pytest.mark.parametrize("text", HOSTILE)
def test_foreign_text_stays_text(text: str) -> None:
    picture = Picture(text, (), (step("1", action=text),))
    _, box = mermaid(picture)
    shown = re.fullmatch(r'  n0\["1<br/>((?:[\w .,-]|#\d+;)*)<br/>look"\]', box)
    assert shown and html.unescape(shown[1].replace("#", "&#")) == clean(text)
    _, goal, _, box, _ = dot(picture)
    quoted = clean(text).replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;")
    assert (goal, box) == (f'  graph [label="{quoted}", labelloc=t];', f'  "1" [label="1\\n{quoted}\\nlook"];')


@pytest.mark.parametrize(("text", "shown"), {"$$x$$": "$|$x$|$", "a fa:fa-car b": "a fa:|fa-car b"}.items())
def test_what_mermaid_reads_even_so_is_kept_apart(text: str, shown: str) -> None:
    _, box = mermaid(Picture("g", (), (step("1", action=text),)))
    assert html.unescape(box.split("<br/>")[1].replace("#", "&#")) == shown.replace("|", "\u200b")
