"""The scripted planner's rules, and the drafts of planners outside."""

from __future__ import annotations

from typing import Any

from replanctl.files.faults import At
from replanctl.files.forms import made_of
from replanctl.files.plan import drafted_step
from replanctl.files.shapes import Fields, choice, known_step, list_of, map_of, optional, record, text, variable
from replanctl.kinds import ErrorType, Granularity, Otherwise, Verdict
from replanctl.replan import PlannerRule, PlannerWhen

_WHEN: Fields = {
    "error": optional(text),
    # A goal change has no signal; `goal` is what matches it.
    "type": optional(choice(ErrorType, ErrorType.GOAL_CHANGED)),
    "step": optional(known_step),
    "granularity": optional(choice(Granularity)),
    "goal": optional(text),
}


_drafted_steps = list_of(drafted_step)


@made_of("same", _drafted_steps)
def steps(value: Any, at: At) -> Any:
    """The steps of a draft, no two with the same id."""
    found = _drafted_steps(value, at)
    seen: set[str] = set()
    for index, raw in enumerate(value if isinstance(value, list) else ()):
        id_ = str(raw.get("id")) if isinstance(raw, dict) and isinstance(raw.get("id"), str | int) else None
        if id_ in seen:
            at[index]["id"].error("duplicate-id", f"the draft has two steps {id_}", "give one of them another id")
        elif id_ is not None:
            seen.add(id_)
    return found


_verdicts = map_of(choice(Verdict), key=variable)
_DRAFT: Fields = {"steps": steps, "verdicts": _verdicts, "cause": text}

draft = record(PlannerRule, _DRAFT, required=("steps",), what="a list of steps or {steps, verdicts, cause}")

_answer = record(
    PlannerRule, {"when": record(PlannerWhen, _WHEN), **_DRAFT}, required=("steps",), what="a planner rule"
)
_otherwise = record(PlannerRule, {"otherwise": choice(Otherwise)}, required=("otherwise",))


@made_of("either", _answer, _otherwise)
def _rule(value: Any, at: At) -> Any:
    return (_otherwise if isinstance(value, dict) and "otherwise" in value else _answer)(value, at)


_rules = list_of(_rule)


@made_of("same", _rules)
def planner(value: Any, at: At) -> Any:
    """The rules of the scripted planner, in order."""
    rules = _rules(value, at)
    for index, rule in enumerate(value[:-1] if isinstance(value, list) else ()):
        if isinstance(rule, dict) and "otherwise" in rule:
            at[index + 1].warning(
                "unreachable-rule", "otherwise stands before this rule and always matches", "put otherwise last"
            )
            break
    return rules
