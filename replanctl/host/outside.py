"""Who is asked for real: the tools and the planner that a run was given by name."""

from __future__ import annotations

import msgspec

from replanctl.errors import ReplayDivergedError
from replanctl.host.functions import OnError
from replanctl.live import Draft
from replanctl.plan import Plan
from replanctl.replan import Replanner, ReplanRequest
from replanctl.run import Call, Outcome, Tools
from replanctl.store import Inputs


class Outside(msgspec.Struct, frozen=True):
    """Who is asked for real. In a replay nobody is: every answer is on record."""

    tools: Tools
    replanner: Replanner


class _Nobody:
    """Stands where a run's tools and planner were, in a replay of it."""

    name = "command"

    def call(self, call: Call) -> Outcome:
        raise ReplayDivergedError("a replay calls no tools")

    def replan(self, request: ReplanRequest) -> Draft | None:
        raise ReplayDivergedError("a replay asks no planner")

    def cause(self, request: ReplanRequest) -> str:
        return ""


NOBODY = Outside(_Nobody(), _Nobody())


def outside_of(inputs: Inputs, plan: Plan | None = None, *, on_error: OnError | None = None) -> Outside:
    """The tools and the planner that a run was given by name.

    Raises UsageError where there is no such thing, or the tools lack one that the `plan` uses. `on_error` is told what
    a tool raises.
    """
    tools, replanner = NOBODY.tools, NOBODY.replanner
    if inputs.tools is not None:
        from replanctl.host.toolbox import load_tools

        toolbox = load_tools(inputs.tools, on_error=on_error)
        if plan is not None:
            toolbox.check_names(plan)
        tools = toolbox
    if inputs.planner is not None:
        from replanctl.host.command import CommandReplanner

        replanner = CommandReplanner(inputs.planner, timeout=inputs.planner_timeout)
    return Outside(tools, replanner)
