"""Attempts, retries and fallbacks on the virtual clock, and the gates before each."""

from __future__ import annotations

from typing import Any

from tests.model import refs
from tests.model.once import Once
from tests.model.run import Run, booked, shown
from tests.model.state import canonical
from tests.model.steps import Call, Step
from tests.model.world import ANSWERED, CLASS, MAY_HAVE, Ambiguous, breach, default_value, schema_fault, seconds


class Calls(Once):
    """The attempts of the executions that run."""

    scheduled: int = 0

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
        s.call_count, s.called = s.call_count + 1, s.tick
        run.called = s.tick
        self.schedule(run)
        run.tries += 1
        outcome = s.script.draw(s.ancestry(run.step.id), run.tool, run.args, s.version)
        timeout = seconds(s.tool(run.tool).get("timeout", 30))
        slow = outcome["status"] in ("timeout", "lost")
        latency = seconds(outcome.get("latency", timeout if slow else 1))
        run.real, run.order = outcome["status"], s.call_count
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
                run.tool, canonical(run.args), run.step.id, s.version, not run.step.changed, kind, status, value,
                None, run.step.copy(), s.goal_number, run.real in ANSWERED or run.real == "lost", run.order,
                run.step.ran, any(s.is_gap(r.step) for r in refs.refs(run.step.args)), False, run.step.unclear,
            )
        )  # fmt: skip
        run.last = len(s.calls) - 1
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
        run.phase = "wait"  # it is no longer in flight
        if run.tries >= s.max_attempts and self.next_fallback(run) is None:
            self.end_run(run)
            return
        limit = s.gates["max_seconds"]
        if run.tries < s.max_attempts:  # a fallback is asked for when it begins, behind all that ends at this instant
            refusal = self.refusal(s.coefficients["retry"], run.step, starting=False)
            if refusal is not None and refusal[0] != "max_seconds":
                self.abandon(run, refusal[0], refusal[1]["reading"])
                return
            wait = min(s.backoff * s.factor ** (run.tries - 1), s.max_backoff)
            if status != "lost" and run.outcome.get("retry_after") is not None:
                wait = seconds(run.outcome["retry_after"])
            until = s.clock + wait
            if limit is None or until <= limit + 1e-9:
                run.until, run.next_tool = until, run.tool
                self.schedule(run)
                return
            if self.next_fallback(run) is None:
                self.abandon(run, "max_seconds", until)
                return
        run.until, run.next_tool = s.clock, self.next_fallback(run) or run.tool
        self.schedule(run)

    def schedule(self, run: Run) -> None:
        """What ends at one instant is handled in the order it was begun; the contract names no other."""
        self.scheduled += 1
        run.number = self.scheduled

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
        elif self.made_meanwhile(run):
            raise Ambiguous("another step made the call while this one waited")
        self.call(run)

    def made_meanwhile(self, run: Run) -> bool:
        """Has another step made the call that this one waits to try again?"""
        earlier = self.earlier_call(run.step, run.tool, run.args)
        return earlier is not None and not (run.step.again and earlier.answered)

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
        s.gave_up = run.called if s.gave_up is None else min(s.gave_up, run.called)
        if s.gate_stop is None:
            s.gate_stop = (gate, row)
        message = f"abandoned, last: {last}"
        self.record(run.step, run.tool, run.args, "failed", "abandoned", message, run.attempts, run.started)
