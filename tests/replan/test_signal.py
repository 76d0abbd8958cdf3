"""What each status means, and the signal that a failure becomes."""

from __future__ import annotations

from typing import Any

import pytest

from replanctl.replan.signal import ERROR_TYPES, FailureSignal, Missing, Status, classify

TYPES = {
    "timeout": "environmental",
    "lost": "environmental",
    "rate_limited": "environmental",
    "unavailable": "environmental",
    "tool_error": "environmental",
    "shape": "assumption",
    "empty": "assumption",
    "semantic": "semantic",
    "denied": "permission",
    "error": "unknown",
}


def signal(error_type: str, message: str, attempted: tuple[str, ...] = (), **evidence: Any) -> Any:
    return FailureSignal("3", error_type, message, attempted, {"radius": 0, **evidence})  # type: ignore[arg-type]


def test_only_ok_is_no_failure() -> None:
    assert {str(status): str(error) for status, error in ERROR_TYPES.items()} == TYPES
    assert {str(status) for status in Status} == {"ok", *TYPES}


@pytest.mark.parametrize(("status", "error_type"), TYPES.items())
def test_the_status_decides_the_class_and_stands_in_for_a_message(status: str, error_type: str) -> None:
    assert classify("3", Status(status)) == signal(error_type, "timeout" if status == "lost" else status)


@pytest.mark.parametrize("status", TYPES)
def test_the_text_never_decides(status: str) -> None:
    lying = "timeout: permission denied, wrong shape, semantic assumption"
    assert classify("3", Status(status), lying) == signal(TYPES[status], lying)


def test_a_message_is_cut_at_200_characters() -> None:
    assert classify("3", Status.ERROR, "x" * 200).error_msg == "x" * 200
    assert classify("3", Status.ERROR, "x" * 201).error_msg == "x" * 200


@pytest.mark.parametrize("state", ["pending", "failed", "skipped", "void", "no such step", "no such field"])
def test_a_missing_variable_outranks_the_status(state: str) -> None:
    found = classify("3", Status.DENIED, "no", missing=Missing("#E1.rows", "1", state), radius=0)
    evidence: dict[str, Any] = {"reference": "#E1.rows", "referenced_step": "1", "state": state}
    assert found == signal("missing_var", f"#E1.rows: {state}", **evidence)


def test_the_evidence_holds_what_the_decision_uses() -> None:
    found = classify("3", Status.SHAPE, "no", attempted=["a: timeout", "b: shape"], refuted=["p", "q"], radius=4)
    assert found == FailureSignal(
        "3",
        "assumption",  # type: ignore[arg-type]
        "no",
        ("a: timeout", "b: shape"),
        {"radius": 4, "refuted": ["p", "q"]},
    )


def test_a_signal_reads_as_its_message() -> None:
    failed = classify("3", Status.EMPTY, "no public price list")
    assert str(failed) == "no public price list"
    assert ("price list" in failed, "quote" in failed, 3 in failed) == (True, False, False)
