"""The template replanner: fixed templates for the three depths, enough to rehearse routing and gates."""

from __future__ import annotations

import re
from collections.abc import Collection, Container, Iterable, Mapping, Sequence

import msgspec

from replanctl.kinds import ErrorType, Granularity
from replanctl.live import Cell, Draft, Either, Graph
from replanctl.plan import Step, Tool, references, renamed
from replanctl.replan.mend import Mended, Standing, mend, misspelt_args, respelt
from replanctl.replan.signal import FailureSignal

MESSAGE_SHOWN = 20  # characters of the message that a work-around carries in its action
_PATCHED = re.compile(r" \(patch [0-9]+\)\Z")


def template(
    graph: Graph,
    granularity: Granularity,
    *,
    failed: Cell | None,
    signal: FailureSignal | None,
    scope: Sequence[Cell],
    tools: Mapping[str, Tool],
    standing: Standing,
    unmade: Collection[str] = (),
) -> Draft:
    """A draft for this failure (or, without one, for a changed goal).

    `scope` is what the granularity replaces; the failed step comes first, except in a global, where every step comes
    again in list order. `unmade` are the steps that the failed one reads and that had not run when it failed.
    """
    writer = _Template(graph, granularity, failed, signal, tools, standing, unmade)
    return writer.patch() if granularity is Granularity.PATCH else writer.anew(scope)


# The template is what a planner without ideas would do, and the same for the same failure: take the next way that the
# plan itself offers, else try again under a name that says so. It never invents work. That makes it a fair stand-in
# where routes, gates and costs are rehearsed, and no measure of what a model would plan.
class _Template:
    def __init__(
        self,
        graph: Graph,
        granularity: Granularity,
        failed: Cell | None,
        signal: FailureSignal | None,
        tools: Mapping[str, Tool],
        standing: Standing,
        unmade: Collection[str],
    ) -> None:
        self.graph, self.granularity, self.failed, self.signal = graph, granularity, failed, signal
        self.tools, self.standing, self.unmade = tools, standing, unmade

    def patch(self) -> Draft:
        """The failed step another way; a missing variable or a misspelt arg is only mended."""
        assert self.failed is not None
        if self._missing_var():
            mended = self._mended(self.failed.step)
            return Draft((_revision(mended.step),), warnings=mended.warnings, put_in=mended.put_in)
        if meant := self._misspelt(self.failed.step):
            step, warnings = respelt(self.failed.step, meant)
            return Draft((_revision(step),), warnings=warnings)
        step = self._other_way(self.failed, self.failed.step)
        number = self.graph.lineage(self.failed).patches + 1
        action = f"{_PATCHED.sub('', step.action)} (patch {number})"
        return Draft((_revision(msgspec.structs.replace(step, action=action)),))

    def anew(self, scope: Iterable[Cell]) -> Draft:
        """The failed step worked around, every other step of the scope once more under a new id."""
        scope = list(scope)
        everything = self.granularity is Granularity.GLOBAL
        fresh = self.graph.new_ids()
        names = {c.step.id: fresh.after(c.step.id) for c in scope if everything or c is not self.failed}
        steps: list[Step] = []
        warnings: tuple[str, ...] = ()
        put_in: tuple[str, ...] = ()
        for cell in scope:
            step = cell.step
            if cell is self.failed:
                mended = self._mended(self._work_around(cell))
                step, warnings = mended.step, mended.warnings
                put_in = mended.put_in
            known = self.graph.known.read(cell.reading)
            known = Either(known, put_in) if cell is self.failed and put_in else known
            steps.append(self._renamed(step, names, known))
        return Draft(tuple(steps), warnings=warnings, put_in=tuple(names.get(id_, id_) for id_ in put_in))

    def _work_around(self, cell: Cell) -> Step:
        """The next alternative under its own action, else a work-around of what was said."""
        assert self.signal is not None
        step = _alternative(cell.step) or cell.step
        if step is not cell.step and cell.step.alternatives[0].action:
            return step
        shown = references.shortened(self.signal.error_msg, MESSAGE_SHOWN)
        return msgspec.structs.replace(step, action=f"work around [{shown}]")

    def _misspelt(self, step: Step) -> dict[str, str]:
        """The args that a tool's schema refused for their names: no call was made."""
        signal, tool = self.signal, self.tools.get(step.tool_name)
        # A contract that broke is an assumption too, but then a call was made, and its args had been accepted.
        refused = signal is not None and signal.error_type is ErrorType.ASSUMPTION and not signal.attempted
        return misspelt_args(step.args, tool.args) if refused and tool is not None and tool.args is not None else {}

    def _mended(self, step: Step) -> Mended:
        return mend(step, self.graph, self.standing, self.unmade) if self._missing_var() else Mended(step, ())

    def _missing_var(self) -> bool:
        return self.signal is not None and self.signal.error_type is ErrorType.MISSING_VAR

    def _other_way(self, cell: Cell, step: Step) -> Step:
        """The next untried alternative, else the tool's next untried fallback, else the same tool."""
        if (way := _alternative(step)) is not None:
            return way
        tool = self.tools.get(step.tool_name, Tool())
        tried = self.graph.lineage(cell).tools
        fallback = next((name for name in tool.fallback if name not in tried), step.tool_name)
        return msgspec.structs.replace(step, tool_name=fallback)

    def _renamed(self, step: Step, names: dict[str, str], known: Container[str]) -> Step:
        new = names.get(step.id)
        # References to steps that are listed again follow them to their new ids; those to done work stay.
        return msgspec.structs.replace(
            renamed(step, known, names),
            id=new or step.id,
            depends_on=tuple([names.get(d, d) for d in step.depends_on or ()]),
            replaces=step.id if new else None,
        )


def _alternative(step: Step) -> Step | None:
    """The step done the next other way, with that way used up; None where there is none left."""
    if not step.alternatives:
        return None
    way, *rest = step.alternatives
    return msgspec.structs.replace(
        step,
        tool_name=way.tool or step.tool_name,
        args=step.args if way.args is None else way.args,
        action=way.action or step.action,
        alternatives=tuple(rest),
        # An alternative with args of its own no longer has the references that were mended away.
        gaps=step.gaps if way.args is None else (),
    )


def _revision(step: Step) -> Step:
    """A step under its own id; it keeps the memory of what it replaced."""
    return msgspec.structs.replace(step, replaces=None)
