"""What a stopped session goes on with: its inputs, changed from one event on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import UNSET

from replanctl.errors import UsageError
from replanctl.files import read_outcomes
from replanctl.kinds import GateName, Granularity
from replanctl.nearest import or_nearest
from replanctl.run import (
    Amendment,
    Doubt,
    Policy,
    Script,
    UnsettledError,
    Word,
    call_cut_off,
    check_goal,
    check_limit,
    settlements,
    where_to_cut,
    word,
)
from replanctl.run import events as e
from replanctl.store import Inputs

# What came of a call that may have happened: as the command line says it, or with the answer as it is.
Said = str | tuple[str, Any]
Settle = Mapping[str, Said] | Mapping[int, Said]


class More(msgspec.Struct, frozen=True):
    """So much on top of the limit in force: a count, tokens, or seconds."""

    by: float


class InDoubtError(UnsettledError):
    """A session can't go on before a person has said what came of these calls, which may have happened.

    `doubts` are in the order in which they are named; `run` is the number of a stored run.
    """

    def __init__(self, who: str, error: UnsettledError, doubts: Sequence[Doubt], run: int | None = None) -> None:
        hint = 'settle={"STEP": ("done", answer)}, "again" or "skip"'
        super().__init__(f"{who} asks for a person's word: {error} may have happened", hint=hint)
        self.doubts = tuple(doubts)
        self.run = run


# Changes are no events but inputs: they say before which event they hold (`seq`), so that a replay and the next resume
# make them at the same place. Several at one place are one; a change behind the cut goes with the events that it
# changed.
class Changes(msgspec.Struct, frozen=True, kw_only=True):
    """What can be changed of a stopped session. It holds from where the session goes on.

    `limits` are new ones by gate, None lifts one, `More(n)` raises the one in force; `granularity` is forced on every
    replan from there on; `goal` takes the place of the one in force; `outcomes` names a file that answers tool calls
    instead of the script so far; `settle` is a person's word on calls that may have happened.
    """

    limits: Mapping[str, float | More | None] = {}
    granularity: Granularity | None = None
    goal: str | None = None
    outcomes: Path | None = None
    settle: tuple[Word, ...] = ()


def changes_of(
    limits: Mapping[str, float | More | None],
    granularity: Granularity | str | None,
    goal: str | None,
    outcomes: str | Path | None,
    settle: Settle,
) -> Changes:
    """What Python code wants changed, looked at once. Raises UsageError for what makes no sense."""
    for said, given in (("limits", limits), ("settle", settle)):
        if not isinstance(given, Mapping):
            raise UsageError(f"{said} are a mapping, not a {type(given).__name__}")
    for name, limit in limits.items():
        _check_limit(name, limit.by if isinstance(limit, More) else limit)
    if goal is not None:
        check_goal(goal)
    return Changes(
        limits=dict(limits),
        granularity=None if granularity is None else _granularity(granularity),
        goal=goal,
        outcomes=None if outcomes is None else Path(outcomes),
        settle=tuple(_word(str(name), said) for name, said in settle.items()),
    )


def amended(
    inputs: Inputs, stored: Sequence[e.AnyEvent], changes: Changes, open_: Sequence[Doubt]
) -> tuple[Inputs, int]:
    """The inputs with what changes from here on, and how many events are kept; `open_` are the calls in doubt.

    Raises UsageError for a session that completed, and for a change that it can't take; UnsettledError where a call in
    doubt is left out.
    """
    since = inputs.amendments[-1].seq if inputs.amendments else 0
    reroute = changes.granularity is not None or changes.goal is not None
    # A raised limit takes back the check that refused; a forced route or a new goal leaves it and routes the failure
    # once more.
    raises_only = not reroute and changes.outcomes is None and not _lowers(inputs, stored, changes)
    # A real planner is not asked once more for what it has answered: what it was asked says how much was left.
    side_by_side = inputs.policy.max_parallel > 1 and inputs.planner is None
    cut = where_to_cut(
        stored, since=since, reroute=reroute, settles=bool(open_), raises_only=raises_only, side_by_side=side_by_side
    )
    before = [each for each in inputs.amendments if each.seq <= cut.seq]
    here = before.pop() if before and before[-1].seq == cut.seq else None
    in_force = Amendment(cut.seq, before[-1].policy if before else inputs.policy)
    here = here or in_force
    amendment = msgspec.structs.replace(
        here,
        policy=_policy(here.policy, stored, changes),
        goal=here.goal if changes.goal is None else changes.goal,
        outcomes=_script(changes, inputs) or here.outcomes,
        behind_stop=here.behind_stop or cut.behind_stop,
        cut_off=call_cut_off(stored, open_) or here.cut_off,
        settled=settlements(changes.settle, open_, here.settled),
    )
    amendments = (*before, amendment) if amendment != in_force else tuple(before)
    return msgspec.structs.replace(inputs, amendments=amendments), cut.seq


def _script(changes: Changes, inputs: Inputs) -> Script | None:
    if changes.outcomes is None:
        return None
    if inputs.tools is not None:
        raise UsageError("the run calls real tools: no outcomes would be asked", hint="leave out --outcomes")
    source = read_outcomes(changes.outcomes)
    return Script(source.name, source.text)


def _lowers(inputs: Inputs, stored: Sequence[e.AnyEvent], changes: Changes) -> bool:
    """Whether a limit in force is lowered."""
    gates = (inputs.amendments[-1].policy if inputs.amendments else inputs.policy).gates
    in_force = _first_limits(stored)
    for name, value in changes.limits.items():
        if not isinstance(value, More) and value is not None:
            stated = getattr(gates, name)
            had = in_force.get(name) if stated is UNSET else stated
            if had is None or value < had:
                return True
    return False


def _first_limits(stored: Sequence[e.AnyEvent]) -> Mapping[str, Any]:
    """The limits that the session began with, those that come from a default or a preset among them."""
    return next((event.limits for event in stored if isinstance(event, e.SessionStart)), {})


def _policy(policy: Policy, stored: Sequence[e.AnyEvent], changes: Changes) -> Policy:
    replace = msgspec.structs.replace
    # `+2` is on top of the limit the session really had, which the policy may leave to a default that depends on the
    # plan.
    in_force = _first_limits(stored)
    gates = {
        name: _raised(name, getattr(policy.gates, name), in_force.get(name), value.by)
        if isinstance(value, More)
        else value
        for name, value in changes.limits.items()
    }
    routing = {} if changes.granularity is None else {"force": changes.granularity}
    return replace(policy, gates=replace(policy.gates, **gates), routing=replace(policy.routing, **routing))


def _raised(name: str, stated: Any, in_force: Any, by: float) -> Any:
    limit = in_force if stated is UNSET else stated
    if limit is None:
        flag = f"--{name.replace('_', '-')}"
        raise UsageError(f"{flag} +{by:g}: there is no limit to raise", hint=f"{flag} {by:g} sets one")
    return limit + by


# -- what Python code gives --


def _check_limit(name: str, limit: object) -> None:
    if name not in set(GateName):
        known = tuple(gate.value for gate in GateName)
        raise UsageError(f"there is no gate {name}", hint=or_nearest(name, known, f"there are {', '.join(known)}"))
    check_limit(name, limit)


def _granularity(text: Granularity | str) -> Granularity:
    try:
        return Granularity(text)
    except ValueError:
        raise UsageError(f"a granularity is one of {', '.join(Granularity)}, not {text!r}") from None


def _word(name: str, said: Said) -> Word:
    """`"again"`, `"skip"`, `"done"`, `'done:{"paid": true}'`, or `("done", {"paid": True})`."""
    how, value = said if isinstance(said, tuple) and len(said) == 2 else (said, None)
    if not isinstance(how, str):
        raise UsageError(f"{name} is settled by again, skip, done or (done, value), not by a {type(how).__name__}")
    try:
        return word(f"{name}={how}") if value is None else msgspec.structs.replace(word(f"{name}={how}"), value=value)
    except ValueError as error:
        raise UsageError(f"settle: {error}") from None
