"""Recordings that were spoiled give rehearsals, or messages with a place; never anything else."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from replanctl.errors import InputError
from replanctl.traces import Imported, import_traces
from tests.traces.mutations import mutated, spoiled
from tests.traces.test_cases import RECORDINGS

ROUNDS = 15  # of each kind, for each recording


def holds(found: list[Imported]) -> None:
    for each in found:
        report = each.report
        assert report.place
        assert (each.text is None) == bool(report.refused)
        assert report.refused or report.parting is None or "denied" in report.statuses  # such a call is made once


def values_of(path: Path) -> list[Any]:
    text, decoder = path.read_text(), json.JSONDecoder()
    found, at = [], 0
    while text[at:].strip():
        at += len(text[at:]) - len(text[at:].lstrip())
        value, at = decoder.raw_decode(text, at)
        found.append(value)
    return found


@pytest.mark.parametrize("path", [path for path in RECORDINGS if path.suffix != ".txt"], ids=lambda path: path.name)
def test_spoiled_values(path: Path) -> None:
    for seed in range(ROUNDS):
        random = Random(f"{path.name} {seed}")
        values = mutated({"lines": values_of(path)}, random).get("lines")
        settings = {"partial": random.random() < 0.4, "values": random.choice(("keep", "keep", "shape", "hash"))}
        holds(list(import_traces(values if isinstance(values, list) else [values], **settings)))


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.name)
def test_spoiled_bytes(path: Path, tmp_path: Path) -> None:
    target = tmp_path / path.name
    for seed in range(ROUNDS):
        target.write_bytes(spoiled(path.read_bytes(), Random(f"{path.name} {seed}")))
        try:
            holds(list(import_traces(target)))
        except InputError as error:
            assert error.problems[0].file
