"""The door for foreign text, and how many columns a text takes."""

from __future__ import annotations

import pyte
import pytest

from replanctl.show.text import ASCII, UNICODE, cell, clean, cut, glyphs_for, pad, split, width

CLEANED = {
    "plain": ("look up A", "look up A"),
    "markup stays text": ("[bold]x[/bold] [/x] list[str] :smile:", "[bold]x[/bold] [/x] list[str] :smile:"),
    "line break": ("a\nb", "a b"),
    "Windows line break": ("a\r\nb", "a b"),
    "carriage return": ("safe\rEVIL", "safe EVIL"),
    "tab": ("a\tb", "a b"),
    "vertical": ("a\vb\fc\x1cd\x85e\u2028f\u2029g", "a b c d e f g"),
    "CSI": ("\x1b[31mred\x1b[2J", "⟨U+001B⟩[31mred⟨U+001B⟩[2J"),
    "OSC": ("\x1b]0;title\x07", "⟨U+001B⟩]0;title⟨U+0007⟩"),
    "C1 CSI": ("\x9b31m", "⟨U+009B⟩31m"),
    "NUL, BEL, BS, DEL": ("\0\a\b\x7f", "⟨U+0000⟩⟨U+0007⟩⟨U+0008⟩⟨U+007F⟩"),
    "bidi override": ("exe\u202egpj", "exe⟨U+202E⟩gpj"),
    "bidi isolate": ("\u2066x\u2069\u200f", "⟨U+2066⟩x⟨U+2069⟩⟨U+200F⟩"),
    "zero width": ("a\u200bb\u200cc\u200dd\u2060e\ufefff", "a⟨U+200B⟩b⟨U+200C⟩c⟨U+200D⟩d⟨U+2060⟩e⟨U+FEFF⟩f"),
    "soft hyphen": ("a\u00adb", "a⟨U+00AD⟩b"),
    "fillers": ("a\u3164b\u115fc\u034fd", "a⟨U+3164⟩b⟨U+115F⟩c⟨U+034F⟩d"),
    "tags": ("a\U000e0041", "a⟨U+E0041⟩"),
    "variation selectors": ("a\ufe00b\U000e0100", "a⟨U+FE00⟩b⟨U+E0100⟩"),
    "presentation selectors": ("❤\ufe0f!", "❤!"),
    "half a surrogate pair": ("a\ud83db", "a⟨U+D83D⟩b"),
    "private use": ("\ue0b0", "⟨U+E0B0⟩"),
    "other spaces": ("a\u2003b\u202fc", "a b c"),
    "ideographic space": ("中\u3000文", "中\u3000文"),
    "Chinese": ("比较三家云厂商", "比较三家云厂商"),
    "combining": ("e\u0301", "e\u0301"),
    "joined emoji": ("👩\u200d💻 👩🏽\u200d🚀 ❤\ufe0f\u200d🔥 🇩🇪", "👩\u200d💻 👩🏽\u200d🚀 ❤\u200d🔥 🇩🇪"),
    "joiners that join no emoji": ("👩\u200d a\u200d👩 \u200d👩", "👩⟨U+200D⟩ a⟨U+200D⟩👩 ⟨U+200D⟩👩"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), CLEANED.values(), ids=CLEANED)
def test_clean(text: str, expected: str) -> None:
    assert clean(text) == expected
    assert clean(clean(text)) == expected  # once through the door, nothing changes


def test_nothing_a_terminal_acts_on_passes() -> None:
    passed = {char for code in range(0x110000) if not (shown := clean(char := chr(code))).isprintable() or not shown}
    # Spaces that mean something are kept; presentation selectors leave nothing behind.
    assert passed == {"\u00a0", "\u3000", "\ufe0e", "\ufe0f"}


def test_escapes_in_ascii() -> None:
    assert clean("\x1b[0m\u202e", ASCII) == "<U+001B>[0m<U+202E>"


WIDTHS = {
    "": 0, "abc": 3, "中文": 4, "é": 1, "e\u0301": 1, "ﾊﾝ": 2, "한글": 4, "👍": 2, "👍🏽": 2, "…→✓✗█·×–": 8,
    "👩🏽\u200d🚀": 2, "🏽": 2, "a🏽": 3, "👍🏽🏽": 4,
    "👩\u200d💻": 2, "🇩🇪": 2, "\u3000": 2, "Ａ": 2, "ไทย้": 3,
}  # fmt: skip


