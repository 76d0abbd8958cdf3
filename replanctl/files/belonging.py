"""Which files belong together: a plan, outcomes beside it, its scenarios, files that name their plan."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from replanctl.errors import InputError
from replanctl.files.disk import SUFFIXES, exists, read_text
from replanctl.files.reader import read
from replanctl.files.scenarios import is_scenario_name
from replanctl.files.sections import Role, role_of

_OUTCOMES = ".outcomes"
_SAYS_PLAN = re.compile(r"""^(?:\{\s*)?["']?plan["']?[ \t]*:""", re.MULTILINE)


class Home(msgspec.Struct, frozen=True):
    """The plan that a file of outcomes belongs to, and what it is to that plan.

    `scenario` is the one that the file is; `named` means that the file says itself which plan it is of.
    """

    plan: Path
    scenario: str | None = None
    named: bool = False


def beside(plan: Path) -> Path | None:
    """The file of outcomes that belongs to a plan file, when it exists."""
    for suffix in dict.fromkeys((plan.suffix, ".yaml")) if plan.name else ():  # `.` and `/` have no name
        found = plan.with_name(f"{plan.stem}{_OUTCOMES}{suffix}")
        if exists(found):
            return found
    return None


def belongings(plan: Path) -> list[Path]:
    """A plan's file, the outcomes beside it, and the files that are scenarios of it."""
    found = beside(plan)
    return [plan, *([] if found is None else [found]), *scenario_files(plan).values()]


def scenario_files(plan: Path) -> dict[str, Path]:
    """The files beside a plan that are a scenario of it, by the scenario's name, in the order of the names."""
    if not plan.name:
        return {}
    found: dict[str, Path] = {}
    for path in _siblings(plan):
        home = named_after(path)
        if home is not None and home.scenario is not None and home.plan == plan:
            found.setdefault(home.scenario, path)
    return found


def _siblings(plan: Path) -> list[Path]:
    """The files whose names go on behind the plan's own."""
    try:
        return sorted(path for path in plan.parent.iterdir() if path.name.startswith(f"{plan.stem}."))
    except (OSError, ValueError):
        return []


def named_after(path: Path) -> Home | None:
    """The plan that a file of outcomes is named after: `X.outcomes.yaml` after X, `X.NAME.outcomes.yaml` too, as its
    scenario NAME. Of several plans that fit the one with the longest name counts."""
    stem = path.stem.removesuffix(_OUTCOMES)
    if stem == path.stem or path.suffix not in SUFFIXES:
        return None
    scenario = ""
    while stem:
        if plan := _plan(path, stem):
            return Home(plan, scenario or None) if not scenario or is_scenario_name(scenario) else None
        stem, _, last = stem.rpartition(".")
        scenario = f"{last}.{scenario}" if scenario else last
    return None


def _plan(path: Path, stem: str) -> Path | None:
    names = (path.with_name(f"{stem}{suffix}") for suffix in dict.fromkeys((path.suffix, *SUFFIXES)))
    return next((each for each in names if exists(each)), None)


def home_of(path: str | Path) -> Home | None:
    """The plan that a file of outcomes belongs to: the one it names with `plan:`, else the one it is named after; None
    for any other file, and for one that can't be read."""
    try:
        text = read_text(path)
    except InputError:
        return None
    if _SAYS_PLAN.search(text):
        value = read(str(path), text).value
        if role_of(value) is Role.OUTCOMES and isinstance(named := value.get("plan"), str):
            return Home(Path(path).parent / named, named=True)
    return named_after(Path(path))
