"""The lab against brute force: every cell, every finding and every limit, worked out from single runs alone.

`REPLANCTL_LAB_SEEDS=2000 pytest tests/lab/test_against_brute.py` looks at so many plans and a sixth as many corpora.
"""

from __future__ import annotations

import os
from itertools import combinations, zip_longest
from typing import Any

import msgspec
import pytest

from replanctl.host import Case
from replanctl.lab import (
    Facts,
    Matrix,
    MatrixOptions,
    Strategy,
    compare,
    compare_trials,
    matrix,
    matrix_trials,
    parting,
    sign_test,
    sweep_trials,
    tune,
    tune_trials,
)
from replanctl.lab.compare import lanes_of
from tests.lab import brute, brute_tune
from tests.lab.corpora import corpus
from tests.properties.rehearsals import of_seed

SEEDS = int(os.environ.get("REPLANCTL_LAB_SEEDS", "8"))
PAIRS = 8


def plain(value: Any) -> Any:
    """As JSON has it."""
    return msgspec.json.decode(msgspec.json.encode(value))


def told(facts: Facts) -> dict[str, Any]:
    """What facts say of a session, in the words of `brute.cell`."""
    said: dict[str, Any] = plain({name: getattr(facts, name) for name in facts.__struct_fields__})
    said["doubled"] = sorted([one["tool"], one["times"]] for one in said["doubled"])
    return said | {name: sorted(said[name]) for name in ("rules", "refused", "fallbacks", "planner")}


@pytest.mark.parametrize("seed", range(SEEDS))
def test_a_matrix(seed: int) -> None:
    of = of_seed(seed)
    options = MatrixOptions(goals=True, pairs=PAIRS)
    trials = matrix_trials(of, options)
    facts = list(sweep_trials([(of, trials)]))
    pairs: Any = [trial.faults for trial in trials if trial.key[0] == "pair"]
    found = brute.swept(of, pairs, goals=True)
    faults = [(), *([fault] for fault, _ in found.cells), *([] for _ in found.goals), *map(list, pairs)]
    for one, run, put_in in zip(facts, found.all, faults, strict=True):
        cell = plain(brute.cell(run, put_in))
        assert {name: told(one)[name] for name in cell} == cell, one.key
    held_against(of, matrix(of, facts), found)


def held_against(of: Any, table: Matrix, found: brute.Swept) -> None:
    """Everything that the table says below its grid."""
    stranded = {(s.step_id, status, s.always) for s in table.stranded for status in s.statuses}
    assert stranded == brute.no_way_out(of, found)
    assert {one.tool: (one.times, one.sessions) for one in table.twice} == brute.twice(found)
    assert plain(table.totals) == brute.totals(found)
    assert {(one.kind, one.name.split(" (")[0]) for one in table.coverage.dead} == brute.dead(of, found)
    cells = [brute.cell(one) for one in found.all]
    gates, rules = ({name for one in cells for name in one[key]} for key in ("refused", "rules"))
    assert (set(table.coverage.gates_used), set(table.coverage.rules_used)) == (gates, rules)
    assert set(table.coverage.gates_unused) == set(brute.GATES) - gates
    assert set(table.coverage.rules_unused) == set(brute.RULES) - rules
    silent = [name for fault, one in found.cells for name in brute.cell(one, [fault])["unlanded"]]
    assert list(table.unlanded) == silent
    ends = {str(fault): one.completed for fault, one in found.cells}
    short = [(tuple(map(str, pair)), one) for pair, one in found.pairs if not one.completed]
    worse = [(names, one.doc["reason"]) for names, one in short if all(ends[name] for name in names)]
    if table.pairs is not None:
        assert (table.pairs.tried, table.pairs.tried - table.pairs.completed) == (len(found.pairs), len(short))
        assert [(one.faults, one.reason) for one in table.pairs.shown] == worse[:20]
        reasons = [one.doc["reason"] for _, one in found.pairs]
        assert table.pairs.ends == {reason: reasons.count(reason) for reason in reasons}
        assert table.pairs.doubled == sum(bool(brute.doubled(one.doc)) for _, one in found.pairs)
        assert table.pairs.tokens == max(one.tokens for _, one in found.pairs)


# A session may come to its goal under a limit of time, and not under a higher one: a wait that would end behind the
# limit gives way to the fallback at once. What is proposed then covers what the session took, and that may be more than
# the least under which it would finish.
TIMED = "max_seconds"


