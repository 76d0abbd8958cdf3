"""Calls as a plan writes them: which steps make the same one, and which of those in the plan a draft lists again."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence

from replanctl.live.cells import RUNNING, CallKey, Cell, call_key
from replanctl.live.graph import Graph
from replanctl.plan import Step, exact, same_args


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

    def same(self, step: Step, holds: Callable[[str], bool]) -> Cell | None:
        """The first done step in list order with the same action, tool and args, of those whose result `holds`."""
        alike = self._with_call(step)
        done = (cell for cell in alike if not cell.gone and cell.step.action == step.action and holds(cell.step.id))
        return min(done, key=lambda cell: (cell.until, cell.place), default=None)

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


class OpenSteps:
    """Open steps by what they do. Only those with a new step's action and tool are ever looked at more closely."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._seen = 0
        self._alike: dict[tuple[str, str], _Alike] = {}

    def like(self, action: str, tool: str) -> Iterator[Cell]:
        """The open steps with this action and tool."""
        self._catch_up()
        alike = self._alike.get((action, tool))
        return alike.open() if alike is not None else iter(())

    def calling(self, action: str, tool: str, args: bytes) -> Iterator[Cell]:
        """The open steps with this action, tool and args."""
        self._catch_up()
        alike = self._alike.get((action, tool))
        return alike.with_args(args) if alike is not None else iter(())

    def _catch_up(self) -> None:
        ever = self._graph.ever
        for at in range(self._seen, len(ever)):
            cell = ever[at]
            if not _is_over(cell):
                self._alike.setdefault((cell.step.action, cell.step.tool_name), _Alike()).add(cell)
        self._seen = len(ever)


class _Alike:
    """Steps with one action and tool: in the order they came, and by their args once somebody asked."""

    def __init__(self) -> None:
        self._cells: deque[Cell] = deque()
        self._unread: list[Cell] = []
        self._by_args: dict[bytes, list[Cell]] = {}

    def add(self, cell: Cell) -> None:
        self._cells.append(cell)
        self._unread.append(cell)

    def open(self) -> Iterator[Cell]:
        while self._cells and _is_over(self._cells[0]):
            self._cells.popleft()
        return (cell for cell in self._cells if not cell.gone and cell.is_open)

    def with_args(self, args: bytes) -> Iterator[Cell]:
        for cell in self._unread:
            self._by_args.setdefault(exact(cell.step.args), []).append(cell)
        self._unread = []
        alike = self._by_args.get(args, [])
        alike[:] = (cell for cell in alike if not _is_over(cell))
        return (cell for cell in alike if cell.is_open)


def _is_over(cell: Cell) -> bool:
    """Whether a step will never be open again: one that is listed again is another cell."""
    return cell.gone or not (cell.is_open or cell.state is RUNNING)
