"""ReWOO plans as text (arXiv:2305.18323): `Plan: …` and `#E1 = Tool[input]`. A plan, and nothing of how it went."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import msgspec

from replanctl.plan import Reference, references
from replanctl.traces.binding import escaped
from replanctl.traces.content import ContentError, loads, sound
from replanctl.traces.trace import Kind, RecordedCall, Trace

_PLAN = re.compile(r"^[ \t]*(?:[-*] |\d+[.)] )?Plan(?:[ \t]*\d+)?[ \t]*:[ \t]*", re.MULTILINE)
_EVIDENCE = re.compile(r"#E([A-Za-z0-9_]+)[ \t]*=[ \t]*([^\[\]\n=]+?)[ \t]*\[")
_TASK = re.compile(r"^[ \t]*(?:Task|Question|Goal)[ \t]*:[ \t]*(.+)$", re.MULTILINE)


def is_plan(text: str) -> bool:
    """Whether a text holds at least one line `#E1 = Tool[`, as ReWOO plans do."""
    return _EVIDENCE.search(text) is not None


class _Piece(msgspec.Struct):
    """One `#E1 = Tool[input]`, with the words of the plan before it."""

    name: str
    tool: str
    input: str
    words: str


class Rewoo:
    """Reads plans, one a text."""

    def __init__(self, place: str) -> None:
        self._source = place

    def feed(self, value: Any, place: str) -> Iterator[Trace]:
        """Take in a text: a file's, or one in a mapping."""
        text = text_in(value)
        pieces, left_out = _pieces(text)
        goal = _task_in(value, text) or _before(text) or (pieces[0].words if pieces else "")
        calls = list(_calls(pieces))
        trace = Trace(Kind.REWOO, "", goal, calls, raw=value, place=place, sequence=True, planned=True)
        trace.left_out = left_out
        yield trace

    def close(self) -> Iterator[Trace]:
        """Every text was whole."""
        return iter(())


def _task_in(value: Any, text: str) -> str:
    """The task, as a line of the text or a field beside it says it."""
    found = _TASK.search(text)
    if found is not None:
        return found[1]
    keys = ("task", "question", "goal") if isinstance(value, dict) else ()
    return next((value[key] for key in keys if isinstance(value.get(key), str)), "")


def text_in(value: Any) -> str:
    """The plan that a mapping holds under one of the usual keys; empty where there is none."""
    if isinstance(value, str):
        return value
    keys = ("plan_string", "plan", "text", "output", "content")
    found = (value[key] for key in keys if isinstance(value.get(key), str)) if isinstance(value, dict) else iter(())
    return next(found, "")


def _before(text: str) -> str:
    """What stands before the plan."""
    first = _PLAN.search(text) or _EVIDENCE.search(text)
    return text[: first.start()].strip() if first else ""


def _pieces(text: str) -> tuple[list[_Piece], list[str]]:
    pieces: list[_Piece] = []
    left_out: list[str] = []
    at = 0
    while (found := _EVIDENCE.search(text, at)) is not None:
        end = _closing(text, found.end())
        before = _PLAN.split(text[at : found.start()])
        words = before[-1].strip() if len(before) > 1 else ""
        left_out += [f"a plan without evidence: {_short(extra)}" for extra in before[1:-1]]
        if end < 0:
            left_out.append(f"#E{found[1]}: its brackets are not closed")
            at = found.end()
            continue
        pieces.append(_Piece(found[1], found[2].strip(), text[found.end() : end].strip(), words))
        at = end + 1
    left_out += [f"a plan without evidence: {_short(extra)}" for extra in _PLAN.split(text[at:])[1:]]
    return pieces, left_out


def _short(words: str) -> str:
    told = " ".join(words.split())
    return told if len(told) <= 60 else f"{told[:59]}…"


def _closing(text: str, at: int) -> int:
    """Where the bracket before `at` is closed, counting those inside; -1 where it never is. Quotes hide brackets only
    where they are closed on their line."""
    depth = 1
    while at < len(text):
        char = text[at]
        if char == '"' and (end := _quote_end(text, at)) > 0:
            at = end
        elif char == "[":
            depth += 1
        elif char == "]":
            depth -= 1
            if depth == 0:
                return at
        at += 1
    return -1


def _quote_end(text: str, at: int) -> int:
    found = re.compile(r'"(?:[^"\\\n]|\\.)*"').match(text, at)
    return found.end() - 1 if found else -1


def _calls(pieces: list[_Piece]) -> Iterator[RecordedCall]:
    """The steps that will be made: evidence named again means the newest before it.

    A planner that names evidence before it has it made a mistake, which is kept: it means the first that comes.
    """
    numbers: dict[str, int] = {}
    for number, piece in reversed([*enumerate(pieces, start=1)]):
        numbers[piece.name] = number
    for number, piece in enumerate(pieces, start=1):
        args = _args(piece.input, numbers, len(pieces))
        yield RecordedCall(piece.tool, args, began=number, ended=number, action=piece.words or piece.tool)
        # Set behind its own args: `#E1` inside the piece that is called so again means the earlier one.
        numbers[piece.name] = number


def _args(text: str, numbers: dict[str, int], steps: int) -> dict[str, Any]:
    value: Any = None
    if text[:1] == "{":
        with suppress(ContentError):
            value = loads(text)
    if isinstance(value, dict):
        return {key: _renamed(item, numbers, steps) for key, item in sound(value).items()}
    return {"input": _renamed(text, numbers, steps)} if text else {}


def _renamed(value: Any, numbers: dict[str, int], steps: int) -> Any:
    """A value with the steps' numbers in place of the names of their evidence."""
    if isinstance(value, dict):
        return {key: _renamed(item, numbers, steps) for key, item in value.items()}
    if isinstance(value, list):
        return [_renamed(item, numbers, steps) for item in value]
    if not isinstance(value, str):
        return value
    pieces = (_piece(piece, numbers, steps) for piece in references.parse(value, numbers))
    return "".join(pieces)


def _piece(piece: Any, numbers: dict[str, int], steps: int) -> str:
    """A piece of a text. A name that no evidence has stays what it was, a text or a reference to nothing, also where a
    step has come by that number."""
    if isinstance(piece, Reference) and piece.known:
        return f"#E{numbers[piece.step_id]}{piece.text[2 + len(piece.step_id) :]}"
    if isinstance(piece, Reference) and not (piece.step_id.isdigit() and int(piece.step_id) <= steps):
        return piece.text
    return escaped(piece.text)
