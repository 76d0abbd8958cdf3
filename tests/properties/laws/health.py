"""Variables: what they rest on, and what is left of them when it falls."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import deepcopy

from replanctl.live.variables import Verdict
from replanctl.run.events import (
    GoalChanged,
    PlanCommit,
    Route,
    SessionComplete,
    Signal,
    StepEnd,
    StepSettled,
    StepStart,
    VariableHealth,
)
from tests.properties.run import Run
from tests.properties.story import DONE, Moment


class Variables:
    """Every variable with its assumptions, sources and health, worked out from the events by definition."""

    def __init__(self) -> None:
        self.assumptions: dict[str, set[str]] = {}  # those whose fall has an effect
        self.carried: dict[str, set[str]] = {}  # all of them, settled or not
        self.refuted: set[str] = set()
        self._sources: dict[str, set[str]] = {}
        self._reads: dict[str, set[str]] = {}
        self._tainted: set[str] = set()
        self._outdated: set[str] = set()
        self._premises: dict[str, tuple[set[str], int]] = {}  # of calls that failed: what they rest on, and when
        self._goals = 0

    def see(self, moment: Moment) -> None:
        """Take one event in."""
        event = moment.event
        match event:
            case StepStart():
                reads = {reference.step_id for reference in moment.before.reads(event.step_id)}
                self._reads[event.step_id] = reads & self.assumptions.keys()
            case StepEnd() if event.state is DONE and not event.attempts:
                self._take(event.step_id, event.warnings[0].split()[3].rstrip(":"))
            case StepEnd() if event.state is DONE:
                self._make(event.step_id, moment.before.steps[event.step_id].assumes)
            case StepEnd() if event.attempts:
                self._premises[event.step_id] = set(moment.before.steps[event.step_id].assumes), self._goals
            case StepSettled(how="done", stands=True):
                _, goals = self._premises[event.step_id]
                self._make(event.step_id, moment.before.steps[event.step_id].assumes)
                self._outdated |= {event.step_id} if goals < self._goals else set()
            case Signal():
                self._refute(event.refutes)
            case GoalChanged(accepted=True):
                self._refute(event.refutes)
                self._outdated |= {id_ for id_ in self.assumptions if self.health(id_) == "clean"}
                self._goals += 1
            case PlanCommit():
                self._judge(event.verdicts)

    def health(self, id_: str) -> str:
        """By definition: void, stale or clean."""
        rests = self.assumptions[id_]
        if id_ in self._tainted or (rests and rests <= self.refuted):
            return "void"
        return "stale" if rests & self.refuted or id_ in self._outdated else "clean"

    def resting_on(self, names: Iterable[str]) -> set[str]:
        """The variables that rest on one of these assumptions."""
        return {id_ for id_, rests in self.assumptions.items() if rests.intersection(names)}

    def _make(self, id_: str, assumes: Iterable[str]) -> None:
        sources = self._reads.pop(id_)
        self._sources[id_] = sources
        self.assumptions[id_] = set(assumes).union(*(self.assumptions[source] for source in sources))
        self.carried[id_] = set(assumes).union(*(self.carried[source] for source in sources))
        if any(self.health(source) == "void" for source in sources):
            self._tainted.add(id_)

    def _take(self, id_: str, source: str) -> None:
        """The answer of another step's call: it rests on what that rests on, and has its health."""
        self._reads.pop(id_)
        if source not in self.assumptions:
            assumes, goals = self._premises[source]
            self._reads[id_] = self._reads.get(source, set())
            self._make(id_, assumes)
            self._outdated |= {id_} if goals < self._goals else set()
            return
        self._sources[id_] = self._sources[source]
        self.assumptions[id_], self.carried[id_] = set(self.assumptions[source]), set(self.carried[source])
        self._tainted |= {id_} if source in self._tainted else set()
        self._outdated |= {id_} if source in self._outdated else set()

    def is_void(self, source: str) -> bool:
        """Whether what a step's call answered rests on nothing that holds."""
        if source in self.assumptions:
            return self.health(source) == "void"
        assumes, _ = self._premises[source]
        reads = self._reads.get(source, set())
        rests = assumes.union(*(self.assumptions[each] for each in reads))
        return bool(rests and rests <= self.refuted) or any(self.health(each) == "void" for each in reads)

    def _refute(self, names: Iterable[str]) -> None:
        void = self._void()
        self.refuted.update(names)
        self._spread(self._void() - void, set())

    def _judge(self, verdicts: dict[str, Verdict]) -> None:
        """The verdicts that have an effect: those on variables that are not void."""
        told = {name[1:]: verdict for name, verdict in verdicts.items()}
        valid = {id_: v for id_, v in told.items() if id_ in self.assumptions and self.health(id_) != "void"}
        kept = {id_ for id_, verdict in valid.items() if verdict != "discard"}
        for id_ in kept:
            self.assumptions[id_] -= self.refuted
            self._outdated.discard(id_)
        discarded = valid.keys() - kept
        self._tainted |= discarded
        self._spread(discarded, kept)

    def after(self, verdicts: dict[str, Verdict]) -> Variables:
        """The same once these verdicts are written."""
        judged = deepcopy(self)
        judged._judge(verdicts)
        return judged

    def _void(self) -> set[str]:
        return {id_ for id_ in self.assumptions if self.health(id_) == "void"}

    def _spread(self, void: Iterable[str], kept: set[str]) -> None:
        """What was computed from a void one is void."""
        stack = list(void)
        while stack:
            source = stack.pop()
            derived = {id_ for id_, sources in self._sources.items() if source in sources}
            new = {id_ for id_ in derived - kept if self.health(id_) != "void"}
            self._tainted |= new
            stack.extend(new)


def health_follows_from_what_fell(run: Run) -> Iterator[str]:
    """Whenever the session goes on, every variable's health is what its assumptions and verdicts make of it."""
    variables = Variables()
    for moment in run.moments:
        if type(moment.event) in (StepStart, Route, SessionComplete):
            expected = {id_: variables.health(id_) for id_ in variables.assumptions}
            if expected != moment.before.health:
                yield f"at event {moment.event.seq} the variables are {moment.before.health}, not {expected}"
                return
        variables.see(moment)


def variables_carry_what_they_rest_on(run: Run) -> Iterator[str]:
    """A new variable names the assumptions of its step, and those of every variable it was computed from."""
    variables = Variables()
    for moment in run.moments:
        variables.see(moment)
        event = moment.event
        if type(event) is StepEnd and event.state is DONE:
            rests = variables.carried[event.step_id]
            if set(event.assumptions) != rests:
                yield f"E{event.step_id} rests on {event.assumptions}, not {rests}"


def health_is_told_when_it_changes(run: Run) -> Iterator[str]:
    """And when a verdict confirms it; a verdict that is told leaves the health it means."""
    means = {"keep": "clean", "convert": "clean", "discard": "void"}
    for moment in run.moments:
        event = moment.event
        if type(event) is VariableHealth:
            before = moment.before.health.get(event.name[1:])
            if event.verdict is None and before == event.health:
                yield f"{event.name} is {before} already, and event {event.seq} says it again"
            if event.verdict is not None and event.health != means[event.verdict]:
                yield f"{event.name} is {event.health} by the verdict {event.verdict}"


HEALTH = (health_follows_from_what_fell, variables_carry_what_they_rest_on, health_is_told_when_it_changes)
