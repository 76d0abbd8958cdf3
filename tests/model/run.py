"""One execution that has begun and not ended."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tests.model.state import State
from tests.model.steps import Step


@dataclass
class Run:
    """One execution that has begun and not ended."""

    step: Step
    args: Any
    started: float
    tool: str
    rest: list[str]  # fallback tools not reached yet
    tries: int = 0  # of the present tool
    attempts: list[dict[str, Any]] = field(default_factory=list)
    phase: str = "call"  # or "wait", until the next call begins
    until: float = 0.0
    began: float = 0.0
    outcome: dict[str, Any] = field(default_factory=dict)
    line: dict[str, Any] = field(default_factory=dict)
    next_tool: str = ""
    coefficient: int = 0
    last: int = 0  # its last call among the session's
    real: str = ""  # what the script says of the present call, however late the answer
    order: int = 0  # of the present call among all, by when they began
    called: int = 0  # at which tick the present call began
    number: int = 0  # of the present call or wait, in the order they begin


def booked(s: State) -> int:
    return sum(line["booked"] for line in s.lines)


def shown(status: str) -> str:
    """What the agent sees of a status."""
    return "timeout" if status == "lost" else status
