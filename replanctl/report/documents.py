"""What a text is that replanctl wrote: a result, events, a matrix, a tuning or a comparison; and the page of each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec

from replanctl.errors import UsageError
from replanctl.lab import CompareDocument, MatrixDocument, TuneDocument
from replanctl.report.facts import CallFold, RunReport
from replanctl.report.lab import compare_page, tune_page
from replanctl.report.matrix import matrix_page
from replanctl.report.session import run_page
from replanctl.run import AnyEvent, ResultFold, SessionResult, SessionStart

FROM = "it takes what run, show, matrix, tune and compare write with --format json, and run's --format jsonl"


# Documents are told by their keys and not by their names: they arrive through pipes and under any name. Each kind has a
# key that no other has, so the order of the table does not matter.
class _Kind(NamedTuple):
    """A document of ours: the keys that tell it, what it is called, its type, and its page."""

    keys: frozenset[str]
    name: str
    type: Any
    page: Callable[[Any], str]


def _result_page(result: SessionResult) -> str:
    return run_page(RunReport(result))


_KINDS = (
    _Kind(frozenset({"history", "versions", "ledger"}), "result of a run", SessionResult, _result_page),
    _Kind(frozenset({"plans", "honest"}), "matrix", MatrixDocument, matrix_page),
    _Kind(frozenset({"tuning", "honest"}), "tuning", TuneDocument, tune_page),
    _Kind(frozenset({"comparison", "honest"}), "comparison", CompareDocument, compare_page),
)


def page_of(name: str, text: str) -> str | None:
    """The page of a document of ours; None for any other text. `name` is what the file is called.

    Raises UsageError for one that is not whole, or holds what no such document does.
    """
    if text.lstrip()[:1] != "{":
        return None
    try:
        keys = msgspec.json.decode(text, type=dict[str, msgspec.Raw]).keys()
    except msgspec.DecodeError:
        # Lines of JSON are no document by themselves; the first line says whether they are events.
        return _of_events(name, text) if _begins_a_session(text) else None
    if {"seq", "at", "type"} <= keys:
        return _of_events(name, text)
    kind = next((kind for kind in _KINDS if kind.keys <= keys), None)
    if kind is not None:
        return _decoded(kind, name, text)
    if "schema_version" in keys:
        raise UsageError(f"{name} is by replanctl, but nothing that there is a page for", hint=FROM)
    return None


def _decoded(kind: _Kind, name: str, text: str) -> str:
    try:
        document = msgspec.json.decode(text, type=kind.type)
    except msgspec.DecodeError as error:
        raise UsageError(f"{name} looks like the {kind.name} that replanctl writes, but {error}", hint=FROM) from None
    return kind.page(document)


def _begins_a_session(text: str) -> bool:
    try:
        first = msgspec.json.decode(text.lstrip().partition("\n")[0], type=dict[str, msgspec.Raw])
    except msgspec.DecodeError:
        return False
    return {"seq", "at", "type"} <= first.keys()


def _of_events(name: str, text: str) -> str:
    fold, calls = ResultFold(), CallFold()
    decode = msgspec.json.Decoder(AnyEvent).decode
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            event = decode(line)
            # Two runs in one file, or one without its head, would fold to a result of neither.
            if isinstance(event, SessionStart) != (fold.seq < 0):
                raise ValueError("a session has one session.start, and it is the first")
            fold.apply(event)
        # Events that are each right may not follow each other: a fold then misses a step or a version that was never
        # begun.
        except (msgspec.DecodeError, LookupError, TypeError, ValueError, AttributeError) as error:
            said = f"{name}:{number}: this is no event that follows the one before it: {error}"
            raise UsageError(said, hint=FROM) from None
        calls.apply(event)
    return run_page(RunReport(fold.result(), calls.calls))
