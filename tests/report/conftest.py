"""Pages made by the command line, in a folder with the example plans."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Cli
from tests.cli.conftest import cli as cli
from tests.conftest import ROOT

PLANS = ROOT / "plans"

# What the lab writes, by name: a plan, a folder of them, a corpus; lanes of one plan and over many.
DOCUMENTS = {
    "result": f"run {PLANS}/vendors.yaml --no-store --format json",
    "events": f"run {PLANS}/vendors.yaml --no-store --format jsonl",
    "stopped": f"run {PLANS}/gates/step_breaker.yaml --no-store --format json",
    "matrix": f"matrix {PLANS}/vendors.yaml --goals --pairs 20 --no-store --format json",
    "matrices": f"matrix {PLANS}/lab/support --no-store --format json",
    "tune": f"tune {PLANS}/gates {PLANS}/lab --no-store --format json",
    "race": f"compare {PLANS}/vendors.yaml --strategies none,patch,tail,rewoo,hybrid --no-store --format json",
    "compare": f"compare {PLANS}/lab --strategies none,patch,hybrid --no-store --format json",
}


def document(cli: Cli, name: str) -> Path:
    """The file of one of these documents."""
    done = cli(*DOCUMENTS[name].split(), "-q")
    assert done.code in (0, 1) and not done.err, done
    file = cli.folder / f"{name}.json"
    file.write_text(done.out, encoding="utf-8")
    return file


def page(cli: Cli, *words: str | Path) -> str:
    """The page that `report` makes."""
    done = cli("report", *words)
    assert (done.code, done.err) == (0, ""), done
    return done.out


@pytest.fixture
def folder(cli: Cli) -> Path:
    """Where the command line works."""
    return cli.folder
