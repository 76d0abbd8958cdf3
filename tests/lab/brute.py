"""What the lab should say, worked out the slow way: from the documents of single runs, one run for each question.

Nothing here looks at the lab's facts, folds or tables. A cell is the document that `run PLAN --fault` prints, a limit
is tried by running under it, and a count is a count over documents.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from replanctl.files import Rehearsal
from replanctl.host import session_of
from replanctl.kinds import GateName, Otherwise, Status
from replanctl.plan import Alternative, Step
from replanctl.replan import PlannerRule, ReplanRequest, ScriptedReplanner
from replanctl.run import Event, Interruption, Policy
from replanctl.run import events as e
from replanctl.run.fold import fold
from replanctl.script import Fault, with_faults

Document = dict[str, Any]
replace = msgspec.structs.replace

STATUSES = (
    "timeout", "rate_limited", "unavailable", "tool_error", "lost", "shape", "empty", "semantic", "denied", "error",
)  # fmt: skip
GATES = tuple(map(str, GateName))
RULES = (
    "goal-changed", "override", "environmental", "permission", "may-have-happened", "broken-dependency",
    "hidden-dependency", "plan-typo", "premise-overturned", "wrong-decomposition", "small-radius", "wide-radius",
)  # fmt: skip


class Ran(msgspec.Struct, frozen=True):
    """One session: its events as they are streamed, and its document as `--format json` prints it."""

    events: list[Event]
    doc: Document
    planner: frozenset[int]

    @property
    def completed(self) -> bool:
        """Whether it came to its goal, with gaps or without."""
        return bool(self.doc["status"] == "completed")

    @property
    def stopped_by(self) -> str | None:
        """The gate that ended it."""
        handover = self.doc["handover"]
        return handover["gate"] and str(handover["gate"]["gate"]) if handover else None

    @property
    def limit(self) -> Any:
        """The limit of the gate that ended it."""
        return self.doc["handover"]["gate"]["limit"]

    @property
    def tokens(self) -> int:
        """All that was booked."""
        return int(self.doc["ledger"]["totals"]["all"])


class Spy:
    """The scripted replanner, with a note of which of its rules answered: each rule is asked alone."""

    name = "scripted"

    def __init__(self, rules: Sequence[PlannerRule]) -> None:
        self._rules, self._inner = rules, ScriptedReplanner(rules)
        self.used: set[int] = set()

    def replan(self, request: ReplanRequest) -> Any:
        """The script's answer."""
        answers = [number for number, rule in enumerate(self._rules) if _answers(rule, request)]
        self.used.update(answers[:1])
        return self._inner.replan(request)

    def cause(self, request: ReplanRequest) -> str:
        """The script's word."""
        return self._inner.cause(request)


def _answers(rule: PlannerRule, request: ReplanRequest) -> bool:
    marked = replace(rule, steps=(Step("mark", "mark"),))
    draft = ScriptedReplanner((marked,)).replan(request)
    return rule.otherwise is Otherwise.TEMPLATE or draft is not None


def ran(
    of: Rehearsal, *faults: Fault, policy: Policy | None = None, change: Interruption | None = None, lessons: Any = ()
) -> Ran:
    """One session of a rehearsal."""
    if faults:
        of = replace(of, outcomes=with_faults(of.outcomes, faults))
    if change is not None:
        of = replace(of, interruptions=(*of.interruptions, change))
    spy = Spy(of.planner)
    session = session_of(of, policy or of.policy, lessons, replanner=spy if of.planner else None)
    events = list(session.events())
    return Ran(events, msgspec.json.decode(msgspec.json.encode(fold(events))), frozenset(spy.used))


# -- one cell ----------------------------------------------------------------------------------------------------------


