"""What it took, in tokens: main flow against remedy, and every replan's estimate against its booking."""

from __future__ import annotations

from collections.abc import Iterable

from replanctl.run import LedgerLine, SessionResult
from replanctl.show.paper import Paper, Span
from replanctl.show.section import entry
from replanctl.show.words import number, percent, plural

MAIN_KINDS = ("planning", "execution")
REPLANS_SHOWN = 6
NARROW = 56  # columns below which a booking is told in lines of its own
BESIDE_BAR = 31  # columns of a bar's line before the kinds, without the bar


def section(paper: Paper, result: SessionResult) -> None:
    """Two bars and a line for each replan."""
    totals = result.ledger.totals
    sums = _sums(result.ledger.lines)
    main, remedy = (
        ", ".join(f"{kind} {number(sum_)}" for kind, sum_ in sums.items() if (kind in MAIN_KINDS) is of_main)
        for of_main in (True, False)
    )
    # Both bars are drawn to one scale: their lengths are to be compared.
    bar = max(min(paper.width - BESIDE_BAR - max(len(main), len(remedy)), 24), 6)
    widest = max(totals.main, totals.remedy, 1)
    for label, name, tokens, kinds in (("tokens", "main", totals.main, main), ("", "remedy", totals.remedy, remedy)):
        drawing = Span(paper.pad(paper.glyphs.full * round(bar * tokens / widest), bar), name)
        entry(paper, label, f"{name:<8}", drawing, f" {number(tokens):>7}  ", Span(kinds, "dim"))
    _replans(paper, [line for line in result.ledger.lines if line.kind == "replan"])


def _replans(paper: Paper, lines: list[LedgerLine]) -> None:
    for line in lines[:REPLANS_SHOWN]:
        entry(paper, "", f"{'replan':<8}", replan_in_words(line))
    if len(lines) > REPLANS_SHOWN:
        entry(paper, "", f"{'':<8}", f"{paper.glyphs.ellipsis} {plural(len(lines) - REPLANS_SHOWN, 'more replan')}")


def replan_in_words(line: LedgerLine) -> str:
    """`tail of v1 at step 3: 530, as estimated`."""
    where = f" at step {line.step_id}" if line.step_id is not None else ""
    kept = line.booked == line.estimated
    estimate = "as estimated" if kept else f"{number(line.estimated)} were estimated"
    return f"{line.granularity} of {line.version}{where}: {number(line.booked)}, {estimate}"


def _sums(lines: Iterable[LedgerLine]) -> dict[str, int]:
    sums: dict[str, int] = {}
    for line in lines:
        sums[line.kind] = sums.get(line.kind, 0) + line.booked
    return sums


def view(paper: Paper, result: SessionResult) -> None:
    """Every booking in order, and the totals."""
    paper.hold()
    if paper.width < NARROW:
        paper.stacked(
            ("version", "step", "", "estimated", "booked"),
            [_booking(line, paper) for line in result.ledger.lines],
        )
        paper.line(Span(totals_line(result), "strong"), indent=2)
        paper.flush()
        return
    ids = min(max([4, *(len(line.step_id or "") for line in result.ledger.lines)]), max(paper.width // 4, 4))
    paper.line(Span(f"{'version':<8} {'step':<{ids}} {'kind':<14} {'estimated':>9} {'booked':>9}", "label"), indent=2)
    for line in result.ledger.lines:
        version, step, kind, estimated, booked = _booking(line, paper)
        paper.line(f"{version:<8} {paper.cell(step, ids)} {kind:<14} {estimated:>9} {booked:>9}", indent=2)
    paper.line(Span(totals_line(result), "strong"), indent=2)
    paper.flush()


def _booking(line: LedgerLine, paper: Paper) -> list[str]:
    kind = f"{line.kind} {line.granularity}" if line.granularity else str(line.kind)
    return [line.version, line.step_id or paper.glyphs.dash, kind, number(line.estimated), number(line.booked)]


def totals_line(result: SessionResult) -> str:
    """The sums of a ledger as a sentence."""
    totals = result.ledger.totals
    if not totals.remedy:
        return f"{number(totals.all)} tokens, all of them for the plan as it was meant."
    return (
        f"{number(totals.all)} tokens: {number(totals.main)} for the plan as it was meant, {number(totals.remedy)} "
        f"({percent(totals.ratio)} as much) to recover from failures."
    )
