"""`#E3.rows[0]`: find, resolve, rename. No other module parses references.

A reference is `#E`, a step id and path parts (`.field`, `[0]`, `["any key"]`). Only known ids are references
inside running text; a string that is nothing but `#E` and an unknown id is a reference to nothing (its `known` is
False). `##E1` is the literal text `#E1`. The id is the longest known one that no letter or digit follows.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Container, Mapping
from functools import lru_cache
from itertools import pairwise
from typing import Any

import msgspec

from replanctl.plan.data import marked
from replanctl.plan.data import mentions as mentions
from replanctl.plan.data import strings as strings
from replanctl.plan.model import ID_LENGTH

_START = re.compile(r"(#?)#E([A-Za-z0-9][A-Za-z0-9_-]*)")
_PART = re.compile(r'\.([A-Za-z_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?)|\[([0-9]{1,9})\]|\["((?:[^"\\\x00-\x1f]|\\.)*)"\]')
_FIELD = re.compile(r"[A-Za-z_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?")
_WORD = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
# What a reference of another system begins with (`plan/foreign.py`): a cheap look that most texts do not pass.
SIGNS = re.compile(r"[$#][A-Za-z0-9{]|\{\{|<GENERATED>-")


class Reference(msgspec.Struct, frozen=True, gc=False):
    """One reference: the step's id, the path into its value, and the text as written."""

    step_id: str
    path: tuple[str | int, ...]
    text: str
    known: bool = True


class _Literal(msgspec.Struct, frozen=True, gc=False):
    """Text between references, escapes already undone."""

    text: str


_Piece = Reference | _Literal


def parse(text: str, known: Container[str]) -> tuple[_Piece, ...]:
    """The text cut into literals and references. A whole-string reference is one piece."""
    if "#E" not in text:
        return (_Literal(text),)
    pieces = _pieces if len(text) <= SHORT else _pieces.__wrapped__
    return pieces(text, _chosen(text, known))


def _chosen(text: str, known: Container[str]) -> tuple[str, ...]:
    """For each place where a reference may begin the known id that it names, or nothing."""
    places = (_places if len(text) <= SHORT else _places.__wrapped__)(text)
    if len(places) == 1:  # so it is in nearly every text, and then mostly with a single id that it may name
        for id_ in places[0][1]:
            if id_ in known:
                return (id_,)
        return _NOTHING
    return tuple([next(filter(known.__contains__, ids), "") for _, ids in places])


_NOTHING = ("",)


def _found(text: str, chosen: tuple[str, ...]) -> list[tuple[int, Reference]]:
    """The references to known ids, and where each begins; what stands inside the path of another is none."""
    places, reference_at = (_places, _reference) if len(text) <= SHORT else _UNKEPT
    found: list[tuple[int, Reference]] = []
    at = 0
    for (start, _), id_ in zip(places(text), chosen, strict=True):
        if id_ and start >= at:
            reference = reference_at(text, start, id_)
            found.append((start, reference))
            at = start + len(reference.text)
    return found


# What a text may refer to does not depend on the plan, so a text is taken apart once, for all steps and sessions that
# hold it: at load, when references are checked, and not again when a step runs. Only which of the ids are known is
# asked each time, and what that comes to is kept as well. Long texts are not kept.
SHORT = 400  # characters


@lru_cache(maxsize=16_384)
def _pieces(text: str, chosen: tuple[str, ...]) -> tuple[_Piece, ...]:
    """The text cut, by the id that each place names."""
    pieces: list[_Piece] = []
    at = 0  # where the text not yet taken begins
    for start, reference in _found(text, chosen):
        if start > at:
            pieces.append(_Literal(_unescape(text[at:start])))
        pieces.append(reference)
        at = start + len(reference.text)
    if not pieces:
        return _dangling(text)
    if at < len(text):
        pieces.append(_Literal(_unescape(text[at:])))
    return tuple(pieces)


@lru_cache(maxsize=16_384)
def _references(text: str, chosen: tuple[str, ...]) -> tuple[Reference, ...]:
    """The references among the pieces of a text."""
    return tuple([piece for piece in _pieces(text, chosen) if type(piece) is Reference])


@lru_cache(maxsize=16_384)
def _places(text: str) -> tuple[tuple[int, tuple[str, ...]], ...]:
    """Where a reference may begin, and the ids it may name there, the longest first."""
    return tuple((found.start(), _ids(found[2])) for found in _START.finditer(text) if not found[1])


def _ids(run: str) -> tuple[str, ...]:
    """The heads of a run of id characters that no letter or digit follows, the longest first."""
    longest = min(len(run), ID_LENGTH)
    return tuple(run[:end] for end in range(longest, 0, -1) if end == len(run) or run[end] not in _WORD)


@lru_cache(maxsize=16_384)
def _reference(text: str, start: int, id_: str) -> Reference:
    """The reference to this id that begins at `start`."""
    path, end = path_of(text, start + 2 + len(id_))
    return Reference(id_, path, text[start:end])


_UNKEPT = _places.__wrapped__, _reference.__wrapped__


def path_of(text: str, at: int) -> tuple[tuple[str | int, ...], int]:
    """The path parts that begin at a character, as many as there are, and the character behind them."""
    parts: list[str | int] = []
    while found := _PART.match(text, at):
        field, index, key = found.groups()
        try:
            parts.append(field if field is not None else int(index) if index is not None else json.loads(f'"{key}"'))
        except ValueError:  # an escape that JSON does not know: not a path part
            break
        at = found.end()
    return tuple(parts), at


