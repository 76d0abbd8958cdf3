"""README's picture is the screen of the command it opens with, drawn anew. `REPLANCTL_BLESS=1` writes it.

What is compared is each piece of text, its place and its colour: other releases of Rich may write the file otherwise.
"""

from __future__ import annotations

import io
import os
import re
from typing import NamedTuple
from xml.etree import ElementTree

from rich.console import Console
from rich.text import Text

from tests.cli.conftest import Cli
from tests.pages import DOCS

PICTURE = DOCS / "run.svg"
COMMAND = "run plans/vendors.yaml"
WIDTH = 80

# Rich's own frame fetches a font; this one takes what the reader's machine has and reaches for nothing.
FRAME = """\
<svg viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{
font-family: Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: {char_height}px; line-height: {line_height}px;
}}
.{unique_id}-title {{ font-family: sans-serif; font-size: 18px; font-weight: bold; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" />
</clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


class Piece(NamedTuple):
    """A piece of text in a picture: where it stands, how it looks, what it says."""

    x: str
    y: str
    look: str
    text: str


def drawn(screen: str) -> str:
    """A screen with its colours as a picture."""
    console = Console(
        record=True, width=WIDTH, file=io.StringIO(), force_terminal=True, color_system="standard", legacy_windows=False
    )
    console.print(Text.from_ansi(screen), end="")
    return console.export_svg(title=f"replanctl {COMMAND}", code_format=FRAME, unique_id="run")


def pieces(picture: str) -> list[Piece]:
    """All that can be read in a picture, from top to bottom; some releases of Rich draw the ends of lines too."""
    looks = dict(re.findall(r"\.([\w-]+) \{ ?([^}]*?) ?\}", picture))
    texts = ElementTree.fromstring(picture).iter("{http://www.w3.org/2000/svg}text")
    return [
        Piece(text.get("x", ""), text.get("y", ""), looks.get(text.get("class", ""), ""), text.text or "")
        for text in texts
        if (text.text or "").strip()
    ]


def test_the_picture_is_what_the_command_shows(root_cli: Cli) -> None:
    root_cli.environ["COLUMNS"] = str(WIDTH)
    picture = drawn(root_cli(*COMMAND.split(), "--color", "always").out)
    if os.environ.get("REPLANCTL_BLESS"):
        PICTURE.write_text(picture, encoding="utf-8", newline="\n")
    kept = PICTURE.read_text(encoding="utf-8")
    assert pieces(kept) == pieces(picture)
    assert "http" not in kept.replace("http://www.w3.org/2000/svg", "")  # nothing is fetched to show it


def test_every_line_of_the_screen_is_in_the_picture(root_cli: Cli) -> None:
    """Read as a person would, row by row, the picture says what the plain screen says."""
    rows: dict[str, str] = {}
    for piece in pieces(PICTURE.read_text(encoding="utf-8")):
        rows[piece.y] = rows.get(piece.y, "") + piece.text
    seen = ["".join(row.split()) for row in rows.values()]
    plain = ["".join(line.split()) for line in root_cli(*COMMAND.split()).out.splitlines()]
    assert [line for line in plain if line] == [row for row in seen if row][1:]  # the first is the picture's title


def test_a_change_of_colour_alone_is_noticed() -> None:
    green, red = (pieces(drawn(f"\x1b[{color}mdone\x1b[0m\n")) for color in (32, 31))
    assert [piece.text for piece in green] == [piece.text for piece in red]
    assert green != red
