"""YAML as these files know it: what a scalar means, and what is refused, with its place."""

from __future__ import annotations

import json
import signal
from threading import Timer
from time import process_time
from typing import Any

import pytest

from replanctl.files.reader import read
from tests.files.case import found, problems, rehearse
from tests.pace import slowness

SCALARS: list[tuple[str, Any]] = [
    ("true", True),
    ("false", False),
    ("null", None),
    ("~", None),
    ("", None),
    ("0", 0),
    ("-0", 0),
    ("17", 17),
    ("+17", 17),
    ("-17", -17),
    ("9223372036854775807", 2**63 - 1),
    ("-9223372036854775808", -(2**63)),
    ("1.5", 1.5),
    ("-0.25", -0.25),
    (".5", 0.5),
    ("1.", 1.0),
    ("1e3", 1000.0),
    ("1.5E-2", 0.015),
    ("True", "True"),
    ("FALSE", "FALSE"),
    ("Null", "Null"),
    ("yes", "yes"),
    ("no", "no"),
    ("on", "on"),
    ("off", "off"),
    ("y", "y"),
    ("010", "010"),
    ("00", "00"),
    ("01.5", "01.5"),
    ("0o17", "0o17"),
    ("0x1F", "0x1F"),
    ("0b11", "0b11"),
    ("1_000", "1_000"),
    ("1:30", "1:30"),
    ("2024-01-01", "2024-01-01"),
    (".inf", ".inf"),
    ("-.inf", "-.inf"),
    (".nan", ".nan"),
    ("nan", "nan"),
    (".", "."),
    ("=", "="),
    ("1.2.3", "1.2.3"),
    ("1e", "1e"),
    ("１２", "１２"),
    ("1２", "1２"),
    ("'17'", "17"),
    ('"true"', "true"),
    ('""', ""),
    ("''", ""),
    ("a b", "a b"),
    ('"\\u00e9"', "é"),
    ('"\\U0001F600"', "😀"),
]


@pytest.mark.parametrize(("text", "value"), SCALARS)
@pytest.mark.parametrize("anchor", ["", "&a "], ids=["quick", "careful"])
def test_a_scalar_means(text: str, value: Any, anchor: str) -> None:
    document = read("f.yaml", f"k: {anchor}{text}\n")
    got = document.value["k"]
    assert document.faults == []
    assert (got, type(got)) == (value, type(value))


