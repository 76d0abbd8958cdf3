"""Tables on paper that is too narrow for them: a row becomes its name, and below it every other cell with its head.

A row that is folded where the paper ends can't be read down its columns any more, so nothing is won by having any.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from replanctl.show.paper import Paper, Span
from replanctl.show.text import GLUE


def stacked(paper: Paper, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Write rows one below the other; the first cell of a row is its name, and an empty cell is left out."""
    for name, *cells in rows:
        paper.line(Span(name, "strong"), indent=2, hang=4)
        said = [f"{head.strip()}{GLUE}{cell}".strip() for head, cell in zip(heads[1:], cells, strict=True) if cell]
        paper.line(paper.joined(said).replace(f",{GLUE}", ", "), indent=4)
