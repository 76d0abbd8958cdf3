"""Python callables as tools: they sit at the same seam as scripted outcomes, and their exceptions become values."""

from __future__ import annotations

import inspect
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any

import msgspec

from replanctl.errors import UsageError
from replanctl.host.awaiting import Awaiting
from replanctl.host.signals import StoppedError
from replanctl.kinds import Status
from replanctl.nearest import or_nearest
from replanctl.plan import NoDataError, data_of
from replanctl.run import Call, Outcome

ToolFunction = Callable[..., Any]
# A mapping may hold functions of any kind, async ones among them: their common type is no Callable to a type checker.
Toolbox = Callable[[str, dict[str, Any]], Any] | Mapping[str, Any]
OnError = Callable[[BaseException], object]

# What ends the program is never taken for a tool's failure.
PASSES_THROUGH = (KeyboardInterrupt, SystemExit, StoppedError)

# The first class an exception is an instance of decides; anything else is nobody's classified failure. A refused
# connection never reached the tool; one that broke may have.
_STATUS_OF: tuple[tuple[type[BaseException], Status], ...] = (
    (TimeoutError, Status.TIMEOUT),
    (ConnectionRefusedError, Status.UNAVAILABLE),
    (ConnectionError, Status.TOOL_ERROR),
    (PermissionError, Status.DENIED),
)


_MOST = 1_000_000_000  # tokens, or seconds: what is summed up stays within 64 bits


