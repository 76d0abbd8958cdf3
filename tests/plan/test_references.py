"""What is a reference and what is text, and what reading, renaming and rendering make of each."""

from __future__ import annotations

from typing import Any

import pytest

from replanctl.plan.model import Alternative, Step
from replanctl.plan.references import Reference, find, follow, in_text, mentions, parse, rename, render, transform
from replanctl.plan.texts import renamed

KNOWN = {"1", "2", "10", "s3", "fetch-a", "fetch", "a-b-c", "x_1"}


def pieces(text: str) -> list[Any]:
    """Text as it is, references as (id, path), one to nothing with a question mark."""
    return [
        (piece.step_id, *piece.path, *(() if piece.known else ("?",))) if isinstance(piece, Reference) else piece.text
        for piece in parse(text, KNOWN)
    ]


# text -> pieces
PARSED: dict[str, list[Any]] = {
    "": [""],
    "plain": ["plain"],
    # a whole string
    "#E1": [("1",)],
    "#Es3": [("s3",)],
    "#Efetch-a": [("fetch-a",)],
    "#E1.rows": [("1", "rows")],
    "#E1.rows[0].price": [("1", "rows", 0, "price")],
    "#E1[0]": [("1", 0)],
    '#E1["any key"]': [("1", "any key")],
    '#E1["a.b"]["[0]"]': [("1", "a.b", "[0]")],
    r'#E1["quote \" and \\"]': [("1", 'quote " and \\')],
    '#E1[""]': [("1", "")],
    '#E1["é"]': [("1", "é")],
    # the longest known id that no letter or digit follows
    "#E10": [("10",)],
    "#E1 ": [("1",), " "],
    "#E1-#E2": [("1",), "-", ("2",)],
    "#E1#E2": [("1",), ("2",)],
    "#E1-x": [("1",), "-x"],
    "#E1_": [("1",), "_"],
    "#Efetch-b": [("fetch",), "-b"],
    "#Efetch-a-b": [("fetch-a",), "-b"],
    "#Efetch-ab": [("fetch",), "-ab"],
    "#Ea-b-c-d": [("a-b-c",), "-d"],
    "#Ex_1": [("x_1",)],
    "#E1é": [("1",), "é"],  # letters are ASCII
    "#E1٣": [("1",), "٣"],  # digits too
    # inside a longer text
    "sum #E1 and #E2.": ["sum ", ("1",), " and ", ("2",), "."],
    "(#E1.rows)": ["(", ("1", "rows"), ")"],
    "a#E1b": ["a#E1b"],
    "a#E1 b": ["a", ("1",), " b"],
    # paths end where they stop being paths
    "#E1.a-b": [("1", "a-b")],
    "#E1.a-": [("1", "a"), "-"],
    "#E1.a--b": [("1", "a--b")],
    "#E1._x": [("1", "_x")],
    "#E1.a_": [("1", "a_")],
    "#E1.2x": [("1",), ".2x"],
    "#E1.": [("1",), "."],
    "#E1..a": [("1",), "..a"],
    "#E1.é": [("1",), ".é"],
    "#E1[-1]": [("1",), "[-1]"],
    "#E1[x]": [("1",), "[x]"],
    "#E1['x']": [("1",), "['x']"],
    '#E1["x]': [("1",), '["x]'],
    r'#E1["\q"]': [("1",), r'["\q"]'],
    "#E1[0": [("1",), "[0"],
    "#E1 .rows": [("1",), " .rows"],
    # in running text only known ids are references
    "C#E": ["C#E"],
    "#12": ["#12"],
    "#E": ["#E"],
    "see #E404 there": ["see #E404 there"],
    "see #E1E1E1 there": ["see #E1E1E1 there"],
    "#E404 ": ["#E404 "],
    "#E404-": [("404-", "?")],
    "#E404 #E1": ["#E404 ", ("1",)],
    "#e1": ["#e1"],
    # nothing but #E and an unknown id is a reference to nothing
    "#E404": [("404", "?")],
    "#E404.rows[0]": [("404", "rows", 0, "?")],
    "#Etypo": [("typo", "?")],
    "#E1E1E1": [("1E1E1", "?")],
    "#E" + "a" * 64: [("a" * 64, "?")],
    "#E" + "a" * 65: ["#E" + "a" * 65],
    # ##E and an id character is the literal
    "##E1": ["#E1"],
    "##E404": ["#E404"],
    "##Ex y": ["#Ex y"],
    "##E": ["##E"],
    "##E ": ["##E "],
    "###E1": ["##E1"],
    "##E1 #E1": ["#E1 ", ("1",)],
    "#E1 ##E1": [("1",), " #E1"],
    "#E1##E2": [("1",), "#E2"],
    "##E1.rows": ["#E1.rows"],
}


