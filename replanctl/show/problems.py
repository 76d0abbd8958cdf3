"""What is wrong with files: one line that an editor can jump to, the place in it, and the way out.

The same for the places where changes are looked at: GitHub's annotations, SARIF, Markdown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

import msgspec

from replanctl.errors import Problem
from replanctl.show.paper import Span
from replanctl.show.text import UNICODE, Glyphs, clean, cut, encodable, glyphs_for, split, width
from replanctl.show.words import plural

EXCERPT = 70  # columns of a source line that are shown: with its number they fit into 80
_GUTTER, _LEAST = 10, 10  # columns of a line's number, and that are left at least to its text
_CONTEXT = 40  # columns kept before the place in a line that is longer


# `file:line:column:` at the head of a line is what editors, terminals and CI systems make a link of. So the line is
# written whole, however wide the terminal is, and the same in a log and on a screen.
def problem_spans(
    problems: Iterable[Problem], encoding: str | None = None, columns: int | None = None
) -> Iterator[list[Span]]:
    """The lines of problems in their pieces: where it is, how bad, which rule, what is wrong. Excerpts are cut to so
    many columns."""
    glyphs = glyphs_for(encoding)
    room = max(min(EXCERPT, (columns or EXCERPT + _GUTTER) - _GUTTER), _LEAST)
    for problem in problems:
        place = f"{problem.file}:{problem.line}:{problem.column}" if problem.line else problem.file
        style = _STYLES.get(problem.severity, "")
        yield [
            Span(clean(place, glyphs), "strong"),
            Span(": "),
            Span(clean(problem.severity, glyphs), style),
            Span(clean(f" [{problem.rule}]", glyphs), "dim"),
            Span(clean(f" {problem.message}", glyphs)),
        ]
        if problem.excerpt:
            yield from _excerpt(problem, glyphs, encoding or "utf-8", style, room)
        if problem.hint:
            yield [Span("    hint: ", "command"), Span(clean(problem.hint, glyphs))]


_STYLES = {"error": "failed", "warning": "gaps"}


def count_line(problems: Iterable[Problem], files: int) -> str:
    """`2 errors and 1 warning in 3 files.`"""
    severities = [problem.severity for problem in problems]
    errors = plural(severities.count("error"), "error")
    warnings = plural(severities.count("warning"), "warning")
    return f"{errors} and {warnings} in {plural(files, 'file')}."


def _excerpt(problem: Problem, glyphs: Glyphs, encoding: str, style: str, columns: int) -> Iterator[list[Span]]:
    """The source line and a caret below the place; of a long line what is around the place."""
    at = max(problem.column - problem.excerpt_column, 0)
    before, rest = (_spelled(text, glyphs, encoding) for text in (problem.excerpt[:at], problem.excerpt[at:].rstrip()))
    # Where little stands behind the place, more is shown before it.
    room = max(min(_CONTEXT, columns * 4 // 7), columns - width(rest))
    if problem.excerpt_column > 1 or width(before) > room:
        room -= width(glyphs.ellipsis)
        before = glyphs.ellipsis + split(before, width(before) - room)[1]
    gutter = f"{problem.line:>5} | "
    yield [Span(gutter, "dim"), Span(before + cut(rest, columns - width(before), glyphs))]
    if problem.column and at <= len(problem.excerpt):
        yield [Span(" " * (len(gutter) - 2) + "| ", "dim"), Span(" " * width(before)), Span("^", style)]


def _spelled(text: str, glyphs: Glyphs, encoding: str) -> str:
    """The text as it will be read, so that the caret stands below the right column."""
    return clean(text if glyphs is UNICODE else encodable(text, encoding), glyphs)


_SARIF = "https://json.schemastore.org/sarif-2.1.0.json"


class Tested(msgspec.Struct, frozen=True):
    """One rehearsal that was not as expected, or a file of them that could not be read: where what was expected is
    written, what was other, and the whole of what is told."""

    name: str
    file: str
    line: int = 0
    differs: tuple[str, ...] = ()
    told: str = ""

    @property
    def problem(self) -> Problem:
        """The same as a problem of the file."""
        return Problem(self.file, self.line, 0, "expectation", f"{self.name}: {'; '.join(self.differs)}")


# -- GitHub ------------------------------------------------------------------------------------------------------------


def github_lines(problems: Iterable[Problem]) -> Iterator[str]:
    """Workflow commands, one a line, that GitHub shows beside the lines they are about."""
    for each in problems:
        place = {"file": PurePath(each.file).as_posix(), "line": each.line, "col": each.column, "title": each.rule}
        said = ",".join(f"{name}={_property(str(value))}" for name, value in place.items() if value)
        hint = f" ({each.hint})" if each.hint else ""
        yield f"::{each.severity} {said}::{_data(clean(each.message + hint))}"


# GitHub reads these lines as commands: a line break in a message would begin another one.
def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(clean(text)).replace(":", "%3A").replace(",", "%2C")


# -- SARIF -------------------------------------------------------------------------------------------------------------


def sarif(problems: Sequence[Problem], version: str) -> dict[str, Any]:
    """A log in SARIF 2.1.0, as code scanning takes it."""
    rules = sorted({each.rule for each in problems})
    driver = {"name": "replanctl", "version": version, "rules": [{"id": rule} for rule in rules]}
    results = [_result(each, rules.index(each.rule)) for each in problems]
    # Columns count code points here, and SARIF would take them for UTF-16 units without being told.
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return {"$schema": _SARIF, "version": "2.1.0", "runs": [run]}


def _result(problem: Problem, rule: int) -> dict[str, Any]:
    place: dict[str, Any] = {"artifactLocation": {"uri": quote(PurePath(problem.file).as_posix())}}
    if problem.line:
        place["region"] = {"startLine": problem.line, "startColumn": max(problem.column, 1)}
    hint = f" ({problem.hint})" if problem.hint else ""
    return {
        "ruleId": problem.rule,
        "ruleIndex": rule,
        "level": problem.severity,
        "message": {"text": f"{problem.message}{hint}"},
        "locations": [{"physicalLocation": place}],
    }


# -- Markdown ----------------------------------------------------------------------------------------------------------


def problems_markdown(problems: Sequence[Problem], count: str) -> str:
    """What is wrong in files, as a summary of a step shows it."""
    lines = ["## replanctl validate", "", count]
    if problems:
        lines += ["", "| place | | what is wrong |", "| --- | --- | --- |"]
        lines += [f"| {_place(each)} | {each.severity} | {_cell(_said(each))} |" for each in problems]
    return "\n".join([*lines, ""])


def tests_markdown(passed: int, failed: Sequence[Tested]) -> str:
    """How tests of rehearsals went; those that failed with the stories behind it, folded."""
    lines = ["## replanctl test", "", f"{passed} passed, {len(failed)} failed."]
    if failed:
        lines += ["", "| rehearsal | what differs |", "| --- | --- |"]
        lines += [f"| {_place(each.problem)} {_cell(each.name)} | {_cells(each.differs)} |" for each in failed]
    for each in failed:
        story = clean_lines(each.told)
        # One longer than any run inside, or a story that quotes a fence would end its own.
        fence = "`" * max(3, _longest_run(story) + 1)
        head = f"<details><summary>{_cell(each.name)}</summary>"
        lines += ["", head, "", f"{fence}text", story, fence, "", "</details>"]
    return "\n".join([*lines, ""])


def clean_lines(text: str) -> str:
    """Foreign text of several lines, each through the door."""
    return "\n".join(map(clean, text.splitlines()))


def _said(problem: Problem) -> str:
    return f"{problem.message} [{problem.rule}]{f' ({problem.hint})' if problem.hint else ''}"


def _place(problem: Problem) -> str:
    where = f":{problem.line}" if problem.line else ""
    return _cell(f"{problem.file}{where}")


def _cells(texts: Iterable[str]) -> str:
    return "<br>".join(map(_cell, texts))


# What Markdown, or HTML in it, would take for its own.
_MEANT = str.maketrans({char: f"&#{ord(char)};" for char in "\\`*_{}[]<>()#+!|~&@:"})


def _cell(text: str) -> str:
    return clean(text).translate(_MEANT)


def _longest_run(text: str) -> int:
    longest = run = 0
    for char in text:
        run = run + 1 if char == "`" else 0
        longest = max(longest, run)
    return longest
