"""Lessons, the gates before a replan, and asking until a draft holds."""

from __future__ import annotations

import collections
from typing import Any

from tests.model.commit import REASONS, Commit, End, fingerprint
from tests.model.lay import lay
from tests.model.planning import ask
from tests.model.run import booked
from tests.model.steps import Failure
from tests.model.world import Ambiguous


class Asking(Commit):
    """One replan."""

    again: tuple[Any, ...] | None = None  # a check that a gate refused: what makes it once more, and of what

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
        self.evict()

    def evict(self) -> None:
        """The book is full: the oldest goes, or the oldest of the type that it holds most of."""
        s = self.s
        policy = s.policy.get("lessons") or {}
        most = policy.get("max", 5)
        while most is not None and len(s.lessons) > most:
            out = s.lessons[0]
            if policy.get("evict") == "by_type":
                held = collections.Counter(lesson["error_type"] for lesson in s.lessons)
                top = [kind for kind, count in held.items() if count == max(held.values())]
                if len(top) > 1:
                    raise Ambiguous("two types of lessons, equally frequent")
                out = next(lesson for lesson in s.lessons if lesson["error_type"] == top[0])
            s.lessons.remove(out)

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

    def replan(
        self, failure: Failure | None, route: dict[str, Any], signal: Failure | None = None, asked: int = 0
    ) -> None:
        """Ask until a draft holds, a gate refuses or the planner gives up. `asked` are gates that have let it pass."""
        s = self.s
        signal = signal or failure
        while True:
            refused = self.admit(failure, signal, route, asked)
            asked = 0
            if refused:
                assert failure is not None
                self.hand_over(failure, "step_breaker")
                return
            draft = ask(self, failure, signal, route["granularity"])
            if draft is None:
                raise End("no_plan")
            laid = lay(self, draft, failure, route["granularity"])
            if not laid.reasons:
                self.pass_guard(laid, failure, route, 0)
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
            if failure is not None and failure.routed > 1:
                raise Ambiguous("two granularities' bad drafts may say the same")
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

    def pass_guard(self, laid: Any, failure: Failure | None, route: dict[str, Any], asked: int) -> None:
        """The gates behind the draft check, and the version where they let it pass."""
        self.guard(laid, failure, route, asked)
        self.commit(laid, failure, route)

    def refuse(self, gate: str, *again: Any) -> None:
        """A gate ends the session; `again` makes its check once more, should a person take the session up."""
        self.again = again
        raise End(REASONS[gate])

    def admit(self, failure: Failure | None, signal: Failure | None, route: dict[str, Any], asked: int) -> bool:
        """Ask the gates before the replanner, book the request. True where `per_step` refuses."""
        s = self.s
        granularity = route["granularity"]
        step = failure.step if failure else None
        cost = self.estimate(failure, granularity)
        padded = -(-cost * 12 // 10)
        rows: list[tuple[str, Any, bool]] = []
        if failure is not None and signal is not None:
            same = s.asked.get((s.root(failure.step), signal.type), 0)
            limit = s.gates["per_step"]
            rows.append(("per_step", same, limit is None or same < limit))
        rows.append(("max_replans", s.replans, s.replans < s.gates["max_replans"]))
        tokens = s.replan_booked + padded
        limit = s.gates["max_replan_tokens"]
        rows.append(("max_replan_tokens", tokens, limit is None or tokens <= limit))
        if s.gates["max_tokens"] is not None:
            rows.append(("max_tokens", booked(s) + padded, booked(s) + padded <= s.gates["max_tokens"]))
        for at, (gate, reading, fine) in enumerate(rows):
            if at < asked:
                continue
            s.gate_rows.append(self.x.row(gate, reading, step) | {"admitted": fine})
            if not fine and gate == "per_step":
                return True
            if not fine:
                self.refuse(gate, "replan", failure, route, signal, at)
        if failure is not None and signal is not None:
            key = (s.root(failure.step), signal.type)
            s.asked[key] = s.asked.get(key, 0) + 1
        s.replans += 1
        s.replan_booked += cost
        s.lines.append(self.line("replan", step, granularity, cost))
        return False

    def guard(self, laid: Any, failure: Failure | None, route: dict[str, Any], asked: int) -> None:
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
        if asked < 1:
            s.gate_rows.append(self.x.row("max_repeat", reading, step) | {"admitted": fine})
            if not fine:
                self.refuse("max_repeat", "pass_guard", laid, failure, route, 0)
        total = s.executions + sum(1 for st in laid.steps if st.open)
        limit = s.gates["max_steps"]
        fine = limit is None or total <= limit
        s.gate_rows.append(self.x.row("max_steps", total, step) | {"admitted": fine})
        if not fine:
            self.refuse("max_steps", "pass_guard", laid, failure, route, 1)
