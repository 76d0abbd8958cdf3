"""What a command line names to look at: a run, a version, a version of a run (`7`, `v2`, `7:v2`), or a plan's file."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TextIO

import msgspec

from replanctl.errors import UsageError
from replanctl.files import Role, parse_rehearsal, read_plan
from replanctl.host import sound
from replanctl.kinds import StepState
from replanctl.plan import Plan
from replanctl.run import Figures, SessionResult, StepView, VersionView
from replanctl.show import results_kept
from replanctl.store import Store

_POINT = re.compile(r"(?:([1-9][0-9]{0,17})(?::(v[1-9][0-9]{0,17}))?|(v[1-9][0-9]{0,17}))")


class Point(msgspec.Struct, frozen=True):
    """What was named; `run` None is the latest, `version` None whatever the verb takes by default."""

    run: int | None = None
    version: str | None = None


def point(text: str) -> Point:
    """`7`, `v2` or `7:v2`; raises ValueError for anything else."""
    found = _POINT.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} is not a run (7), a version (v2) or a version of a run (7:v2)")
    return Point(int(found[1]) if found[1] else None, found[2] or found[3])


def version(text: str) -> str:
    """`v2` or `2` as `v2`; raises ValueError for anything else."""
    named = text if text.startswith("v") else f"v{text}"
    if _POINT.fullmatch(named) is None:
        raise ValueError(f"{text!r} is not a version: v2 or 2")
    return named


def no_version(run: int | None, wanted: str | None, versions: Sequence[str]) -> UsageError:
    """A run has no version of this name, or none at all; `versions` are those that it has."""
    last = versions[-1] if versions else "none"
    return UsageError(f"run {run} has no version {wanted or 'yet'}", hint=f"its last one is {last}")


class Whole(msgspec.Struct, frozen=True):
    """A run as a whole: its number, the file of its plan, where that is known, and what it came to."""

    run: int
    plan: str | None
    figures: Figures


class Operand(msgspec.Struct, frozen=True):
    """One side of a comparison; `version` is None for a plan file, `message` what the failure said that led to it,
    `replaced` the step that each one of its run stands for, by id, `kept` the steps whose results were kept, and
    `whole` the run, where it was named by its number alone."""

    name: str
    steps: tuple[StepView, ...]
    version: VersionView | None = None
    run: int | None = None
    message: str = ""
    replaced: Mapping[str, str] = {}
    kept: frozenset[str] = frozenset()
    whole: Whole | None = None

    def since(self, old: Operand) -> tuple[StepView, ...]:
        """The steps, each new one with the ancestor that stands in an earlier version of the same run, if one does."""
        if self.run is None or self.run != old.run:
            return self.steps
        # Between versions that are not neighbours a step may have been replaced twice: what it stands for is the
        # ancestor that the old side still has.
        there = {step.id for step in old.steps}
        return tuple(
            step if step.id in there else msgspec.structs.replace(step, replaces=self._ancestor(step, there))
            for step in self.steps
        )

    def _ancestor(self, step: StepView, there: Container[str]) -> str | None:
        before = step.replaces
        while before is not None and before not in there:
            before = self.replaced.get(before)
        return before


class Operands:
    """Finds what is named: `v1` (of `run`, else of the latest), `7:v2`, `7` for its last version, or a plan file."""

    def __init__(self, folder: Path, run: int | None, stdin: TextIO) -> None:
        self._folder = folder
        self._run = run
        self._stdin = stdin
        # Both sides are mostly of one run, which is read once.
        self._result = cache(self._load)

    def find(self, name: str) -> Operand:
        """The version or plan file of this name. Raises UsageError for a version that is not there, InputError."""
        try:
            where = point(name)
        except ValueError:
            return Operand(name, _steps(parse_rehearsal([read_plan(name, stdin=self._stdin)]).plan))
        return self._version(name, where)

    def _version(self, name: str, where: Point) -> Operand:
        number, plan, result = self._result(where.run or self._run)
        last = result.versions[-1].version if result.versions else "none"
        for version in result.versions:
            if version.version == (where.version or last):
                name = name if where.version else f"{name}:{last}"
                message, replaced = _message(result, version), _replaced(result)
                kept = frozenset(results_kept(result, version))
                whole = None if where.version else Whole(number, plan, Figures.of(result))
                return Operand(name, version.steps, version, result.run, message, replaced, kept, whole)
        raise no_version(result.run, where.version, [version.version for version in result.versions])

    def _load(self, run: int | None) -> tuple[int, str | None, SessionResult]:
        with Store.open(self._folder) as store:
            named = store.latest().run if run is None else run
            with sound(self._folder, named):
                plans = (source.name for source in store.inputs(named).sources if source.role == Role.PLAN)
                return named, next(plans, None), store.result(named)


def _replaced(result: SessionResult) -> dict[str, str]:
    steps = (step for version in result.versions for step in version.steps)
    return {step.id: step.replaces for step in steps if step.replaces is not None}


def _message(result: SessionResult, version: VersionView) -> str:
    causes = {f"{s.error_type}@{s.step_id}": s.error_msg for s in result.signals if s.version == version.parent}
    return causes.get(version.cause, "")


def _steps(plan: Plan) -> tuple[StepView, ...]:
    """A plan's steps as a stored version holds them."""
    return tuple(
        StepView(
            step.id,
            step.action,
            step.tool,
            step.args,
            step.expected_outcome,
            step.depends_on or (),
            step.assumes,
            StepState.PENDING,
            None,
        )
        for step in plan.steps
    )
