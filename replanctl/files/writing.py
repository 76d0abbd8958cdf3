"""A rehearsal as YAML: sections, steps and rules one a line, so that they can be read and changed; values as JSON.

A policy is what differs from the defaults, one limit a line, with a comment where there is one to make.

What is written here loads to the same values again, whatever the texts in it hold.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import UNSET

from replanctl.run import Policy

# Text that means itself without quotes.
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_-]*(?: [A-Za-z0-9_-]+)*")
_NOT_PLAIN = frozenset({"true", "false", "null"})
# What JSON leaves as it is and YAML does not take, or takes for the end of a line.
_UNSEEN = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")
_LONG_KEY = 100  # characters; YAML looks no further than 1,024 bytes for the colon behind a key
_BLOCKS = frozenset({"steps", "planner", "outcomes", "returns"})  # their items are written out line by line


def document_text(document: Mapping[str, Any]) -> str:
    """The YAML text of a rehearsal: a mapping of sections. Raises ValueError for what is neither JSON nor text."""
    return "".join(_section(document, ""))


def _section(mapping: Mapping[str, Any], indent: str) -> Iterator[str]:
    for key, value in mapping.items():
        # Behind a question mark a key may be of any length; its colon then begins a line.
        yield f"{indent}? {quoted(key)}\n{indent}:" if len(key) > _LONG_KEY else f"{indent}{scalar(key)}:"
        yield from _value(key, value, indent)


def _value(key: str, value: Any, indent: str) -> Iterator[str]:
    if key in _BLOCKS and value:
        yield "\n"
        for item in value:
            yield from _item(item, indent)
    elif isinstance(value, dict) and value and not indent:
        yield "\n"
        yield from _section(value, "  ")
    elif isinstance(value, dict):
        yield f" {_flat(value)}\n"
    else:
        yield f" {flow(value)}\n"


def _flat(mapping: Mapping[str, Any]) -> str:
    """A mapping of ours on one line, its keys without quotes."""
    return "{" + ", ".join(f"{_key(key)}: {flow(value)}" for key, value in mapping.items()) + "}"


def _key(key: str) -> str:
    return f"? {quoted(key)} " if len(key) > _LONG_KEY else scalar(key)


def _item(item: Any, indent: str) -> Iterator[str]:
    """An item of a list: what is short and has no items of its own on one line, anything else on one line a key."""
    if isinstance(item, dict) and item.keys() & {"id", "match", "when", "steps"}:
        lines = "".join(_section(item, f"{indent}    "))
        yield f"{indent}  - {lines[len(indent) + 4 :]}"
    else:
        yield f"{indent}  - {_flat(item) if isinstance(item, dict) else flow(item)}\n"


def scalar(text: str) -> str:
    """Text, in quotes where it would mean something else without."""
    # Few texts go without quotes, and all others get them: what YAML makes of `no`, `1_000` or `2024-01-01` depends on
    # who reads it.
    return text if _PLAIN.fullmatch(text) and text not in _NOT_PLAIN else quoted(text)


def quoted(text: str) -> str:
    """Text in double quotes on one line."""
    return _harmless(json.dumps(text, ensure_ascii=False))


def flow(value: Any) -> str:
    """A value on one line, as JSON."""
    if isinstance(value, str):
        return scalar(value)
    # YAML gives up on a key whose colon is further than 1,024 bytes away; a question mark announces it.
    if _has_long_key(value):
        return _slow(value)
    try:
        return _harmless(msgspec.json.format(msgspec.json.encode(value), indent=0).decode())
    except UnicodeEncodeError:  # half a surrogate pair
        return json.dumps(value)


def _harmless(text: str) -> str:
    return text if text.isascii() and "\x7f" not in text else _UNSEEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _has_long_key(value: Any) -> bool:
    kind = type(value)
    if kind is dict:
        return any(len(key) > _LONG_KEY or _has_long_key(item) for key, item in value.items())
    return kind is list and any(map(_has_long_key, value))


def _slow(value: Any) -> str:
    """The same for a value with keys that YAML takes for keys only behind a question mark."""
    if isinstance(value, dict):
        pairs = (f"{_key(key)}: {_slow(item)}" for key, item in value.items())
        return "{" + ", ".join(pairs) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_slow, value)) + "]"
    return quoted(value) if isinstance(value, str) else json.dumps(value)


def policy_text(policy: Policy, comments: Mapping[str, str], head: Sequence[str] = ()) -> str:
    """A policy file; `comments` stand behind limits by their key, the lines of `head` before everything.

    A depth that a command line forced has no place in a file, and is left out.
    """
    lines = [*(f"# {_one_line(line)}" for line in head), "policy:"]
    parts = _said(policy)
    parts.get("routing", {}).pop("force", None)
    for name, part in parts.items():
        if name == "gates":
            lines += ["  gates:", *_limits(part, comments)]
        elif part != {}:
            lines.append(f"  {name}: {_flow(part)}")
    if len(lines) == 1 + len(head):
        lines[-1] = "policy: {}"
    return "\n".join([*lines, ""])


def _limits(gates: Mapping[str, Any], comments: Mapping[str, str]) -> Iterator[str]:
    for name, limit in gates.items():
        comment = f"  # {_one_line(comments[name])}" if name in comments else ""
        yield f"    {name}: {_flow(limit)}{comment}"


def _said(struct: msgspec.Struct) -> dict[str, Any]:
    """The fields of a struct that differ from their defaults, in their order, structs in it alike."""
    found = {}
    for field in msgspec.structs.fields(struct):
        value = getattr(struct, field.name)
        default = field.default if field.default_factory is msgspec.NODEFAULT else field.default_factory()
        if value is not UNSET and value != default:
            found[field.name] = _plain(value)
    return found


def _plain(value: Any) -> Any:
    if isinstance(value, msgspec.Struct):
        return _said(value)
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return {str(key): _plain(item) for key, item in value.items()} if isinstance(value, dict) else value


def _flow(value: Any) -> str:
    """A value in flow style: JSON, which is YAML here."""
    return msgspec.json.encode(value).decode()


def _one_line(text: str) -> str:
    return " ".join(text.split())
