"""The texts that a rehearsal is read from: which files belong together, and how they are found and read.

A plan has outcomes beside it, scenarios in files named after it, and files of outcomes that name it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from replanctl.errors import InputError, Problem
from replanctl.files.disk import STDIN, STDIN_NAME, SUFFIXES, exists, read_stream, read_text
from replanctl.files.faults import Fault
from replanctl.files.reader import read, refuse
from replanctl.files.sections import Role, role_of

Named = tuple[str | Path | None, Role]
_OUTCOMES = ".outcomes"
_SAYS_PLAN = re.compile(r"""^(?:\{\s*)?["']?plan["']?[ \t]*:""", re.MULTILINE)


class Source(msgspec.Struct, frozen=True, gc=False):
    """One file as it was read; `role` is what it is to the rehearsal."""

    name: str
    role: Role
    text: str


def read_plan(path: str | Path, *, stdin: Any = None) -> Source:
    """A plan file as it is, or `stdin` for `-`. Raises InputError when it can't be read."""
    return _source(str(path), Role.PLAN, stdin)


def read_outcomes(path: str | Path) -> Source:
    """A file of outcomes as it is, to be parsed beside its plan. Raises InputError when it can't be read."""
    return Source(str(path), Role.OUTCOMES, read_text(path))


def sources_of(
    plan: str | Path,
    *,
    outcomes: str | Path | None = None,
    policy: str | Path | None = None,
    scenario: str | None = None,
    stdin: Any = None,
) -> list[Source]:
    """What a run of this plan, or of the plan that this file of outcomes belongs to, reads. Raises InputError."""
    if outcomes is None and str(plan) != STDIN and (home := home_of(plan)) is not None:
        if home.named:
            _check_named(plan, home.plan)
        outcomes, scenario = plan if home.named else None, scenario or home.scenario
        plan = home.plan
    known = str(plan) != STDIN
    found = beside(Path(plan)) if known and (outcomes is None or scenario is not None) else None
    own = scenario_files(Path(plan)).get(scenario) if known and scenario is not None else None
    named = ((found, Role.BESIDE), (own, Role.SCENARIO_FILE), (outcomes, Role.OUTCOMES), (policy, Role.POLICY))
    sources = read_all(((plan, Role.PLAN), *named), stdin)
    return [*sources, *([] if scenario is None else [Source(scenario, Role.SCENARIO, "")])]


def whole_of(path: str | Path, stdin: Any = None) -> list[Source]:
    """A file with everything that belongs to it: all its scenarios too. Raises InputError."""
    sources = sources_of(path, stdin=stdin)
    if str(path) == STDIN or (len(sources) > 1 and sources[-1].role in (Role.OUTCOMES, Role.SCENARIO)):
        return sources
    files = read_all([(each, Role.SCENARIO_FILE) for each in scenario_files(Path(sources[0].name)).values()])
    return [*sources, *files]


def _check_named(outcomes: str | Path, plan: Path) -> None:
    """A plan that a file of outcomes names can be read; where not, the file says so where it names it."""
    try:
        read_text(plan)
    except InputError as error:
        (problem,) = error.problems
        if problem.line:  # it is there, and what is wrong has a place in it
            raise
        document = read(str(outcomes), read_text(outcomes))
        said = problem.message if problem.message.startswith("can't") else f"can't be read: {problem.message}"
        why = f"the plan {document.value['plan']} {said}"
        document.note([Fault(problem.rule, why, problem.hint, path=("plan",))])
        raise InputError(document.problems()) from None


def read_all(named: Iterable[Named], stdin: Any = None) -> list[Source]:
    """The texts of these files, of those that are named at all. Raises InputError with all that can't be read."""
    sources: list[Source] = []
    problems: list[Problem] = []
    for name, role in named:
        if name is None:
            continue
        try:
            sources.append(_source(str(name), role, stdin))
        except InputError as error:
            problems.extend(error.problems)
    refuse(problems)
    return sources


def _source(name: str, role: Role, stdin: Any) -> Source:
    if name == STDIN and stdin is not None:
        return Source(STDIN_NAME, role, read_stream(stdin))
    return Source(name, role, read_text(name))


def only(sources: Iterable[Source], scenario: str | None) -> Iterator[Source]:
    """Of everything that belongs to a plan, what a run of this scenario, or of the plan's own script, reads."""
    sources = list(sources)
    plan = sources[0]
    for source in sources:
        if source.role is not Role.SCENARIO_FILE or scenario_in(source.name, plan.name) == scenario:
            yield source
    if scenario is not None:
        yield Source(scenario, Role.SCENARIO, "")


def scenario_in(name: str, plan: str) -> str:
    """Which scenario of a plan a file is, by their names."""
    return Path(name).stem.removesuffix(".outcomes").removeprefix(f"{Path(plan).stem}.")


# -- which files belong together --------------------------------------------------------------------------------------


# Files find each other by their names, so that a plan and its outcomes can be sent, copied and renamed as a pair. Where
# a file of outcomes stands elsewhere it names its plan, and that counts before its own name does.
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
            return Home(plan, scenario or None) if not scenario or _names_a_scenario(scenario) else None
        # From the longest name to the shortest: `a.b.outcomes.yaml` is that of the plan `a.b`, and a scenario of `a`
        # only where there is no such plan.
        stem, _, last = stem.rpartition(".")
        scenario = f"{last}.{scenario}" if scenario else last
    return None


def _names_a_scenario(text: str) -> bool:
    from replanctl.files.scenarios import is_scenario_name

    return is_scenario_name(text)


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
