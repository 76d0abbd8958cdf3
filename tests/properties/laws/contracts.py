"""Results: what a step promised to produce is what it is held to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from jsonschema import Draft202012Validator

from replanctl.replan.signal import Status
from replanctl.run.events import StepEnd
from tests.properties.run import Run
from tests.properties.story import DONE

_TYPES: dict[str, Callable[[Any], bool]] = {
    "any": lambda value: True,
    "str": lambda value: type(value) is str,
    "int": lambda value: type(value) is int,
    "float": lambda value: type(value) in (int, float),
    "bool": lambda value: type(value) is bool,
    "list": lambda value: type(value) is list,
    "dict": lambda value: type(value) is dict,
}


def a_result_is_held_to_its_contract(run: Run) -> Iterator[str]:
    """A step is done exactly when its last call came in time, was ok, and returned what the step promised."""
    answers: dict[str, list[tuple[bool, Any]]] = {}
    for _, call, outcome in run.calls:
        fine = outcome.status is Status.OK and outcome.latency <= call.timeout
        answers.setdefault(call.step_id, []).append((fine, outcome.value))
    for moment in run.moments:
        event = moment.event
        if type(event) is StepEnd and event.attempts:
            fine, value = [answers[event.step_id].pop(0) for _ in event.attempts][-1]
            promised = moment.before.steps[event.step_id].produces
            cut = run.limits.max_seconds == event.at  # the time was up: what would have come did not
            if (event.state is DONE) is not (fine and keeps(promised, value)) and not cut:
                yield f"step {event.step_id} is {event.state}, and returned {value!r} for {promised}"
            if event.state is DONE and event.value is not value:
                yield f"step {event.step_id} returned {value!r}, and its result is {event.value!r}"


def keeps(promised: dict[str, Any] | None, value: Any) -> bool:
    """Whether a value has every field with its type: null and empty only where that is allowed."""
    if not promised:
        return True
    if isinstance(promised.get("schema"), dict):
        return bool(Draft202012Validator(promised["schema"]).is_valid(value))
    return isinstance(value, dict) and all(_fits(value, field, type_) for field, type_ in promised.items())


def _fits(value: dict[str, Any], field: str, type_: str) -> bool:
    if field not in value:
        return False
    held, name = value[field], type_.removesuffix("?")
    if held is None or held in ("", [], {}):
        return name != type_ and (held is None or _TYPES[name](held))
    return _TYPES[name](held)


CONTRACTS = (a_result_is_held_to_its_contract,)
