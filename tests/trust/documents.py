"""Documents of every kind that the loader reads: right ones, drawn from the files' schemas, and ones with a slip."""

from __future__ import annotations

import json
from collections.abc import Iterator
from enum import StrEnum
from functools import cache
from typing import Any

import yaml
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from replanctl.files import Role
from replanctl.files.lessons import _lesson_book
from replanctl.files.planner import draft
from replanctl.files.policy import coefficients
from replanctl.files.schema import file_schema, schema_of

Strategy = st.SearchStrategy[Any]
Path = tuple[Any, ...]


class Kind(StrEnum):
    """What a document is to the loader."""

    PLAN = "plan"
    OUTCOMES = "outcomes"
    POLICY = "policy"
    LESSONS = "lessons"
    COEFFICIENTS = "coefficients"
    DRAFT = "draft"


SCHEMAS: dict[Kind, dict[str, Any]] = {
    **{kind: file_schema(Role(kind.value)) for kind in (Kind.PLAN, Kind.OUTCOMES, Kind.POLICY)},
    Kind.LESSONS: schema_of(_lesson_book),
    Kind.COEFFICIENTS: schema_of(coefficients),
    Kind.DRAFT: schema_of(draft),
}

IDS = ("1", "2", "3", "s4", "a-b", "Z_9")
WORDS = ("t", "u", "v", "p", "q")
# Texts by the pattern that the schemas ask of them.
PATTERNS: dict[str, tuple[str, ...]] = {
    r"\S": WORDS,
    "[A-Za-z0-9][A-Za-z0-9_-]{0,63}": IDS,
    "E[A-Za-z0-9]": tuple(f"E{id_}" for id_ in IDS),
    "ms|s|m|h": ("0s", "250ms", "1.5m", "1h", "31s"),
    "v([1-9]": ("v1", "v2", "v7"),
    "any|str|int": ("any", "str", "int?", "float", "bool", "list?", "dict"),
}
TEXTS = (
    *("#E1", "#E2.rows[0]", '#E3["a b"]', "see #E1 and #E9", "##E1", "#Es4-#E1", "#E404"),
    *("", "no", "a: b", "- x", "价格 é 😀", "a\u202eb\x07", "\0", "x" * 50),
)
_leaves = st.one_of(st.none(), st.booleans(), st.integers(-2, 9), st.sampled_from([0.5, 1e30]), st.sampled_from(TEXTS))
_values = st.recursive(
    _leaves,
    lambda each: st.lists(each, max_size=3) | st.dictionaries(st.sampled_from(WORDS), each, max_size=3),
    max_leaves=6,
)

_KEYWORDS = sorted(
    {*Draft202012Validator.VALIDATORS, "$schema", "$id", "$anchor", "$defs", "default", "examples", "then", "else"}
)
_SAID = (
    "#",
    "#/$defs/p",
    "#/properties/q",
    "http://[",
    "file:///x",
    "(",
    "^a+$",
    "(a+)+$",
    "http://json-schema.org/schema#",
)
_TYPES = ("string", "object", "array", "number", "integer", "null", "boolean")
_any_schemas = st.recursive(
    st.booleans() | st.dictionaries(st.just("type"), st.sampled_from(_TYPES), max_size=1),
    lambda each: st.dictionaries(
        st.sampled_from(_KEYWORDS),
        st.one_of(
            each,
            st.lists(each, max_size=2),
            st.dictionaries(st.sampled_from(["p", "q", "^a", "("]), each, max_size=2),
            st.sampled_from([*_SAID, *_TYPES, 0, 1, 2.0, 1e308, -3, True]),
            st.lists(st.sampled_from(WORDS), max_size=2),
        ),
        max_size=3,
    ),
    max_leaves=6,
).filter(lambda schema: isinstance(schema, dict))
_usual_schemas = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(["object", "string"]),
        "properties": st.dictionaries(
            st.sampled_from(WORDS), st.sampled_from([{"type": "integer"}, {"$ref": "#"}]), max_size=2
        ),
        "required": st.lists(st.sampled_from(WORDS), max_size=2, unique=True),
        "pattern": st.sampled_from(["^a+$", "(a+)+$", r"#E\d"]),
        "minLength": st.integers(0, 3),
    },
)
_json_schemas = st.one_of(_usual_schemas, _usual_schemas, _any_schemas)


# -- right documents, drawn from a schema ------------------------------------------------------------------------------


@cache
def documents(kind: Kind) -> Strategy:
    """Documents of this kind in which little is wrong, if anything."""
    drawn = _drawn(SCHEMAS[kind], ())
    return drawn.map(consistent) if kind is Kind.PLAN else drawn


def _drawn(schema: Any, path: Path) -> Strategy:
    """What a schema of the files describes; `path` is where it stands, `*` for any name or place."""
    if path[-2:] == ("produces", "schema") or (path[:1] == ("tools",) and path[-1] == "args"):
        return _json_schemas
    if "anyOf" in schema:
        return st.one_of(*(_drawn(each, path) for each in schema["anyOf"]))
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    drawn: Strategy = _DRAWERS[schema.get("type", "any")](schema, path)
    return drawn


def _mapping(schema: dict[str, Any], path: Path) -> Strategy:
    if "properties" not in schema:
        return _open_mapping(schema, path)
    fields = {name: _drawn(each, (*path, name)) for name, each in schema["properties"].items()}
    if "oneOf" in schema:  # an interruption: one of two keys
        return st.sampled_from(schema["oneOf"]).flatmap(
            lambda one: _fixed(fields, {"goal", *one["required"]}, {"refutes"})
        )
    required = set(schema.get("required", ()))
    return _fixed(fields, required, fields.keys() - required)


