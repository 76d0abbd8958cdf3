"""A step whose contract is a JSON Schema needs a value from every scripted `ok` that may answer it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import UNSET

from replanctl.files.faults import At
from replanctl.kinds import Status
from replanctl.plan import Step, Tool, mentions
from replanctl.schema import schema_of
from replanctl.script import OutcomeRule, contained


def check_values(steps: Iterable[Step], tools: dict[str, Tool], rules: Sequence[OutcomeRule], at: At) -> None:
    """Note each `ok` without a value that may answer a step under a JSON Schema before a rule that surely does."""
    if not any(map(_bare, rules)):
        return
    named, general = _by_step(rules)
    for step in steps:
        if schema_of(step.produces) is not None:
            _check_step(step, tools, rules, sorted([*named.get(step.id, ()), *general]), at)


def _check_step(
    step: Step, tools: dict[str, Tool], rules: Sequence[OutcomeRule], candidates: Iterable[int], at: At
) -> None:
    left = _tools_of(step, tools)  # tools whose calls may still get as far as the rule looked at
    for index in candidates:
        match = rules[index].match
        answered = left if match.tool is None else left & {match.tool}
        if not answered or not _may_match(match.args, step):
            continue
        _note(step, rules[index], at[index]["returns"])
        if match.version is None and _must_match(match.args, step):
            left -= {step.tool_name} if match.step is not None and match.tool is None else answered


def _bare(rule: OutcomeRule) -> bool:
    return any(entry.status is Status.OK and entry.value is UNSET for entry in rule.returns)


def _by_step(rules: Sequence[OutcomeRule]) -> tuple[dict[str, list[int]], list[int]]:
    named: dict[str, list[int]] = {}
    general: list[int] = []
    for index, rule in enumerate(rules):
        (general if rule.match.step is None else named.setdefault(rule.match.step, [])).append(index)
    return named, general


def _may_match(args: dict[str, Any] | None, step: Step) -> bool:
    return args is None or any(mentions(own) or contained(args, own) for own in _all_args(step))


def _must_match(args: dict[str, Any] | None, step: Step) -> bool:
    return args is None or all(not mentions(own) and contained(args, own) for own in _all_args(step))


def _all_args(step: Step) -> list[dict[str, Any]]:
    return [step.args, *(other.args for other in step.alternatives if other.args is not None)]


def _tools_of(step: Step, tools: dict[str, Tool]) -> set[str]:
    used = {step.tool_name, *(other.tool for other in step.alternatives if other.tool)}
    return used.union(*(tools[name].fallback for name in used if name in tools))


def _note(step: Step, rule: OutcomeRule, at: At) -> None:
    for number, entry in enumerate(rule.returns):
        if entry.status is Status.OK and entry.value is UNSET:
            at[number].error(
                "value-required",
                f"step {step.id} may be answered here, and its contract is a JSON Schema: ok needs a value",
                "write {status: ok, value: …}",
            )
