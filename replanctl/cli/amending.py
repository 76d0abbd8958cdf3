"""What a resumed run goes on with: its inputs, changed from one event on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, UnsetType

from replanctl.cli.flags import Flag, option_name
from replanctl.cli.overrides import More, RaiseOptions, gates_given
from replanctl.errors import UsageError
from replanctl.files import read_outcomes
from replanctl.kinds import Granularity
from replanctl.run import Amendment, Doubt, Policy, Script, Word, call_cut_off, settlements, where_to_cut, word
from replanctl.run import events as e
from replanctl.store import Inputs


class AmendOptions(RaiseOptions, frozen=True, kw_only=True):
    """What a command line can change of a stopped run. It holds from where the run goes on."""

    granularity: Annotated[
        Granularity | UnsetType, Flag("Force this depth on every replan from here on.", "GRANULARITY", Granularity)
    ] = UNSET
    goal: Annotated[str | None, Flag("Change the goal.", "TEXT")] = None
    outcomes: Annotated[Path | None, Flag("What tool calls return from here on.", "FILE", Path)] = None
    settle: Annotated[
        tuple[Word, ...],
        Flag("What came of a call that may have happened: done, again or skip.", "STEP=done:JSON", word, many=True),
    ] = ()


def amended(
    inputs: Inputs, stored: Sequence[e.AnyEvent], options: AmendOptions, open_: Sequence[Doubt]
) -> tuple[Inputs, int]:
    """The inputs with what changes from here on, and how many events are kept; `open_` are the calls in doubt."""
    since = inputs.amendments[-1].seq if inputs.amendments else 0
    reroute = options.granularity is not UNSET or options.goal is not None
    cut = where_to_cut(stored, since=since, reroute=reroute, settles=bool(open_))
    before = [each for each in inputs.amendments if each.seq <= cut.seq]
    here = before.pop() if before and before[-1].seq == cut.seq else None
    in_force = Amendment(cut.seq, before[-1].policy if before else inputs.policy)
    here = here or in_force
    amendment = msgspec.structs.replace(
        here,
        policy=_policy(here.policy, stored, options),
        goal=here.goal if options.goal is None else options.goal,
        outcomes=_script(options, inputs) or here.outcomes,
        behind_stop=here.behind_stop or cut.behind_stop,
        cut_off=call_cut_off(stored, open_) or here.cut_off,
        settled=settlements(options.settle, open_, here.settled),
    )
    amendments = (*before, amendment) if amendment != in_force else tuple(before)
    return msgspec.structs.replace(inputs, amendments=amendments), cut.seq


def _script(options: AmendOptions, inputs: Inputs) -> Script | None:
    if options.outcomes is None:
        return None
    if inputs.tools is not None:
        raise UsageError("the run calls real tools: no outcomes would be asked", hint="leave out --outcomes")
    source = read_outcomes(options.outcomes)
    return Script(source.name, source.text)


def _policy(policy: Policy, stored: Sequence[e.AnyEvent], options: AmendOptions) -> Policy:
    replace = msgspec.structs.replace
    in_force = next((event.limits for event in stored if isinstance(event, e.SessionStart)), {})
    gates = {
        name: _raised(name, getattr(policy.gates, name), in_force.get(name), value.by)
        if isinstance(value, More)
        else value
        for name, value in gates_given(options).items()
    }
    routing = {} if options.granularity is UNSET else {"force": options.granularity}
    return replace(policy, gates=replace(policy.gates, **gates), routing=replace(policy.routing, **routing))


def _raised(name: str, stated: Any, in_force: Any, by: float) -> Any:
    limit = in_force if stated is UNSET else stated
    if limit is None:
        raise UsageError(f"{option_name(name)} +{by:g}: there is no limit to raise")
    return limit + by
