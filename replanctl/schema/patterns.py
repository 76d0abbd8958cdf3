"""Patterns of JSON Schemas, matched in a time that grows with the text and no faster, whatever they say.

`re` tries one way after the other: over thirty letters, `^(a+)+$` keeps it busy for minutes. Here all ways are gone
at once (K. Thompson, "Regular expression search algorithm", 1968). What can't be matched like that is refused.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable
from functools import lru_cache
from importlib import import_module
from typing import Any

_LONGEST = 1000  # characters of a pattern
_STATES = 10_000  # a repeat with a number counts as often as it says
_STEPS = 1_000_000  # states looked at while one text is searched, which takes half a second
_NO_FLAGS = int(re.UNICODE)

Test = Callable[[str], bool]
_Look = Callable[[str, str], bool]  # of the characters before and after; "" where the text ends
_State = tuple[str, Any, Any]  # a character's test and the next state, a look and the next state, or the ways to go


class PatternError(ValueError):
    """What is wrong with a pattern, or that a text is too long to be held against it."""


@lru_cache(256)
def pattern(text: str) -> Pattern:
    """The pattern with this text. Raises PatternError where there is none."""
    return Pattern(text)


class Pattern:
    """A pattern, ready to search in texts. Letters and digits are those of Unicode; `$` is the very end."""

    def __init__(self, text: str) -> None:
        if len(text) > _LONGEST:
            raise PatternError(f"longer than {_LONGEST:,} characters")
        self._states: list[_State] = []
        try:
            tree = _parsed(text)
            self._start = self._all(tree, self._new("end"))
        except (re.error, OverflowError) as error:
            raise PatternError(str(error)) from None
        except RecursionError:
            raise PatternError("nested too deep") from None

    def found_in(self, text: str) -> bool:
        """Whether the pattern matches somewhere in a text. Raises PatternError when that takes too long to tell."""
        current: Iterable[int] = ()
        before, steps = "", 0
        for after in (*text, ""):
            seen: set[int] = set()
            following = self._step((*current, self._start), before, after, seen)
            if following is None:
                return True
            steps += len(seen)
            if steps > _STEPS:
                raise PatternError(f"a text of {len(text):,} characters is too long for it")
            current, before = following, after
        return False

    def _step(self, stack: Iterable[int], before: str, after: str, seen: set[int]) -> list[int] | None:
        """Where one gets from these states by the next character; None when the end is among them."""
        stack, following = list(stack), []
        while stack:
            number = stack.pop()
            if number in seen:
                continue
            seen.add(number)
            kind, what, target = self._states[number]
            if kind == "end":
                return None
            if kind == "ways":
                stack.extend(target)
            elif kind == "look" and what(before, after):
                stack.append(target)
            elif kind == "character" and after and what(after):
                following.append(target)
        return following

    # -- building: each part is put before the state that comes next, and answers with the state it begins at --------

    def _new(self, kind: str, what: Any = None, target: Any = None) -> int:
        if len(self._states) >= _STATES:
            raise PatternError("its repeats make it too large")
        self._states.append((kind, what, target))
        return len(self._states) - 1

    def _all(self, tree: Iterable[tuple[Any, Any]], following: int) -> int:
        for op, arg in reversed(list(tree)):
            following = self._one(str(op), arg, following)
        return following

    def _one(self, op: str, arg: Any, following: int) -> int:
        if op in _TESTS:
            return self._new("character", _TESTS[op](arg), following)
        if op == "AT" and str(arg) in _LOOKS:
            return self._new("look", _LOOKS[str(arg)], following)
        if op == "SUBPATTERN" and not arg[1] and not arg[2]:
            return self._all(arg[3], following)
        if op == "BRANCH":
            return self._new("ways", target=[self._all(way, following) for way in arg[1]])
        if op in ("MAX_REPEAT", "MIN_REPEAT"):
            least, most, tree = arg
            return self._repeat(least, most, tree, following)
        raise PatternError("it looks around, refers back or sets flags, which is not followed")

    def _repeat(self, least: int, most: int, tree: Any, following: int) -> int:
        start = following
        if most == _parser().MAXREPEAT:
            start = self._new("ways", target=[following])
            self._states[start][2].append(self._all(tree, start))
        else:
            for _ in range(most - least):
                start = self._new("ways", target=[self._all(tree, start), following])
        for _ in range(least):
            start = self._all(tree, start)
        return start


def _parser() -> Any:
    return import_module("re._parser")  # loaded with `re`; nothing else reads patterns just as `re` does


def _parsed(text: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what may get another meaning some day
        tree = _parser().parse(text)
    if tree.state.flags != _NO_FLAGS:
        raise PatternError("it sets flags, which is not followed")
    return tree


def _class(items: Iterable[tuple[Any, Any]]) -> Test:
    """The test of `[…]`."""
    tests = [_TESTS[str(op)](arg) for op, arg in items if str(op) != "NEGATE"]
    if len(tests) < len(list(items)):
        return lambda char: not any(test(char) for test in tests)
    return lambda char: any(test(char) for test in tests)


def _word(char: str) -> bool:
    return char.isalnum() or char == "_"


_CATEGORIES: dict[str, Test] = {
    "CATEGORY_DIGIT": str.isdecimal,
    "CATEGORY_NOT_DIGIT": lambda char: not char.isdecimal(),
    "CATEGORY_SPACE": str.isspace,
    "CATEGORY_NOT_SPACE": lambda char: not char.isspace(),
    "CATEGORY_WORD": _word,
    "CATEGORY_NOT_WORD": lambda char: not _word(char),
}
_TESTS: dict[str, Callable[[Any], Test]] = {
    "LITERAL": lambda code: chr(code).__eq__,
    "NOT_LITERAL": lambda code: chr(code).__ne__,
    "ANY": lambda _: "\n".__ne__,
    "RANGE": lambda ends: lambda char: ends[0] <= ord(char) <= ends[1],
    "CATEGORY": lambda name: _CATEGORIES[str(name)],
    "IN": _class,
}
_LOOKS: dict[str, _Look] = {
    "AT_BEGINNING": lambda before, after: not before,
    "AT_BEGINNING_STRING": lambda before, after: not before,
    "AT_END": lambda before, after: not after,
    "AT_END_STRING": lambda before, after: not after,
    "AT_BOUNDARY": lambda before, after: _word(before) != _word(after),
    "AT_NON_BOUNDARY": lambda before, after: _word(before) == _word(after),
}
