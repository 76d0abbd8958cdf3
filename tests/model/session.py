"""One session from the first step to its result: the order of business."""

from __future__ import annotations

import json
from typing import Any

from tests.model import refs, routing
from tests.model.execute import Executor, booked
from tests.model.lay import lay
from tests.model.planning import ask
from tests.model.state import Failure, State, Step
from tests.model.world import MAY_HAVE, Ambiguous

TINY = 1e-9
REASONS = {
    "max_steps": "step_budget", "max_tool_calls": "tool_call_budget", "max_tokens": "session_token_budget",
    "max_seconds": "time_budget", "max_replans": "replan_budget", "max_replan_tokens": "token_budget",
    "max_repeat": "oscillation", "per_step": "step_breaker",
}  # fmt: skip
SHOWN_STATE = {"lost": "failed", "dead": "failed"}


class End(Exception):  # noqa: N818 - it is no error
    """The session ends here, with a reason."""


def rehearse(document: dict[str, Any]) -> dict[str, Any]:
    """The result document of a plan, as far as it is compared."""
    return Session(document).run()


class Session:
    """Runs one document."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.s = State(document)
        self.x = Executor(self.s)
        if self.s.mode == "auto":
            routing.couple(self.s)

    # --- the loop

    def run(self) -> dict[str, Any]:
        s = self.s
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

    def line(self, kind: str, step: str | None, granularity: str | None, cost: int) -> dict[str, Any]:
        return {
            "kind": kind, "version": self.s.version, "step_id": step, "granularity": granularity, "estimated": cost,
            "booked": cost,
        }  # fmt: skip

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
            waiting = next((r for r in x.running if r.phase == "wait" and r.until <= s.clock + TINY), None)
            if waiting is not None:
                x.resume_run(waiting)
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

    # --- failures and goal changes

    def next_failure(self) -> None:
        s = self.s
        failure = s.failures.pop(0)
        step = s.find(failure.step)
        if step is None or step.state != "failed" or failure.step in self.revised_since(failure):
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

    def revised_since(self, failure: Failure) -> set[str]:
        """Steps that a replan after this failure revised; those were made pending again, so there is nothing to add."""
        return set()

    def hand_over(self, failure: Failure, reason: str) -> None:
        s = self.s
        radius = s.radius(failure.step, failure.refutes)
        step = s.get(failure.step)
        step.state = "lost"
        s.handed.append((failure.step, reason))
        for other in radius:
            resting = s.get(other)
            if resting.state == "failed":
                raise Ambiguous("a failure that waits rests on one that is handed over")
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

    # --- lessons

    def learn(self, failure: Failure, granularity: str) -> None:
        rule = None if granularity == "none" else self.matching(failure, granularity, False)
        cause = (rule or {}).get("cause") or failure.cause
        cause = cause or f"expected {failure.expected or 'none'}, got {failure.message}"
        self.lesson(failure.step, failure.type, cause, failure.attempted, failure.version)

    def lesson(self, step: str | None, kind: str, cause: str, attempted: list[str], version: str | None = None) -> None:
        s = self.s
        version = version or s.version
        tail = f"step {step or 'none'} {kind}: {cause}; avoid: {', '.join(attempted) or 'none'}"
        for lesson in s.lessons:
            if lesson["tail"] == tail:
                lesson["count"] += 1
                return
        s.lessons.append(
            {
                "text": f"{version} {tail}", "tail": tail, "count": 1, "version": version, "step_id": step,
                "error_type": kind,
            }
        )  # fmt: skip
        if len(s.lessons) > (s.policy.get("lessons") or {}).get("max", 5):
            s.lessons.pop(0)

    # --- the replan

    def matching(self, signal: Failure | None, granularity: str, changing: bool) -> dict[str, Any] | None:
        """The planner rule for a signal; at a goal change there is none until a draft was refused."""
        for rule in self.s.rules:
            if "otherwise" not in rule and self.matches(rule.get("when") or {}, signal, granularity, changing):
                return rule
        return None

    def matches(self, when: dict[str, Any], signal: Failure | None, granularity: str, changing: bool) -> bool:
        if "goal" in when and not (changing and when["goal"].lower() in self.s.goal.lower()):
            return False
        if when.get("granularity", granularity) != granularity:
            return False
        if signal is None:
            return not {"error", "type", "step"} & when.keys()
        if "error" in when and signal.type == "invalid_draft":
            raise Ambiguous("a rule for a text, asked about the reasons of a bad draft")
        return (
            when.get("error", "").lower() in signal.message.lower()
            and when.get("type", signal.type) == signal.type
            and ("step" not in when or str(when["step"]) in self.s.ancestry(signal.step))
        )

    def replan(self, failure: Failure | None, route: dict[str, Any]) -> None:
        """Ask until a draft holds, a gate refuses or the planner gives up."""
        s = self.s
        signal = failure
        while True:
            refused = self.admit(failure, signal, route["granularity"])
            if refused:
                assert failure is not None
                self.hand_over(failure, "step_breaker")
                return
            draft = ask(self, failure, signal, route["granularity"])
            if draft is None:
                raise End("no_plan")
            laid = lay(self, draft, failure, route["granularity"])
            if not laid.reasons:
                self.guard(laid, failure, route["granularity"])
                self.commit(laid, failure, route)
                return
            reasons = laid.reasons
            step = failure.step if failure else None
            attempted = failure.attempted if failure else []
            version = failure.version if failure else s.version
            if any(
                (x["step_id"], x["error_type"]) == (step, "invalid_draft") and x["version"] != version
                for x in s.lessons
            ):
                raise Ambiguous("two versions' bad drafts may say the same")
            self.lesson(step, "invalid_draft", "; ".join(reasons), attempted, version)
            if draft.template:
                if laid.only_calls and failure is not None:
                    self.hand_over(failure, "escalated")
                    return
                raise End("no_plan")
            text = "; ".join(reasons)
            if failure is None:
                signal = Failure("", version, "invalid_draft", text, [], [], None, {}, "", "")
            else:
                signal = Failure(**failure.__dict__)
                signal.type, signal.message = "invalid_draft", text

    def estimate(self, failure: Failure | None, granularity: str) -> int:
        s = self.s
        c = s.coefficients
        done = sum(1 for st in s.steps if st.state == "done" and s.variables[st.id].health != "void")
        if granularity == "patch":
            assert failure is not None
            lines = 1 + sum(1 for st in s.steps if st.open and failure.step in st.deps)
        elif granularity == "tail":
            assert failure is not None
            lines = 1 + len(s.radius(failure.step, failure.refutes))
        else:
            lines = sum(1 for st in s.steps if st.state != "done")
        return int(
            c["prompt"] + c["goal"] + c["failure"] + c["lesson"] * min(5, len(s.lessons))
            + c["done_line"] * min(done, 8) + c["step"] * min(lines, 9)
        )  # fmt: skip

    def admit(self, failure: Failure | None, signal: Failure | None, granularity: str) -> bool:
        """Ask the gates before the replanner, book the request. True where `per_step` refuses."""
        s = self.s
        step = failure.step if failure else None
        cost = self.estimate(failure, granularity)
        padded = -(-cost * 12 // 10)
        rows: list[tuple[str, Any, bool]] = []
        if failure is not None and signal is not None:
            asked = s.asked.get((s.root(failure.step), signal.type), 0)
            limit = s.gates["per_step"]
            rows.append(("per_step", asked, limit is None or asked < limit))
        rows.append(("max_replans", s.replans, s.replans < s.gates["max_replans"]))
        tokens = s.replan_booked + padded
        limit = s.gates["max_replan_tokens"]
        rows.append(("max_replan_tokens", tokens, limit is None or tokens <= limit))
        if s.gates["max_tokens"] is not None:
            rows.append(("max_tokens", booked(s) + padded, booked(s) + padded <= s.gates["max_tokens"]))
        for gate, reading, fine in rows:
            s.gate_rows.append(self.x.row(gate, reading, step) | {"admitted": fine})
            if not fine and gate == "per_step":
                return True
            if not fine:
                raise End(REASONS[gate])
        if failure is not None and signal is not None:
            key = (s.root(failure.step), signal.type)
            s.asked[key] = s.asked.get(key, 0) + 1
        s.replans += 1
        s.replan_booked += cost
        s.lines.append(self.line("replan", step, granularity, cost))
        return False

    def guard(self, laid: Any, failure: Failure | None, granularity: str) -> None:
        """Oscillation, then the step budget."""
        s = self.s
        step = failure.step if failure else None
        mark = fingerprint(laid.steps)
        limit = s.gates["max_repeat"]
        current = fingerprint(s.steps)
        reading = sum(1 for at, old in enumerate(s.prints) if old == mark and s.made_for[at] == s.goal_number)
        if mark == current and failure is not None:
            reading = 0
        fine = limit is None or reading < limit
        s.gate_rows.append(self.x.row("max_repeat", reading, step) | {"admitted": fine})
        if not fine:
            raise End("oscillation")
        total = s.executions + sum(1 for st in laid.steps if st.open)
        limit = s.gates["max_steps"]
        fine = limit is None or total <= limit
        s.gate_rows.append(self.x.row("max_steps", total, step) | {"admitted": fine})
        if not fine:
            raise End("step_budget")

    def commit(self, laid: Any, failure: Failure | None, route: dict[str, Any]) -> None:
        s = self.s
        self.close_version()
        before = self.versions_steps()
        s.prints.append(fingerprint(s.steps))
        s.give_verdicts(laid.verdicts)
        if failure is not None:
            root = s.root(failure.step)
            s.had.setdefault(root, set()).add(route["granularity"])
            s.patches[root] = s.patches.get(root, 0) + (route["granularity"] == "patch")
        else:
            s.had, s.asked = {}, {}
        old = {st.id: st for st in s.steps}
        s.steps = laid.steps
        s.ever += [i for i in laid.new_ids if i not in s.ever]
        s.drafted += laid.drafted
        for new, stands_for in laid.parents.items():
            s.parent[new] = stands_for
        for step in s.steps:
            if step.open:
                step.assumes = [a for a in step.assumes if a not in s.refuted]
            if step.required:
                s.required_roots.add(s.root(step.id))
        s.number += 1
        s.made_for.append(s.goal_number)
        cause = f"{failure.type}@{failure.step}" if failure else "goal-changed"
        s.header = {
            "parent": f"v{s.number - 1}", "granularity": route["granularity"], "rule": route["rule"], "cause": cause,
        }  # fmt: skip
        s.handed = [(i, r) for i, r in s.handed if (st := s.find(i)) is not None and st.state == "lost"]
        s.failures = [f for f in s.failures if (st := s.find(f.step)) is not None and st.state == "failed"]
        self.revise(before, old)
        self.x.cascade()

    def versions_steps(self) -> list[dict[str, Any]]:
        steps: list[dict[str, Any]] = self.s.versions[-1]["steps"]
        return steps

    def revise(self, before: list[dict[str, Any]], old: dict[str, Step]) -> None:
        s = self.s
        was = {st["id"]: st for st in before}
        now = {st.id: self.show(st) for st in s.steps}
        kept = [i for i in now if i in was]
        revised = [i for i in kept if any(was[i][k] != now[i][k] for k in ("tool", "args", "action"))]
        s.revisions.append(
            {
                "from": f"v{s.number - 1}", "to": s.version, "granularity": s.header["granularity"],
                "cause": s.header["cause"], "removed": [i for i in was if i not in now],
                "added": [i for i in now if i not in was], "revised": revised,
                "rewired": [i for i in kept if i not in revised and was[i]["depends_on"] != now[i]["depends_on"]],
            }
        )  # fmt: skip

    def show(self, step: Step) -> dict[str, Any]:
        return {
            "id": step.id, "action": step.action, "tool": step.tool, "args": refs.write(step.args),
            "depends_on": list(step.deps), "assumes": list(step.assumes),
            "state": SHOWN_STATE.get(step.state, step.state), "replaces": step.replaces,
        }  # fmt: skip

    def close_version(self) -> None:
        s = self.s
        if len(s.versions) < s.number:
            s.versions.append({"version": s.version, **s.header, "steps": [self.show(st) for st in s.steps]})

    # --- the end

    def finish(self) -> None:
        """Everything that can run has run."""
        s = self.s
        handed = [reason for i, reason in s.handed if (st := s.find(i)) is not None and st.state == "lost"]
        if handed:
            raise End(handed[0])
        gaps = self.gaps()
        evidence = [st for st in s.steps if st.state == "done"]
        c = s.coefficients
        answer = True
        if gaps or s.mode == "rewoo":
            cost = c["prompt"] + c["goal"] + c["done_line"] * len(evidence) + c["failure"] * len(gaps)
            limit = s.gates["max_tokens"]
            if limit is not None and booked(s) + cost > limit:
                s.gate_rows.append(self.x.row("max_tokens", booked(s) + cost, None))
                raise End("session_token_budget")
            s.lines.append(self.line("solver", None, None, cost))
            answer = len(evidence) >= s.solver.get("min_evidence", 1)
        if not answer or not evidence or not self.delivered():
            raise End("insufficient_evidence")
        if any(s.acts_once(call.tool) and call.status in MAY_HAVE for call in s.calls):
            raise End("escalated")
        s.reason = "goal_met_with_gaps" if self.holes() else "goal_met"

    def holes(self) -> bool:
        s = self.s
        return any(
            st.state in ("lost", "skipped")
            or st.done_with_null
            or (st.state == "done" and s.variables[st.id].health != "clean")
            for st in s.steps
        )

    def delivered(self) -> bool:
        """Required lineages, and those that the solver's `require` names, have been done."""
        s = self.s
        named = [str(v)[1:] for v in s.solver.get("require", [])]
        wanted = [{i for i in s.ever if s.root(i) == root} for root in s.required_roots]
        wanted += [{i for i in s.ever if name in s.ancestry(i)} for name in named]
        for ids in wanted:
            here = [st for st in s.steps if st.id in ids]
            if any(st.state == "done" for st in here):
                continue
            if here:
                return False
            done = [i for i in ids if i in s.variables]
            if len(ids) > 1 and done:
                raise Ambiguous("a required lineage that left the plan after more than one step")
            if not done or s.variables[done[0]].health == "void":
                return False
        return True

    def gaps(self) -> list[dict[str, Any]]:
        return [self.s.gap_rows[st.id] for st in self.s.steps if st.gap]

    def totals(self) -> dict[str, Any]:
        lines = self.s.lines
        main = sum(x["booked"] for x in lines if x["kind"] in ("planning", "execution"))
        remedy = sum(x["booked"] for x in lines) - main
        return {"main": main, "remedy": remedy, "all": main + remedy}

    def effects(self) -> list[dict[str, Any]] | None:
        """How often each call of a tool that acts once took effect; None where an answer came too late to tell."""
        counted: dict[tuple[str, str], int] = {}
        for call in self.s.calls:
            if not self.s.acts_once(call.tool):
                continue
            if call.late and call.status != "lost":
                return None
            if call.kind == "took" or call.status == "lost":
                counted[call.tool, call.args] = counted.get((call.tool, call.args), 0) + 1
        return [{"tool": t, "args": json.loads(args), "times": times} for (t, args), times in sorted(counted.items())]

    def result(self) -> dict[str, Any]:
        s = self.s
        completed = s.reason in ("goal_met", "goal_met_with_gaps")
        return {
            "status": "completed" if completed else "failed",
            "reason": s.reason,
            "goal": s.goal,
            "seconds": s.clock,
            "versions": s.versions,
            "history": s.history,
            "signals": s.signals,
            "routes": s.routes,
            "gates": s.gate_rows,
            "revisions": s.revisions,
            "variables": {
                f"E{at}": {
                    "value": v.value, "health": v.health, "verdict": v.verdict, "step_id": v.step, "version": v.version,
                    "assumptions": sorted(v.rests),
                }
                for at, v in s.variables.items()
            },
            "lessons": [{k: v for k, v in lesson.items() if k != "tail"} for lesson in s.lessons],
            "ledger": {"lines": s.lines, "totals": self.totals()},
            "gaps": self.gaps(),
            "effects": self.effects(),
            "acts_once": [t for t in s.tools if s.acts_once(t)],
            "open": [] if completed else [st.id for st in s.steps if st.state == "pending"],
        }  # fmt: skip


def fingerprint(steps: list[Step]) -> tuple[Any, ...]:
    return tuple((st.action, st.tool) for st in steps if st.open)
