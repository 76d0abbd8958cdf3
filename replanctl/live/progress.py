"""Whether a draft does anything about its failure: the same call again, with nothing changed before it, does not."""

from __future__ import annotations

from replanctl.live.cells import DONE, Cell
from replanctl.live.draft import Proposal
from replanctl.live.graph import Graph
from replanctl.plan import Step, references, same_args


# A warning and no refusal: the world may have changed meanwhile, which no plan can show, and the breaker counts the
# failure if it comes back.
def no_progress(proposal: Proposal, graph: Graph, failed: Cell) -> str:
    """A warning where the step for the failed one makes the same call, and what it waits for is as it was; else
    nothing."""
    step = next((s for s in proposal.steps if proposal.before.get(s.id) is failed.step), None)
    # Most are told apart at a glance: another tool is another call, and where the very same args wait for what is done
    # already, nothing has changed.
    if step is None or step.tool_name != failed.step.tool_name:
        return ""
    if not (_is_left_alone(step, failed.step, graph) or _Compared(proposal, graph).is_the_same(step, failed.step)):
        return ""
    of = "" if step.id == failed.step.id else f" as step {failed.step.id}"
    return f"no-progress: step {step.id} makes the same call{of} again"


def _is_left_alone(step: Step, old: Step, graph: Graph) -> bool:
    """Whether a step has args without references, and waits for the same steps, which are done."""
    if step.depends_on != old.depends_on or step.args is not old.args or references.mentions(step.args):
        return False
    cells = [graph.cells.get(id_) for id_ in step.depends_on or ()]
    return all(cell is not None and cell.state is DONE for cell in cells)


class _Compared:
    """Steps of a draft beside those they stand for: what a reference names and what stands for that are the same."""

    def __init__(self, proposal: Proposal, graph: Graph) -> None:
        self._graph, self._before = graph, proposal.before
        self._steps = {step.id: step for step in proposal.steps}
        self._successors = {old.id: id_ for id_, old in proposal.before.items()}

    def is_the_same(self, step: Step, old: Step) -> bool:
        """Whether a step, and every step it waits for, directly or not, makes the call that was made before."""
        waits = [(step, old)]
        seen: set[str] = set()
        while waits:
            new, before = waits.pop()
            if not self._alike(new, before):
                return False
            for id_ in new.depends_on or ():
                if id_ not in seen:
                    seen.add(id_)
                    if (changed := self._steps.get(id_)) is None:
                        if not self._stands(id_):
                            return False
                    elif (was := self._before.get(id_)) is None:
                        return False
                    else:
                        waits.append((changed, was))
        return True

    def _alike(self, new: Step, old: Step) -> bool:
        """Whether these are one call behind the same steps, or behind fewer: less to wait for changes nothing."""
        depends_on = {self._successors.get(id_, id_) for id_ in old.depends_on or ()}
        return (
            new.tool_name == old.tool_name
            and set(new.depends_on or ()) <= depends_on
            and same_args(new.args, references.rename(old.args, self._graph.known, self._successors))
        )

    def _stands(self, id_: str) -> bool:
        """Whether a step that is waited for and not in the draft had been done already."""
        cell = self._graph.cells.get(id_)
        return cell is not None and cell.state is DONE
