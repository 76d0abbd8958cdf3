"""Make a differing rehearsal small: drop parts as long as it differs in the same way."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

from tests.model.compare import try_document


def shrink(document: dict[str, Any], kind: str, rounds: int = 40) -> dict[str, Any]:
    """The smallest document found that still gives `kind`."""
    for _ in range(rounds):
        smaller = next((d for d in smaller_ones(document) if gives(d, kind)), None)
        if smaller is None:
            return document
        document = smaller
    return document


def gives(document: dict[str, Any], kind: str) -> bool:
    try:
        return try_document(document)[0] == kind
    except Exception:  # a document that the model can't take is no smaller example
        return kind == "model raises"


def smaller_ones(value: Any) -> Iterator[Any]:
    """Every copy of a document with one part left out."""
    if isinstance(value, dict):
        for key in value:
            if key in ("goal", "id", "tool", "status", "match", "returns", "steps", "when"):
                continue
            yield {k: copy.deepcopy(v) for k, v in value.items() if k != key}
        for key in value:
            for part in smaller_ones(value[key]):
                yield {k: part if k == key else copy.deepcopy(v) for k, v in value.items()}
    elif isinstance(value, list):
        if len(value) > 1:
            for at in range(len(value)):
                yield copy.deepcopy(value[:at] + value[at + 1 :])
        for at, item in enumerate(value):
            for part in smaller_ones(item):
                yield [part if i == at else copy.deepcopy(v) for i, v in enumerate(value)]
