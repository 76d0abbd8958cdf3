"""Sweeps from Python: cases and policies in, facts out, through whatever executor one has."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor

from replanctl.files import Rehearsal
from replanctl.host import Case
from replanctl.lab.compare import Lane, Strategy, compare_trials
from replanctl.lab.facts import Facts
from replanctl.lab.sweep import sweep as sweep_trials
from replanctl.lab.trial import Trial

Trials = Callable[[Case], Iterable[Trial]]


def sweep(
    cases: Iterable[Case | Rehearsal],
    policies: Sequence[Lane | Strategy] = (),
    executor: Executor | None = None,
    *,
    workers: int = 4,
    trials: Trials | None = None,
) -> Iterator[Facts]:
    """The facts of each case under each policy, in this order; without `policies` under its own.

    `trials` makes the sessions of a case otherwise: `matrix_trials`, `tune_trials`, or a function of yours. With an
    `executor` of `concurrent.futures` sessions run there, a bounded number of batches for `workers` at a time; the same
    facts come out in the same order. A rehearsal without a name is called by its number. Raises UsageError for a single
    policy.
    """
    named = (each if isinstance(each, Case) else Case(str(at), each) for at, each in enumerate(cases, start=1))
    make = trials or (lambda case: _trials(case, policies))
    return sweep_trials(((case.rehearsal, list(make(case))) for case in named), executor, workers=workers)


def _trials(case: Case, policies: Sequence[Lane | Strategy]) -> list[Trial]:
    return compare_trials(case, policies) if policies else [Trial((case.name,), lessons=case.lessons)]
