"""Versions: committed, shown, compared."""

from __future__ import annotations

from typing import Any

from tests.model import refs
from tests.model.execute import Executor
from tests.model.state import State
from tests.model.steps import Failure, Step


class End(Exception):  # noqa: N818 - it is no error
    """The session ends here, with a reason."""


REASONS = {
    "max_steps": "step_budget", "max_tool_calls": "tool_call_budget", "max_tokens": "session_token_budget",
    "max_seconds": "time_budget", "max_replans": "replan_budget", "max_replan_tokens": "token_budget",
    "max_repeat": "oscillation", "per_step": "step_breaker",
}  # fmt: skip


SHOWN_STATE = {"lost": "failed", "dead": "failed"}


def fingerprint(steps: list[Step]) -> tuple[Any, ...]:
    return tuple((st.action, st.tool) for st in steps if st.open)


class Commit:
    """What a version is made of."""

    s: State
    x: Executor

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
            s.had, s.asked, s.goal_waits = {}, {}, False
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
            "expected_outcome": step.expected, "depends_on": list(step.deps), "assumes": list(step.assumes),
            "state": SHOWN_STATE.get(step.state, step.state), "replaces": step.replaces,
        }  # fmt: skip

    def close_version(self) -> None:
        s = self.s
        if len(s.versions) < s.number:
            s.versions.append({"version": s.version, **s.header, "steps": [self.show(st) for st in s.steps]})

    def line(self, kind: str, step: str | None, granularity: str | None, cost: int) -> dict[str, Any]:
        return {
            "kind": kind, "version": self.s.version, "step_id": step, "granularity": granularity, "estimated": cost,
            "booked": cost,
        }  # fmt: skip
