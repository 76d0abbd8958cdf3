"""The texts that a rehearsal is read from, found and read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from replanctl.errors import InputError, Problem
from replanctl.files.belonging import beside, home_of, scenario_files
from replanctl.files.disk import STDIN, STDIN_NAME, read_stream, read_text
from replanctl.files.reader import refuse
from replanctl.files.sections import Role

Named = tuple[str | Path | None, Role]


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
