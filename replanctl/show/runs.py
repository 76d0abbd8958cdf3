"""Stored runs: one line each, what decided anything in them, and where a recorded one came from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, Protocol

from replanctl.show.paper import Paper, Span
from replanctl.show.text import width
from replanctl.show.words import number, percent, plural, seconds

if TYPE_CHECKING:
    from replanctl.lab import Decided, Stats  # `runs` lists stored runs and needs nothing of the lab

DATE, TIME = 72, 100  # columns from which on the day a run began is shown, and the year and the time of day too
NAME, GOAL = 20, 12  # columns that a plan's name may take, and that are left at least where the goal is shown
NARROW = 56  # columns below which a row of rules or gates is told in lines of its own
FIRST = "replanctl run PLAN"  # makes a run where there is none
_WORDS = ("started", "ended")  # columns of words; the others are of numbers


class RunLine(Protocol):
    """What is shown of a run."""

    @property
    def run(self) -> int: ...
    @property
    def started(self) -> str: ...
    @property
    def goal(self) -> str: ...
    @property
    def status(self) -> str: ...
    @property
    def reason(self) -> str | None: ...
    @property
    def seconds(self) -> float | None: ...
    @property
    def versions(self) -> int | None: ...
    @property
    def tokens(self) -> int | None: ...
    @property
    def plan(self) -> str | None: ...


def runs_screen(paper: Paper, runs: Sequence[RunLine], *, some: bool = False, first: str = FIRST) -> None:
    """Write the list as it is given; `some` says that only certain ones were asked for, `first` is the command that
    makes one where there is none."""
    if not runs and some:
        paper.line("There is no such run.", indent=2)
        return
    if not runs:
        paper.line(f"There are no runs yet: {first} makes the first.", indent=2)
        return
    # As wide as what stands in them: a store of three runs and one of three thousand have other numbers.
    rows = [_cells(run, paper) for run in runs]
    columns = [name for name, said in rows[0].items() if said]
    rooms = {name: max(len(name), *(len(row[name]) for row in rows)) for name in columns}
    mark = width(paper.glyphs.done)
    names = min(max(width("plan"), *(width(PurePath(run.plan or "").name) for run in runs)), NAME)
    before, behind = _halves({name: name for name in columns}, rooms)
    room = max(paper.width - len(before) - mark - len(behind) - 5, 8)
    if paper.width < len(before) + mark + len(behind) + 5 + room:
        _stacked(paper, runs, rows)
        return
    # A goal that is cut to a word or two tells less than a plan's name.
    goals = room - names - 2 if room - names - 2 >= GOAL else 0
    head = f"{_padded('plan', names)}{'  goal' if goals else ''}"
    paper.line(Span(f"{before}{' ' * mark} {behind}  {head}", "label"), indent=2)
    for run, row in zip(runs, rows, strict=True):
        before, behind = _halves(row, rooms)
        plan = PurePath(run.plan).name if run.plan is not None else paper.glyphs.dash
        said = _padded(paper.cut(plan, min(names, room)), names)
        goal = f"  {paper.cut(run.goal, goals)}" if goals else ""
        paper.line(before, _mark(run, paper), f" {behind}  {said}{goal}".rstrip(), indent=2)


def _stacked(paper: Paper, runs: Sequence[RunLine], rows: Sequence[Mapping[str, str]]) -> None:
    """The list on paper that is too narrow for its columns."""
    for run, row in zip(runs, rows, strict=True):
        paper.line(Span(f"{row['run']} ", "strong"), _mark(run, paper), f" {row['ended']}", indent=2)
        said = [PurePath(run.plan or "").name, row["ver"], row["time"], f"{row['tokens']} tokens"]
        known = [each for each in said if each and not each.startswith(paper.glyphs.dash)]
        paper.line(Span(paper.joined(known), "dim"), indent=4)


def _padded(text: str, room: int) -> str:
    return text + " " * max(room - width(text), 0)


def _cells(run: RunLine, paper: Paper) -> dict[str, str]:
    """What is said of a run, by column; a column of which nothing is said is left out."""
    dash = paper.glyphs.dash
    began = slice(0, 16) if paper.width >= TIME else slice(5, 16) if paper.width >= DATE else slice(0)
    return {
        "run": str(run.run),
        "started": run.started[began].replace("T", " "),
        "ended": run.reason or run.status,
        "ver": dash if run.versions is None else f"v{run.versions}",
        "time": dash if run.seconds is None else seconds(run.seconds),
        "tokens": dash if run.tokens is None else number(run.tokens),
    }


def _halves(row: Mapping[str, str], rooms: Mapping[str, int]) -> tuple[str, str]:
    """What stands before the mark of how a run ended, and what stands behind it."""
    cells = {name: f"{row[name]:{'<' if name in _WORDS else '>'}{room}}" for name, room in rooms.items()}
    ended = cells.pop("ended")
    before = [cells.pop(name) for name in ("run", "started") if name in cells]
    return "  ".join([*before, ""]), "  ".join([ended, *cells.values()])


def _mark(run: RunLine, paper: Paper) -> Span:
    glyphs = paper.glyphs
    marks = {"completed": Span(glyphs.done, "done"), "failed": Span(glyphs.failed, "failed")}
    return marks.get(run.status, Span(paper.pad(glyphs.notice, width(glyphs.done)), "notice"))


def stats_screen(paper: Paper, stats: Stats, *, first: str = FIRST) -> None:
    """Write the tables of rules and gates, and the figures to watch; `first` is as for `runs_screen`."""
    if not stats.runs:
        paper.line(f"There are no runs yet: {first} makes the first.", indent=2)
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
    # Five, as everywhere here: below it a share stands on single sessions.
    few = "; so few say little" if trials < 5 else ""
    return f"{number(hits)} of {plural(trials, what)} {did} ({percent(hits / trials)}{few})"


def _table(paper: Paper, what: str, rows: Sequence[Decided]) -> None:
    room = min(max(len(what), *(len(row.name) for row in rows)), paper.width // 3)
    if paper.width < NARROW:
        names = (what, "decided" if what == "rule" else "refused", "in runs", "")
        paper.stacked(names, [[row.name, number(row.times), number(row.runs), _ends(row.ends)] for row in rows])
        return
    paper.line(
        Span(f"{what:<{room}}{'decided' if what == 'rule' else 'refused':>9}{'in runs':>9}  they ended", "label"),
        indent=2,
    )
    for row in rows:
        counts = f"{number(row.times):>9}{number(row.runs):>9}  "
        paper.line(paper.cell(row.name, room), counts, _ends(row.ends), indent=2, hang=room + 22)


def _ends(ends: Mapping[str, int]) -> str:
    return ", ".join(f"{end} {number(times)}" for end, times in ends.items())


class Recording(Protocol):
    """What is told of a recorded run."""

    @property
    def source(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def id(self) -> str: ...
    @property
    def end(self) -> str | None: ...
    @property
    def solved(self) -> bool | None: ...
    @property
    def calls(self) -> int: ...


def recorded_in_words(recording: Recording) -> str:
    """`recorded run 003 (messages, airline.jsonl.gz): 18 calls, completed, not solved`."""
    where = ", ".join(part for part in (recording.kind, recording.source) if part)
    told = [f"{recording.calls} call{'s' * (recording.calls != 1)}", *([recording.end] if recording.end else [])]
    told += ["solved" if recording.solved else "not solved"] if recording.solved is not None else []
    name = f" {recording.id}" if recording.id else ""
    return f"recorded run{name}{f' ({where})' if where else ''}: {', '.join(told)}"
