"""`resume`: go on with a run from where it stopped or was killed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice, takewhile
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import msgspec
from msgspec import UNSET, UnsetType

from replanctl.cli.book import add_to_book, open_book
from replanctl.cli.effects import EffectLog
from replanctl.cli.flags import Flag, Shared, Verb
from replanctl.cli.following import RunFormat, follow, told_where_it_is, view_of
from replanctl.cli.output import output
from replanctl.cli.rehearse import events_of, outside
from replanctl.cli.values import count, duration, or_none, positive
from replanctl.cli.world import World
from replanctl.errors import ReplayDivergedError, UsageError
from replanctl.files import read_outcomes
from replanctl.files.pause import collector_paused
from replanctl.plan.model import Granularity
from replanctl.run import events as e
from replanctl.run.policy import Policy
from replanctl.run.resume import Amendment, Script, call_cut_off, where_to_cut
from replanctl.store import Inputs, RunStatus, RunWriter, Store

GATES = ("per_step", "max_replans", "max_replan_tokens", "max_steps", "max_tool_calls", "max_seconds", "max_repeat")


class More(msgspec.Struct, frozen=True):
    """So much on top of the limit in force."""

    by: float


def or_more(parse: Callable[[str], Any], whole: Callable[[str], Any] | None = None) -> Callable[[str], Any]:
    """A new limit (read by `whole`, where that knows more), or `+N` on top of the one in force."""

    def parse_or_more(text: str) -> Any:
        return More(parse(text[1:])) if text.startswith("+") else (whole or parse)(text)

    return parse_or_more


_Count = int | More | UnsetType | None
_COUNT, _POSITIVE = or_more(count, or_none(count)), or_more(positive, or_none(positive))
_TIME = or_more(duration, or_none(duration))


class Options(Shared, frozen=True, kw_only=True):
    """What `resume` takes. Limits hold from where the run goes on."""

    run: Annotated[int | None, Flag("Which run; else the latest.", "RUN", positive, positional=True)] = None
    granularity: Annotated[
        Granularity | UnsetType, Flag("Force this depth on every replan from here on.", "GRANULARITY", Granularity)
    ] = UNSET
    goal: Annotated[str | None, Flag("Change the goal.", "TEXT")] = None
    outcomes: Annotated[Path | None, Flag("What tool calls return from here on.", "FILE", Path)] = None
    per_step: Annotated[_Count, Flag("Replans for the same failure of a step.", "N|+N", _COUNT)] = UNSET
    max_replans: Annotated[int | More | UnsetType, Flag("Replans in all.", "N|+N", or_more(count))] = UNSET
    max_replan_tokens: Annotated[_Count, Flag("Tokens for all replans.", "N|+N", _COUNT)] = UNSET
    max_steps: Annotated[_Count, Flag("Step executions.", "N|+N", _COUNT)] = UNSET
    max_tool_calls: Annotated[_Count, Flag("Tool calls.", "N|+N", _COUNT)] = UNSET
    max_seconds: Annotated[float | More | UnsetType | None, Flag("Session time.", "TIME|+TIME", _TIME)] = UNSET
    max_repeat: Annotated[_Count, Flag("Returns to a plan that was given up.", "N|+N", _POSITIVE)] = UNSET
    lessons: Annotated[Path | None, Flag("A lesson book, where the run's lessons go after.", "FILE", Path)] = None
    format: Annotated[RunFormat, Flag("How to write it.", "FORMAT", RunFormat)] = RunFormat.TEXT
    output: Annotated[Path | None, Flag("Write to FILE, whole or not at all.", "FILE", Path, "-o")] = None


def execute(options: Options, world: World) -> int:
    """Go on with the run; the exit code says whether it completed now."""
    folder = world.store_folder(options.store)
    with Store.open(folder) as store:
        row = store.latest() if options.run is None else store.run(options.run)
    if row.status is RunStatus.COMPLETED:
        world.stderr.write(f"run {row.run} is completed ({row.reason}): there is nothing to resume\n")
        return 0
    if options.lessons:
        open_book(options.lessons)  # one that can't be used is said before anything is run
    with (
        collector_paused(),
        output(world.stdout, options.output) as stream,
        Store.open(folder, create=True) as store,
        told_where_it_is(store.reopen(row.run)) as writer,
    ):
        taken = _take_up(store, writer, options)
        view = view_of(options.format, options, world, stream, taken.inputs, row.run)
        result = follow(taken.events, view, writer, kept=taken.kept)
    if options.lessons:
        add_to_book(options.lessons, result, taken.inputs.policy.lessons)
    return 0 if result.status == "completed" else 1


class Taken(NamedTuple):
    """A session taken up again: its first `kept` events are in the store already."""

    inputs: Inputs
    kept: int
    events: Iterator[e.Event]


def _take_up(store: Store, writer: RunWriter, options: Options) -> Taken:
    """The session at the point where it goes on. Nothing is changed in the store before all of it is known to fit."""
    run = writer.run
    lines = list(store.event_lines(run))
    inputs, kept = _amended(store.inputs(run), list(store.events(run)), options)
    log = EffectLog(store.effects(run))
    events = events_of(inputs, log, real=outside(inputs))
    again = list(islice(events, kept))
    _check(again, lines[:kept], run)
    writer.go_on(inputs, lines[:kept])
    log.journal = writer
    return Taken(inputs, kept, chain(again, events))


def _check(again: Sequence[e.Event], lines: Sequence[bytes], run: int) -> None:
    """What is kept must come out as it was stored, or the rest would not fit to it."""
    encode = msgspec.json.Encoder().encode
    same = sum(1 for _ in takewhile(lambda pair: encode(pair[0]) == pair[1], zip(again, lines, strict=False)))
    if same < len(lines):
        raise ReplayDivergedError(
            f"run {run} can't be resumed: event {same} does not come out as it was stored",
            hint=f"replanctl replay {run} says where they part",
        )


def _amended(inputs: Inputs, stored: Sequence[e.AnyEvent], options: Options) -> tuple[Inputs, int]:
    """The inputs with what changes from here on, and how many events are kept."""
    since = inputs.amendments[-1].seq if inputs.amendments else 0
    cut = where_to_cut(stored, since=since, reroute=options.granularity is not UNSET or options.goal is not None)
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
        cut_off=call_cut_off(stored) or here.cut_off,
    )
    amendments = (*before, amendment) if amendment != in_force else tuple(before)
    return msgspec.structs.replace(inputs, amendments=amendments), cut.seq


def _script(options: Options, inputs: Inputs) -> Script | None:
    if options.outcomes is None:
        return None
    if inputs.tools is not None:
        raise UsageError("the run calls real tools: no outcomes would be asked", hint="leave out --outcomes")
    source = read_outcomes(options.outcomes)
    return Script(source.name, source.text)


def _policy(policy: Policy, stored: Sequence[e.AnyEvent], options: Options) -> Policy:
    replace = msgspec.structs.replace
    in_force = next((event.limits for event in stored if isinstance(event, e.SessionStart)), {})
    given = {name: value for name in GATES if (value := getattr(options, name)) is not UNSET}
    gates = {
        name: _raised(name, getattr(policy.gates, name), in_force.get(name), value.by)
        if isinstance(value, More)
        else value
        for name, value in given.items()
    }
    routing = {} if options.granularity is UNSET else {"force": options.granularity}
    return replace(policy, gates=replace(policy.gates, **gates), routing=replace(policy.routing, **routing))


def _raised(name: str, stated: Any, in_force: Any, by: float) -> Any:
    limit = in_force if stated is UNSET else stated
    if limit is None:
        raise UsageError(f"--{name.replace('_', '-')} +{by:g}: there is no limit to raise")
    return limit + by


VERB = Verb("Go on with a run from where it stopped.", Options, execute)
