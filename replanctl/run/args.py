"""What a step is called with: its args, with what their references read in their place.

Most calls need none of this: args that hold no reference and nothing large are passed on as they are written.
"""

from __future__ import annotations

from collections.abc import Container
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
        known = state.graph.known.read(cell.reading)
        found = references.find(args, known)
        size = size_of(args) + sum([state.variables.size(reference.step_id) for reference in found])
        if size > MOST_VALUES:  # else there is no need to count
            bulky = state.too_bulky(cell.step, known)
        return CallArgs(args, bulky=bulky) if bulky else _read(state, cell, found, known)
    if not bulky and (bulky := too_bulky(args)):
        state.refused_args[id(args)] = bulky  # the graph keeps every step, so no others get this id
    return CallArgs(args, bulky=bulky)


def _read(state: SessionState, cell: Cell, found: tuple[Reference, ...], known: Container[str]) -> CallArgs:
    """The args with what their references read; as they are written where one can't be read."""
    step, variables = cell.step, state.variables
    values: dict[str, Any] = {}  # what each reference reads, by its text, which says all of it
    for reference in found:
        if (stands := _value(state, reference, values)) is not None:
            return CallArgs(step.args, missing=_missing(reference, stands))
    sources = tuple(dict.fromkeys([reference.step_id for reference in found]))
    health = variables.health
    warnings = tuple([f"step {step.id} reads E{id_}, which is stale" for id_ in sources if health(id_) is Health.STALE])
    if any(id_ not in variables for id_ in sources):
        cell.on_gaps = True

    def inside(reference: Reference) -> str:
        if reference.step_id in variables:
            return references.in_text(values[reference.text])
        return f"[gap: E{reference.step_id}]"

    args = references.transform(step.args, known, lambda reference: values[reference.text], inside)
    return CallArgs(args, sources, None, warnings)


def _value(state: SessionState, reference: Reference, values: dict[str, Any]) -> Unreadable | None:
    """Put down what a reference reads; what stands in the way where it can't be read. A gap reads as null."""
    variable = state.variables.get(reference.step_id) if reference.known else None
    if variable is None or variable.health is Health.VOID:
        values[reference.text] = None
        return state.state(reference)
    try:
        values[reference.text] = references.follow(variable.value, reference.path)
    except LookupError:
        return Unreadable.NO_FIELD
    return None


def _missing(reference: Reference, stands: Unreadable) -> Missing:
    from replanctl.replan import Missing

    return Missing(reference.text, reference.step_id, stands)
