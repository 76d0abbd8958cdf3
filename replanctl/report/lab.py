"""A tuning and a comparison as pages, and what all tables of the lab share with the matrix."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile

from replanctl.lab import (
    HONEST,
    CompareDocument,
    Comparison,
    Facts,
    GateTuning,
    LaneTotals,
    Pair,
    Parting,
    Race,
    TuneDocument,
    Tuning,
    Versus,
)
from replanctl.report.html import Html, joined, tag
from replanctl.report.page import page
from replanctl.report.parts import (
    Group,
    Section,
    bullets,
    cut,
    facts,
    grouped,
    level,
    marked,
    only_mark,
    own,
    paragraph,
    table,
)
from replanctl.show import grid, marks, words
from replanctl.show import lanes as show_lanes
from replanctl.show import tuning as show_tuning

# The marks are those of the screen, so that a page and a terminal are read alike; each comes with its meaning in words,
# for who can't see it.
MARKS = marks.Marks("·", "✓", "◐", "‼", "✗")
MEANING = {
    "absorbed": ("goal met without a replan", "done"),
    "replans": ("goal met after so many replans", "done"),
    "gaps": ("goal met with gaps", "warn"),
    "handed_over": ("handed over to a person", "failed"),
    "stopped": ("stopped short", "failed"),
    "unlanded": ("the failure never met a call", "note"),
}
KEY = "; ".join(f"{getattr(MARKS, kind, '1')} {said}" for kind, (said, _) in MEANING.items())


def ending(facts: Facts) -> Html:
    """How a session ended: a mark, and why in words."""
    mark = grid.mark_of(facts, MARKS)
    said = words.REASONS.get(facts.reason, str(facts.reason)).rstrip(",")
    by = f" ({facts.stopped.gate})" if facts.stopped is not None else ""
    return marked(MARKS.absorbed if mark.kind == "replans" else mark.text, f"{said}{by}", MEANING[mark.kind][1])


def short_names(names: Iterable[str]) -> dict[str, str]:
    """Names of files by what tells them apart: the folders that all share say where they lie on one machine."""
    parts = {name: name.replace("\\", "/").split("/") for name in names}
    folders = zip(*(each[:-1] for each in parts.values()), strict=False)
    shared = sum(1 for _ in takewhile(lambda level: len(set(level)) == 1, folders))
    return {name: "/".join(each[shared:]) for name, each in parts.items()}


NO_LIMIT = "none"


def tune_page(document: TuneDocument) -> str:
    """The page of a tuning."""
    tuning = document.tuning
    names = short_names(name for gate in tuning.gates for name in gate.stopped)
    parts = [_gates(tuning), _curves(tuning), _sessions(tuning, names)]
    return page(
        f"Limits, over {words.plural(tuning.sessions, 'rehearsal')}", _tuning_lead(tuning), parts, kind="tuning"
    )


def _tuning_lead(tuning: Tuning) -> Html:
    few = list(show_tuning.few_words(tuning))
    counts = [
        ("Rehearsals", words.number(tuning.sessions)),
        ("With failures that were routed", words.number(tuning.with_failures)),
        ("Completed", words.number(tuning.completed)),
        ("Sessions run", words.number(tuning.runs)),
    ]
    verdict = paragraph(show_tuning.figures(tuning), class_="verdict")
    return joined([verdict, *([bullets(few)] if few else []), paragraph(HONEST, class_="note"), facts(counts)])


def _gates(tuning: Tuning) -> Section:
    heads = (
        "Gate",
        "Limit",
        "Stopped",
        "Would finish",
        "Solved when recorded",
        "Smallest limits that free",
        "Proposed",
    )
    rows = [
        [
            str(gate.gate),
            show_tuning.limits_in_words(gate),
            *map(words.number, (len(gate.stopped), len(gate.would_finish), gate.solved_when_recorded)),
            show_tuning.levels(gate) or NO_LIMIT,
            NO_LIMIT if gate.proposed is None else words.limit_of(gate.gate, gate.proposed),
        ]
        for gate in tuning.gates
    ]
    caption = "What each gate stopped, and what would have finished had this gate alone been lifted"
    return Section("gates", "Gates", table(caption, heads, rows, numbers=heads[2:5]))


def _curves(tuning: Tuning) -> Section | None:
    groups = [Group(str(gate.gate), list(_curve(gate, tuning.sessions))) for gate in tuning.gates if gate.curve]
    if not groups:
        return None
    heads = ("Limit", "Completed", "Share, 95 % interval", "Proposed", "Of all rehearsals")
    caption = "How many sessions complete under which limit"
    body = grouped(caption, heads, groups, numbers=("Completed",))
    return Section("curves", "Limits and what completes", body)


def _curve(gate: GateTuning, sessions: int) -> Iterator[Sequence[str]]:
    for point in gate.curve:
        limit = "now" if point.limit is None else words.limit_of(gate.gate, point.limit)
        yield [
            limit,
            words.number(point.completed),
            show_tuning.percents(point.low, point.high, "–"),
            tag("strong", "proposed") if point.proposed else "no",
            level(point.completed, sessions, f"{point.completed} of {sessions}"),
        ]


def _sessions(tuning: Tuning, names: dict[str, str]) -> Section | None:
    groups = [Group(f"stopped by {gate.gate}", list(_stopped(gate, names))) for gate in tuning.gates if gate.stopped]
    if not groups:
        return None
    heads = ("Rehearsal", "Finishes from", "Tokens more", "Solved when recorded")
    caption = "The sessions that a gate stopped, and from which limit on they finish"
    return Section("sessions", "Sessions that were stopped", grouped(caption, heads, groups, numbers=("Tokens more",)))


_SOLVED = {True: "yes", False: "no", None: "not known"}


def _stopped(gate: GateTuning, names: dict[str, str]) -> Iterator[Sequence[str]]:
    # Sessions that no limit frees are listed with the others: they are the answer to whether a higher limit would have
    # helped.
    freed = {one.case: one for one in gate.would_finish}
    for case in gate.stopped:
        one = freed.get(case)
        if one is None:
            yield [names[case], "no limit of this gate", "", _SOLVED[True] if case in gate.solved else ""]
        else:
            limit = words.limit_of(gate.gate, one.limit)
            yield [names[case], limit, words.number(one.tokens), _SOLVED[one.solved]]


_HEADS = ("Lane", "Goal met", "With gaps", "Short", "Calls", "Replans", "Tokens", "Time", "Effects")


def compare_page(document: CompareDocument) -> str:
    """The page of a comparison; of a single plan the race of its lanes."""
    comparison = document.comparison
    race = comparison.race
    count = f"{words.plural(comparison.cases, 'rehearsal')} under {words.plural(len(comparison.lanes), 'policy')}"
    title = race.goal if race is not None else count.replace("policys", "policies")
    parts = [*(_race(race, comparison) if race is not None else []), _lanes(comparison), _versus(comparison)]
    return page(title, _comparison_lead(comparison), parts, kind="comparison")


def _comparison_lead(comparison: Comparison) -> Html:
    if comparison.race is not None:
        met = sum(facts.completed for facts in comparison.race.lanes)
        said = [paragraph(f"{met} of {words.plural(len(comparison.lanes), 'lane')} reach the goal.", class_="verdict")]
    else:
        first = comparison.lanes[0].lane if comparison.lanes else ""
        said = [_against(each, first) for each in comparison.versus]
    return joined([*said, paragraph(HONEST, class_="note")])


def _against(versus: Versus, first: str) -> Html:
    kind = "verdict failed" if versus.broken else "verdict done" if versus.better else "verdict"
    return paragraph(own(show_lanes.verdict(versus, first)), class_=kind)


# -- one plan ----------------------------------------------------------------------------------------------------------


def _race(race: Race, comparison: Comparison) -> Iterator[Section]:
    heads = ["Lane", "Ended", *(row.name.capitalize() for row in show_lanes.ROWS)]
    rows = [_lane(lane.lane, facts, race) for lane, facts in zip(comparison.lanes, race.lanes, strict=False)]
    steps = words.plural(race.steps, "step")
    caption = f"One script of {steps} under each policy; ● marks the least among the lanes that come furthest"
    yield Section("race", "The lanes side by side", table(caption, heads, rows, numbers=heads[2:]))
    said = [_parting(parting) for parting in race.partings] or [paragraph("All lanes do the same.")]
    yield Section("partings", "Where they part", joined(said))


def _lane(name: str, facts: Facts, race: Race) -> list[str]:
    return [name, ending(facts), *(_cell(row, facts, race) for row in show_lanes.ROWS)]


def _cell(row: show_lanes.Row, facts: Facts, race: Race) -> Html | str:
    said = row.said(facts)
    if not show_lanes.is_best(row, facts, race.lanes):
        return said
    return tag("strong", only_mark(show_lanes.BEST, "least: ", "done"), " ", said)


def _parting(parting: Parting) -> Html:
    failed = [f", step {parting.step_id}, “", own(cut(parting.message)), "”"] if parting.step_id is not None else []
    head = paragraph(f"At {words.seconds(parting.at)}", *failed, ":")
    does = [joined([tag("strong", ", ".join(group.lanes)), ": ", own(cut(group.does))]) for group in parting.groups]
    return joined([head, bullets(does)])


# -- many plans --------------------------------------------------------------------------------------------------------


def _lanes(comparison: Comparison) -> Section | None:
    if comparison.race is not None:
        return None
    rows = [_totals(lane) for lane in comparison.lanes]
    return Section("lanes", "The lanes", table("What each lane came to, in all", _HEADS, rows, numbers=_HEADS[1:]))


def _totals(lane: LaneTotals) -> list[str]:
    ends = (lane.completed - lane.with_gaps, lane.with_gaps, lane.sessions - lane.completed)
    counts = map(words.number, (*ends, lane.calls, lane.replans, lane.tokens))
    return [lane.lane, *counts, words.seconds(lane.seconds), words.number(lane.effects)]


def _versus(comparison: Comparison) -> Section | None:
    pairs = [pair for each in comparison.versus for pair in (*each.worse, *each.better)]
    if comparison.race is not None or not pairs:
        return None
    first = comparison.lanes[0].lane
    names = short_names(pair.case for pair in pairs)
    groups = [
        Group(f"{each.lane} against {first}: {word}", _rows(word, found, names))
        for each in comparison.versus
        for word, found in (("worse", each.worse), ("better", each.better))
    ]
    heads = ("Rehearsal", f"Under {first}", "Under the other", "Verdict")
    caption = "Every rehearsal that ends otherwise under another policy than under the first"
    return Section("differences", "What got better and worse", grouped(caption, heads, groups))


def _rows(word: str, pairs: Sequence[Pair], names: dict[str, str]) -> list[list[str]]:
    return [[names[pair.case], ending(pair.before), ending(pair.after), tag("strong", word)] for pair in pairs]
