"""Markdown as a terminal can show it: our own pages, with what they use of it and no more.

Headings, paragraphs, lists, tables and blocks of code. A block of code is printed as it is, so that it can be copied;
everything else is folded to the width.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from typing import NamedTuple

from replanctl.show.paper import Line, Paper, Span, fold
from replanctl.show.text import GLUE, UNICODE, width

INDENT = 2  # columns
_NARROWEST = 10  # columns that a folded column of a table keeps; with less its cells stand below each other
_GAP = 2

_FENCE = re.compile(r"^\s*```")
_HEADING = re.compile(r"^#{1,6} +")
_ITEM = re.compile(r"^(\s*)([-*]|\d+\.) +(.*)$")
_RULER = re.compile(r"^[|\s:-]+$")
_BEGINNINGS = (_FENCE, _HEADING, _ITEM, re.compile(r"\|"))
_CELL = re.compile(r"(?<!\\)\|")
# Code, bold text, links; what a link leads to is a page of ours, and its words name it.
_INLINE = re.compile(r"``(?P<twice>.+?)``|`(?P<code>[^`]+)`|\*\*(?P<strong>.+?)\*\*|\[(?P<link>[^\]]+)\]\([^)]*\)")
_OPENING, _CLOSING = '([“"/', '.,;:!?)]”"/…'
# What our pages say beside ASCII, for streams that can say no more; drawings keep their columns where they can.
_PLAIN = str.maketrans(
    {"→": "->", "…": "...", "≤": "<=", "≥": ">=", "⌈": "", "⌉": "", "–": "-", "−": "-", "×": "x", "²": "2", "·": "|",
     "“": '"', "”": '"', "’": "'", "✓": "+", "✗": "x", "○": "-", "‼": "!", "◐": "~", "●": "*", "█": "#", "▋": "#",
     "▍": "#", "░": "."}
)  # fmt: skip
_STYLES = {"twice": "command", "code": "command", "strong": "strong"}


# Not a parser of Markdown: the pages are ours, and a test shows each of them. What they don't use (nested quotes, raw
# HTML, footnotes) is not read, and so can't be shown wrongly.
class Form(Enum):
    """What a block of a page is."""

    HEADING = "heading"
    TEXT = "text"
    ITEM = "item"
    CODE = "code"
    TABLE = "table"


class Block(NamedTuple):
    """A block of a page: its lines, and for an item what stands before it."""

    form: Form
    lines: tuple[str, ...]
    mark: str = ""


def markdown_screen(paper: Paper, text: str) -> None:
    """Write a page."""
    before = None
    for block in blocks(sayable(paper, text)):
        if before is not None and not (before is block.form is Form.ITEM):
            paper.blank()
        _WRITERS[block.form](paper, block)
        before = block.form


def sayable(paper: Paper, text: str) -> str:
    """A text of ours in signs that the paper can show: an arrow that is spelled out can't be read."""
    return text if paper.glyphs is UNICODE else text.translate(_PLAIN)


def spans_of(text: str) -> Line:
    """A text with its code, bold words and links as spans; code is not folded where it can be helped."""
    spans: Line = []
    end = 0
    for found in _INLINE.finditer(text):
        spans.append(Span(text[end : found.start()]))
        kind = found.lastgroup or ""
        inside = found[kind]
        if kind in ("link", "strong"):
            spans += [Span(said, _STYLES.get(kind, style)) for said, style in spans_of(inside)]
        else:
            spans.append(Span(inside.strip().replace(" ", GLUE), _STYLES[kind]))
        end = found.end()
    return _joined([span for span in (*spans, Span(text[end:])) if span.text])


def _joined(spans: Line) -> Line:
    """The same, with signs that touch code taken into it: a line folds between spans, and a comma begins none."""
    joined: Line = []
    for text, style in spans:
        if joined and style == joined[-1].style:
            text = joined.pop().text + text
        # Spans are what a line folds between. A full stop behind a piece of code would go to the next line by itself.
        elif joined and not style:
            end = len(text) - len(text.lstrip(_CLOSING))
            joined[-1] = Span(joined[-1].text + text[:end], joined[-1].style)
            text = text[end:]
        elif joined and style and not joined[-1].style:
            start = len(joined[-1].text.rstrip(_OPENING))
            text = joined[-1].text[start:] + text
            joined[-1] = Span(joined[-1].text[:start])
        joined.append(Span(text, style))
    return [span for span in joined if span.text]


# -- reading -----------------------------------------------------------------------------------------------------------


def blocks(text: str) -> Iterator[Block]:
    """The blocks of a page, in order."""
    lines = text.splitlines()
    at = 0
    while at < len(lines):
        if not lines[at].strip():
            at += 1
            continue
        block, at = _block(lines, at)
        yield block


