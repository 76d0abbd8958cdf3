"""The engine against the model of the contract, over random rehearsals. MODEL_SEEDS=5000 runs more of them."""

from __future__ import annotations

import functools
import json
import os

import pytest

from replanctl import InputError
from tests.model.compare import engine, try_document
from tests.model.dice import draw
from tests.model.session import rehearse
from tests.model.shrink import shrink
from tests.model.world import Ambiguous

SEEDS = int(os.environ.get("MODEL_SEEDS", "400"))
CHUNK = 50


@functools.cache
def speaks_the_contract() -> bool:
    """There is nothing to compare with before the engine knows the words of the contract."""
    document = {
        "goal": "g",
        "steps": [{"id": 1, "tool": "a", "required": True, "again": True}],
        "policy": {"gates": {"max_tokens": 9999}},
        "outcomes": [{"match": {}, "returns": ["lost"]}],
    }
    try:
        engine(json.dumps(document))
    except InputError:
        return False
    return True


@pytest.mark.parametrize("first", range(0, SEEDS, CHUNK))
def test_engine_and_model_agree(first: int) -> None:
    if not speaks_the_contract():
        pytest.skip("the engine does not know the whole contract yet")
    for seed in range(first, min(first + CHUNK, SEEDS)):
        document = draw(seed)
        kind, text = try_document(document)
        if kind not in ("same", "ambiguous"):
            small = shrink(document, kind)
            pytest.fail(f"seed {seed}, {kind}: {text}\nmade small: {json.dumps(small)}\n{try_document(small)[1]}")


def test_few_seeds_are_left_out() -> None:
    """What the contract leaves open is left out; were it much, little would be compared."""
    left_out = 0
    for seed in range(300):
        try:
            rehearse(draw(seed))
        except Ambiguous:
            left_out += 1
    assert left_out < 300 * 0.04
