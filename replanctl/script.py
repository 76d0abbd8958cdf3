"""The mock world: scripted tool outcomes and interruptions, at the seam where real tools would be called."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from msgspec import UNSET

from replanctl.kinds import Status
from replanctl.run import Call, Outcome
from replanctl.schema import contract


class Match(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """Which calls a rule answers; what is left out matches everything. `args` is a subset of the substituted args."""

    step: str | None = None
    tool: str | None = None
    args: dict[str, Any] | None = None
    version: int | None = None


class Entry(msgspec.Struct, frozen=True, gc=False):
    """What one attempt returns. `value` UNSET: a small value that satisfies the step's contract. Seconds, tokens."""

    status: Status
    value: Any = UNSET
    message: str = ""
    latency: float | None = None
    retry_after: float | None = None
    tokens: int | None = None
    refutes: tuple[str, ...] = ()
    cause: str = ""


class OutcomeRule(msgspec.Struct, frozen=True, gc=False):
    """One entry per attempt that matches; the last one repeats. `line` is the rule's place in its file.

    A rule with `times` answers so many attempts and leaves the rest to the rules behind it; `name` is what it is
    called where it stands in no file.
    """

    match: Match
    returns: tuple[Entry, ...]
    line: int = 0
    times: int | None = None
    name: str = ""

    def __str__(self) -> str:
        return self.name or f"the outcome rule in line {self.line}"


class ScriptedTools:
    """Answers calls from outcome rules: the first that matches wins, each counts its own attempts, the last entry
    repeats. A call that no rule matches succeeds."""

    def __init__(self, rules: Sequence[OutcomeRule]) -> None:
        self._rules = tuple(_Counting(rule, order) for order, rule in enumerate(rules))
        self._by_step: dict[str, list[_Counting]] = {}
        self._general: list[_Counting] = []
        for rule in self._rules:
            step = rule.match.step
            (self._general if step is None else self._by_step.setdefault(step, [])).append(rule)

    def call(self, call: Call) -> Outcome:
        """What the script says of this call."""
        for rule in self._candidates(call):
            if rule.matches(call):
                rule.bind(call.tool)
                return _outcome(rule.draw(), call)
        return _SUCCESS if call.produces is None else Outcome(value=contract.sample(call.produces))

    def _candidates(self, call: Call) -> Sequence[_Counting]:
        """The rules that may match, in their order; rules that name other steps are not looked at."""
        own = [rule for id_ in call.lineage for rule in self._by_step.get(id_, ())] if self._by_step else []
        if not own:
            return self._general
        return sorted([*own, *self._general], key=lambda rule: rule.order)

    def unused(self) -> Iterator[OutcomeRule]:
        """The rules that never answered a call."""
        return (rule.rule for rule in self._rules if not rule.drawn)

    def used(self) -> tuple[int, ...]:
        """The numbers of the rules that answered a call, from 0."""
        return tuple(rule.order for rule in self._rules if rule.drawn)


class _Counting:
    """A rule, how many attempts it has answered, and the tool its step had when it first matched."""

    def __init__(self, rule: OutcomeRule, order: int) -> None:
        self.rule, self.match, self.order = rule, rule.match, order
        self.drawn = 0
        self._tool: str | None = None

    def matches(self, call: Call) -> bool:
        match = self.match
        tool = match.tool or self._tool
        return (
            (self.rule.times is None or self.drawn < self.rule.times)
            and (match.step is None or match.step in call.lineage)
            and (tool is None or tool == call.tool)
            and (match.version is None or match.version == call.version)
            and (match.args is None or contained(match.args, call.args))
        )

    def draw(self) -> Entry:
        entry = self.rule.returns[min(self.drawn, len(self.rule.returns) - 1)]
        self.drawn += 1
        return entry

    def bind(self, tool: str) -> None:
        """A rule that names a step and no tool means that step while it uses the tool it has now."""
        if self.match.step is not None and self._tool is None:
            self._tool = tool


_SUCCESS = Outcome(value="ok")


def _outcome(entry: Entry, call: Call) -> Outcome:
    status = entry.status
    value = contract.sample(call.produces) if entry.value is UNSET and status is Status.OK else entry.value
    latency = entry.latency
    if latency is None:
        latency = call.timeout if status.as_heard is Status.TIMEOUT else 1.0
    return Outcome(
        status,
        None if value is UNSET else value,
        entry.message,
        latency,
        entry.retry_after,
        entry.tokens,
        entry.refutes,
        entry.cause,
    )


def contained(part: Any, whole: Any) -> bool:
    """Whether a value holds another one: mappings by subset at any depth, everything else by value and kind."""
    if isinstance(part, dict):
        return isinstance(whole, dict) and all(k in whole and contained(v, whole[k]) for k, v in part.items())
    if isinstance(part, list):
        return isinstance(whole, list) and len(part) == len(whole) and all(map(contained, part, whole))
    return isinstance(part, bool) == isinstance(whole, bool) and bool(part == whole)