class ToolFailure(Exception):  # noqa: N818  # the field's word: a tool's failure is a value, not an error of the program
    """Raised by a tool that knows how it failed.

    `status` is one of the statuses of a scripted outcome but `ok` and `lost` (`"semantic"`, `"empty"`, …); `refutes`
    names the assumptions that no longer hold, `cause` is what a lesson will say, `retry_after` the seconds to wait
    before another try. Raises ValueError for anything else.
    """

    def __init__(
        self,
        status: Status | str,
        message: str = "",
        *,
        refutes: str | Iterable[str] = (),
        cause: str = "",
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.status = Status(status)
        if self.status in (Status.OK, "lost"):
            raise ValueError(f"a tool can't fail as {status}")
        if retry_after is not None and not 0 <= retry_after < float("inf"):
            raise ValueError(f"retry_after is a number of seconds, not {retry_after!r}")
        self.message = str(message)
        self.refutes = (refutes,) if isinstance(refutes, str) else tuple(map(str, refutes))
        self.cause = str(cause)
        self.retry_after = retry_after


class FunctionTools:
    """Calls Python functions and measures them with `clock` (seconds).

    `tools` is one callable of (tool name, args), or a mapping of names to callables, which get the args as keywords.
    Each call gets its own copy of the args, and what it returns is copied as data. What an async function returns is
    awaited. Whatever is raised becomes a failed outcome, of which `on_error` is told; `KeyboardInterrupt` and
    `SystemExit` pass through. Raises UsageError where `tools` can't be called.
    """

    def __init__(
        self,
        tools: Toolbox,
        *,
        clock: Callable[[], float] = time.monotonic,
        awaiting: Awaiting | None = None,
        on_error: OnError | None = None,
    ) -> None:
        check_tools(tools)
        self._tools = tools
        self._clock = clock
        self._awaiting = awaiting or Awaiting()
        self._on_error = on_error

    @property
    def names(self) -> frozenset[str] | None:
        """The tools there are; None where one function answers for all."""
        return frozenset(self._tools) if isinstance(self._tools, Mapping) else None

    def call(self, call: Call) -> Outcome:
        """Make the call and say what it came to."""
        started = self._clock()
        try:
            # A copy: a tool may do with its args as it likes, and the session still needs its own.
            outcome = _outcome(self._invoke(call.tool, data_of(call.args)))
        except PASSES_THROUGH:
            raise
        except BaseException as error:  # a tool's failure is a value
            if (interrupt := interrupt_in(error)) is not None:
                raise interrupt from error
            if self._on_error is not None:
                self._on_error(error)
            outcome = _failure(error)
        return msgspec.structs.replace(outcome, latency=max(0.0, self._clock() - started))

    def _invoke(self, name: str, args: dict[str, Any]) -> Any:
        if isinstance(self._tools, Mapping):
            answer = _named(self._tools, name)(**args)
        else:
            answer = self._tools(name, args)
        return self._awaiting.result(answer) if isinstance(answer, Awaitable) else answer


def check_tools(tools: object) -> None:
    """Raises UsageError for anything but a callable or a mapping of names to callables."""
    if isinstance(tools, Mapping):
        for name, function in tools.items():
            if not isinstance(name, str):
                raise UsageError(f"tools are a mapping of names to functions, and {type(name).__name__} is no name")
            if not callable(function):
                raise UsageError(f"the tool {name} is a {type(function).__name__}, which can't be called")
    elif not callable(tools):
        raise UsageError(
            f"tools are a {type(tools).__name__}, which can't be called",
            hint="give a mapping of names to functions, or one function of (tool_name, args)",
        )


def _named(tools: Mapping[str, ToolFunction], name: str) -> ToolFunction:
    function = tools.get(name)
    if function is None:
        hint = or_nearest(name, tools)
        raise ToolFailure(Status.ERROR, f"no tool named {name}" + (f"; {hint}" if hint else ""))
    return function


def _outcome(answer: Any) -> Outcome:
    """What a tool returned: an `Outcome`, which is taken at its word, or a value."""
    if not isinstance(answer, Outcome):
        return Outcome(Status.OK, _data(answer))
    try:
        return _sound(msgspec.structs.replace(answer, value=_data(answer.value)))
    except (ValueError, TypeError) as error:  # a ValidationError is a ValueError
        raise TypeError(f"the tool's Outcome is none: {error}") from None


def _sound(outcome: Outcome) -> Outcome:
    """A copy of an outcome. Raises ValueError or TypeError where a field holds what it can't, NoDataError for text that
    can't be written."""
    sound = msgspec.convert(data_of(msgspec.to_builtins(outcome)), Outcome)
    for name, number in (("retry_after", sound.retry_after), ("tokens", sound.tokens)):
        if number is not None and not 0 <= number <= _MOST:
            raise ValueError(f"{name} is a number from 0 to {_MOST:,}, not {number}")
    return sound


def _data(value: Any) -> Any:
    try:
        return data_of(value)
    except NoDataError as error:
        if inspect.iscoroutine(value):
            value.close()  # nobody will await it
        raise NoDataError(f"the tool returned {error}") from None


def _failure(error: BaseException) -> Outcome:
    if isinstance(error, ToolFailure):
        return _said(error)
    if isinstance(error, NoDataError):
        return Outcome(Status.ERROR, None, str(error))
    status = status_of(error)
    # An exception that was raised on purpose speaks for itself; of any other the class says more than the text
    # (`KeyError: 'month'`).
    classified = any(isinstance(error, kind) for kind, _ in _STATUS_OF)
    return Outcome(status, None, describe(error) if classified else named(error))


def _said(error: ToolFailure) -> Outcome:
    """What a tool says of its failure; one that was changed, or never made whole, says nothing."""
    try:
        message, cause, refutes = clean_text(error.message), clean_text(error.cause), map(clean_text, error.refutes)
        said = Outcome(error.status, None, message, retry_after=error.retry_after, refutes=tuple(refutes), cause=cause)
        return _sound(said)
    except (AttributeError, TypeError, ValueError):
        return Outcome(Status.ERROR, None, f"a {type(error).__name__} that does not say how it failed")


def interrupt_in(error: BaseException) -> BaseException | None:
    """What ends the program may come in a group, from a task that was interrupted."""
    if isinstance(error, BaseExceptionGroup) and error.subgroup(PASSES_THROUGH) is not None:
        return KeyboardInterrupt()
    return None


def status_of(error: BaseException) -> Status:
    """The status of a call that raised this exception; `error` for any class that is not in the table."""
    return next((status for kind, status in _STATUS_OF if isinstance(error, kind)), Status.ERROR)


def describe(error: BaseException) -> str:
    """An exception's own text, or the name of its class where it has none or can't say it."""
    try:
        # A `__str__` is foreign code as well, and may raise.
        text = str(error)
    except PASSES_THROUGH:
        raise
    except BaseException:
        text = ""
    return clean_text(text) or type(error).__name__


def named(error: BaseException) -> str:
    """An exception with its class in front: `KeyError: 'month'`."""
    kind, text = type(error).__name__, describe(error)
    return kind if text == kind else f"{kind}: {text}"


def clean_text(text: str) -> str:
    """Text that can be written: half a surrogate pair becomes its escape."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
