"""Every link leads somewhere, every page is reached from README, and every page has one topic."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.pages import DOCS, PAGES, README, prose

LINK = re.compile(r"\]\(([^)\s]+)\)")


def links(page: Path) -> list[str]:
    """The targets of a page's links and pictures, without those on the web."""
    found = LINK.findall(prose(page.read_text(encoding="utf-8")))
    return [target for target in found if not re.match(r"\w+:", target)]


def anchors(page: Path) -> set[str]:
    """What the headings of a page are called in links: lower case, dashes for spaces, no other marks."""
    headings = re.findall(r"^#+ (.*)$", prose(page.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


def broken(page: Path) -> list[str]:
    """The links of a page whose file, or whose heading in it, is not there."""
    split = [(target, *target.partition("#")[::2]) for target in links(page)]
    found = [(target, page.parent / file if file else page, anchor) for target, file, anchor in split]
    return [target for target, file, anchor in found if not file.exists() or (anchor and anchor not in anchors(file))]


@pytest.mark.parametrize("page", [README, *sorted(DOCS.rglob("*.md"))], ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    assert broken(page) == []


def test_readme_leads_to_every_page() -> None:
    reached = {(README.parent / target.partition("#")[0]).resolve() for target in links(README)}
    assert set(PAGES) - {README} - reached == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_is_one_topic(page: Path) -> None:
    """One title, at the top, and nothing deeper than a section of a section; the name is made for links."""
    marks = re.findall(r"^(#+) ", prose(page.read_text(encoding="utf-8")), re.MULTILINE)
    assert marks[0] == "#" and marks.count("#") == 1 and set(marks) <= {"#", "##", "###"}
    assert page == README or re.fullmatch(r"[a-z]+(-[a-z]+)*", page.stem)


def test_a_broken_link_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "there.md").write_text("# A page\n\n## What it says, in short\n", encoding="utf-8")
    page = tmp_path / "page.md"
    good = "[a](there.md) [b](there.md#what-it-says-in-short) [c](https://example.org)"
    page.write_text(f"# Page\n\n{good} [d](gone.md) [e](there.md#gone) [f](#page) [g](#gone)\n", encoding="utf-8")
    assert broken(page) == ["gone.md", "there.md#gone", "#gone"]
