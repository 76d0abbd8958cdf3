"""Everything a session knows, as plain as can be, and the questions that are asked of it."""

from __future__ import annotations

import json
from typing import Any

from tests.model import refs
from tests.model.health import Health
from tests.model.steps import Call, Failure, Step, Variable, parse_step
from tests.model.world import Script, seconds

DEFAULT_COEFFICIENTS = {
    "prompt": 120, "goal": 40, "done_line": 25, "failure": 80, "lesson": 60, "step": 60, "execution": 180, "retry": 200,
}  # fmt: skip


def canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


class State(Health):
    """The whole of one session."""

    def __init__(self, document: dict[str, Any]) -> None:
        policy = document.get("policy") or {}
        self.policy = policy
        self.goal: str = document["goal"]
        self.tools: dict[str, dict[str, Any]] = {k: v or {} for k, v in (document.get("tools") or {}).items()}
        self.tools_given = bool(document.get("tools"))
        self.script = Script(document.get("outcomes") or [])
        self.rules: list[dict[str, Any]] = document.get("planner") or []
        self.interruptions: list[dict[str, Any]] = [dict(i) for i in document.get("interruptions") or []]
        self.came: list[dict[str, Any]] = []  # interruptions of an earlier list that have come due
        self.coefficients = DEFAULT_COEFFICIENTS | (policy.get("coefficients") or {})
        retry = policy.get("retry") or {}
        self.max_attempts: int = retry.get("max_attempts", 3)
        self.backoff = seconds(retry.get("backoff", 1))
        self.factor = retry.get("factor", 2)
        self.max_backoff = seconds(retry.get("max_backoff", 60))
        self.parallel: int = policy.get("max_parallel", 1)
        self.mode: str = policy.get("mode", "hybrid")
        self.solver = policy.get("solver") or {}
        self.steps: list[Step] = []
        before = None
        for raw in document["steps"]:
            step = parse_step(raw, before)
            step.changed = False
            self.steps.append(step)
            before = step.id
        self.ever: list[str] = [s.id for s in self.steps]
        self.drafted: list[str] = []  # ids that drafts wrote and no version has
        for step in self.steps:
            step.read_texts(set(self.ever))
        self.gates = self.limits(policy.get("gates") or {})
        self.number = 1
        self.versions: list[dict[str, Any]] = []
        self.made_for: list[int] = [0]  # which goal each version was made for
        self.prints: list[tuple[Any, ...]] = []  # fingerprints of the versions replaced so far
        self.goal_number = 0
        self.header: dict[str, Any] = {"parent": None, "granularity": None, "rule": None, "cause": "start"}
        self.parent: dict[str, str] = {}  # which step each id replaced
        self.clock = 0.0
        self.variables: dict[str, Variable] = {}
        self.history: list[dict[str, Any]] = []
        self.signals: list[dict[str, Any]] = []
        self.routes: list[dict[str, Any]] = []
        self.gate_rows: list[dict[str, Any]] = []
        self.revisions: list[dict[str, Any]] = []
        self.lessons: list[dict[str, Any]] = [
            {**lesson, "tail": lesson["text"].partition(" ")[2]} for lesson in document.get("lessons") or []
        ]
        self.lines: list[dict[str, Any]] = []
        self.gap_rows: dict[str, dict[str, Any]] = {}
        self.warnings: list[str] = []
        self.refuted: set[str] = set()
        self.denied: set[tuple[str, str]] = set()
        self.calls: list[Call] = []
        self.called_roots: set[str] = set()
        self.executions = 0
        self.call_count = 0
        self.failures: list[Failure] = []
        self.handed: list[tuple[str, str]] = []  # step, reason
        self.given_up: dict[str, dict[str, Any]] = {}  # of a handed-over step: what was skipped for it, the reading
        self.let_be: dict[str, int] = {}  # steps that a person said to let be, by the execution that this was of
        self.force: str | None = None  # a granularity that the command line forces
        self.tick = 0  # turns of the clock's wheel: each is one moment at which something ends or begins
        self.started = self.called = 0  # at which of them the last execution and the last call began
        self.gave_up: int | None = None  # and the call of the first execution that was given up
        self.goal_waits = False  # a changed goal has no version yet
        self.reopen_due = False  # a person was here: what the breaker gave up may be admitted now
        self.abort = False
        self.aborted: str | None = None  # the step
        self.gate_stop: tuple[str, dict[str, Any]] | None = None
        self.change: dict[str, Any] | None = None
        self.asked: dict[tuple[str, str], int] = {}
        self.replans = 0
        self.replan_booked = 0
        self.had: dict[str, set[str]] = {}  # granularities committed for a lineage
        self.patches: dict[str, int] = {}
        self.tools_tried: dict[str, set[str]] = {}
        self.required_roots: set[str] = {s.id for s in self.steps if s.required}
        self.reason: str | None = None

    def limits(self, given: dict[str, Any]) -> dict[str, Any]:
        count = len(self.steps)
        limits: dict[str, Any] = {
            "per_step": 3, "max_replans": 5, "max_replan_tokens": 20000, "max_steps": max(12, 2 * count),
            "max_tool_calls": None, "max_tokens": None, "max_seconds": None, "max_repeat": 1,
        }  # fmt: skip
        if given.get("preset") == "anchored":
            c = self.coefficients
            main = c["prompt"] + c["goal"] + (c["step"] + c["execution"]) * count
            tail = c["prompt"] + c["goal"] + c["failure"] + c["lesson"] + c["step"] * count
            limits["max_replans"] = max(1, count // 2)
            limits["max_replan_tokens"] = max(main // 2, -(-tail * 12 // 10))
            limits["max_tool_calls"] = 3 * count
        limits |= {k: v for k, v in given.items() if k != "preset"}
        if limits["max_seconds"] is not None:
            limits["max_seconds"] = seconds(limits["max_seconds"])
        return limits

    @property
    def version(self) -> str:
        return f"v{self.number}"

    def get(self, step_id: str) -> Step:
        step = self.find(step_id)
        assert step is not None, step_id
        return step

    def ancestry(self, step_id: str) -> set[str]:
        """The step and all it stands for, back to its first."""
        found = {step_id}
        while (parent := self.parent.get(step_id)) is not None:
            step_id = parent
            found.add(step_id)
        return found

    def root(self, step_id: str) -> str:
        while (parent := self.parent.get(step_id)) is not None:
            step_id = parent
        return step_id

    def dependents(self, roots: set[str], steps: list[Step] | None = None) -> set[str]:
        """All that rests on `roots`, directly or not, through steps of any state."""
        steps = self.steps if steps is None else steps
        found: set[str] = set()
        grown = True
        while grown:
            grown = False
            for step in steps:
                if step.id not in found and any(d in found or d in roots for d in step.deps):
                    found.add(step.id)
                    grown = True
        return found

    def radius(self, step_id: str, refuted: list[str]) -> list[str]:
        """The open steps that rest on a failure, in list order."""
        resting = self.dependents({step_id})
        premises = {s.id for s in self.steps if s.open and set(s.assumes) & set(refuted)}
        resting |= premises | self.dependents(premises)
        return [s.id for s in self.steps if s.id in resting and s.open and s.id != step_id]

    def policy_of(self, step: Step) -> str:
        if self.mode == "replan":
            return "replan"
        if self.mode == "rewoo":
            return "defer"
        return step.on_failure or "replan"

    def tool(self, name: str) -> dict[str, Any]:
        return self.tools.get(name, {})

    def acts_once(self, name: str) -> bool:
        return self.tool(name).get("idempotent", True) is False

    def fallbacks(self, name: str) -> list[str]:
        given = self.tool(name).get("fallback") or []
        given = [given] if isinstance(given, str) else given
        found: list[str] = []
        for other in given:
            if other != name and other not in found:
                found.append(other)
        return found

    def ref_state(self, ref: refs.Ref) -> tuple[str | None, Any]:
        """Why a reference can't be read (None when it can), and its value."""
        if ref.nothing:
            return "no such step", None
        step = self.find(ref.step)
        variable = self.variables.get(ref.step)
        if step is not None and step.gap:
            return None, refs.GAP
        if step is not None and step.state != "done":
            word = {"lost": "failed", "running": "pending"}.get(step.state, step.state)
            return word, None
        if variable is None:
            return "no such step", None
        if variable.health == "void":
            return "void", None
        value = refs.walk(variable.value, ref.parts())
        return ("no such field", None) if value is refs.NO_FIELD else (None, value)

    def filled(self, args: Any) -> Any:
        """Args with their references substituted; None where one can't be read."""
        if any(self.ref_state(r)[0] is not None for r in refs.refs(args)):
            return None
        return refs.fill(args, lambda r: self.ref_state(r)[1])
