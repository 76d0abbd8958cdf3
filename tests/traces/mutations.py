"""Recordings gone wrong: values swapped, dropped and blown up, bytes cut and flipped."""

from __future__ import annotations

import json
from copy import deepcopy
from random import Random
from typing import Any

STRANGE: tuple[Any, ...] = (
    None, True, 0, -1, 10**25, 1e308, "", " ", "\x00\x1b[31m", "#E1", "##E1[0]", "NaN", "{", '{"a": ', "[]", "{}", [],
    {}, [[]], [{}], {"": None}, "Error:", "ü" * 500, "\u202eabc", "\ufeff", "1e999", "2024-99-99T99:99:99Z",
    {"content": {"content": []}}, [None, 1, "x"], "e" * 2000, {"k" * 1500: 1}, '"\\ud800"', -0.0, "0x1F", "no", "~",
)  # fmt: skip


def mutated(value: Any, random: Random) -> Any:
    """The value with one thing in it changed."""
    places = list(_places(value))
    holder, key = random.choice(places)
    match random.randrange(6):
        case 0:
            _drop(holder, key)
        case 1:
            other, another = random.choice(places)
            holder[key] = json.loads(json.dumps(other[another])) if _has(other, another) else None
        case 2 if isinstance(holder[key], str):
            text = holder[key]
            at = random.randrange(len(text) + 1)
            holder[key] = text[:at] + random.choice(("", "\\", '"', "}", "#E1", "\n", "\x85", "é")) + text[at + 1 :]
        case 3:
            for _ in range(random.choice((3, 70, 200))):
                holder[key] = [holder[key]] if random.random() < 0.5 else {"x": holder[key]}
        case 4 if isinstance(holder, list):
            holder.insert(random.randrange(len(holder) + 1), json.loads(json.dumps(holder[key])))
        case _:
            holder[key] = deepcopy(random.choice(STRANGE))  # what is changed next may be inside it
    return value


def _places(value: Any, depth: int = 0) -> Any:
    if isinstance(value, dict | list) and depth < 30:
        for key in list(value) if isinstance(value, dict) else range(len(value)):
            yield value, key
            yield from _places(value[key], depth + 1)


def _has(holder: Any, key: Any) -> bool:
    return key in holder if isinstance(holder, dict) else key < len(holder)


def _drop(holder: Any, key: Any) -> None:
    del holder[key]


def spoiled(data: bytes, random: Random) -> bytes:
    """The bytes with a few cut, flipped or put in."""
    at, end = sorted(random.randrange(len(data) + 1) for _ in range(2))
    match random.randrange(5):
        case 0:
            return data[:at]
        case 1:
            return data[:at] + bytes(random.randrange(256) for _ in range(random.randrange(1, 6))) + data[at + 2 :]
        case 2:
            return data[:at] + data[min(end, at + 40) :]
        case 3:
            return data[:at] + data[at : at + 300] * 2 + data[at:]
        case _:
            return data[:at] + random.choice((b"\n", b"\x00", b"}", b"[[[[", b'"', b"\xff\xfe", b"NaN")) + data[at:]
