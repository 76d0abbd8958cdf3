"""A tuning as a page: what each limit cost, the curve between it and what completes, and the sessions it stopped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from replanctl.lab import HONEST, GateTuning, TuneDocument, Tuning
from replanctl.report.html import Html, joined, tag
from replanctl.report.lab import short_names
from replanctl.report.page import page
from replanctl.report.parts import Group, Section, bullets, facts, grouped, level, paragraph, table
from replanctl.show import tuning as show
from replanctl.show import words

NO_LIMIT = "none"


def tune_page(document: TuneDocument) -> str:
    """The page of a tuning."""
    tuning = document.tuning
    names = short_names(name for gate in tuning.gates for name in gate.stopped)
    parts = [_gates(tuning), _curves(tuning), _sessions(tuning, names)]
    return page(f"Limits, over {words.plural(tuning.sessions, 'rehearsal')}", _lead(tuning), parts, kind="tuning")


def _lead(tuning: Tuning) -> Html:
    few = list(show.few_words(tuning))
    counts = [
        ("Rehearsals", words.number(tuning.sessions)),
        ("With failures that were routed", words.number(tuning.with_failures)),
        ("Completed", words.number(tuning.completed)),
        ("Sessions run", words.number(tuning.runs)),
    ]
    verdict = paragraph(show.figures(tuning), class_="verdict")
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
            _limits(gate),
            *map(words.number, (len(gate.stopped), len(gate.would_finish), gate.solved_when_recorded)),
            show.levels(gate) or NO_LIMIT,
            NO_LIMIT if gate.proposed is None else words.reading(gate.gate, gate.proposed),
        ]
        for gate in tuning.gates
    ]
    caption = "What each gate stopped, and what would have finished had this gate alone been lifted"
    return Section("gates", "Gates", table(caption, heads, rows, numbers=heads[2:5]))


def _limits(gate: GateTuning) -> str:
    if gate.limits is None:
        return "stopped none"
    return "–".join(dict.fromkeys(words.reading(gate.gate, limit) for limit in gate.limits))


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
        limit = "now" if point.limit is None else words.reading(gate.gate, point.limit)
        yield [
            limit,
            words.number(point.completed),
            show.percents(point.low, point.high, "–"),
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
    freed = {one.case: one for one in gate.would_finish}
    for case in gate.stopped:
        one = freed.get(case)
        if one is None:
            yield [names[case], "no limit of this gate", "", ""]
        else:
            limit = words.reading(gate.gate, one.limit)
            yield [names[case], limit, words.number(one.tokens), _SOLVED[one.solved]]
