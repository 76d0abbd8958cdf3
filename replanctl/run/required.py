"""What a session must have done: the lineages of required steps, and those that the policy names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from replanctl.kinds import Health
from replanctl.live import DONE
from replanctl.plan import variable_name
from replanctl.run.policy import required_step
from replanctl.run.state import SessionState


def missing(state: SessionState) -> tuple[str, ...]:
    """The variables of required lineages that were not done, the policy's first. The plain loop requires no steps."""
    names = list(state.policy.solver.require)
    if not state.plain:
        names += map(variable_name, state.graph.required)
    if not names:
        return ()
    steps = (cell.step for cell in state.graph.ever)
    after = {step.replaces: step.id for step in steps if step.replaces is not None}
    found: dict[str, str] = {}  # by the step that the lineage ends with
    for name in names:
        line = _line(required_step(name), after)
        if not _was_done(line, state):
            found.setdefault(line[-1], name)
    return tuple(found.values())


def _line(id_: str, after: Mapping[str, str]) -> list[str]:
    """A step and those that stood for it, one after the other."""
    line = [id_]
    while (next_ := after.get(line[-1])) is not None:
        line.append(next_)
    return line


def _was_done(line: Sequence[str], state: SessionState) -> bool:
    """Whether its step is done, or what it last delivered still holds and nothing stands for it now."""
    cell = state.graph.cells.get(line[-1])
    if cell is not None:
        return cell.state is DONE
    delivered = [health for id_ in line if (health := state.variables.health(id_)) is not None]
    return bool(delivered) and delivered[-1] is not Health.VOID
