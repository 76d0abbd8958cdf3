"""The cost table: the worked numbers, and what holds for every size."""

from __future__ import annotations

import pytest

from replanctl.cost import Coefficients, CostAt, CostRow, cost_at, cost_table

# Eight steps, one lesson: done, patch, then global: carried and in all.
WORKED = [(1, 445, 745, 925), (3, 495, 675, 1215), (5, 545, 605, 1505)]


@pytest.mark.parametrize(("done", "patch", "carried", "total"), WORKED)
def test_worked_numbers(done: int, patch: int, carried: int, total: int) -> None:
    assert cost_at(Coefficients(), steps=8, fail=done + 1) == CostAt(
        done + 1,
        done,
        (
            CostRow("retry", 200, 0, 200, round(200 / patch, 2)),
            CostRow("patch", patch, 0, patch, 1.0),
            CostRow("tail", carried, 0, carried, round(carried / patch, 2)),
            CostRow("global", carried, 180 * done, total, round(total / patch, 2)),
        ),
    )


def test_a_table_has_a_row_for_each_number_of_done_steps() -> None:
    table = cost_table(Coefficients(), steps=8, fail=4)
    assert table.failure == table.by_done[3] == cost_at(Coefficients(), steps=8, fail=4)
    assert [(at.fail, at.done) for at in table.by_done] == [(n + 1, n) for n in range(8)]


def test_global_costs_more_with_every_done_step() -> None:
    totals = [at.rows[3].total for at in cost_table(Coefficients(), steps=8, fail=1).by_done]
    assert totals == sorted(set(totals))
    assert cost_at(Coefficients(), steps=8, fail=6).rows[3].multiple == 2.76


@pytest.mark.parametrize(
    ("lessons", "coefficients", "expected"),
    [
        (0, Coefficients(), [200, 435, 615, 1155]),
        (3, Coefficients(), [200, 615, 795, 1335]),
        (1, Coefficients(step=85), [200, 545, 800, 1340]),
        (1, Coefficients(0, 0, 0, 0, 0, 0, 0, 0), [0, 0, 0, 0]),
    ],
)
def test_lessons_and_coefficients_recompute_it(lessons: int, coefficients: Coefficients, expected: list[int]) -> None:
    rows = cost_at(coefficients, steps=8, fail=4, lessons=lessons).rows
    assert [row.total for row in rows] == expected