def _fixed(fields: dict[str, Strategy], required: set[str], optional: set[str]) -> Strategy:
    return st.fixed_dictionaries(
        {name: fields[name] for name in sorted(required)},
        optional={name: fields[name] for name in sorted(optional)},
    )


def _open_mapping(schema: dict[str, Any], path: Path) -> Strategy:
    below = schema.get("additionalProperties")
    if not isinstance(below, dict):
        return st.dictionaries(st.sampled_from(WORDS), _values, max_size=3)
    names = _drawn(schema["propertyNames"], path) if "propertyNames" in schema else st.sampled_from(WORDS)
    return st.dictionaries(names.map(str), _drawn(below, (*path, "*")), max_size=3)


def _list(schema: dict[str, Any], path: Path) -> Strategy:
    return st.lists(_drawn(schema["items"], (*path, "*")), min_size=schema.get("minItems", 0), max_size=4)


def _text(schema: dict[str, Any], path: Path) -> Strategy:
    pattern = schema.get("pattern", "")
    pool = next((texts for part, texts in reversed(PATTERNS.items()) if part in pattern), TEXTS)
    return st.sampled_from(pool)


def _number(schema: dict[str, Any], path: Path) -> Strategy:
    least = schema.get("minimum", 0)
    return st.integers(least, least + 4)


_DRAWERS: dict[str, Any] = {
    "any": lambda schema, path: _values,
    "object": _mapping,
    "array": _list,
    "string": _text,
    "integer": _number,
    "number": _number,
    "boolean": lambda schema, path: st.booleans(),
    "null": lambda schema, path: st.none(),
}


def consistent(plan: dict[str, Any]) -> dict[str, Any]:
    """The plan with ids that differ, dependencies that are there and names that are declared."""
    seen: list[str] = []
    for step in plan["steps"]:
        step["id"] = next(id_ for id_ in (str(step["id"]), *IDS) if id_ not in seen)
        if "depends_on" in step:
            step["depends_on"] = [id_ for id_ in seen if id_ in IDS[:3]]
        seen.append(step["id"])
    plan["steps"] = plan["steps"][: len(IDS)]
    for section in ("tools", "assumptions"):
        if section in plan:
            plan[section] = {**dict.fromkeys(WORDS, {} if section == "tools" else None), **plan[section]}
    return plan


# -- one thing wrong ---------------------------------------------------------------------------------------------------

HOSTILE: tuple[Any, ...] = (
    *(None, True, "", " ", "no", -1, 0, 1.5, 2**63 - 1, 2**63, -(2**63) - 1, 1e308, 10**400, [], {}, [[]], [{}]),
    *("9" * 30, "-0", "1e999", ".nan", "#E1", "#E", "##E", "E1", "1 ", "é", "x" * 70, "\x1b[2J", "\u2028", "\0"),
    *("!tag", "&a", "*a", "<<", "@", "%", "`", "'", '"', "|", ">", "?", ": ", " #", "---", "...", "\t", "\ufeff"),
    *({"<<": 1}, {"$ref": "#"}, {"1": 1}, {1: 1}, {None: 1}, {True: 1}, ["1", "1"], [None], "(a+)+$", "1h1m"),
)
_HOSTILE = st.sampled_from(HOSTILE) | st.integers(60, 70).map(lambda levels: json.loads("[" * levels + "]" * levels))


def places(value: Any, path: Path = ()) -> Iterator[Path]:
    """Every place in a document."""
    yield path
    if isinstance(value, dict | list):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(item, (*path, key))


@st.composite
def slips(draw: st.DrawFn, right: Strategy) -> Any:
    """A document with one thing wrong in it, mostly."""
    document = draw(right)
    path = draw(st.sampled_from(list(places(document))))
    if not path:
        return draw(_HOSTILE)
    *above, key = path
    holder = document
    for each in above:
        holder = holder[each]
    _slip(draw, holder, key)
    return document


def _slip(draw: st.DrawFn, holder: Any, key: Any) -> None:
    how = draw(st.sampled_from(["other", "other", "gone", "twice", "misspelt", "wrapped", "more"]))
    value = holder[key]
    if how == "other":
        holder[key] = draw(_HOSTILE)
    elif how == "wrapped":
        holder[key] = draw(st.sampled_from([[value], {"x": value}, str(value)]))
    elif how == "gone":
        del holder[key]
    elif isinstance(holder, list):
        holder.append(value)
    elif how == "misspelt":
        holder[f"{key}s"] = holder.pop(key)
    else:
        holder[draw(st.sampled_from(["x", "id", "tool", "steps", "schema", 1, None]))] = value


# -- as text -----------------------------------------------------------------------------------------------------------


class _Dumper(yaml.SafeDumper):
    """Repeats what is there twice instead of pointing to it."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _dumped(document: Any, **style: Any) -> str:
    return str(yaml.dump(document, Dumper=_Dumper, sort_keys=False, allow_unicode=True, **style))


STYLES = {
    "block": lambda document: _dumped(document),
    "flow": lambda document: _dumped(document, default_flow_style=True, width=1000),
    "mixed": lambda document: _dumped(document, default_flow_style=None),
    "json": lambda document: json.dumps(document),
    "json in lines": lambda document: json.dumps(document, indent=1, ensure_ascii=False),
}


def written(document: Strategy) -> Strategy:
    """Documents as the bytes of a file, in one style or the other."""
    return st.tuples(document, st.sampled_from(list(STYLES))).map(lambda pair: STYLES[pair[1]](pair[0]).encode())
