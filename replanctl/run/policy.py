"""Everything a session's policy says, one part for each room that obeys it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

from replanctl.cost import Coefficients
from replanctl.errors import UsageError
from replanctl.kinds import Mode
from replanctl.replan import GateLimits, LessonPolicy, RoutingPolicy


class RetryPolicy(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """At most `max_attempts` calls of one tool; waits are in seconds and grow by `factor` up to `max_backoff`."""

    max_attempts: int = 3
    backoff: float = 1.0
    factor: float = 2.0
    max_backoff: float = 60.0

    def wait(self, tries: int) -> float:
        """The seconds to wait after so many tries: `backoff` after the first, then `factor` times as long each time."""
        try:
            # Powers overflow long before anybody would wait so long.
            return min(self.backoff * self.factor ** (tries - 1), self.max_backoff)
        except OverflowError:
            return self.max_backoff


# A plan that goes on with gaps needs somebody to say whether what is left is enough (ReWOO's Solver, arXiv:2305.18323):
# by name for what can't be missing, by number for the rest.
class SolverPolicy(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """What the Solver must have: variables by name (`E1`) and a number of done steps."""

    require: tuple[str, ...] = ()
    min_evidence: int = 1

    @property
    def required_steps(self) -> tuple[str, ...]:
        """The ids of the steps that `require` names."""
        return tuple(map(required_step, self.require))


def required_step(name: str) -> str:
    """The step id that a required variable (`E1`) names."""
    return name[1:] if name[:1] == "E" and len(name) > 1 else name


class Policy(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """How a session is run, as the section `policy` of a plan file says it; what is left out has its default.

    `mode` says what failures do, `max_parallel` how many steps run side by side, `gates` are the hard limits,
    `coefficients` tokens. Raises UsageError for a field of another type.
    """

    mode: Mode = Mode.HYBRID
    max_parallel: int = 1
    retry: RetryPolicy = RetryPolicy()
    routing: RoutingPolicy = RoutingPolicy()
    gates: GateLimits = GateLimits()
    lessons: LessonPolicy = LessonPolicy()
    solver: SolverPolicy = SolverPolicy()
    coefficients: Coefficients = Coefficients()

    if TYPE_CHECKING:  # what may be written; the fields say what it becomes

        def __init__(
            self,
            mode: Mode | Literal["hybrid", "replan", "rewoo", "auto"] = Mode.HYBRID,
            max_parallel: int = 1,
            retry: RetryPolicy = ...,
            routing: RoutingPolicy = ...,
            gates: GateLimits = ...,
            lessons: LessonPolicy = ...,
            solver: SolverPolicy = ...,
            coefficients: Coefficients = ...,
        ) -> None: ...

    def __post_init__(self) -> None:
        """Raises UsageError for a mode or a part that is none."""
        if type(self.mode) is not Mode:
            msgspec.structs.force_setattr(self, "mode", _mode(self.mode))
        for name, kind in _PARTS:
            if not isinstance(part := getattr(self, name), kind):
                raise UsageError(f"a policy's {name} is a {kind.__name__}, not a {type(part).__name__}")


# Code that builds a policy may hand over anything, and a wrong part would be noticed in the middle of a session.
_PARTS: tuple[tuple[str, type], ...] = (
    ("retry", RetryPolicy),
    ("routing", RoutingPolicy),
    ("gates", GateLimits),
    ("lessons", LessonPolicy),
    ("solver", SolverPolicy),
    ("coefficients", Coefficients),
)


def _mode(value: str) -> Mode:
    try:
        return Mode(value)
    except ValueError:
        raise UsageError(f"a policy's mode is one of {', '.join(Mode)}, not {value!r}") from None
