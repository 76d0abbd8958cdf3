"""What is to be done: steps, tools, plans. Frozen values, no behaviour beyond their own shape."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from itertools import count
from typing import Any

import msgspec

ID_LENGTH = 64
ID_PATTERN = r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}"
_ID = re.compile(ID_PATTERN)


class Granularity(StrEnum):
    """How deep a replan cuts. `none` means that no replan helps: hand over to a person."""

    NONE = "none"
    PATCH = "patch"
    TAIL = "tail"
    GLOBAL = "global"


class OnFailure(StrEnum):
    """What happens once retries and fallbacks of a step are spent."""

    REPLAN = "replan"
    SKIP = "skip"
    ABORT = "abort"
    DEFER = "defer"


class StepState(StrEnum):
    """Where a step stands. `failed` covers both waiting for a replan and failed for good."""

    PENDING = "pending"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    SKIPPED = "skipped"


class Alternative(msgspec.Struct, frozen=True, gc=False):
    """Another way to do a step; what is left out is taken from the step itself."""

    tool: str | None = None
    args: dict[str, Any] | None = None
    action: str | None = None


class Tool(msgspec.Struct, frozen=True, gc=False):
    """What the plan knows of a tool.

    `args` is a JSON Schema or None; `fallback` the execution layer's second line, in order;
    `timeout` is in seconds. A tool that is not `idempotent` is never called again after a timeout:
    the call may have happened.
    """

    args: dict[str, Any] | None = None
    idempotent: bool = True
    fallback: tuple[str, ...] = ()
    timeout: float = 30.0


class Step(msgspec.Struct, frozen=True, gc=False):
    """One step of a plan. Its variable is `E<id>`.

    `depends_on` None means "after the step before it"; inside a `Plan` it is always a tuple.
    `produces` is `{field: type}` or `{"schema": JSON Schema}`. `on_failure` None means that nothing
    was said, which reads as `replan` except in mode `auto`. No draft may drop a `required` step; `again` means that
    its call is to be made once more, although its tool acts only once. `gaps` names the steps whose references were
    mended away because nothing will ever come of them. `result` and `error` are filled in only in the history a planner
    is given (`PlanExecuteAgent`).
    """

    id: str
    tool_name: str = msgspec.field(default="", name="tool")
    args: dict[str, Any] = {}
    expected_outcome: str | None = None
    action: str = ""
    depends_on: tuple[str, ...] | None = None
    produces: dict[str, Any] | None = None
    assumes: tuple[str, ...] = ()
    on_failure: OnFailure | None = None
    alternatives: tuple[Alternative, ...] = ()
    granularity: Granularity | None = None
    replaces: str | None = None
    required: bool = False
    again: bool = False
    gaps: tuple[str, ...] = ()
    result: Any = None
    error: str | None = None

    def __post_init__(self) -> None:
        if type(self.id) is not str:
            msgspec.structs.force_setattr(self, "id", step_id(self.id))
        if not self.action:
            msgspec.structs.force_setattr(self, "action", self.expected_outcome or self.tool_name)

    @property
    def tool(self) -> str:
        """The tool's name, under the word plan files use."""
        return self.tool_name


class Plan(msgspec.Struct, frozen=True, gc=False):
    """A goal and its ordered steps: a DAG by `depends_on`.

    `tools` and `assumptions` are None when the plan does not restrict them. Build one with
    `Plan.of`, which resolves left-out dependencies, or load one with `load_plan`.
    """

    goal: str
    steps: tuple[Step, ...]
    assumptions: dict[str, str] | None = None
    tools: dict[str, Tool] | None = None

    @classmethod
    def of(
        cls,
        goal: str,
        steps: Iterable[Step],
        *,
        assumptions: dict[str, str] | None = None,
        tools: dict[str, Tool] | None = None,
    ) -> Plan:
        """A plan whose left-out `depends_on` are resolved: each such step follows the one before it."""
        return cls(goal, sequenced(steps), assumptions, tools)


def sequenced(steps: Iterable[Step]) -> tuple[Step, ...]:
    """The steps with every left-out `depends_on` made explicit: after the step before it."""
    resolved: list[Step] = []
    previous: tuple[str, ...] = ()
    for step in steps:
        if step.depends_on is None:
            step = msgspec.structs.replace(step, depends_on=previous)
        resolved.append(step)
        previous = (step.id,)
    return tuple(resolved)


def step_id(value: object) -> str:
    """A step id as text: a whole number and its text are the same id. Raises ValueError otherwise."""
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str) or not _ID.fullmatch(value):
        raise ValueError(f"a step id is a whole number or text like 3, s3 or fetch-a, not {value!r}")
    return value


def variable_name(id_: str) -> str:
    """The name of the variable that a step of this id produces."""
    return f"E{id_}"


def trailing_number(id_: str) -> int:
    """The number an id ends in; 0 where it ends in none."""
    digits = re.search(r"[0-9]+\Z", id_)
    return int(digits.group()) if digits else 0


def id_prefix(id_: str) -> str:
    """What stands before an id's trailing number, or nothing where it has no trailing number."""
    return id_[: -len(digits.group())] if (digits := re.search(r"[0-9]+\Z", id_)) else ""


def ids(steps: Sequence[Step]) -> tuple[str, ...]:
    """The ids of these steps, in their order."""
    return tuple(step.id for step in steps)


def fresh_ids(highest: int, like: str, taken: Iterable[str] = ()) -> Iterator[str]:
    """New ids, one above the `highest` number ever used (and any in `taken`), with the prefix of `like`."""
    prefix = id_prefix(like)
    for number in count(max(highest, *map(trailing_number, taken), 0) + 1):
        yield f"{prefix[: ID_LENGTH - len(str(number))]}{number}"
