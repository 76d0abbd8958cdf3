"""Sweeps: the same facts whatever runs them, and what one fault does to a session."""

from __future__ import annotations

import multiprocessing
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from replanctl.files import Rehearsal, Role, Source, load_rehearsal, parse_rehearsal
from replanctl.kinds import Status
from replanctl.lab import FAULTS, Facts, Fault, Trial, fault, process_pool, sharded, sweep_trials

PLANS = Path(__file__).parent.parent.parent / "plans"


def rehearsal(text: str) -> Rehearsal:
    """A rehearsal from the text of a plan."""
    return parse_rehearsal([Source("plan.yaml", Role.PLAN, text)])


def every_fault(of: Rehearsal) -> list[Trial]:
    """Each step under each fault, once and for ever."""
    faults = [Fault(step.id, status, always) for step in of.plan.steps for status in FAULTS for always in (False, True)]
    return [Trial((str(one),), (one,)) for one in faults]


def faulted(text: str, *faults: str) -> Facts:
    """The facts of a plan under these faults."""
    (facts,) = sweep_trials([(rehearsal(text), [Trial((), tuple(map(fault, faults)))])])
    return facts


def test_the_same_facts_whatever_runs_them() -> None:
    vendors = load_rehearsal(PLANS / "vendors.yaml")
    trials = every_fault(vendors)
    here = list(sweep_trials([(vendors, trials)]))
    assert [facts.key for facts in here] == [trial.key for trial in trials]
    with ThreadPoolExecutor(2) as threads, process_pool(2) as processes:
        assert list(sweep_trials([(vendors, trials)], threads, workers=2)) == here
        assert list(sweep_trials([(vendors, trials)], processes, workers=2)) == here


def test_shards_miss_none_and_share_none() -> None:
    vendors = load_rehearsal(PLANS / "vendors.yaml")
    trials = every_fault(vendors)
    shards = [list(sweep_trials(sharded([(vendors, trials[:33]), (vendors, trials[33:])], n, 3))) for n in (1, 2, 3)]
    assert sorted(f.key for shard in shards for f in shard) == sorted(trial.key for trial in trials)


TWO = "goal: g\nsteps: [{id: 1, tool: look}, {id: 2, tool: write, args: {x: '#E1'}}]\n"


def test_a_fault_once_is_the_first_attempt_and_then_the_script() -> None:
    facts = faulted(TWO, "1=timeout")
    assert (facts.reason, facts.calls, facts.replans, facts.seconds) == ("goal_met", 3, 0, 33.0)
    script = "outcomes: [{match: {step: 1}, returns: [shape, ok]}]\n"
    facts = faulted(TWO + script, "1=timeout")
    assert (facts.reason, facts.replans, facts.rules, facts.outcomes) == ("goal_met", 1, ("small-radius",), (0,))


def test_a_fault_for_ever_holds_for_what_replaces_the_step_while_it_uses_its_tool() -> None:
    facts = faulted(TWO, "1=shape:always")
    assert (facts.reason, facts.stopped and facts.stopped.gate, facts.replans) == ("step_breaker", "per_step", 3)
    tools = "tools: {look: {fallback: peek}, peek: {}, write: {}}\n"
    facts = faulted(tools + TWO, "1=timeout:always")
    assert (facts.reason, facts.fallbacks) == ("goal_met", (("look", "peek"),))


def test_a_fault_that_meets_no_call_is_told() -> None:
    assert faulted(TWO, "1=denied", "2=timeout").unlanded == ("2=timeout",)


def test_the_same_call_twice_is_told_with_its_tool() -> None:
    assert [(d.tool, d.times) for d in faulted(TWO, "1=lost:always").doubled] == [("look", 3)]
    assert faulted(TWO, "1=unavailable").doubled == ()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1", "'1' is not a fault: write STEP=STATUS or STEP=STATUS:always"),
        ("1=tmeout", "tmeout is no status of a fault: did you mean timeout?"),
        ("1=ok", "ok is no status of a fault: there are timeout, rate_limited, unavailable, tool_error, lost"),
        ("1=timeout:ever", "'1=timeout:ever' is not a fault"),
    ],
)
def test_what_is_no_fault(text: str, said: str) -> None:
    with pytest.raises(ValueError) as caught:
        fault(text)
    assert str(caught.value).startswith(said)
    assert fault("a-1=lost:always") == Fault("a-1", Status.LOST, True)


def test_a_slip_of_the_finger_starts_no_thousand_processes() -> None:
    with process_pool(100_000) as pool:
        assert sorted(pool.map(abs, range(200))) == list(range(200))
        assert len(multiprocessing.active_children()) <= 4 * (os.cpu_count() or 1)
