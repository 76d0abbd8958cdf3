"""A file of prices: what is read from it, and what is said of one that is wrong."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from replanctl.errors import InputError
from replanctl.files import load_prices
from replanctl.kinds import LedgerKind
from replanctl.money import PriceTable, Rate, Side, Use

READ = {
    "models: {a: 0.1}": PriceTable({"a": Rate(Decimal("0.1"), Decimal("0.1"))}),
    '{"models": {"a": {"input": 3, "output": 15.50}}, "currency": "CNY"}': PriceTable(
        {"a": Rate(Decimal(3), Decimal("15.5"))}, "CNY"
    ),
    "model: a\nkinds: {execution: b, replan: {price: output}}": PriceTable(
        {}, model="a", kinds={LedgerKind.EXECUTION: Use("b"), LedgerKind.REPLAN: Use(price=Side.OUTPUT)}
    ),
}


@pytest.mark.parametrize("text", READ)
def test_what_is_read(tmp_path: Path, text: str) -> None:
    (tmp_path / "prices.yaml").write_text(text)
    assert load_prices(tmp_path / "prices.yaml") == READ[text]


WRONG = {
    "modls: {a: 1}": "1:1 unknown-key",
    "models: [a]": "1:9 wrong-type",
    "models: {a: {input: 1}}": "1:13 missing-key",
    "models: {a: -1}": "1:13 bad-number",
    "models: {a: 1000000001}": "1:13 bad-number",
    "models: {a: cheap}": "1:13 bad-number",
    "models: {}\ncurrency: DOLLARS": "2:11 bad-name",
    "models: {}\ncurrency: ''": "2:11 empty-text",
    "models: {}\nkinds: {exec: a}": "2:9 bad-choice",
    "models: {}\nkinds: {retry: {price: in}}": "2:24 bad-choice",
    "models: {}\nkinds: {retry: 7}": "2:16 wrong-type",
}


@pytest.mark.parametrize("text", WRONG)
def test_what_is_wrong_is_told_with_its_place(tmp_path: Path, text: str) -> None:
    (tmp_path / "prices.yaml").write_text(text)
    with pytest.raises(InputError) as refused:
        load_prices(tmp_path / "prices.yaml")
    assert [f"{each.line}:{each.column} {each.rule}" for each in refused.value.problems] == [WRONG[text]]
