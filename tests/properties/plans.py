"""Random plans: a handful of steps that read each other's results, not always correctly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from replanctl.plan.model import Alternative, Granularity, OnFailure, Plan, Step, Tool
from tests.properties.dice import Dice

TOOLS = ("fetch", "parse", "write", "check")
PREMISES = ("open", "priced", "stable")
GOALS = ("compare the vendors", "compare them yearly", "write it up")
SCHEMA = {"type": "object", "required": ["q"]}

# Ids that a careless parser mixes up: prefixes of each other, hyphens, a number at the end or none.
ID_FAMILIES = (
    tuple(str(number) for number in range(1, 17)),
    tuple(f"s{number}" for number in range(1, 17)),
    ("1", "10", "1-1", "11", "2", "21", "1_1", "01", "100", "1-", "2-1", "0", "1-10", "x", "9_", "99"),
    ("a", "b", "ab", "a-b", "a1", "A", "b-2", "c", "E1", "a-", "ab-b", "B", "a-b-c", "x" * 64, "E", "1"),
)
PRODUCES: tuple[dict[str, Any] | None, ...] = (
    None,
    {"rows": "list"},
    {"rows": "list?", "price": "float"},
    {"price": "any"},
    {"schema": {"type": "object", "required": ["rows"], "properties": {"rows": {"type": "array"}}}},
)
_PATHS = {None: ("",), "list": (".rows", ".rows[0]", '["rows"]'), "any": (".price",)}
_LOST_PATHS = (".row", ".prices", "[3]", ".rows[7]", ".rows.price")
_LOST_IDS = ("12", "s10", "zz", "404")


def plan(dice: Dice) -> Plan:
    """A plan of one to sixteen steps, mostly a handful."""
    names = dice.pick(ID_FAMILIES)[: 1 + dice.roll(5 if dice.chance(60) else 9 if dice.chance(85) else 16)]
    tools = {name: _tool(dice, name) for name in TOOLS} if dice.chance(60) else None
    premises = dict.fromkeys(PREMISES, "") if dice.chance(30) else None
    steps: dict[str, Step] = {}
    for id_ in _order(dice, names):
        steps[id_] = with_args(dice, _step(dice, id_, tuple(steps)), steps, names)
    return Plan.of(GOALS[0], [steps[id_] for id_ in names], assumptions=premises, tools=tools)


def _order(dice: Dice, names: Sequence[str]) -> list[str]:
    """The order in which steps may rest on each other: mostly the list's."""
    order = list(names)
    if dice.chance(15):
        for place in range(len(order) - 1, 0, -1):
            other = dice.roll(place + 1)
            order[place], order[other] = order[other], order[place]
    return order


def _tool(dice: Dice, name: str) -> Tool:
    return Tool(
        args=SCHEMA if dice.chance(5) else None,
        idempotent=not dice.chance(15),
        fallback=tuple(other for other in dice.some(TOOLS, 2) if other != name) if dice.chance(40) else (),
        timeout=dice.pick((30.0, 2.0, 0.5)),
    )


def _step(dice: Dice, id_: str, earlier: Sequence[str]) -> Step:
    depends_on = tuple(earlier[-1:]) if dice.chance(40) else dice.some(earlier, 2)
    return Step(
        id_,
        dice.pick(TOOLS),
        action=dice.pick(("look it up", "add it up", "write it up")) if dice.chance(60) else "",
        expected_outcome="a number" if dice.chance(10) else None,
        depends_on=depends_on,
        produces=dice.pick(PRODUCES) if dice.chance(60) else None,
        assumes=dice.some(PREMISES, 3) if dice.chance(60) else (),
        on_failure=dice.pick((None, OnFailure.REPLAN, *OnFailure)) if dice.chance(40) else None,
        alternatives=_alternatives(dice) if dice.chance(12) else (),
        granularity=dice.pick(tuple(Granularity)) if dice.chance(5) else None,
        required=dice.chance(6),
    )


def _alternatives(dice: Dice) -> tuple[Alternative, ...]:
    return tuple(
        Alternative(
            dice.pick((None, *TOOLS)),
            {"q": "another way"} if dice.chance(40) else None,
            "another way" if dice.chance(40) else None,
        )
        for _ in range(dice.between(1, 2))
    )


def with_args(dice: Dice, step: Step, steps: Mapping[str, Step], names: Sequence[str]) -> Step:
    """The step with args that read what it depends on, now and then any of the names."""
    args: dict[str, Any] = {"q": dice.pick(("x", "y", step.id))} if dice.chance(70) else {}
    for place in range(dice.between(0, 2)):
        if text := _reference(dice, step, steps, names):
            args[f"in{place}"] = dice.pick((text, f"see {text}!", [text], {"deep": [text, 1]}))
    return replace(step, args=args)


def _reference(dice: Dice, step: Step, steps: Mapping[str, Step], names: Sequence[str]) -> str:
    if dice.chance(7):
        return dice.pick(("##E1", *(f"#E{id_}" for id_ in _LOST_IDS)))
    if dice.chance(8) or (not step.depends_on and dice.chance(15)):
        return f"#E{dice.pick(names)}"
    if not step.depends_on:
        return ""
    id_ = dice.pick(step.depends_on)
    paths = _LOST_PATHS if dice.chance(5) else _paths(steps[id_]) if id_ in steps else ("",)
    return f"#E{id_}{dice.pick(paths)}"


def _paths(step: Step) -> tuple[str, ...]:
    produces = step.produces or {}
    if "rows" in produces or "schema" in produces:
        return ("", *_PATHS["list"])
    return ("", *_PATHS["any"]) if "price" in produces else ("",)
