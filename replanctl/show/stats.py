"""What decided anything in stored runs, on a screen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from replanctl.lab import Decided, Stats
from replanctl.show.paper import Paper, Span
from replanctl.show.words import number, percent, plural


def stats_screen(paper: Paper, stats: Stats) -> None:
    """Write the tables of rules and gates, and the figures to watch."""
    if not stats.runs:
        paper.line("There are no runs yet: replanctl run PLAN makes the first.", indent=2)
        return
    unfinished = f", {number(stats.unfinished)} not over" if stats.unfinished else ""
    paper.line(Span(plural(stats.runs, "run"), "title"), f": {_ends(stats.ends)}{unfinished}", indent=2)
    for what, rows in (("rule", stats.rules), ("gate", stats.gates)):
        if rows:
            paper.blank()
            _table(paper, what, rows)
    paper.blank()
    paper.line(
        Span(f"{'resumed':<10}", "label"),
        _share(stats.resumed_completed, stats.resumed, "run", "then completed"),
        indent=2,
    )
    again = _share(stats.repeated, stats.replans, "replan", "made the failed call again")
    paper.line(Span(f"{'replans':<10}", "label"), again, indent=2)


def _share(hits: int, trials: int, what: str, did: str) -> str:
    if not trials:
        return f"no {what}{'s' if what == 'replan' else ' was taken up again'}"
    few = "; so few say little" if trials < 5 else ""
    return f"{number(hits)} of {plural(trials, what)} {did} ({percent(hits / trials)}{few})"


def _table(paper: Paper, what: str, rows: Sequence[Decided]) -> None:
    room = min(max(len(what), *(len(row.name) for row in rows)), paper.width // 3)
    paper.line(
        Span(f"{what:<{room}}{'decided' if what == 'rule' else 'refused':>9}{'in runs':>9}  they ended", "label"),
        indent=2,
    )
    for row in rows:
        counts = f"{number(row.times):>9}{number(row.runs):>9}  "
        paper.line(paper.cell(row.name, room), counts, _ends(row.ends), indent=2, hang=room + 22)


def _ends(ends: Mapping[str, int]) -> str:
    return ", ".join(f"{end} {number(times)}" for end, times in ends.items())
