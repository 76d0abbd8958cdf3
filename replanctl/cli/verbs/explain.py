"""`explain`: what a word means that replanctl uses, or a page on a topic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

from replanctl.cli.flags import Flag, Shared, Verb
from replanctl.cli.verbs import HELP
from replanctl.cli.world import World
from replanctl.docs import Found, entries_of, find, page_names, page_text, page_title, suggestion, words_by_kind
from replanctl.errors import UsageError

if TYPE_CHECKING:
    from replanctl.show import Paper

PAGES = "pages"  # the word that lists them


class Options(Shared, frozen=True, kw_only=True):
    """What `explain` takes."""

    word: Annotated[
        tuple[str, ...],
        Flag(
            "A word from a screen, a file or a message, or a page.",
            "WORD",
            positional=True,
            many=True,
            complete="words",
        ),
    ] = ()


def execute(options: Options, world: World) -> int:
    """Say what the word means, or which words there are."""
    asked = " ".join(options.word).strip()
    found = find(asked, HELP)
    if asked not in ("", PAGES) and not found:
        hint = suggestion(asked, HELP) or "replanctl explain lists all words"
        raise UsageError(f"there is nothing on {asked}", hint=hint)
    paper = world.paper(world.stdout, options.color)
    if not asked:
        _list_all(paper)
    elif found:
        _explain(paper, found)
    else:
        _list(paper, PAGES, {name: page_title(name) for name in page_names()})
    return 0


def _list_all(paper: Paper) -> None:
    from replanctl.show import words_screen

    words = words_by_kind()
    rows: dict[str, Sequence[str]] = {kind.plural: each for kind, each in words.items() if not kind.minor}
    rows["also"] = [kind.plural for kind in words if kind.minor]
    words_screen(paper, rows | {PAGES: page_names()})


def _explain(paper: Paper, found: Found) -> None:
    """A word's meanings first, then the page of that name, or the other words of the kind that is called so."""
    from replanctl.show import markdown_screen, meanings_screen

    meanings_screen(paper, found.entries)
    if found.entries and (found.page or found.kind):
        paper.blank()
    if found.page:
        markdown_screen(paper, page_text(found.page))
    elif found.kind:
        _list(paper, found.kind.plural, {entry.word: entry.text for entry in entries_of(found.kind)})


def _list(paper: Paper, title: str, said: Mapping[str, str]) -> None:
    from replanctl.show import list_screen

    list_screen(paper, title, said.items())


VERB = Verb(HELP["explain"], Options, execute)
