"""Whatever bytes come in: they are accepted, or refused with InputError; and what is taken means what YAML says."""

from __future__ import annotations

from typing import Any

import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec import UNSET

from replanctl.errors import InputError
from replanctl.files import Role, Source, parse_rehearsal
from replanctl.files.disk import decode
from replanctl.files.events import resolve
from replanctl.files.faults import At, Faults
from replanctl.files.plan import Steps, step
from replanctl.files.reader import read
from replanctl.plan.model import Step
from tests.files import test_outcomes, test_plan, test_planner, test_policy
from tests.files.case import STEPS

VALID = [
    test_plan.WHOLE.encode(),
    (STEPS + test_planner.WHOLE + test_policy.WHOLE).encode(),
    (STEPS + test_outcomes.WHOLE).encode(),
    b'goal: g\nsteps:\n- &a {id: 1, tool: t}\n- {id: 2, tool: t, args: {q: "#E1", x: [*a]}} #E1\n',
]
SPECIAL = b"\t\n\r :-?,[]{}&*!|>'\"%@`#~\\<=\x00\x7f\xff\xc3\xed0E1"

_mutation = st.tuples(
    st.sampled_from(["put", "cut", "set", "double"]),
    st.integers(0, 2000),
    st.one_of(st.sampled_from([bytes([byte]) for byte in SPECIAL]), st.binary(max_size=3)),
)


def mutated(data: bytes, mutations: list[tuple[str, int, bytes]]) -> bytes:
    """The bytes with each mutation made in turn."""
    for how, where, what in mutations:
        at = where % (len(data) + 1)
        if how == "put":
            data = data[:at] + what + data[at:]
        elif how == "cut":
            data = data[:at] + data[at + 1 + len(what) :]
        elif how == "set":
            data = data[:at] + what + data[at + len(what) :]
        else:
            data = data[:at] + data[at : at + 40] + data[at:]
    return data


@settings(max_examples=400, deadline=None)
@given(data=st.sampled_from(VALID), mutations=st.lists(_mutation, min_size=1, max_size=4))
def test_bytes_are_accepted_or_refused_and_nothing_else(data: bytes, mutations: list[tuple[str, int, bytes]]) -> None:
    try:
        text = decode("plan.yaml", mutated(data, mutations))
    except InputError as refused:
        assert refused.problems[0].rule == "not-utf8"
        return
    for sources in ([Source("p", Role.PLAN, text)], [Source("p", Role.PLAN, STEPS), Source("o", Role.OUTCOMES, text)]):
        try:
            parse_rehearsal(sources)
        except InputError as refused:
            assert {problem.severity for problem in refused.problems} >= {"error"}
            for problem in refused.problems:
                assert problem.excerpt in text.replace("\r", "\n") or problem.excerpt.endswith("…")


def as_yaml_says(loader: Any, node: yaml.Node) -> Any:
    """A value as PyYAML's own composer knows it, scalars as `resolve` reads them."""
    if isinstance(node, yaml.MappingNode):
        return {as_yaml_says(loader, key): as_yaml_says(loader, value) for key, value in node.value}
    if isinstance(node, yaml.SequenceNode):
        return [as_yaml_says(loader, item) for item in node.value]
    return node.value if node.style else resolve(node.value)


@settings(max_examples=300, deadline=None)
@given(data=st.sampled_from(VALID), mutations=st.lists(_mutation, max_size=3))
def test_what_is_taken_is_what_the_library_composes(data: bytes, mutations: list[tuple[str, int, bytes]]) -> None:
    try:
        text = decode("plan.yaml", mutated(data, mutations))
    except InputError:
        return
    document = read("plan.yaml", text)
    if not document.faults:
        loader = yaml.CSafeLoader(text)
        assert document.value == as_yaml_says(loader, loader.get_single_node())


_values = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 20), st.sampled_from(["", " ", "1", "a b", "s-3", "-x", "é", 1.5, [], {}])
)
_lists = st.one_of(_values, st.lists(_values, max_size=3))
_raw = st.one_of(
    _values,
    st.fixed_dictionaries(
        {"id": _values, "tool": _values},
        optional={
            "action": _values,
            "args": st.one_of(_values, st.dictionaries(st.text(max_size=3), _lists, max_size=3)),
            "depends_on": _lists,
            "expected_outcome": _values,
            "produces": _values,
        },
    ),
)


@settings(max_examples=400, deadline=None)
@given(raw=_raw)
@example(raw={"id": 1, "tool": "t", "depends_on": [True]})
@example(raw={"id": "1", "tool": "t", "depends_on": [1, "1"]})
def test_a_step_made_at_once_is_the_step_of_the_table(raw: Any) -> None:
    made = Steps()(raw)
    if made.__class__ is Step:
        faults = Faults()
        assert step(raw, At(faults)) == made
        assert faults == []
    else:
        assert made is raw
        assert made is not UNSET
