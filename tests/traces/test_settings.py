"""What each setting of an import changes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from replanctl.errors import UsageError
from replanctl.files import ClassRule
from replanctl.replan.signal import Status
from tests.traces.making import args_of, imported, loaded, one, run, steps_of

FAILING = run(
    ("look", {"at": "page-1"}, {"id": "AB-1001", "who": "Ada Lovelace", "n": 12}),
    ("pay", {"id": "AB-1001", "amount": 1815}, "Error: no money on AB-1001"),
    ("pay", {"id": "AB-1001", "amount": 18, "note": "for AB-1001"}, {"left": 1797}),
)


def test_as_recorded_a_failed_call_ends_a_version() -> None:
    found = one(FAILING)
    assert found.document is not None
    assert [step["id"] for step in found.document["steps"]] == [1, 2]
    assert [(rule["when"], [step["id"] for step in rule["steps"]]) for rule in found.document["planner"]] == [
        ({"step": 2}, [3])
    ]
    assert (found.report.versions, found.report.v1, found.report.v1_whole) == (2, 2, 2)


def test_whole_takes_what_succeeded() -> None:
    found = one(FAILING, plan="whole")
    assert found.document is not None
    assert [step["id"] for step in found.document["steps"]] == [1, 3]
    assert "planner" not in found.document
    assert found.report.left_out == ("1 call that failed",)
    assert found.report.faithful is True


def test_where_nothing_succeeded_there_is_no_whole() -> None:
    found = one(run(("look", {}, "Error: no")), plan="whole")
    assert found.report.refused == "no call succeeded, so there is no whole plan"


@pytest.mark.parametrize("shown", ["shape", "hash"])
def test_values_can_be_hidden_and_still_flow(shown: str) -> None:
    found, kept = one(FAILING, values=shown), one(FAILING)
    assert found.text is not None
    for word in ("Ada", "AB-1001", "1815", "page-1", "money"):
        assert word not in found.text.replace("#E", "")
    assert found.report.faithful is True
    assert found.report.bound == kept.report.bound == 3
    assert args_of(found, 3)["id"] == "#E1.id"


def test_a_shape_keeps_types_and_sizes() -> None:
    found = one(run(("look", {"at": "Page 12", "n": -3.25, "on": True}, {"K-9": [None, 1815, "Ünï"]})), values="shape")
    assert args_of(found, 1) == {"at": "Xxxx 11", "n": -1.11, "on": True}
    assert loaded(found).outcomes[0].returns[0].value == {"X-1": [None, 1111, "Xxx"]}


def test_a_hash_keeps_equalities() -> None:
    found = one(run(("a", {"x": "same", "y": "same", "z": "other"}, "ok")), values="hash")
    args = args_of(found, 1)
    assert args["x"] == args["y"] != args["z"]


@pytest.mark.parametrize(
    ("rule", "statuses"),
    [
        (ClassRule(Status.EMPTY, text="nothing FOUND"), {"empty": 1, "ok": 1}),
        (ClassRule(Status.EMPTY, tool="look", path=("hits",), equals=0, has_equals=True), {"empty": 1, "ok": 1}),
        (ClassRule(Status.SHAPE, path=("hits",)), {"shape": 2}),
        (ClassRule(Status.EMPTY, tool="other"), {"ok": 2}),
        (ClassRule(Status.EMPTY, path=("hits", "deep"), equals=0, has_equals=True), {"ok": 2}),
    ],
)
def test_rules_say_which_answers_failed(rule: ClassRule, statuses: dict[str, int]) -> None:
    recording = run(("look", {}, {"hits": 0, "said": "Nothing found"}), ("look", {"a": 1}, {"hits": 3}))
    found = one(recording, classify=[rule])
    assert found.report.statuses == statuses
    assert found.report.faithful is True


def test_a_repeat_after_an_environmental_failure_is_an_attempt() -> None:
    recording = run(("look", {"a": 1}, "try later"), ("look", {"a": 1}, "ok"), ("look", {"a": 2}, "ok"))
    found = one(recording, classify=[ClassRule(Status.UNAVAILABLE, text="later")])
    assert (found.report.attempts, found.report.steps) == (3, 2)
    assert [entry.status for entry in loaded(found).outcomes[1].returns] == ["unavailable", "ok"]
    assert found.report.faithful is True


def test_a_repeat_after_another_call_is_a_call_of_its_own() -> None:
    recording = run(("look", {"a": 1}, "try later"), ("wait", {}, "ok"), ("look", {"a": 1}, "ok"))
    found = one(recording, classify=[ClassRule(Status.UNAVAILABLE, text="later")])
    assert (found.report.attempts, found.report.steps, found.report.versions) == (3, 3, 2)
    assert found.report.faithful is True


def test_where_they_part_is_said_and_why() -> None:
    """A call that was denied is not made again in a session; the recorded agent did."""
    recording = run(("pay", {"a": 1}, "no right"), ("ask", {}, "ok"), ("pay", {"a": 1}, "paid"))
    report = one(recording, classify=[ClassRule(Status.DENIED, text="no right")]).report
    assert report.faithful is False
    assert report.parting is not None
    assert (report.parting.at, report.parting.recorded, report.parting.came) == (2, "ask {}", "no call")
    assert "denied before" in report.parting.ended or report.parting.ended.startswith("replan_budget")


def test_the_same_call_again_is_made_again() -> None:
    found = one(run(("look", {"a": 1}, "Error: no"), ("look", {"a": 1}, "x"), ("look", {"a": 1}, "y")))
    assert [step["action"] for step in steps_of(found).values()] == ["look 1", "look 2", "look 3"]
    assert found.report.faithful is True


@pytest.mark.parametrize(
    ("text", "solved"),
    [("/reward=1.0", True), ("/reward=1", True), ("/reward=0", False), ("/nothing=1", None), ("/info/0/ok=true", True),
     ("/info/7/ok=true", None), ("/name~1x=y=z", True)],
)  # fmt: skip
def test_a_field_says_whether_it_was_solved(text: str, solved: bool | None) -> None:
    recording = run(("a", {}, "ok"), reward=1.0, info=[{"ok": True}], **{"name/x": "y=z"})
    found = one(recording, solved=text)
    assert found.report.solved is solved
    assert found.document is not None
    assert found.document["recorded"]["solved"] is solved


@pytest.mark.parametrize("text", ["reward=1", "/reward", ""])
def test_no_pointer_is_said_at_once(text: str) -> None:
    with pytest.raises(UsageError, match="POINTER=VALUE"):
        one(FAILING, solved=text)


def test_traces_can_be_selected() -> None:
    found = imported(run(("a", {}, "x"), id="one"), run(("a", {}, "x"), id="two"), select=["two"])
    assert [each.report.name for each in found] == ["two"]


@pytest.mark.parametrize(("name", "value"), [("kind", "otl"), ("plan", "all"), ("values", "none")])
def test_an_unknown_word_is_said_at_once(name: str, value: str) -> None:
    settings: dict[str, Any] = {name: value}
    with pytest.raises(UsageError, match=f"{name} is '{value}'"):
        one(FAILING, **settings)


DARK = {
    "trace_id": "t",
    "span_id": "1",
    "name": "execute_tool calc",
    "start_time": 1,
    "end_time": 2,
    "attributes": {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "calc"},
}


def test_what_was_not_recorded_is_refused_with_the_setting() -> None:
    found = one(DARK)
    assert found.report.refused.startswith("no call has arguments")
    assert "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true" in found.report.hint
    assert found.document is None


def test_partial_takes_what_there_is_and_says_what_is_missing() -> None:
    found = one(DARK, partial=True)
    assert found.report.faithful is True
    assert found.document is not None
    assert found.document["recorded"]["missing"] == [
        "what was asked for",
        "no call has arguments: the 1 call of calc",
        "no call that succeeded has a result: the 1 call of calc",
    ]
    assert args_of(found, 1) == {}


def test_args_that_were_cut_are_refused_or_kept_as_text() -> None:
    span = {**DARK, "attributes": {**DARK["attributes"], "gen_ai.tool.call.result": "2"}}  # type: ignore[dict-item]
    span["attributes"]["gen_ai.tool.call.arguments"] = '{"e": "1 + 1", "long": "abc'  # type: ignore[index]
    assert one(span).report.refused == "the arguments of a call of calc were cut off"
    assert args_of(one(span, partial=True), 1) == {"input": '{"e": "1 + 1", "long": "abc'}


def test_a_given_kind_is_held_to() -> None:
    found = one(DARK, kind="messages")
    assert found.report.refused == "it does not look like messages, but like otel"
    assert one(FAILING, kind="messages").report.faithful is True


def test_without_a_check_nothing_is_run() -> None:
    assert one(FAILING, check=False).report.faithful is None


def test_lines_may_be_text_bytes_or_values() -> None:
    text = json.dumps(FAILING)
    assert [each.text for each in imported(text, text.encode(), FAILING)] == [one(FAILING).text] * 3


@pytest.mark.parametrize(
    ("scope", "setting"),
    [
        ("opentelemetry.instrumentation.openai_v2", "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true"),
        ("opentelemetry.instrumentation.google_genai", "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true"),
        ("opentelemetry.instrumentation.langchain", "TRACELOOP_TRACE_CONTENT=true"),
    ],
)
def test_the_setting_is_that_of_what_recorded_it(scope: str, setting: str) -> None:
    attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "look"}
    span = {"trace_id": "t", "span_id": "s", "name": "execute_tool look", "start_time": 1, "end_time": 2}
    found = one({"scope": {"name": scope}, "spans": [{**span, "attributes": attributes}]})
    assert found.report.hint.startswith(setting)
