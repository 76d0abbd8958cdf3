"""The documents of the lab: what `--format json` writes, and their JSON Schemas."""

from __future__ import annotations

from typing import Any

import msgspec

from replanctl.lab.compare import Comparison
from replanctl.lab.matrix import Matrix
from replanctl.lab.stats import Stats
from replanctl.lab.study import HONEST, Kind
from replanctl.lab.tune import Tuning
from replanctl.run import DIALECT, Schema

VERSION = 1


class MatrixDocument(msgspec.Struct, frozen=True, kw_only=True):
    """Each plan under every fault. `honest` says what the result can't know."""

    schema_version: int = VERSION
    plans: tuple[Matrix, ...]
    honest: str = HONEST


class TuneDocument(msgspec.Struct, frozen=True, kw_only=True):
    """What each gate cost a corpus. `honest` says what the result can't know."""

    schema_version: int = VERSION
    tuning: Tuning
    honest: str = HONEST


class CompareDocument(msgspec.Struct, frozen=True, kw_only=True):
    """The same scripts under several policies. `honest` says what the result can't know."""

    schema_version: int = VERSION
    comparison: Comparison
    honest: str = HONEST


class StatsDocument(msgspec.Struct, frozen=True, kw_only=True):
    """What decided anything in stored runs."""

    schema_version: int = VERSION
    stats: Stats


_DOCUMENTS: dict[Kind | str, tuple[type, str]] = {
    Kind.MATRIX: (MatrixDocument, "A matrix of replanctl"),
    Kind.TUNE: (TuneDocument, "A tuning of replanctl"),
    Kind.COMPARE: (CompareDocument, "A comparison of replanctl"),
    "stats": (StatsDocument, "Statistics of replanctl"),
}


def document_schema(kind: Kind | str) -> Schema:
    """The JSON Schema of what a verb of the lab writes. A field that is left out has its default."""
    document, title = _DOCUMENTS[kind]
    (schema,), parts = msgspec.json.schema_components([document], ref_template="#/$defs/{name}")
    head: dict[str, Any] = {"$schema": DIALECT, "title": title}
    return head | schema | {"$defs": parts}
