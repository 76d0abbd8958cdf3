"""A rehearsal that was run in a test: what came of it, what of that was not expected, and the story behind it."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from replanctl.cli.following import UNWATCHED, Unwatched
from replanctl.errors import UsageError
from replanctl.files import Rehearsal
from replanctl.host import PLANNER_TIMEOUT, mismatches, prepare
from replanctl.run import AnyEvent, Policy, SessionResult, step_ids, story_of

WIDTH = 80  # columns of a story in a test's report
_TOLD = 2  # steps whose stories are told of one failure
_NAMED = re.compile(r"\b(?:step |E)([\w-]+)")  # a step, or the variable that it was to produce
_PLACE = re.compile(r"(\w+)(?:\[(\d+)\]|\.E([\w-]+))?")


class Outside(msgspec.Struct, frozen=True):
    """Who is asked instead of the script: a planner command, and Python tools as MODULE:NAME; and who watches."""

    planner: str | None = None
    tools: str | None = None
    planner_timeout: float = PLANNER_TIMEOUT
    watch: Unwatched = UNWATCHED


class Rehearsed:
    """What came of a rehearsal. It has what its `result` has: `session.reason`, `session.history`, …"""

    def __init__(self, result: SessionResult, events: Sequence[AnyEvent]) -> None:
        self.result = result
        self.events = tuple(events)

    # A test asks for what the result has (`session.reason`), and for events or stories beside it.
    def __getattr__(self, name: str) -> Any:
        return getattr(self.result, name)

    def __repr__(self) -> str:
        return f"<rehearsed: {self.result.status}, {self.result.reason}>"

    def __eq__(self, other: object) -> bool:
        """Whether it is as a mapping like an `expect:` block says."""
        return not self.other_than(other) if isinstance(other, Mapping) else self is other

    __hash__ = object.__hash__

    def expect(self, **expected: Any) -> None:
        """Raise AssertionError unless the result is as an `expect:` block with these keys would have it."""
        __tracebackhide__ = True
        if found := self.other_than(expected):
            raise AssertionError(self.told(found))

    def other_than(self, expected: Mapping[str, Any]) -> list[str]:
        """What is other than an `expect:` block says, one line each."""
        return mismatches(expected, self.result)

    def told(self, found: Sequence[str]) -> str:
        """The differences, followed by the story of each step they are about."""
        stories = [self.story(step) for step in self._behind(found)]
        return "\n".join([*found, *(f"\n{story}" for story in stories)])

    def story(self, step: str | int) -> str:
        """What became of a step and why, as `replanctl why` tells it. Raises UsageError where there is no such step."""
        from replanctl.show import Paper, make_console, why_screen

        if str(step) not in (ids := step_ids(self.events)):
            from replanctl.files import did_you_mean

            raise UsageError(f"no plan had a step {step}", hint=did_you_mean(step, ids))
        stream = io.StringIO()
        why_screen(Paper(make_console(stream, color=False, width=WIDTH)), story_of(self.events, str(step)), None)
        return stream.getvalue().rstrip()

    def _behind(self, found: Sequence[str]) -> list[str]:
        """The steps that these places are about; where they are about none, those that failed last."""
        ids = step_ids(self.events)
        named = [step for line in found if (step := self._step_of(line)) in ids]
        # A place like `reason` is about no step: what the session's own words name comes first, then what failed last.
        reason = [step for step in _NAMED.findall(self.result.detail) if step in ids]
        failed = [signal.step_id for signal in reversed(self.result.signals)]
        return self._apart(named or [*reason, *failed])

    def _apart(self, steps: Sequence[str]) -> list[str]:
        """The first few of these steps, without those whose story another one's tells: 6 that became 8 is one."""
        told: list[str] = []
        known: set[str] = set()
        for step in dict.fromkeys(steps):
            if len(told) < _TOLD and step not in known:
                told.append(step)
                known.update(story_of(self.events, step).line)
        return told

    def _step_of(self, line: str) -> str | None:
        """The step that a place in the result is about: `variables.E3`, or `history[2]`, whose entry names it."""
        place = _PLACE.match(line)
        if place is None or place[3]:
            return place and place[3]
        entries = getattr(self.result, place[1], ())
        at = int(place[2]) if place[2] else -1
        if not isinstance(entries, tuple | list) or not -1 < at < len(entries):
            return None
        return getattr(entries[at], "step_id", None)


def rehearsed(
    rehearsal: Rehearsal, policy: Policy, outside: Outside | None = None, faults: Sequence[str] = ()
) -> Rehearsed:
    """Run a rehearsal, nothing stored. Raises UsageError for a planner, tools or faults that can't be had."""
    outside = outside or Outside()
    prepared = prepare(
        rehearsal,
        policy,
        faults=faults,
        tools=outside.tools,
        planner=outside.planner,
        planner_timeout=outside.planner_timeout,
        on_wait=outside.watch.on_wait,
    )
    events: list[Any] = []
    with prepared.begin(None, "") as running:
        return Rehearsed(running.follow(outside.watch.following(events.append, running.inputs)), events)