@pytest.mark.parametrize("text", WIDTHS)
def test_width(text: str) -> None:
    assert width(text) == WIDTHS[text]


@pytest.mark.parametrize(
    "text", ["abc", "中文", "e\u0301x", "ﾊﾝ", "한글", "👍", "👩\u200d💻", "…→✓✗█·×–", "\u3000", "Ａ"]
)
def test_width_is_what_a_terminal_takes(text: str) -> None:
    screen = pyte.Screen(40, 1)
    pyte.Stream(screen).feed(text)
    assert screen.cursor.x == width(text)


CUTS = {
    "fits": ("abc", 3, "abc"),
    "cut": ("abcdef", 4, "abc…"),
    "no space before the ellipsis": ("ab cdef", 4, "ab…"),
    "wide fits": ("中文", 4, "中文"),
    "wide cut": ("中文字", 5, "中文…"),
    "wide cut in the middle of one": ("中文字", 4, "中…"),
    "combining stays with its letter": ("e\u0301e\u0301e\u0301", 2, "e\u0301…"),
    "cleaned before it is cut": ("\x1bx", 4, "⟨U+…"),
    "joined emoji stay whole": ("ab👩🏽\u200d💻c", 4, "ab…"),
    "a skin colour stays": ("ab👩🏽c", 4, "ab…"),
    "a flag stays whole": ("ab🇩🇪🇫🇷", 5, "ab🇩🇪…"),
    "one column": ("abc", 1, "…"),
    "none": ("abc", 0, ""),
    "less than none": ("abc", -3, ""),
    "very long": ("x" * 1_000_000, 5, "xxxx…"),
    "long and without width": ("e" + "\u0301" * 1_000, 5, "e" + "\u0301" * 103 + "…"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "columns", "expected"), CUTS.values(), ids=CUTS)
def test_cut(text: str, columns: int, expected: str) -> None:
    assert cut(text, columns) == expected


def test_cut_in_ascii() -> None:
    assert [cut("abcdef", n, ASCII) for n in (6, 5, 3, 2)] == ["abcdef", "ab...", "...", ""]


@pytest.mark.parametrize("columns", range(1, 9))
@pytest.mark.parametrize("text", ["", "abc", "中文字", "e\u0301e\u0301", "👍👍👍👍👍", "a\nb\x1b"])
def test_a_cell_takes_its_columns(text: str, columns: int) -> None:
    assert width(cell(text, columns)) == columns


def test_pad() -> None:
    assert (pad("中", 4), pad("中", 4, right=True), pad("abc", 2)) == ("中  ", "  中", "abc")


def test_split() -> None:
    assert [split("中文", n) for n in (0, 1, 2, 3, 4)] == [
        ("", "中文"),
        ("", "中文"),
        ("中", "文"),
        ("中", "文"),
        ("中文", ""),
    ]
    assert [split("abc", n) for n in (-1, 0, 2)] == [("", "abc"), ("", "abc"), ("ab", "c")]


@pytest.mark.parametrize(
    ("encoding", "expected"),
    [("utf-8", UNICODE), (None, UNICODE), ("utf-16", UNICODE), ("ascii", ASCII), ("latin-1", ASCII), ("cp437", ASCII),
     ("gbk", ASCII), ("no-such-codec", ASCII)],
)  # fmt: skip
def test_glyphs(encoding: str | None, expected: object) -> None:
    assert glyphs_for(encoding) is expected


def test_joined_without_an_end_is_not_read_to_its_end() -> None:
    endless = "👩🏽\u200d" * 50_000
    assert len(cut(endless, 5)) < 120
    assert width(cut(endless, 5)) <= 5


@pytest.mark.parametrize("text", ["👍🏽", "👩\u200d🚀", "👩🏽\u200d🚀", "👨\u200d👩\u200d👧\u200d👦", "🇩🇪"])
def test_emoji_of_several_characters_are_printed_whole_or_not_at_all(text: str) -> None:
    """And they take two columns, as terminals show them, wherever they stand."""
    assert width(text) == 2
    assert cut(f"a{text}b", 4) == f"a{text}b"
    assert cut(f"a{text}bc", 3) == "a…"
    assert cell(text, 4) == f"{text}  "
