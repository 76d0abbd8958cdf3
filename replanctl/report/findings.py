"""What a session decided, left behind and cost: failures, gates, variables, gaps, effects, lessons, tokens."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from replanctl.kinds import GateName, Health, LedgerKind
from replanctl.replan import GATE
from replanctl.report.html import Html, joined, tag
from replanctl.report.parts import (
    Group,
    Section,
    Stretch,
    bar,
    bullets,
    cut,
    grouped,
    level,
    marked,
    own,
    paragraph,
    table,
    value,
)
from replanctl.run import GateView, LedgerLine, RouteView, SessionResult, SignalView
from replanctl.show import failure, ledger, words

Where = tuple[str, str | None]  # a version and a step


def failures(result: SessionResult) -> Section | None:
    """A row for each failure, with the route it took, and for each change of the goal."""
    if not result.signals and not result.routes:
        return None
    heads = ("Where", "What failed", "Tried", "Decision", "Why")
    rows = list(_rows(result))
    return Section("failures", "Failures and decisions", table("Failures in the order in which they came", heads, rows))


def _rows(result: SessionResult) -> Iterator[list[str]]:
    routes: defaultdict[Where, list[RouteView]] = defaultdict(list)
    for route in result.routes:
        routes[route.version, route.step_id].append(route)
    for signal in result.signals:
        # A signal and its route share version and step, not an id. Where a step fails more than once in a version, its
        # routes come in the same order as its signals.
        taken = routes[signal.version, signal.step_id]
        yield _row(signal, taken.pop(0) if taken else None)
    # What is routed without a signal is a changed goal: nothing failed.
    for left in routes.values():
        yield from ([_place(each.version, each.step_id), "the goal changed", "", *_decided(each)] for each in left)


def _row(signal: SignalView, route: RouteView | None) -> list[str]:
    what = joined([tag("strong", str(signal.error_type)), ": ", own(cut(signal.error_msg))])
    decided = _decided(route) if route is not None else ["none", "no replan was asked for"]
    return [_place(signal.version, signal.step_id), what, cut(", ".join(signal.attempted)), *decided]


def _decided(route: RouteView) -> list[str]:
    return [f"{route.granularity}, by {route.rule}", failure.route_in_words(route)]


def _place(version: str, step_id: str | None) -> str:
    return version if step_id is None else f"step {step_id} in {version}"


def gates(result: SessionResult) -> Section | None:
    """A group of rows for each gate: how full it was each time it was asked."""
    if not result.gates:
        return None
    by_gate: dict[GateName, list[GateView]] = {}
    for each in result.gates:
        by_gate.setdefault(each.gate, []).append(each)
    # In the order in which gates are asked, which says which of two would have refused first.
    order = [gate for gate in GATE if gate in by_gate]
    groups = [Group(f"{gate}: {GATE[gate].counts}", _readings(by_gate[gate])) for gate in order]
    heads = ("Asked", "Reading", "Limit", "Answer", "How full")
    caption = "What each gate read each time it was asked, before anything was spent"
    return Section("gates", "Gates", grouped(caption, heads, groups, numbers=("Reading", "Limit")))


def _readings(checks: Sequence[GateView]) -> list[list[str]]:
    return [
        [
            _place(each.version, each.step_id),
            words.reading(each.gate, each.reading),
            words.reading(each.gate, each.limit),
            marked("✓", "went on", "done") if each.admitted else marked("✗", "refused", "failed"),
            _full(each),
        ]
        for each in checks
    ]


def _full(check: GateView) -> Html | str:
    if check.limit is None:
        return "no limit"
    read, limit = (words.reading(check.gate, number) for number in (check.reading, check.limit))
    return level(check.reading, check.limit, f"{read} of {limit}", over=not check.admitted)


LESSON = 1_000  # characters of a lesson that are shown: it is what later replans are told
_HEALTH = {Health.CLEAN: ("✓", "done"), Health.STALE: ("◐", "warn"), Health.VOID: ("✗", "failed")}


def variables(result: SessionResult) -> Section | None:
    """What steps produced, and whether it may still be used."""
    if not result.variables:
        return None
    rows = [
        [
            name,
            marked(_HEALTH[each.health][0], str(each.health), _HEALTH[each.health][1]),
            value(each.value),
            f"step {each.step_id} in {each.version}",
            ", ".join(each.assumptions) or "nothing",
            str(each.verdict or "none"),
        ]
        for name, each in result.variables.items()
    ]
    heads = ("Variable", "Health", "Value", "Made by", "Rests on", "Verdict")
    return Section(
        "variables", "Variables", table("What steps produced, and whether it may still be used", heads, rows)
    )


def gaps(result: SessionResult) -> Section | None:
    """Steps that went without a result."""
    if not result.gaps:
        return None
    rows = [
        [each.step_id, str(each.error_type), own(cut(each.error_msg)), ", ".join(each.blocked_by) or "nothing"]
        for each in result.gaps
    ]
    heads = ("Step", "Type", "Why", "Blocked by")
    return Section("gaps", "Gaps", table("Steps that went without a result", heads, rows))


def effects(result: SessionResult) -> Section | None:
    """Calls that took effect: of tools that act on the world, and others from the second time on."""
    if not result.effects:
        return None
    rows = [
        [each.tool, value(each.args), f"step {each.step_id} in {each.version}", words.number(each.times)]
        for each in result.effects
    ]
    caption = "Calls of tools that act on the world, and others that took effect more than once"
    return Section(
        "effects", "Effects", table(caption, ("Tool", "Args", "First by", "Times"), rows, numbers=("Times",))
    )


def lessons(result: SessionResult) -> Section | None:
    """The lesson book as the run left it."""
    if not result.lessons:
        return None
    rows = [
        [
            own(cut(each.text, LESSON)),
            str(each.error_type),
            f"step {each.step_id} in {each.version}" if each.step_id is not None else each.version,
            words.number(each.count),
        ]
        for each in result.lessons
    ]
    heads = ("Lesson", "From", "Learned at", "Times")
    return Section("lessons", "Lessons", table("What later replans are told", heads, rows, numbers=("Times",)))


def warnings(result: SessionResult) -> Section | None:
    """What was doubtful in the plan, its script or its course."""
    if not result.warnings:
        return None
    return Section("warnings", "Warnings", bullets([cut(text) for text in result.warnings]))


def tokens_section(result: SessionResult) -> Section | None:
    """The sums and the ledger."""
    lines = result.ledger.lines
    if not lines:
        return None
    heads = ("Version", "Step", "Kind", "Estimated", "Booked")
    booked = table("Every booking, in order", heads, [_line(line) for line in lines], numbers=heads[3:])
    total = paragraph(tag("strong", ledger.totals_line(result)))
    return Section("tokens", "Tokens", joined([total, _sums(lines), booked]))


def _line(line: LedgerLine) -> list[str]:
    kind = f"{line.kind}, {line.granularity}" if line.granularity else str(line.kind)
    return [line.version, line.step_id or "none", kind, words.number(line.estimated), words.number(line.booked)]


def _sums(lines: tuple[LedgerLine, ...]) -> Html:
    sums: dict[LedgerKind, int] = {}
    for line in lines:
        sums[line.kind] = sums.get(line.kind, 0) + line.booked
    # Against the largest, for shares of the whole would make all but one kind too short to compare.
    most = max(sums.values())
    rows = [
        [str(kind), "main flow" if kind.is_main else "remedy", words.number(tokens), _share(kind, tokens, most)]
        for kind, tokens in sums.items()
    ]
    heads = ("Kind", "Part of", "Tokens", "Against the largest")
    return table("Tokens by kind: filled bars are the main flow, hollow ones remedy", heads, rows, numbers=("Tokens",))


def _share(kind: LedgerKind, tokens: int, most: int) -> Html:
    said = words.plural(tokens, "token")
    return bar([Stretch(0, tokens, "done" if kind.is_main else "failed")] if tokens else [], most, said)
