"""What a step is called with: its args, with what their references read in their place.

Most calls need none of this: args that hold no reference and nothing large are passed on as they are written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from replanctl.kinds import Health, Unreadable
from replanctl.live import Cell
from replanctl.plan import MOST_VALUES, Reference, references, size_of, too_bulky
from replanctl.run.state import SessionState

if TYPE_CHECKING:
    from replanctl.replan import Missing


class CallArgs(msgspec.Struct, frozen=True):
    """The `args` of a call and the `sources` they were read from. Where there is none to make, `missing` is the first
    reference that can't be read, or `bulky` says what the args have too much of."""

    args: dict[str, Any]
    sources: tuple[str, ...] = ()
    missing: Missing | None = None
    warnings: tuple[str, ...] = ()
    bulky: str = ""


def call_args(state: SessionState, cell: Cell) -> CallArgs:
    """Args that hold references, or much, as they are called now."""
    args = cell.step.args
    bulky = state.refused_args.get(id(args), "")  # the same args were too much before
    if not bulky and references.mentions(args):
        found = references.find(args, state.graph.known.read(cell.reading))
        size = size_of(args) + sum(state.variables.size(reference.step_id) for reference in found)
        if size > MOST_VALUES:  # else there is no need to count
            bulky = state.too_bulky(cell.step, state.graph.known.read(cell.reading))
        return CallArgs(args, bulky=bulky) if bulky else _read(state, cell, found)
    if not bulky and (bulky := too_bulky(args)):
        state.refused_args[id(args)] = bulky  # the graph keeps every step, so no others get this id
    return CallArgs(args, bulky=bulky)


def _read(state: SessionState, cell: Cell, found: tuple[Reference, ...]) -> CallArgs:
    """The args with what their references read; as they are written where one can't be read."""
    step = cell.step
    for reference in found:
        if stands := state.state(reference):
            return CallArgs(step.args, missing=_missing(reference, stands))
    sources = tuple(dict.fromkeys(reference.step_id for reference in found))
    health = state.variables.health
    warnings = tuple([f"step {step.id} reads E{id_}, which is stale" for id_ in sources if health(id_) is Health.STALE])
    if any(id_ not in state.variables for id_ in sources):
        cell.on_gaps = True
    return CallArgs(state.substituted(step, state.graph.known.read(cell.reading)), sources, None, warnings)


def _missing(reference: Reference, stands: Unreadable) -> Missing:
    from replanctl.replan import Missing

    return Missing(reference.text, reference.step_id, stands)
