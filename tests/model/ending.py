"""The end: Solver, required steps, the reason, and the result document."""

from __future__ import annotations

import json
from typing import Any

from tests.model.commit import REASONS, Commit, End
from tests.model.run import booked
from tests.model.world import MAY_HAVE, Ambiguous


class Ending(Commit):
    """What is said when everything that can run has run."""

    stopped_by: str | None

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
                self.stopped_by = "solver"
                raise End("session_token_budget")
            s.lines.append(self.line("solver", None, None, cost))
            answer = len(evidence) >= s.solver.get("min_evidence", 1)
        if not answer or not evidence or not self.delivered():
            raise End("insufficient_evidence")
        if any(s.acts_once(call.tool) and call.status in MAY_HAVE and not call.settled for call in s.calls):
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
        return {
            "main": main, "remedy": remedy, "all": main + remedy, "ratio": round(remedy / main, 4) if main else 0,
        }  # fmt: skip

    def handover(self) -> dict[str, Any]:
        """What a person gets: what still holds, what was never run, and the gate that stood in the way."""
        s = self.s
        gate = next((g for g, reason in REASONS.items() if reason == s.reason), None)
        refused = [row for row in s.gate_rows if row["gate"] == gate and not row["admitted"]]
        if gate == "per_step":  # the first of the steps that are handed over
            refused = [row for row in refused if row["step_id"] == s.handed[0][0]]
        return {
            "reason": s.reason,
            "gate": {k: refused[-1][k] for k in ("gate", "limit", "reading")} if refused else None,
            "clean_results": {f"E{i}": v.value for i, v in s.variables.items() if v.health == "clean"},
            "open": [st.id for st in s.steps if st.state in ("pending", "skipped")],
            "gaps": [gap["step_id"] for gap in self.gaps()],
            "lessons": len(s.lessons),
            "replans": [
                [sorted([*x["removed"], *x["added"], *x["revised"]]), x["to"]] for x in s.revisions
            ],
        }  # fmt: skip

    def effects(self) -> list[dict[str, Any]]:
        """A row for each call of a tool that acts once that took effect, and for others that did so more than once."""
        rows: dict[tuple[str, str], dict[str, Any]] = {}
        for call in sorted(self.s.calls, key=lambda call: call.order):
            if call.took_effect:
                first = {
                    "tool": call.tool,
                    "args": json.loads(call.args),
                    "step_id": call.step,
                    "version": call.version,
                }
                rows.setdefault((call.tool, call.args), first | {"times": 0})["times"] += 1
        return [row for row in rows.values() if self.s.acts_once(row["tool"]) or row["times"] > 1]

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
            "handover": None if completed else self.handover(),
        }  # fmt: skip
