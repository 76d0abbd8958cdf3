"""What `diff` compares: a version of a stored run, or the plan in a file."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import msgspec

from replanctl.errors import UsageError
from replanctl.files import load_plan
from replanctl.plan.model import Plan, StepState
from replanctl.run.result import SessionResult, StepView, VersionView
from replanctl.store import Store

_VERSION = re.compile(r"(?:([0-9]{1,18}):)?(v[0-9]{1,18})")


class Operand(msgspec.Struct, frozen=True):
    """One side of a comparison; `version` is None for a plan file, `message` what the failure said that led to it."""

    name: str
    steps: tuple[StepView, ...]
    version: VersionView | None = None
    message: str = ""


class Operands:
    """Finds what is named: `v1` in the run `run` (else the latest), `7:v2` in run 7, else a plan file."""

    def __init__(self, folder: Path, run: int | None) -> None:
        self._folder = folder
        self._run = run
        self._result = cache(self._load)

    def find(self, name: str) -> Operand:
        """The operand of this name. Raises UsageError where a run has no such version."""
        if not (found := _VERSION.fullmatch(name)):
            return Operand(name, _steps(load_plan(name)))
        result = self._result(int(found[1]) if found[1] else self._run)
        for version in result.versions:
            if version.version == found[2]:
                return Operand(name, version.steps, version, _message(result, version))
        last = result.versions[-1].version if result.versions else "none"
        raise UsageError(f"run {result.run} has no version {found[2]}", hint=f"its last one is {last}")

    def _load(self, run: int | None) -> SessionResult:
        with Store.open(self._folder) as store:
            return store.result(store.latest().run if run is None else run)


def _message(result: SessionResult, version: VersionView) -> str:
    causes = {f"{s.error_type}@{s.step_id}": s.error_msg for s in result.signals if s.version == version.parent}
    return causes.get(version.cause, "")


def _steps(plan: Plan) -> tuple[StepView, ...]:
    """A plan's steps as a stored version holds them."""
    return tuple(
        StepView(
            step.id, step.action, step.tool, step.args, step.depends_on or (), step.assumes, StepState.PENDING, None
        )
        for step in plan.steps
    )
