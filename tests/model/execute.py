"""Executing: the virtual clock, calls and their retries, what a call's end means."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tests.model import refs
from tests.model.state import Call, Failure, State, Step, Variable, canonical
from tests.model.world import ANSWERED, CLASS, MAY_HAVE, Ambiguous, breach, default_value, schema_fault, seconds


@dataclass
class Run:
    """One execution that has begun and not ended."""

    step: Step
    args: Any
    started: float
    tool: str
    rest: list[str]  # fallback tools not reached yet
    tries: int = 0  # of the present tool
    attempts: list[dict[str, Any]] = field(default_factory=list)
    phase: str = "call"  # or "wait", until the next call begins
    until: float = 0.0
    began: float = 0.0
    outcome: dict[str, Any] = field(default_factory=dict)
    line: dict[str, Any] = field(default_factory=dict)
    next_tool: str = ""
    coefficient: int = 0
    late: bool = False  # its answer came after the timeout
    number: int = 0  # of the present call, in the order calls begin


def booked(s: State) -> int:
    return sum(line["booked"] for line in s.lines)


def shown(status: str) -> str:
    """What the agent sees of a status."""
    return "timeout" if status == "lost" else status


class Executor:
    """Runs steps on the state's clock."""

    def __init__(self, state: State) -> None:
        self.s = state
        self.running: list[Run] = []
        self.due: list[int] = []  # interruptions that a step's end brought due at this instant
        self.last_due: tuple[float, bool] = (-1.0, False)
        self.last_index = -1

    # --- once only

    def as_v1(self, step: Step) -> bool:
        return not step.changed

    def earlier_call(self, step: Step, tool: str, args: Any) -> Call | None:
        """The call that decides whether this one may be made; None where nothing stands against it."""
        s = self.s
        if not s.acts_once(tool):
            return None
        key = canonical(args)
        lineage = s.ancestry(step.id)
        counting = []
        for call in s.calls:
            if (call.tool, call.args) != (tool, key) or call.kind not in ("took", "may"):
                continue
            own = call.step in lineage
            if not own and not step.changed and call.as_v1:
                if step.touched or call.touched:
                    raise Ambiguous("a call as v1 lists it, of a step that a draft revised")
                continue
            counting.append((own, call))
        if not counting:
            return None
        mine = [c for own, c in counting if own]
        if mine:
            return mine[-1]
        fits = [c for _, c in counting if c.status == "ok" and breach(c.value, step.produces) is None]
        may = [c for _, c in counting if c.kind == "may"]
        return fits[-1] if fits else may[-1] if may else counting[-1][1]

    def in_flight(self, step: Step, tool: str, args: Any) -> bool:
        """Is the same call being made just now, by a step whose call would count?"""
        if not self.s.acts_once(tool):
            return False
        key = canonical(args)
        for run in self.running:
            if run.tool != tool or canonical(run.args) != key:
                continue
            if not step.changed and not run.step.changed:
                continue
            if run.phase == "wait":
                raise Ambiguous("the same call waits for its retry")
            return True
        return False

    # --- gates before a call

    def in_flight_tokens(self) -> int:
        return sum(r.coefficient for r in self.running if r.phase == "call")

    def refusal(self, own: int, step: Step, starting: bool) -> tuple[str, dict[str, Any]] | None:
        """The gate that does not let a call begin now, with its row."""
        s = self.s
        readings: list[tuple[str, Any, bool]] = []
        g = s.gates
        if starting and g["max_steps"] is not None:
            readings.append(("max_steps", s.executions, s.executions < g["max_steps"]))
        if g["max_tool_calls"] is not None:
            readings.append(("max_tool_calls", s.call_count, s.call_count < g["max_tool_calls"]))
        if g["max_tokens"] is not None:
            total = booked(s) + self.in_flight_tokens() + own
            readings.append(("max_tokens", total, total <= g["max_tokens"]))
        if g["max_seconds"] is not None:
            readings.append(("max_seconds", s.clock, s.clock < g["max_seconds"]))
        for gate, reading, fine in readings:
            if not fine:
                return gate, self.row(gate, reading, step.id)
        return None

    def row(self, gate: str, reading: Any, step_id: str | None) -> dict[str, Any]:
        s = self.s
        return {
            "gate": gate, "limit": s.gates[gate], "reading": reading, "admitted": False, "step_id": step_id,
            "version": s.version,
        }  # fmt: skip

    # --- beginning

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
        fault = self.before_call(step)
        if fault is not None:
            self.end_without_call(step, fault)
            return
        args = s.filled(step.args)
        earlier = self.earlier_call(step, step.tool, args)
        if earlier is not None and not (step.again and earlier.kind == "took"):
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
            if state is not None:
                ref.bad = state
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

    def take(self, step: Step, args: Any, earlier: Call) -> None:
        """A step that comes to a call that is not made again."""
        s = self.s
        fits = earlier.status == "ok" and breach(earlier.value, step.produces) is None
        variable = s.variables.get(earlier.step)
        if fits and earlier.variable is not None:
            if variable is not None and variable.version == earlier.version and variable.health != "void":
                s.put(
                    step.id,
                    Variable(
                        earlier.value, step.id, s.version, set(variable.rests), set(variable.hot),
                        set(variable.sources), variable.health, None, variable.goal_stale, set(variable.absolved),
                    ),
                )  # fmt: skip
                self.record(step, step.tool, args, "done", None, None, [], s.clock, earlier.value)
                self.finish_done(step)
                return
        elif fits:
            raise Ambiguous("taken from an answer that broke another step's contract")
        words = "may have" if earlier.kind == "may" else "took effect"
        message = f"not made again: {step.tool} acts only once, and step {earlier.step}'s call {words}"
        failure = self.failure(step, "permission", message, [])
        self.record(step, step.tool, args, "failed", failure.type, failure.message, [], s.clock)
        self.fail(step, failure)

    def finish_done(self, step: Step) -> None:
        step.state = "done"
        step.done_with_null = refs.has_null(step.args) or any(self.s.is_gap(r.step) for r in refs.refs(step.args))
        self.after_end(step)

    # --- calls

    def call(self, run: Run) -> None:
        """One attempt begins."""
        s = self.s
        first = not run.attempts
        root = s.root(run.step.id)
        kind = "retry" if not first else "re-execution" if root in s.called_roots else "execution"
        run.coefficient = s.coefficients["execution" if first else "retry"]
        run.line = {
            "kind": kind, "version": s.version, "step_id": run.step.id, "granularity": None,
            "estimated": run.coefficient, "booked": 0,
        }  # fmt: skip
        s.lines.append(run.line)
        s.called_roots.add(root)
        s.tools_tried.setdefault(root, set()).add(run.tool)
        s.call_count += 1
        run.number = s.call_count
        run.tries += 1
        outcome = s.script.draw(s.ancestry(run.step.id), run.step.tool, run.tool, run.args, s.version)
        timeout = seconds(s.tool(run.tool).get("timeout", 30))
        slow = outcome["status"] in ("timeout", "lost")
        latency = seconds(outcome.get("latency", timeout if slow else 1))
        run.late = latency > timeout
        if latency > timeout:
            outcome = {"status": "lost" if outcome["status"] == "lost" else "timeout", "tokens": outcome.get("tokens")}
            latency = timeout
        run.outcome, run.phase, run.began = outcome, "call", s.clock
        run.until = s.clock + latency

    def end_call(self, run: Run, cut: bool = False) -> None:
        """One attempt ends, by itself or cut at `max_seconds`."""
        s = self.s
        status = run.outcome["status"]
        if cut:
            status = "lost" if status == "lost" else "timeout"
            run.outcome = {"status": status, "tokens": run.outcome.get("tokens")}
            run.late = True
        value = self.value_of(run) if status == "ok" else run.outcome.get("value")
        holds = status == "ok" and breach(value, run.step.produces) is None
        seen = "shape" if status == "ok" and not holds else status
        run.attempts.append({"tool": run.tool, "status": seen, "latency": round(s.clock - run.began, 9)})
        tokens = run.outcome.get("tokens")
        run.line["booked"] = run.coefficient if tokens is None else tokens
        if status == "denied":
            s.denied.add((run.tool, canonical(run.args)))
        kind = "took" if status in ANSWERED else "may" if status in MAY_HAVE else "not"
        s.calls.append(
            Call(
                run.tool, canonical(run.args), run.step.id, s.version, self.as_v1(run.step), kind, status, value,
                {} if holds else None, run.args, run.step.touched, run.late,
            )
        )  # fmt: skip
        if kind == "took":
            run.step.again = False
        if cut:
            self.abandon(run, "max_seconds", s.gates["max_seconds"])
            return
        if CLASS[status] == "environmental":
            self.try_again(run, status)
        else:
            self.end_run(run)

    def value_of(self, run: Run) -> Any:
        return run.outcome["value"] if "value" in run.outcome else default_value(run.step.produces)

    def try_again(self, run: Run, status: str) -> None:
        s = self.s
        once = s.acts_once(run.tool)
        if once and status not in ("rate_limited", "unavailable"):
            self.end_run(run)
            return
        limit = s.gates["max_seconds"]
        if run.tries < s.max_attempts:
            wait = min(s.backoff * s.factor ** (run.tries - 1), s.max_backoff)
            if status != "lost" and run.outcome.get("retry_after") is not None:
                wait = seconds(run.outcome["retry_after"])
            until = s.clock + wait
            if limit is None or until <= limit + 1e-9:
                self.wait(run, until, run.tool)
                return
            if self.next_fallback(run) is None:
                self.abandon(run, "max_seconds", until)
                return
        tool = self.next_fallback(run)
        if tool is None:
            self.end_run(run)
            return
        self.wait(run, s.clock, tool)

    def wait(self, run: Run, until: float, tool: str) -> None:
        """The next call, unless a gate refuses it now already."""
        run.phase, run.until, run.next_tool = "wait", until, tool
        refusal = self.refusal(self.s.coefficients["retry"], run.step, starting=False)
        if refusal is not None and refusal[0] != "max_seconds":
            self.abandon(run, refusal[0], refusal[1]["reading"])

    def next_fallback(self, run: Run) -> str | None:
        s = self.s
        for tool in run.rest:
            if schema_fault(run.args, s.tool(tool).get("args")) is not None:
                continue
            if (tool, canonical(run.args)) in s.denied:
                continue
            if self.in_flight(run.step, tool, run.args):
                raise Ambiguous("a fallback's call is in flight elsewhere")
            if self.earlier_call(run.step, tool, run.args) is not None:
                continue
            return tool
        return None

    def resume_run(self, run: Run) -> None:
        """A wait is over: the next attempt, if the gates let it."""
        s = self.s
        if run.next_tool != run.tool:
            chosen = self.next_fallback(run)
            if chosen is None:
                raise Ambiguous("the fallback went away in the same instant")
            run.next_tool = chosen
        refusal = self.refusal(s.coefficients["retry"], run.step, starting=False)
        if refusal is not None:
            self.abandon(run, refusal[0], refusal[1]["reading"])
            return
        if run.next_tool != run.tool:
            run.rest = run.rest[run.rest.index(run.next_tool) + 1 :]
            run.tool, run.tries = run.next_tool, 0
        elif (run.tool, canonical(run.args)) in s.denied:
            self.end_denied(run)
            return
        elif self.earlier_call(run.step, run.tool, run.args) is not None:
            raise Ambiguous("another step made the call while this one waited")
        self.call(run)

    def end_denied(self, run: Run) -> None:
        """Another step's same call was denied while this one waited for its retry."""
        self.running.remove(run)
        attempted = [f"{a['tool']}: {shown(a['status'])}" for a in run.attempts]
        failure = self.failure(run.step, "permission", "denied before", attempted)
        self.record(
            run.step, run.tool, run.args, "failed", failure.type, failure.message, run.attempts, run.started
        )  # fmt: skip
        self.fail(run.step, failure)

    def abandon(self, run: Run, gate: str, reading: Any) -> None:
        s = self.s
        self.running.remove(run)
        last = shown(run.attempts[-1]["status"])
        run.step.state = "dead"
        row = self.row(gate, reading, run.step.id)
        if s.gate_stop is None:
            s.gate_stop = (gate, row)
        message = f"abandoned, last: {last}"
        self.record(run.step, run.tool, run.args, "failed", "abandoned", message, run.attempts, run.started)

    # --- ending

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
                s.write_variable(step, value)
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
            s.abort = True
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

    def after_end(self, step: Step) -> None:
        """An interruption that waits for this step comes due."""
        for at, interruption in enumerate(self.s.interruptions):
            after = interruption.get("after")
            if after is not None and not interruption.get("fired") and str(after) in self.s.ancestry(step.id):
                interruption["fired"] = True
                self.due.append(at)

    def due_before(self) -> None:
        """Those by the clock that came due since the last instant, in the order of their times."""
        found = []
        for interruption in self.s.interruptions:
            at = interruption.get("at")
            if at is not None and not interruption.get("fired") and seconds(at) < self.s.clock - 1e-9:
                interruption["fired"] = True
                found.append((seconds(at), interruption))
        for _, interruption in sorted(found, key=lambda pair: pair[0]):
            self.come_due(interruption)

    def due_now(self) -> None:
        """All that come due at this instant, in the order of the list."""
        for at, interruption in enumerate(self.s.interruptions):
            clock = interruption.get("at")
            if clock is not None and not interruption.get("fired") and abs(seconds(clock) - self.s.clock) <= 1e-9:
                interruption["fired"] = True
                self.due.append(at)
        for at in sorted(self.due):
            if self.last_due == (self.s.clock, True) and at < self.last_index:
                raise Ambiguous("interruptions at one instant, in turns")
            self.last_due, self.last_index = (self.s.clock, True), at
            self.come_due(self.s.interruptions[at])
        self.due = []

    def come_due(self, interruption: dict[str, Any]) -> None:
        s = self.s
        if s.mode == "rewoo":
            return
        goal = interruption["goal"]
        waiting = s.change["goal"] if s.change else s.goal
        if goal == waiting:
            return
        if goal == s.goal:
            s.change = None
            return
        refutes = list(interruption.get("refutes") or [])
        s.change = {"goal": goal, "refutes": (s.change["refutes"] if s.change else []) + refutes}
