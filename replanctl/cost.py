"""What planning, replanning and solving take, in tokens. The only home of the formulas.

The numbers follow the cost model of plan-and-execute agents: a replan's prompt carries one line per
done step and one per step to be replaced, never the observations themselves (ReWOO, arXiv:2305.18323).

Beside the formulas stand the coefficients as a run measured them, and the table of what a failure would cost.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import msgspec

PADDING = 1.2  # the token gate asks for this much more than a replan is estimated at
# Planning and replans book what they were estimated at, so that there is nothing to measure in them.
_MEASURED = {"execution": "execution", "re-execution": "execution", "retry": "retry"}  # ledger kind → coefficient


class Coefficients(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """Tokens for each part of a prompt and for each call."""

    prompt: int = 120
    goal: int = 40
    done_line: int = 25
    failure: int = 80
    lesson: int = 60
    step: int = 60
    execution: int = 180
    retry: int = 200


class CostModel(msgspec.Struct, frozen=True, gc=False):
    """The formulas over a set of coefficients; every method returns tokens.

    `done` and `lessons` are the lines really carried, `lines` the step lines of the request.
    """

    coefficients: Coefficients = Coefficients()

    def planning(self, steps: int) -> int:
        """The first plan: prompt, goal and one line a step."""
        c = self.coefficients
        return c.prompt + c.goal + c.step * steps

    def replan(self, *, done: int, lines: int, lessons: int = 1) -> int:
        """What a replan's request carries, whatever its granularity."""
        c = self.coefficients
        return c.prompt + c.goal + c.failure + c.lesson * lessons + c.done_line * done + c.step * lines

    def patch(self, *, total: int, done: int, lessons: int = 1) -> int:
        """A patch carries two step lines: the failed step and the one that reads it."""
        return self.replan(done=done, lines=2, lessons=lessons)

    def tail(self, *, total: int, done: int, lessons: int = 1) -> int:
        """A tail carries every step that is not done."""
        return self.replan(done=done, lines=total - done, lessons=lessons)

    def rerun(self, done: int) -> int:
        """Running finished work again, as a global replan does."""
        return self.coefficients.execution * done

    def solver(self, *, evidence: int, gaps: int) -> int:
        """The Solver's prompt: one line for each piece of evidence, a failure for each gap."""
        c = self.coefficients
        return c.prompt + c.goal + c.done_line * evidence + c.failure * gaps

    def main_flow(self, steps: int) -> int:
        """Planning and running every step once, with nothing going wrong."""
        return self.planning(steps) + self.coefficients.execution * steps


def padded(tokens: int) -> int:
    """An estimate as the token gate asks for it: 20 % more, rounded up, exactly."""
    return math.ceil(tokens * 12 / 10)


def measured(coefficients: Coefficients, booked: Iterable[tuple[str, int]]) -> Coefficients:
    """The coefficients of a run with the mean of its bookings (kind and tokens), rounded, where there are any."""
    tokens: dict[str, list[int]] = {}
    for kind, amount in booked:
        if name := _MEASURED.get(kind):
            tokens.setdefault(name, []).append(amount)
    means = {name: round(sum(amounts) / len(amounts)) for name, amounts in tokens.items()}
    return msgspec.structs.replace(coefficients, **means)


# -- what a failure would cost, by the depth of the cut and by how much was done: the figures behind `cost` ------------


class CostRow(msgspec.Struct, frozen=True, gc=False):
    """One way to answer a failure, in tokens. `multiple` is of a patch at the same point."""

    way: str
    carried: int
    re_executed: int
    total: int
    multiple: float


class CostAt(msgspec.Struct, frozen=True, gc=False):
    """Every way to answer the failure of the step that comes after `done` steps."""

    fail: int
    done: int
    rows: tuple[CostRow, ...]


class CostTable(msgspec.Struct, frozen=True, gc=False):
    """The cost of one failure, and of a failure at each of the `steps`. `lessons` are the lines carried."""

    steps: int
    lessons: int
    coefficients: Coefficients
    failure: CostAt
    by_done: tuple[CostAt, ...]


def cost_table(coefficients: Coefficients, *, steps: int, fail: int, lessons: int = 1) -> CostTable:
    """The table for a failure at step `fail` (from 1) of `steps`."""
    by_done = tuple(cost_at(coefficients, steps=steps, fail=at, lessons=lessons) for at in range(1, steps + 1))
    return CostTable(steps, lessons, coefficients, by_done[fail - 1], by_done)


def cost_at(coefficients: Coefficients, *, steps: int, fail: int, lessons: int = 1) -> CostAt:
    """What a failure at one step takes: another attempt, a patch, a tail, a global replan."""
    model, done = CostModel(coefficients), fail - 1
    patch = model.patch(total=steps, done=done, lessons=lessons)
    tail = model.tail(total=steps, done=done, lessons=lessons)
    # A global replan asks no more than a tail does; what makes it dear is running finished work again.
    ways = (
        ("retry", coefficients.retry, 0),
        ("patch", patch, 0),
        ("tail", tail, 0),
        ("global", tail, model.rerun(done)),
    )
    return CostAt(fail, done, tuple(_row(*way, patch=patch) for way in ways))


def _row(way: str, carried: int, re_executed: int, *, patch: int) -> CostRow:
    total = carried + re_executed
    return CostRow(way, carried, re_executed, total, round(total / patch, 2) if patch else 0.0)
