"""What words mean, as a terminal shows it: a word's meanings, the words of a kind, all the words there are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from replanctl.show.markdown import sayable, spans_of
from replanctl.show.paper import Paper, Span
from replanctl.show.text import width

_INDENT, _INNER = 2, 4  # columns
_LABEL, _WORD = 14, 22  # columns that the labels of facts and the words of a list may take


class KindOf(Protocol):
    """What is shown of a kind of words."""

    @property
    def name(self) -> str: ...


class Meaning(Protocol):
    """What is shown of one meaning of a word."""

    @property
    def word(self) -> str: ...
    @property
    def kind(self) -> KindOf: ...
    @property
    def text(self) -> str: ...
    @property
    def facts(self) -> Sequence[tuple[str, str]]: ...
    @property
    def page(self) -> str: ...


def meanings_screen(paper: Paper, meanings: Iterable[Meaning]) -> None:
    """Write all that a word means."""
    for at, meaning in enumerate(meanings):
        if at:
            paper.blank()
        _meaning(paper, meaning)


def _meaning(paper: Paper, meaning: Meaning) -> None:
    paper.line(Span(meaning.word, "title"), Span(f"  {meaning.kind.name}", "dim"), indent=_INDENT)
    if meaning.text:
        paper.line(*spans_of(sayable(paper, meaning.text)), indent=_INNER)
    _labelled(paper, [*meaning.facts, ("more", f"replanctl explain {meaning.page}")], _LABEL, "label")


def list_screen(paper: Paper, title: str, words: Iterable[tuple[str, str]]) -> None:
    """Write words, with the first sentence of what is said of each."""
    paper.line(Span(title, "title"), indent=_INDENT)
    _labelled(paper, [(word, _first_sentence(said)) for word, said in words], _WORD, "strong")


def _labelled(paper: Paper, lines: list[tuple[str, str]], most: int, style: str) -> None:
    """Lines with labels before them; a label that is too long has a line of its own."""
    room = min(most, max((width(label) for label, _ in lines), default=0)) + 2
    for label, said in lines:
        said = sayable(paper, f"`{said}`" if said.startswith("replanctl ") else said)
        if width(label) + 2 > room:
            paper.line(Span(label, style), indent=_INNER)
            paper.line(*spans_of(said), indent=_INNER + room)
        else:
            paper.line(Span(paper.pad(label, room), style), *spans_of(said), indent=_INNER, hang=_INNER + room)


def _first_sentence(text: str) -> str:
    first, more, _ = text.partition(". ")
    return f"{first}." if more else text


def words_screen(paper: Paper, rows: Mapping[str, Sequence[str]]) -> None:
    """Write the words there are: a line for each row, with as many of its words as there is room for."""
    paper.line("Any of these can be asked for: ", Span("replanctl explain WORD", "command"), indent=_INDENT)
    paper.blank()
    room = max(map(width, rows)) + 2
    for label, words in rows.items():
        said = _as_many(paper, words, paper.width - _INDENT - room)
        paper.whole(Span(" " * _INDENT), Span(paper.pad(label, room), "strong"), said)


def _as_many(paper: Paper, words: Sequence[str], columns: int) -> str:
    """As many of the words as fit side by side, and how many there are besides."""
    # From the whole list down: how many words are left out is a part of the line, and has a width of its own.
    for count in range(len(words), 0, -1):
        rest = f", {len(words) - count} more" if count < len(words) else ""
        if width(said := ", ".join(words[:count]) + rest) <= columns:
            return said
    return paper.cut(f"{len(words)} words", columns)
