"""What of a step may hold references: its args, and those of its other ways to do it.

An alternative is read when its turn comes, which may be many versions later. Until then it follows what the step's own
args follow; otherwise it would name a step that went long ago.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from typing import Any

import msgspec

from replanctl.plan import references
from replanctl.plan.model import Step


def texts_of(step: Step) -> Iterator[dict[str, Any]]:
    """The step's own args, then those of its alternatives that have some."""
    yield step.args
    yield from (way.args for way in step.alternatives if way.args)


def references_in(step: Step, known: Container[str]) -> tuple[references.Reference, ...]:
    """Every reference in all its texts, in reading order."""
    return references.find(list(texts_of(step)) if step.alternatives else step.args, known)


def may_refer(step: Step) -> bool:
    """Whether any of its texts may hold a reference (or an escaped one); cheap."""
    if references.mentions(step.args):
        return True
    return bool(step.alternatives) and any(map(references.mentions, texts_of(step)))


def renamed(step: Step, known: Container[str], names: Mapping[str, str]) -> Step:
    """The step with the references in all its texts renamed, as `references.rename` does it of an older text. None of
    them comes to mean a step by a name that another one of them is given."""
    if not may_refer(step):
        return step
    given = {names[found.step_id] for found in references_in(step, known) if found.step_id in names}

    def anew(args: dict[str, Any] | None) -> Any:
        return references.rename(args, known, names, escape=given) if args else args

    ways = tuple(msgspec.structs.replace(way, args=anew(way.args)) for way in step.alternatives)
    return msgspec.structs.replace(step, args=anew(step.args), alternatives=ways)
