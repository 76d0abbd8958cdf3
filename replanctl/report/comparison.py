"""A comparison as a page: the lanes side by side, what got better and worse, and where the lanes of one plan part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from replanctl.lab import HONEST, CompareDocument, Comparison, Facts, LaneTotals, Pair, Parting, Race, Versus
from replanctl.report.html import Html, joined, tag
from replanctl.report.lab import ending, short_names
from replanctl.report.page import page
from replanctl.report.parts import Group, Section, bullets, cut, grouped, only_mark, own, paragraph, table
from replanctl.show import lanes as show
from replanctl.show import words

_HEADS = ("Lane", "Goal met", "With gaps", "Short", "Calls", "Replans", "Tokens", "Time", "Effects")


def compare_page(document: CompareDocument) -> str:
    """The page of a comparison; of a single plan the race of its lanes."""
    comparison = document.comparison
    race = comparison.race
    count = f"{words.plural(comparison.cases, 'rehearsal')} under {words.plural(len(comparison.lanes), 'policy')}"
    title = race.goal if race is not None else count.replace("policys", "policies")
    parts = [*(_race(race, comparison) if race is not None else []), _lanes(comparison), _versus(comparison)]
    return page(title, _lead(comparison), parts, kind="comparison")


def _lead(comparison: Comparison) -> Html:
    if comparison.race is not None:
        met = sum(facts.completed for facts in comparison.race.lanes)
        said = [paragraph(f"{met} of {words.plural(len(comparison.lanes), 'lane')} reach the goal.", class_="verdict")]
    else:
        first = comparison.lanes[0].lane if comparison.lanes else ""
        said = [_against(each, first) for each in comparison.versus]
    return joined([*said, paragraph(HONEST, class_="note")])


def _against(versus: Versus, first: str) -> Html:
    kind = "verdict failed" if versus.broken else "verdict done" if versus.better else "verdict"
    return paragraph(own(show.verdict(versus, first)), class_=kind)


# -- one plan ----------------------------------------------------------------------------------------------------------


def _race(race: Race, comparison: Comparison) -> Iterator[Section]:
    heads = ["Lane", "Ended", *(row.name.capitalize() for row in show.ROWS)]
    rows = [_lane(lane.lane, facts, race) for lane, facts in zip(comparison.lanes, race.lanes, strict=False)]
    steps = words.plural(race.steps, "step")
    caption = f"One script of {steps} under each policy; ● marks the least among the lanes that come furthest"
    yield Section("race", "The lanes side by side", table(caption, heads, rows, numbers=heads[2:]))
    said = [_parting(parting) for parting in race.partings] or [paragraph("All lanes do the same.")]
    yield Section("partings", "Where they part", joined(said))


def _lane(name: str, facts: Facts, race: Race) -> list[str]:
    return [name, ending(facts), *(_cell(row, facts, race) for row in show.ROWS)]


def _cell(row: show.Row, facts: Facts, race: Race) -> Html | str:
    said = row.said(facts)
    if not show.is_best(row, facts, race.lanes):
        return said
    return tag("strong", only_mark(show.BEST, "least: ", "done"), " ", said)


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
