"""Many sessions: trials in, facts out, in the same order whatever runs them.

A trial is a rehearsal under one set of faults and one policy. Sessions of one rehearsal share its loaded plan; a batch
of trials goes to a worker together with it, so nothing is parsed or checked twice. Results are yielded in the order of
the trials, with a bounded number of batches under way, so that memory does not grow with the sweep.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from itertools import islice

import msgspec

from replanctl.files import Rehearsal
from replanctl.host import Fault, session_of, with_faults
from replanctl.lab.facts import Facts, facts_of
from replanctl.replan import ScriptedReplanner
from replanctl.run import Interruption, Policy
from replanctl.script import ScriptedTools

BATCH = 64  # sessions that go to a worker at once
AHEAD = 4  # batches under way for each worker, so that none waits


class Trial(msgspec.Struct, frozen=True, gc=False):
    """One session to run: which it is, the faults before the script, a goal change, the policy (None: its own)."""

    key: tuple[str, ...]
    faults: tuple[Fault, ...] = ()
    change: Interruption | None = None
    policy: Policy | None = None


Batch = tuple[Rehearsal, tuple[Trial, ...]]


def run_trial(rehearsal: Rehearsal, trial: Trial) -> Facts:
    """Run one session and say what is known of it."""
    replace = msgspec.structs.replace
    if trial.faults:
        rehearsal = replace(rehearsal, outcomes=with_faults(rehearsal.outcomes, trial.faults))
    if trial.change is not None:
        rehearsal = replace(rehearsal, interruptions=(*rehearsal.interruptions, trial.change))
    script = ScriptedTools(rehearsal.outcomes)
    planner = ScriptedReplanner(rehearsal.planner) if rehearsal.planner else None
    session = session_of(rehearsal, trial.policy or rehearsal.policy, tools=script, replanner=planner)
    fold = facts_of(session.events())
    end = fold.end
    assert end is not None  # a session always comes to its end
    used = script.used()
    mine = len(trial.faults)
    return Facts(
        trial.key,
        end.status,
        end.reason,
        end.seconds,
        fold.tokens,
        fold.remedy,
        fold.calls,
        fold.executions,
        fold.replans,
        fold.versions,
        tuple(fold.depths),
        len(fold.gaps),
        fold.stopped(),
        fold.doubled(),
        tuple(fold.rules),
        tuple(fold.refused),
        tuple(fold.fallbacks),
        tuple(fold.alternatives),
        planner.used() if planner is not None else (),
        tuple(number - mine for number in used if number >= mine),
        tuple(str(one) for number, one in enumerate(trial.faults) if number not in used),
    )


def run_batch(batch: Batch) -> list[Facts]:
    """What a worker does."""
    rehearsal, trials = batch
    return [run_trial(rehearsal, trial) for trial in trials]


def batches(trials: Iterable[tuple[Rehearsal, Iterable[Trial]]], size: int = BATCH) -> Iterator[Batch]:
    """The trials of each rehearsal, so many at a time."""
    for rehearsal, each in trials:
        left = iter(each)
        while some := tuple(islice(left, size)):
            yield rehearsal, some


def sweep(
    trials: Iterable[tuple[Rehearsal, Iterable[Trial]]],
    executor: Executor | None = None,
    *,
    workers: int = 1,
    told: Callable[[int], object] | None = None,
) -> Iterator[Facts]:
    """The facts of every trial, in the order of the trials.

    Without an `executor` they run here. With one (a process pool, a cluster's) `workers` says how many it has, and
    the same facts come out in the same order. `told` is told of every so many sessions that are done.
    """
    found = map(run_batch, batches(trials)) if executor is None else _through(executor, batches(trials), workers)
    for facts in found:
        if told is not None:
            told(len(facts))
        yield from facts


def _through(executor: Executor, work: Iterator[Batch], workers: int) -> Iterator[list[Facts]]:
    under_way: deque[Future[list[Facts]]] = deque(executor.submit(run_batch, b) for b in islice(work, workers * AHEAD))
    while under_way:
        yield under_way.popleft().result()
        under_way.extend(executor.submit(run_batch, batch) for batch in islice(work, 1))


def process_pool(jobs: int) -> Executor:
    """So many processes of this machine."""
    return ProcessPoolExecutor(jobs)


def sharded(
    trials: Iterable[tuple[Rehearsal, Sequence[Trial]]], shard: int, of: int
) -> Iterator[tuple[Rehearsal, list[Trial]]]:
    """Every `of`-th trial, beginning with the `shard`-th (from 1): shards of one sweep share no trial and miss none."""
    number = 0
    for rehearsal, each in trials:
        mine = [trial for offset, trial in enumerate(each, number) if offset % of == shard - 1]
        number += len(each)
        yield rehearsal, mine
