"""What failed, what was decided about it, and how full the gates were when they were asked."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from replanctl.kinds import GateName
from replanctl.replan import GATE
from replanctl.report.html import Html, joined, tag
from replanctl.report.parts import Group, Section, cut, grouped, level, marked, own, table
from replanctl.run import GateView, RouteView, SessionResult, SignalView
from replanctl.show import failure, words

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
        taken = routes[signal.version, signal.step_id]
        yield _row(signal, taken.pop(0) if taken else None)
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
