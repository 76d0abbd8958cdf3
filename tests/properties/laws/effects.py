"""What a session does to the world: told as it was, and done once."""

from __future__ import annotations

import re
from collections.abc import Iterator

from replanctl.plan.data import exact
from replanctl.run.events import StepEnd, StepSettled, StepStart
from replanctl.run.tools import Call, Outcome
from tests.properties.laws.facts import tool
from tests.properties.laws.results import COMPLETED, in_doubt
from tests.properties.once import DID_NOT_ACT, OnceOnly
from tests.properties.run import Run

_ACTED = ("ok", "shape", "empty", "semantic", "lost")
_NOT_MADE = re.compile(r"(taken from step (.+): .* acts only once|not made again: .* step (.+)'s call (.*))")


def effects_are_what_the_tools_did(run: Run) -> Iterator[str]:
    """A row for each call that took effect, heard or not: of once-only tools always, of others from the second on."""
    times: dict[tuple[str, bytes], int] = {}
    for _, call, outcome in run.calls:
        if outcome.status in _ACTED:
            key = call.tool, exact(call.args)
            times[key] = times.get(key, 0) + 1
    expected = [(*key, n) for key, n in times.items() if n > 1 or not tool(run, key[0]).idempotent]
    told = [(row.tool, exact(row.args), row.times) for row in run.result.effects]
    if told != expected:
        yield f"the effects are {told}, and the tools did {expected}"


def no_call_that_acts_is_made_twice(run: Run) -> Iterator[str]:
    """Once a call acted, or may have, nothing makes it again but another step that v1 itself lists with it, unless a
    person says that it did not happen."""
    made: dict[tuple[str, bytes], list[tuple[str, bool, int]]] = {}
    listed = _as_v1_lists_them(run) if any(not t.idempotent for t in (run.rehearsal.plan.tools or {}).values()) else []
    undone = {e.began + 1: e.seq for e in run.events if type(e) is StepSettled and e.how == "again"}
    for at, call, outcome in run.calls if listed else ():
        if not tool(run, call.tool).idempotent:
            root, original = call.lineage[0], call.step_id in listed[at]
            before = made.setdefault((call.tool, exact(call.args)), [])
            standing = [(other, first) for other, first, when in before if undone.get(when, at) >= at]
            if any(root == other or not (original and first) for other, first in standing):
                yield f"step {call.step_id} makes a call of {call.tool} at event {at} that was made before"
            if _may_have_acted(call, outcome):
                before.append((root, original, at))


def _may_have_acted(call: Call, outcome: Outcome) -> bool:
    return outcome.latency > call.timeout or outcome.status not in DID_NOT_ACT


def _as_v1_lists_them(run: Run) -> list[frozenset[str]]:
    """Before each event, and behind the last, the steps that stand as v1 has them."""
    seen, found = OnceOnly(run), [frozenset[str]()]
    for place, moment in enumerate(run.moments):
        seen.see(place, moment)
        found.append(frozenset(seen.original))
    return found


def what_is_not_made_again_was_made(run: Run) -> Iterator[str]:
    """A step that makes no call names one whose call stands for it, and does with its answer what it must."""
    seen = OnceOnly(run)
    started: dict[str, StepStart] = {}
    for place, moment in enumerate(run.moments):
        event = moment.event
        if type(event) is StepStart:
            started[event.step_id] = event
        elif type(event) is StepEnd and not event.attempts and event.step_id in started:
            said = _NOT_MADE.fullmatch("; ".join(event.warnings) or (event.error.error_msg if event.error else ""))
            step, args = moment.before.steps[event.step_id], started[event.step_id].args
            acted = seen.stands(step.tool_name, args, step, moment.before.line(step.id)[0])
            if acted is None and said:
                yield f"step {event.step_id} says {said[0]!r}, and may call {step.tool_name}"
            elif said and acted is not None:
                happened = "may have" if not acted.answered else "took effect"
                if (said[2] or said[3], said[4] or happened) != (acted.step_id, happened):
                    yield f"step {event.step_id} says {said[0]!r}, and what stands is {acted}"
                if event.state == "done" and (not acted.will_do(step) or event.value != acted.value):
                    yield f"step {event.step_id} takes {event.value}, and what stands is {acted}"
        seen.see(place, moment)


def a_session_in_doubt_never_completes(run: Run) -> Iterator[str]:
    """While a call may have happened that is made once, and nobody has said whether it did."""
    if run.end.reason in COMPLETED and (doubts := in_doubt(run)):
        yield f"the session ends with {run.end.reason}, and nobody knows of {doubts}"


EFFECTS = (
    effects_are_what_the_tools_did,
    no_call_that_acts_is_made_twice,
    what_is_not_made_again_was_made,
    a_session_in_doubt_never_completes,
)
