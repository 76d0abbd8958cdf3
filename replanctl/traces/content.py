"""What recordings hold as text: JSON, JSON of JSON, Python literals, the wrappers frameworks put around a result."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec import UNSET

MAX_DEPTH = 48  # of a value; a plan file takes 64 levels, its own included
_LITERAL_CAP = 200_000  # characters of a Python literal that are looked at
_CUT = re.compile(r"(?:\.\.\.|…|\[truncated\]|\(truncated\))\s*\Z")
_SMALLEST, _LARGEST = -(2**63), 2**63 - 1

decode_json = msgspec.json.Decoder().decode


class ContentError(ValueError):
    """What stands here is no JSON; `at` is the byte where that shows, if it is known."""

    def __init__(self, message: str, at: int | None = None) -> None:
        super().__init__(message)
        self.at = at


def loads(data: bytes | str) -> Any:
    """A JSON document; also what Python's `json` writes beyond JSON (NaN). Raises ContentError."""
    try:
        return decode_json(data)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        return _loads_slowly(data, error)


def _loads_slowly(data: bytes | str, first: Exception) -> Any:
    try:
        return _whole_text(json.loads(data, parse_constant=str))
    except json.JSONDecodeError as error:
        raise ContentError(error.msg, error.pos) from None
    except (ValueError, RecursionError):
        raise ContentError(str(first) or "it is nested too deeply") from None


