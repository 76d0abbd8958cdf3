"""What people bring from elsewhere: keys of other systems, and documents that are no plan at all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from replanctl.files import check_plan
from tests.files.case import problems
from tests.pace import seconds_of

STEP_KEYS = [
    ("needs: [2]", "depends_on"),
    ("inputs: {}", "args"),
    ("name: x", "id:"),
    ("timeout: 3s", "tools: {NAME: {timeout"),
    ("retries: 3", "max_attempts"),
    ("idempotent: false", "tools: {NAME: {idempotent"),
    ("condition: x", "on_failure"),
    ("if: x", "on_failure"),
]


@pytest.mark.parametrize(("line", "way_out"), STEP_KEYS)
def test_a_key_of_another_system_is_led_to_what_exists(line: str, way_out: str) -> None:
    for text in (
        f"goal: g\nsteps:\n- id: 1\n  tool: t\n  {line}\n",
        f"goal: g\nsteps:\n- id: 0\n  tool: t\nplanner:\n- steps:\n  - id: 1\n    tool: t\n    {line}\n",
    ):
        (problem,) = problems(text)
        assert (problem.rule, problem.message) == ("unknown-key", f"{line.partition(':')[0]} is not known here")
        assert way_out in problem.hint


SPAN = {"name": "x", "trace_id": "1", "span_id": "2", "attributes": {"goal": "g"}}
MESSAGES = [{"role": "user", "content": "hi"}, {"role": "assistant", "tool_calls": []}]
EVENT = {"seq": 1, "at": 0.0, "version": "v1", "type": "session.start", "goal": "g"}
RESULT = {"schema_version": 1, "run": 7, "goal": "g", "versions": [], "history": []}

NO_PLANS: list[tuple[Any, str]] = [
    ({"resourceSpans": [{"scopeSpans": []}]}, "OpenTelemetry spans (OTLP)"),
    ([SPAN, SPAN], "a trace"),
    ({"traceId": "1", "name": "n"}, "a trace"),
    ({"run_type": "chain", "child_runs": []}, "a run tree of LangSmith"),
    (MESSAGES, "messages of an agent"),
    ([MESSAGES, MESSAGES], "messages of an agent"),
    ({"messages": MESSAGES}, "messages of an agent"),
    ([{"trajectory": MESSAGES}], "messages of an agent"),
    ({"history": [{"name": "Orchestrator", "content": "x"}]}, "messages of an agent"),
    (RESULT, "the result of a run of ours"),
    ([EVENT], "the events of a run of ours"),
]


@pytest.mark.parametrize(("value", "what"), NO_PLANS)
@pytest.mark.parametrize("form", ["json", "in lines", "yaml"])
def test_a_document_that_is_no_plan_is_one_error(value: Any, what: str, form: str) -> None:
    text = json.dumps(value, indent=1 if form == "in lines" else None)
    (problem,) = problems(f"# a comment\n{text}" if form == "yaml" else text)
    assert (problem.rule, problem.line, problem.column) == ("not-a-plan", 1, 1)
    assert problem.message == f"this is no plan: it looks like {what}"
    assert "replanctl import plan.yaml" in problem.hint


@pytest.mark.parametrize(
    ("rows", "what"),
    [([EVENT] * 3, "the events of a run of ours"), ([SPAN] * 2, "a trace"), ([{"x": 1}] * 2, "JSON lines")],
)
def test_json_lines_are_no_plan(rows: list[Any], what: str) -> None:
    (problem,) = problems("\n".join(map(json.dumps, rows)) + "\n")
    assert (problem.rule, problem.message) == ("not-a-plan", f"this is no plan: it looks like {what}")


def test_a_plan_as_rewoo_writes_it() -> None:
    (problem,) = problems(
        "Plan: Find out who won.\n#E1 = Search[winner of 2020]\nPlan: Sum up.\n#E2 = LLM[about #E1]\n"
    )
    assert (problem.rule, problem.message) == ("not-a-plan", "this is no plan: it looks like a plan as ReWOO writes it")


def test_the_command_is_quoted(tmp_path: Path) -> None:
    path = tmp_path / "a b.json"
    path.write_text(json.dumps(MESSAGES), encoding="utf-8")
    (problem,) = check_plan(path)
    assert f"replanctl import '{path}'" in problem.hint


OURS = [
    '{"goal": "g", "steps": [], "messages": []}',
    '{"goals": "g", "step": []}',
    "[]",
    "[1]",
    '{"outcomes": {"trace_id": 1}}',
    "goal: g\nsteps: [{id: 1, tool: t, args: {code: '#E1 = x[0]'}}]\n",
]


@pytest.mark.parametrize("text", OURS)
def test_a_file_that_means_to_be_ours_is_told_what_is_wrong_with_it(text: str) -> None:
    assert "not-a-plan" not in {problem.rule for problem in problems(text)}


def test_a_huge_trace_is_known_at_once() -> None:
    text = json.dumps({"resourceSpans": [SPAN] * 300_000})
    assert [problem.rule for problem in problems(text)] == ["not-a-plan"]
    assert seconds_of(lambda: problems(text), 2) < 2


def test_a_trace_beyond_the_limit_is_known_too(tmp_path: Path) -> None:
    path = tmp_path / "huge.json"
    with path.open("wb") as file:
        file.write(b'{"resourceSpans": [')
        file.truncate(70 << 20)
    (problem,) = check_plan(path)
    assert problem.rule == "too-large"
    assert f"replanctl import {path}" in problem.hint


def test_a_packed_file_is_led_to_import(tmp_path: Path) -> None:
    path = tmp_path / "trace.json.gz"
    path.write_bytes(b"\x1f\x8b\x08\x00abc")
    (problem,) = check_plan(path)
    assert (problem.rule, f"replanctl import {path}" in problem.hint) == ("not-utf8", True)
