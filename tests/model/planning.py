"""The two replanners: the scripted one, and the template with its cures."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from tests.model import refs
from tests.model.state import State
from tests.model.steps import Failure, Step
from tests.model.world import Ambiguous


@dataclass
class Draft:
    """What a replanner answered: raw steps of a planner, or copies that the template made of old steps."""

    raw: list[dict[str, Any]] = field(default_factory=list)
    copies: list[tuple[str, Step]] = field(default_factory=list)  # (the step it stands for, its new text)
    verdicts: dict[str, str] = field(default_factory=dict)
    template: bool = False
    empty: bool = False


def ask(session: Any, failure: Failure | None, signal: Failure | None, granularity: str) -> Any:
    """A draft, or None for "no plan"."""
    s: State = session.s
    rule = session.matching(signal, granularity, failure is None)
    if rule is not None:
        if not rule.get("steps"):
            return Draft(empty=True, verdicts=rule.get("verdicts") or {}) if failure is None else None
        return Draft(raw=rule["steps"], verdicts=rule.get("verdicts") or {})
    last = next((r["otherwise"] for r in s.rules if "otherwise" in r), "template")
    if last == "give_up":
        return None  # also at a goal change: this answer is no empty list, it says that there is no plan
    return template(s, failure, granularity)


def template(s: State, failure: Failure | None, granularity: str) -> Draft:
    """Fixed templates, from the failure itself."""
    failed = s.get(failure.step).copy() if failure else None
    if failure is not None and failed is not None:
        root = s.root(failure.step)
        if granularity == "patch":
            patch(s, failed, failure, root)
        else:
            work_around(s, failed, failure)
    if granularity == "patch":
        assert failed is not None
        return Draft(copies=[(failed.id, failed)], template=True)
    if granularity == "tail":
        assert failed is not None and failure is not None
        rest = [s.get(i).copy() for i in s.radius(failure.step, failure.refutes)]
        return Draft(copies=[(failed.id, failed)] + [(st.id, st) for st in rest], template=True)
    everything = [failed if failed and st.id == failed.id else st.copy() for st in s.steps]
    if failure is None and not everything:
        return Draft(empty=True)
    return Draft(copies=[(st.id, st) for st in everything], template=True)


def next_alternative(failed: Step) -> dict[str, Any] | None:
    """The first that is left of a step's own; the draft's step has those behind it."""
    if not failed.alternatives:
        return None
    (way, *failed.alternatives), (read, *failed.ways) = failed.alternatives, failed.ways
    return way | ({"read": read} if "args" in way else {})


def take_alternative(failed: Step, alternative: dict[str, Any]) -> None:
    failed.tool = alternative.get("tool", failed.tool)
    if "args" in alternative:
        failed.args = refs.copy(alternative["read"])


def patch(s: State, failed: Step, failure: Failure, root: str) -> None:
    if failure.type == "missing_var":
        cure(s, failed)
        return
    if failure.arg_fault and mend_args(s, failed):
        return
    alternative = next_alternative(failed)
    if alternative is not None:
        take_alternative(failed, alternative)
        failed.action = alternative.get("action", failed.action)
    else:
        tried = s.tools_tried.get(root, set())
        other = next((t for t in s.fallbacks(failed.tool) if t not in tried), None)
        if other is not None:
            failed.tool = other
    plain = re.sub(r" \(patch \d+\)\Z", "", failed.action)
    failed.action = f"{plain} (patch {s.patches.get(root, 0) + 1})"


def work_around(s: State, failed: Step, failure: Failure) -> None:
    cut = failure.message[:20] + ("…" if len(failure.message) > 20 else "")
    action = f"work around [{cut}]"
    alternative = next_alternative(failed)
    if alternative is not None:
        take_alternative(failed, alternative)
        action = alternative.get("action", action)
    if failure.type == "missing_var":
        cure(s, failed)
    failed.action = action


def mend_args(s: State, failed: Step) -> bool:
    """Rename an arg the schema does not know to a required one that is missing and at most 2 edits away."""
    schema = s.tool(failed.tool).get("args") or {}
    unknown = [k for k in failed.args if k not in schema.get("properties", {})]
    missing = [k for k in schema.get("required", []) if k not in failed.args]
    pairs = [(u, m) for u in unknown for m in missing if refs.distance(u, m) <= 2]
    if not pairs:
        return False
    if len(pairs) > 1:
        raise Ambiguous("several args could be renamed")
    ((old, new),) = pairs
    failed.args = {new if k == old else k: v for k, v in failed.args.items()}
    return True


# --- cures of references


def cure(s: State, failed: Step) -> None:
    """Mend every reference of the failed step that can't be read; one that had not run when it failed gets its edge."""
    # An alternative that reads one of them gets its edge too.
    waited = {ref.step for ref in refs.refs(s.get(failed.id).args) if ref.bad == "pending"}
    for ref in list(refs.refs(failed.args)):
        state = "pending" if ref.step in waited else s.ref_state(ref)[0]
        if state == "pending":
            cure_pending(s, failed, ref)
        elif state in ("failed", "skipped", "void"):
            ref.null = True
        elif state == "no such step":
            cure_step(s, failed, ref)
        elif state == "no such field":
            cure_field(s, ref)
        ref.bad = None


def cure_pending(s: State, failed: Step, ref: refs.Ref) -> None:
    target = s.find(ref.step)
    if target is None:
        raise Ambiguous("the step of a hidden dependency left the plan before its cure")
    cycle = target.id == failed.id or target.id in s.dependents({failed.id})
    if cycle or target.ended_badly or target.gap:
        ref.null = True
    elif target.id not in failed.deps:
        failed.deps.append(target.id)


def cure_step(s: State, failed: Step, ref: refs.Ref) -> None:
    resting = s.dependents({failed.id}) | {failed.id}
    near = [st for st in s.steps if st.id not in resting and refs.distance(st.id, ref.step) <= 2]
    clean = [st for st in s.steps if st.state == "done" and s.variables[st.id].health == "clean"]
    usable = [st for st in clean if st.id not in resting]
    if clean and not usable:
        raise Ambiguous("the only clean steps are not usable")
    close = [st for st in near if st in usable] if usable else [st for st in near if st.open]
    if usable and not close and any(st.open for st in near):
        raise Ambiguous("clean steps exist, but only an open one is close")
    if not close:
        ref.null = True
        return
    best = min(close, key=lambda st: refs.distance(st.id, ref.step))
    typo = ref.step
    ref.step, ref.nothing = best.id, False
    if best.state == "done" and refs.walk(s.variables[best.id].value, ref.parts()) is refs.NO_FIELD:
        cure_field(s, ref)
        if ref.null:  # nothing that it could mean
            ref.step = typo
            return
    if best.id not in failed.deps:
        failed.deps.append(best.id)


def cure_field(s: State, ref: refs.Ref) -> None:
    value: Any = s.variables[ref.step].value if ref.step in s.variables else None
    pieces = refs.PART.findall(ref.path)
    for at, part in enumerate(ref.parts()):
        then = refs.walk(value, [part])
        if then is not refs.NO_FIELD:
            value = then
            continue
        keys = [k for k in value if refs.distance(k, str(part)) <= 2] if isinstance(value, dict) else []
        if not isinstance(part, str) or not keys:
            ref.null = True
            return
        best = min(keys, key=lambda k: refs.distance(k, str(part)))
        ref.path = "".join(pieces[:at]) + f".{best}" + "".join(pieces[at + 1 :])
        if refs.walk(value, [best]) is not refs.NO_FIELD and at + 1 < len(pieces):
            raise Ambiguous("a path goes on behind a mended key")
        return
