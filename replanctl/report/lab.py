"""What the pages of the lab have in common: how sessions ended, as marks and words, and names without their folders."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import takewhile

from replanctl.lab import Facts
from replanctl.report.html import Html
from replanctl.report.parts import marked
from replanctl.show import grid, words

MARKS = grid.Marks("·", "✓", "◐", "‼", "✗")
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
