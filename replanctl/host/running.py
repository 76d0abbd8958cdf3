"""Rehearsing from Python: a run is prepared, begun, and followed to its end, in a store or without one."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from replanctl import __version__
from replanctl.errors import UsageError
from replanctl.files import Rehearsal, load_rehearsal
from replanctl.host.rehearse import PLANNER_TIMEOUT, Outside, events_of, name_of, outside_of
from replanctl.run import Event, Policy, ResultFold, SessionResult
from replanctl.script import Fault, check_faults, fault
from replanctl.store import Inputs, SourceText

if TYPE_CHECKING:
    from replanctl.host.effects import Journal
    from replanctl.host.functions import OnError, Toolbox
    from replanctl.host.waiting import OnWait
    from replanctl.replan import Lesson, Replanner
    from replanctl.store import RunWriter

OnEvent = Callable[[Event], object]

# What stands in the store for Python objects: who takes the run up again names some in this place.
PLANNER_PLACE, TOOLS_PLACE = "COMMAND", "MODULE:NAME"


# Preparing, beginning and following are three steps on purpose. Whatever can be wrong is found while nothing has
# happened (`prepare`); a number is taken only then (`begin`); and from there on every event goes to the store before
# anybody is told of it (`follow`).
class Running:
    """A run that is about to go on: what it came from, and its `number` in the store, None where it is not kept."""

    def __init__(self, inputs: Inputs, events: Iterable[Event], writer: RunWriter | None, *, kept: int = 0) -> None:
        self.inputs = inputs
        self.number = writer.run if writer is not None else None
        self._events = events
        self._writer = writer
        self._kept = kept  # the store has the first so many events already

    def follow(self, on_event: OnEvent | None = None) -> SessionResult:
        """Run it to its end; every event goes to the store, then to `on_event`. Once only."""
        fold, writer, kept = ResultFold(), self._writer, self._kept
        for event in self._events:
            fold.apply(event)
            if writer is not None and event.seq >= kept:
                writer.append(event)
            if on_event is not None:
                on_event(event)
        result = fold.result(self.number)
        if writer is not None:
            writer.finish(result)
        return result


class Prepared(msgspec.Struct, frozen=True):
    """A rehearsal that can be run: everything was looked at, and nothing has happened yet."""

    inputs: Inputs
    rehearsal: Rehearsal
    real: Outside

    @contextmanager
    def begin(self, store: Path | None, started: str) -> Iterator[Running]:
        """Begin the run, in the folder `store` if one is given; `started` is the wall-clock time in UTC (ISO 8601)."""
        if store is None:
            yield Running(self.inputs, self._events(None), None)
            return
        from replanctl.store import Store

        with (
            Store.open(store, create=True) as kept,
            kept.begin(self.inputs, goal=self.rehearsal.plan.goal, started=started) as writer,
        ):
            yield Running(self.inputs, self._events(writer), writer)

    def _events(self, journal: Journal | None) -> Iterator[Event]:
        """The run's events; what is asked for real answers into the journal, which a scripted run has no use for."""
        log = None
        if self.inputs.tools is not None or self.inputs.planner is not None:
            from replanctl.host.effects import EffectLog, Unwritten

            log = EffectLog(journal=journal or Unwritten())
        return events_of(self.inputs, log, real=self.real, rehearsal=self.rehearsal)


def prepare(
    rehearsal: Rehearsal,
    policy: Policy | None = None,
    *,
    faults: Iterable[str] = (),
    lessons: Iterable[Lesson] = (),
    tools: str | Toolbox | None = None,
    planner: str | Replanner | None = None,
    planner_timeout: float = PLANNER_TIMEOUT,
    on_error: OnError | None = None,
    on_wait: OnWait | None = None,
) -> Prepared:
    """A rehearsal with all that goes beside its files; `on_wait` is told who is waited for. Raises UsageError for what
    makes no sense."""
    # Faults stand before the script; real tools have none, so one of the two would be ignored without a word.
    told = tuple(map(_fault, faults))
    if tools is not None and told:
        raise UsageError("--tools and --fault exclude each other", hint="tools are called, or answered from a script")
    check_faults(told, rehearsal.plan)
    inputs = Inputs(
        tuple(SourceText(source.name, source.role, source.text) for source in rehearsal.sources),
        rehearsal.policy if policy is None else policy,
        tuple(lessons),
        __version__,
        name_of(planner, PLANNER_PLACE),
        name_of(tools, TOOLS_PLACE),
        planner_timeout,
        faults=tuple(map(str, told)),
    )
    real = outside_of(
        planner, tools, rehearsal.plan, planner_timeout=planner_timeout, on_error=on_error, on_wait=on_wait
    )
    return Prepared(inputs, rehearsal, real)


def rehearse(
    plan: str | Path,
    *,
    outcomes: str | Path | None = None,
    policy: str | Path | Policy | None = None,
    scenario: str | None = None,
    faults: Iterable[str] = (),
    lessons: str | Path | Iterable[Lesson] = (),
    tools: str | Toolbox | None = None,
    planner: str | Replanner | None = None,
    planner_timeout: float = PLANNER_TIMEOUT,
    store: str | Path | None = None,
    on_event: OnEvent | None = None,
    on_error: OnError | None = None,
) -> SessionResult:
    """Rehearse the plan in a file, as `replanctl run` does.

    `outcomes` and `policy` name files that stand in for the plan's own; `policy` may be a Policy; `scenario` is one of
    the plan's. `faults` are texts like `"3=timeout"` or `"3=timeout:always"`. `lessons` is a book in a file, which is
    saved afterwards, or lessons to begin with. `tools` are called for real instead of scripted ones: functions by name,
    one function of (name, args), or `"MODULE:NAME"`; `planner` is a command, which may take `planner_timeout` seconds,
    or a `Replanner`, of which only `replan` is asked.

    With a folder `store` the run is kept there, `result.run` is its number, and `resume` and `replay` take it up.
    `on_event` is told every event as it happens, `on_error` every exception of a tool. Raises InputError and UsageError
    before anything runs, StoreError where the store can't be used; a tool's failure is never raised.
    """
    if tools is not None and outcomes is not None:
        raise UsageError("tools and outcomes exclude each other", hint="tools are called, or answered from a script")
    by_file = None if policy is None or isinstance(policy, Policy) else policy
    from replanctl.host.book import open_book, save_book

    # Lessons given as values belong to the caller; only a book in a file is saved back.
    book = Path(lessons) if isinstance(lessons, str | Path) else None
    prepared = prepare(
        load_rehearsal(plan, outcomes=outcomes, policy=by_file, scenario=scenario),
        policy if isinstance(policy, Policy) else None,
        faults=faults,
        lessons=lessons if not isinstance(lessons, str | Path) else open_book(Path(lessons)),
        tools=tools,
        planner=planner,
        planner_timeout=planner_timeout,
        on_error=on_error,
    )
    with prepared.begin(None if store is None else Path(store), utc_now()) as running:
        result = running.follow(on_event)
    if book is not None:
        save_book(book, result)
    return result


def utc_now() -> str:
    """The wall-clock time in UTC, ISO 8601."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def _fault(text: str) -> Fault:
    try:
        return fault(text)
    except ValueError as error:
        raise UsageError(str(error)) from None
