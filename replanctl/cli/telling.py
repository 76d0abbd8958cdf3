"""Lines that belong to no screen: what is wrong, what there is to do, and answers of one line.

They are the same text with and without colour. Rich is imported only where there is colour, and a line is folded only
where it is known how wide it may be: in a file or a pipe it stays whole, so that it can be searched for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TextIO

from replanctl.cli.flags import Color
from replanctl.cli.output import say
from replanctl.cli.world import World
from replanctl.errors import Problem
from replanctl.show import Span, folded, problem_spans

HANG = 4  # columns by which the rest of a folded line is indented

# A heading of typer's help, and a row of one of its lists: the word at the left, and what it is for.
_HEADING = re.compile(r"(Usage:|[A-Z]\w+:)(.*)", re.DOTALL)
_ROW = re.compile(r"(  \S(?:.*?\S)?)(  +\S.*|)", re.DOTALL)


def tell(world: World, stream: TextIO, when: Color, lines: Iterable[Sequence[Span]], hang: int = HANG) -> None:
    """Write lines in pieces, each piece with a style."""
    columns = world.columns(stream)
    if not world.says_color(when, stream):
        say(stream, (text for line in lines for text in folded(line, columns, hang)))
        return
    paper = world.paper(stream, when)
    for line in lines:
        if columns is None:
            paper.whole(*line)
        else:
            paper.line(*line, hang=hang)


def tell_problems(world: World, stream: TextIO, when: Color, problems: Iterable[Problem]) -> None:
    """Write what is wrong with files."""
    tell(world, stream, when, problem_spans(problems, stream.encoding, world.columns(stream)))


def tell_help(world: World, stream: TextIO, when: Color, text: str) -> None:
    """Write what typer says of the command line, in our own colours; its lines are folded already."""
    tell(world, stream, when, _helping(text), hang=0)


def _helping(text: str) -> Iterator[list[Span]]:
    listing = False
    for line in text.splitlines():
        if found := _HEADING.fullmatch(line):
            listing = not found[2]
            yield [Span(found[1], "title"), Span(found[2])]
        elif listing and (found := _ROW.fullmatch(line)):
            yield [Span(found[1], "command"), Span(found[2])]
        else:
            yield [Span(line)]
