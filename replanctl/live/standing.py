"""Which step each new one of a draft stands for: decided by what it does before where it stands.

Lineage, breaker, ladder, `require` and references follow from it. Each new and each old step is used once. The rules
are asked in order, each over the whole draft, and after each find again from the second: what a step stands for settles
what a reference to it means, and so may make two calls the same.

1. it says so: `replaces`
2. the same action, tool and args as a step that goes, or as an open one that is kept: that one, listed again
3. the same action and tool as one that goes
4. its local name is the id of one that goes
5. the same tool as one that goes (under `patch` from the last step backwards)

At last, where nothing stands for the failed step, one that is left over does: under `patch` the last, since kept steps
read what it delivers, else the first.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Hashable, Iterable, Mapping, Sequence
from heapq import heappop, heappush
from typing import Any

import msgspec

from replanctl.live.cells import Cell, is_required
from replanctl.plan import Step, exact, references

Call = tuple[str, str, bytes]  # action, tool, args
Kept = Callable[[Call], Iterable[Cell]]


class New(msgspec.Struct, frozen=True, gc=False):
    """A new step as drafted: its references by the id they name, to an old step or to a new one of the draft."""

    step: Step
    reads_old: Mapping[str, str] = {}
    reads_new: Mapping[str, str] = {}


class Standing(msgspec.Struct):
    """What was found, by the new steps' ids in the draft: the old step each stands for, the kept step it is, the
    steps left over in the draft's order, and what is wrong with what they say they replace."""

    stands: dict[str, str]
    kept: dict[str, Cell]
    left: tuple[Step, ...] = ()
    faults: tuple[str, ...] = ()


def stand(
    new: Sequence[New],
    going: Sequence[Cell],
    *,
    failed: Cell | None,
    known: Container[str],
    kept: Kept | None = None,
    patch: bool = False,
) -> Standing:
    """Which of the steps that go (in list order) each new one stands for.

    `kept` finds the open steps that stay by their call, where the granularity keeps any; `known` are the ids that are
    references in the draft.
    """
    return _Matching(new, going, failed, known, kept, patch).standing()


class _Rule(msgspec.Struct, frozen=True):
    """One rule by what it compares: of a new step, and of one that goes."""

    of_new: Callable[[Step], Hashable]
    of_old: Callable[[Step], Hashable]
    may_turn: bool = False  # asked from the last step backwards under `patch`


def _work(step: Step) -> Hashable:
    return step.action, step.tool_name


def _name(step: Step) -> Hashable:
    return step.id


def _tool(step: Step) -> Hashable:
    return step.tool_name


# The rules behind the second, in order: the same work says most of what a step stands for, an id that is used again
# says less, and the tool alone is no more than a guess.
_RULES = (_Rule(_work, _work), _Rule(_name, _name), _Rule(_tool, _tool, may_turn=True))


def is_written(action: str, tool: str) -> bool:
    """Whether an action says more than the tool's name, which it defaults to."""
    return action != tool


