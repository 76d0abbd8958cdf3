"""What only shows when a plan's parts are held against each other: ids, dependencies, names, references."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from replanctl.files.faults import At, Names, raw_id
from replanctl.files.shapes import shown
from replanctl.files.words import known_tool
from replanctl.plan import (
    SIGNS,
    Reference,
    Step,
    parse,
    step_id,
    strings,
)

if TYPE_CHECKING:
    from replanctl.plan import Foreign

# A first look at every text of every step; few texts get a second one.
_SIGN = re.compile(rf"#E|{SIGNS.pattern}")
_SHOWN = 12  # steps of a cycle that are printed


def check_ids(items: list[Any], names: Names, at: At) -> None:
    """No two steps have the same id."""
    for index, item in enumerate(items):
        id_ = raw_id(item)
        if id_ is not None and names.ids[id_] != index:
            first = at[names.ids[id_]]["id"].path
            at[index]["id"].error(
                "duplicate-id", f"two steps have the id {id_}", "give one of them another id", also=first
            )


def check_steps(raw: list[Any], steps: list[Any], names: Names, at: At) -> None:
    """Dependencies and references of every step that could be read; the tools of those that were read at once."""
    # Where no step depends on a later one there can be no cycle, and most plans are written in that order.
    needs, forward = _needs(raw, steps, names, at)
    found = _report_cycles(needs, steps, at) if forward else False
    reads: list[tuple[int, int, At, Reference]] = []
    tools = names.tools
    for index, step in enumerate(steps):
        if step.__class__ is Step:
            if tools is not None and step.tool_name not in tools:
                known_tool(step.tool_name, at[index]["tool"])
            if step.alternatives or _signs(step.args):
                reads.extend(_references(step, index, names, at[index]))
    # What depends on what, directly or not, means nothing in a plan that goes round in circles.
    if not found and reads:
        from replanctl.plan import uncovered

        open_ = uncovered(needs, [(step, other) for step, other, _, _ in reads])
        for index, other, place, reference in reads:
            if (index, other) in open_:
                _hidden(steps[index], reference, place)


def _needs(raw: list[Any], steps: list[Any], names: Names, at: At) -> tuple[list[tuple[int, ...]], bool]:
    """The positions each step depends on, and whether any stands after the step itself. Unknown ids are noted."""
    needs: list[tuple[int, ...]] = []
    forward = False
    position = names.ids.get
    for index, step in enumerate(steps):
        # A step in which something is wrong still waits for the one before it: one fault should not bring others.
        if step.__class__ is not Step or step.depends_on is None:
            needs.append((index - 1,) if index else ())
            if step.__class__ is not Step:
                _known_needs(raw[index], _unread(raw[index]), names, at[index])
            continue
        found = [position(id_, -1) for id_ in step.depends_on]
        if found and (max(found) >= index or min(found) < 0):
            forward = True
            found = _known_needs(raw[index], step.depends_on, names, at[index])
        needs.append(tuple(found))
    return needs, forward


def _unread(raw: Any) -> Iterator[str]:
    """The ids that a step depends on in which something else is wrong."""
    written = raw.get("depends_on") if isinstance(raw, dict) else None
    for item in written if isinstance(written, list) else [written]:
        with suppress(ValueError):
            yield step_id(item)


def _known_needs(raw: Any, ids: Iterable[str], names: Names, at: At) -> list[int]:
    """The positions of these dependencies of a step; those that no step is are noted."""
    written = raw.get("depends_on") if isinstance(raw, dict) else ids
    places = {str(item): index for index, item in enumerate(written if isinstance(written, list | tuple) else ())}
    id_ = raw_id(raw)
    who = "this step" if id_ is None else f"step {shown(id_)}"
    found: list[int] = []
    for need in ids:
        if need in names.ids:
            found.append(names.ids[need])
        else:
            why = f"{who} depends on {need}, which no step is"
            at["depends_on"][places.get(need, 0)].error("unknown-dependency", why, at.nearest(need, names.ids))
    return found


def _report_cycles(needs: list[tuple[int, ...]], steps: list[Any], at: At) -> bool:
    from replanctl.plan import cycles

    found = cycles(needs)
    for path in found:
        # Told from the step that stands first in the file, where whoever looks for it begins to read.
        first = path.index(min(path))
        turned = [steps[index].id for index in path[first:] + path[:first] if steps[index].__class__ is Step]
        if len(turned) > _SHOWN:
            turned = [*turned[: _SHOWN - 2], f"… {len(turned) - _SHOWN + 1} more …", turned[-1]]
        shown = " → ".join([*turned, *turned[:1]])
        at[min(path)]["depends_on"].error(
            "cycle", f"steps wait for each other: {shown}", "take one of these dependencies out"
        )
    return bool(found)


def _references(step: Step, index: int, names: Names, at: At) -> Iterator[tuple[int, int, At, Reference]]:
    """The references of a step to other steps, with the place of the text.

    Those to nothing are noted, and so is what another system would read as a reference.
    """
    from replanctl.plan import foreign_references

    places = [(step.args, at["args"])]
    places += [(other.args, at["alternatives"][i]["args"]) for i, other in enumerate(step.alternatives) if other.args]
    for value, place in places:
        for text, where in _texts(value, place):
            for foreign in foreign_references(text, names.ids):
                _foreign(step, foreign, where)
            for piece in parse(text, names.ids):
                if isinstance(piece, Reference) and piece.known:
                    yield index, names.ids[piece.step_id], where, piece
                elif isinstance(piece, Reference):
                    _dangling(step, piece, names, where)


def _texts(value: Any, at: At) -> Iterator[tuple[str, At]]:
    if isinstance(value, str):
        if _SIGN.search(value):
            yield value, at
    elif isinstance(value, dict | list):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            if isinstance(item, str | dict | list):
                yield from _texts(item, at[key])


def _signs(args: dict[str, Any]) -> bool:
    """Whether there may be a reference in these args, of ours or of another system; cheap, for every step is asked."""
    for value in args.values():
        kind = value.__class__
        if kind is str:
            if _SIGN.search(value):
                return True
        elif (kind is list or kind is dict) and any(map(_SIGN.search, strings(value))):
            return True
    return False


def _foreign(step: Step, foreign: Foreign, at: At) -> None:
    at.warning(
        "foreign-reference",
        f"step {step.id} has the text {shown(foreign.text)}, which is no reference here and reaches its tool as it is",
        f'to read step {foreign.step_id}, write "{foreign.form}"',
    )


# A warning and no error: rehearsing how an agent gets over its planner's slip is what a rehearsal is for.
def _dangling(step: Step, reference: Reference, names: Names, at: At) -> None:
    hint = at.nearest(reference.step_id, names.ids) or 'a text that begins with #E is written "##E…"'
    at.warning("unknown-reference", f"step {step.id} reads {reference.text}, and no step is {reference.step_id}", hint)


def _hidden(step: Step, reference: Reference, at: At) -> None:
    if reference.step_id == step.id:
        at.warning(
            "hidden-dependency",
            f"step {step.id} reads its own result, {reference.text}",
            "read the result of a step before it",
        )
        return
    at.warning(
        "hidden-dependency",
        f"step {step.id} reads {reference.text} and does not depend on {reference.step_id}",
        f"add {reference.step_id} to its depends_on",
    )
