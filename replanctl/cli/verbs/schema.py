"""`schema`: the JSON Schemas of what replanctl reads and writes."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Annotated

import msgspec

from replanctl.cli.flags import Flag, Shared, Verb
from replanctl.cli.output import write_line
from replanctl.cli.verbs import HELP
from replanctl.cli.world import World
from replanctl.files import Role, file_schema
from replanctl.host import question_schema
from replanctl.lab import document_schema
from replanctl.run import Schema, event_schema, result_schema


class Name(StrEnum):
    """What there is a schema of."""

    RESULT = "result"
    EVENT = "event"
    PLAN = "plan"
    OUTCOMES = "outcomes"
    POLICY = "policy"
    QUESTION = "question"
    MATRIX = "matrix"
    TUNE = "tune"
    COMPARE = "compare"
    STATS = "stats"


_SCHEMAS: dict[Name, Callable[[], Schema]] = {
    Name.RESULT: result_schema,
    Name.EVENT: event_schema,
    Name.PLAN: lambda: file_schema(Role.PLAN),
    Name.OUTCOMES: lambda: file_schema(Role.OUTCOMES),
    Name.POLICY: lambda: file_schema(Role.POLICY),
    Name.QUESTION: question_schema,
    Name.MATRIX: lambda: document_schema("matrix"),
    Name.TUNE: lambda: document_schema("tune"),
    Name.COMPARE: lambda: document_schema("compare"),
    Name.STATS: lambda: document_schema("stats"),
}


def schema_of(name: Name) -> Schema:
    """The schema of what is called so."""
    return _SCHEMAS[name]()


def known(text: str) -> Name:
    """The name of a document; raises ValueError for anything else."""
    try:
        return Name(text)
    except ValueError:
        raise ValueError(f"{text!r} is not one of {', '.join(Name)}") from None


class Options(Shared, frozen=True, kw_only=True):
    """What `schema` takes."""

    name: Annotated[Name, Flag(f"Of what: {', '.join(Name)}.", "NAME", known, positional=True, complete="schemas")]


def execute(options: Options, world: World) -> int:
    """Write the schema."""
    write_line(world.stdout, msgspec.json.format(msgspec.json.encode(schema_of(options.name))))
    return 0


VERB = Verb(HELP["schema"], Options, execute)
