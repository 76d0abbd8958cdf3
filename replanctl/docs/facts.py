"""What tables and schemas say of a word, so that no text has to say it again.

A rule, a gate, a reason, a status and a type of failure are rows of tables; the keys of files, the types of events and
the fields of results are drawn from schemas.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from replanctl.cost import CostModel
from replanctl.files import Role, file_schema
from replanctl.kinds import ErrorType, GateName, Reason, Status
from replanctl.replan import DEPTHS, ERROR_TYPES, GATE, GATES, RULE_NAMES, GateRow, Unit
from replanctl.run import Schema, event_schema, result_schema

Facts = tuple[tuple[str, str], ...]

PLACES, TAKES = "where", "takes"
GATE_KEYS = "policy.gates"  # explained as gates
_ROLES = (Role.PLAN, Role.OUTCOMES, Role.POLICY)
# A scenario holds sections of the plan, and a draft steps: the same keys once more.
_AGAIN = ("scenarios.NAME.", "planner[].steps[].")

# The page on what a key is for, by how its place begins; the first that fits counts.
_PAGES = (
    ("outcomes", "outcomes"),
    ("interruptions", "outcomes"),
    ("scenarios", "outcomes"),
    ("planner", "replanning"),
    ("policy.retry", "executing"),
    ("policy.max_parallel", "executing"),
    ("policy.routing", "routing"),
    ("policy.gates", "gates"),
    ("policy.lessons", "health"),
    ("policy.coefficients", "cost"),
    ("policy.", "going-on"),
    ("expect", "testing"),
    ("recorded", "import"),
    ("", "plan-file"),
)


class Drawn(NamedTuple):
    """A word, and what a schema says of it; `page` is the one that says more."""

    word: str
    text: str
    facts: Facts
    page: str


def keys() -> Iterator[Drawn]:
    """Every key of a plan, outcomes or policy file: the key, what it means, where it stands and what it takes.

    A key that means the same in several places is one entry; one that means several things is several.
    """
    found: dict[tuple[str, str, str], list[str]] = {}
    for place, schema in _properties():
        word = place.rpartition(".")[2].removesuffix("[]")
        found.setdefault((word, str(schema.get("description", "")), takes(schema)), []).append(place)
    for (word, text, takes_), places in found.items():
        where = (PLACES, ", ".join(places))
        page = next(page for begins, page in _PAGES if places[0].startswith(begins))
        yield Drawn(word, text, (where, (TAKES, takes_)) if takes_ else (where,), page)


def _properties() -> Iterator[tuple[str, Schema]]:
    seen: set[str] = set()
    for role in _ROLES:
        for place, schema in properties(file_schema(role)):
            if place not in seen and not _is_said_elsewhere(place):
                seen.add(place)
                yield place, schema


def _is_said_elsewhere(place: str) -> bool:
    above, _, word = place.rpartition(".")
    if above == GATE_KEYS:
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


def events() -> Iterator[Drawn]:
    """Every type of event: what it says, and its fields, those that all events have left out."""
    schema = event_schema()
    parts = [schema["$defs"][reference.rpartition("/")[2]] for reference in schema["discriminator"]["mapping"].values()]
    # What every event has is said once, where events are explained.
    common = set.intersection(*(set(part["properties"]) for part in parts))
    for part in parts:
        (type_,) = part["properties"]["type"]["enum"]
        fields = ((name, said) for name, said in part["properties"].items() if name not in common)
        facts = tuple((name, field.get("description", "")) for name, field in fields)
        yield Drawn(type_, part.get("description", ""), facts, "result")


def fields() -> Iterator[Drawn]:
    """Every field of a result and of an event; one that means the same in several places is one entry."""
    found: dict[tuple[str, str], list[str]] = {}
    for place, name, text in (*_of_result(), *_of_events()):
        found.setdefault((name, text), []).append(place)
    types = len(event_schema()["anyOf"])
    for (name, text), places in found.items():
        yield Drawn(name, text, ((PLACES, ", ".join(_told(places, types))),), "result")


def _told(places: list[str], types: int) -> list[str]:
    """The places of a field, each once; all types of events are told as such."""
    inside = [place for place in dict.fromkeys(places) if not place.startswith("event ")]
    of_events = [place for place in dict.fromkeys(places) if place.startswith("event ")]
    return [*inside, *(["every event"] if len(of_events) == types else of_events)]


def _of_result() -> Iterator[tuple[str, str, str]]:
    schema = result_schema()
    yield from _below(schema, schema["$defs"], "")


def _below(schema: Any, parts: Schema, above: str) -> Iterator[tuple[str, str, str]]:
    """Every field of a part and of the parts it is made of, as a path: `versions[].steps[].state`."""
    if not isinstance(schema, dict):
        return
    if "$ref" in schema:
        yield from _below(parts[schema["$ref"].rpartition("/")[2]], parts, above)
    for name, field in schema.get("properties", {}).items():
        place = f"{above}.{name}" if above else name
        yield place, name, field.get("description", "")
        yield from _below(field, parts, place)
    yield from _below(schema.get("items"), parts, f"{above}[]")
    yield from _below(schema.get("additionalProperties"), parts, f"{above}.NAME")
    for each in schema.get("anyOf", ()):
        yield from _below(each, parts, above)


def _of_events() -> Iterator[tuple[str, str, str]]:
    schema = event_schema()
    for type_, reference in schema["discriminator"]["mapping"].items():
        for name, field in schema["$defs"][reference.rpartition("/")[2]]["properties"].items():
            yield f"event {type_}", name, field.get("description", "")


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


# -- rows of tables ----------------------------------------------------------------------------------------------------

_STEPS = 1  # of some plan, for a default that is the same for all
_MORE = {"more": "N", "tokens": "TOKENS", "steps": "N"}  # what a hand-over would work out from the run


def rule_facts(rule: str) -> Facts:
    """Where a routing rule stands in the table, and how deep it cuts."""
    place = f"{RULE_NAMES.index(rule) + 1} of {len(RULE_NAMES)}, and the first that matches decides"
    return ("cuts", DEPTHS[rule].value if rule in DEPTHS else "as deep as was said"), ("asked", place)


def gate_facts(gate: str) -> Facts:
    """What a gate counts, when it is asked, what it is by default, and how to go on behind it."""
    row = GATE[GateName(gate)]
    return (
        ("counts", row.counts),
        ("asked", "; ".join(moment.value for moment in row.asked)),
        ("default", _default(row)),
        ("ends as", row.reason.value),
        ("go on", f"replanctl resume RUN {row.raises.format(**_MORE)}"),
    )


def _default(row: GateRow) -> str:
    # A default may depend on the plan, and there is none here: then the rule is said, and else the number.
    limit = row.default(_STEPS, CostModel())
    said = "no limit" if limit is None else f"{limit:,}{' tokens' if row.unit is Unit.TOKENS else ''}"
    return row.rule or said


def reason_facts(reason: str) -> Facts:
    """Whether a reason is a success, and the gate that gives it."""
    gate = next((row.name.value for row in GATES if row.reason == reason), "")
    ended: Facts = () if reason == Reason.INTERRUPTED else (("session", Reason(reason).ending.value),)
    return (*ended, ("gate", gate)) if gate else ended


def status_facts(status: str) -> Facts:
    """What type of failure a status makes, and whether the tool had acted by then."""
    found = Status(status)
    kind = ERROR_TYPES.get(found)
    acted = "yes" if found.took_effect else "nobody can tell" if found.may_have_acted else "no"
    return (*([("failure", kind.value)] if kind else []), ("acted", acted))


def error_type_facts(error_type: str) -> Facts:
    """The statuses that make this type of failure."""
    statuses = [status.value for status, kind in ERROR_TYPES.items() if kind is ErrorType(error_type)]
    return (("statuses", ", ".join(statuses)),) if statuses else ()
