"""The lab's results as Markdown, for a pull request."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from replanctl.lab import HONEST, Comparison, Facts, Matrix, Tally, Tuning
from replanctl.show.diff import literal
from replanctl.show.grid import FOLDED_FROM, mark_of, worst_of
from replanctl.show.lanes import partings, price_head, verdict
from replanctl.show.marks import Marks
from replanctl.show.matrix import BY_CONSTRUCTION, findings, totals_in_words
from replanctl.show.tuning import few_words, figures, levels, limits_in_words, paid_in_words
from replanctl.show.words import limit_of, number, plural, seconds

_MARKS = Marks("·", "✓", "◐", "‼", "✗")
_KEY = "✓ without a replan, 1 after so many replans, ◐ with gaps, ✗ stopped, ‼ handed over, · never landed"


def matrix_markdown(matrix: Matrix) -> str:
    """A table of marks, and what was found."""
    return _document(f"Matrix of {literal(matrix.name)}", _matrix(matrix))


def _matrix(matrix: Matrix) -> Iterator[str]:
    if matrix.imported and matrix.bound_to_fail:
        yield from (f"> {BY_CONSTRUCTION}", "")
    rows = list(_grid(matrix))
    yield from _table(["step", "", *(f"`{status}`" for status in matrix.statuses)], rows)
    yield from (_KEY, "")
    label = ""
    for finding in findings(matrix):
        label = finding.label or label
        yield f"- **{label}** {literal(finding.text)}"
    yield from ("", totals_in_words(matrix.totals))


def _grid(matrix: Matrix) -> Iterator[list[str]]:
    groups: dict[str, list[int]] = {}
    for at, row in enumerate(matrix.rows):
        folded = len(matrix.rows) >= FOLDED_FROM
        groups.setdefault(row.tool if folded else f"{row.step_id} {row.action}", []).append(at)
    for label, numbers in groups.items():
        rows = [matrix.rows[at] for at in numbers]
        yield [literal(label), "once", *_cells([row.once for row in rows])]
        yield ["", "always", *_cells([row.always for row in rows])]


def _cells(rows: Sequence[Sequence[Facts]]) -> list[str]:
    if len(rows) == 1:
        return [mark_of(facts, _MARKS).text for facts in rows[0]]
    return [worst_of(column, _MARKS).text for column in zip(*rows, strict=True)]


def tune_markdown(tuning: Tuning, notes: Iterable[str] = (), tally: Tally | None = None) -> str:
    """A table of gates, the three figures and what was written; with a `tally` what it costs."""
    return _document(f"Limits, over {plural(tuning.sessions, 'rehearsal')}", _tuning(tuning, notes, tally))


def _tuning(tuning: Tuning, notes: Iterable[str], tally: Tally | None) -> Iterator[str]:
    rows = [
        [
            f"`{gate.gate}`",
            limits_in_words(gate),
            number(len(gate.stopped)),
            number(len(gate.would_finish)),
            number(gate.solved_when_recorded),
            literal(levels(gate, tally)),
            "" if gate.proposed is None else limit_of(gate.gate, gate.proposed),
        ]
        for gate in tuning.gates
        if gate.stopped
    ]
    heads = [
        "gate",
        "limit",
        "stopped",
        "would finish",
        "solved when recorded",
        "smallest limit that frees",
        "proposed",
    ]
    if rows:
        yield from _table(heads, rows)
    yield from (figures(tuning), "")
    yield from (f"- {literal(note)}" for note in (*few_words(tuning), *paid_in_words(tally), *notes))


def compare_markdown(comparison: Comparison, tally: Tally | None = None) -> str:
    """A table of lanes, and for each lane what got worse and better; with a `tally` what it costs."""
    return _document("Comparison", _comparison(comparison, tally))


def _comparison(comparison: Comparison, tally: Tally | None) -> Iterator[str]:
    heads = ["lane", "goal met", "with gaps", "short", "calls", "replans", "tokens", "time", "effects"]
    paid = tally.lanes() if tally is not None else {}
    heads += [literal(price_head(tally))] if tally is not None else []
    yield from _table(
        heads,
        [
            [
                literal(lane.lane),
                *map(number, (lane.completed - lane.with_gaps, lane.with_gaps, lane.sessions - lane.completed)),
                *map(number, (lane.calls, lane.replans, lane.tokens)),
                seconds(lane.seconds),
                number(lane.effects),
                *([f"{paid[lane.lane]:,f}"] if paid else []),
            ]
            for lane in comparison.lanes
        ],
    )
    for versus in comparison.versus:
        yield f"**{literal(verdict(versus, comparison.lanes[0].lane))}**"
        for word, pairs in (("worse", versus.worse), ("better", versus.better)):
            yield from (
                f"- {word}: {literal(pair.case)}, `{pair.before.reason}` → `{pair.after.reason}`" for pair in pairs[:20]
            )
        yield ""
    if comparison.race is not None:
        yield from (f"- {literal(text)}" for text in partings(comparison.race))


def _document(title: str, lines: Iterable[str]) -> str:
    return "\n".join([f"### {title}", "", *lines, "", f"<sub>{HONEST}</sub>", ""])


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    row: Callable[[Iterable[str]], str] = lambda cells: f"| {' | '.join(cells)} |"  # noqa: E731 one line, used thrice
    yield row(heads)
    yield row("---" for _ in heads)
    yield from map(row, rows)
    yield ""
