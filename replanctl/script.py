"""The mock world: scripted tool outcomes at the seam where real tools would be called, and single faults put before a
script: what a step's tool returns instead, once or for ever."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any

import msgspec
from msgspec import UNSET

from replanctl.errors import UsageError
from replanctl.kinds import Status
from replanctl.plan import ID_PATTERN, Plan
from replanctl.run import Call, Outcome

FAULTS = tuple(status for status in Status if status is not Status.OK)
_FAULT = re.compile(rf"({ID_PATTERN})=([a-z_]+)(:always)?")


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


# The script stands at the seam where real tools would: it is asked with the call that a tool would get, and knows
# nothing of plans, versions or replans but what that call carries. Rules are tried in order, as a reader of the file
# would; each counts its own attempts, so that `[timeout, ok]` means the first call and the next that come to this rule,
# whichever steps make them. What no rule covers succeeds, or a plan of fifty steps would need fifty rules before
# anything could be rehearsed.
class RuleBook:
    """Outcome rules filed by what a call must have for one to match: once a script, for all sessions that play it."""

    def __init__(self, rules: Sequence[OutcomeRule]) -> None:
        self.rules = tuple(rules)
        # By number, from 0. Most rules name a step, and most steps are named by no rule: those are told by one look-up.
        self.steps: dict[str, list[int]] = {}
        self.marked: dict[_Mark, list[int]] = {}
        for number, rule in enumerate(self.rules):
            if rule.match.step is not None:
                self.steps.setdefault(rule.match.step, []).append(number)
            else:
                self.marked.setdefault(_mark(rule.match), []).append(number)
        self.kinds = {mark[0] for mark in self.marked}


class ScriptedTools:
    """Answers calls from outcome rules: the first that matches wins, each counts its own attempts, the last entry
    repeats. A call that no rule matches succeeds. Rules in `front` are tried before the others, and numbered so."""

    def __init__(self, rules: Sequence[OutcomeRule] | RuleBook, front: Sequence[OutcomeRule] = ()) -> None:
        self._book = rules if isinstance(rules, RuleBook) else RuleBook(rules)
        self._front = RuleBook(front) if front else _NO_RULES
        self._any = bool(front or self._book.rules)
        self._met: dict[int, _Counting] = {}  # the rules that a call has come to, by number
        self._steps: dict[str, list[_Counting]] = {}  # those that name a step which was called

    def call(self, call: Call) -> Outcome:
        """What the script says of this call."""
        for rule in self._candidates(call) if self._any else ():
            if rule.matches(call):
                rule.bind(call.tool)
                return _outcome(rule.draw(), call)
        return _SUCCESS if call.produces is None else Outcome(value=_sample(call.produces))

    def _candidates(self, call: Call) -> Sequence[_Counting]:
        """The rules that may match, in their order; those that name another step, arg or tool are not looked at."""
        # Tried one after the other, n rules would cost n looks at each of n calls. Filed under one thing that a call
        # must have, only rules that may match are looked at, in their order all the same.
        steps, lineage = self._steps, call.lineage
        found = [steps.get(id_) or self._naming(id_) for id_ in lineage]
        for book, first in ((self._front, 0), (self._book, len(self._front.rules))):
            if book.marked:
                marks = _marks(call, book.kinds)
                found += [self._counting(book, first, book.marked[mark]) for mark in marks if mark in book.marked]
        if len(found) < 2:
            return found[0] if found else ()
        return sorted((rule for rules in found for rule in rules), key=lambda rule: rule.order)

    def _naming(self, id_: str) -> list[_Counting]:
        """The rules that name this step."""
        front, book = self._front, self._book
        found = self._counting(front, 0, front.steps.get(id_, ()))
        found += self._counting(book, len(front.rules), book.steps.get(id_, ()))
        self._steps[id_] = found
        return found

    def _counting(self, book: RuleBook, first: int, numbers: Iterable[int]) -> list[_Counting]:
        met, found = self._met, []
        for number in numbers:
            if (rule := met.get(first + number)) is None:
                rule = met[first + number] = _Counting(book.rules[number], first + number)
            found.append(rule)
        return found

    def unused(self) -> Iterator[OutcomeRule]:
        """The rules that never answered a call."""
        used = set(self.used())
        rules = enumerate((*self._front.rules, *self._book.rules))
        return (rule for number, rule in rules if number not in used)

    def used(self) -> tuple[int, ...]:
        """The numbers of the rules that answered a call, from 0."""
        return tuple(sorted([number for number, rule in self._met.items() if rule.drawn]))


# What a rule is filed under: the most telling thing it names. Args are told apart by one plain value among them.
_Mark = tuple[str, Any, Any]
_ANY: _Mark = ("any", None, None)
_PLAIN = (str, int, float, type(None))


def _mark(match: Match) -> _Mark:
    """Where a rule that names no step is filed: under one thing that a call must have for it to match."""
    for name, value in (match.args or {}).items():
        if isinstance(value, _PLAIN):
            return ("arg", name, value)
    return ("tool", match.tool, None) if match.tool is not None else _ANY


def _marks(call: Call, kinds: Container[str]) -> Iterator[_Mark]:
    """Everything that rules may be filed under which match a call, of the kinds that there are."""
    if "arg" in kinds:
        for name, value in call.args.items():
            if isinstance(value, _PLAIN):
                yield ("arg", name, value)
    if "tool" in kinds:
        yield ("tool", call.tool, None)
    yield _ANY


_NO_RULES = RuleBook(())


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
    value = _sample(call.produces) if entry.value is UNSET and status is Status.OK else entry.value
    latency = entry.latency
    if latency is None:
        # A call that times out takes all of its time; anything else a second, so that sessions have a course without
        # anybody writing latencies down.
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


def _sample(produces: dict[str, Any] | None) -> Any:
    if not produces:
        return "ok"
    from replanctl.schema import contract  # most plans promise nothing, and need not load what checks it

    return contract.sample(produces)


def contained(part: Any, whole: Any) -> bool:
    """Whether a value holds another one: mappings by subset at any depth, everything else by value and kind."""
    if isinstance(part, dict):
        return isinstance(whole, dict) and all(k in whole and contained(v, whole[k]) for k, v in part.items())
    if isinstance(part, list):
        return isinstance(whole, list) and len(part) == len(whole) and all(map(contained, part, whole))
    return isinstance(part, bool) == isinstance(whole, bool) and bool(part == whole)


# A fault is a rule like any other, put in front: it is drawn, counted and told of by the same code as a script's own.
class Fault(msgspec.Struct, frozen=True, gc=False):
    """What a step's calls return instead of what the script says: at the first attempt, or `always`.

    The step is meant with whatever replaces it, as long as it uses the tool it had: a fallback or another tool gets
    out of it.
    """

    step: str
    status: Status
    always: bool = False

    def __str__(self) -> str:
        return f"{self.step}={self.status}{':always' if self.always else ''}"


def fault(text: str) -> Fault:
    """`3=timeout` or `3=timeout:always`. Raises ValueError for anything else."""
    found = _FAULT.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} is not a fault: write STEP=STATUS or STEP=STATUS:always")
    if found[2] not in FAULTS:
        from replanctl.nearest import or_nearest

        way_out = or_nearest(found[2], FAULTS, f"there are {', '.join(FAULTS)}")
        raise ValueError(f"{found[2]} is no status of a fault: {way_out}")
    return Fault(found[1], Status(found[2]), always=found[3] is not None)


def check_faults(faults: Iterable[Fault], plan: Plan) -> None:
    """Raises UsageError for a fault of a step that the first version does not have."""
    known = [step.id for step in plan.steps]
    for one in faults:
        if one.step not in known:
            from replanctl.nearest import or_nearest

            # A slip in a fault must not pass for a test, so that an id is refused that a later version may bring: who
            # means that one says so in a file, where a rule that is never used is told.
            near = or_nearest(one.step, known)
            rule = f"{{match: {{step: {one.step}}}, returns: [{one.status}{'' if one.always else ', ok'}]}}"
            way = f"a fault names a step of v1: for one that a replan brings, write into an outcomes file {rule}"
            raise UsageError(f"--fault {one}: v1 has no step {one.step}", hint=f"{near} {way}".strip())


def with_faults(rules: tuple[OutcomeRule, ...], faults: Iterable[Fault]) -> tuple[OutcomeRule, ...]:
    """The rules with these faults in front."""
    return (*map(fault_rule, faults), *rules)


@lru_cache(maxsize=1_024)  # a sweep puts the same fault before the script of plan after plan
def fault_rule(one: Fault) -> OutcomeRule:
    """A fault as the rule that it is."""
    times = None if one.always else 1
    return OutcomeRule(Match(step=one.step), (Entry(one.status),), times=times, name=f"the fault {one}")
