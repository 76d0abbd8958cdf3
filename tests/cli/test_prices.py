"""Prices on the command line: every verb that knows of tokens says what they cost, and nothing else changes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.cli.conftest import Cli
from tests.show.golden import assert_golden

TABLE = """\
currency: 元
models: {大模型: {input: 3.00, output: 15.00}, small: 0.40}
model: 大模型
kinds: {execution: small, retry: {model: small}}
"""
RUN = ["run", "plan.yaml", "--outcomes", "shape.yaml", "--no-store"]
COMPARE = ["compare", "plan.yaml", "other.yaml", "--strategies", "none,tail", "--no-store"]
RACE = ["compare", "other.yaml", "--strategies", "none,tail", "--no-store"]
TUNE = ["tune", "other.yaml", "--max-replans", "0", "--no-store"]
COST = ["cost", "--steps", "5", "--fail", "3"]
FLAT = ["--price", "3.00"]
PRICES = ["--prices", "prices.yaml"]


@pytest.fixture
def priced(cli: Cli) -> Cli:
    """A command line with a table of prices, and a plan whose second step is replanned."""
    steps = "[{id: 1, tool: look}, {id: 2, tool: look, args: {at: b}}, {id: 3, tool: write, args: {x: '#E2'}}]"
    script = "outcomes: [{match: {step: 2}, returns: [{status: shape, message: none}, {status: ok, value: 7}]}]"
    cli.files({"prices.yaml": TABLE, "other.yaml": f"goal: 查一下价格\nsteps: {steps}\n{script}\n"})
    return cli


# Screens and pages with a price in them, by the name of their golden file.
SCREENS = {
    "run": [*RUN, *PRICES],
    "run-flat": [*RUN, *FLAT],
    "run-quiet": [*RUN, *FLAT, "-q"],
    "cost": [*COST, *PRICES],
    "compare": [*COMPARE, *PRICES],
    "race": [*RACE, *PRICES],
    "tune": [*TUNE, *PRICES],
    "compare-markdown": [*COMPARE, *PRICES, "--format", "markdown"],
    "tune-markdown": [*TUNE, *PRICES, "--format", "markdown"],
}


@pytest.mark.parametrize("columns", [80, 120])
@pytest.mark.parametrize("name", SCREENS)
def test_a_screen_says_what_tokens_cost(priced: Cli, name: str, columns: int) -> None:
    priced.environ["COLUMNS"] = str(columns)
    done = priced(*SCREENS[name])
    assert (done.code, done.err) == (0, "")
    wide = f"-{columns}" if not name.endswith("markdown") else ""
    before, tokens, behind = done.out.partition("  tokens     ")  # what stands above is no matter of prices
    assert_golden(f"price-{name}{wide}", tokens + behind or before)


# The verb, the schema of its document, and what stands in its block of money.
DOCUMENTS: dict[str, tuple[list[str], dict[str, Any]]] = {
    "result": (RUN, {"main": 0.00264, "remedy": 0.001875, "all": 0.004515}),
    "compare": (COMPARE, {"lanes": {"none": 0.00474, "tail": 0.007155}}),
    "tune": (TUNE, {"sessions": 0.0021, "gates": {"max_replans": [0.002415]}}),
}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_document_has_a_block_of_money_only_where_a_price_was_given(priced: Cli, name: str) -> None:
    words, amounts = DOCUMENTS[name]
    schema = Draft202012Validator(json.loads(priced("schema", name).out))
    plain = json.loads(priced(*words, "--format", "json").out)
    paid = json.loads(priced(*words, "--format", "json", *FLAT).out)
    for document in (plain, paid):
        schema.validate(document)
    money = paid.pop("money")
    assert paid == plain
    assert money == {
        "currency": "USD",
        "per_million": dict.fromkeys(money["per_million"], 3.0),
        "models": {},
        **amounts,
    }
    assert list(schema.iter_errors({**plain, "money": {"currency": "USD"}}))


def test_the_cost_table_as_json(priced: Cli) -> None:
    plain, paid = (json.loads(priced(*COST, "--format", "json", *more).out) for more in ([], FLAT))
    money = paid.pop("money")
    assert (paid.pop("price"), plain.pop("price")) == (3.0, None)
    assert paid == plain
    assert money["failure"] == {"retry": 0.0006, "patch": 0.00141, "tail": 0.00159, "global": 0.00267}
    assert money["by_done"][2] == {"done": 2, **money["failure"]}
    assert money["replans"] is None


def test_a_stored_run_is_the_same_with_a_price_and_without(priced: Cli) -> None:
    words = [word for word in RUN if word != "--no-store"]
    assert priced(*words, "-q").code == priced(*words, "-q", *PRICES).code == 0
    first, second = (json.loads(priced("show", number, "--format", "json").out) for number in "12")
    assert {**first, "run": 2} == second
    assert "money" not in second


def test_the_replans_of_a_run_cost_what_they_booked(priced: Cli) -> None:
    assert priced("run", "plan.yaml", "--outcomes", "shape.yaml", "-q").code == 0
    done = priced("cost", "--run", "1", *PRICES, "--format", "json")
    booked = sum(line["booked"] for line in json.loads(done.out)["replans"])
    assert json.loads(done.out)["money"]["replans"] == booked * 3 / 1_000_000


@pytest.mark.parametrize("lane", [["--price", "3"], ["--prices", "prices.yaml"]])
def test_shards_that_are_merged_cost_the_same(priced: Cli, lane: list[str]) -> None:
    for shard in ("1/2", "2/2"):
        assert priced(*COMPARE, "--shard", shard, "-o", f"{shard[0]}.facts").code == 0
    assert priced("merge", "1.facts", "2.facts", *lane).out == priced(*COMPARE, *lane).out


WRONG = [
    ("--price", "-1"), ("--price", "x"), ("--price", "1/"), ("--price", "1e3"), ("--price", "="),
    ("--price", "inf"), ("--model", ""), ("--model", "exec=a"), ("--model", "replan="),
    ("--price", "1", "--price", "2"), ("--prices", "none.yaml"),
]  # fmt: skip


@pytest.mark.parametrize("words", WRONG, ids=" ".join)
@pytest.mark.parametrize("verb", [RUN, COST, COMPARE, TUNE], ids=lambda verb: verb[0])
def test_a_wrong_price_is_refused_before_anything_runs(priced: Cli, verb: list[str], words: tuple[str, ...]) -> None:
    done = priced(*verb, *words)
    assert (done.code, done.out) == (2, "")
    assert done.err
