"""Sessions under one gate at a time."""

from __future__ import annotations

from typing import Any

from replanctl.replan.gates import GateLimits
from replanctl.run.result import SessionResult
from tests.rehearse import rehearse
from tests.run.telling import gates

OPEN: dict[str, Any] = {
    "per_step": None,
    "max_replans": 99,
    "max_replan_tokens": None,
    "max_steps": None,
    "max_tool_calls": None,
    "max_tokens": None,
    "max_seconds": None,
    "max_repeat": None,
}


def under(text: str, outcomes: str, **limits: Any) -> SessionResult:
    """The session under these limits and no others."""
    return rehearse(text, f"outcomes: [{outcomes}]", gates=GateLimits(**{**OPEN, **limits}))[1]


def of(gate: str, result: SessionResult) -> list[str]:
    """The rows of one gate, without its name."""
    return [line.replace(f"{gate} ", "") for line in gates(result) if gate in line]


FAILS = "goal: g\nsteps: [{id: 1, tool: t}]"


def failing(times: int) -> str:
    """An outcome rule: every call fails so many times in all, then they succeed."""
    return f"{{returns: [{'shape, ' * times}ok]}}"