TRAPS: list[tuple[str, list[tuple[str, int, int]]]] = [
    ("", [("empty-file", 1, 1)]),
    ("# nothing but a comment\n", [("empty-file", 1, 1)]),
    ("---\n", [("wrong-type", 2, 1)]),
    ("[1]\n", [("wrong-type", 1, 1)]),
    ("goal: g\ngoal: h\nsteps:\n- {id: 1, tool: t}\n", [("duplicate-key", 2, 1)]),
    ("goal: g\nsteps:\n- {id: 1, tool: t, args: {a: 1, b: 2, a: 3}}\n", [("duplicate-key", 3, 39)]),
    ("goal: g\nsteps:\n- id: 1\n  tool: t\n  'tool': u\n", [("duplicate-key", 5, 3)]),
    ("goal: !!str g\nsteps:\n- {id: 1, tool: t}\n", [("tag", 1, 7)]),
    ("goal: ! g\nsteps:\n- {id: 1, tool: t}\n", [("tag", 1, 7)]),
    ("goal: g\nsteps: !mine\n- {id: 1, tool: t}\n", [("tag", 2, 8)]),
    ("goal: g\nsteps:\n- !!map {id: 1, tool: t}\n", [("tag", 3, 3)]),
    ("goal: g\nsteps:\n- {id: 1, tool: t, args: {!!str a: 1}}\n", [("tag", 3, 27)]),
    ("goal: g\nsteps:\n- &s {id: 1, tool: t}\n- <<: *s\n  id: 2\n  tool: t\n", [("merge-key", 4, 3)]),
    ("goal: g\nsteps:\n- {id: 1, tool: t, args: {1: x}}\n", [("non-text-key", 3, 27)]),
    ("goal: g\nsteps:\n- {id: 1, tool: t, args: {true: x}}\n", [("non-text-key", 3, 27)]),
    ("goal: g\nsteps:\n- {id: 1, tool: t, args: {~: x}}\n", [("non-text-key", 3, 27)]),
    ("goal: g\nsteps:\n- {id: 1, tool: t, args: {1.5: x}}\n", [("non-text-key", 3, 27)]),
    ("goal: g\nsteps:\n- {id: 1, tool: t, args: {[a]: x}}\n", [("non-text-key", 3, 27)]),
    ("goal: g\nsteps:\n- {id: 1, tool: t, args: {? {a: 1} : x}}\n", [("non-text-key", 3, 29)]),
    ("goal: g\nsteps:\n- {id: 1, tool: t}\n---\ngoal: h\n", [("several-documents", 4, 1)]),
    ("goal: g\nsteps:\n- {id: 1, tool: t, args: {n: 9223372036854775808}}\n", [("number-too-large", 3, 30)]),
    ("goal: g\nsteps:\n- {id: 1, tool: t, args: {n: -9223372036854775809}}\n", [("number-too-large", 3, 30)]),
    ("goal: g\nsteps:\n- {id: 1, tool: t, args: {n: 1e999}}\n", [("number-too-large", 3, 30)]),
    (f"goal: g\nsteps:\n- {{id: 1, tool: t, args: {{n: {'9' * 5000}}}}}\n", [("number-too-large", 3, 30)]),
    (f"goal: g\nsteps:\n- {{id: 1, tool: t, args: {{{'9' * 30}: 1}}}}\n", [("number-too-large", 3, 27)]),
    ("goal: *g\nsteps:\n- {id: 1, tool: t}\n", [("unknown-alias", 1, 7), ("wrong-type", 1, 7)]),
    ("goal: g\nsteps:\n- {id: 1, tool: t, args: &a {b: *a}}\n", [("recursive-alias", 3, 33)]),
    ("goal: [a\n", [("yaml-syntax", 2, 1)]),
    ("goal: g\nsteps:\n\t- {id: 1, tool: t}\n", [("yaml-syntax", 3, 1)]),
    ("goal: a: b\n", [("yaml-syntax", 1, 8)]),
    ("goal: @x\n", [("yaml-syntax", 1, 7)]),
    ('goal: "a\\qb"\n', [("bad-escape", 1, 9)]),
    ('goal: "\\ud800"\n', [("bad-escape", 1, 10)]),
    ('goal: "\\ude00\\ud83d"\n', [("bad-escape", 1, 10)]),
    ('{"a": "\\ud83d\\ude00", "goal": "\\ud83d"}\n', [("bad-escape", 1, 34)]),
    ('{"a": "\\ud83d\\ude00", "goal": "g", "steps": [{"id": 1, "tool": "t"}]}\n', [("unknown-key", 1, 2)]),
    ('{"goal": "\\ud83d\\ude00", "a": "g", "steps": [{"id": 1, "tool": "t"}]}\n', [("unknown-key", 1, 26)]),
    ("%TAG ! x:\n---\ngoal: g\n", [("tag", 1, 1)]),
    ("# a\n%YAML 1.1\n%TAG ! x:\n%TAG ! y:\n---\ngoal: g\n", [("tag", 3, 1)]),
    ("goal: g\n...\n%TAG ! x:\n---\nsteps: []\n", [("tag", 3, 1)]),
    ("goal: a\0b\n", [("control-character", 1, 8)]),
    ("goal: 'a\x1bb'\n", [("control-character", 1, 9)]),
    ("goal: g\nsteps: a\x7fb\n", [("control-character", 2, 9)]),
    ("goal: \ud800\n", [("lone-surrogate", 1, 7)]),
    ("%YAML 3.0\n---\ngoal: g\n", [("yaml-syntax", 1, 1)]),
]


@pytest.mark.parametrize(("text", "expected"), TRAPS)
def test_a_trap_is_refused_with_its_place(text: str, expected: list[tuple[str, int, int]]) -> None:
    assert found(text) == expected