@pytest.mark.parametrize(("text", "expected"), PARSED.items(), ids=PARSED)
def test_what_is_a_reference(text: str, expected: list[Any]) -> None:
    assert pieces(text) == expected


@pytest.mark.parametrize("text", PARSED)
def test_references_keep_their_text(text: str) -> None:
    assert all(piece.text in text for piece in parse(text, KNOWN) if isinstance(piece, Reference))


@pytest.mark.parametrize("text", PARSED)
def test_renaming_nothing_changes_nothing(text: str) -> None:
    """Escapes included: a text is rewritten as it stands in the plan, not as it would be read."""
    assert rename({"q": text}, KNOWN, {}) == {"q": text}
    assert rename({"q": text}, KNOWN, {id_: id_ for id_ in KNOWN}) == {"q": text}


@pytest.mark.parametrize(
    ("text", "renamed"),
    [
        ("#E1", "#E7"),
        ("#E1.rows[0]", "#E7.rows[0]"),
        ('#E1["any key"]', '#E7["any key"]'),
        ("#E2", "#Es4"),
        ("#E10", "#E10"),
        ("#E10 #E1", "#E10 #E7"),
        ("#E404 #E1 #E404", "#E404 #E7 #E404"),
        ("#E1-#E2", "#E7-#Es4"),
        ("#E1#E2", "#E7#Es4"),
        ("#E1x #E1", "#E1x #E7"),
        ("##E1 #E1 ##E1", "##E1 #E7 ##E1"),
        ("###E1 #E1", "###E1 #E7"),
        ("sum #E1, #E1 and #E2.a", "sum #E7, #E7 and #Es4.a"),
        ("##E1", "##E1"),
        ("#E404", "#E404"),
    ],
)
def test_renaming(text: str, renamed: str) -> None:
    assert rename({"q": text}, KNOWN, {"1": "7", "2": "s4"}) == {"q": renamed}


def test_renames_do_not_chain() -> None:
    assert rename({"q": ["#E1 #E2", {"x": "#E2"}]}, KNOWN, {"1": "2", "2": "1"}) == {"q": ["#E2 #E1", {"x": "#E1"}]}


def test_a_reference_to_nothing_can_be_renamed() -> None:
    assert rename({"q": "#E404.a"}, KNOWN, {"404": "9"}) == {"q": "#E9.a"}


# In each, 1 becomes 7, and 7 was no id when the text was written.
@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("#E1", "#E7"),
        ("see #E1 and #E7", "see #E7 and ##E7"),
        ("#E7.rows, #E1.rows, #E7x and #E77", "##E7.rows, #E7.rows, #E7x and #E77"),
        ("##E7 #E1", "##E7 #E7"),
        ("see #E7", "see #E7"),
        ("#E7", "#E7"),
        ("#E404", "#E404"),
    ],
)
def test_an_older_text_stays_as_it_was(text: str, after: str) -> None:
    step = renamed(Step("8", "t", {"q": text}), KNOWN, {"1": "7", "404": "9"})
    assert step.args == {"q": after}


def test_a_name_that_an_alternative_is_given_is_escaped_in_the_args_and_the_other_way_round() -> None:
    step = Step("8", "t", {"q": "see #E7"}, alternatives=(Alternative(args={"q": "#E1"}),))
    new = renamed(step, KNOWN, {"1": "7"})
    assert (new.args, new.alternatives[0].args) == ({"q": "see ##E7"}, {"q": "#E7"})
    step = Step("8", "t", {"q": "#E1"}, alternatives=(Alternative(args={"q": "see #E7"}),))
    new = renamed(step, KNOWN, {"1": "7"})
    assert (new.args, new.alternatives[0].args) == ({"q": "#E7"}, {"q": "see ##E7"})


