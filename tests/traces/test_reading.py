"""From files and streams to traces: packed, broken, foreign."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest

from replanctl.errors import InputError
from replanctl.traces import import_traces
from tests.traces.making import run

ONE, TWO = run(("look", {"a": 1}, "x"), id="one"), run(("look", {"a": 2}, "y"), id="two")
LINES = f"{json.dumps(ONE)}\n\n{json.dumps(TWO)}\n".encode()


def names(path: Path | str, **more: Any) -> list[str]:
    reports = [found.report for found in import_traces(path, **more)]
    return [report.name or f"{report.place}: {report.refused}" for report in reports]


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (LINES, ["one", "two"]),
        (gzip.compress(LINES), ["one", "two"]),
        (b"\xef\xbb\xbf" + LINES, ["one", "two"]),
        (LINES.strip(), ["one", "two"]),
        (b"\n\n" + LINES, ["one", "two"]),
        (LINES.replace(b"\n", b"\r\n"), ["one", "two"]),
        (json.dumps([ONE, TWO], indent=1).encode(), ["one", "two"]),
        (json.dumps({"runs": [ONE, TWO]}).encode(), ["one", "two"]),
        (json.dumps({"data": {"x": 1}, "traces": [[ONE], [TWO]]}).encode(), ["one", "two"]),
    ],
)
def test_however_they_lie_there(data: bytes, found: list[str], tmp_path: Path) -> None:
    path = tmp_path / "runs"
    path.write_bytes(data)
    assert names(path) == found


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "{}: it is empty"),
        (b"\n \n", "{}: it is empty"),
        (b"{", "{}:1:2: this is no JSON: Expecting property name enclosed in double quotes"),
        (b'{\n "a": 1,\n "b" 2}', "{}:3:6: this is no JSON: Expecting ':' delimiter"),
        (b"[]", "{}: it holds no recording: what is listed there is empty"),
        (b"[[]]", "{}: it holds no recording: what is listed there is empty"),
        (b"[]\n[]\n", "{}: it holds no recording: what is listed there is empty"),
        (b"[1]", "{}:1[0]: it is no recording that is known: int"),
        (b'{"goal": "g", "steps": []}', "{}:1: it looks like a plan of ours, not like a recording"),
        (b"goal: g\nsteps: []\n", "{}: it looks like a plan of ours, not like a recording"),
        (b"PK\x03\x04", "{}: it looks like a zip archive"),
        (b"\xff\xfe{\x00", "{}: it looks like UTF-16"),
        (b'{"a": 1}', "{}:1: it is no recording that is known: a mapping with a"),
        (b"just words", "{}: it is no recording that is known: it begins with 'just words'"),
    ],
)
def test_what_can_not_be_read_is_named_with_its_place(data: bytes, said: str, tmp_path: Path) -> None:
    path = tmp_path / "strange"
    path.write_bytes(data)
    assert names(path) == [said.format(path)]


def test_a_bad_line_leaves_the_others(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    first, second = json.dumps(ONE), json.dumps(TWO)
    path.write_text(f"{first}\n{second[:50]}\nlog: started\n{second}\n")
    found = names(path)
    assert found[0] == "one"
    assert found[1].startswith(f"{path}:2:")
    assert "this line is no JSON" in found[1]
    assert found[2].startswith(f"{path}:3:1: this line is no JSON")
    assert found[3] == "two"


def test_a_bad_first_line_leaves_the_others(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    path.write_text(f"{json.dumps(ONE)[:50]}\n{json.dumps(TWO)}\n")
    found = names(path)
    assert found[0].startswith(f"{path}:1:")
    assert found[1:] == ["two"]


def test_a_packed_file_that_breaks_off_gives_what_it_has(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl.gz"
    path.write_bytes(gzip.compress(LINES)[:-9])
    found = names(path)
    assert found[-1].startswith(f"{path}: it can't be unpacked to its end")


def test_standard_input_is_read(tmp_path: Path) -> None:
    stdin = io.TextIOWrapper(io.BytesIO(gzip.compress(LINES)), "utf-8")
    assert names("-", stdin=stdin) == ["one", "two"]


def test_a_file_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="can't be read"):
        names(tmp_path / "nothing")


def test_lines_are_read_as_they_come(tmp_path: Path) -> None:
    """The first rehearsal is there before the rest of the file is read, and reading is told how far it has come."""
    path = tmp_path / "runs.jsonl"
    path.write_bytes(LINES * 4000)
    told: list[int] = []
    first = next(iter(import_traces(path, progress=told.append)))
    assert first.report.name == "one"
    assert not told or told[-1] < path.stat().st_size / 2
    for _ in import_traces(path, progress=told.append, select=["none"]):
        pass
    assert told[-1] == path.stat().st_size
    assert told == sorted(told)


def test_a_trace_is_told_when_it_is_whole_and_no_span_of_it_came_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("replanctl.traces.gathering.SETTLED", 4)
    attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "look"}
    attributes |= {"gen_ai.tool.call.arguments": "{}", "gen_ai.tool.call.result": "x"}
    spans = [
        {"trace_id": f"t{n}", "span_id": "1", "name": "x", "start_time": 1, "end_time": 2, "attributes": attributes}
        for n in range(20)
    ]
    seen: list[int] = []

    def lines() -> object:
        for number, span in enumerate(spans):
            seen.append(number)
            yield span

    assert next(iter(import_traces(lines()))).report.id == "t0"  # type: ignore[arg-type]
    assert len(seen) < 12
