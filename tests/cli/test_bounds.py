"""Numbers beyond all bounds are wrong usage, with words of their own."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Cli

RUN = "9" * 19

WORDS: list[tuple[str, str]] = [
    ("run plan.yaml --max-seconds 1e308", "'1e308' is too long: the longest is 1,000,000,000 seconds"),
    ("run plan.yaml --max-seconds 1.7e308", "'1.7e308' is too long"),
    ("run plan.yaml --planner-timeout 1e10", "'1e10' is too long"),
    ("resume --max-seconds +1e308", "'1e308' is too long"),
    (f"show {RUN}", f"there is no run {RUN} in store"),
    (f"why 1 --run {RUN}", f"there is no run {RUN} in store"),
    (f"replay {RUN}", f"there is no run {RUN} in store"),
    (f"resume {RUN}", f"there is no run {RUN} in store"),
    (f"diff v1 v2 --run {RUN}", f"there is no run {RUN} in store"),
    (f"cost --run {RUN}", f"there is no run {RUN} in store"),
    ("show 16777216", "there is no run 16777216 in store"),
    (f"prompt {RUN}", f"'{RUN}' is not a run (7)"),
]


@pytest.mark.parametrize(("words", "said"), WORDS)
def test_it_is_wrong_usage(cli: Cli, words: str, said: str) -> None:
    assert cli("run", "plan.yaml", "-q").code == 0
    done = cli(*words.split())
    assert (done.code, done.out) == (2, "")
    assert said in done.err