@pytest.mark.parametrize("seed", range(max(2, SEEDS // 2)))
def test_a_tuning(seed: int) -> None:
    cases = corpus(seed, 6)
    facts = sweep_trials((case.rehearsal, tune_trials(case)) for case in cases)
    found = tune(facts, {case.name: case.solved for case in cases})
    sessions = [brute_tune.Session(case) for case in cases]
    gates = {gate: brute_tune.tuned(sessions, gate) for gate in brute.GATES}
    for gate in found.gates:
        slow = gates[str(gate.gate)]
        assert (list(gate.stopped), gate.solved_when_recorded) == (slow.stopped, slow.solved)
        lifted = [one.name for one in sessions if one.name in slow.stopped and one.lifted(gate.gate).completed]
        assert [one.case for one in gate.would_finish] == lifted
        assert {one.case: (one.limit, one.tokens) for one in gate.would_finish} == slow.freed
        assert [(one.limit, one.frees, one.tokens) for one in gate.levels] == levels(slow.freed)
        if gate.gate != TIMED:
            assert gate.proposed == slow.proposed
            curve = [(p.limit, brute_tune.completes(sessions, gate.gate, p.limit)) for p in gate.curve[1:]]
            assert [(point.limit, point.completed) for point in gate.curve[1:]] == curve
    stopped = [one for one in sessions if one.now.stopped_by]
    known = [one.solved for one in stopped if one.solved is not None]
    assert (found.sessions, found.completed) == (len(sessions), sum(one.now.completed for one in sessions))
    freed = sum(len(one.freed) for one in gates.values())
    shares = [(s.hits, s.trials) for s in (found.stop_rate, found.could_finish, found.wrongly_stopped)]
    assert shares == [(len(stopped), len(sessions)), (freed, len(stopped)), (sum(known), len(known))]


def levels(freed: dict[str, tuple[Any, int]]) -> list[tuple[Any, int, int]]:
    """For each limit that frees a session, how many it frees, and the tokens that these take more."""
    limits = sorted({limit for limit, _ in freed.values()})
    tokens = [[more for least, more in freed.values() if least <= limit] for limit in limits]
    return [(limit, len(some), sum(some)) for limit, some in zip(limits, tokens, strict=True)]


def test_some_sessions_of_these_corpora_are_freed() -> None:
    cases = [case for seed in range(4) for case in corpus(seed, 6)]
    facts = list(sweep_trials((case.rehearsal, tune_trials(case)) for case in cases))
    assert sum(one.freed is not None for one in facts) >= 3


@pytest.mark.parametrize("seed", range(max(2, SEEDS // 4)))
def test_a_comparison(seed: int) -> None:
    cases = [Case(f"c{number}", of_seed(seed * 50 + number)) for number in range(8)]
    lanes = list(Strategy)
    found = compare(sweep_trials((c.rehearsal, compare_trials(c, lanes)) for c in cases), [str(s) for s in lanes])
    runs = [[brute.ran(c.rehearsal, policy=lane.policy) for lane in lanes_of(c.rehearsal, lanes)] for c in cases]
    for at, lane in enumerate(found.lanes):
        cells = [brute.cell(row[at]) for row in runs]
        sums = {name: sum(cell[name] for cell in cells) for name in ("gaps", "calls", "replans", "tokens", "effects")}
        assert {name: getattr(lane, name) for name in sums} == sums
        assert (lane.sessions, lane.completed) == (len(cells), sum(row[at].completed for row in runs))
        assert lane.with_gaps == sum(cell["reason"] == "goal_met_with_gaps" for cell in cells)
        assert lane.seconds == pytest.approx(sum(cell["seconds"] for cell in cells), abs=1e-9)
    for at, versus in enumerate(found.versus, start=1):
        steps = {case.name: rank(row[at]) - rank(row[0]) for case, row in zip(cases, runs, strict=True)}
        better, worse = ([name for name, step in steps.items() if step * sign > 0] for sign in (1, -1))
        assert ([p.case for p in versus.better], [p.case for p in versus.worse]) == (better, worse)
        assert versus.same == len(cases) - len(better) - len(worse)
        assert versus.broken == sum(row[0].completed and not row[at].completed for row in runs)
        assert versus.chance == sign_test(len(better), len(worse)) == pytest.approx(chance(len(better), len(worse)))


def rank(one: brute.Ran) -> int:
    """Short, with gaps, whole."""
    return 0 if not one.completed else 1 if one.doc["reason"] == "goal_met_with_gaps" else 2


def chance(better: int, worse: int) -> float:
    """The sign test by counting every way in which so many coins can fall."""
    coins = better + worse
    falls = [bin(way).count("1") for way in range(2**coins)]
    return float(sum(abs(2 * heads - coins) >= abs(better - worse) for heads in falls) / 2**coins)


# What only says why: it differs between any two policies, and nothing comes of it.
WHY = {"limit", "reading", "rule", "escalated_from", "limits", "mode", "detail", "evidence", "on_failure"}


def bare(value: Any) -> Any:
    """An event without what only says why."""
    if isinstance(value, dict):
        return {name: bare(item) for name, item in value.items() if name not in WHY}
    return [bare(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("seed", range(SEEDS))
def test_where_two_lanes_part(seed: int) -> None:
    of = of_seed(seed + 30_000)
    lanes = lanes_of(of, [Strategy.PATCH, Strategy.TAIL, Strategy.REWOO, Strategy.HYBRID])
    streams = [[bare(plain(event)) for event in brute.ran(of, policy=lane.policy).events[1:]] for lane in lanes]
    for (lane, one), (other_lane, other) in combinations(zip(lanes, streams, strict=True), 2):
        differs = (event for event, beside in zip_longest(one, other, fillvalue={}) if event != beside)
        first = next(differs, None)
        found = parting(of, lane, other_lane)
        assert (found and found.at) == (first and first["at"])
