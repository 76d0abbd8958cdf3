"""What Python code gives a session is looked at once, before anything runs: steps, plans, policies, seams.

Plans of a file were looked at when they were loaded. Steps are copied, so that what their author does to them later
changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

import msgspec

from replanctl.errors import UsageError
from replanctl.kinds import Granularity, OnFailure
from replanctl.plan import (
    ID_LENGTH,
    ID_PATTERN,
    Alternative,
    NoDataError,
    Plan,
    Step,
    Tool,
    data_of,
    plan_faults,
    step_id,
)
from replanctl.replan import Lesson
from replanctl.run.interruptions import Interruption
from replanctl.run.policy import MOST, check_policy
from replanctl.run.tools import listed
from replanctl.schema import TYPES, schema_fault


def own_step(step: object) -> Step:
    """A copy of a step that shares nothing with its author. Raises ValueError with what is wrong with it."""
    if type(step) is Step and _says_little(step) and _are_words_and_numbers(args := step.args):
        own = _copy(step)
        _set(own, "args", args.copy())
        return own
    if not isinstance(step, Step):
        raise ValueError(f"a {type(step).__name__} where a Step belongs")
    step_id(step.id)
    faults = list(_faults(step))
    if faults:
        raise ValueError(f"step {step.id}: {'; '.join(faults)}")
    return msgspec.structs.replace(
        step,
        args=data_of(step.args),
        produces=data_of(step.produces),
        alternatives=tuple(map(_own, step.alternatives)),
        result=None,  # what came of a step of the history is no part of a plan
        error=None,
    )


# Most steps say little more than a tool and a few words or numbers. That nothing is wrong with such a one is plain at a
# glance, and each of 100,000 is looked at before a plan from Python runs: only the others are gone through in full. So
# the glance asks what is cheap to ask, by identity where it can, and may miss a plain step, but never passes a faulty.
def _says_little(step: Step) -> bool:
    """Whether a step says no more than its tool, an action in ASCII, args and what it depends on."""
    id_, tool, action = step.id, step.tool_name, step.action
    needs = _NONE if step.depends_on is None else step.depends_on
    for need in needs if type(needs) is tuple else (needs,):
        if type(need) is not str or not need.isalnum() or not need.isascii() or len(need) > ID_LENGTH:
            return False
    return (
        type(id_) is str
        and id_.isalnum()
        and id_.isascii()
        and len(id_) <= ID_LENGTH
        and type(tool) is str
        and tool != ""
        and tool.isascii()
        and (action is tool or (type(action) is str and action.isascii()))
        and step.assumes is _NONE
        and step.alternatives is _NONE
        and step.required is False
        and step.again is False
        and step.expected_outcome is None
        and step.produces is None
        and step.on_failure is None
        and step.granularity is None
        and step.replaces is None
        and step.result is None
        and step.error is None
    )


def _are_words_and_numbers(args: object) -> bool:
    """Whether args hold nothing but words in ASCII and whole numbers that JSON can say."""
    if type(args) is not dict:
        return False
    for name, value in args.items():
        kind = type(value)
        if type(name) is not str or not name.isascii():
            return False
        if kind is str:
            if not value.isascii():
                return False
        elif not (-_BIG < value < _BIG if kind is int else kind is bool or value is None):
            return False
    return True


_NONE: Any = ()  # there is one empty tuple
_IS_ID = re.compile(ID_PATTERN).fullmatch
_BIG = 1 << 63  # whole numbers that JSON can say lie between
_set = msgspec.structs.force_setattr
_copy: Callable[[Step], Step] = Step.__copy__  # type: ignore[attr-defined]  # which its stubs leave out


def own_plan(plan: object, specs: object = None) -> Plan:
    """A plan whose steps are the session's own. Raises UsageError with everything that keeps it, or the tools that are
    known beside it, from being run."""
    if not isinstance(plan, Plan):
        raise UsageError(f"a session runs a Plan, not a {type(plan).__name__}")
    check_goal(plan.goal)
    steps, faults = [], []
    for step in plan.steps:
        try:
            steps.append(own_step(step))
        except ValueError as error:
            faults.append(str(error))
    whole = msgspec.structs.replace(plan, steps=tuple(steps)) if not faults else plan
    for said, tools in (("the plan's tools", plan.tools), ("specs", specs)):
        if tools is not None:
            check_specs(tools, said)
    if faults := faults or list(plan_faults(whole)):
        raise UsageError(f"the plan can't be run: {'; '.join(faults)}")
    return whole


def check_goal(goal: object) -> None:
    """Raises UsageError for a goal that is no text, says nothing or can't be written."""
    if not isinstance(goal, str) or not goal or not _writable(goal):
        raise UsageError(f"a goal is text, not {ascii(goal) if isinstance(goal, str) else f'a {type(goal).__name__}'}")


def check_specs(specs: object, said: str = "specs") -> None:
    """Raises UsageError for anything but a mapping of tool names to tools that a plan file could hold."""
    if not isinstance(specs, Mapping):
        raise UsageError(f"{said} map tool names to Tool(…), which a {type(specs).__name__} does not")
    for name, tool in specs.items():
        if not isinstance(name, str) or not isinstance(tool, Tool):
            raise UsageError(f"{said} map tool names to Tool(…), and {name!r} is mapped to a {type(tool).__name__}")
        if fault := _tool_fault(tool):
            raise UsageError(f"{said} are none: {name}: {fault}")