def _block(lines: Sequence[str], at: int) -> tuple[Block, int]:
    """The block that begins at this line, and the line behind it."""
    line = lines[at]
    if _FENCE.match(line):
        end = next((i for i in range(at + 1, len(lines)) if _FENCE.match(lines[i])), len(lines))
        return Block(Form.CODE, tuple(lines[at + 1 : end])), end + 1
    if _HEADING.match(line):
        return Block(Form.HEADING, (_HEADING.sub("", line),)), at + 1
    if line.startswith("|"):
        end = _while(lines, at, lambda each: each.startswith("|"))
        return Block(Form.TABLE, tuple(lines[at:end])), end
    end = _while(lines, at + 1, _goes_on)
    if found := _ITEM.match(line):
        return Block(Form.ITEM, (found[3], *map(str.strip, lines[at + 1 : end])), found[1] + found[2]), end
    return Block(Form.TEXT, tuple(map(str.strip, lines[at:end]))), end


def _while(lines: Sequence[str], at: int, holds: Callable[[str], bool]) -> int:
    while at < len(lines) and holds(lines[at]):
        at += 1
    return at


def _goes_on(line: str) -> bool:
    """Whether a line goes on with the paragraph or the item above it."""
    return bool(line.strip()) and not any(begins.match(line) for begins in _BEGINNINGS)


# -- writing -----------------------------------------------------------------------------------------------------------


def _heading(paper: Paper, block: Block) -> None:
    paper.line(*(Span(span.text, "title") for span in spans_of(block.lines[0])), indent=INDENT)


def _text(paper: Paper, block: Block) -> None:
    paper.line(*spans_of(" ".join(block.lines)), indent=INDENT)


def _item(paper: Paper, block: Block) -> None:
    mark = block.mark.strip().replace("*", "-").replace("-", paper.glyphs.dash)
    indent = INDENT + len(block.mark) - len(block.mark.lstrip())
    spans = spans_of(" ".join(block.lines))
    paper.line(Span(f"{mark} ", "dim"), *spans, indent=indent, hang=indent + len(mark) + 1)


def _code(paper: Paper, block: Block) -> None:
    for line in block.lines:
        paper.whole(Span(" " * 2 * INDENT), Span(line, "command")) if line.strip() else paper.blank()


def _table(paper: Paper, block: Block) -> None:
    rows = [[spans_of(cell) for cell in _cells(line)] for line in block.lines if not _RULER.match(line)]
    columns = _fitted(rows, paper.width - INDENT)
    for number, row in enumerate(rows):
        style = "" if number else "dim"
        if columns is None:
            _stacked(paper, row, style)
        else:
            _side_by_side(paper, row, columns, style)


def _cells(line: str) -> list[str]:
    return [cell.strip().replace("\\|", "|") for cell in _CELL.split(line.strip().strip("|"))]


def _fitted(rows: list[list[Line]], columns: int) -> list[int] | None:
    """The widths of a table's columns, the widest narrowed until all fit; None where they can't."""
    count = max(map(len, rows))
    cells = [[row[at] for row in rows if at < len(row)] for at in range(count)]
    widths = [max(map(_wide, column)) for column in cells]
    least = [max(_NARROWEST, *map(_longest_word, column)) for column in cells]
    # The widest gives way first, a column at a time: short columns of names stay readable, and the long one of
    # sentences folds.
    while sum(widths) + _GAP * (count - 1) > columns:
        wide = [at for at in range(count) if widths[at] > least[at]]
        if not wide:
            return None
        widths[max(wide, key=widths.__getitem__)] -= 1
    return widths


def _wide(cell: Line) -> int:
    return sum(width(span.text) for span in cell)


def _longest_word(cell: Line) -> int:
    words = "".join(span.text for span in cell).replace(GLUE, " ").split()
    return max(map(width, words), default=0)


def _side_by_side(paper: Paper, row: list[Line], columns: list[int], style: str) -> None:
    folded = [fold(_styled(cell, style), room, room) for cell, room in zip(row, columns, strict=False)]
    for at in range(max(map(len, folded))):
        line: Line = [Span(" " * INDENT)]
        for cell, room in zip(folded, columns, strict=False):
            here = cell[at] if at < len(cell) else []
            line += [Span(span.text.replace(GLUE, " "), span.style) for span in here]
            line.append(Span(" " * (room - _wide(here) + _GAP)))
        paper.whole(*line)


def _stacked(paper: Paper, row: list[Line], style: str) -> None:
    """A row of a table that is too wide: its first cell, and the others below it."""
    for at, cell in enumerate(filter(None, row)):
        indent = INDENT if at == 0 else 2 * INDENT
        paper.line(*_styled(cell, style), indent=indent)


def _styled(cell: Line, style: str) -> Line:
    return [Span(span.text, style or span.style) for span in cell]


_WRITERS = {Form.HEADING: _heading, Form.TEXT: _text, Form.ITEM: _item, Form.CODE: _code, Form.TABLE: _table}
