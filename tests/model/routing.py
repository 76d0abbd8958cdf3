"""How deep a replan cuts, and the coupling test."""

from __future__ import annotations

from typing import Any

from tests.model.state import State
from tests.model.steps import Failure
from tests.model.world import Ambiguous

DEPTH = {"none": -1, "patch": 0, "tail": 1, "global": 2}


def route(s: State, failure: Failure) -> dict[str, Any]:
    """The first rule that matches, lifted by the ladder."""
    radius = len(s.radius(failure.step, failure.refutes))  # what routing compares, and its row says
    if (s.policy.get("routing") or {}).get("radius") == "direct":
        radius = sum(1 for st in s.steps if st.open and failure.step in st.deps)
    rule, granularity = first_rule(s, failure, radius)
    escalated = None
    had = s.had.get(s.root(failure.step), set())
    least = "global" if "global" in had else "tail" if had else "patch"
    if rule != "override" and granularity != "none" and DEPTH[granularity] < DEPTH[least]:
        escalated, granularity = granularity, least
    return {
        "version": s.version, "step_id": failure.step, "error_type": failure.type, "rule": rule, "radius": radius,
        "granularity": granularity, "escalated_from": escalated,
    }  # fmt: skip


def first_rule(s: State, failure: Failure, radius: int) -> tuple[str, str]:
    step = s.get(failure.step)
    routing = s.policy.get("routing") or {}
    if s.force:
        return "override", s.force
    if step.granularity:
        return "override", step.granularity
    lineage = s.ancestry(failure.step)
    for name, granularity in (routing.get("overrides") or {}).items():
        if str(name) in lineage:
            return "override", granularity
    for rule in routing.get("rules") or []:
        when = rule.get("when") or {}
        if when.get("tool") in (step.tool, failure.tool) and step.tool != failure.tool:
            raise Ambiguous("a routing rule for a tool, where the last call was a fallback's")
        if matches(when, failure, lineage, radius):
            return rule["name"], rule["granularity"]
    if failure.type == "environmental":
        return "environmental", "none"
    if failure.type == "permission":
        return "permission", "none"
    if failure.status == "error" and s.acts_once(failure.tool):
        return "may-have-happened", "none"
    if failure.type == "missing_var":
        if failure.ref_state in ("failed", "skipped", "void"):
            return "broken-dependency", "tail"
        if failure.ref_state == "pending":
            return "hidden-dependency", "patch"
        return "plan-typo", "patch"
    done = [st.id for st in s.steps if st.state == "done"]
    if any(set(failure.refutes) & s.variables[i].rests for i in done):
        return "premise-overturned", "global"
    if failure.type == "semantic":
        return "wrong-decomposition", "tail"
    if radius <= routing.get("patch_radius", 1):
        return "small-radius", "patch"
    return "wide-radius", "tail"


def matches(when: dict[str, Any], failure: Failure, lineage: set[str], radius: int) -> bool:
    return (
        when.get("error_type", failure.type) == failure.type
        and ("step" not in when or str(when["step"]) in lineage)
        and when.get("tool", failure.tool) == failure.tool
        and when.get("min_radius", 0) <= radius
        and radius <= when.get("max_radius", radius)
    )


def couple(s: State) -> None:
    """Decide `on_failure` where the file says nothing, by blanking each step's output."""
    named = {str(v)[1:] for v in s.solver.get("require", [])}
    for step in s.steps:
        if step.on_failure is None:
            step.on_failure = "defer" if coupling(s, step.id, named) == "weak" else "replan"


def coupling(s: State, blank: str, named: set[str]) -> str:
    paralysed = {blank}
    for _ in s.steps:
        for step in s.steps:
            if step.deps and all(d in paralysed for d in step.deps):
                paralysed.add(step.id)
    after = s.dependents({blank})
    direct = [st.id for st in s.steps if blank in st.deps]
    alive = [i for i in after if i not in paralysed]
    if not after or not alive or blank in named or any(d in paralysed for d in direct):
        return "strong"
    return "weak" if 2 * len(alive) > len(after) else "mixed"
