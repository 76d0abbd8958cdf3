"""What other systems write where they mean a step's result."""

from __future__ import annotations

import pytest

from replanctl.plan.foreign import foreign_references
from tests.pace import seconds_of

IDS = {"1", "2", "fetch", "fetch_1", "a-b", "Extract"}

FOREIGN: list[tuple[str, str, str]] = [  # a text, the placeholder in it, and what to write instead
    ("$1", "$1", "#E1"),
    ("$1.rows[0]", "$1.rows[0]", "#E1.rows[0]"),
    ("$E1", "$E1", "#E1"),
    ("$step_2", "$step_2", "#E2"),
    ("pay $1.price now", "$1.price", "#E1.price"),
    ("${1}", "${1}", "#E1"),
    ("a ${fetch.rows} b", "${fetch.rows}", "#Efetch.rows"),
    ("${a-b}", "${a-b}", "#Ea-b"),
    ("<GENERATED>-1", "<GENERATED>-1", "#E1"),
    ("see <GENERATED>-2.", "<GENERATED>-2", "#E2"),
    ("{{steps.1.outputs.result}}", "{{steps.1.outputs.result}}", "#E1"),
    ("x {{ steps['fetch_1'].outputs }} y", "{{ steps['fetch_1'].outputs }}", "#Efetch_1"),
    ("{{step1}}", "{{step1}}", "#E1"),
    ("{{ steps1.rows }}", "{{ steps1.rows }}", "#E1.rows"),
    ("${{ steps.fetch.outputs.rows }}", "${{ steps.fetch.outputs.rows }}", "#Efetch.rows"),
    ("#fetch_1.rows", "#fetch_1.rows", "#Efetch_1.rows"),
    ("#fetch", "#fetch", "#Efetch"),
    ("#1", "#1", "#E1"),
    ("see #fetch.rows here", "#fetch.rows", "#Efetch.rows"),
    ("all of #Extract.rows", "#Extract.rows", "#EExtract.rows"),
]
TEXT = [
    "", "pay $1 now", "$12", "see #1", "C#1", "#12", "#404", "${HOME}", "{{ user }}", "{}", "{{}}", "<GENERATED>-9",
    "#E1", "#E1.rows", "#Efetch_1", "##E1", "${#E1}", "{{#E1.rows}}", "a#fetch.rows", "##fetch.rows", "US$1.price",
    "#E404", "#Extract",
]  # fmt: skip


@pytest.mark.parametrize(("text", "placeholder", "form"), FOREIGN)
def test_a_placeholder_of_another_system(text: str, placeholder: str, form: str) -> None:
    (found,) = foreign_references(text, IDS)
    assert (found.text, found.form) == (placeholder, form)
    assert foreign_references(text, set()) == ()


@pytest.mark.parametrize("text", TEXT)
def test_what_is_none(text: str) -> None:
    assert foreign_references(text, IDS) == ()


def test_several_are_told_in_their_order() -> None:
    found = foreign_references("$fetch.a and {{steps.2.b}}, ${1}", IDS)
    assert [foreign.step_id for foreign in found] == ["fetch", "2", "1"]


@pytest.mark.parametrize(
    "part", ["$1.a ", "{{1}}", "{{", "${", "$", "#fetch.a", "#E", "<GENERATED>-1", "${" + "a" * 199]
)
def test_a_long_text_takes_time_by_its_length(part: str) -> None:
    text = part * (1_000_000 // len(part))
    assert seconds_of(lambda: foreign_references(text, IDS), 5) < 5
