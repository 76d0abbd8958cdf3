"""Who rests on something without depending on it: steps by the premises they assume, and by hidden references."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from replanctl.live.cells import Cell
from replanctl.plan import Step, references


class Readers:
    """Two reverse indexes over the steps of a live plan. What has left the plan is passed over when it is read.

    Hidden references are indexed when somebody first asks, then kept up: most sessions never do.
    """

    def __init__(self) -> None:
        self._assuming: dict[str, list[Cell]] = {}
        self._hidden: dict[str, list[Cell]] | None = None

    def add_assuming(self, cell: Cell) -> None:
        """A step entered the plan."""
        for name in cell.step.assumes:
            self._assuming.setdefault(name, []).append(cell)

    def assuming(self, assumptions: Iterable[str]) -> list[Cell]:
        """The steps that rest on one of these assumptions by their own word."""
        asked = dict.fromkeys(assumptions)
        cells = dict.fromkeys(cell for name in asked for cell in self._assuming.get(name, ()) if not cell.gone)
        return [cell for cell in cells if not asked.keys().isdisjoint(cell.step.assumes)]

    def forget(self, assumptions: Iterable[str]) -> None:
        """No open step of the new version rests on these any more."""
        for name in assumptions:
            self._assuming.pop(name, None)

    def hidden(self, id_: str, cells: Mapping[str, Cell]) -> list[Cell]:
        """Steps whose args may name this step although they do not depend on it."""
        if self._hidden is None:
            self._hidden = {}
            self.add_hidden(cells.values())
        return [cell for cell in self._hidden.get(id_, ()) if not cell.gone]

    def add_hidden(self, made: Iterable[Cell]) -> None:
        """Steps entered the plan."""
        if self._hidden is not None:
            for cell in made:
                for name in hidden_names(cell.step):
                    self._hidden.setdefault(name, []).append(cell)


def hidden_names(step: Step) -> set[str]:
    """The steps whose variables a step's args may read although it does not depend on them."""
    if not references.mentions(step.args):
        return set()
    return references.may_mean(step.args).difference(step.depends_on or ())
