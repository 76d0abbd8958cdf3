"""What a plan and a session are made of: steps, variables, calls, failures."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tests.model import refs


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
    ways: list[Any] = field(default_factory=list)  # the alternatives' args, read like the step's own
    required: bool = False
    again: bool = False
    granularity: str | None = None
    expected: str | None = None
    replaces: str | None = None
    state: str = "pending"
    gap: bool = False
    done_with_null: bool = False
    raw: dict[str, Any] = field(default_factory=dict)
    changed: bool = True  # added or changed by a draft: its call is not as v1 lists it
    unclear: bool = False  # listed again as v1 has it, but that it follows a step that goes
    ran: int = 0  # which of the session's executions was its last

    def copy(self) -> Step:
        other = Step(**self.__dict__)
        other.args, other.deps, other.assumes = refs.copy(self.args), list(self.deps), list(self.assumes)
        other.ways = refs.copy(self.ways)
        return other

    def read_texts(self, known: set[str]) -> None:
        """Read what the file says with the ids that are known when it is written."""
        self.args = refs.read(self.raw.get("args") or {}, known)
        self.ways = [refs.read(way.get("args"), known) for way in self.alternatives]

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
    variable: Variable | None = None  # what was made of the answer
    caller: Step | None = None
    goal: int = 0  # how many goals there had been
    took_effect: bool = False  # by the script, also where the answer came too late or was cut off
    order: int = 0  # among all calls, by when they began
    ran: int = 0  # the execution that made it
    on_gap: bool = False  # it read a gap
    settled: bool = False  # a person has said what came of it, or that it is let be
    unclear: bool = False

    @property
    def answered(self) -> bool:
        """Nobody has to be asked about it any more."""
        return self.kind == "took" or self.settled


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
    routed: int = 0  # so many times
    expected: str | None = None
