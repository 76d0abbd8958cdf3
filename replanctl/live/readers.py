"""Which ids a text is read with, and who rests on something without depending on it: steps by the premises they assume,
and by hidden references."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping

from replanctl.live.cells import Cell, Reading
from replanctl.plan import Step, references


class Ids(dict[str, int]):
    """Every id ever used, and the version it was born in."""

    def __init__(self) -> None:
        super().__init__()
        self._youngest = 0  # the last version that brought an id

    def begin(self, ids: Iterable[str], version: int) -> None:
        """These are the ids of a first version."""
        self.update(dict.fromkeys(ids, version))
        self._youngest = version

    def add(self, id_: str, version: int) -> None:
        """A step of this id is in this version; only the first of its name is a birth."""
        if id_ not in self:
            self[id_] = self._youngest = version

    def read(self, reading: Reading) -> Container[str]:
        """The ids that are references in a text."""
        return self if reading.upto >= self._youngest else Known(self, reading)


class Known:
    """The ids of one reading, looked up among all and the versions they were born in."""

    def __init__(self, known: Mapping[str, int], reading: Reading) -> None:
        self._known, self._reading = known, reading

    def __contains__(self, id_: object) -> bool:
        if id_ in self._reading.also:
            return True
        return isinstance(id_, str) and self._known.get(id_, self._reading.upto + 1) <= self._reading.upto


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
        found = self._hidden.get(id_)
        return [cell for cell in found if not cell.gone] if found else []

    def add_hidden(self, made: Iterable[Cell]) -> None:
        """Steps entered the plan."""
        if self._hidden is not None:
            for cell in made:
                step = cell.step
                if step.alternatives or references.mentions(step.args):
                    for name in hidden_names(step):
                        self._hidden.setdefault(name, []).append(cell)


def hidden_names(step: Step) -> set[str]:
    """The steps whose variables a step's args, or those of its alternatives, may read although it does not depend on
    them."""
    from replanctl.plan import texts_of

    texts = list(texts_of(step)) if step.alternatives else step.args
    return references.may_mean(texts).difference(step.depends_on or ())
