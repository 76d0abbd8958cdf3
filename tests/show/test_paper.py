"""Lines on a console: colour by the caller's word, folded with a hanging indent, never too wide."""

from __future__ import annotations

import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replanctl.show.console import make_console, terminal_width
from replanctl.show.paper import STYLES, Paper, Span, fold
from replanctl.show.text import GLUE, clean, width

ANSI = re.compile(r"\x1b\[[0-9;]*m")


def printed(
    *lines: tuple[object, ...], columns: int = 80, color: bool = False, encoding: str = "utf-8", **kw: int
) -> str:
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding, newline="\n")
    paper = Paper(make_console(stream, color=color, width=columns))
    for line in lines:
        paper.line(*line, **kw)  # type: ignore[arg-type]
    stream.flush()
    return stream.buffer.getvalue().decode(encoding)  # type: ignore[attr-defined]


@pytest.mark.parametrize("color", [False, True])
def test_colour_is_the_callers_word(color: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    surroundings = {"FORCE_COLOR": "1", "NO_COLOR": "1", "TERM": "dumb", "GITHUB_ACTIONS": "true", "COLUMNS": "7"}
    alone = printed((Span("x", "failed"),), color=color)
    for name, value in surroundings.items():
        monkeypatch.setenv(name, value)
    assert printed((Span("x", "failed"),), color=color) == alone == ("\x1b[1;31mx\x1b[0m\n" if color else "x\n")


@pytest.mark.parametrize("name", STYLES)
def test_every_style_only_adds_colour(name: str) -> None:
    coloured = printed((Span("x", name),), color=True)
    assert coloured != "x\n"
    assert ANSI.sub("", coloured) == "x\n"


@pytest.mark.parametrize(("asked", "got"), [(0, 20), (20, 20), (80, 80), (400, 400), (4000, 400)])
def test_width_is_bounded(asked: int, got: int) -> None:
    assert make_console(io.StringIO(), color=False, width=asked).width == got


def test_a_stream_that_is_no_terminal_has_80_columns(tmp_path: object) -> None:
    assert terminal_width(io.StringIO()) == 80
    assert make_console(io.StringIO(), color=False).width == 80


FOLDED = {
    "fits": ("one two", 0, 0, "one two\n"),
    "at a space": ("0123456789 123456789", 0, 0, "0123456789 123456789\n"),
    "hanging": ("0123456789 123456789 next", 0, 4, "0123456789 123456789\n    next\n"),
    "indented": ("0123456789 123456789", 2, 4, "  0123456789\n    123456789\n"),
    "long word": ("0123456789012345678901234", 0, 2, "01234567890123456789\n  01234\n"),
    "long word after a short one": ("ab 0123456789012345678901234", 0, 2, "ab 01234567890123456\n  78901234\n"),
    "word that fits the next line": ("0123456789 0123456789", 0, 2, "0123456789\n  0123456789\n"),
    "long words after a full line": ("0123456789 12345678 0123456789012345678901 x", 0, 2,
                                     "0123456789 12345678\n  012345678901234567\n  8901 x\n"),
    "glue holds": (f"0123456789012345 a{GLUE}bcd", 0, 2, "0123456789012345\n  a bcd\n"),
    "glue that fits nowhere gives way": (f"go{GLUE}on --set{GLUE}a:b{GLUE}--and{GLUE}more", 0, 2,
                                         "go on --set a:b\n  --and more\n"),
    "glue in a line that fits": (f"x: 0123456 a{GLUE}bcdefg{GLUE}hi", 0, 2, "x: 0123456\n  a bcdefg hi\n"),
    "Chinese anywhere": ("比较三家云厂商的存储成本和费用", 0, 2, "比较三家云厂商的存储\n  成本和费用\n"),
    "wide at the edge": ("a比较三家云厂商的存储", 0, 2, "a比较三家云厂商的存\n  储\n"),
    "spaces at the end": ("0123456789 123456789    next  ", 0, 0, "0123456789 123456789\nnext\n"),
    "indent wider than half": ("a b c d e f g h i j", 15, 15, "         a b c d e f\n         g h i j\n"),
    "control codes": ("\x1b[2J\nx", 0, 0, "⟨U+001B⟩[2J x\n"),
    "nothing": ("", 3, 3, "\n"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "indent", "hang", "expected"), FOLDED.values(), ids=FOLDED)
def test_folding(text: str, indent: int, hang: int, expected: str) -> None:
    assert printed((text,), columns=20, indent=indent, hang=hang) == expected


def test_styles_go_on_where_a_line_folds() -> None:
    line = [Span("0123456789 ", "done"), Span("01234 56789", "failed")]
    assert fold(line, 16, 10) == [
        [Span("0123456789 ", "done"), Span("01234 ", "failed")],
        [Span("56789", "failed")],
    ]


@pytest.mark.parametrize(
    ("encoding", "text", "expected"),
    [
        ("ascii", "中 é €5", "\\u4e2d \\xe9 \\u20ac5\n"),
        ("latin-1", "中 é \x1b", "\\u4e2d é <U+001B>\n"),
        ("latin-1", "\ud800", "\\ud800\n"),
        ("utf-8", "\ud800 中", "⟨U+D800⟩ 中\n"),
        ("ascii", f"60{GLUE}%", "60 %\n"),
    ],
)
def test_what_a_stream_can_not_encode_is_spelled_out(encoding: str, text: str, expected: str) -> None:
    assert printed((text,), encoding=encoding) == expected


def test_parts_side_by_side_do_not_fold_inside() -> None:
    paper = Paper(make_console(io.StringIO(), color=False, width=20))
    assert paper.joined(["tokens 636", "steps 5"]) == f"tokens{GLUE}636{GLUE}· steps{GLUE}5"


TEXTS = st.text(st.sampled_from("abcdefgh 中文\u0301é👍\n\x1b\u202e[]" + GLUE), max_size=90)


@given(
    st.lists(st.builds(Span, TEXTS, st.sampled_from(["", *STYLES])), max_size=5),
    st.integers(20, 120),
    st.integers(0, 40),
    st.integers(0, 40),
)
def test_no_line_is_wider_than_the_console_and_nothing_is_lost(
    spans: list[Span], columns: int, indent: int, hang: int
) -> None:
    plain = printed(tuple(spans), columns=columns, indent=indent, hang=hang)
    assert all(width(line) <= columns and line == line.rstrip() for line in plain.splitlines())
    assert "".join(plain.split()) == "".join("".join(clean(span.text) for span in spans).split())
    assert ANSI.sub("", printed(tuple(spans), columns=columns, color=True, indent=indent, hang=hang)) == plain
