"""What of a policy and a script decided anything, over many sessions, and what never did."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from replanctl.files import Rehearsal
from replanctl.lab.facts import Facts
from replanctl.plan import Step, mentions
from replanctl.replan import GATES, RULE_NAMES, RouteWhen
from replanctl.schema import contract


# Coverage is over all sessions of a matrix together. A rule that one session did not use says nothing; one that no
# fault of any step ever brought into play either can't be reached or guards against something the matrix does not try.
# That is why a reason is given only where it can be proved from the plan alone, and left out otherwise.
class Dead(msgspec.Struct, frozen=True):
    """Something that was written to help and never did: what it is, which, and why where that is known."""

    kind: str
    name: str
    why: str = ""


class Coverage(msgspec.Struct, frozen=True):
    """Built-in routing rules and gates that never decided, and what the plan and its policy wrote in vain."""

    rules_used: tuple[str, ...]
    rules_unused: tuple[str, ...]
    gates_used: tuple[str, ...]
    gates_unused: tuple[str, ...]
    dead: tuple[Dead, ...]


def coverage_of(rehearsal: Rehearsal, used: Used) -> Coverage:
    """What the sessions of one rehearsal used of all that could have helped."""
    own = [rule.name for rule in rehearsal.policy.routing.rules]
    gates = [str(row.name) for row in GATES]
    return Coverage(
        # The user's own rules that never decided stand under `dead`, with a reason where there is one: somebody wrote
        # them in vain. Nobody wrote the built-in ones.
        tuple(name for name in (*RULE_NAMES, *own) if name in used.rules),
        tuple(name for name in RULE_NAMES if name not in used.rules),
        tuple(name for name in gates if name in used.gates),
        tuple(name for name in gates if name not in used.gates),
        tuple(_dead(rehearsal, used)),
    )


class Used:
    """What many sessions used, together."""

    def __init__(self) -> None:
        self.rules: set[str] = set()
        self.gates: set[str] = set()
        self.fallbacks: set[tuple[str, str]] = set()
        self.alternatives: set[tuple[str, int]] = set()
        self.planner: set[int] = set()
        self.outcomes: set[int] = set()

    def apply(self, one: Facts) -> None:
        """Take a session in."""
        self.rules.update(one.rules)
        self.gates.update(map(str, one.refused))
        self.fallbacks.update(one.fallbacks)
        self.alternatives.update(one.alternatives)
        self.planner.update(one.planner)
        self.outcomes.update(one.outcomes)


def _dead(rehearsal: Rehearsal, used: Used) -> Iterator[Dead]:
    steps, tools = rehearsal.plan.steps, rehearsal.plan.tools or {}
    for rule in rehearsal.policy.routing.rules:
        if rule.name not in used.rules:
            yield Dead("rule", rule.name, _why_no_match(rule.when, rehearsal))
    for name, tool in tools.items():
        for fallback in tool.fallback:
            if (name, fallback) not in used.fallbacks:
                yield Dead("fallback", f"{fallback} of {name}", _why_no_fallback(rehearsal, steps, name, fallback))
    for step in steps:
        for number, way in enumerate(step.alternatives):
            if (step.id, number) not in used.alternatives:
                what = way.action or way.tool or step.tool_name
                yield Dead("alternative", f"{number + 1} of step {step.id} ({what})")
    for number, planned in enumerate(rehearsal.planner):
        if number not in used.planner:
            said = planned.when.error or planned.when.goal or planned.when.step or planned.otherwise or "any failure"
            yield Dead("planner rule", f"{number + 1} ({said})")
    for number, outcome in enumerate(rehearsal.outcomes):
        if number not in used.outcomes:
            yield Dead("outcome rule", f"in line {outcome.line}")


def _why_no_match(when: RouteWhen, rehearsal: Rehearsal) -> str:
    """What it asks for that no failure of this plan can be."""
    steps, tools = rehearsal.plan.steps, rehearsal.plan.tools or {}
    # A scripted draft may bring any tool and any step, so nothing can be proved of a plan that has a planner.
    used = {step.tool_name for step in steps} | {w.tool for step in steps for w in step.alternatives if w.tool}
    used |= {name for tool in used & tools.keys() for name in tools[tool].fallback}
    if when.tool is not None and when.tool not in used and not rehearsal.planner:
        return f"no step uses {when.tool}"
    if when.step is not None and when.step not in {step.id for step in steps} and not rehearsal.planner:
        return f"there is no step {when.step}"
    if when.min_radius is not None and when.min_radius >= len(steps) and not rehearsal.planner:
        return f"no failure has {when.min_radius} steps resting on it"
    return ""


def _why_no_fallback(rehearsal: Rehearsal, steps: tuple[Step, ...], tool: str, fallback: str) -> str:
    """A schema that refuses whatever it would get is a reason that can be named."""
    spec = (rehearsal.plan.tools or {}).get(fallback)
    mine = [step for step in steps if step.tool_name == tool]
    if not mine:
        return f"no step uses {tool}"
    if spec is None or spec.args is None:
        return ""
    # Args with references are known only while the session runs; those of v1 without any are what the fallback would
    # get.
    known = [step for step in mine if not mentions(step.args)]
    if known and all(contract.check_args(spec.args, step.args) for step in known):
        return "its schema refuses every call it would get"
    return ""
