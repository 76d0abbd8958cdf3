"""Calls as a plan writes them: which steps make the same one, and which finished work a draft lists again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from replanctl.live.cells import Cell
from replanctl.live.graph import Graph
from replanctl.plan import Step, exact, same_args

CallKey = tuple[str, bytes]


def call_key(tool: str, args: dict[str, Any]) -> CallKey:
    """What equal calls share: the tool, and the args as JSON, whatever the order of their keys."""
    return tool, exact(args)


def call_of(step: Step) -> CallKey:
    """The call that a step makes, by its args as they are written."""
    return call_key(step.tool_name, step.args)


def same_call(one: Step, other: Step) -> bool:
    """Whether two steps call the same tool with the same args."""
    return one.tool_name == other.tool_name and same_args(one.args, other.args)


class Finished:
    """Done steps by the call they made, so that finished work which is listed again is recognised at once."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._seen = 0
        self._by_call: dict[CallKey, list[Cell]] = {}
        self._by_work: dict[tuple[str, str], Cell] = {}

    def same(self, step: Step) -> Cell | None:
        """The done step with the same action, tool and args, if there is one in the plan."""
        return next((c for c in self._with_call(step) if c.step.action == step.action and not c.gone), None)

    def same_action(self, step: Step) -> Cell | None:
        """The first step that was done, in whatever version, with the same action and tool, whatever its args."""
        self._look()
        return self._by_work.get((step.action, step.tool_name))

    def _with_call(self, step: Step) -> Sequence[Cell]:
        self._look()
        return self._by_call.get(call_of(step), ())

    def _look(self) -> None:
        done = self._graph.ever_done
        for cell in done[self._seen :]:
            self._by_call.setdefault(call_of(cell.step), []).append(cell)
            self._by_work.setdefault((cell.step.action, cell.step.tool_name), cell)
        self._seen = len(done)
