"""Two runs in figures: what counts as a difference, and how their routes stand beside each other."""

from __future__ import annotations

import msgspec
import pytest

from replanctl.kinds import Ending, ErrorType, GateName, Granularity, Reason
from replanctl.run import Figures, RunsDiff
from replanctl.run.figures import Decision

A = Decision("1", ErrorType.ASSUMPTION, "small-radius", Granularity.PATCH)
B = Decision("2", ErrorType.SEMANTIC, "wrong-decomposition", Granularity.TAIL)
C = Decision(None, None, "goal-changed", Granularity.GLOBAL)
FIGURES = Figures(Ending.COMPLETED, Reason.GOAL_MET, None, 5.0, 2, 1, 4, 5, 900, 600, 300, (A,))

ROUTES = [
    ((), (), ""),
    ((A,), (A,), "=1"),
    ((A,), (), "-1"),
    ((), (B,), "+2"),
    ((A, B), (B,), "-1 =2"),
    ((A, B), (A, C), "=1 -2 +None"),
    ((A, B, C), (B, C, A), "-1 =2 =None +1"),
    ((A, A), (A,), "=1 -1"),
]


@pytest.mark.parametrize(("old", "new", "said"), ROUTES)
def test_routes_stand_beside_each_other_in_order(
    old: tuple[Decision, ...], new: tuple[Decision, ...], said: str
) -> None:
    replace = msgspec.structs.replace
    diff = RunsDiff(replace(FIGURES, decisions=old), replace(FIGURES, decisions=new))
    assert " ".join(f"{each.mark}{each.decision.step_id}" for each in diff.decisions) == said
    assert bool(diff) == (old != new)


OTHERS = {
    "status": Ending.FAILED, "reason": Reason.ESCALATED, "gate": GateName.MAX_STEPS, "seconds": 5.5, "versions": 3,
    "replans": 2, "executions": 5, "calls": 6, "tokens": 901, "main": 601, "remedy": 301, "decisions": (B,),
}  # fmt: skip


@pytest.mark.parametrize("field", Figures.__struct_fields__)
def test_every_figure_is_a_difference(field: str) -> None:
    assert RunsDiff(FIGURES, msgspec.structs.replace(FIGURES, **{field: OTHERS[field]}))
