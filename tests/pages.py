"""What a user reads: README, and the pages that go with the package, one a topic."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.conftest import ROOT

README = ROOT / "README.md"
DOCS = ROOT / "replanctl" / "docs"
PAGES = [README, *sorted(DOCS.glob("*.md"))]


class Block(NamedTuple):
    """A fenced block: the page it stands in, its language, and what is in it."""

    page: Path
    language: str
    text: str

    @property
    def file(self) -> str | None:
        """The file that the block is to be, if it names one in its first line."""
        found = re.match(r"# file: (\S+)\n", self.text)
        return found[1] if found else None


def blocks(page: Path) -> Iterator[Block]:
    """The fenced blocks of a page, from top to bottom."""
    for found in re.finditer(r"^```(\w+)\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL):
        yield Block(page, found[1], found[2])


def read(name: str) -> str:
    """The text of the page of this name."""
    return (DOCS / f"{name}.md").read_text(encoding="utf-8")


def everything() -> str:
    """README and all pages, one behind the other."""
    return "\n".join(page.read_text(encoding="utf-8") for page in PAGES)


def prose(text: str) -> str:
    """A text without its fenced blocks."""
    return re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)


def codes(text: str) -> set[str]:
    """Everything written as code in running text and tables, whole and in words."""
    return {word for code in re.findall(r"`([^`]+)`", prose(text)) for word in (code, *re.split(r"[ :,|/\\]+", code))}


def first_cells(text: str) -> list[list[str]]:
    """The codes in the first two cells of each row of a text's tables."""
    rows = re.findall(r"^\|([^|]*)\|([^|]*)\|", text, re.MULTILINE)
    return [re.findall(r"`([^`]+)`", first + second) for first, second in rows]
