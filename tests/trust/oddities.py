"""What tools and planners may do that nobody expects: values that are no data, failures and outcomes that are none."""

from __future__ import annotations

import asyncio
import datetime
import decimal
import enum
import json
import uuid
from collections.abc import Callable
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import msgspec

from replanctl import Outcome, ToolFailure
from replanctl.kinds import Status
from tests.host.test_hostile import Odd, Trap, Unmade, deep, endless, numbers, spoilt
from tests.traces.mutations import STRANGE, mutated


def changed(value: Any, dice: Random) -> Any:
    """The value with up to three things in it changed."""
    held = {"value": value}
    for _ in range(dice.choice((0, 1, 1, 2, 3))):
        held = mutated(held, dice) if held else {}
    return held.get("value")


class Colour(enum.Enum):
    """Something of which msgspec makes a text."""

    RED = "red"


class BadRepr:
    """Something that can't be said."""

    def __repr__(self) -> str:
        raise RuntimeError("no repr")

    __str__ = __repr__


class Whole(int):
    """A number that is more than one."""

    __repr__ = BadRepr.__repr__
    __str__ = BadRepr.__repr__


class Worded(str):
    """A text that is more than one."""

    def encode(self, *how: Any) -> bytes:
        raise RuntimeError("no bytes")


class BadStrError(Exception):
    """An exception that can't be said."""

    def __str__(self) -> str:
        raise RuntimeError("no str")


class Slots(msgspec.Struct):
    """Data of somebody else's making, with something in it that is none."""

    inner: Any = None


# What may stand where data should; each call makes it anew.
ODDITIES: tuple[Callable[[Random], Any], ...] = (
    *(lambda dice, each=each: each for each in (float("nan"), float("inf"), -float("inf"), b"ab", 10**30, 10**400)),
    *(lambda dice, each=each: each for each in ("\ud800", "x" * 100_000, Whole(4), Worded("é"), Colour.RED, 1j)),
    *(lambda dice, each=each: each for each in (..., NotImplemented, object, len, Colour, json)),
    lambda dice: {1, "a"}, lambda dice: frozenset({(1, 2)}), lambda dice: (1, (2, [3])), lambda dice: bytearray(b"a"),
    lambda dice: {1: "a", None: 2}, lambda dice: {(1, 2): 3}, lambda dice: {b"k": 1}, lambda dice: {Colour.RED: 1},
    lambda dice: datetime.datetime(2024, 1, 31, tzinfo=datetime.UTC), lambda dice: datetime.timedelta(days=1),
    lambda dice: decimal.Decimal("1e999999"), lambda dice: uuid.UUID(int=7), lambda dice: Path("a"),
    lambda dice: deep(dice.choice((50, 900, 5000))), lambda dice: endless(), lambda dice: numbers(),
    lambda dice: BadRepr(), lambda dice: SimpleNamespace(a=BadRepr()), lambda dice: Slots(BadRepr()),
    lambda dice: Slots({"a": Slots()}), lambda dice: memoryview(b"ab"), lambda dice: range(3),
    lambda dice: Odd(5), lambda dice: Odd(iter([5])), lambda dice: Trap(a=1), lambda dice: Outcome(value=Outcome()),
    lambda dice: Exception("e"), lambda dice: open, lambda dice: map(str, ()),
    lambda dice: [0] * 100_000, lambda dice: dice.choice(STRANGE),
)  # fmt: skip
RAISED: tuple[Callable[[], BaseException], ...] = (
    TimeoutError, ConnectionRefusedError, ConnectionResetError, lambda: PermissionError("not you"), BadStrError, Unmade,
    lambda: KeyError("month"), asyncio.CancelledError, GeneratorExit, StopIteration, lambda: ValueError("\ud800" * 9),
    lambda: BaseExceptionGroup("g", [GeneratorExit()]), lambda: OSError(28, "no room"), RecursionError, MemoryError,
    lambda: UnicodeDecodeError("utf-8", b"\xff", 0, 1, "x"), lambda: ValueError("x" * 100_000),
    lambda: ValueError(BadRepr()),
)  # fmt: skip
STATUSES = tuple(Status)
NUMBERS = (None, 0, 1, 2.5, -1, True, 1e300, float("nan"), 10**30, "2")


def odd(dice: Random) -> Any:
    """Something that is not data, or only just, alone or in what is."""
    found = dice.choice(ODDITIES)(dice)
    for _ in range(dice.choice((0, 0, 1, 2))):
        found = dice.choice(({"a": found}, [found, 1], {"a": [found], "b": 2}, (found,)))
    return found


def behaviour(dice: Random) -> Callable[[], Any]:
    """What a tool does when it is called."""
    return dice.choice(_BEHAVIOURS)(dice)


def _returns(dice: Random) -> Callable[[], Any]:
    value = changed({"a": [1, "x"], "b": {"c": 2.5}}, dice)
    return lambda: value


def _fails(dice: Random) -> Callable[[], Any]:
    parts = {
        name: dice.choice(kinds)
        for name, kinds in (
            ("message", (*STRANGE, "no rows")), ("cause", STRANGE),
            ("refutes", (("p",), "p", ["q", "z"], 5, (1,), None)),
            ("retry_after", NUMBERS), ("status", (*STATUSES, None, 5)),
        )
        if dice.random() < 0.5
    }  # fmt: skip
    failure = spoilt(**parts)
    if dice.random() < 0.3:
        failure = ToolFailure(dice.choice(("shape", "empty", "semantic", "denied", "rate_limited")), refutes=("p",))
    return lambda: _raise(failure)


def _outcomes(dice: Random) -> Callable[[], Any]:
    parts = {
        "status": dice.choice((*STATUSES, "x")), "value": dice.choice((odd(dice), {"a": [1]})),
        "message": dice.choice((*STRANGE, "m")), "retry_after": dice.choice(NUMBERS), "tokens": dice.choice(NUMBERS),
        "latency": dice.choice(NUMBERS), "refutes": dice.choice((("p",), "p", 5, None)), "cause": dice.choice(STRANGE),
    }  # fmt: skip
    kept: Any = {name: part for name, part in parts.items() if name == "status" or dice.random() < 0.6}
    return lambda: Outcome(**kept)


def _raise(error: BaseException) -> Any:
    raise error


_BEHAVIOURS: tuple[Callable[[Random], Callable[[], Any]], ...] = (
    _returns, _returns, _fails, _outcomes, lambda dice: lambda: odd(dice),
    lambda dice: lambda: _raise(dice.choice(RAISED)()),
)  # fmt: skip