def _whole_text(value: Any) -> Any:
    """The value with every half of a surrogate pair replaced: no text can hold one."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [_whole_text(item) for item in value]
    if isinstance(value, dict):
        return {_whole_text(key): _whole_text(item) for key, item in value.items()}
    return value


def value_of(content: Any) -> Any:
    """A result as a value: text that is JSON becomes what it says, also where that is text of JSON again."""
    for _ in range(3):
        if not isinstance(content, str) or not _may_be_json(content):
            break
        try:
            found = loads(content)
        except ContentError:
            break
        if type(found) in (int, float) and str(found) != content.strip():  # 1E5, 1.50: more than a number
            break
        content = found
    return sound(content)


def _may_be_json(text: str) -> bool:
    head = text.lstrip()[:1]
    return bool(head) and (head in '{["-0123456789' or text.strip() in ("null", "true", "false"))


def args_of(content: Any, names: Iterable[str] = ()) -> tuple[dict[str, Any] | msgspec.UnsetType, str]:
    """The args of a call, and why they are not whole. Text that is neither JSON nor a Python literal is one arg."""
    if content is None or content is UNSET:
        return UNSET, ""
    value = value_of(content)
    if isinstance(value, str) and (literal := _literal(value)) is not None:
        value = sound(literal)
    if isinstance(value, str) and value.lstrip()[:1] == "{":
        return {"input": value}, "cut"
    if isinstance(value, dict):
        return _unwrapped(value, list(names)), ""
    if value == "" or value is None:
        return {}, ""
    cut = "cut" if isinstance(value, str) and _CUT.search(value) else ""
    return {"input": value}, cut


def _unwrapped(args: dict[str, Any], names: list[str]) -> dict[str, Any]:
    """Args without what frameworks put around them: `{args, kwargs}`, or one text that is a mapping itself."""
    if "kwargs" in args and isinstance(args.get("args"), list) and isinstance(args["kwargs"], dict):
        names += [f"arg{number}" for number in range(len(names) + 1, len(args["args"]) + 1)]
        return dict(zip(names, args["args"], strict=False)) | args["kwargs"]
    inner = next((args[name] for name in _INSIDE if isinstance(args.get(name), dict) and _is_wrapper(args)), None)
    if inner is not None:
        return inner  # type: ignore[no-any-return]
    if args.keys() == {"input"} and isinstance(args["input"], str):
        inner = value_of(args["input"])
        inner = _literal(inner) if isinstance(inner, str) else inner
        if isinstance(inner, dict):
            return sound(inner)  # type: ignore[no-any-return]
    return args


# Where frameworks put the args among things of their own, and what those are called.
_INSIDE = ("inputs", "kwargs", "arguments", "tool_input")
_THEIRS = frozenset({"input_str", "tags", "metadata", "config", "run_id", "tool_call_id", "name", "type", "id"})


def _is_wrapper(args: dict[str, Any]) -> bool:
    """Whether there is nothing in it but the args and what a framework says of them."""
    return args.keys() <= {*_INSIDE, *_THEIRS} and ("input_str" in args or len(args) == 1 or "tool_call_id" in args)


def _literal(text: str) -> Any:
    """A mapping written as Python writes it, or None."""
    if len(text) > _LITERAL_CAP or text.lstrip()[:1] != "{":
        return None
    try:
        value = ast.literal_eval(text.strip())
        msgspec.json.encode(value)
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return None
    return value if isinstance(value, dict) and all(isinstance(key, str) for key in value) else None


# A result in the wrapper of a tool message: the keys that make one, and where its content stands.
_WRAPPERS: tuple[tuple[frozenset[str], str], ...] = (
    (frozenset({"tool_call_id", "content"}), "content"),
    (frozenset({"lc", "kwargs"}), "kwargs"),
    (frozenset({"output"}), "output"),
    (frozenset({"output", "kwargs"}), "output"),
    (frozenset({"toolResult"}), "toolResult"),
    (frozenset({"toolUseId", "content"}), "content"),
)


def unwrap(value: Any) -> tuple[Any, bool]:
    """A result without its wrapper, and whether the wrapper says that the call failed."""
    failed = False
    for _ in range(4):
        found = next((inner for keys, inner in _WRAPPERS if _wraps(value, keys)), None)
        if found is None:
            break
        failed = failed or value.get("status") == "error"
        value = value_of(value[found])
    return value, failed


def _wraps(value: Any, keys: frozenset[str]) -> bool:
    return isinstance(value, dict) and keys <= value.keys() and (len(keys) > 1 or len(value) == 1)


def sound(value: Any) -> Any:
    """A value as a plan file can hold it: what is nested too deeply, or a number beyond 64 bits, as its text."""
    return value if _is_sound(value, 0) else _made_sound(value, 0)


def _is_sound(value: Any, depth: int) -> bool:
    kind = type(value)
    if kind is str or kind is bool or value is None:
        return True
    if kind is int:
        return bool(_SMALLEST <= value <= _LARGEST)
    if kind is float:
        return bool(value - value == 0)
    if depth >= MAX_DEPTH:
        return False
    if kind is dict:
        return all(type(key) is str and _is_sound(item, depth + 1) for key, item in value.items())
    return kind is list and all(_is_sound(item, depth + 1) for item in value)


def _made_sound(value: Any, depth: int) -> Any:
    if isinstance(value, bool | str) or value is None:
        return value
    if isinstance(value, int | float):
        return value if _is_sound(value, 0) else str(value)
    if depth >= MAX_DEPTH or not isinstance(value, dict | list | tuple):
        return text_of(value)
    if isinstance(value, dict):
        return {str(key): _made_sound(item, depth + 1) for key, item in value.items()}
    return [_made_sound(item, depth + 1) for item in value]


def text_of(value: Any) -> str:
    """A value as text: text as it is, anything else as JSON."""
    if isinstance(value, str):
        return value
    try:
        return msgspec.json.encode(value, enc_hook=repr).decode()
    except (ValueError, TypeError, RecursionError):
        return repr(value)


def words_of(content: Any) -> str:
    """The text of a message: its content, or the text parts of it."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = (part if isinstance(part, str) else _part(part) for part in content)
        return "\n".join(part for part in parts if part)
    return _part(content) if isinstance(content, dict) else ""


def _part(part: Any) -> str:
    if not isinstance(part, dict):
        return ""
    found = next((part[key] for key in ("text", "content", "value") if isinstance(part.get(key), str)), "")
    return str(found)