def nested(levels: int) -> str:
    """A plan whose deepest list is so many levels down: the file, steps, the step and args are four."""
    return f"goal: g\nsteps:\n- {{id: 1, tool: t, args: {{n: {'[' * (levels - 4)}{']' * (levels - 4)}}}}}\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (nested(64), []),
        (nested(65), [("too-deep", 3, 90)]),
        (nested(100_000), [("too-deep", 3, 1027)]),
        (
            f"goal: g\nx: &a {'[' * 40}{']' * 40}\nsteps: [{{id: 1, tool: t, args: {{n: *a}}}}]\n",
            [("unknown-key", 2, 1)],
        ),
        (f"a: &a {'[' * 40}{']' * 40}\nb: {'[' * 24}*a{']' * 24}\n", [("too-deep", 2, 28)]),
        (f"a: &a {'[' * 40}{']' * 40}\nb: &b [*a]\nc: {'[' * 24}*b{']' * 24}\n", [("too-deep", 3, 28)]),
    ],
    ids=["64", "65", "100000", "shared", "grown", "grown twice"],
)
def test_nesting_ends_at_64_levels_also_through_aliases(text: str, expected: list[tuple[str, int, int]]) -> None:
    assert found(text) == expected


BOMB = "".join(
    ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"]
    + [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 30)]
)
SHARED = "goal: g\nsteps:\n- {id: 1, tool: t, args: &a {x: [1, 2], y: no}}\n- {id: 2, tool: t, args: *a}\n"


def test_aliases_may_repeat_but_not_explode() -> None:
    assert found(BOMB) == [("alias-bomb", 3, 30)]
    first, second = rehearse(SHARED).plan.steps
    assert first.args == second.args == {"x": [1, 2], "y": "no"}


def test_aliases_may_repeat_a_long_text_but_not_beyond_the_size_of_a_file() -> None:
    long, repeated = "x" * 2**20, "*a, " * 62
    text = f"goal: g\nsteps:\n- {{id: 1, tool: t, args: {{a: &a {long}, b: [{repeated}], c: [x, x, x, x]}}}}\n"
    assert found(text) == []
    assert found(text.replace("b: [", "b: [*a, ")) == [("alias-bomb", 3, 2**20 + 287)]


def test_a_fault_behind_an_alias_stands_where_the_alias_is() -> None:
    text = "goal: g\nsteps:\n- {id: 1, tool: t, depends_on: &d [7]}\n- {id: 2, tool: t, depends_on: *d}\n"
    assert found(text) == [("unknown-dependency", 3, 36), ("unknown-dependency", 4, 32)]


def test_every_problem_is_reported_at_once() -> None:
    text = (
        "goal: g\n"
        "goals: h\n"
        "steps:\n"
        "- {id: 1, tool: t, args: {1: a, n: 99999999999999999999}}\n"
        "- {id: 1, tool: t, tool: u, depends_on: [3]}\n"
        "- {tool: t, on_failure: retry}\n"
        "policy: {mode: none}\n"
    )
    assert found(text) == [
        ("unknown-key", 2, 1),
        ("non-text-key", 4, 27),
        ("number-too-large", 4, 36),
        ("duplicate-id", 5, 8),
        ("duplicate-key", 5, 20),
        ("unknown-dependency", 5, 42),
        ("missing-key", 6, 3),
        ("bad-choice", 6, 25),
        ("bad-choice", 7, 16),
    ]


def test_a_thousand_errors_are_told_and_no_more() -> None:
    text = "goal: g\nsteps:\n" + "- {id: 1, tool: t}\n" * 1001
    assert len(found(text)) == 1000
    *told, last = problems(text + "- {id: 1, tool: t}\n")
    assert ({problem.rule for problem in told}, len(told)) == ({"duplicate-id"}, 1000)
    assert (last.rule, last.line, last.message) == ("many-errors", 1004, "these are 1,000 errors: no more are told")


def test_a_thousand_warnings_are_told_and_no_more_and_errors_still_are() -> None:
    text = "goal: g\nsteps:\n- id: 1\n  tool: t\n  args:\n" + "".join(f"    k{at}: '#Ex{at}'\n" for at in range(1100))
    *told, last = problems(text)
    assert ({problem.rule for problem in told}, len(told)) == ({"unknown-reference"}, 1000)
    assert (last.rule, last.severity) == ("many-warnings", "warning")
    assert found(text + "- {id: 1, tool: t}\n")[-1] == ("duplicate-id", 1106, 8)


