"""Everything a session knows, as plain as can be, and the questions that are asked of it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from tests.model import refs
from tests.model.world import Ambiguous, Script, seconds

DEFAULT_COEFFICIENTS = {
    "prompt": 120, "goal": 40, "done_line": 25, "failure": 80, "lesson": 60, "step": 60, "execution": 180, "retry": 200,
}  # fmt: skip


def canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


@dataclass
class Step:
    """One step of one version.

    `state`: pending, running, done, skipped, and three ways to have failed: failed (waits for its replan), lost (for
    good), dead (it ended the session).
    """

    id: str
    tool: str
    action: str
    args: Any = field(default_factory=dict)
    deps: list[str] = field(default_factory=list)
    assumes: list[str] = field(default_factory=list)
    on_failure: str | None = None
    produces: dict[str, str] | None = None
    alternatives: list[dict[str, Any]] = field(default_factory=list)
    required: bool = False
    again: bool = False
    granularity: str | None = None
    expected: str | None = None
    replaces: str | None = None
    state: str = "pending"
    gap: bool = False
    done_with_null: bool = False
    raw: dict[str, Any] = field(default_factory=dict)
    touched: bool = False  # listed by a draft, or its references renamed
    changed: bool = True  # added or changed by a draft: its call is not as v1 lists it

    def copy(self) -> Step:
        other = Step(**self.__dict__)
        other.args, other.deps, other.assumes = refs.copy(self.args), list(self.deps), list(self.assumes)
        return other

    @property
    def open(self) -> bool:
        return self.state in ("pending", "failed")

    @property
    def ended_badly(self) -> bool:
        """Failed for good or skipped, and no gap to run on."""
        return self.state in ("lost", "skipped") and not self.gap


def parse_step(raw: dict[str, Any], before: str | None) -> Step:
    """A step as the file gives it; args are read later, when the known ids are known."""
    deps = raw.get("depends_on")
    if deps is None:
        deps = [before] if before is not None else []
    elif not isinstance(deps, list):
        deps = [deps]
    return Step(
        id=str(raw["id"]),
        tool=raw["tool"],
        action=raw.get("action") or raw["tool"],
        deps=[str(d) for d in deps],
        assumes=list(raw.get("assumes", [])),
        on_failure=raw.get("on_failure"),
        produces=raw.get("produces"),
        alternatives=list(raw.get("alternatives", [])),
        required=bool(raw.get("required", False)),
        again=bool(raw.get("again", False)),
        granularity=raw.get("granularity"),
        expected=raw.get("expected_outcome"),
        raw=raw,
    )


@dataclass
class Variable:
    value: Any
    step: str
    version: str
    rests: set[str]
    hot: set[str]  # what of it was refuted and still counts
    sources: set[str]  # the variables it was computed from
    health: str = "clean"
    verdict: str | None = None
    goal_stale: bool = False
    absolved: set[str] = field(default_factory=set)


@dataclass
class Call:
    """A call that was made, for what may be made only once."""

    tool: str
    args: str
    step: str
    version: str
    as_v1: bool
    kind: str  # took, may, not
    status: str = ""
    value: Any = None
    variable: dict[str, Any] | None = None
    arguments: Any = None
    touched: bool = False
    late: bool = False


@dataclass
class Failure:
    """One failed execution on its way to a route."""

    step: str
    version: str
    type: str
    message: str
    attempted: list[str]
    refutes: list[str]
    cause: str | None
    evidence: dict[str, Any]
    tool: str
    status: str
    ref_state: str | None = None
    arg_fault: bool = False
    expected: str | None = None


class State:
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
            step.args = refs.read(step.raw.get("args") or {}, set(self.ever))
        self.gates = self.limits(policy.get("gates") or {})
        self.number = 1
        self.versions: list[dict[str, Any]] = []
        self.made_for: list[int] = [0]  # which goal each version was made for
        self.prints: list[tuple[Any, ...]] = []  # fingerprints of the versions replaced so far
        self.goal_number = 0
        self.header: dict[str, Any] = {"parent": None, "granularity": None, "rule": None, "cause": "start"}
        self.parent: dict[str, str] = {}  # which step each id replaced
        self.v1_text = {s.id: (s.tool, canonical(refs.write(s.args))) for s in self.steps}
        self.clock = 0.0
        self.variables: dict[str, Variable] = {}
        self.history: list[dict[str, Any]] = []
        self.signals: list[dict[str, Any]] = []
        self.routes: list[dict[str, Any]] = []
        self.gate_rows: list[dict[str, Any]] = []
        self.revisions: list[dict[str, Any]] = []
        self.lessons: list[dict[str, Any]] = []
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
        self.abort = False
        self.gate_stop: tuple[str, dict[str, Any]] | None = None
        self.change: dict[str, Any] | None = None
        self.asked: dict[tuple[str, str], int] = {}
        self.replans = 0
        self.replan_booked = 0
        self.had: dict[str, set[str]] = {}  # granularities committed for a lineage
        self.patches: dict[str, int] = {}
        self.alternatives_used: dict[str, int] = {}
        self.tools_tried: dict[str, set[str]] = {}
        self.required_roots: set[str] = {s.id for s in self.steps if s.required}
        self.reason: str | None = None

    def limits(self, given: dict[str, Any]) -> dict[str, Any]:
        count = len(self.steps)
        limits: dict[str, Any] = {
            "per_step": 3, "max_replans": 5, "max_replan_tokens": 20000, "max_steps": max(12, 2 * count),
            "max_tool_calls": None, "max_tokens": None, "max_seconds": None, "max_repeat": 1,
        }  # fmt: skip
        limits |= {k: v for k, v in given.items() if k != "preset"}
        if limits["max_seconds"] is not None:
            limits["max_seconds"] = seconds(limits["max_seconds"])
        return limits

    # --- the plan in force

    @property
    def version(self) -> str:
        return f"v{self.number}"

    def find(self, step_id: str) -> Step | None:
        return next((s for s in self.steps if s.id == step_id), None)

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

    # --- references

    def ref_state(self, ref: refs.Ref) -> tuple[str | None, Any]:
        """Why a reference can't be read (None when it can), and its value."""
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

    # --- health

    def refute(self, names: list[str]) -> None:
        for name in names:
            self.refuted.add(name)
            fresh: set[str] = set()
            for at, variable in self.variables.items():
                if name not in variable.rests:
                    continue
                if name in variable.absolved:
                    raise Ambiguous("an assumption is refuted again after a verdict")
                variable.hot.add(name)
                if variable.absolved and variable.hot == variable.rests - variable.absolved:
                    raise Ambiguous("all that is left after a verdict is refuted")
                if variable.hot == variable.rests:
                    if variable.health != "void":
                        fresh.add(at)
                    variable.health = "void"
                elif variable.health == "clean":
                    variable.health = "stale"
            self.void_descendants(fresh, set())

    def void_descendants(self, roots: set[str], kept: set[str]) -> None:
        grown = set(roots)
        while grown:
            grown = {
                at for at, v in self.variables.items() if v.sources & grown and v.health != "void" and at not in kept
            }
            for at in grown:
                self.variables[at].health = "void"

    def give_verdicts(self, verdicts: dict[str, str]) -> None:
        named = {k[1:]: v for k, v in verdicts.items()}
        judged = {k: v for k, v in named.items() if k in self.variables and self.variables[k].health != "void"}
        kept = {k for k, v in judged.items() if v in ("keep", "convert")}
        dropped = {k for k, v in judged.items() if v == "discard"}
        for at, verdict in judged.items():
            variable = self.variables[at]
            variable.verdict = verdict
            if verdict == "discard":
                variable.health = "void"
            else:
                variable.health, variable.goal_stale = "clean", False
                variable.absolved |= variable.rests & self.refuted
                variable.hot = set()
        self.void_descendants(dropped, kept)
        for at, variable in self.variables.items():
            if at not in kept and variable.health != "void" and self.rests_on(at, dropped):
                raise Ambiguous("a variable rests on a discarded one through a kept one")

    def rests_on(self, at: str, roots: set[str]) -> bool:
        if at in roots:
            return True
        return any(self.rests_on(s, roots) for s in self.variables[at].sources if s in self.variables)

    def write_variable(self, step: Step, value: Any) -> None:
        sources = {r.step for r in refs.refs(step.args) if r.step in self.variables and not self.is_gap(r.step)}
        inputs = [self.variables[s] for s in sources]
        if any(v.goal_stale for v in inputs):
            raise Ambiguous("computed from a variable that is stale by the goal")
        rests = set(step.assumes).union(*(v.rests for v in inputs))
        hot = (set(step.assumes) & self.refuted).union(*(v.hot for v in inputs))
        absolved = set().union(*(v.absolved for v in inputs)) - hot
        self.put(step.id, Variable(value, step.id, self.version, rests, hot, sources, absolved=absolved))

    def put(self, at: str, variable: Variable) -> None:
        if variable.absolved and variable.hot and variable.hot == variable.rests - variable.absolved:
            raise Ambiguous("born with all that is left after a verdict refuted")
        if variable.health == "clean" and variable.hot:
            variable.health = "void" if variable.hot == variable.rests else "stale"
        self.variables[at] = variable

    def is_gap(self, step_id: str) -> bool:
        step = self.find(step_id)
        return step is not None and step.gap
