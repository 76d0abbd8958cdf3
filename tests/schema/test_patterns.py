"""Patterns: they match as `re` says, in a time that `re` does not promise."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replanctl.schema.patterns import PatternError, pattern

_ESCAPES = [rf"\{letter}" for letter in "dDwWsSAZbB"]
_atoms = st.sampled_from([*_ESCAPES, *".^ab1_é \n", "", "[ab]", "[^a]", "[0-9]", r"[^\w ]", "a|b"])
_patterns = st.recursive(
    _atoms,
    lambda part: st.one_of(
        st.tuples(part, part).map("".join),
        st.tuples(part, part).map(lambda pair: f"(?:{pair[0]}|{pair[1]})"),
        st.tuples(part, st.sampled_from(["*", "+", "?", "*?", "+?", "{2}", "{1,3}", "{2,}"])).map(
            lambda pair: f"({pair[0]}){pair[1]}"
        ),
    ),
    max_leaves=8,
)


@settings(max_examples=1000, deadline=None)
@given(text=_patterns, searched=st.text("ab1_ \né", min_size=1, max_size=8))
def test_a_pattern_matches_what_re_says(text: str, searched: str) -> None:
    assert pattern(text).found_in(searched) == bool(re.search(text, searched))


FOUND: list[tuple[str, str, bool]] = [
    (r"^[a-z0-9]+(-[a-z0-9]+)*$", "two-words-3", True),
    (r"^[a-z0-9]+(-[a-z0-9]+)*$", "two--words", False),
    (r"^\d{4}-\d{2}-\d{2}$", "2024-01-31", True),
    (r"^\d{4}-\d{2}-\d{2}$", "2024-1-31", False),
    (r"^[^@\s]+@[^@\s]+\.[a-z]{2,}$", "a.b@example.org", True),
    ("", "", True),
    ("^$", "", True),
    ("^a$", "a\n", False),  # the end is the end, as in JavaScript
    ("^(a+)+$", "a" * 5000 + "!", False),
    ("a*a*a*a*a*a*b", "a" * 5000, False),
    ("(.*)*(.*)*(.*)*x", "y" * 2000, False),
    ("(a|aa|aaa)*$", "a" * 5000, True),
    ("(|a|b)*c", "ab" * 2000, False),
    ("^.{0,4000}$", "x" * 4000, True),
]


@pytest.mark.parametrize(("text", "searched", "found"), FOUND, ids=lambda value: str(value)[:30])
def test_a_pattern_is_found_or_not(text: str, searched: str, found: bool) -> None:
    assert pattern(text).found_in(searched) is found


REFUSED: list[tuple[str, str]] = [
    ("(", "missing ), unterminated subpattern at position 0"),
    ("a" * 1001, "longer than 1,000 characters"),
    ("(" * 499 + ")" * 499, "nested too deep"),
    ("(a{100}){101}", "its repeats make it too large"),
    ("a{99999999999}", "the repetition number is too large"),
    ("(?i)a", "it sets flags, which is not followed"),
    *((text, "it looks around, refers back or sets flags, which is not followed")
      for text in ("(?=a)", "(?<!a)b", r"(a)\1", "(?i:a)", "(?>a)", "a++", "(a)?(?(1)b|c)")),
]  # fmt: skip


@pytest.mark.parametrize(("text", "why"), REFUSED, ids=lambda value: value[:30])
def test_what_can_not_be_followed_is_refused(text: str, why: str) -> None:
    with pytest.raises(PatternError) as refused:
        pattern(text)
    assert str(refused.value) == why


def test_a_text_that_takes_too_many_steps_is_refused() -> None:
    with pytest.raises(PatternError) as refused:
        pattern("(a|b)*a(a|b){900}c").found_in("ab" * 5000)
    assert str(refused.value) == "a text of 10,000 characters is too long for it"
