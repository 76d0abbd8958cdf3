"""Command lines: both readers give the same, and what is wrong is said in typer's words."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import pytest

from replanctl.cli.flags import Color, Flag, Format, Shared, Verb, amount, count, or_none, positive, step_count
from replanctl.cli.quick import read_quickly, verb_first
from replanctl.cli.typed import read_with_typer
from replanctl.errors import UsageError


class Cook(Shared, frozen=True, kw_only=True):
    """Every kind of parameter there is."""

    dish: Annotated[str, Flag("What to cook.", "DISH", positional=True)]
    more: Annotated[tuple[Path, ...], Flag("What else.", "MORE", Path, positional=True, many=True)] = ()
    guests: Annotated[int | None, Flag("For how many.", "N", count)] = None
    limit: Annotated[int | None, Flag("At most.", "N", or_none(positive))] = 7
    spice: Annotated[tuple[int, ...], Flag("How hot.", "N", count, many=True)] = ()
    output: Annotated[str | None, Flag("Where to.", "FILE", short="-o")] = None
    format: Annotated[Format, Flag("How.", "FORMAT", Format)] = Format.TEXT
    no_salt: Annotated[bool, Flag("Without.")] = False


COOK = Verb("Cook a dish.", Cook, lambda options, world: 0)

READ: list[tuple[list[str], Cook]] = [
    (["soup"], Cook(dish="soup")),
    (["soup", "a", "b"], Cook(dish="soup", more=(Path("a"), Path("b")))),
    (["--guests", "3", "soup"], Cook(dish="soup", guests=3)),
    (["soup", "--guests=0"], Cook(dish="soup", guests=0)),
    (["soup", "--guests", "3", "--guests", "4"], Cook(dish="soup", guests=4)),
    (["soup", "--limit", "none"], Cook(dish="soup", limit=None)),
    (["soup", "--spice", "1", "--spice=2"], Cook(dish="soup", spice=(1, 2))),
    (["soup", "-o", "f", "--no-salt", "-q"], Cook(dish="soup", output="f", no_salt=True, quiet=True)),
    (["soup", "-o", "--guests"], Cook(dish="soup", output="--guests")),
    (["soup", "--output", ""], Cook(dish="soup", output="")),
    (["-", "--format", "json"], Cook(dish="-", format=Format.JSON)),
    (["--", "--soup", "-q"], Cook(dish="--soup", more=(Path("-q"),))),
    (["soup", "--color=never", "--store", "s", "--debug"],
     Cook(dish="soup", color=Color.NEVER, store=Path("s"), debug=True)),
]  # fmt: skip

# What the quick reader leaves to typer, which understands it or says what is wrong.
LEFT: list[tuple[list[str], Cook | str]] = [
    (["soup", "-of"], Cook(dish="soup", output="f")),
    (["soup", "-qof"], Cook(dish="soup", output="f", quiet=True)),
    ([], "Missing argument 'DISH'."),
    (["soup", "--guests"], "Option '--guests' requires an argument."),
    (["soup", "--guests", "-1"], "Invalid value for '--guests': '-1' is not a whole number from 0"),
    (["soup", "--limit", "0"], "Invalid value for '--limit': '0' is not a whole number from 1"),
    (["soup", "--format", "xml"], "Invalid value for '--format': 'xml' is not one of 'text', 'json'."),
    (["soup", "--no-salt=1"], "Option '--no-salt' does not take a value."),
    (["soup", "--color", "blue"], "Invalid value for '--color': 'blue' is not one of 'auto', 'always', 'never'."),
]  # fmt: skip


def typed(words: list[str]) -> object:
    """What typer makes of the words."""
    found = read_with_typer(["cook", *words], {"cook": COOK})
    assert isinstance(found, tuple)
    return found[1]


@pytest.mark.parametrize(("words", "expected"), READ, ids=lambda value: str(value)[:40])
def test_both_readers_agree(words: list[str], expected: Cook) -> None:
    assert read_quickly(words, Cook) == expected
    assert typed(words) == expected


@pytest.mark.parametrize(("words", "expected"), LEFT, ids=lambda value: str(value)[:40])
def test_what_is_not_plain_is_left_to_typer(words: list[str], expected: Cook | str) -> None:
    assert read_quickly(words, Cook) is None
    if isinstance(expected, Cook):
        assert typed(words) == expected
    else:
        with pytest.raises(UsageError) as caught:
            typed(words)
        assert (str(caught.value), caught.value.hint) == (expected, "replanctl cook --help")


def test_an_unknown_option_names_the_nearest() -> None:
    with pytest.raises(UsageError) as caught:
        typed(["soup", "--guest", "1"])
    assert str(caught.value) == "No such option: --guest"
    assert caught.value.hint == "did you mean --guests? replanctl cook --help lists them all"


def test_an_unknown_verb_names_the_nearest() -> None:
    with pytest.raises(UsageError, match=r"^No such command 'coke'\. Did you mean 'cook'\?$"):
        read_with_typer(["coke"], {"cook": COOK, "eat": COOK})


def test_help_shows_every_option(capsys: pytest.CaptureFixture[str]) -> None:
    assert read_with_typer(["cook", "--help"], {"cook": COOK}) == 0
    said = capsys.readouterr().out
    for word in (
        "Cook a dish.",
        "DISH",
        "--guests",
        "For how many.",
        "-o, --output",
        "MORE...",
        "text|json",
        "--store",
        "-q",
    ):
        assert word in said


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["run", "p", "-q"], ["run", "p", "-q"]),
        (["-q", "run", "p"], ["run", "-q", "p"]),
        (["--store", "run", "run", "p"], ["run", "--store", "run", "p"]),
        (["--store=run", "--debug", "run"], ["run", "--store=run", "--debug"]),
        (["--max-steps", "3", "run"], ["--max-steps", "3", "run"]),
        (["--help"], ["--help"]),
        ([], []),
    ],
)
def test_the_verb_comes_first(words: list[str], expected: list[str]) -> None:
    assert verb_first(words) == expected


@pytest.mark.parametrize(
    ("parse", "good", "bad"),
    [
        (count, {"0": 0, "12": 12}, ["-1", "1.5", "", "x", "٣", "1_0", " 1", "9" * 40]),
        (positive, {"1": 1}, ["0", "none"]),
        (or_none(count), {"0": 0, "none": None, "null": None}, ["None", ""]),
        (step_count, {"100000": 100000}, ["0", "100001"]),
        (amount, {"3.00": 3.0, "0": 0.0, "1e2": 100.0}, ["-1", "nan", "inf", "x", ""]),
    ],
)
def test_values(parse: object, good: dict[str, object], bad: list[str]) -> None:
    assert callable(parse)
    assert {text: parse(text) for text in good} == good
    for text in bad:
        with pytest.raises(ValueError, match=r"is not a|are more than"):
            parse(text)
