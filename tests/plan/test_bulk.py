"""Args that are too much for one call: counted before they are built, each value as often as it is read."""

from __future__ import annotations

from typing import Any

import pytest

from replanctl.plan import Reference, too_bulky, too_bulky_when_read
from replanctl.plan.bulk import MOST_BYTES, MOST_VALUES, TOO_LARGE, TOO_MANY
from tests.rehearse import rehearse

MEGABYTE = "x" * (1 << 20)
MANY = [0] * (MOST_VALUES // 10)
VALUES: dict[str, Any] = {"1": MEGABYTE, "2": MANY, "3": "é" * (1 << 20), "4": {"key": {"deep": MEGABYTE}}, "5": 7}


def read(reference: Reference) -> Any:
    value = VALUES[reference.step_id]
    for part in reference.path:
        value = value[part]
    return value


READ: list[tuple[Any, str]] = [
    ({"q": "#E1"}, ""),
    ({"q": "#E5", "r": "#E5 and #E5"}, ""),
    ({"q": ["#E1"] * 63}, ""),
    ({"q": ["#E1"] * 65}, TOO_LARGE),
    ({"q": "#E1" + " #E1" * 63}, TOO_LARGE),
    ({"q": "#E1" + " #E1" * 62}, ""),
    ({"q": ["#E3"] * 33}, TOO_LARGE),
    ({"q": ["#E4.key"] * 65}, TOO_LARGE),
    ({"q": ["#E4.key.deep"] * 63}, ""),
    ({"q": ["#E2"] * 9}, ""),
    ({"q": ["#E2"] * 10}, TOO_MANY),
    ({"q": {str(n): "#E2" for n in range(300)}}, TOO_MANY),
    ({"q": " ".join(["#E2"] * 400)}, TOO_LARGE),
]


@pytest.mark.parametrize(("args", "said"), READ, ids=range(len(READ)))
def test_what_is_read_counts_as_often_as_it_is_read(args: dict[str, Any], said: str) -> None:
    assert too_bulky_when_read(args, VALUES, read) == said


WRITTEN: list[tuple[Any, str]] = [
    ({}, ""),
    ({"q": "x" * (MOST_BYTES - 1)}, ""),
    ({"q": "x" * MOST_BYTES}, TOO_LARGE),
    ({"q": "é" * (MOST_BYTES // 2 + 1)}, TOO_LARGE),
    ({"q": [0] * (MOST_VALUES - 2)}, ""),
    ({"q": [0] * MOST_VALUES}, TOO_MANY),
    ({"q": {"k" * (MOST_BYTES + 1): 1}}, TOO_LARGE),
    ({"q": 10**5000, "r": None, "s": True}, ""),
]


@pytest.mark.parametrize(("args", "said"), WRITTEN, ids=range(len(WRITTEN)))
def test_what_is_written_counts_too(args: dict[str, Any], said: str) -> None:
    assert too_bulky(args) == said


def test_args_without_end_are_too_many() -> None:
    endless: list[Any] = []
    endless.append(endless)
    assert too_bulky({"q": endless}) in (TOO_MANY, TOO_LARGE)


PLAN = """\
goal: g
steps:
  - {{id: 1, tool: look}}
  - {{id: 2, tool: send, args: {{q: [{reads}]}}, depends_on: [1]}}
outcomes:
  - match: {{tool: look}}
    returns: [{{status: ok, value: "{value}"}}]
policy: {{gates: {{max_replans: 0}}}}
"""


def test_a_call_with_too_much_is_not_made() -> None:
    _, result = rehearse(PLAN.format(value=MEGABYTE, reads=", ".join(['"#E1"'] * 300)))
    (signal,) = result.signals
    assert (signal.step_id, signal.error_type, signal.error_msg, signal.attempted) == ("2", "assumption", TOO_LARGE, ())
    assert result.history[-1].attempts == ()
    assert result.history[-1].args == {"q": ["#E1"] * 300}
    assert rehearse(PLAN.format(value=MEGABYTE, reads='"#E1", "#E1"'))[1].status == "completed"
