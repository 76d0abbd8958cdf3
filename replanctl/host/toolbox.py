"""Tools from outside: Python callables by name, called with the user's rights."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from replanctl.errors import UsageError
from replanctl.host.functions import FunctionTools, OnError, describe
from replanctl.host.signals import StoppedError
from replanctl.kinds import Status, StepState
from replanctl.nearest import or_nearest
from replanctl.plan import Plan, Step, Tool
from replanctl.run import Call, Event, Outcome, PlanCommit, StepEnd

_STDOUT, _STDERR = 1, 2
_HOW = "write MODULE:NAME, with the module in this folder or installed"


class Toolbox:
    """Calls Python callables; what they print goes to standard error, for standard output is the result's."""

    def __init__(self, tools: FunctionTools) -> None:
        self._tools = tools

    def call(self, call: Call) -> Outcome:
        """What the callable came to; ending the program is a failure like any other."""
        with printing_aside():
            try:
                return self._tools.call(call)
            except SystemExit as end:
                code = end.code if isinstance(end.code, int | None) else type(end.code).__name__
                return Outcome(Status.ERROR, message=f"the tool ended the program: exit {code}", latency=0.0)
            except (KeyboardInterrupt, StoppedError):
                raise
            except BaseException as error:  # whatever else a tool raises
                return Outcome(Status.ERROR, message=describe(error), latency=0.0)

    @property
    def names(self) -> frozenset[str] | None:
        """The tools there are; None where one function answers for all."""
        return self._tools.names


def check_names(known: frozenset[str] | None, plan: Plan | None, said: str = "") -> None:
    """Raises UsageError where the plan uses a tool that is not `known`, before anything runs; None knows them all."""
    if known is None or plan is None:
        return
    for name, where in _used(plan):
        if name not in known:
            hint = or_nearest(name, known, f"there are {', '.join(sorted(known)) or 'none'}")
            raise UsageError(f"{said}there is no tool named {name}, which {where} uses", hint=hint)


def _used(plan: Plan) -> Iterator[tuple[str, str]]:
    """Every tool that a plan names, and where."""
    for step in plan.steps:
        yield step.tool_name, f"step {step.id}"
        for way in step.alternatives:
            if way.tool:
                yield way.tool, f"an alternative of step {step.id}"
        for name in (plan.tools or {}).get(step.tool_name, Tool()).fallback:
            yield name, f"the fallback of {step.tool_name}"


# A planner may invent a tool, and that is a failure like any other, which is replanned. So only those names are asked
# for that there were when the run began: they were checked then.
def still_open(plan: Plan, events: Iterable[Event], had: frozenset[str] | None) -> Plan:
    """A plan of the steps that are not done yet, as the events leave them, with the tools that there were before: those
    that it `had`, or any (None)."""
    steps: dict[str, Step] = {}
    done: set[str] = set()
    for event in events:
        if isinstance(event, PlanCommit):
            steps |= {step.id: step for step in (*event.steps, *event.amended)}
            done.difference_update(step.id for step in event.steps)
            for id_ in event.removed:
                steps.pop(id_, None)
        elif isinstance(event, StepEnd) and event.state is StepState.DONE:
            done.add(event.step_id)
    left = (step for step in steps.values() if step.id not in done and (had is None or step.tool_name in had))
    return Plan(plan.goal, tuple(left), tools=plan.tools)


def names_in(plan: Plan) -> frozenset[str]:
    """Every tool that a plan names."""
    return frozenset(name for name, _ in _used(plan))


@contextmanager
def printing_aside() -> Iterator[None]:
    """What is printed inside goes to standard error, also by what does not print through Python."""
    try:
        # Python's own `sys.stdout` is not enough: C libraries and child processes write to the descriptor, and one
        # stray line makes a JSON result unreadable.
        aside: int | None = os.dup(_STDOUT)
        os.dup2(_STDERR, _STDOUT)
    except OSError:  # one of them is closed: nothing can get into the result that way
        aside = None
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        if aside is not None:
            os.dup2(aside, _STDOUT)
            os.close(aside)


def load_tools(spec: str, *, on_error: OnError | None = None) -> Toolbox:
    """The tools that `module:attribute` names: a mapping of callables, a module, or one callable of (name, args).

    The working folder comes first on the path. Raises UsageError where there is no such thing.
    """
    name, _, path = spec.partition(":")
    found: Any = _module(name, spec)
    for part in filter(None, path.split(".")):
        found = _attribute(found, part, spec)
    return Toolbox(FunctionTools(_callables(found, spec), on_error=on_error))


def _module(name: str, spec: str) -> ModuleType:
    folder = str(Path.cwd())
    # As `python -m` has it: tools are mostly a module beside the plan.
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        with printing_aside():
            return import_module(name)
    except (KeyboardInterrupt, StoppedError):
        raise
    except BaseException as error:  # whatever the module does when it is imported
        # A module that is there and lacks another one is a different mistake, and its own text says which.
        if isinstance(error, ModuleNotFoundError) and error.name and name.startswith(error.name):
            raise UsageError(f"--tools {spec}: there is no module {error.name}", hint=_HOW) from error
        why = f"{type(error).__name__}: {describe(error)}"
        raise UsageError(f"--tools {spec}: {name or 'nothing'} can't be imported: {why}", hint=_HOW) from error


def _attribute(found: Any, name: str, spec: str) -> Any:
    try:
        return getattr(found, name)
    except AttributeError:
        hint = or_nearest(name, dir(found), _HOW)
        raise UsageError(f"--tools {spec}: there is no {name} in it", hint=hint) from None


def _callables(found: Any, spec: str) -> Mapping[str, Callable[..., Any]] | Callable[[str, dict[str, Any]], Any]:
    if isinstance(found, ModuleType):
        return {name: value for name, value in vars(found).items() if callable(value) and not name.startswith("_")}
    if isinstance(found, Mapping):
        for name, value in found.items():
            if not callable(value):
                raise UsageError(f"--tools {spec}: {name} is a {type(value).__name__}, not a callable", hint=_HOW)
        return found
    if callable(found):
        call: Callable[[str, dict[str, Any]], Any] = found
        return call
    raise UsageError(f"--tools {spec} is a {type(found).__name__}", hint="name a mapping, a module or a callable")
