"""Tools from outside: Python callables by name, called with the user's rights."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from contextlib import redirect_stdout
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from replanctl.errors import UsageError
from replanctl.host.functions import FunctionTools, describe
from replanctl.kinds import Status
from replanctl.run import Call, Outcome

_HOW = "write MODULE:NAME, with the module in this folder or installed"


class Toolbox:
    """Calls Python callables; what they print goes to standard error, for standard output is the result's."""

    def __init__(self, tools: FunctionTools) -> None:
        self._tools = tools

    def call(self, call: Call) -> Outcome:
        """What the callable came to; ending the program is a failure like any other."""
        with redirect_stdout(sys.stderr):
            try:
                return self._tools.call(call)
            except SystemExit as end:
                return Outcome(Status.ERROR, message=f"the tool ended the program: exit {end.code}", latency=0.0)


def load_tools(spec: str) -> Toolbox:
    """The tools that `module:attribute` names: a mapping of callables, a module, or one callable of (name, args).

    The working folder comes first on the path. Raises UsageError where there is no such thing.
    """
    name, _, path = spec.partition(":")
    found: Any = _module(name, spec)
    for part in filter(None, path.split(".")):
        found = _attribute(found, part, spec)
    return Toolbox(FunctionTools(_callables(found, spec)))


def _module(name: str, spec: str) -> ModuleType:
    folder = str(Path.cwd())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        with redirect_stdout(sys.stderr):
            return import_module(name)
    except (Exception, SystemExit) as error:  # whatever the module does when it is imported
        if isinstance(error, ModuleNotFoundError) and error.name and name.startswith(error.name):
            raise UsageError(f"--tools {spec}: there is no module {error.name}", hint=_HOW) from error
        why = f"{type(error).__name__}: {describe(error)}"
        raise UsageError(f"--tools {spec}: {name or 'nothing'} can't be imported: {why}", hint=_HOW) from error


def _attribute(found: Any, name: str, spec: str) -> Any:
    try:
        return getattr(found, name)
    except AttributeError:
        near = get_close_matches(name, dir(found), 1)
        hint = f"did you mean {near[0]}?" if near else _HOW
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
