"""A tuning on a screen: what each gate cost, the curve between its limit and what completes, three figures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from replanctl.kinds import GateName
from replanctl.lab import GateTuning, Share, Tally, Tuning
from replanctl.show.matrix import honest_end
from replanctl.show.paper import Paper, Span
from replanctl.show.section import entry
from replanctl.show.text import UNICODE
from replanctl.show.words import limit_of, number, plural, some

BAR, SHORT_BAR = 20, 10  # columns of the curve's bars, on wide and on narrow paper
LEVELS_SHOWN = 6
NARROW = 68  # columns that the table takes at least
_KEY = (
    "Of the sessions a gate stopped: how many complete when it alone is lifted, how many the recording solved, and the "
    "limit it takes."
)
_EIGHTHS = "▏▎▍▌▋▊▉█"


def tune_screen(
    paper: Paper, tuning: Tuning, *, notes: Sequence[str] = (), todo: Sequence[str] = (), tally: Tally | None = None
) -> None:
    """Write the tuning; `notes` say what was written and left out, `todo` are commands to go on with, `tally` what
    sessions cost where a price was given."""
    head = [
        plural(tuning.sessions, "rehearsal"),
        f"{number(tuning.with_failures)} with failures that were routed",
        f"{number(tuning.runs)} sessions run",
    ]
    paper.line(Span("tune", "title"), f" {paper.glyphs.dot} {paper.joined(head)}", indent=2)
    paper.blank()
    _table(paper, tuning, tally)
    for gate in tuning.gates:
        if gate.curve:
            paper.blank()
            _curve(paper, gate, tuning)
    _freed(paper, tuning)
    paper.blank()
    paper.line(Span(figures(tuning, paper.glyphs.dash), "strong"), indent=2)
    for note in (*few_words(tuning), *paid_in_words(tally), *notes):
        paper.line(note, indent=2)
    honest_end(paper, todo)


def _table(paper: Paper, tuning: Tuning, tally: Tally | None) -> None:
    room = max(len(name) for name in GateName)
    if paper.width < NARROW:
        names = ("gate", "limit", "stopped", "would finish", "solved", "")
        paper.stacked(names, [_cells(gate, paper, tally) for gate in tuning.gates if gate.stopped])
    else:
        _columns(paper, tuning, room, tally)
    if any(gate.stopped for gate in tuning.gates):
        paper.line(Span(_KEY, "dim"), indent=2, hang=4)
    idle = [str(gate.gate) for gate in tuning.gates if not gate.stopped]
    if idle:
        paper.line(Span(f"stopped none: {', '.join(idle)}", "dim"), indent=2, hang=4)


def _cells(gate: GateTuning, paper: Paper, tally: Tally | None) -> list[str]:
    would, solved = number(len(gate.would_finish)), number(gate.solved_when_recorded)
    return [
        gate.gate,
        limits_in_words(gate, paper.glyphs.dash),
        number(len(gate.stopped)),
        would,
        solved,
        levels(gate, tally),
    ]


def _columns(paper: Paper, tuning: Tuning, room: int, tally: Tally | None) -> None:
    """The same under each other."""
    wide = paper.width >= 96
    solved = f"{'solved when recorded':>22}" if wide else f"{'solved':>8}"
    finish = f"{'would finish':>14}" if wide else f"{'finish':>8}"
    limits = {gate.gate: limits_in_words(gate, paper.glyphs.dash) for gate in tuning.gates if gate.stopped}
    held = max(9, *(len(limit) + 2 for limit in limits.values())) if limits else 9
    heads = f"{'gate':<{room}}{'limit':>{held}}{'stopped':>9}{finish}{solved}"
    paper.line(Span(f"{heads}  {'smallest limit that frees' if wide else 'raised to'}", "label"), indent=2)
    for gate in (gate for gate in tuning.gates if gate.stopped):
        known = number(gate.solved_when_recorded)
        said = f"{known:>22}" if wide else f"{known:>8}"
        row = f"{limits[gate.gate]:>{held}}{number(len(gate.stopped)):>9}"
        would = number(len(gate.would_finish))
        finish = f"{would:>14}" if wide else f"{would:>8}"
        style = "strong" if gate.would_finish else ""
        start = room + held + (45 if wide else 25)
        paper.line(
            Span(f"{gate.gate:<{room}}{row}{finish}{said}", style), f"  {levels(gate, tally)}", indent=2, hang=start + 2
        )


def limits_in_words(gate: GateTuning, dash: str = "–") -> str:
    """What is in force now; where sessions have limits of their own, from the least to the greatest."""
    said = ("none" if limit is None else limit_of(gate.gate, limit) for limit in gate.limits)
    return dash.join(dict.fromkeys(said))


def levels(gate: GateTuning, tally: Tally | None = None) -> str:
    """`13 frees 4, 16 all 7; 1,240 tokens more`, and what those cost."""
    # The last level frees all that can be freed, and what it takes is said behind it: it is never left out.
    shown = gate.levels if len(gate.levels) <= LEVELS_SHOWN else (*gate.levels[: LEVELS_SHOWN - 1], gate.levels[-1])
    said = [
        f"{limit_of(gate.gate, level.limit)} {'' if at else 'frees '}"
        f"{'all ' if level.frees == len(gate.would_finish) and level.frees > 1 else ''}{number(level.frees)}"
        for at, level in enumerate(shown)
    ]
    if not said:
        return "no limit alone frees any" if gate.stopped else ""
    paid = "" if tally is None else f" ({tally.prices.said(tally.more(gate.gate)[-1])})"
    return f"{', '.join(said)}; {number(gate.levels[-1].tokens)} tokens{paid} more"


def _limits_of(gate: GateTuning) -> list[str]:
    """The limits along a curve."""
    return ["now" if point.limit is None else limit_of(gate.gate, point.limit) for point in gate.curve]


def _curve(paper: Paper, gate: GateTuning, tuning: Tuning) -> None:
    limits, room = _limits_of(gate), max(len(limit) for each in tuning.gates for limit in _limits_of(each))
    name = f"{gate.gate:<{max(len(name) for name in GateName)}}"
    shown = list(zip(gate.curve, limits, strict=True))
    if len(shown) > 2 * LEVELS_SHOWN:
        shown = [*shown[:LEVELS_SHOWN], *shown[-LEVELS_SHOWN:]]
    room_of = 0
    for at, (point, limit) in enumerate(shown):
        bar = bar_of(point.completed, tuning.sessions, paper, BAR if paper.width >= 96 else SHORT_BAR)
        interval = f"{percents(point.low, point.high, paper.glyphs.dash)}"
        whole = f"{number(point.completed)} of {number(tuning.sessions)}{'' if paper.width < NARROW else ' complete'}"
        of_all = whole if not at else number(point.completed)
        said = Span("  proposed", "notice") if point.proposed else Span("")
        if paper.width < NARROW and not at:
            paper.line(Span(name, "label"), indent=2)
        label = Span("" if paper.width < NARROW else name if not at else " " * len(name), "label")
        room_of = max(room_of, len(whole))
        paper.line(
            label,
            f" {limit:>{room}} ",
            Span(bar, "main"),
            f" {of_all:<{room_of}}",
            Span(f"  {interval}", "dim"),
            said,
            indent=2,
        )


def bar_of(part: int, whole: int, paper: Paper, room: int) -> str:
    """A share as a bar, to an eighth of a column where the stream has such blocks."""
    eighths = round(8 * room * part / max(whole, 1))
    if paper.glyphs is not UNICODE:
        return paper.pad(paper.glyphs.full * round(eighths / 8), room)
    rest = _EIGHTHS[eighths % 8 - 1] if eighths % 8 else ""
    return paper.pad(paper.glyphs.full * (eighths // 8) + rest, room)


def percents(low: float, high: float, dash: str) -> str:
    """An interval of shares in per cent."""
    return f"{low * 100:.1f}{dash}{high * 100:.1f} %"


def figures(tuning: Tuning, dash: str = "–") -> str:
    """The three figures, each with the exact interval of its share."""
    stopped, known = tuning.stop_rate.hits, tuning.wrongly_stopped.trials
    if not stopped:
        return f"No gate stopped any of {plural(tuning.sessions, 'session')}{_of(tuning.stop_rate, dash)}."
    wrong = (
        f"{number(tuning.wrongly_stopped.hits)} of {number(known)} wrongly stopped{_of(tuning.wrongly_stopped, dash)}"
        if known
        else "no recording says whether one was wrongly stopped"
    )
    rate = f"Stop rate {stopped / tuning.sessions * 100:.1f} %{_of(tuning.stop_rate, dash)}"
    could = f"{number(tuning.could_finish.hits)} of {number(stopped)} could be finished by raising one limit"
    return f"{rate}; {could}{_of(tuning.could_finish, dash)}; {wrong}."


def _of(share: Share, dash: str) -> str:
    return f" ({percents(share.low, share.high, dash)})"


def paid_in_words(tally: Tally | None) -> Iterator[str]:
    """What the corpus costs as it is, where a price was given."""
    if tally is not None:
        yield f"Run as it is, the corpus costs {tally.prices.said(tally.sessions())}."


def few_words(tuning: Tuning) -> Iterator[str]:
    """Limits that hardly anything decided, and sessions that no single limit frees."""
    # One gate is lifted at a time. A session that two of them would stop stays stopped each time, and only running it
    # under higher limits altogether tells whether it could have finished.
    if tuning.stop_rate.hits and not tuning.could_finish.hits:
        yield (
            "No single limit frees any of them: each gate is lifted alone, and several may bind at once. "
            "Raise the limits together."
        )
    for gate in tuning.gates:
        # What is in force may grow with the plan, and what is tried is a number: the curve compares the two.
        if gate.curve and gate.differs:
            low, high = (limit_of(gate.gate, limit) for limit in gate.limits)
            yield (
                f"{gate.gate} now is {low} to {high}, by session: {gate.rule_in_words}. A limit that is written down "
                "holds for all of them, so that fewer may complete under a low one than now."
            )
        if gate.by_few and gate.proposed is not None:
            sessions = plural(gate.worth_freeing, "session")
            yield f"{gate.gate} {limit_of(gate.gate, gate.proposed)} stands on {sessions}: fewer than 5 decide little."
    if tuning.sessions < 30:
        few = plural(tuning.sessions, "session")
        yield f"From only {few}, the true rates may lie anywhere between the figures in brackets (95 % sure)."


def _freed(paper: Paper, tuning: Tuning) -> None:
    """The sessions that recordings solved and a gate stopped, by name."""
    wrong = [(gate, case) for gate in tuning.gates for case in gate.solved]
    if wrong:
        paper.blank()
    for at, (gate, case) in enumerate(wrong[:10]):
        limit = next((one.limit for one in gate.would_finish if one.case == case), None)
        frees = "no limit of it alone frees it" if limit is None else f"{limit_of(gate.gate, limit)} frees it"
        entry(paper, "" if at else "solved", f"{case}: stopped by {gate.gate}, {frees}", style="notice")
    if len(wrong) > 10:
        entry(paper, "", some([case for _, case in wrong[10:]], paper.glyphs.ellipsis, most=4))
