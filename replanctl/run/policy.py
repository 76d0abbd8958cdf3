"""Everything a session's policy says, one part for each room that obeys it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal

import msgspec
from msgspec import UNSET

from replanctl.cost import Coefficients
from replanctl.errors import UsageError
from replanctl.kinds import GateName, Mode, Preset
from replanctl.replan import GATE, GATES, GateLimits, LessonPolicy, RoutingPolicy, Unit


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


def left_open(stated: GateLimits) -> tuple[str, ...]:
    """What a preset leaves to a person to say, as warnings."""
    if stated.preset is Preset.ANCHORED and stated.max_seconds is UNSET:
        return ("the preset anchored sets no max_seconds: ask the user how long a session may take",)
    return ()


def check_policy(policy: object) -> None:
    """Raises UsageError for anything but a Policy, or None, and for numbers in it that a policy file may not hold."""
    if policy is None:
        return
    if not isinstance(policy, Policy):
        raise UsageError(f"the policy is a {type(policy).__name__}, not a Policy", hint="write Policy(mode=…, gates=…)")
    try:  # the types of all fields, as they are written down
        msgspec.convert(msgspec.to_builtins(policy), Policy)
    except (ValueError, TypeError) as error:  # a ValidationError is a ValueError, half a surrogate pair another
        raise UsageError(f"the policy is none: {error}") from None
    # A policy from Python is held to what a policy file may say: the same session must be possible to write down.
    for gate in GATES:
        check_limit(gate.name, getattr(policy.gates, gate.name))
    for name, number, least, most in _numbers(policy):
        if not least <= number <= most:
            raise UsageError(f"the policy's {name} is a number from {least} to {most:,}, not {number}")


def check_limit(name: str, limit: object) -> None:
    """Raises UsageError for a limit that this gate can't have; UNSET is left to the preset."""
    if limit is UNSET:
        return
    row = GATE[GateName(name)]
    if limit is None and row.nullable:
        return
    seconds = row.unit is Unit.SECONDS
    kind: Any = int | float if seconds else int
    if isinstance(limit, bool) or not isinstance(limit, kind) or not row.least <= limit <= MOST:
        what = f"a {'number of seconds' if seconds else 'whole number'} from {row.least} up"
        raise UsageError(f"{name} is {what}{' or None' if row.nullable else ''}, not {limit!r}")


MOST = 1_000_000_000  # of what is summed up: sums stay within 64 bits, and far from infinity


def _numbers(policy: Policy) -> Iterator[tuple[str, float, int, int]]:
    """The numbers of a policy that are no limits of gates, with the least and the most that each may be."""
    yield "max_parallel", policy.max_parallel, 1, MOST
    yield "retry.max_attempts", policy.retry.max_attempts, 1, 1000
    for name in ("backoff", "factor", "max_backoff"):
        yield f"retry.{name}", getattr(policy.retry, name), 0, MOST
    yield "routing.patch_radius", policy.routing.patch_radius, 0, MOST
    yield "lessons.max", policy.lessons.max or 0, 0, MOST
    yield "solver.min_evidence", policy.solver.min_evidence, 0, MOST
    for name in policy.coefficients.__struct_fields__:
        yield f"coefficients.{name}", getattr(policy.coefficients, name), 0, MOST
