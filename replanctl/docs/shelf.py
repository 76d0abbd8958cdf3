"""Where the texts stand: the pages, and the kinds of words with a file of entries each."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

import msgspec

_PAGES = Path(__file__).parent
_WORDS = _PAGES / "words"
_MORE = re.compile(r"^More: \[([\w-]+)\]", re.MULTILINE)
_HEADING = re.compile(r"^## (.*)$", re.MULTILINE)


class Kind(msgspec.Struct, frozen=True):
    """A kind of words: what one of them is called, the word that lists them all, and the page that says more, unless
    an entry names another.

    Its entries stand in `words/<plural>.md`; of a kind without such a file they are drawn from a schema. A kind that is
    `minor` is named where all words are listed, and its words are not.
    """

    name: str
    plural: str
    page: str
    minor: bool = False


# In the order in which a word that means several things is explained, and in which the words are listed: what a
# person meets on the screen of a run comes first, what stands in files after that, what is asked for seldom last.
KINDS: tuple[Kind, ...] = (
    Kind("term", "terms", "reading-a-run"),
    Kind("routing rule", "rules", "routing"),
    Kind("gate", "gates", "gates"),
    Kind("reason", "reasons", "result"),
    Kind("status of a call", "statuses", "outcomes"),
    Kind("error type", "error-types", "outcomes"),
    Kind("granularity", "granularities", "replanning"),
    Kind("on_failure", "on-failure", "executing"),
    Kind("mode", "modes", "going-on"),
    Kind("state of a step", "states", "executing"),
    Kind("unread reference", "unreadable", "routing", minor=True),
    Kind("health", "health", "health"),
    Kind("verdict", "verdicts", "health"),
    Kind("settling", "settling", "resuming"),
    Kind("coupling", "coupling", "going-on"),
    Kind("booking", "bookings", "cost"),
    Kind("mark", "marks", "reading-a-run", minor=True),
    Kind("ending", "endings", "result"),
    Kind("choice", "choices", "plan-file", minor=True),
    Kind("event", "events", "result"),
    Kind("key", "keys", "plan-file"),
    Kind("finding", "checks", "plan-file"),
    Kind("format", "formats", "files-and-formats", minor=True),
)


def page_names() -> tuple[str, ...]:
    """The pages there are, in alphabetical order."""
    return tuple(sorted(path.stem for path in _PAGES.glob("*.md")))


def page_text(name: str) -> str:
    """A page as it is written, in Markdown. Raises KeyError where there is none of this name."""
    if name not in page_names():
        raise KeyError(name)
    return (_PAGES / f"{name}.md").read_text(encoding="utf-8")


def page_title(name: str) -> str:
    """What a page is on: its first heading."""
    return page_text(name).partition("\n")[0].removeprefix("# ")


class Text(NamedTuple):
    """What is written of a word, and the page that it names at its end; empty where it names none."""

    text: str
    page: str


@cache
def texts(kind: Kind) -> dict[str, Text]:
    """The entries of a kind by their words, in the order of their file; none where they are drawn from a schema."""
    path = _WORDS / f"{kind.plural}.md"
    if not path.is_file():
        return {}
    # A file of entries is plain Markdown, so that who writes one needs to know nothing else: a heading is the word, and
    # what stands below it what it means.
    _, *parts = _HEADING.split(path.read_text(encoding="utf-8"))
    return {word: _text(said) for word, said in zip(parts[::2], parts[1::2], strict=True)}


def _text(said: str) -> Text:
    """An entry that leads to a page of its own has a link to it below."""
    found = _MORE.search(said)
    return Text(said[: found.start()].strip(), found[1]) if found else Text(said.strip(), "")
