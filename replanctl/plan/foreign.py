"""Placeholders of other systems: `$1`, `${fetch}`, `{{steps.1.outputs.result}}`, `<GENERATED>-1`, `#fetch.rows`.

Such a text stays text and reaches its tool as it is. Where it seems to mean a step of the plan, its author is told the
form that would have been read. No module but this one knows those forms.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from typing import Any

import msgspec

from replanctl.plan.model import ID_LENGTH
from replanctl.plan.references import SIGNS, Reference, parse, path_of, render, strings

_WORD = r"[A-Za-z0-9][A-Za-z0-9_-]*"
# `$1` and `#fetch` are money and an issue's number, unless they are all there is or a path follows. The other forms
# hold any number of words. None of them spans lines, nor more characters than a person writes between braces.
_FORMS = re.compile(
    rf"(?<![A-Za-z0-9_#$])[$#](?P<bare>{_WORD})"
    r"|\$?\{\{(?P<double>[^{}\n]{1,200})\}\}"
    r"|\$\{(?P<single>[^{}\n]{1,200})\}"
    rf"|<GENERATED>-(?P<generated>{_WORD})"
)
_WORDS = re.compile(rf"(?<![A-Za-z0-9_#-]){_WORD}")
_PREFIXES = ("steps", "step_", "step", "E")
# Between a step and its result other systems write a word that has no counterpart here: the variable is the result.
_WRAPPERS = frozenset({"output", "outputs", "result", "results"})


class Foreign(msgspec.Struct, frozen=True, gc=False):
    """One placeholder: its text as written, the step it seems to mean, and the reference to write instead."""

    text: str
    step_id: str
    form: str


def foreign_references(text: str, known_ids: Container[str]) -> tuple[Foreign, ...]:
    """The placeholders in a text that seem to mean one of these steps, in reading order; never what is read already.

    `$1` and `#fetch` count as the whole text or with a path behind; the other forms anywhere, when one of their words
    is a known id, also after `step`, `steps`, `step_` or `E`.
    """
    if not SIGNS.search(text):
        return ()
    return tuple(foreign for found in _FORMS.finditer(text) if (foreign := _meant(text, found, known_ids)))


def may_be_foreign(args: Any) -> bool:
    """Whether any string of a step's args is worth a closer look; so is one with a reference."""
    if type(args) is dict:  # nothing but numbers in most, which every step of a plan from Python is asked for
        for value in args.values():
            if type(value) in _HOLDS_TEXT:
                break
        else:
            return False
    return any(map(SIGNS.search, strings(args)))


_HOLDS_TEXT = frozenset({str, dict, list, tuple})


def foreign_in(args: Any, known_ids: Container[str]) -> Iterator[Foreign]:
    """The placeholders in the strings of a step's args, at any depth."""
    for text in strings(args):
        yield from foreign_references(text, known_ids)


def _meant(text: str, found: re.Match[str], known: Container[str]) -> Foreign | None:
    if found["bare"] is not None:
        return _bare(text, found, known)
    if found["generated"] is not None:
        id_ = _known(found["generated"], known)
        return None if id_ is None else Foreign(found[0], id_, render(id_, ()))
    for word in _WORDS.finditer(text, *found.span("double" if found["double"] is not None else "single")):
        id_ = _known(word[0], known)
        if id_ is not None:
            return Foreign(found[0], id_, render(id_, _unwrapped(path_of(text, word.end())[0])))
    return None


def _bare(text: str, found: re.Match[str], known: Container[str]) -> Foreign | None:
    start = found.start()
    id_ = _known(found["bare"], known)
    if id_ is None or (text[start] == "#" and _is_read(text, start, known)):
        return None
    path, end = path_of(text, found.end())
    whole = start == 0 and end == len(text)
    return Foreign(text[start:end], id_, render(id_, _unwrapped(path))) if whole or path else None


def _is_read(text: str, start: int, known: Container[str]) -> bool:
    """Whether a reference of our own begins here, be it, as the whole text, to nothing."""
    head = parse(text[start : start + ID_LENGTH + 3], known)[0]  # so much says which step is meant
    return isinstance(head, Reference) and (head.known or (start == 0 and isinstance(parse(text, known)[0], Reference)))


def _known(word: str, known: Container[str]) -> str | None:
    """The id that a word is, or ends in after what other systems put before it."""
    ids = (word, *(word.removeprefix(prefix) for prefix in _PREFIXES if word.startswith(prefix)))
    return next((id_ for id_ in ids if id_ in known), None)


def _unwrapped(path: tuple[str | int, ...]) -> tuple[str | int, ...]:
    at = next((index for index, part in enumerate(path) if part not in _WRAPPERS), len(path))
    return path[at:]
