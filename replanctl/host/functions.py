"""Python callables as tools: they sit at the same seam as scripted outcomes, and their exceptions become values."""

from __future__ import annotations

import copy
import inspect
import time
from collections.abc import Callable, Mapping
from typing import Any

from replanctl.kinds import Status
from replanctl.run import Call, Outcome

ToolFunction = Callable[..., Any]
Toolbox = Callable[[str, dict[str, Any]], Any] | Mapping[str, ToolFunction]

# The first class an exception is an instance of decides; anything else is nobody's classified failure.
_STATUS_OF: tuple[tuple[type[Exception], Status], ...] = (
    (TimeoutError, Status.TIMEOUT),
    (ConnectionError, Status.UNAVAILABLE),
    (PermissionError, Status.DENIED),
)


class FunctionTools:
    """Calls Python functions and measures them with `clock` (seconds).

    `tools` is one callable of (tool name, args), or a mapping of names to callables; those are called with the args as
    keywords, or with the one dict where they have a single parameter that none of the args is called like. Each call
    gets its own copy of the args. An exception becomes a failed outcome; `KeyboardInterrupt` and `SystemExit` pass
    through.
    """

    def __init__(self, tools: Toolbox, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._tools = tools
        self._clock = clock

    def call(self, call: Call) -> Outcome:
        """Make the call and say what it came to."""
        started = self._clock()
        try:
            value = self._invoke(call.tool, copy.deepcopy(call.args))
        except Exception as error:  # a tool's failure is a value
            return Outcome(status_of(error), None, describe(error), latency=self._since(started))
        return Outcome(Status.OK, value, latency=self._since(started))

    def _since(self, started: float) -> float:
        return max(0.0, self._clock() - started)

    def _invoke(self, name: str, args: dict[str, Any]) -> Any:
        if not isinstance(self._tools, Mapping):
            return self._tools(name, args)
        function = self._tools.get(name)
        if function is None:
            raise LookupError(f"no tool named {name}")
        return function(args) if _wants_the_dict(function, args) else function(**args)


def _wants_the_dict(function: ToolFunction, args: dict[str, Any]) -> bool:
    """Whether a function takes the one dict: it has a single parameter, which none of the args is called like."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # nothing is known of it
        return False
    if len(signature.parameters) != 1:
        return False
    ((name, parameter),) = signature.parameters.items()
    by_place = parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
    needed = parameter.default is parameter.empty
    return by_place and name not in args and (needed or bool(args))


def status_of(error: Exception) -> Status:
    """The status an exception stands for."""
    return next((status for kind, status in _STATUS_OF if isinstance(error, kind)), Status.ERROR)


def describe(error: BaseException) -> str:
    """An exception's own text, or the name of its class where it has none."""
    return str(error) or type(error).__name__
