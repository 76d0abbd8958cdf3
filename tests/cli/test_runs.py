"""`runs` on narrow and wide terminals: when, how it ended, what it took, which plan; the newest first."""

from __future__ import annotations

import pytest

from replanctl.show.text import width
from tests.cli.conftest import NOW, PLAN, Cli
from tests.show.golden import assert_golden

CHINESE = "比较三家云厂商的对象存储月度成本并写出一页纸的建议.yaml"


@pytest.fixture
def stored(cli: Cli) -> Cli:
    """A store with four runs of several days: in Chinese, replanned, stopped by a gate, handed over."""
    cli.files(
        {CHINESE: PLAN.replace("find the price", "查一下三家云厂商的价格，然后写一份带小数的报告"), "other.yaml": PLAN}
    )
    days = (NOW.replace("01-02", day) for day in ("01-02", "01-31", "11-30", "12-31"))
    cli.now = lambda: next(days)
    for words in (
        (CHINESE,),
        ("plan.yaml", "--outcomes", "shape.yaml"),
        ("other.yaml", "--max-steps", "2"),
        ("plan.yaml", "--outcomes", "denied.yaml"),
    ):
        assert cli("run", *words, "-q").code in (0, 1)
    return cli


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_the_list_fits_the_screen(stored: Cli, columns: int) -> None:
    stored.environ["COLUMNS"] = str(columns)
    said = stored("runs").out
    assert max(map(width, said.splitlines())) <= columns
    assert_golden(f"runs-{columns}", said)


CHOSEN = [
    (["--plan", CHINESE], ["1"]),
    (["--plan", "plan.yaml"], ["4", "2"]),
    (["--failed"], ["4", "3"]),
    (["--failed", "--plan", "plan.yaml"], ["4"]),
    (["--failed", "--limit", "1"], ["4"]),
    (["--limit", "3"], ["4", "3", "2"]),
]


@pytest.mark.parametrize(("words", "numbers"), CHOSEN, ids=[" ".join(words) for words, _ in CHOSEN])
def test_some_are_chosen(stored: Cli, words: list[str], numbers: list[str]) -> None:
    said = stored("runs", *words).out
    assert [line.split()[0] for line in said.splitlines()[1:]] == numbers


def test_the_old_ones_are_given_up(stored: Cli) -> None:
    assert stored("runs", "--prune", "2").out == "2 runs given up\n"
    assert [line.split()[0] for line in stored("runs").out.splitlines()[1:]] == ["4", "3"]
    assert stored("diff", "3", "4").code == 0
    assert stored("diff", "1", "4").code == 2
