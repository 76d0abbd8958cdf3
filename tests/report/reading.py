"""A page as a reader's program takes it in, and what must hold for every page."""

from __future__ import annotations

from html.parser import HTMLParser
from itertools import pairwise

ALONE = {"meta"}
KNOWN = {
    "html", "head", "meta", "title", "style", "body", "a", "header", "nav", "main", "section", "footer", "h1", "h2",
    "h3", "p", "ol", "ul", "li", "dl", "div", "dt", "dd", "table", "caption", "thead", "tbody", "tr", "th", "td",
    "span", "strong", "bdi", "code", "pre", "svg", "rect",
}  # fmt: skip
ATTRIBUTES = {
    "lang", "charset", "http-equiv", "content", "name", "href", "class", "id", "tabindex", "role", "scope", "colspan",
    "rowspan", "viewbox", "preserveaspectratio", "x", "y", "width", "height",
}  # fmt: skip

Attributes = dict[str, str]


class Page(HTMLParser):
    """Every element of a page with its attributes and the elements around it, and the text that is read."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, Attributes, tuple[str, ...]]] = []
        self.texts: list[tuple[str, tuple[str, ...]]] = []
        self.faults: list[str] = []
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert self._open == [], "every element is closed"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}, tuple(self._open)))
        if tag not in ALONE:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open.pop() != tag:
            self.faults.append(f"</{tag}> closes what is not open")

    def handle_data(self, data: str) -> None:
        self.texts.append((data, tuple(self._open)))

    def handle_comment(self, data: str) -> None:
        self.faults.append(f"a comment: {data}")

    def handle_pi(self, data: str) -> None:
        self.faults.append(f"an instruction: {data}")

    @property
    def text(self) -> str:
        """All that is read, without the style."""
        return "".join(text for text, around in self.texts if "style" not in around)

    def text_in(self, tag: str) -> list[str]:
        """What stands in each element of this name."""
        return [text for text, around in self.texts if around and around[-1] == tag]

    def all(self, tag: str) -> list[Attributes]:
        """The attributes of each element of this name."""
        return [attributes for name, attributes, _ in self.elements if name == tag]


def checked(text: str) -> Page:
    """The page, which is whole, can be found one's way about in, and asks for nothing."""
    page = Page(text)
    assert page.faults == []
    names = {tag for tag, _, _ in page.elements}
    assert names - KNOWN == set(), "only what a page is made of: no script, no picture, no frame"
    known = {name for _, attributes, _ in page.elements for name in attributes if not name.startswith("aria-")}
    assert known - ATTRIBUTES == set(), "no style, no handler, no address"
    _can_be_found(page)
    _tables_have_heads(text, page)
    return page


def _can_be_found(page: Page) -> None:
    assert page.all("html") == [{"lang": "en"}]
    assert "".join(page.text_in("title")[:1]).strip()
    ids = [attributes["id"] for _, attributes, _ in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids)), "an id is there once"
    for link in page.all("a"):
        assert link["href"].removeprefix("#") in ids and link["href"].startswith("#"), "links stay on the page"
    for section in page.all("section"):
        assert section["aria-labelledby"] in ids
    levels = [int(tag[1]) for tag, _, _ in page.elements if tag in ("h1", "h2", "h3")]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(below - above <= 1 for above, below in pairwise(levels)), "no level is left out"
    assert len(page.all("main")) == 1


def _tables_have_heads(text: str, page: Page) -> None:
    for table in text.split("<table")[1:]:
        table = table.partition("</table>")[0]
        assert table.count("<caption>") == 1
        assert "<thead>" in table and '<th scope="col"' in table
    for head in page.all("th"):
        assert head["scope"] in ("col", "row", "colgroup", "rowgroup")
    for svg in page.all("svg"):
        assert svg["role"] == "img"
    titles = [around for tag, _, around in page.elements if tag == "title" and "svg" in around]
    assert len(titles) == len(page.all("svg")), "every picture says what it shows"
    for box in (*page.all("pre"), *(each for each in page.all("div") if each.get("class") == "scroll")):
        assert box["tabindex"] == "0" and box["role"] == "region" and box["aria-label"].strip(), "keys can scroll it"
