"""A whole page: its head, what it comes to, a table of contents, and its sections. Nothing is fetched, nothing runs."""

from __future__ import annotations

from collections.abc import Sequence

from replanctl.report.html import Html, joined, tag
from replanctl.report.parts import Section, sections
from replanctl.report.style import STYLE

# What the page may do, should foreign text ever get out of its place: show itself, and nothing else.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
LONGEST_TITLE = 120


def page(title: str, lead: Html, parts: Sequence[Section | None], *, kind: str) -> str:
    """The page of this title: `kind` says what it is a report of, `lead` what it comes to."""
    shown = [part for part in parts if part is not None]
    title = title if title.strip() else kind
    head = joined(
        [
            tag("meta", charset="utf-8"),
            tag("meta", http_equiv="Content-Security-Policy", content=_POLICY),
            tag("meta", name_="viewport", content="width=device-width, initial-scale=1"),
            tag("meta", name_="color-scheme", content="light dark"),
            tag("title", f"{title[:LONGEST_TITLE]}: {kind}"),
            tag("style", STYLE),
        ],
        Html("\n"),
    )
    body = joined(
        [
            tag("a", "To the content", href="#content", class_="skip"),
            tag("header", tag("p", kind, class_="kind"), tag("h1", title), lead),
            *([_contents(shown)] if len(shown) > 1 else []),
            tag("main", sections(shown), id="content", tabindex="-1"),
            tag("footer", tag("p", "Made by replanctl. Times are session time, tokens as booked.")),
        ],
        Html("\n"),
    )
    return f"<!DOCTYPE html>\n{tag('html', tag('head', head), Html(chr(10)), tag('body', body), lang='en')}\n"


def _contents(parts: Sequence[Section]) -> Html:
    entries = [tag("li", tag("a", part.title, href=f"#{part.id}")) for part in parts]
    return tag("nav", tag("ol", *entries), aria_label="Contents")
