"""JSON Schemas made to hang or fill whatever holds a value against them, each in a plan; rows as in `bombs.py`."""

from __future__ import annotations

import json
from typing import Any

from tests.trust.bombs import RUN, Bomb, steps

NO_REPLAN = {"gates": {"max_replans": 0}}


def taken(schema: Any, value: Any = "x", **definitions: Any) -> str:
    """A plan with a tool whose argument `q` is under this schema, and a call of it."""
    tool = {"args": {"properties": {"q": schema}, "$defs": definitions}}
    step = {"id": 1, "tool": "t", "args": {"q": value}}
    return json.dumps({"goal": "g", "tools": {"t": tool}, "steps": [step], "policy": NO_REPLAN})


def given(schema: Any, *value: Any) -> str:
    """A plan with a step whose result is under this schema: this value, else a sample of the schema."""
    step = {"id": 1, "tool": "t", "produces": {"schema": schema}}
    plan: dict[str, Any] = {"goal": "g", "steps": [step], "policy": NO_REPLAN}
    outcomes = [{"returns": [{"status": "ok", "value": value[0]}]}] if value else []
    return json.dumps({**plan, "outcomes": outcomes})


def doubled(keyword: str) -> dict[str, Any]:
    """Definitions of a few lines each; `a0` is 2 to the power of 40 schemas when its references are followed."""
    each = {f"a{at}": {keyword: [{"$ref": f"#/$defs/a{at + 1}"}] * 2} for at in range(40)}
    return {**each, "a40": {"type": ["string", "object"]}}


def lists_of_a_hundred(levels: int) -> dict[str, Any]:
    """A schema of lists of lists of lists."""
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(levels):
        schema = {"type": "array", "minItems": 100, "items": schema}
    return schema


SCHEMAS = [
    Bomb("a pattern that backtracks", lambda: taken({"pattern": "^(a+)+$"}, "a" * 40 + "!"), RUN),
    Bomb(
        "a pattern that backtracks in a result",
        lambda: given({"pattern": "^(([a-z])+.)+[A-Z]([a-z])+$"}, "a" * 5000),
        RUN,
    ),
    Bomb("a pattern of twenty stars", lambda: taken({"pattern": "a*" * 20 + "b$"}, "a" * 3000), RUN, 2),
    Bomb(
        "a name that backtracks",
        lambda: taken(
            {"patternProperties": {"^(a|aa)+$": {}}, "additionalProperties": False},
            {"a" * 50 + "!": 1},
        ),
        RUN,
    ),
    Bomb("a text too long for its pattern", lambda: taken({"pattern": "(a|b)*a(a|b){900}c"}, "ab" * 50_000), RUN, 3),
    Bomb("a pattern of a million letters", lambda: taken({"pattern": "a|" * 500_000}), "bad-schema"),
    Bomb("a pattern repeated a million times", lambda: taken({"pattern": "(?:a{1000}){1000}"}), "bad-schema"),
    Bomb("a pattern that overflows", lambda: taken({"pattern": "a{99999999999}"}), "bad-schema"),
    Bomb("a pattern of 400 brackets", lambda: taken({"pattern": "(" * 400 + ")" * 400}), RUN),
    Bomb("a pattern that looks behind", lambda: taken({"pattern": "(?<=(a+)+)b"}), "bad-schema"),
    Bomb("a schema that is itself", lambda: given({"$ref": "#"}), "bad-schema"),
    Bomb(
        "two schemas that are each other",
        lambda: given({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}),
        "bad-schema",
    ),
    Bomb("a schema of any of itself", lambda: given({"anyOf": [{"$ref": "#"}, {"$ref": "#"}]}), "bad-schema"),
    Bomb("a schema that meets itself in a value", lambda: taken({"$ref": "#/properties/q"}), RUN),
    Bomb(
        "2^40 schemas, all of them", lambda: given({"$ref": "#/$defs/a0", "$defs": doubled("allOf")}), "bad-schema", 2
    ),
    Bomb(
        "2^40 schemas, one of them", lambda: given({"$ref": "#/$defs/a0", "$defs": doubled("oneOf")}), "bad-schema", 2
    ),
    Bomb("2^40 schemas, any of them", lambda: taken({"$ref": "#/$defs/a0"}, 5, **doubled("anyOf")), RUN, 5, 250),
    Bomb("2^40 schemas below a name", lambda: taken({"$ref": "#/$defs/a0"}, **doubled("allOf")), RUN, 2),
    Bomb("a sample of 100^8 texts", lambda: given(lists_of_a_hundred(8)), RUN, 2),
    Bomb("a sample of a gigabyte", lambda: given({"type": "string", "minLength": 10**9}), RUN),
    Bomb("a sample beyond numbers", lambda: given({"type": "number", "minimum": 1e308, "multipleOf": 5e-324}), RUN),
    Bomb("5,000 different mappings", lambda: given({"uniqueItems": True}, [{"a": at} for at in range(5000)]), RUN, 2),
    Bomb(
        "2,000 mappings among 2,000 others",
        lambda: given(
            {"items": {"enum": [{"a": at} for at in range(2000)]}},
            [{"b": at} for at in range(2000)],
        ),
        RUN,
        3,
    ),
    Bomb(
        "a schema of 5,000 parts",
        lambda: given({"properties": {f"k{at}": {"type": "string"} for at in range(5000)}}),
        "bad-schema",
    ),
    Bomb("1,000 steps with one schema", lambda: steps(1000, lambda at: "produces: {schema: {type: string}}"), RUN, 2),
    Bomb("a schema in /etc", lambda: taken({"$ref": "file:///etc/hostname"}), "bad-schema"),
    Bomb("a schema in /etc by its id", lambda: given({"$id": "file:///etc/", "$ref": "hostname"}), "bad-schema"),
    Bomb("an id that is no address", lambda: given({"$id": "http://[", "$ref": "x"}), "bad-schema"),
    Bomb("a dialect that is a number", lambda: given({"$schema": 5}), "bad-schema"),
    Bomb("a dialect from the net", lambda: given({"$schema": "http://127.0.0.1:9/x"}, "x"), RUN),
]
