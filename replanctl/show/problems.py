"""What is wrong with a file: one line that an editor can jump to, the place in it, and the way out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from replanctl.errors import Problem
from replanctl.show.paper import Paper, Span
from replanctl.show.text import UNICODE, Glyphs, clean, cut, encodable, glyphs_for, split, width
from replanctl.show.words import plural

EXCERPT = 70  # columns of a source line that are shown: with its number they fit into 80
_CONTEXT = 40  # columns kept before the place in a line that is longer


def problem_lines(problems: Iterable[Problem], encoding: str | None = None) -> Iterator[str]:
    """The problems, each with its excerpt and hint; plain text, so that it is the same in a log."""
    return ("".join(span.text for span in line) for line in problem_spans(problems, encoding))


def problems_screen(paper: Paper, problems: Iterable[Problem], encoding: str | None = None) -> None:
    """The same lines in colour; none is folded, so that a terminal can be searched for them."""
    for line in problem_spans(problems, encoding):
        paper.whole(*line)


def problem_spans(problems: Iterable[Problem], encoding: str | None = None) -> Iterator[list[Span]]:
    """The lines of problems in their pieces: where it is, how bad, which rule, what is wrong."""
    glyphs = glyphs_for(encoding)
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
            yield from _excerpt(problem, glyphs, encoding or "utf-8", style)
        if problem.hint:
            yield [Span("    hint: ", "command"), Span(clean(problem.hint, glyphs))]


_STYLES = {"error": "failed", "warning": "gaps"}


def count_line(problems: Iterable[Problem], files: int) -> str:
    """`2 errors and 1 warning in 3 files.`"""
    severities = [problem.severity for problem in problems]
    errors = plural(severities.count("error"), "error")
    warnings = plural(severities.count("warning"), "warning")
    return f"{errors} and {warnings} in {plural(files, 'file')}."


def _excerpt(problem: Problem, glyphs: Glyphs, encoding: str, style: str) -> Iterator[list[Span]]:
    """The source line and a caret below the place; of a long line what is around the place."""
    at = max(problem.column - problem.excerpt_column, 0)
    before, rest = (_spelled(text, glyphs, encoding) for text in (problem.excerpt[:at], problem.excerpt[at:].rstrip()))
    room = max(_CONTEXT, EXCERPT - width(rest))
    if problem.excerpt_column > 1 or width(before) > room:
        room -= width(glyphs.ellipsis)
        before = glyphs.ellipsis + split(before, width(before) - room)[1]
    gutter = f"{problem.line:>5} | "
    yield [Span(gutter, "dim"), Span(before + cut(rest, EXCERPT - width(before), glyphs))]
    if problem.column and at <= len(problem.excerpt):
        yield [Span(" " * (len(gutter) - 2) + "| ", "dim"), Span(" " * width(before)), Span("^", style)]


def _spelled(text: str, glyphs: Glyphs, encoding: str) -> str:
    """The text as it will be read, so that the caret stands below the right column."""
    return clean(text if glyphs is UNICODE else encodable(text, encoding), glyphs)
