"""The ledger: every token is booked once, and the sums agree with what the gates read."""

from __future__ import annotations

from collections.abc import Iterator

from replanctl.run.events import Gate, Ledger, SolverCalled
from replanctl.run.policy import Mode
from replanctl.run.result import LedgerLine
from tests.properties.laws.results import COMPLETED, finished, in_doubt, missing
from tests.properties.run import Run

MAIN = ("planning", "execution")


def ledger_lines_sum_to_the_totals(run: Run) -> Iterator[str]:
    """Main is planning and first executions, remedy the rest, ratio the one over the other."""
    lines, totals = run.result.ledger.lines, run.result.ledger.totals
    main = sum(line.booked for line in lines if line.kind in MAIN)
    remedy = sum(line.booked for line in lines if line.kind not in MAIN)
    ratio = round(remedy / main, 4) if main else 0.0
    if (totals.main, totals.remedy, totals.all, totals.ratio) != (main, remedy, main + remedy, ratio):
        yield f"the lines sum to {main} and {remedy}, and the totals are {totals}"


def replan_lines_reconcile_with_the_token_gate(run: Run) -> Iterator[str]:
    """What is booked on a replan is what the gate read, before padding and without what was booked already."""
    booked, reading = 0, 0.0
    for event in run.events:
        if type(event) is Gate and event.gate == "max_replan_tokens":
            reading = event.reading
        elif type(event) is Ledger and event.kind == "replan":
            if event.booked != event.estimated or reading != booked + -(-event.booked * 12 // 10):
                yield f"event {event.seq} books {event.booked} on {booked}, and the gate read {reading}"
            booked += event.booked


def every_attempt_is_booked_once(run: Run) -> Iterator[str]:
    """A first attempt as an execution, or a re-execution where the lineage was called before; the others as retries."""
    expected = list(_bookings(run))
    found = [line for line in run.result.ledger.lines if line.kind in ("execution", "re-execution", "retry")]
    if found != expected:
        yield f"the ledger has {found}, and the calls make {expected}"


def _bookings(run: Run) -> Iterator[LedgerLine]:
    c, line = run.rehearsal.policy.coefficients, run.moments[-1].after.line
    called: set[str] = set()
    for _, call, outcome in run.calls:  # in the order they began
        root = line(call.step_id)[0]
        kind = "retry" if call.attempt > 1 else "re-execution" if root in called else "execution"
        called.add(root)
        cost, tokens = (c.retry if kind == "retry" else c.execution), outcome.tokens
        yield LedgerLine(kind, f"v{call.version}", call.step_id, None, cost, cost if tokens is None else tokens)


def planning_is_booked_once_and_first(run: Run) -> Iterator[str]:
    """v1 costs its prompt, its goal and a line a step."""
    planning = [line for line in run.result.ledger.lines if line.kind == "planning"]
    tokens = run.cost.planning(len(run.rehearsal.plan.steps))
    if run.limits.max_tokens is not None and run.limits.max_tokens < tokens:
        if run.result.ledger.lines or run.end.reason != "session_token_budget":
            yield f"planning would take {tokens}, and is booked as {planning}"
    elif (
        planning != [LedgerLine("planning", "v1", None, None, tokens, tokens)]
        or run.result.ledger.lines[0].kind != "planning"
    ):
        yield f"planning is booked as {planning}"


def the_solver_is_called_when_there_is_something_to_solve(run: Run) -> Iterator[str]:
    """Once at the end, when there is a gap or under ReWOO; it costs a line for each piece of evidence and each gap."""
    plan = run.moments[-1].after
    solved = [event for event in run.events if type(event) is SolverCalled]
    ran_out = finished(run) or (in_doubt(run) and bool(solved))  # in doubt: answered, and then escalated
    asked = bool(ran_out and (plan.gaps or run.rehearsal.policy.mode is Mode.REWOO))
    if len(solved) != asked:
        yield f"the Solver is called {len(solved)} times, with the gaps {sorted(plan.gaps)}"
    for event in solved:
        gaps = tuple(id_ for id_ in plan.steps if id_ in plan.gaps)
        if (event.evidence, event.gaps) != (tuple(plan.done_ids()), gaps):
            yield f"the Solver gets {event.evidence} and {event.gaps}"
        if event.answered is not (run.end.reason in COMPLETED or bool(in_doubt(run) and run.end.reason == "escalated")):
            yield f"the Solver says {event.answered}, and the session ends with {run.end.reason}"
        if event.missing != missing(run):
            yield f"the Solver misses {event.missing}"
        booked = [line.booked for line in run.result.ledger.lines if line.kind == "solver"]
        if booked != [run.cost.solver(evidence=len(event.evidence), gaps=len(gaps))]:
            yield f"the Solver is booked as {booked}"


ACCOUNTS = (
    ledger_lines_sum_to_the_totals,
    replan_lines_reconcile_with_the_token_gate,
    every_attempt_is_booked_once,
    planning_is_booked_once_and_first,
    the_solver_is_called_when_there_is_something_to_solve,
)
