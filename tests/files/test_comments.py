"""References that YAML would drop as comments."""

from __future__ import annotations

from typing import Any

import pytest

from tests.files.case import found, problems, rehearse

HEAD = "goal: g\nsteps:\n- id: 1\n  tool: t\n- id: 2\n  tool: t\n  depends_on: [1]\n  args:\n"  # args begin in line 9

REFUSED: list[tuple[str, int, int, str]] = [
    ("    q: #E1\n", 9, 8, '"#E1"'),
    ("    q: #E1.rows[0].price\n", 9, 8, '"#E1.rows[0].price"'),
    ("    q: find #E1 x\n", 9, 13, '"find #E1 x"'),
    ("    q: find  #E1-#E2\n", 9, 14, '"find #E1-#E2"'),
    ("    q: 5 #E1 times\n", 9, 10, '"5 #E1 times"'),
    ("    q: 'find' #E1\n", 9, 15, '"find #E1"'),
    ("    q:\n      #E1 x\n", 10, 7, '"#E1 x"'),
    ("    q: find\n      #E1 x\n", 10, 7, '"find #E1 x"'),
    ("    q:\n    - #E1\n", 10, 7, '"#E1"'),
    ("    q:\n    - a\n    - #E1 #E2\n", 11, 7, '"#E1 #E2"'),
    ("    q: {a: #E1\n      }\n", 9, 12, '"#E1"'),
    ("    q: {a: find #E1 }\n      }\n", 9, 17, '"find #E1"'),
    ("    q: [a, #E1\n      ]\n", 9, 12, '"#E1"'),
    ("    q: [\n      #E1,\n      #E2\n      ]\n", 10, 7, '"#E1"'),
    ("    q: #E1\r\n    r: 1\r\n", 9, 8, '"#E1"'),
    ("    q: {a: #E1}\n", 9, 12, '"#E1"'),
    ("    q: {a: #E1.rows, b: #E2}\n", 9, 12, '"#E1.rows"'),
    ("    q: {a: #1}\n", 9, 12, '"#E1"'),
    ("    q: {a: #1.rows[0]}\n", 9, 12, '"#E1.rows[0]"'),
    ("    q: [#1.rows]\n", 9, 9, '"#E1.rows"'),
    ("    q: #1.rows\n", 9, 8, '"#E1.rows"'),
    ("    q:\n    - #1.rows\n", 10, 7, '"#E1.rows"'),
]


@pytest.mark.parametrize(("args", "line", "column", "way_out"), REFUSED)
def test_a_reference_in_a_comment_is_refused(args: str, line: int, column: int, way_out: str) -> None:
    first = problems(HEAD + args)[0]
    assert (first.rule, first.line, first.column, first.hint) == (
        "unquoted-reference",
        line,
        column,
        f"quote it: {way_out}",
    )


def test_it_is_told_even_where_the_file_is_no_yaml_any_more() -> None:
    text = HEAD + "    tables: [#E1.rows, #E2.rows]\n  assumes: []\n"
    assert found(text) == [("unquoted-reference", 9, 14), ("yaml-syntax", 11, 1)]


def test_every_one_is_told() -> None:
    assert found(HEAD + "    q: #E1\n    r: #E2\n    s: '#E1'\n    t: a #E1\n") == [
        ("unquoted-reference", 9, 8),
        ("unquoted-reference", 10, 8),
        ("unquoted-reference", 12, 10),
    ]


def test_references_to_drafted_steps_are_known() -> None:
    planner = "planner:\n- steps:\n  - {id: s9, tool: t}\n  - id: s10\n    tool: t\n    args:\n      q: #Es9\n"
    assert found("goal: g\nsteps:\n- {id: 1, tool: t}\n" + planner) == [("unquoted-reference", 10, 10)]


ACCEPTED: list[tuple[str, Any]] = [
    ('    q: "#E1"\n', "#E1"),
    ("    q: '#E1' # the table\n", "#E1"),
    ("    q: 'find #E1 x'\n", "find #E1 x"),
    ("    q: 'find\n      #E1 x'\n", "find #E1 x"),
    ("    q: x#E1\n", "x#E1"),
    ("    q: >-\n      find\n      #E1\n", "find #E1"),
    ("    q: |- #E1 is read here\n      find\n", "find"),
    ("    q: a # like #E1\n", "a"),
    ("    q: a # list: #E1\n", "a"),
    ("    q: a # E1\n", "a"),
    ("    q: a #E404\n", "a"),
    ("    q: a #E12\n", "a"),
    ("    q: a #Everything\n", "a"),
    ("    q: [a] #E1 is no table\n", ["a"]),
    ("    q: {a: b} #E1 is no table\n", {"a": "b"}),
    ("    #E1 is a table\n    q: a\n", "a"),
    ("    q: a\n    #E1 is a table\n", "a"),
    ("    q: a\n#E1 is a table\n", "a"),
    ("    q:\n      #E1 is a table\n      - a\n", ["a"]),
    ("    q:\n    #E1 is a table\n", None),
    ("    q: a #1\n", "a"),
    ("    q: #1\n      a\n", "a"),
    ("    q: #1 is first\n      a\n", "a"),
    ("    q: [a, #1\n      b] #2\n", ["a", "b"]),
    ("    q: [a, #3.rows\n      b]\n", ["a", "b"]),
    ("    q: {a: 1, #1.rows is it\n      b: 2}\n", {"a": 1, "b": 2}),
]


@pytest.mark.parametrize(("args", "value"), ACCEPTED)
def test_other_comments_are_comments(args: str, value: Any) -> None:
    assert rehearse(HEAD + args).plan.steps[1].args["q"] == value
