"""Problems as lines: a place to jump to, the source line with a caret, the way out."""

from __future__ import annotations

import re

import pytest

from replanctl.errors import Problem
from replanctl.show.problems import count_line, problem_spans
from tests.show.golden import drawn

CASES: list[tuple[Problem, list[str]]] = [
    (Problem("p.yaml", 2, 3, "unknown-key", "tol is no key"), ["p.yaml:2:3: error [unknown-key] tol is no key"]),
    (Problem("p.yaml", 0, 0, "unreadable", "can't be read", hint="mind the path"),
     ["p.yaml: error [unreadable] can't be read", "    hint: mind the path"]),
    (Problem("p.yaml", 12, 3, "unknown-key", "tol", "warning", "  tol: x", "did you mean tool?"),
     ["p.yaml:12:3: warning [unknown-key] tol", "   12 |   tol: x", "      |   ^", "    hint: did you mean tool?"]),
    (Problem("p.yaml", 1, 5, "r", "wide", excerpt="价格: x"),
     ["p.yaml:1:5: error [r] wide", "    1 | 价格: x", "      |       ^"]),
    (Problem("p.yaml", 1, 81, "r", "long", excerpt="a" * 80 + "b" * 80),
     ["p.yaml:1:81: error [r] long", "    1 | …" + "a" * 39 + "b" * 29 + "…", "      | " + " " * 40 + "^"]),
    (Problem("p.yaml", 1, 81, "r", "at the end of a long line", excerpt="a" * 80 + "b"),
     ["p.yaml:1:81: error [r] at the end of a long line", "    1 | …" + "a" * 68 + "b", "      | " + " " * 69 + "^"]),
    (Problem("p.yaml", 1, 3, "r", "behind the end", excerpt="a:"),
     ["p.yaml:1:3: error [r] behind the end", "    1 | a:", "      |   ^"]),
    (Problem("p.yaml", 1, 51, "r", "wide and long", excerpt="价" * 100),
     ["p.yaml:1:51: error [r] wide and long", "    1 | …" + "价" * 20 + "价" * 14 + "…", "      | " + " " * 41 + "^"]),
    (Problem("p.yaml", 1, 5003, "r", "far out", excerpt="aabb", excerpt_column=5001),
     ["p.yaml:1:5003: error [r] far out", "    1 | …aabb", "      |    ^"]),
    (Problem("p.yaml", 1, 900, "r", "beyond", excerpt="a" * 50),
     ["p.yaml:1:900: error [r] beyond", "    1 | " + "a" * 50]),
    (Problem("p\x1b[2J.yaml", 1, 2, "r", "esc \x07", excerpt="\tx\u202ey"),
     ["p⟨U+001B⟩[2J.yaml:1:2: error [r] esc ⟨U+0007⟩", "    1 |  x⟨U+202E⟩y", "      |  ^"]),
]  # fmt: skip


def plain(problems: list[Problem]) -> list[str]:
    return ["".join(span.text for span in line) for line in problem_spans(problems)]


@pytest.mark.parametrize(("problem", "lines"), CASES, ids=lambda value: getattr(value, "message", ""))
def test_a_problem_in_lines(problem: Problem, lines: list[str]) -> None:
    assert plain([problem]) == lines


def test_problems_are_counted() -> None:
    problems = [Problem("p", 1, 1, "r", "m", severity) for severity in ("error", "warning", "error")]
    assert count_line(problems, 1) == "2 errors and 1 warning in 1 file."
    assert count_line([], 3) == "0 errors and 0 warnings in 3 files."


def test_colour_changes_nothing_but_colour() -> None:
    problem = Problem("a.yaml", 3, 5, "unknown-key", "no \x1b[1m key", "error", "    aktion: x", "did you mean action?")
    said = "".join(f"{line}\n" for line in plain([problem]))
    coloured = drawn(lambda paper: [paper.whole(*line) for line in problem_spans([problem])], width=20, color=True)
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == said
    assert "\x1b[1;31merror" in coloured
    assert "\x1b[1;31m^" in coloured
