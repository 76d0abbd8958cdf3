"""Rules that say what an answer means: `- {when: {tool, text, path, equals}, status: empty}`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
from msgspec import UNSET

from replanctl.files.disk import read_text
from replanctl.files.faults import At
from replanctl.files.reader import read, refuse
from replanctl.files.shapes import Fields, anything, choice, list_of, record, words
from replanctl.kinds import Status
from replanctl.plan import Reference, parse


class ClassRule(msgspec.Struct, frozen=True, gc=False):
    """Which answers of recorded tools have a status of their own; what is left out matches everything.

    `text` is contained in the answer, whatever the case; `path` leads to a field of it, which must be there, and be
    `equals` where `has_equals` says so.
    """

    status: Status
    tool: str | None = None
    text: str | None = None
    path: tuple[str | int, ...] | None = None
    equals: Any = None
    has_equals: bool = False


def load_classes(path: str | Path) -> tuple[ClassRule, ...]:
    """The rules in a file: a list, or a list under `classify`. Raises InputError with everything that is wrong."""
    document = read(str(path), read_text(path))
    rules = document.made(_file)
    refuse(document.problems())
    found: tuple[ClassRule, ...] = rules
    return found


def _path(value: Any, at: At) -> Any:
    """A path as references write it (`error.code`, `rows[0].status`), or a JSON pointer."""
    told = words(value, at)
    if told is UNSET:
        return told
    if told.startswith("/"):
        parts = (part.replace("~1", "/").replace("~0", "~") for part in told[1:].split("/"))
        return tuple(int(part) if part.isascii() and part.isdigit() and len(part) < 19 else part for part in parts)
    # By the one reader of references, so that a path means here what it means in a plan.
    pieces = parse(f"#E1{'' if told.startswith('[') else '.'}{told.removeprefix('.')}", {"1"})
    if len(pieces) != 1 or not isinstance(pieces[0], Reference):
        return at.error("bad-path", f"{told} is no path into an answer", "write it like error.code or rows[0].status")
    return pieces[0].path


_WHEN: Fields = {"tool": words, "text": words, "path": _path, "equals": anything}


def _made(status: Status, when: dict[str, Any] | None = None) -> ClassRule:
    when = when or {}
    return ClassRule(status, **when, has_equals="equals" in when)


_rule = record(_made, {"when": record(dict, _WHEN), "status": choice(Status)}, required=("status",), what="a rule")
_rules = list_of(_rule)
_section = record(lambda classify: classify, {"classify": _rules}, required=("classify",), what="a list of rules")


def _file(value: Any, at: At) -> Any:
    return _section(value, at) if isinstance(value, dict) else _rules(value, at)
