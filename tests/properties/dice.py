"""One small source of choices, so that a seeded generator and a shrinking one are the same generator."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")


class Dice:
    """Choices made by `roll(n)`, which answers with a number below n. 0 is always the plainest choice."""

    def __init__(self, roll: Callable[[int], int]) -> None:
        self.roll = roll

    @classmethod
    def seeded(cls, seed: int) -> Dice:
        """The choices that belong to a seed, the same on every machine."""
        number = random.Random(seed).random
        return cls(lambda n: int(number() * n))

    def chance(self, percent: int) -> bool:
        """True that often."""
        return self.roll(100) >= 100 - percent

    def pick(self, options: Sequence[T]) -> T:
        """One of the options, each as likely as the other."""
        return options[self.roll(len(options))]

    def some(self, options: Sequence[T], most: int) -> tuple[T, ...]:
        """At most so many of the options, without repeats, in the order they were picked."""
        return tuple(dict.fromkeys(self.pick(options) for _ in range(self.roll(most + 1)))) if options else ()

    def between(self, least: int, most: int) -> int:
        """A whole number from `least` to `most`."""
        return least + self.roll(most - least + 1)
