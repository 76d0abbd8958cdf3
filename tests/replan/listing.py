"""Plans, drafts and versions told in short lines, so that a test can compare the whole of them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from replanctl.plan.model import Step
from replanctl.run.events import Event, PlanDraft, PlanRejected
from replanctl.run.result import SessionResult, StepView


def told(step: Step | StepView) -> str:
    """`6 sum “total” {"of":"#E3"} after 1,3 instead of 4 on p`; what there is nothing to say of is left out."""
    args = json.dumps(step.args, separators=(",", ":"), ensure_ascii=False) if step.args else ""
    words = (
        f"{step.id} {step.tool} “{step.action}”",
        args,
        f"after {','.join(step.depends_on or ())}" if step.depends_on else "",
        f"instead of {step.replaces}" if step.replaces else "",
        f"on {','.join(step.assumes)}" if step.assumes else "",
    )
    return " ".join(filter(None, words))


def version(result: SessionResult, number: int = 0) -> list[str]:
    """Every step of a version (the last one) and the state it ended in."""
    return [f"{told(step)} – {step.state}" for step in result.versions[number - 1].steps]


def drafts(events: Iterable[Event]) -> list[PlanDraft]:
    """What replanners answered."""
    return [event for event in events if isinstance(event, PlanDraft)]


def draft(events: Iterable[Event]) -> list[str]:
    """The steps of the last answer."""
    return [told(step) for step in drafts(events)[-1].steps]


def refusals(events: Iterable[Event]) -> list[tuple[str, ...]]:
    """The reasons of every refused draft."""
    return [event.reasons for event in events if isinstance(event, PlanRejected)]


def changes(result: SessionResult) -> list[str]:
    """`v1→v2 tail assumption@3: -4,5 +6 ~3 >7` for each revision."""
    return [
        f"{r.from_}→{r.to} {r.granularity} {r.cause}:"
        + "".join(
            f" {mark}{','.join(ids)}"
            for mark, ids in (("-", r.removed), ("+", r.added), ("~", r.revised), (">", r.rewired))
            if ids
        )
        for r in result.revisions
    ]


def ending(result: SessionResult) -> tuple[str, str]:
    """The reason and its detail."""
    return result.reason, result.detail


def health(result: SessionResult) -> dict[str, Any]:
    """Each variable's health."""
    return {name: variable.health for name, variable in result.variables.items()}


def kinds(events: Iterable[Event]) -> list[str]:
    """The type of every event, in order."""
    return [str(event.__struct_config__.tag) for event in events]
