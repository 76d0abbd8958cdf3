"""What a failure would cost, by the depth of the cut and by how much was done: the figures behind `cost`."""

from __future__ import annotations

import msgspec

from replanctl.cost.model import Coefficients, CostModel


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