def _tool_fault(tool: Tool) -> str | None:
    try:
        msgspec.convert(msgspec.to_builtins(tool), Tool)
    except (ValueError, TypeError, RecursionError) as error:
        return str(error)
    if not 0 <= tool.timeout <= MOST:
        return f"its timeout is a number of seconds from 0, not {tool.timeout}"
    fault = None if tool.args is None else schema_fault(tool.args)
    return f"its args are not a sound JSON Schema: {fault[1]}" if fault else None


def own_inputs(
    policy: object, interruptions: Any, lessons: Any, default_tool: object
) -> tuple[tuple[Interruption, ...], tuple[Lesson, ...]]:
    """The interruptions and the lessons as lists of the session's own. Raises UsageError for what is none in them, for
    a policy that is none, and for a default tool that is none."""
    check_policy(policy)
    if not isinstance(default_tool, Tool):
        raise UsageError(f"the default_tool is a {type(default_tool).__name__}, not a Tool", hint="write Tool(…)")
    changes = _own_list("interruptions", interruptions, Interruption)
    for change in changes:
        check_goal(change.goal)
        if change.at is not None and not 0 <= change.at <= MOST:
            raise UsageError(f"an interruption's at is a number of seconds from 0, not {change.at}")
    return changes, _own_list("lessons", lessons, Lesson)


_Kind = TypeVar("_Kind")


def _own_list(said: str, given: Any, kind: type[_Kind]) -> tuple[_Kind, ...]:
    found = tuple(listed(said, given))
    for one in found:
        if not isinstance(one, kind):
            raise UsageError(f"{said} are a list of {kind.__name__}(…), and there is a {type(one).__name__} in it")
        try:  # the types of all fields, as they are written down
            msgspec.convert(msgspec.to_builtins(one), kind)
        except (ValueError, TypeError) as error:
            raise UsageError(f"{said} hold what is no {kind.__name__}: {error}") from None
    return found


def _faults(step: Step) -> Iterator[str]:
    if not isinstance(step.tool_name, str) or not step.tool_name:
        yield "it has no tool"
    if not isinstance(step.action, str):
        yield "its action is no text"
    if not isinstance(step.expected_outcome, str | None):
        yield "its expected_outcome is no text"
    yield from _text_faults(step)
    yield from _name_faults(step)
    yield from _mapping_faults("args", step.args)
    yield from _contract_faults(step.produces)
    for way in step.alternatives if isinstance(step.alternatives, tuple) else (step.alternatives,):
        yield from _alternative_faults(way)


def _text_faults(step: Step) -> Iterator[str]:
    texts = {"tool": step.tool_name, "action": step.action, "expected_outcome": step.expected_outcome}
    for what, text in texts.items():
        if isinstance(text, str) and not _writable(text):
            yield f"its {what} holds half a surrogate pair"


def _writable(text: str) -> bool:
    """Whether a text can be written at all: half a surrogate pair can't."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _name_faults(step: Step) -> Iterator[str]:
    if not isinstance(step.depends_on, tuple | None) or not all(_is_id(id_) for id_ in step.depends_on or ()):
        yield "its depends_on holds what is no id"
    if not (step.replaces is None or _is_id(step.replaces)):
        yield "its replaces is no id"
    if not isinstance(step.assumes, tuple) or not all(
        isinstance(name, str) and _writable(name) for name in step.assumes
    ):
        yield "it assumes what is no name"
    if not isinstance(step.on_failure, OnFailure | None):
        yield f"its on_failure is none of {', '.join(OnFailure)}"
    if not isinstance(step.granularity, Granularity | None):
        yield f"its granularity is none of {', '.join(Granularity)}"
    if not all(isinstance(said, bool) for said in (step.required, step.again)):
        yield "its required or again is neither true nor false"


def _is_name(value: object) -> bool:
    return isinstance(value, str) and _writable(value)


def _is_id(value: object) -> bool:
    return isinstance(value, str) and _IS_ID(value) is not None


def _mapping_faults(what: str, value: object) -> Iterator[str]:
    if not isinstance(value, dict) or not all(isinstance(key, str) for key in value):
        yield f"its {what} are no mapping of names to values"
        return
    try:
        data_of(value)
    except NoDataError as error:
        yield f"its {what} hold {error}"


def _contract_faults(produces: object) -> Iterator[str]:
    if produces is None:
        return
    yield from (faults := list(_mapping_faults("produces", produces)))
    if faults or not isinstance(produces, dict):
        return
    if isinstance(schema := produces.get("schema"), dict):
        if fault := schema_fault(schema):
            yield f"its produces is not a sound JSON Schema: {fault[1]}"
        return
    for name, type_ in produces.items():
        if not isinstance(type_, str) or type_.removesuffix("?") not in TYPES:
            yield f"it produces {name} of no known type ({', '.join(TYPES)}, with or without ?)"


def _alternative_faults(way: object) -> Iterator[str]:
    if not isinstance(way, Alternative):
        yield f"a {type(way).__name__} where an Alternative belongs"
        return
    for name in ("tool", "action"):
        if not isinstance(text := getattr(way, name), str | None) or not _writable(text or ""):
            yield f"an alternative's {name} is no text"
    if way.args is not None:
        yield from _mapping_faults("alternative's args", way.args)


def _own(way: Alternative) -> Alternative:
    return way if way.args is None else msgspec.structs.replace(way, args=data_of(way.args))


def own_steps(steps: Iterable[Any]) -> tuple[Step, ...]:
    """Copies of a planner's steps. Raises ValueError with what is wrong with the first that is none."""
    return tuple(map(own_step, steps))
