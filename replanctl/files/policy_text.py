"""A policy as a file: what differs from the defaults, one limit a line, with a comment where there is one to make."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import UNSET

from replanctl.run import Policy


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
