"""Executing: which step begins, what keeps it from its call, what its end means."""

from __future__ import annotations

from typing import Any

from tests.model import refs
from tests.model.calls import Calls
from tests.model.due import Due
from tests.model.run import Run, shown
from tests.model.state import State, canonical
from tests.model.steps import Failure, Step
from tests.model.world import CLASS, breach, schema_fault


class Executor(Calls, Due):
    """Runs steps on the state's clock."""

    def __init__(self, state: State) -> None:
        self.s = state
        self.running: list[Run] = []
        self.due: list[int] = []  # interruptions that a step's end brought due at this instant
        self.last_due: tuple[float, bool] = (-1.0, False)
        self.last_index = -1

    def ready(self) -> Step | None:
        """The first step in list order that could begin."""
        for step in self.s.steps:
            if step.state == "pending" and all(self.satisfied(d) for d in step.deps):
                args = self.s.filled(step.args)
                if args is None or not self.in_flight(step, step.tool, args):
                    return step
        return None

    def satisfied(self, dep: str) -> bool:
        step = self.s.find(dep)
        return step is not None and (step.state == "done" or step.gap)

    def start(self, step: Step) -> None:
        s = self.s
        s.executions += 1
        step.ran = s.executions
        fault = self.before_call(step)
        if fault is not None:
            self.end_without_call(step, fault)
            return
        args = s.filled(step.args)
        earlier = self.earlier_call(step, step.tool, args)
        if earlier is not None and not (step.again and earlier.answered):
            self.take(step, args, earlier)
            return
        run = Run(step, args, s.clock, step.tool, s.fallbacks(step.tool))
        step.state = "running"
        self.running.append(run)
        self.call(run)

    def before_call(self, step: Step) -> Failure | None:
        """What keeps a step from its call: a reference, the schema, an earlier denial."""
        s = self.s
        first: tuple[refs.Ref, str] | None = None
        for ref in refs.refs(step.args):
            state, _ = s.ref_state(ref)
            ref.bad = state
            if state is not None:
                first = first or (ref, state)
        if first is not None:
            ref, state = first
            failure = self.failure(step, "missing_var", f"{ref.text}: {state}", [])
            failure.ref_state = state
            failure.evidence |= {"reference": ref.text, "referenced_step": ref.step, "state": state}
            return failure
        args = s.filled(step.args)
        message = schema_fault(args, s.tool(step.tool).get("args"))
        if message is not None:
            failure = self.failure(step, "assumption", message, [])
            failure.arg_fault = True
            return failure
        if (step.tool, canonical(args)) in s.denied:
            return self.failure(step, "permission", "denied before", [])
        return None

    def failure(self, step: Step, kind: str, message: str, attempted: list[str]) -> Failure:
        return Failure(
            step.id, self.s.version, kind, message[:200], attempted, [], None, {}, step.tool, "", expected=step.expected
        )

    def end_without_call(self, step: Step, failure: Failure) -> None:
        args = self.s.filled(step.args) if failure.type != "missing_var" else refs.write(step.args)
        self.record(step, step.tool, args, "failed", failure.type, failure.message, [], self.s.clock)
        self.fail(step, failure)

    def finish_done(self, step: Step) -> None:
        step.state = "done"
        step.done_with_null = refs.has_null(step.args) or any(self.s.is_gap(r.step) for r in refs.refs(step.args))
        self.after_end(step)

    def end_run(self, run: Run) -> None:
        s, step = self.s, run.step
        self.running.remove(run)
        outcome, status = run.outcome, run.outcome["status"]
        attempted = [f"{a['tool']}: {shown(a['status'])}" for a in run.attempts]
        message = outcome.get("message") if status != "lost" else None
        kind = CLASS[status]
        value = None
        if status == "ok":
            value = self.value_of(run)
            fault = breach(value, step.produces)
            if fault is None:
                self.record(step, run.tool, run.args, "done", None, None, run.attempts, run.started, value)
                s.variables[step.id] = s.calls[run.last].variable = s.born(step, value)
                self.finish_done(step)
                return
            kind, message = "assumption", fault
        failure = self.failure(step, kind or "unknown", message or shown(status), attempted)
        failure.tool, failure.status = run.tool, status
        if status != "lost":
            failure.refutes = list(outcome.get("refutes") or [])
            failure.cause = outcome.get("cause")
        self.record(
            step, run.tool, run.args, "failed", failure.type, failure.message, run.attempts, run.started
        )  # fmt: skip
        self.fail(step, failure)

    def fail(self, step: Step, failure: Failure) -> None:
        """What a failure means for the session, by the step's `on_failure`."""
        s = self.s
        s.refute(failure.refutes)
        radius = len(s.radius(step.id, failure.refutes))
        failure.evidence = {"radius": radius} | failure.evidence
        s.signals.append(
            {
                "version": s.version, "step_id": step.id, "error_type": failure.type, "error_msg": failure.message,
                "attempted": failure.attempted, "evidence": failure.evidence,
            }
        )  # fmt: skip
        policy = s.policy_of(step)
        if policy == "replan":
            step.state = "failed"
            s.failures.append(failure)
        elif policy == "abort":
            step.state = "dead"
            s.abort, s.aborted = True, step.id
        elif policy == "defer":
            step.state, step.gap = "lost", True
            s.gap_rows[step.id] = self.gap_row(step.id, failure.type, failure.message, [])
        else:
            step.state = "lost"
        self.after_end(step)
        self.cascade()

    def gap_row(self, step_id: str, kind: str, message: str, blocked: list[str]) -> dict[str, Any]:
        return {"step_id": step_id, "error_type": kind, "error_msg": message, "blocked_by": blocked}

    def cascade(self) -> None:
        """Skip what can't run any more, and block what has nothing but gaps to rest on."""
        s = self.s
        changed = True
        while changed:
            changed = False
            for step in s.steps:
                if step.state != "pending" or not step.deps:
                    continue
                found = [d for d in (s.find(d) for d in step.deps) if d is not None]
                if any(d.ended_badly for d in found):
                    self.skip(step, "skipped")
                    changed = True
                elif found and all(d.gap for d in found):
                    step.gap = True
                    self.skip(step, "blocked by " + ", ".join(f"E{d.id}" for d in found))
                    s.gap_rows[step.id] = self.gap_row(
                        step.id, "missing_var", "blocked by " + ", ".join(f"E{d.id}" for d in found), list(step.deps)
                    )
                    changed = True

    def skip(self, step: Step, message: str) -> None:
        step.state = "skipped"
        self.record(step, step.tool, None, "skipped", None, message, [], self.s.clock)

    def record(
        self, step: Step, tool: str, args: Any, status: str, kind: str | None, message: str | None,
        attempts: list[dict[str, Any]], started: float, result: Any = None,
    ) -> None:  # fmt: skip
        s = self.s
        s.history.append(
            {
                "version": s.version, "step_id": step.id, "tool": tool, "args": args, "status": status,
                "result": result, "error": None if kind is None and status != "skipped" else
                {"error_type": kind, "error_msg": message}, "attempts": attempts, "started": started, "ended": s.clock,
            }
        )  # fmt: skip
