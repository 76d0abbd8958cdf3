"""Ways to bend a session so that a law must notice: other inputs than it is held against, a broken part of the engine,
a tampered event, a tampered document."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import Any

from msgspec.structs import replace

from replanctl.files import Rehearsal
from replanctl.run.engine import Session
from replanctl.run.events import Event
from replanctl.run.result import SessionResult
from tests.properties.run import Run, run
from tests.properties.story import Moment

Bend = Callable[[Rehearsal], Run]


def given(change: Callable[[Rehearsal], Rehearsal]) -> Bend:
    """An engine that does not heed something: it gets other inputs than the laws are told of."""

    def bend(rehearsal: Rehearsal) -> Run:
        session = run(change(rehearsal))
        return Run(rehearsal, session.events, session.calls)

    return bend


def under(**sections: Callable[[Any], Any]) -> Bend:
    """An engine under another policy: each named section is changed."""

    def change(rehearsal: Rehearsal) -> Rehearsal:
        policy = rehearsal.policy
        changed = {name: section(getattr(policy, name)) for name, section in sections.items()}
        return replace(rehearsal, policy=replace(policy, **changed))

    return given(change)


def without_gate(name: str) -> Bend:
    """An engine that does not know one gate."""
    return under(gates=lambda gates: replace(gates, **{name: 1000 if name == "max_replans" else None}))


def engine(break_: Callable[[Session], None]) -> Bend:
    """An engine with a part that does not work."""

    def make(*args: Any, **named: Any) -> Session:
        session = Session(*args, **named)
        break_(session)
        return session

    return lambda rehearsal: run(rehearsal, make)


def told(
    kind: type[Event],
    change: Callable[[Any, Moment], Iterable[Event]],
    where: Callable[[Any, Moment], bool] = lambda event, moment: True,
    *,
    number: bool = True,
) -> Bend:
    """A tampered stream: the first event of a kind `where` something holds becomes others, or none."""

    def bend(rehearsal: Rehearsal) -> Run:
        honest = run(rehearsal)
        events = list(_tampered(honest, kind, change, where))
        if number:
            events = [replace(event, seq=seq) for seq, event in enumerate(events)]
        return Run(rehearsal, events, honest.calls)

    return bend


def _tampered(honest: Run, kind: type[Event], change: Any, where: Any) -> Iterator[Event]:
    left = True
    for moment in honest.moments:
        if left and type(moment.event) is kind and where(moment.event, moment):
            left = False
            yield from change(moment.event, moment)
        else:
            yield moment.event


def edited(**fields: Callable[[Any], Any]) -> Callable[[Any, Moment], Iterable[Event]]:
    """A change that gives fields other values."""

    def change(event: Event, moment: Moment) -> Iterable[Event]:
        return [replace(event, **{name: new(getattr(event, name)) for name, new in fields.items()})]

    return change


def dropped(event: Event, moment: Moment) -> Iterable[Event]:
    """A change that keeps quiet about an event."""
    return ()


def twice(event: Event, moment: Moment) -> Iterable[Event]:
    """A change that tells an event two times."""
    return (event, event)


def swapped(first: type[Event], second: type[Event], where: Callable[[Any, Any], bool]) -> Bend:
    """A tampered stream: the first two neighbours of these kinds, where something holds of both, change places."""

    def bend(rehearsal: Rehearsal) -> Run:
        honest = run(rehearsal)
        events = list(honest.events)
        for place, (one, other) in enumerate(pairwise(events)):
            if type(one) is first and type(other) is second and where(one, other):
                events[place : place + 2] = [replace(other, seq=one.seq), replace(one, seq=other.seq)]
                break
        return Run(rehearsal, events, honest.calls)

    return bend


def written(change: Callable[[SessionResult], SessionResult]) -> Bend:
    """A tampered document over honest events."""

    def bend(rehearsal: Rehearsal) -> Run:
        honest = run(rehearsal)
        honest.result = change(honest.result)
        return honest

    return bend