@pytest.mark.parametrize("value", [0, False, "", None, [], {}, 1.5, "text", ["#E2"], {"a": "#E2"}, "#E2", "##E2"])
def test_a_whole_string_takes_the_value_with_its_type_and_nothing_is_scanned_again(value: Any) -> None:
    found = transform({"q": "#E1"}, KNOWN, lambda r: value, lambda r: pytest.fail("not inside a text"))
    assert found == {"q": value}
    assert type(found["q"]) is type(value)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("plain", "<plain>"),
        ("", "<>"),
        ("#E2", "<#E2>"),
        ("##E2", "<##E2>"),
        (0, "<0>"),
        (1.5, "<1.5>"),
        (True, "<true>"),
        (False, "<false>"),
        (None, "<null>"),
        ([1, "a"], '<[1,"a"]>'),
        ({"a": [], "b": {}}, '<{"a":[],"b":{}}>'),
        ("zwölf", "<zwölf>"),
        (["zwölf"], '<["zwölf"]>'),
    ],
)
def test_inside_a_text_values_are_interpolated(value: Any, text: str) -> None:
    args = {"q": "<#E1>"}
    assert transform(args, KNOWN, lambda r: None, lambda r: in_text(value)) == {"q": text}
    assert args == {"q": "<#E1>"}


def test_the_args_are_read_at_any_depth_and_never_changed() -> None:
    args = {"a": ["#E1", {"b": ("##E1", "<#E2>")}], "#E1": 1, "c": 5, "d": None}
    seen = transform(args, KNOWN, lambda r: [r.step_id], lambda r: r.step_id.upper())
    assert seen == {"a": [["1"], {"b": ["#E1", "<2>"]}], "#E1": 1, "c": 5, "d": None}
    assert args == {"a": ["#E1", {"b": ("##E1", "<#E2>")}], "#E1": 1, "c": 5, "d": None}


@pytest.mark.parametrize(
    ("args", "texts", "maybe"),
    [
        ({}, [], False),
        ({"a": 1, "b": "plain"}, [], False),
        ({"#E1": "plain"}, [], False),  # keys are no values
        ({"a": {"#E1": ["x"]}}, [], False),
        ({"a": "#E1"}, ["#E1"], True),
        ({"a": ["#E2", {"b": "<#E1.x> #E2"}], "c": "#E10"}, ["#E2", "#E1.x", "#E2", "#E10"], True),
        ({"a": "##E1"}, [], True),
        ({"a": "see #E404 there"}, [], True),
        ({"a": "#E404"}, ["#E404"], True),
    ],
)
def test_finding_them_in_reading_order(args: dict[str, Any], texts: list[str], maybe: bool) -> None:
    assert [reference.text for reference in find(args, KNOWN)] == texts
    assert mentions(args) is maybe


PATHS: list[tuple[tuple[str | int, ...], str]] = [
    ((), "#E1"),
    (("rows", 0, "price"), "#E1.rows[0].price"),
    (("any key",), '#E1["any key"]'),
    (("a-b", "_", "a-"), '#E1.a-b._["a-"]'),
    (("", "0", 'q"'), r'#E1[""]["0"]["q\""]'),
    (("é", "\n"), '#E1["é"]["\\n"]'),
    (("编号", "\u202e"), '#E1["编号"]["\\u202e"]'),
]


@pytest.mark.parametrize(("path", "text"), PATHS)
def test_a_rendered_reference_reads_back(path: tuple[str | int, ...], text: str) -> None:
    assert render("1", path) == text
    assert parse(text, KNOWN) == (Reference("1", path, text),)


VALUE = {"rows": [{"price": 0}, [7]], "0": "text key", "none": None, "": "empty key"}


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ((), VALUE),
        (("rows", 0, "price"), 0),
        (("rows", 1, 0), 7),
        (("none",), None),
        (("0",), "text key"),
        (("",), "empty key"),
    ],
)
def test_following_a_path(path: tuple[str | int, ...], found: Any) -> None:
    assert follow(VALUE, path) == found


@pytest.mark.parametrize(
    ("value", "path"),
    [
        (VALUE, ("row",)),
        (VALUE, (0,)),  # an index is no key
        (VALUE, ("rows", 2)),
        (VALUE, ("rows", "0")),
        (VALUE, ("none", "x")),
        ("text", (0,)),  # text has no parts
        ("text", ("x",)),
        (5, ("real",)),
        (True, (0,)),
    ],
)
def test_a_path_that_leads_nowhere(value: Any, path: tuple[str | int, ...]) -> None:
    with pytest.raises(LookupError):
        follow(value, path)
