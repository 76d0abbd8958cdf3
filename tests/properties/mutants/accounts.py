"""Bookings that do not add up."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from replanctl.run import events as e
from tests.properties.bend import Bend, dropped, edited, told, twice
from tests.properties.laws import accounts
from tests.properties.mutants.shapes import document, done, one_more


def booked(kind: str) -> Bend:
    return told(e.Ledger, edited(booked=one_more), lambda event, _: event.kind == kind)


ACCOUNTS: dict[Any, tuple[Bend, ...]] = {
    accounts.ledger_lines_sum_to_the_totals: (document(ledger=lambda ledger: replace(ledger, lines=ledger.lines[1:])),),
    accounts.replan_lines_reconcile_with_the_token_gate: (booked("replan"),),
    accounts.every_attempt_is_booked_once: (
        told(e.StepEnd, edited(again=lambda again: not again), done),
        document(ledger=lambda ledger: replace(ledger, lines=ledger.lines[:-1])),
    ),
    accounts.planning_is_booked_once_and_first: (booked("planning"), told(e.Ledger, twice)),
    accounts.the_solver_is_called_when_there_is_something_to_solve: (
        told(e.SolverCalled, dropped),
        told(e.SolverCalled, edited(evidence=lambda _: ("ghost",))),
        told(e.SolverCalled, edited(answered=lambda answered: not answered)),
        told(e.SolverCalled, edited(missing=lambda _: ("E1",))),
        booked("solver"),
    ),
}
