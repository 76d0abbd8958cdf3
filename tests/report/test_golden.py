"""A small page as a file, compared byte for byte. With REPLANCTL_BLESS=1 it is written instead."""

from __future__ import annotations

import os
from pathlib import Path

from replanctl.report.page import STYLE
from tests.cli.conftest import Cli
from tests.report.conftest import page
from tests.report.reading import checked

GOLDEN = Path(__file__).parent / "golden" / "denied.html"


def test_a_small_page(cli: Cli) -> None:
    cli("run", "plan.yaml", "--outcomes", "denied.yaml", "-q")
    text = page(cli, "1")
    checked(text)
    said = text.replace(STYLE, "(the style)").replace("><", ">\n<")
    if os.environ.get("REPLANCTL_BLESS"):
        GOLDEN.parent.mkdir(exist_ok=True)
        GOLDEN.write_text(said, encoding="utf-8", newline="\n")
    assert said == GOLDEN.read_text(encoding="utf-8")
