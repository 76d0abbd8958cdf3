"""One session from the first step to its result: the order of business."""

from __future__ import annotations

import copy
from typing import Any

from tests.model import routing
from tests.model.commit import REASONS, End
from tests.model.ending import Ending
from tests.model.execute import Executor
from tests.model.state import State
from tests.model.steps import Failure
from tests.model.taking_up import Paused, TakingUp
from tests.model.world import Ambiguous

TINY = 1e-9


def rehearse(document: dict[str, Any]) -> dict[str, Any]:
    """The result document of a plan, as far as it is compared."""
    return Session(document).run()


class Session(TakingUp, Ending):
    """Runs one document."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.document, self.made = document, []
        self.planned = False
        self.stopped_by: str | None = None  # what a gate kept from going on
        self.go_on: Any = None  # a check that is made again
        self.s = State(document)
        self.x = Executor(self.s)
        if self.s.mode == "auto":
            routing.couple(self.s)

    def live(self, changes: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """The result of each stretch: as far as it comes by itself, and taken up again with each of the changes."""
        found = [self.run()]
        for change in changes:
            if found[-1]["status"] == "completed":
                break
            self.take_up(change)
            self.made.append(change)
            found.append(self.run())
        return found

    def run(self) -> dict[str, Any]:
        """One stretch: to its end, or to where it stops."""
        self.stopped_by = "replan"
        try:
            self.plan_v1()
            if self.go_on is not None:
                (what, *of), self.go_on = self.go_on, None
                getattr(self, what)(*of)
            self.loop()
            self.finish()
        except End as end:
            self.s.reason = str(end)
        if self.stopped_by == "replan" and self.again is None:
            self.stopped_by = None
        self.close_version()
        return copy.deepcopy(self.result())

    def plan_v1(self) -> None:
        s = self.s
        if self.planned:
            return
        self.evict()  # a book from another session may be larger
        c = s.coefficients
        cost = c["prompt"] + c["goal"] + c["step"] * len(s.steps)
        limit = s.gates["max_tokens"]
        if limit is not None and cost > limit:
            s.gate_rows.append(self.x.row("max_tokens", cost, None))
            self.stopped_by = "planning"
            raise End("session_token_budget")
        self.planned = True
        s.lines.append(self.line("planning", None, None, cost))

    def loop(self) -> None:
        while True:
            s, x = self.s, self.x
            refusal = self.instant()
            if x.running:
                self.advance()
                continue
            if s.reopen_due:
                s.reopen_due = False
                self.reopen(None, [])
                continue
            if s.gate_stop is not None:
                s.gate_rows.append(s.gate_stop[1])
                self.stopped_by = "execution"
                raise End(REASONS[s.gate_stop[0]])
            if s.abort:
                raise End("aborted")
            if s.change is not None:
                self.change_goal()
            elif s.failures:
                self.next_failure()
            elif refusal is not None:
                s.gate_rows.append(refusal[1])
                self.stopped_by = "start"
                raise End(REASONS[refusal[0]])
            else:
                return

    def instant(self) -> tuple[str, dict[str, Any]] | None:
        """Everything that happens at this moment: ends first, then calls and steps that begin."""
        s, x = self.s, self.x
        while True:
            s.tick += 1
            if s.tick == self.pause_at:
                s.tick -= 1
                raise Paused
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
            s.started = s.tick
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
        if not failure.routed:  # one failure, one lesson, however often it is routed
            self.learn(failure, route["granularity"])
        failure.routed += 1
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
        skipped = [st for st in s.steps if st.id in radius and st.state == "pending"]
        reading = s.gate_rows[-1]["reading"] if reason == "step_breaker" else 0
        s.given_up[failure.step] = {"skipped": [st.id for st in skipped], "reading": reading}
        for resting in skipped:
            self.x.skip(resting, "skipped")
        self.x.cascade()

    def change_goal(self) -> None:
        s = self.s
        change = s.change
        assert change is not None
        s.change = None
        s.goal, s.goal_waits = change["goal"], True
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
        if not change.get("again"):
            self.lesson(None, "goal-changed", f"the goal is now {s.goal}", [])
        self.replan(None, s.routes[-1])
