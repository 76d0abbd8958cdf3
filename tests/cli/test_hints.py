"""What a complaint suggests can be typed as it stands: a command that looks into the store names the one that was
named."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Cli

STORE = ["--store", "o ther"]

# What was typed in a store with one run, and what is suggested.
HINTS: list[tuple[list[str], str]] = [
    (["show", "9"], "replanctl runs --store 'o ther' lists them"),
    (["why", "1", "--run", "9"], "replanctl runs --store 'o ther' lists them"),
    (["diff", "9", "v1"], "replanctl runs --store 'o ther' lists them"),
    (["prompt"], "replanctl show --store 'o ther' 1 tells how it went"),
    (["cost", "--run", "9"], "replanctl runs --store 'o ther' lists them"),
    (["resume", "9"], "replanctl runs --store 'o ther' lists them"),
    (["show", "--nope"], "did you mean --handover? replanctl show --help lists them all"),
    (["cost"], "replanctl cost --steps 8 --fail 4"),
]


@pytest.mark.parametrize(("words", "hint"), HINTS, ids=[" ".join(words) for words, _ in HINTS])
@pytest.mark.parametrize("store", [STORE, ["--store=o ther"]], ids=["apart", "joined"])
def test_a_hint_names_the_store(cli: Cli, words: list[str], hint: str, store: list[str]) -> None:
    assert cli("run", "plan.yaml", "-q", *store).code == 0
    done = cli(*words, *store)
    assert (done.code, done.err.splitlines()[1]) == (2, f"  {hint}")


def test_a_hint_names_no_store_that_was_not_named(cli: Cli) -> None:
    assert cli("run", "plan.yaml", "-q").code == 0
    assert cli("show", "9").err.splitlines()[1] == "  replanctl runs lists them"


def test_an_empty_store_of_another_name(cli: Cli) -> None:
    assert cli("show", *STORE).err.splitlines()[1] == "  replanctl run --store 'o ther' PLAN makes the first"
