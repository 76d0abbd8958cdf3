"""Executions side by side: lanes, and rows in the order in which they began."""

from __future__ import annotations

import pytest

from replanctl.kinds import StepState
from replanctl.run import StepEnd
from replanctl.show.flight import Ended, Flight
from tests.show import sample


def flown(moves: str, *, live: bool = False) -> list[str]:
    """What is written for these moves: `a` begins, `A` ends, `/` is a flush, `?a` is said below a."""
    said: list[str] = []

    def write(ended: Ended) -> None:
        said.append(f"{ended.event.step_id}{ended.lane or ''}")

    flight = Flight(write, live=live)
    for move in moves.split():
        if move == "/":
            flight.flush()
        elif move.startswith("?"):
            if not flight.below(move[1:], lambda move=move: said.append(move)):
                said.append(f"now {move}")
        elif move.islower():
            flight.start(move)
        else:
            flight.end(sample.ended(move.lower(), 0.0), None, ())
    return said


CASES: dict[str, tuple[str, list[str]]] = {
    "one after the other": ("a A b B", ["a1", "b1"]),
    "ended in another order": ("a b c C A B", ["a1", "b2", "c3"]),
    "a lane that was left": ("a b A c C B", ["a1", "b2", "c1"]),
    "the lowest lane first": ("a b c B A d D C", ["a1", "b2", "c3", "d1"]),
    "something else is said": ("a b B / A", ["b2", "a1"]),
    "said below a row that waits": ("a b B ?b A", ["a1", "b2", "?b"]),
    "said below a row that is written": ("a A ?a", ["a1", "now ?a"]),
    "said of a step that still runs": ("a ?a A", ["now ?a", "a1"]),
    "never begun": ("a X A", ["a1", "x"]),
}


@pytest.mark.parametrize(("moves", "said"), CASES.values(), ids=CASES)
def test_rows_stand_in_the_order_in_which_they_began(moves: str, said: list[str]) -> None:
    assert flown(moves) == said


def test_nothing_waits_where_real_tools_are_watched() -> None:
    assert flown("a b c C A B", live=True) == ["c3", "a1", "b2"]


def test_a_skipped_step_runs_in_no_lane() -> None:
    rows: list[Ended] = []
    flight = Flight(rows.append)
    flight.end(StepEnd(0, 3.0, "v1", "4", StepState.SKIPPED, "skipped", "t", 3.0), None, ())
    assert [row.lane for row in rows] == [None]
