"""Many sessions: trials in, facts out, in the same order whatever runs them.

A trial is a rehearsal under one set of faults and one policy. Sessions of one rehearsal share its loaded plan; a batch
of trials goes to a worker together with it, so nothing is parsed or checked twice. Results are yielded in the order of
the trials, with a bounded number of batches under way, so that memory does not grow with the sweep.
"""

from __future__ import annotations

import gc
import os
import signal
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future
from itertools import islice
from threading import Thread

import msgspec

from replanctl.files import Rehearsal, collector_paused
from replanctl.host import Case
from replanctl.lab.compare import Lane, Strategy, compare_trials
from replanctl.lab.facts import Facts
from replanctl.lab.trial import Trial, judged, run_trial
from replanctl.script import RuleBook

BATCH = 64  # sessions that go to a worker at once
HERE = 16  # sessions between two looks at the clock, where they run here
AHEAD = 4  # batches under way for each worker, so that none waits


Batch = tuple[tuple[Rehearsal, tuple[Trial, ...]], ...]


# The cyclic collector would look through all that the batch holds again and again. With it off, one collection of the
# young generations at the end frees the sessions; a full one would walk the loaded plans too, for nothing.
def run_batch(batch: Batch) -> list[Facts]:
    """Run a batch of sessions in a worker, and return their facts in order."""
    with collector_paused():
        found: list[Facts] = []
        for rehearsal, trials in batch:
            book = RuleBook(rehearsal.outcomes)
            found += [(judged if trial.judged else run_trial)(rehearsal, trial, book) for trial in trials]
    gc.collect(1)
    return found


def batches(trials: Iterable[tuple[Rehearsal, Iterable[Trial]]], size: int = BATCH) -> Iterator[Batch]:
    """So many trials at a time, each rehearsal once a batch, without the texts that it was read from."""
    batch: list[tuple[Rehearsal, tuple[Trial, ...]]] = []
    room = size
    for rehearsal, each in trials:
        left, bare = iter(each), msgspec.structs.replace(rehearsal, sources=(), warnings=())
        while some := tuple(islice(left, room)):
            batch.append((bare, some))
            room -= len(some)
            if not room:
                yield tuple(batch)
                batch, room = [], size
    if batch:
        yield tuple(batch)


def sweep_trials(
    trials: Iterable[tuple[Rehearsal, Iterable[Trial]]], executor: Executor | None = None, *, workers: int = 1
) -> Iterator[Facts]:
    """The facts of every trial, in the order of the trials.

    Without an `executor` they run here. With one (a process pool, a cluster's) `workers` says how many it has, and
    the same facts come out in the same order.
    """
    work = batches(trials, BATCH if executor is not None else HERE)
    found = map(run_batch, work) if executor is None else _through(executor, work, workers)
    for facts in found:
        yield from facts


def _through(executor: Executor, work: Iterator[Batch], workers: int) -> Iterator[list[Facts]]:
    # A bounded number of batches is submitted ahead, and taken from the left: memory stays flat however long the sweep,
    # and a slow batch delays the output, never its order.
    under_way: deque[Future[list[Facts]]] = deque(executor.submit(run_batch, b) for b in islice(work, workers * AHEAD))
    try:
        while under_way:
            yield under_way.popleft().result()
            under_way.extend(executor.submit(run_batch, batch) for batch in islice(work, 1))
    finally:
        # The consumer went away (Ctrl-C, or a table that needed no more): what has not begun need not.
        for waiting in under_way:
            waiting.cancel()


def process_pool(jobs: int) -> Executor:
    """So many processes of this machine, at most four for each of its cores. Being told to stop is for the one that
    started them."""
    from concurrent.futures import ProcessPoolExecutor  # takes longer to import than a matrix of a small plan to run

    # Each takes its memory from the start, and beyond the cores there is nothing to gain: a slip of the finger
    # (`--jobs 100000`) must not bring the machine down. The results are the same for any number.
    jobs = min(jobs, 4 * (os.cpu_count() or 1))
    return ProcessPoolExecutor(jobs, initializer=_begin_worker, initargs=(os.getpid(),))


def _begin_worker(parent: int) -> None:
    _leave_stops_alone()
    if hasattr(os, "getppid"):
        Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    """A worker whose parent was killed would wait for work for ever."""
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)


def _leave_stops_alone() -> None:
    # A terminal sends Ctrl-C to the whole group: the parent alone acts on it, for it keeps what is done. A fork
    # inherits the parent's handlers for the others, which are about the parent's run and not the worker's.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for number in (signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)):
        signal.signal(number, signal.SIG_DFL)


def sharded(
    trials: Iterable[tuple[Rehearsal, Sequence[Trial]]], shard: int, of: int
) -> Iterator[tuple[Rehearsal, list[Trial]]]:
    """Every `of`-th trial, beginning with the `shard`-th (from 1): shards of one sweep share no trial and miss none."""
    number = 0
    for rehearsal, each in trials:
        # Counted through all cases, so that shards are of one size even where every case has but one session.
        mine = [trial for offset, trial in enumerate(each, number) if offset % of == shard - 1]
        number += len(each)
        yield rehearsal, mine


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
    make = trials or (lambda case: _trials_of(case, policies))
    return sweep_trials(((case.rehearsal, list(make(case))) for case in named), executor, workers=workers)


def _trials_of(case: Case, policies: Sequence[Lane | Strategy]) -> list[Trial]:
    return compare_trials(case, policies) if policies else [Trial((case.name,), lessons=case.lessons)]