def _dangling(text: str) -> tuple[_Piece, ...]:
    """A text without a known reference: nothing but an unknown one, or plain text with its escapes undone."""
    found = re.match(r"#E([A-Za-z0-9][A-Za-z0-9_-]{0,63})", text)
    if found:
        path, end = path_of(text, found.end())
        if end == len(text):
            return (Reference(found.group(1), path, text, known=False),)
    return (_Literal(_unescape(text)),)


def _unescape(text: str) -> str:
    return re.sub(r"##E(?=[A-Za-z0-9])", "#E", text)


def find(args: Any, known: Container[str]) -> tuple[Reference, ...]:
    """Every reference in the args, in reading order, repeats included."""
    found: list[Reference] = []
    for text in marked(args):
        if len(text) <= SHORT:
            found += _references(text, _chosen(text, known))
        else:
            found += [piece for piece in parse(text, known) if type(piece) is Reference]
    return tuple(found)


def may_mean(args: Any) -> set[str]:
    """Every id that a `#E` in the args may mean, also one that no step has yet."""
    places = ((_places if len(text) <= SHORT else _places.__wrapped__)(text) for text in marked(args))
    return {id_ for each in places for _, ids in each for id_ in ids}


def transform(
    args: Any,
    known: Container[str],
    whole: Callable[[Reference], Any],
    inside: Callable[[Reference], str],
    *,
    undo: bool = True,
    escape: Container[str] = (),
) -> Any:
    """A copy of the args with every reference replaced: by `whole`'s value where a string is one reference, by
    `inside`'s text otherwise. With `undo`, escapes become the literal text; without, texts stay as they are written."""

    def text(value: str) -> Any:
        pieces = parse(value, known)
        if len(pieces) == 1 and isinstance(pieces[0], Reference):
            return whole(pieces[0])
        if undo:
            return "".join(inside(p) if isinstance(p, Reference) else p.text for p in pieces)
        return _rewrite(value, known, inside, escape)

    return _walked(args, text)


def _walked(value: Any, text: Callable[[str], Any]) -> Any:
    """A copy of a value in which each string that may hold a reference is what `text` makes of it."""
    kind = type(value)
    if kind is str:
        return text(value) if "#E" in value else value
    if kind is dict:
        return {key: _walked(item, text) if type(item) in _WALKED else item for key, item in value.items()}
    if kind is list or kind is tuple:
        return [_walked(item, text) if type(item) in _WALKED else item for item in value]
    return value


_WALKED = frozenset({str, dict, list, tuple})


def _rewrite(text: str, known: Container[str], inside: Callable[[Reference], str], escape: Container[str] = ()) -> str:
    """The text as written, with only its references replaced: literals keep their escapes, and get one where they would
    become a reference to an id of `escape`."""
    done: list[str] = []
    at = 0
    for start, reference in _found(text, _chosen(text, known)):
        done += _escaped(text[at:start], escape), inside(reference)
        at = start + len(reference.text)
    return "".join(done) + _escaped(text[at:], escape)


def _escaped(text: str, ids: Container[str]) -> str:
    if not ids or "#E" not in text:
        return text
    starts = [start for start, _ in _found(text, _chosen(text, ids))]
    return "#".join(text[a:b] for a, b in pairwise([0, *starts, len(text)]))


def rename(args: Any, known: Container[str], names: Mapping[str, str], *, escape: Container[str] | None = None) -> Any:
    """A copy of the args in which references to the keys of `names` mean its values; the rest stays as written.

    With `escape` the args are an older text: a reference to nothing stays one, and running text that names one of
    these ids, and was no reference, is escaped.
    """

    def renamed(reference: Reference) -> str:
        new = names.get(reference.step_id) if reference.known or escape is None else None
        return reference.text if new is None else f"#E{new}{reference.text[2 + len(reference.step_id) :]}"

    return transform(args, known, renamed, renamed, undo=False, escape=escape or ())


def render(step_id: str, path: tuple[str | int, ...]) -> str:
    """The text of a reference; a key in any script stands as it is read, and only what can't be seen is escaped."""
    return f"#E{step_id}" + "".join(
        f"[{part}]" if isinstance(part, int) else f".{part}" if _FIELD.fullmatch(part) else f"[{_quoted(part)}]"
        for part in path
    )


def _quoted(key: str) -> str:
    return json.dumps(key, ensure_ascii=not key.isprintable())


def follow(value: Any, path: tuple[str | int, ...]) -> Any:
    """The value a path leads to; raises LookupError where there is no such field."""
    for part in path:
        leads_on = isinstance(value, dict if isinstance(part, str) else list | tuple)
        if not leads_on:
            raise LookupError(part)
        value = value[part]
    return value


def shortened(text: str, most: int) -> str:
    """The first so many characters of a text, and `…` behind them where it is cut."""
    return text if len(text) <= most else f"{text[:most]}…"


def in_text(value: Any) -> str:
    """A value as it reads inside a longer text: text as it is, other values as compact JSON, what JSON can't say as
    Python writes it."""
    if isinstance(value, str):
        return value
    try:
        return msgspec.json.encode(value, enc_hook=repr).decode()
    except (UnicodeEncodeError, RecursionError):  # half a surrogate pair, or a value that holds itself
        return repr(value)
