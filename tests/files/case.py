"""Makers for the tables in this folder: texts in, problems out."""

from __future__ import annotations

from replanctl.errors import InputError, Problem
from replanctl.files import Rehearsal, Role, Source, parse_rehearsal

Found = tuple[str, int, int]  # rule, line, column


def plan(body: str, *, head: str = "goal: g\n") -> str:
    """A plan file with this below its goal."""
    return head + body


def rehearse(text: str, *, outcomes: str | None = None, policy: str | None = None) -> Rehearsal:
    """A rehearsal from texts."""
    sources = [Source("plan.yaml", Role.PLAN, text)]
    if outcomes is not None:
        sources.append(Source("outcomes.yaml", Role.OUTCOMES, outcomes))
    if policy is not None:
        sources.append(Source("policy.yaml", Role.POLICY, policy))
    return parse_rehearsal(sources)


def problems(text: str, **others: str) -> list[Problem]:
    """Everything wrong or doubtful in these texts."""
    try:
        return list(rehearse(text, **others).warnings)
    except InputError as error:
        return list(error.problems)


def found(text: str, **others: str) -> list[Found]:
    """The same, as rule, line and column."""
    return [(problem.rule, problem.line, problem.column) for problem in problems(text, **others)]


STEPS = """\
goal: g
steps:
- {id: 1, tool: t}
- {id: 2, tool: t}
"""
