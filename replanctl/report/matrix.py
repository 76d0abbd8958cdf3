"""A matrix as a page: for each plan the grid of failures, what was found, and what it comes to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from replanctl.lab import HONEST, Facts, Matrix, MatrixDocument, TotalsFold
from replanctl.report.html import Html, escape, joined, tag
from replanctl.report.lab import KEY, MARKS, MEANING, ending, short_names
from replanctl.report.page import page
from replanctl.report.parts import Section, bullets, cut, ends, facts, only_mark, own, paragraph, sections, table
from replanctl.show import grid, words
from replanctl.show import matrix as show

WHOLE = 20  # plans that have a grid each; of more those that do worst
_GROUPS = (("no answer", 5), ("an answer, but", 3), ("other", 2))
_HEADS = {
    "timeout": "timeout", "rate_limited": "rate limited", "tool_error": "tool error", "shape": "wrong shape",
    "semantic": "wrong thing",
}  # fmt: skip


def matrix_page(document: MatrixDocument) -> str:
    """The page of a matrix: of one plan its parts, of several an overview and a part for each."""
    plans = document.plans
    names = short_names(plan.name for plan in plans)
    if len(plans) == 1:
        return page(plans[0].goal, _lead([show.totals_in_words(plans[0].totals)]), _parts(plans[0]), kind="matrix")
    fold = TotalsFold()
    for plan in plans:
        fold.add(plan.totals)
    lead = _lead([show.totals_in_words(fold.totals())])
    # A grid is a page of its own; whoever opens a report on 300 plans wants those that do worst, and the table of all.
    worst = sorted(plans, key=_met)[:WHOLE]
    shown = [_plan(number, plan, names[plan.name]) for number, plan in enumerate(worst, start=1)]
    overview = Section("plans", "All plans", _overview(plans, names))
    return page(f"{words.plural(len(plans), 'plan')} under every failure", lead, [overview, *shown], kind="matrix")


def _lead(said: Iterable[str]) -> Html:
    return joined([*(paragraph(each, class_="verdict") for each in said), paragraph(HONEST, class_="note")])


def _met(plan: Matrix) -> float:
    return plan.totals.completed / max(plan.totals.sessions, 1)


def _overview(plans: Sequence[Matrix], names: dict[str, str]) -> Html:
    heads = ("Plan", "Goal", "Sessions", "Goal met", "Handed over", "Stopped", "No way out")
    rows = [
        [
            names[plan.name],
            own(cut(plan.goal)),
            *map(words.number, (plan.totals.sessions, plan.totals.completed, plan.totals.handed_over)),
            *map(words.number, (plan.totals.stopped, len(plan.stranded))),
        ]
        for plan in sorted(plans, key=_met)
    ]
    note = [paragraph(f"Below are the {WHOLE} that do worst.", class_="note")] if len(plans) > WHOLE else []
    return joined([table("Every plan, the worst first", heads, rows, numbers=heads[2:]), *note])


def _plan(number: int, plan: Matrix, name: str) -> Section:
    id_ = f"plan-{number}"
    body = joined([paragraph(own(plan.goal)), paragraph(show.totals_in_words(plan.totals))])
    return Section(id_, name, joined([body, sections(_parts(plan, f"{id_}-"), 3)]))


def _parts(plan: Matrix, prefix: str = "") -> list[Section]:
    found = list(_findings(plan))
    notes = [paragraph(show.BY_CONSTRUCTION)] if plan.imported and plan.bound_to_fail else []
    parts = [
        Section(f"{prefix}grid", "Every step under every failure", joined([*notes, _grid(plan), _key()])),
        Section(f"{prefix}script", "The script alone", facts(_alone(plan.base))),
        Section(f"{prefix}findings", "What was found", facts(found, wide=True)) if found else None,
    ]
    return [part for part in parts if part is not None]


def _key() -> Html:
    return paragraph(f"{KEY}. Once: the first call fails. Always: every call does.", class_="note")


def _alone(base: Facts) -> Iterable[tuple[str, str]]:
    yield "Ended", ending(base)
    yield "Replans", words.number(base.replans)
    yield "Tool calls", words.number(base.calls)
    yield "Tokens", words.number(base.tokens)
    yield "Session time", words.seconds(base.seconds)


def _findings(plan: Matrix) -> Iterable[tuple[str, Html]]:
    """What was found, by label."""
    by_label: dict[str, list[str]] = {}
    label = ""
    for finding in show.findings(plan):
        label = finding.label or label
        by_label.setdefault(label, []).append(cut(finding.text))
    for name, texts in by_label.items():
        yield name.capitalize(), bullets(texts)


# -- the grid ----------------------------------------------------------------------------------------------------------


def _grid(plan: Matrix) -> Html:
    """The grid, by hand: its heads have two storeys and its rows come in twos."""
    lines = _lines(plan)
    first, more, last = ends(lines)
    caption = f"How the session ends when a call of the {'tool' if _is_folded(plan) else 'step'} in the row fails so"
    note = [paragraph(f"The first and the last rows are shown; {more} are not.", class_="note")] if more else []
    whole = tag(
        "table",
        tag("caption", tag("span", caption)),
        tag("thead", *_grid_heads(plan)),
        *(tag("tbody", *_twice(label, rows)) for label, rows in (*first, *last)),
        class_="grid",
    )
    return joined([tag("div", whole, class_="scroll", role="region", aria_label=caption, tabindex="0"), *note])


def _grid_heads(plan: Matrix) -> list[Html]:
    row = "Tool" if _is_folded(plan) else "Step"
    # The upper storey is drawn only over the statuses it was made for: a document of another version may have more.
    fits = len(plan.statuses) == sum(count for _, count in _GROUPS)
    over = [tag("th", name, scope="colgroup", colspan=str(count)) for name, count in _GROUPS] if fits else []
    storeys = "2" if fits else "1"
    corner = [tag("th", row, scope="col", rowspan=storeys), tag("th", "Fails", scope="col", rowspan=storeys)]
    heads = [tag("th", _HEADS.get(status, status), scope="col") for status in plan.statuses]
    return [tag("tr", *corner, *over), tag("tr", *heads)] if fits else [tag("tr", *corner, *heads)]


def _is_folded(plan: Matrix) -> bool:
    return len(plan.rows) >= grid.FOLDED_FROM


Line = tuple[str, tuple[list[Html], list[Html]]]


def _lines(plan: Matrix) -> list[Line]:
    """A line for each step, or of many steps for each tool, with the cells once and always."""
    groups: dict[str, list[int]] = {}
    for at, row in enumerate(plan.rows):
        groups.setdefault(row.tool if _is_folded(plan) else f"{row.step_id} {row.action}", []).append(at)
    lines = []
    for label, numbers in groups.items():
        rows = [plan.rows[at] for at in numbers]
        name = f"{cut(label)} ×{len(rows)}" if len(rows) > 1 else cut(label)
        lines.append((name, (_cells([row.once for row in rows]), _cells([row.always for row in rows]))))
    return lines


def _cells(rows: Sequence[Sequence[Facts]]) -> list[Html]:
    return [_cell(column) for column in zip(*rows, strict=False)]


def _cell(column: Sequence[Facts]) -> Html:
    # Where steps are folded by tool a cell stands for several sessions, and shows the worst: a good average would hide
    # the one that is stranded.
    mark = grid.mark_of(column[0], MARKS) if len(column) == 1 else grid.worst_of(column, MARKS)
    said, kind = MEANING[mark.kind]
    if mark.kind == "replans":
        said = f"goal met after {words.plural(int(mark.text), 'replan')}"
    elif len(mark.text) > 1:
        said = f"{said}: {mark.text[1:]} of {len(column)} steps"
    return only_mark(mark.text, said, f"mark {kind}")


def _twice(label: str, cells: tuple[list[Html], list[Html]]) -> list[Html]:
    once, always = cells
    head = tag("th", escape(label), scope="rowgroup", rowspan="2")
    return [
        tag("tr", head, tag("th", "once", scope="row"), *(tag("td", cell) for cell in once)),
        tag("tr", tag("th", "always", scope="row"), *(tag("td", cell) for cell in always)),
    ]
