"""Our pages in a terminal: a table of what they use of Markdown, and what becomes of it."""

from __future__ import annotations

import io

import pytest

from replanctl.show import Paper, make_console, markdown_screen
from replanctl.show.markdown import sayable
from tests.pages import DOCS


def drawn(text: str, width: int = 40) -> str:
    stream = io.StringIO()
    markdown_screen(Paper(make_console(stream, color=False, width=width)), text)
    return "\n".join(line.rstrip() for line in stream.getvalue().splitlines())


CASES = {
    "a heading and a paragraph": ("# Gates\n\nHard limits,\nasked before.\n",
                                  "  Gates\n\n  Hard limits, asked before."),
    "a paragraph is folded": ("one two three four five six seven eight nine\n",
                              "  one two three four five six seven\n  eight nine"),
    "code, bold words and links": ("`on_failure: skip` is **not** a [gap](going-on.md#gaps).\n",
                                   "  on_failure: skip is not a gap."),
    "code in a link": ("See [`plan.yaml`](plan.yaml).\n", "  See plan.yaml."),
    "bold code": ("**`matrix`** runs\n", "  matrix runs"),
    "no line begins with what closes a bracket": ("one two three four five six (and [seven eight](a.md#b)).\n",
                                                  "  one two three four five six (and seven\n  eight)."),
    "no line begins with a comma": ("one two three four five six `seven eigh`, nine\n",
                                    "  one two three four five six\n  seven eigh, nine"),
    "code with a backtick in it": ("a `` ` `` b\n", "  a ` b"),
    "code is not folded inside": ("one two three four five `replanctl show 1`\n",
                                  "  one two three four five\n  replanctl show 1"),
    "a list": ("- one\n  goes on\n- two\n", "  – one goes on\n  – two"),
    "a numbered list": ("1. one\n2. two that is far too long for one line of it\n",
                        "  1. one\n  2. two that is far too long for one\n     line of it"),
    "a list inside a list": ("- one\n  - two\n", "  – one\n    – two"),
    "a block of code is as it is": ("```sh\nreplanctl run plan.yaml --format json -o result.json\n\n# two\n```\n",
                                    "    replanctl run plan.yaml --format json -o result.json\n\n    # two"),
    "a block that is not closed": ("```\nlast\n", "    last"),
    "a table that fits": ("| a | b |\n| --- | --- |\n| `one` | two |\n", "  a    b\n  one  two"),
    "a table that is folded": ("| key | holds |\n| - | - |\n| seconds | of the clock, which is virtual |\n",
                               "  key      holds\n  seconds  of the clock, which is\n           virtual"),
    "a table with a bar in a cell": ("| a |\n| --- |\n| x\\|y |\n", "  a\n  x|y"),
    "a table with an empty cell": ("| # | b |\n| --- | --- |\n| | two |\n", "  #  b\n     two"),
    "nothing": ("", ""),
}  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), CASES.values(), ids=CASES)
def test_markdown(text: str, expected: str) -> None:
    assert drawn(text) == expected


def test_a_table_that_is_far_too_wide_puts_its_cells_below_each_other() -> None:
    table = "| a long name | another one | and a third |\n| --- | --- | --- |\n| one one one | two two two | three |\n"
    assert drawn(table, 30).splitlines()[-3:] == ["  one one one", "    two two two", "    three"]


@pytest.mark.parametrize("width", [20, 33, 80])
def test_only_blocks_of_code_are_wider_than_the_terminal(width: int) -> None:
    text = (
        "# A heading of some length, folded\n\n- an item with `code in it`\n\n| a | b | c |\n|-|-|-|\n| 1 | 2 | 3 |\n"
    )
    assert max(map(len, drawn(text, width).splitlines())) <= width


def test_all_that_our_pages_say_can_be_said_in_ascii() -> None:
    stream = io.TextIOWrapper(io.BytesIO(), "ascii")
    paper = Paper(make_console(stream, color=False, width=80))
    for path in sorted(DOCS.rglob("*.md")):
        assert sayable(paper, path.read_text(encoding="utf-8")).isascii(), path
    markdown_screen(paper, "- once → twice\n")
    stream.seek(0)
    assert stream.read() == "  - once -> twice\n"
