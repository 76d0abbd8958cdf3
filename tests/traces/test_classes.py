"""What the fields of a failure say it is."""

from __future__ import annotations

from typing import Any

import pytest

from replanctl.replan.signal import Status
from replanctl.traces.classes import status_of

SAID: list[tuple[Any, Status]] = [
    ("TimeoutError", Status.TIMEOUT),
    ("httpx.ReadTimeout", Status.TIMEOUT),
    ("asyncio.exceptions.TimeoutError", Status.TIMEOUT),
    ("DEADLINE_EXCEEDED", Status.TIMEOUT),
    (504, Status.TIMEOUT),
    ("408", Status.TIMEOUT),
    ("openai.RateLimitError", Status.RATE_LIMITED),
    ("ThrottlingException", Status.RATE_LIMITED),
    (429, Status.RATE_LIMITED),
    ("ConnectionRefusedError", Status.UNAVAILABLE),
    ("503", Status.UNAVAILABLE),
    ("ConnectionError", Status.TOOL_ERROR),
    (500, Status.TOOL_ERROR),
    ("PermissionError", Status.DENIED),
    ("AccessDeniedException", Status.DENIED),
    (403, Status.DENIED),
    ("ValueError", Status.ERROR),
    ("_OTHER", Status.ERROR),
    (404, Status.ERROR),
    ("the request timed out, timeout", Status.ERROR),
    (True, Status.ERROR),
    (None, Status.ERROR),
    ("", Status.ERROR),
]


@pytest.mark.parametrize(("said", "status"), SAID, ids=[str(said) for said, _ in SAID])
def test_a_field_decides(said: Any, status: Status) -> None:
    assert status_of(said) is status


def test_the_first_that_is_known_decides() -> None:
    assert status_of("_OTHER", None, 503, "TimeoutError") is Status.UNAVAILABLE


def test_nothing_said_is_an_error() -> None:
    assert status_of() is Status.ERROR
