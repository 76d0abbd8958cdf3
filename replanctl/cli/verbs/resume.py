"""`resume`: go on with a run from where it stopped or was killed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, UnsetType

from replanctl.cli.effects import EffectLog
from replanctl.cli.flags import Flag, Shared, Verb
from replanctl.cli.output import output
from replanctl.cli.rehearse import rerun
from replanctl.cli.values import count, duration, or_none, positive
from replanctl.cli.verbs.run import RunFormat, view_of
from replanctl.cli.world import World
from replanctl.errors import ReplayDivergedError, UsageError
from replanctl.files import read_outcomes
from replanctl.files.pause import collector_paused
from replanctl.plan.model import Granularity
from replanctl.run import events as e
from replanctl.run.fold import ResultFold
from replanctl.run.policy import Policy
from replanctl.run.resume import Amendment, calls_cut_off, where_to_cut
from replanctl.store import BATCH, Inputs, RunStatus, SourceText, Store

GATES = ("per_step", "max_replans", "max_replan_tokens", "max_steps", "max_tool_calls", "max_seconds", "max_repeat")


class More(msgspec.Struct, frozen=True):
    """So much on top of the limit in force."""

    by: float


def or_more(parse: Callable[[str], Any]) -> Callable[[str], Any]:
    """A new limit, `none`, or `+N` on top of the one in force."""

    def parse_or_more(text: str) -> Any:
        return More(parse(text[1:])) if text.startswith("+") else or_none(parse)(text)

    return parse_or_more


_Count = int | More | UnsetType | None


class Options(Shared, frozen=True, kw_only=True):
    """What `resume` takes. Limits hold from where the run goes on."""

    run: Annotated[int | None, Flag("Which run; else the latest.", "RUN", positive, positional=True)] = None
    granularity: Annotated[
        Granularity | UnsetType, Flag("Force this depth on every replan from here on.", "GRANULARITY", Granularity)
    ] = UNSET
    goal: Annotated[str | None, Flag("Change the goal.", "TEXT")] = None
    outcomes: Annotated[Path | None, Flag("What tool calls return from here on.", "FILE", Path)] = None
    per_step: Annotated[_Count, Flag("Replans for the same failure of a step.", "N|+N", or_more(count))] = UNSET
    max_replans: Annotated[_Count, Flag("Replans in all.", "N|+N", or_more(count))] = UNSET
    max_replan_tokens: Annotated[_Count, Flag("Tokens for all replans.", "N|+N", or_more(count))] = UNSET
    max_steps: Annotated[_Count, Flag("Step executions.", "N|+N", or_more(count))] = UNSET
    max_tool_calls: Annotated[_Count, Flag("Tool calls.", "N|+N", or_more(count))] = UNSET
    max_seconds: Annotated[float | More | UnsetType | None, Flag("Session time.", "TIME|+TIME", or_more(duration))] = (
        UNSET
    )
    max_repeat: Annotated[_Count, Flag("Returns to a plan that was given up.", "N|+N", or_more(positive))] = UNSET
    format: Annotated[RunFormat, Flag("How to write it.", "FORMAT", RunFormat)] = RunFormat.TEXT
    output: Annotated[Path | None, Flag("Write to FILE, whole or not at all.", "FILE", Path, "-o")] = None


def execute(options: Options, world: World) -> int:
    """Go on with the run; the exit code says whether it completed now."""
    with Store.open(world.store_folder(options.store), create=True) as store, collector_paused():
        row = store.latest() if options.run is None else store.run(options.run)
        if row.status is RunStatus.COMPLETED:
            world.stderr.write(f"run {row.run} is completed ({row.reason}): there is nothing to resume\n")
            return 0
        stored = list(store.events(row.run))
        inputs, keep = _amended(store.inputs(row.run), stored, options)
        log_of = store.effects(row.run)
        with output(world.stdout, options.output) as stream:
            view = view_of(options.format, options, world, stream, inputs.sources, row.run)
            with store.reopen(
                row.run, inputs, keep=keep, batch=1 if inputs.tools or inputs.planner else BATCH
            ) as writer:
                fold = ResultFold()
                for event in rerun(inputs, EffectLog(log_of, writer.effect)):
                    _check_kept(event, stored, keep, row.run)
                    fold.apply(event)
                    if event.seq >= keep:
                        writer.append(event)
                    view.event(event)
                result = fold.result(row.run)
                writer.finish(result)
            view.close(result)
    return 0 if result.status == "completed" else 1


def _check_kept(event: e.Event, stored: list[e.AnyEvent], keep: int, run: int) -> None:
    if event.seq < keep and event != stored[event.seq]:
        raise ReplayDivergedError(f"run {run} can't be resumed: event {event.seq} does not come out as it was stored")


def _amended(inputs: Inputs, stored: list[e.AnyEvent], options: Options) -> tuple[Inputs, int]:
    """The inputs with what changes from here on, and how many events are kept."""
    killed = not stored or not isinstance(stored[-1], e.SessionComplete)
    reroute = options.granularity is not UNSET or options.goal is not None or options.outcomes is not None
    cut = where_to_cut(stored, reroute=reroute)
    before = [amendment for amendment in inputs.amendments if amendment.seq <= cut.seq]
    policy = _policy(before[-1].policy if before else inputs.policy, stored, options)
    source = _script(options, cut.seq)
    amendment = Amendment(
        cut.seq,
        policy,
        options.goal,
        source.name if source is not None else None,
        cut.reopen,
        reroute,
        calls_cut_off(stored) if killed else (),
    )
    unchanged = Amendment(cut.seq, before[-1].policy if before else inputs.policy)
    amendments = (*before, amendment) if amendment != unchanged else tuple(before)
    sources = inputs.sources if source is None else (*inputs.sources, source)
    return msgspec.structs.replace(inputs, sources=sources, amendments=amendments), cut.seq


def _script(options: Options, seq: int) -> SourceText | None:
    if options.outcomes is None:
        return None
    source = read_outcomes(options.outcomes)
    return SourceText(f"{source.name}@{seq}", source.role, source.text)


def _policy(policy: Policy, stored: list[e.AnyEvent], options: Options) -> Policy:
    replace = msgspec.structs.replace
    in_force = next((event.limits for event in stored if isinstance(event, e.SessionStart)), {})
    gates: dict[str, Any] = {}
    for name in GATES:
        value = getattr(options, name)
        if isinstance(value, More):
            value = _raised(name, getattr(policy.gates, name), in_force.get(name), value.by)
        if value is not UNSET:
            gates[name] = value
    routing = {} if options.granularity is UNSET else {"force": options.granularity}
    return replace(policy, gates=replace(policy.gates, **gates), routing=replace(policy.routing, **routing))


def _raised(name: str, stated: Any, in_force: Any, by: float) -> Any:
    limit = in_force if stated is UNSET else stated
    if limit is None:
        raise UsageError(f"--{name.replace('_', '-')}: there is no limit to raise")
    return limit + by


VERB = Verb("Go on with a run from where it stopped.", Options, execute)