def cell(one: Ran, faults: Sequence[Fault] = ()) -> Document:
    """What a table may say of one session, from its document."""
    doc, history = one.doc, one.doc["history"]
    executed = [row for row in history if row["status"] != "skipped"]
    gate = doc["handover"]["gate"] if doc["handover"] else None
    kinds = ("planning", "execution", "re-execution", "retry", "replan", "solver")
    lines = doc["ledger"]["lines"]
    return {
        "status": doc["status"],
        "reason": doc["reason"],
        "seconds": doc["seconds"],
        "tokens": one.tokens,
        "remedy": doc["ledger"]["totals"]["remedy"],
        "calls": sum(len(row["attempts"]) for row in history),
        "executions": len(executed),
        "replans": sum(line["kind"] == "replan" for line in lines),
        "versions": len(doc["versions"]),
        "depths": [version["granularity"] for version in doc["versions"][1:]],
        "gaps": len(doc["gaps"]),
        "stopped": gate and {name: gate[name] for name in ("gate", "limit", "reading")},
        "doubled": sorted(doubled(doc).items()),
        "rules": sorted({route["rule"] for route in doc["routes"]}),
        "refused": sorted({row["gate"] for row in doc["gates"] if not row["admitted"]}),
        "fallbacks": sorted(fallbacks(doc)),
        "planner": sorted(one.planner),
        "unlanded": [str(fault) for fault in faults if any(_silent(text, str(fault)) for text in doc["warnings"])],
        "effects": len(doc["effects"]),
        "spent": [sum(line["booked"] for line in lines if line["kind"] == kind) for kind in kinds],
    }


def _silent(warning: str, fault: str) -> bool:
    return warning.endswith("was never used") and fault in warning.split()


def doubled(doc: Document) -> dict[str, int]:
    """By tool: how often the same call took effect at most, where more than once."""
    worst: dict[str, int] = {}
    for row in doc["effects"]:
        if row["times"] > 1:
            worst[row["tool"]] = max(worst.get(row["tool"], 0), row["times"])
    return worst


def fallbacks(doc: Document) -> set[tuple[str, str]]:
    """Tools, each with another that was called instead of it."""
    own = {(v["version"], step["id"]): step["tool"] for v in doc["versions"] for step in v["steps"]}
    tried = {(own[row["version"], row["step_id"]], a["tool"]) for row in doc["history"] for a in row["attempts"]}
    return {(tool, other) for tool, other in tried if tool != other}


# -- a matrix ----------------------------------------------------------------------------------------------------------


class Swept(msgspec.Struct, frozen=True):
    """Every session of a matrix: the script's own, the cells in order, the goal changes, the pairs."""

    base: Ran
    cells: list[tuple[Fault, Ran]]
    goals: list[Ran]
    pairs: list[tuple[tuple[Fault, Fault], Ran]]

    @property
    def all(self) -> list[Ran]:
        """All of them."""
        return [self.base, *(one for _, one in self.cells), *self.goals, *(one for _, one in self.pairs)]


def swept(of: Rehearsal, pairs: Iterable[tuple[Fault, Fault]] = (), *, goals: bool = False) -> Swept:
    """Run every step under every status, once and for ever, and what else was asked for."""
    steps = [step.id for step in of.plan.steps]
    faults = [Fault(step, Status(status), always) for step in steps for always in (False, True) for status in STATUSES]
    own = [(one.goal, one.refutes) for one in of.interruptions] or [("something else than before", ())]
    changes = [Interruption(goal, step, refutes=refutes) for step in steps for goal, refutes in dict.fromkeys(own)]
    return Swept(
        ran(of),
        [(fault, ran(of, fault)) for fault in faults],
        [ran(of, change=change) for change in changes] if goals else [],
        [(pair, ran(of, *pair)) for pair in pairs],
    )


