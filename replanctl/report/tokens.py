"""What it took, in tokens: sums by kind as bars, and every booking."""

from __future__ import annotations

from replanctl.kinds import LedgerKind
from replanctl.report.html import Html, joined, tag
from replanctl.report.parts import Section, Stretch, bar, paragraph, table
from replanctl.run import LedgerLine, SessionResult
from replanctl.show import ledger, words


def section(result: SessionResult) -> Section | None:
    """The sums and the ledger."""
    lines = result.ledger.lines
    if not lines:
        return None
    heads = ("Version", "Step", "Kind", "Estimated", "Booked")
    booked = table("Every booking, in order", heads, [_line(line) for line in lines], numbers=heads[3:])
    total = paragraph(tag("strong", ledger.totals_line(result)))
    return Section("tokens", "Tokens", joined([total, _sums(lines), booked]))


def _line(line: LedgerLine) -> list[str]:
    kind = f"{line.kind}, {line.granularity}" if line.granularity else str(line.kind)
    return [line.version, line.step_id or "none", kind, words.number(line.estimated), words.number(line.booked)]


def _sums(lines: tuple[LedgerLine, ...]) -> Html:
    sums: dict[LedgerKind, int] = {}
    for line in lines:
        sums[line.kind] = sums.get(line.kind, 0) + line.booked
    most = max(sums.values())
    rows = [
        [str(kind), "main flow" if kind.is_main else "remedy", words.number(tokens), _share(kind, tokens, most)]
        for kind, tokens in sums.items()
    ]
    heads = ("Kind", "Part of", "Tokens", "Against the largest")
    return table("Tokens by kind: filled bars are the main flow, hollow ones remedy", heads, rows, numbers=("Tokens",))


def _share(kind: LedgerKind, tokens: int, most: int) -> Html:
    said = words.plural(tokens, "token")
    return bar([Stretch(0, tokens, "done" if kind.is_main else "failed")] if tokens else [], most, said)
