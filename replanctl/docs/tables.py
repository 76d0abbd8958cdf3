"""What the tables of rules, gates and statuses say of a word, so that no text has to say it again."""

from __future__ import annotations

from replanctl.cost import CostModel
from replanctl.kinds import ErrorType, GateName, Reason, Status
from replanctl.replan import DEPTHS, ERROR_TYPES, GATE, GATES, RULE_NAMES, GateRow, Unit

Facts = tuple[tuple[str, str], ...]

_STEPS = 1  # of some plan, for a default that is the same for all
_MORE = {"more": "N", "tokens": "TOKENS", "steps": "N"}  # what a hand-over would work out from the run


def rule_facts(rule: str) -> Facts:
    """Where a routing rule stands in the table, and how deep it cuts."""
    place = f"{RULE_NAMES.index(rule) + 1} of {len(RULE_NAMES)}, and the first that matches decides"
    return ("cuts", DEPTHS[rule].value if rule in DEPTHS else "as deep as was said"), ("asked", place)


def gate_facts(gate: str) -> Facts:
    """What a gate counts, when it is asked, what it is by default, and how to go on behind it."""
    row = GATE[GateName(gate)]
    return (
        ("counts", row.counts),
        ("asked", "; ".join(moment.value for moment in row.asked)),
        ("default", _default(row)),
        ("ends as", row.reason.value),
        ("go on", f"replanctl resume RUN {row.raises.format(**_MORE)}"),
    )


def _default(row: GateRow) -> str:
    # A default may depend on the plan, and there is none here: then the rule is said, and else the number.
    limit = row.default(_STEPS, CostModel())
    said = "no limit" if limit is None else f"{limit:,}{' tokens' if row.unit is Unit.TOKENS else ''}"
    return row.rule or said


def reason_facts(reason: str) -> Facts:
    """Whether a reason is a success, and the gate that gives it."""
    gate = next((row.name.value for row in GATES if row.reason == reason), "")
    ended: Facts = () if reason == Reason.INTERRUPTED else (("session", Reason(reason).ending.value),)
    return (*ended, ("gate", gate)) if gate else ended


def status_facts(status: str) -> Facts:
    """What type of failure a status makes, and whether the tool had acted by then."""
    found = Status(status)
    kind = ERROR_TYPES.get(found)
    acted = "yes" if found.took_effect else "nobody can tell" if found.may_have_acted else "no"
    return (*([("failure", kind.value)] if kind else []), ("acted", acted))


def error_type_facts(error_type: str) -> Facts:
    """The statuses that make this type of failure."""
    statuses = [status.value for status, kind in ERROR_TYPES.items() if kind is ErrorType(error_type)]
    return (("statuses", ", ".join(statuses)),) if statuses else ()
