"""What people bring from elsewhere: documents that are no plan at all, and the keys other systems put on a step.

A trace has thousands of keys that no plan has. One error that says what it is, and which command reads it, is worth
more than all of them. Where a document is JSON it is known before YAML is read, which would take minutes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from replanctl.files.faults import Fault

# What the top of one of our own files may hold: where one of these is, the file means to be ours.
OWN = frozenset({"goal", "steps", "outcomes", "interruptions", "scenarios", "policy", "planner", "lessons"})

# Where a step has one of these, this is where it goes here.
STEP_KEYS = {
    "condition": "a step has no condition: on_failure says what its failure means, a planner rule what is done then",
    "idempotent": "it belongs to the tool: tools: {NAME: {idempotent: false}}",
    "if": "a step has no condition: on_failure says what its failure means, a planner rule what is done then",
    "inputs": "what a step is given is its args:",
    "name": "a step is named by its id:, and what it does is its action:",
    "needs": "what a step waits for is its depends_on:",
    "retries": "retries belong to the policy: policy: {retry: {max_attempts: 3}}",
    "timeout": "it belongs to the tool: tools: {NAME: {timeout: 20s}}",
}

_IMPORT = "replanctl import {file} makes a rehearsal of it"
_SHOW = "replanctl show shows stored runs; replanctl import {file} makes a rehearsal of this one"
_LINES = 2  # complete lines of JSON that make a text JSON lines
_ITEMS = 3  # entries of a list that are looked at

Look = Callable[[dict[str, Any]], bool]


def _all(*keys: str) -> Look:
    return lambda value: value.keys() >= set(keys)


def _any(*keys: str) -> Look:
    return lambda value: not value.keys().isdisjoint(keys)


# What a mapping is, by its keys, and the way out: what we write ourselves, which has a goal too, and what others write,
# from what is certain to what many things may be. The first that holds counts; a list is what its entries are.
_OURS: tuple[tuple[Look, str, str], ...] = (
    (_all("schema_version", "versions", "history"), "the result of a run of ours", _SHOW),
    (_all("seq", "at", "version", "type"), "the events of a run of ours", _SHOW),
)
_OTHERS: tuple[tuple[Look, str, str], ...] = (
    (_any("resourceSpans", "resource_spans", "scopeSpans"), "OpenTelemetry spans (OTLP)", _IMPORT),
    (_any("run_type", "child_runs", "dotted_order"), "a run tree of LangSmith", _IMPORT),
    (_any("observations", "traceId", "trace_id", "spanId", "span_id", "spans", "parent_id"), "a trace", _IMPORT),
    (_any("messages", "trajectory", "traj", "tool_calls", "history", "role"), "messages of an agent", _IMPORT),
    (_all("info", "data"), "a trace", _IMPORT),
    (_any("object", "timestamp"), "a log", _IMPORT),
)
_LINES_OF_JSON = ("JSON lines", _IMPORT)
_OWN_KEY = re.compile(
    r"""^(?:\{[ \t]*)?["']?(?:goal|steps|outcomes|interruptions|scenarios|policy)["']?[ \t]*:""", re.MULTILINE
)
_REWOO_PLAN = ("a plan as ReWOO writes it", _IMPORT)
_REWOO = re.compile(r"^[ \t]*#E[0-9]+[ \t]*=[ \t]*\w+[ \t]*\[", re.MULTILINE)


def not_a_plan(text: str, value: Any, name: str) -> Fault | None:
    """What a document looks like when it is none of our files; None where it may be one.

    `value` is what was read, None where the text is no YAML. `name` is the file's, for the command.
    """
    found = _REWOO_PLAN if _REWOO.search(text) and not _is_own(value) else _kind_of(value)
    return None if found is None else _fault(*found, name)


def no_plan_in_json(text: str, name: str) -> Fault | None:
    """The same, of a text that is JSON or JSON lines, without a look at more than its top."""
    top = _top(text)
    found = _kind_of(top) or (_LINES_OF_JSON if isinstance(top, tuple) else None)
    return None if found is None else _fault(*found, name)


def looks_like_a_trace(head: str) -> bool:
    """Whether a text that begins like this may be a recording: JSON, and none of our own keys in sight."""
    begins = head.lstrip()[:1]
    return begins in ("{", "[") and not any(f'"{key}"' in head for key in ("goal", "steps", "outcomes", "policy"))


def means_to_be_ours(text: str) -> bool:
    """Whether a file found in a folder is one of ours, sound or not: one of our keys stands at its top."""
    top = _top(text)
    return _is_own(top) and _kind_of(top) is None if top is not None else _OWN_KEY.search(text) is not None


def import_hint(name: str, hint: str = _IMPORT) -> str:
    """The command that reads this file, ready for a shell."""
    import shlex  # only who has brought a wrong file pays for it

    return hint.replace("{file}", "-" if name == "<stdin>" else shlex.quote(name))


def _fault(what: str, hint: str, name: str) -> Fault:
    return Fault("not-a-plan", f"this is no plan: it looks like {what}", import_hint(name, hint), index=0)


def _is_own(value: Any) -> bool:
    return isinstance(value, dict) and not OWN.isdisjoint(value)


def _kind_of(value: Any) -> tuple[str, str] | None:
    if isinstance(value, dict):
        rows = _OURS if _is_own(value) else _OURS + _OTHERS
        return next(((what, hint) for look, what, hint in rows if look(value)), None)
    entries = value[:_ITEMS] if isinstance(value, list | tuple) else ()
    # A list of several kinds of things is no recording of any.
    kinds = {_kind_of(_opened(entry)) for entry in entries}
    return kinds.pop() if len(kinds) == 1 else None


def _opened(value: Any) -> Any:
    return _decoded(value, dict[str, msgspec.Raw]) or _decoded(value, list[msgspec.Raw])


def _decoded(raw: Any, kind: Any) -> Any:
    if not isinstance(raw, msgspec.Raw | bytes):
        return raw
    try:
        return msgspec.json.decode(raw, type=kind)
    except (msgspec.DecodeError, RecursionError):
        return None


def _top(text: str) -> Any:
    """The top of a JSON text, what is below it unread; a tuple of the first JSON lines; None for any other text."""
    if text.lstrip()[:1] not in ("{", "["):
        return None
    lines = tuple(_first_lines(text))
    if len(lines) == _LINES and all(isinstance(_opened(line), dict | list) for line in lines):
        return lines
    return _opened(text.encode("utf-8", "surrogatepass"))


def _first_lines(text: str) -> Iterator[bytes]:
    at = 0
    for _ in range(_LINES):
        end = text.find("\n", at)
        line = text[at : len(text) if end < 0 else end].strip()
        if line[:1] not in ("{", "["):
            return
        yield line.encode("utf-8", "surrogatepass")
        at = end + 1 if end >= 0 else len(text)
