"""One session from the first step to its result: the order of business."""

from __future__ import annotations

from typing import Any

from tests.model import routing
from tests.model.asking import Asking
from tests.model.commit import REASONS, End
from tests.model.ending import Ending
from tests.model.execute import Executor
from tests.model.state import State
from tests.model.steps import Failure
from tests.model.world import Ambiguous

TINY = 1e-9


def rehearse(document: dict[str, Any]) -> dict[str, Any]:
    """The result document of a plan, as far as it is compared."""
    return Session(document).run()


class Session(Asking, Ending):
    """Runs one document."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.s = State(document)
        self.x = Executor(self.s)
        if self.s.mode == "auto":
            routing.couple(self.s)

    def run(self) -> dict[str, Any]:
        s = self.s
        self.evict()  # a book from another session may be larger
        try:
            self.plan_v1()
            self.loop()
            self.finish()
        except End as end:
            s.reason = str(end)
        self.close_version()
        return self.result()

    def plan_v1(self) -> None:
        s = self.s
        c = s.coefficients
        cost = c["prompt"] + c["goal"] + c["step"] * len(s.steps)
        limit = s.gates["max_tokens"]
        if limit is not None and cost > limit:
            s.gate_rows.append(self.x.row("max_tokens", cost, None))
            raise End("session_token_budget")
        s.lines.append(self.line("planning", None, None, cost))

    def loop(self) -> None:
        s, x = self.s, self.x
        while True:
            refusal = self.instant()
            if x.running:
                self.advance()
                continue
            if s.gate_stop is not None:
                s.gate_rows.append(s.gate_stop[1])
                raise End(REASONS[s.gate_stop[0]])
            if s.abort:
                raise End("aborted")
            if s.change is not None:
                self.change_goal()
            elif s.failures:
                self.next_failure()
            elif refusal is not None:
                s.gate_rows.append(refusal[1])
                raise End(REASONS[refusal[0]])
            else:
                return

    def instant(self) -> tuple[str, dict[str, Any]] | None:
        """Everything that happens at this moment: ends first, then calls and steps that begin."""
        s, x = self.s, self.x
        while True:
            x.due_before()
            limit = s.gates["max_seconds"]
            at_limit = limit is not None and s.clock >= limit - TINY
            ended = [r for r in x.running if r.phase == "call" and (at_limit or r.until <= s.clock + TINY)]
            for run in sorted(ended, key=lambda r: r.number):
                x.end_call(run, cut=run.until > s.clock + TINY)
            x.due_now()
            if ended:
                continue
            waiting = [r for r in x.running if r.phase == "wait" and r.until <= s.clock + TINY]
            if waiting:
                x.resume_run(min(waiting, key=lambda r: r.number))
                continue
            if s.gate_stop or s.abort or s.change or s.failures or len(x.running) >= s.parallel:
                return None
            step = x.ready()
            if step is None:
                return None
            refusal = x.refusal(s.coefficients["execution"], step, starting=True)
            if refusal is not None:
                return refusal
            x.start(step)
            x.due_now()

    def advance(self) -> None:
        s, x = self.s, self.x
        then = min(r.until for r in x.running)
        limit = s.gates["max_seconds"]
        if limit is not None and then > limit + TINY:
            s.clock = limit
            if any(r.phase == "wait" for r in x.running):
                raise Ambiguous("a wait beyond max_seconds")
            return
        s.clock = then

    def next_failure(self) -> None:
        s = self.s
        failure = s.failures.pop(0)
        step = s.find(failure.step)
        if step is None or step.state != "failed":
            return
        s.failures.insert(0, failure)
        route = routing.route(s, failure)
        s.routes.append(route)
        self.learn(failure, route["granularity"])
        if route["granularity"] == "none":
            self.hand_over(failure, "escalated")
        else:
            self.replan(failure, route)
        if s.failures and s.failures[0] is failure:
            s.failures.pop(0)

    def hand_over(self, failure: Failure, reason: str) -> None:
        s = self.s
        radius = s.radius(failure.step, failure.refutes)
        step = s.get(failure.step)
        step.state = "lost"
        s.handed.append((failure.step, reason))
        for resting in s.steps:
            if resting.id in radius and resting.state == "pending":
                self.x.skip(resting, "skipped")
        self.x.cascade()

    def change_goal(self) -> None:
        s = self.s
        change = s.change
        assert change is not None
        s.change = None
        old = s.goal
        s.goal = change["goal"]
        s.refute(change["refutes"])
        for variable in s.variables.values():
            if variable.health == "clean":
                variable.health, variable.goal_stale = "stale", True
        s.goal_number += 1
        s.routes.append(
            {
                "version": s.version, "step_id": None, "error_type": None, "rule": "goal-changed", "radius": None,
                "granularity": "global", "escalated_from": None,
            }
        )  # fmt: skip
        del old
        self.lesson(None, "goal-changed", f"the goal is now {s.goal}", [])
        self.replan(None, s.routes[-1])
