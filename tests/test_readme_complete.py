"""Nothing a user can meet is missing from the pages, and their tables are the code's."""

from __future__ import annotations

import re
from fnmatch import fnmatch

import msgspec
import pytest

import replanctl
from replanctl.cli.app import VERBS, load_verb
from replanctl.cli.flags import flags_of, option_name
from replanctl.cost import Coefficients
from replanctl.kinds import Reason
from replanctl.replan.gates import REASONS
from replanctl.replan.routing import RULE_NAMES
from replanctl.replan.signal import ErrorType, Status
from replanctl.run import result
from replanctl.run.events import AnyEvent
from replanctl.traces import dialects
from replanctl.traces.classes import status_of
from tests.conftest import ROOT
from tests.pages import codes, everything, first_cells, read
from tests.test_cases import PLANS


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_and_flag_is_documented_and_shown(verb: str) -> None:
    assert re.search(rf"^\| `{verb}\b", read("commands"), re.MULTILINE)
    assert re.search(rf"^(\$ )?replanctl {verb}\b", everything(), re.MULTILINE)
    options = {option_name(field) for field, flag in flags_of(load_verb(verb).options).items() if not flag.positional}
    mentioned = codes(read("commands")) | codes(read("gates"))
    gates = {option_name(name) for name in REASONS}
    assert options - mentioned - gates - {"--quiet", "--output"} == set()


def test_the_table_of_formats_names_the_verbs_that_write_them() -> None:
    """Of those that few verbs write; text and JSON are nearly everywhere."""
    rows = re.findall(r"^\| (`[^|]+`) \| [^|]+ \| ([^|]+) \|$", read("files-and-formats"), re.MULTILINE)
    stated = {(name, verb) for names, verbs in rows for name in codes(names) for verb in codes(verbs)}
    flags = {verb: flags_of(load_verb(verb).options).get("format") for verb in VERBS}
    written = {(name.value, verb) for verb, flag in flags.items() if flag for name in flag.parse}  # type: ignore[attr-defined]
    common = {"text", "json"}
    assert {pair for pair in stated if pair[0] not in common} == {pair for pair in written if pair[0] not in common}


def test_every_verb_of_the_table_exists() -> None:
    assert sorted(cell[0].split()[0] for cell in first_cells(read("commands")) if cell) == sorted(VERBS)


def test_statuses_and_their_types() -> None:
    assert {code for row in first_cells(read("outcomes")) for code in row} >= set(Status)
    assert set(ErrorType) - {ErrorType.GOAL_CHANGED} <= codes(everything())


def test_the_routing_table_is_the_code_s() -> None:
    rows = [row for row in first_cells(read("routing")) if row]
    assert tuple(row[0] for row in rows) == RULE_NAMES


def test_the_table_of_gates_is_the_code_s() -> None:
    rows = re.findall(r"^\| `(\w+)` \|.*\| `(\w+)` \|$", read("gates"), re.MULTILINE)
    assert rows == [*REASONS.items()]  # in the order in which they are asked


def test_every_event_and_key_of_the_result_is_documented() -> None:
    known = {key.rstrip("[]{}") for key in codes(read("result"))}
    events = {kind.__struct_config__.tag for kind in AnyEvent.__args__}
    assert events - known == set()
    parts = [part for part in vars(result).values() if isinstance(part, type) and issubclass(part, msgspec.Struct)]
    assert {field for part in parts for field in part.__struct_encode_fields__} - known == set()


def test_the_table_of_reasons_is_the_code_s() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (completed|failed) \|", read("result"), re.MULTILINE)
    assert len(rows) == len(dict(rows))
    assert dict(rows) == {reason.value: reason.ending for reason in Reason if reason is not Reason.INTERRUPTED}


def test_the_table_of_events_is_the_code_s() -> None:
    rows = re.findall(r"^\| `(\w+(?:\.\w+)?)` \| [^|]+ \|$", read("result").split("## Events")[1], re.MULTILINE)
    assert rows == [kind.__struct_config__.tag for kind in AnyEvent.__args__]


def test_exit_codes_and_coefficients() -> None:
    exits = re.findall(r"^\| ([\d, ]+) \|", read("result"), re.MULTILINE)
    assert [int(code) for cell in exits for code in cell.split(",")] == [0, 1, 2, 3, 4, 70, 130, 143]
    stated = dict(re.findall(r"`(\w+)`\s(\d+)", read("cost")))
    assert {name: int(value) for name, value in stated.items()} == {
        name: getattr(Coefficients(), name) for name in Coefficients.__struct_fields__
    }


def test_the_http_statuses_of_recordings_are_the_code_s() -> None:
    rows = re.findall(r"^\| ([\d, ]+) \| `(\w+)` \|$", read("import"), re.MULTILINE)
    stated = {int(code): status for codes_, status in rows for code in codes_.split(",")}
    assert stated == {code: status for code in range(1000) if (status := status_of(code)) is not Status.ERROR}


def test_the_setting_of_every_dialect_that_has_one_is_told() -> None:
    settings = [
        word
        for dialect in vars(dialects).values()
        if isinstance(dialect, dialects.Dialect)
        for said in (dialect.args_on, dialect.results_on)
        for word in re.findall(r"\S*[=(]\S+|{.*}|openinference-\S+", said)
    ]
    assert len(settings) > 10
    assert [word for word in settings if word.strip(",") not in read("import")] == []


def test_every_decision_between_sources_is_told() -> None:
    """The contract lists fourteen; the numbers go on through the sections, so that one can be named."""
    numbers = re.findall(r"^(\d+)\. \*\*", read("decisions"), re.MULTILINE)
    assert [int(number) for number in numbers] == list(range(1, 15))


def test_every_example_plan_is_listed() -> None:
    listed = codes(read("examples"))
    plans = {str(plan.relative_to(ROOT)) for plan in PLANS}
    patterns = [pattern for pattern in listed if "*" in pattern]
    assert {plan for plan in plans if not any(fnmatch(plan, pattern) for pattern in patterns)} - listed == set()


def test_public_names_exist() -> None:
    named = re.findall(r"`([A-Za-z_]+)`", read("python").split("\n\n")[1])
    assert [name for name in named if not hasattr(replanctl, name)] == []
    assert named