def test_what_is_in_a_message_is_cut() -> None:
    (problem,) = problems("goal: g\nsteps:\n- {id: 1, tool: t, args: {q: '#E1" + ".a" * 5000 + "'}}\n")
    assert len(problem.message) == 400


def test_a_problem_shows_the_line_and_the_way_out() -> None:
    (problem,) = problems("goal: g\r\nstep: []\r\nsteps:\r\n- {id: 1, tool: t}\r\n")
    assert (str(problem), problem.excerpt) == (
        "plan.yaml:2:1: error [unknown-key] step is not known here (did you mean steps?)",
        "step: []",
    )


def test_an_open_quote_is_told_where_it_begins() -> None:
    (problem,) = problems("goal: g\nsteps: 'x\n- {id: 1, tool: t}\n")
    assert (problem.line, problem.message, problem.hint) == (
        2,
        "not YAML: while scanning a quoted scalar, found unexpected end of stream",
        "a quote or bracket is not closed",
    )


def test_a_key_may_be_anything_that_is_text() -> None:
    args = {"no": 1, "1:30": 2, "<<": 3, "1": 4, "": 5, "a b": 6}
    text = "goal: g\nsteps:\n- {id: 1, tool: t, args: {no: 1, 1:30: 2, '<<': 3, '1': 4, '': 5, a b: 6}}\n"
    assert rehearse(text).plan.steps[0].args == args


PAIRED = [  # as it is written, and what it says
    ('"\\ud83d\\ude00"', "😀"),
    ('"a\\uD83D\\uDE00b\\ud83d\\ude01"', "a😀b😁"),
    ('"\\\\ud83d\\\\ude00"', "\\ud83d\\ude00"),
    ('"\\\\\\ud83d\\ude00"', "\\😀"),
    ("'\\ud83d\\ude00'", "\\ud83d\\ude00"),
    ("a \\ud83d\\ude00 \\U0001F600 b", "a \\ud83d\\ude00 \\U0001F600 b"),
    ("a \\U0001F600 \\ud83d\\ude00 b", "a \\U0001F600 \\ud83d\\ude00 b"),
]


@pytest.mark.parametrize(("text", "value"), PAIRED)
def test_two_escapes_are_one_character_between_double_quotes_only(text: str, value: str) -> None:
    document = read("f.yaml", f"k: {text}\n")
    assert (document.value, document.faults) == ({"k": value}, [])


@pytest.mark.parametrize("indent", [None, 2, "\t"])
@pytest.mark.parametrize("in_ascii", [True, False])
def test_what_json_writes_is_read(indent: Any, in_ascii: bool) -> None:
    value = {
        "goal": 'a\t\u00e9\u2028\x1f / \\ "q" \U0001f600\U0010fffd',
        "steps": [{"id": 1, "x": [1.5e-7, -0, [], {}]}],
    }
    document = read("f.json", json.dumps(value, indent=indent, ensure_ascii=in_ascii))
    assert (document.value, document.faults) == (value, [])


def test_json_is_read_as_well() -> None:
    text = '{"goal": "g", "steps": [{"id": 1, "tool": "t", "args": {"a": [1, null, true, "x\\ny"]}}]}'
    assert rehearse(text).plan.steps[0].args == {"a": [1, None, True, "x\ny"]}


@pytest.mark.parametrize("value", ['"{}"', "{}", "|\n      {}"], ids=["quoted", "plain", "block"])
def test_reading_a_large_text_can_be_interrupted(value: str) -> None:
    text = f"goal: g\nsteps:\n- id: 1\n  tool: t\n  args:\n    q: {value.format('x y ' * 15_000_000)}\n"
    asked: list[float] = []
    slow = slowness()

    def interrupt() -> None:
        asked.append(process_time())
        signal.raise_signal(signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = Timer(0.3, interrupt)
    try:
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            rehearse(text)
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, before)
    assert (process_time() - asked[0]) / max(slow, slowness()) < 1
