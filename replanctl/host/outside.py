"""Who is asked for real: the tools and the planner that a run was given, by name or as Python objects."""

from __future__ import annotations

import msgspec

from replanctl.errors import ReplayDivergedError, UsageError
from replanctl.host.functions import FunctionTools, OnError, Toolbox
from replanctl.live import Draft
from replanctl.plan import Plan
from replanctl.replan import Replanner, ReplanRequest
from replanctl.run import Call, Outcome, Tools

PLANNER_TIMEOUT = 60.0  # seconds
OUTSIDE = "command"  # what events call a planner that is none of ours


class Outside(msgspec.Struct, frozen=True):
    """Who is asked for real. In a replay nobody is: every answer is on record."""

    tools: Tools
    replanner: Replanner


class _Nobody:
    """Stands where a run's tools and planner were, in a replay of it."""

    name = OUTSIDE

    def call(self, call: Call) -> Outcome:
        raise ReplayDivergedError("a replay calls no tools")

    def replan(self, request: ReplanRequest) -> Draft | None:
        raise ReplayDivergedError("a replay asks no planner")

    def cause(self, request: ReplanRequest) -> str:
        return ""


NOBODY = Outside(_Nobody(), _Nobody())


def outside_of(
    planner: str | Replanner | None,
    tools: str | Toolbox | None,
    plan: Plan | None = None,
    *,
    planner_timeout: float = PLANNER_TIMEOUT,
    on_error: OnError | None = None,
) -> Outside:
    """The planner and the tools that were given: by name, as a command line does, or as Python objects.

    `planner` is a command, which may take `planner_timeout` seconds, or a replanner; `tools` are `MODULE:NAME`,
    functions by name, or one function. Raises UsageError where there is no such thing, or the tools lack one that the
    `plan` uses. `on_error` is told what a tool raises.
    """
    return Outside(_tools(tools, plan, on_error), _replanner(planner, planner_timeout))


def name_of(given: object, placeholder: str) -> str | None:
    """What is kept of a planner or of tools: the words they were named with; of Python objects a `placeholder`."""
    return given if given is None or isinstance(given, str) else placeholder


def _tools(given: str | Toolbox | None, plan: Plan | None, on_error: OnError | None) -> Tools:
    if given is None:
        return NOBODY.tools
    if isinstance(given, str):
        from replanctl.host.toolbox import check_names, load_tools

        tools = load_tools(given, on_error=on_error)
        check_names(tools.names, plan, "--tools: ")
        return tools
    from replanctl.host.toolbox import check_names

    functions = FunctionTools(given, on_error=on_error)
    check_names(functions.names, plan)
    return functions


def _replanner(given: str | Replanner | None, timeout: float) -> Replanner:
    if given is None:
        return NOBODY.replanner
    if isinstance(given, str):
        from replanctl.host.command import CommandReplanner

        return CommandReplanner(given, timeout=timeout)
    if not callable(getattr(given, "replan", None)):
        raise UsageError(f"a replanner has a method replan: a {type(given).__name__} has none")
    return given