def no_way_out(of: Rehearsal, found: Swept) -> set[tuple[str, str, bool]]:
    """Step and status from which no session came to its goal, and whether only a failure that stays does that.

    A fault that met no call is no failure.
    """
    ends = {
        (fault.step, str(fault.status), fault.always): one.completed
        for fault, one in found.cells
        if not cell(one, [fault])["unlanded"]
    }
    stuck = {(step, status, False) for (step, status, always), fine in ends.items() if not always and not fine}
    stays = {(step, status) for (step, status, always), fine in ends.items() if always and not fine}
    return stuck | {(step, status, True) for step, status in stays if (step, status, False) not in stuck}


def twice(found: Swept) -> dict[str, tuple[int, int]]:
    """By tool: how often the same call took effect at most, and in how many sessions more than once."""
    rows = [doubled(one.doc) for one in found.all]
    tools = {tool for row in rows for tool in row}
    return {t: (max(row.get(t, 0) for row in rows), sum(t in row for row in rows)) for t in tools}


def totals(found: Swept) -> Document:
    """The sessions by how they ended, without the one that had no fault."""
    rows = [cell(one) for one in found.all[1:]]
    met = [row for row in rows if row["reason"] == "goal_met"]
    gaps = [row for row in rows if row["reason"] == "goal_met_with_gaps"]
    over = [row for row in rows if row["reason"] == "escalated"]
    return {
        "sessions": len(rows),
        "completed": len(met) + len(gaps),
        "absorbed": sum(row["replans"] == 0 for row in met),
        "by_replans": sum(row["replans"] > 0 for row in met),
        "with_gaps": len(gaps),
        "handed_over": len(over),
        "stopped": len(rows) - len(met) - len(gaps) - len(over),
    }


def dead(of: Rehearsal, found: Swept) -> set[tuple[str, str]]:
    """What was written to help and never did, as kind and name."""
    rules = {route["rule"] for one in found.all for route in one.doc["routes"]}
    fell = {pair for one in found.all for pair in fallbacks(one.doc)}
    answered = {number for one in found.all for number in one.planner}
    silent = set.intersection(*({w for w in one.doc["warnings"] if w.endswith("never used")} for one in found.all))
    gone = {("rule", rule.name) for rule in of.policy.routing.rules if rule.name not in rules}
    for name, tool in (of.plan.tools or {}).items():
        gone |= {("fallback", f"{other} of {name}") for other in tool.fallback if (name, other) not in fell}
    gone |= {("planner rule", str(number + 1)) for number in range(len(of.planner)) if number not in answered}
    gone |= {("outcome rule", f"in line {r.line}") for r in of.outcomes if f"{r} was never used" in silent}
    taken = alternatives_taken(of, found)
    for step in of.plan.steps:
        numbers = range(len(step.alternatives))
        gone |= {
            ("alternative", f"{number + 1} of step {step.id}") for number in numbers if (step.id, number) not in taken
        }
    return gone


def alternatives_taken(of: Rehearsal, found: Swept) -> set[tuple[str, int]]:
    """Steps of v1 with the number of an alternative that some session took: marked by an action of its own each.

    The sessions are run once more with these marks, which say nothing to routing, gates or tools.
    """
    if not any(step.alternatives for step in of.plan.steps):
        return set()
    marks = {f"way {s.id} {n}": (s.id, n) for s in of.plan.steps for n in range(len(s.alternatives))}
    steps = tuple(
        replace(s, alternatives=tuple(_marked(way, f"way {s.id} {n}") for n, way in enumerate(s.alternatives)))
        for s in of.plan.steps
    )
    marked = replace(of, plan=replace(of.plan, steps=steps))
    goals = [event.goal for one in found.goals for event in one.events if isinstance(event, e.GoalChanged)]
    again = swept(marked, [pair for pair, _ in found.pairs], goals=bool(found.goals or goals))
    actions = {step["action"] for one in again.all for version in one.doc["versions"][1:] for step in version["steps"]}
    return {at for mark, at in marks.items() if any(a == mark or a.startswith(f"{mark} (patch") for a in actions)}


def _marked(way: Alternative, mark: str) -> Alternative:
    return replace(way, action=mark)
