"""The keys of files and the types of events, with what their schemas say of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from replanctl.files import Role, file_schema
from replanctl.replan import GATE
from replanctl.run import Schema, event_schema

Facts = tuple[tuple[str, str], ...]

PLACES, TAKES = "where", "takes"
GATES = "policy.gates"  # whose keys are explained as gates
_ROLES = (Role.PLAN, Role.OUTCOMES, Role.POLICY)
# A scenario holds sections of the plan, and a draft steps: the same keys once more.
_AGAIN = ("scenarios.NAME.", "planner[].steps[].")


def keys() -> Iterator[tuple[str, str, Facts]]:
    """Every key of a plan, outcomes or policy file: the key, what it means, where it stands and what it takes.

    A key that means the same in several places is one entry; one that means several things is several.
    """
    found: dict[tuple[str, str, str], list[str]] = {}
    for place, schema in _properties():
        word = place.rpartition(".")[2].removesuffix("[]")
        found.setdefault((word, str(schema.get("description", "")), takes(schema)), []).append(place)
    for (word, text, takes_), places in found.items():
        where = (PLACES, ", ".join(places))
        yield word, text, (where, (TAKES, takes_)) if takes_ else (where,)


def _properties() -> Iterator[tuple[str, Schema]]:
    seen: set[str] = set()
    for role in _ROLES:
        for place, schema in properties(file_schema(role)):
            if place not in seen and not _is_said_elsewhere(place):
                seen.add(place)
                yield place, schema


def _is_said_elsewhere(place: str) -> bool:
    above, _, word = place.rpartition(".")
    if above == GATES:
        return word in GATE
    return place.startswith(_AGAIN) and word != "replaces"


def properties(schema: Any, above: str = "") -> Iterator[tuple[str, Schema]]:
    """Every property of a schema, at any depth, with its path: `tools.NAME.timeout`, `steps[].id`."""
    if not isinstance(schema, dict):
        return
    for name, part in schema.get("properties", {}).items():
        place = f"{above}.{name}" if above else name
        yield place, part
        yield from properties(part, place)
    yield from properties(schema.get("items"), f"{above}[]")
    yield from properties(schema.get("additionalProperties"), f"{above}.NAME")
    for part in schema.get("anyOf", ()):
        yield from properties(part, above)


def events() -> Iterator[tuple[str, str, Facts]]:
    """Every type of event: what it says, and its fields, those that all events have left out."""
    schema = event_schema()
    parts = [schema["$defs"][reference.rpartition("/")[2]] for reference in schema["discriminator"]["mapping"].values()]
    # What every event has is said once, where events are explained.
    common = set.intersection(*(set(part["properties"]) for part in parts))
    for part in parts:
        (type_,) = part["properties"]["type"]["enum"]
        fields = ((name, said) for name, said in part["properties"].items() if name not in common)
        yield type_, part["description"], tuple((name, field.get("description", "")) for name, field in fields)


def takes(schema: Schema) -> str:
    """What may stand behind a key, in a few words; empty where the description says it."""
    if "enum" in schema:
        return ", ".join("null" if word is None else str(word) for word in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(filter(None, map(takes, schema["anyOf"]))))
    return _TYPES.get(schema.get("type", ""), _nothing)(schema)


def _whole(schema: Schema) -> str:
    least = schema.get("minimum")
    return "a whole number" if least is None else f"a whole number from {least}"


def _nothing(schema: Schema) -> str:
    return ""


_TYPES: dict[str, Callable[[Schema], str]] = {
    "integer": _whole,
    "number": lambda schema: "a number",
    "string": lambda schema: "text",
    "boolean": lambda schema: "true or false",
    "null": lambda schema: "null",
    "array": lambda schema: "a list",
    "object": lambda schema: "a mapping",
}
