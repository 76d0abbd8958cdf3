"""A stored run is taken up again where it stopped or was killed; and what one that was had come to before."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain, islice, takewhile, zip_longest
from pathlib import Path
from shlex import quote
from typing import Any

import msgspec

from replanctl.errors import ReplanctlError, ReplayDivergedError, UsageError
from replanctl.host.amending import Changes, InDoubtError, More, Settle, amended, changes_of
from replanctl.host.book import add_to_book, open_book
from replanctl.host.effects import EffectLog
from replanctl.host.functions import OnError, Toolbox
from replanctl.host.rehearse import events_of, name_of, outside_of, plan_of
from replanctl.host.replaying import sound
from replanctl.host.running import PLANNER_PLACE, TOOLS_PLACE, OnEvent, Running
from replanctl.host.waiting import OnWait
from replanctl.kinds import Granularity, RunStatus
from replanctl.plan import Plan
from replanctl.replan import Replanner
from replanctl.run import Event, SessionResult, UnsettledError, doubts
from replanctl.store import Inputs, RunRow, RunWriter, Store

Effects = Sequence[tuple[int, str, Any]]


class NotGivenError(UsageError):
    """A run had a planner or tools, `had` by name, that were not given again: a store is not trusted with them."""

    def __init__(self, run: int, had: Mapping[str, str]) -> None:
        words = " ".join(f"--{name} {quote(each)}" for name, each in had.items())
        message = f"run {run} had {words}: what is started is not taken from the store"
        super().__init__(message, hint=f"give {' and '.join(had)} again")
        self.run = run
        self.had = dict(had)


class Given(msgspec.Struct, frozen=True, kw_only=True):
    """The planner and the tools that a run goes on with; `planner_timeout` in seconds, None as before.

    `on_error` is told what a tool raises, `on_wait` who is waited for.
    """

    planner: str | Replanner | None = None
    tools: str | Toolbox | None = None
    planner_timeout: float | None = None
    on_error: OnError | None = None
    on_wait: OnWait | None = None


def resume(
    store: str | Path,
    run: int | None = None,
    *,
    limits: Mapping[str, float | More | None] | None = None,
    granularity: Granularity | str | None = None,
    goal: str | None = None,
    outcomes: str | Path | None = None,
    settle: Settle | None = None,
    planner: str | Replanner | None = None,
    tools: str | Toolbox | None = None,
    planner_timeout: float | None = None,
    lessons: str | Path | None = None,
    on_event: OnEvent | None = None,
    on_error: OnError | None = None,
) -> SessionResult:
    """Go on with a run of the folder `store`, else with the latest that can be resumed, from where it stopped or was
    killed.

    What changes holds from there on: `limits` by gate (`{"max_replans": More(2), "max_seconds": None}`, in the units of
    `GateLimits`), `granularity` for every replan, `goal`, a file of `outcomes`. `settle` is a person's word on calls
    that may have happened: `{"2": ("done", {"paid": True}), "4.1": "again", "7": "skip"}`. A run that was driven by a
    planner or by tools is given them again, as `rehearse` is. `lessons` is a book in a file that the run's lessons are
    added to. `on_event` is told every event, those from before the stop too.

    A run that is completed is left alone: its result is returned. Raises InDoubtError where a call is not settled,
    NotGivenError where a planner or tools are missing, ReplayDivergedError where what is stored does not come out as it
    was, UsageError for what makes no sense, StoreError where the store can't be used.
    """
    folder = Path(store)
    changes = changes_of(limits or {}, granularity, goal, outcomes, settle or {})
    with Store.open(folder) as kept:
        row = latest_open(kept) if run is None else kept.run(run)
        if row.status is RunStatus.COMPLETED:
            return kept.result(row.run)
    if lessons is not None:
        open_book(Path(lessons))  # one that can't be used is said before anything is run
    given = Given(planner=planner, tools=tools, planner_timeout=planner_timeout, on_error=on_error)
    with take_up(folder, row.run, changes, given) as running:
        result = running.follow(on_event)
    if lessons is not None:
        add_to_book(Path(lessons), result, running.inputs.policy.lessons)
    return result


@contextmanager
# A run is taken up by running it again from its beginning (`run/resume.py` says why). Real tools and planners answer
# from the journal, in no time and without being asked, and every event that comes out is held against the one that was
# stored. Where all that are kept agree the session stands where it stood, and goes on with what was changed. Where one
# differs (another version of replanctl, an edited store), nothing is written and nobody real is asked.
def take_up(folder: Path, run: int, changes: Changes, given: Given) -> Iterator[Running]:
    """The run at the point where it goes on. Nothing is changed in the store before all of it is known to fit."""
    with Store.open(folder, create=True) as store, store.reopen(run) as writer:
        with sound(folder, run):
            running = _taken_up(store, writer, changes, given)
        yield running


def _taken_up(store: Store, writer: RunWriter, changes: Changes, given: Given) -> Running:
    run = writer.run
    lines = list(store.event_lines(run))
    stored, log = list(store.events(run)), EffectLog(store.effects(run))
    open_ = doubts(stored, broken_off=not log.knows_the_last_of(stored))
    try:
        inputs, kept = amended(_given_again(store.inputs(run), given, run), stored, changes, open_)
    except UnsettledError as error:
        raise InDoubtError(f"run {run}", error, open_, run) from None
    timeout = inputs.planner_timeout
    left = _left_of(inputs, stored) if given.tools is not None else None
    real = outside_of(
        given.planner, given.tools, left, planner_timeout=timeout, on_error=given.on_error, on_wait=given.on_wait
    )
    events = events_of(inputs, log, real=real)
    again = list(islice(events, kept))
    _check(again, lines[:kept], run)
    writer.go_on(inputs, lines[:kept])
    # From here on questions are new ones and go to whoever is real: before this line none could.
    log.journal = writer
    return Running(inputs, chain(again, events), writer, kept=kept)


def latest_open(store: Store) -> RunRow:
    """The newest run that has not completed and that nobody is writing; the newest of all where there is none."""
    open_ = (row for row in reversed(store.runs()) if row.status in (RunStatus.FAILED, RunStatus.INTERRUPTED))
    return next(open_, None) or store.latest()


def _left_of(inputs: Inputs, stored: Sequence[Event]) -> Plan:
    """What is still to be done, with the tools that the plan began with."""
    from replanctl.host.toolbox import names_in, still_open

    plan = plan_of(inputs)
    return still_open(plan, stored, names_in(plan))


def _given_again(inputs: Inputs, given: Given, run: int) -> Inputs:
    """The inputs with the planner and the tools that were given: a store is not trusted to name what is started."""
    names = {"planner": name_of(given.planner, PLANNER_PLACE), "tools": name_of(given.tools, TOOLS_PLACE)}
    had = {name: getattr(inputs, name) for name in names if getattr(inputs, name) is not None}
    # A store may come from anywhere. What is started, a command or a module, is therefore never taken from it; a person
    # says it again and thereby trusts it.
    for name, now in names.items():
        if now is not None and name not in had:
            raise UsageError(f"run {run} was rehearsed without --{name}", hint=f"leave out --{name}")
    if any(names[name] is None for name in had):
        raise NotGivenError(run, had)
    timeout = inputs.planner_timeout if given.planner_timeout is None else given.planner_timeout
    return msgspec.structs.replace(inputs, **names, planner_timeout=timeout)


def _check(again: Sequence[Event], lines: Sequence[bytes], run: int) -> None:
    """What is kept must come out as it was stored, or the rest would not fit to it."""
    encode = msgspec.json.Encoder().encode
    same = sum(1 for _ in takewhile(lambda pair: encode(pair[0]) == pair[1], zip(again, lines, strict=False)))
    if same < len(lines):
        raise ReplayDivergedError(
            f"run {run} can't be resumed: event {same} does not come out as it was stored",
            hint=f"replanctl replay {run} says where they part",
        )


def undone(inputs: Inputs, stored: Sequence[Event], effects: Effects = ()) -> Iterator[Event]:
    """For each time that a run was taken up again: the events in whose place it went on otherwise, up to its old end.

    It is found by running the session again as it was before, on what was recorded of real tools; one that can't be run
    again tells nothing.
    """
    for number in range(len(inputs.amendments)):
        # Without this change and those after it the session goes on as it would have: where it parts from what is
        # stored is what a person's change replaced.
        before = msgspec.structs.replace(inputs, amendments=inputs.amendments[:number])
        try:
            yield from list(_parted(events_of(before, EffectLog(effects)), stored))
        except ReplanctlError:
            continue


def _parted(again: Iterator[Event], stored: Sequence[Event]) -> Iterator[Event]:
    encode, parted = msgspec.json.Encoder().encode, False
    for event, kept in zip_longest(again, stored):
        if event is None:
            return
        parted = parted or kept is None or encode(event) != encode(kept)
        if parted:
            yield event