class _Matching:
    def __init__(
        self,
        new: Sequence[New],
        going: Sequence[Cell],
        failed: Cell | None,
        known: Container[str],
        kept: Kept | None,
        patch: bool,
    ) -> None:
        self.new, self.failed, self.known, self.kept, self.patch = new, failed, known, kept, patch
        first = sorted(going, key=lambda cell: cell is not failed)  # the failed one comes first, then list order
        self.free = {cell.step.id: cell for cell in first}
        self.strict = any(map(is_required, first))
        self.found = Standing({}, {})
        self.again: set[str] = set()  # kept steps that are listed again
        self.waiting: dict[str, list[int]] = {}  # by a new step: the places of those that read it
        self.ready: list[int] = []  # places of steps whose references are settled, to be asked the second rule
        self.at = [0] * len(_RULES)  # how far each rule has come: what it did not find once it never will
        self.indexes: list[dict[Hashable, list[Cell]] | None] = [None] * len(_RULES)
        self.calls: dict[Call, list[Cell]] | None = None

    def standing(self) -> Standing:
        self._as_they_say()
        if len(self.found.stands) < len(self.new):
            for place, new in enumerate(self.new):
                for other in set(new.reads_new.values()):
                    self.waiting.setdefault(other, []).append(place)
                self._settle(place)
            while self._by_call() or any(map(self._by_rule, range(len(_RULES)))):
                pass
            self._for_the_failed()
        self.found.left = tuple(new.step for new in self._left())
        return self.found

    def _left(self) -> list[New]:
        return [new for new in self.new if not self._has_place(new.step.id)]

    def _has_place(self, local: str) -> bool:
        return local in self.found.stands or local in self.found.kept

    def _take(self, new: New, old: Cell) -> None:
        local, id_ = new.step.id, old.step.id
        if self.free.pop(id_, None) is None:
            self.found.kept[local] = old
            self.again.add(id_)
        else:
            self.found.stands[local] = id_
        for place in self.waiting.get(local, ()):
            self._settle(place)

    # -- 1: as they say ---------------------------------------------------------------------------------------------

    def _as_they_say(self) -> None:
        faults = []
        for new in self.new:
            says = new.step.replaces
            if says is None:
                continue
            if (old := self.free.get(says)) is not None:
                self._take(new, old)
            else:
                faults.append(f"step {new.step.id} replaces {says}, which does not go, or is replaced already")
        self.found.faults = tuple(faults)

    # -- 2: the same call, with references that mean the same ---------------------------------------------------------

    def _settle(self, place: int) -> None:
        """The step is asked the second rule once everything it reads has a place."""
        new = self.new[place]
        if not self._has_place(new.step.id) and all(map(self._has_place, new.reads_new.values())):
            heappush(self.ready, place)
            if self.strict:  # now that its args can be compared it may count for a required step
                self._ask_again(place)

    def _ask_again(self, place: int) -> None:
        for number, rule in enumerate(_RULES):
            self.at[number] = min(self.at[number], len(self.new) - 1 - place if self._turns(rule) else place)

    def _by_call(self) -> bool:
        while self.ready:
            new = self.new[heappop(self.ready)]
            if not self._has_place(new.step.id) and (old := self._same_call(new)) is not None:
                self._take(new, old)
                return True
        return False

    def _same_call(self, new: New) -> Cell | None:
        if self.calls is None:
            self.calls = {}
            for cell in reversed(self.free.values()):
                step = cell.step
                self.calls.setdefault((step.action, step.tool_name, exact(step.args)), []).append(cell)
        call = (new.step.action, new.step.tool_name, exact(self._args(new)))
        kept = self.kept(call) if self.kept is not None else ()
        alike = [cell for cell in kept if cell.step.id not in self.again]
        if (going := self._first(self.calls.get(call), new)) is not None:
            alike.append(going)
        return min(alike, key=lambda cell: (cell is not self.failed, cell.place), default=None)

    def _args(self, new: New) -> dict[str, Any]:
        """A step's args with each reference to the old step that the named one stands for."""
        if not new.reads_old and not new.reads_new:
            return new.step.args
        stands, kept = self.found.stands, self.found.kept
        names = {id_: stands.get(local) or kept[local].step.id for id_, local in new.reads_new.items()}
        args: dict[str, Any] = references.rename(new.step.args, self.known, {**new.reads_old, **names})
        return args

    # -- 3 to 5: one after the other ----------------------------------------------------------------------------------

    def _turns(self, rule: _Rule) -> bool:
        return rule.may_turn and self.patch

    def _by_rule(self, number: int) -> bool:
        rule, last = _RULES[number], len(self.new) - 1
        index = self._index(number)
        for at in range(self.at[number], last + 1):
            new = self.new[last - at if self._turns(rule) else at]
            if self._has_place(new.step.id):
                continue
            if (old := self._first(index.get(rule.of_new(new.step)), new)) is not None:
                self.at[number] = at + 1
                self._take(new, old)
                return True
        self.at[number] = last + 1
        return False

    def _index(self, number: int) -> dict[Hashable, list[Cell]]:
        index = self.indexes[number]
        if index is None:
            index = self.indexes[number] = {}
            for cell in reversed(self.free.values()):
                index.setdefault(_RULES[number].of_old(cell.step), []).append(cell)
        return index

    def _first(self, cells: list[Cell] | None, new: New) -> Cell | None:
        """The first of these (they are listed backwards) that still has no successor."""
        while cells and cells[-1].step.id not in self.free:
            cells.pop()
        for cell in reversed(cells or ()):
            if cell.step.id in self.free and self._counts(new, cell):
                return cell
        return None

    def _counts(self, new: New, old: Cell) -> bool:
        """For a required step only its own id counts, and what does its work: the same tool, with its action or its
        args."""
        step = old.step
        if not is_required(old) or new.step.id == step.id:
            return True
        if new.step.tool_name != step.tool_name:
            return False
        if new.step.action == step.action and is_written(step.action, step.tool_name):
            return True
        settled = all(map(self._has_place, new.reads_new.values()))
        return bool(step.args) and settled and exact(self._args(new)) == exact(step.args)

    # -- at last ----------------------------------------------------------------------------------------------------

    def _for_the_failed(self) -> None:
        failed = self.failed
        if failed is None or failed.step.id not in self.free:
            return
        if (left := self._left()) and not is_required(failed):
            self._take(left[-1 if self.patch else 0], failed)
