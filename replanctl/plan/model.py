"""What is to be done: steps, tools, plans. Frozen values, no behaviour beyond their own shape."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from replanctl.kinds import Granularity, OnFailure
from replanctl.kinds import StepState as StepState

ID_LENGTH = 64
ID_PATTERN = r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}"
_ID = re.compile(ID_PATTERN)
_TEXT_ALONE = frozenset({str})


class Alternative(msgspec.Struct, frozen=True, gc=False):
    """Another way to do a step; what is left out is taken from the step itself."""

    tool: str | None = None
    args: dict[str, Any] | None = None
    action: str | None = None


class Tool(msgspec.Struct, frozen=True, gc=False):
    """What the plan knows of a tool.

    `args` is a JSON Schema or None; `fallback` the execution layer's second line, in order;
    `timeout` is in seconds. A tool that is not `idempotent` acts on the world: a
    call of it that acted, or may have, is not made again in a session.
    """

    args: dict[str, Any] | None = None
    idempotent: bool = True
    fallback: tuple[str, ...] = ()
    timeout: float = 30.0


# A step is written in a file, in Python and by a planner, and all have to come to equal values, or a diff would find
# changes where there are none. So a step stores one form of each field (`_AS_STORED`), whatever it was given.
class Step(msgspec.Struct, frozen=True, gc=False):
    """One step of a plan. Its variable is `E<id>`.

    `depends_on` None means "after the step before it"; inside a `Plan` it is always a tuple.
    `produces` is `{field: type}` or `{"schema": JSON Schema}`. `on_failure` None means that nothing
    was said, which reads as `replan` except in mode `auto`. `gaps` names the steps whose references were mended away
    because nothing will ever come of them. `required`: no draft may drop the step. `again`: its call is meant to be
    made once more, although its tool acts once only. `result` and `error` are filled in only in the history a planner
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
    gaps: tuple[str, ...] = ()
    required: bool = False
    again: bool = False
    result: Any = None
    error: str | None = None

    if TYPE_CHECKING:  # what may be written; the fields say what it becomes

        def __init__(
            self,
            id: str | int,  # noqa: A002
            tool_name: str = "",
            args: Mapping[str, Any] | None = None,
            expected_outcome: str | None = None,
            action: str = "",
            depends_on: str | int | Sequence[str | int] | None = None,
            produces: dict[str, Any] | None = None,
            assumes: str | Sequence[str] = (),
            on_failure: OnFailure | Literal["replan", "skip", "abort", "defer"] | None = None,
            alternatives: Sequence[Alternative] = (),
            granularity: Granularity | Literal["patch", "tail", "global"] | None = None,
            replaces: str | int | None = None,
            gaps: tuple[str, ...] = (),
            required: bool = False,
            again: bool = False,
            result: Any = None,
            error: str | None = None,
        ) -> None: ...

    def __post_init__(self) -> None:
        if not self.action:
            msgspec.structs.force_setattr(self, "action", self.expected_outcome or self.tool_name)
        needs = self.depends_on
        if (
            type(self.id) is str
            and type(self.args) is dict
            and (needs is None or (type(needs) is tuple and _TEXT_ALONE.issuperset(map(type, needs))))
            and type(self.assumes) is tuple
            and type(self.alternatives) is tuple
            and (self.replaces is None or isinstance(self.replaces, str))
            and type(self.on_failure) is not str
            and type(self.granularity) is not str
        ):
            return  # as stored already: so are the steps of a file, and this runs for each of 100,000 of them
        if type(self.id) is not str:
            msgspec.structs.force_setattr(self, "id", step_id(self.id))
        for name, as_stored in _AS_STORED:
            value = getattr(self, name)
            with suppress(TypeError, ValueError):  # what can't be stored is told where the step is used
                if (stored := as_stored(value)) is not value:
                    msgspec.structs.force_setattr(self, name, stored)

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


def ids(steps: Sequence[Step]) -> tuple[str, ...]:
    """The ids of these steps, in their order."""
    return tuple(step.id for step in steps)


def _ids_as_stored(value: Any) -> tuple[str, ...] | None:
    """Ids as a tuple of text; one alone is a list of one."""
    if value is None or (type(value) is tuple and all(type(id_) is str for id_ in value)):
        return value
    return tuple(map(step_id, value if isinstance(value, list | tuple) else (value,)))


def _id_as_stored(value: Any) -> str | None:
    return value if value is None or type(value) is str else step_id(value)


def _names_as_stored(value: Any) -> tuple[str, ...]:
    if type(value) is tuple:
        return value
    return (value,) if isinstance(value, str) else tuple(value)


def _enum_as_stored(kind: type[StrEnum]) -> Callable[[Any], Any]:
    return lambda value: value if value is None or isinstance(value, kind) else kind(value)


# How a step that is written in Python is stored; what already is as stored stays the same object.
_AS_STORED: tuple[tuple[str, Callable[[Any], Any]], ...] = (
    ("args", lambda value: {} if value is None else value),
    ("depends_on", _ids_as_stored),
    ("assumes", _names_as_stored),
    ("on_failure", _enum_as_stored(OnFailure)),
    ("alternatives", _names_as_stored),
    ("granularity", _enum_as_stored(Granularity)),
    ("replaces", _id_as_stored),
)
