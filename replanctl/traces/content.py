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
    """A text is not JSON; `at` is the byte at which that shows, None where it is not known."""

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


# Recorders write JSON as text, and platforms text of that text again, so one value may have to be unpacked more than
# once. What is still JSON after three rounds was meant as a text. So was a number, true, false or null that stands in
# quotes: `"4711"` is how JSON writes a text of digits down.
def value_of(content: Any) -> Any:
    """A result as a value: text that is JSON becomes what it says, also where that is text of JSON again."""
    for unpacked in range(3):
        if not isinstance(content, str) or not _may_be_json(content):
            break
        if unpacked and content.lstrip()[:1] not in ("{", "[", '"'):
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


def args_of(
    content: Any, names: Iterable[str] = (), *, wrapped: bool = False, texts: bool = False
) -> tuple[dict[str, Any] | msgspec.UnsetType, str]:
    """The args of a call, and why they are not whole. Text that is neither JSON nor a Python literal is one arg.

    Messages hold args as they are. Those of spans may be `wrapped` in what frameworks put around them; `texts` says
    that one text called `input` may stand for all of them. `names` are the tool's parameters, for args without names.
    """
    if content is None or content is UNSET:
        return UNSET, ""
    value = value_of(content)
    if isinstance(value, str) and (literal := _literal(value)) is not None:
        value = sound(literal)
    # It began as a mapping and is none: the recorder cut it off.
    if isinstance(value, str) and value.lstrip()[:1] == "{":
        return {"input": value}, "cut"
    if isinstance(value, dict):
        return (_without_wrapper(value, list(names), texts=texts) if wrapped else value), ""
    if value == "" or value is None:
        return {}, ""
    cut = "cut" if isinstance(value, str) and _CUT.search(value) else ""
    return {"input": value}, cut


# Where frameworks put the args among things of their own, by a key that only they write.
_AMONG: tuple[tuple[str, str], ...] = (("input_str", "inputs"), ("tool_call_id", "arguments"), ("tool_call_id", "args"))


def _without_wrapper(args: dict[str, Any], names: list[str], *, texts: bool) -> dict[str, Any]:
    """Args without what frameworks put around them."""
    if _is_call(args):
        return _called_with(args.get("args", []), args["kwargs"], names)
    inner = next((args[key] for sign, key in _AMONG if sign in args and isinstance(args.get(key), dict)), None)
    if inner is None and texts and args.keys() == {"input"} and isinstance(args["input"], str):
        told = value_of(args["input"])
        inner = sound(_literal(told)) if isinstance(told, str) else told
    return inner if isinstance(inner, dict) else args


def _is_call(args: dict[str, Any]) -> bool:
    """Whether these are positional and named args of a Python function, and nothing else."""
    known = args.keys() <= {"args", "kwargs", "sanitize_inputs_outputs"}
    return known and isinstance(args.get("kwargs"), dict) and isinstance(args.get("args", []), list)


def _called_with(positional: list[Any], named: dict[str, Any], names: list[str]) -> dict[str, Any]:
    # Positional args have to be called something; the schema's own names where it was recorded.
    names += [f"arg{number}" for number in range(len(names) + 1, len(positional) + 1)]
    return dict(zip(names, positional, strict=False)) | named


def _literal(text: str) -> Any:
    """A mapping written as Python writes it, or None."""
    if len(text) > _LITERAL_CAP or text.lstrip()[:1] != "{":
        return None
    try:
        # A literal holds values only, and nothing of it is run; the encoder behind it refuses what JSON can't say.
        value = ast.literal_eval(text.strip())
        msgspec.json.encode(value)
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return None
    return value if isinstance(value, dict) and all(isinstance(key, str) for key in value) else None


# A result in the wrapper of a tool message: the keys that make one, and where its content stands.
_WRAPPERS: tuple[tuple[frozenset[str], str], ...] = (
    (frozenset({"tool_call_id", "content"}), "content"),
    (frozenset({"lc", "kwargs"}), "kwargs"),
    (frozenset({"output", "kwargs"}), "output"),
    (frozenset({"toolResult"}), "toolResult"),
    (frozenset({"toolUseId", "content"}), "content"),
)


def unwrap(value: Any, *, outputs: bool = False) -> tuple[Any, bool]:
    """A result without its wrapper, and whether the wrapper says that the call failed.

    `outputs` says that a result may stand alone under `output`.
    """
    failed = False
    if outputs and isinstance(value, dict) and value.keys() == {"output"}:
        value = value_of(value["output"])
    # A wrapper inside a wrapper, and so on: tool messages of one framework pass through the next one's spans.
    for _ in range(4):
        found = next((inner for keys, inner in _WRAPPERS if _wraps(value, keys)), None)
        if found is None:
            break
        failed = failed or value.get("status") == "error"
        value = value_of(value[found])
    return value, failed


def _wraps(value: Any, keys: frozenset[str]) -> bool:
    # A key that stands alone is no sign of a wrapper unless it is all there is: a tool's own answer may have a field of
    # that name.
    return isinstance(value, dict) and keys <= value.keys() and (len(keys) > 1 or len(value) == 1)


def sound(value: Any) -> Any:
    """A value as a plan file can hold it: what is nested too deeply, or a number beyond 64 bits, as its text."""
    # Nearly all values are sound as they are: to look at one costs less than to build it again.
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
