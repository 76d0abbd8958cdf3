"""A rehearsal from its files: the plan, and the outcomes and policy that may come from files of their own."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from replanctl.errors import InputError, Problem
from replanctl.files.builder import Hook
from replanctl.files.crosscheck import check_limits, check_step_args, check_values
from replanctl.files.disk import STDIN, STDIN_NAME, exists, read_stream, read_text
from replanctl.files.elsewhere import no_plan_in_json, not_a_plan
from replanctl.files.faults import Names
from replanctl.files.plan import Steps
from replanctl.files.reader import Document, Text, collector_paused, read, refuse
from replanctl.files.recorded import Recorded
from replanctl.files.sections import Role, Sections, plan_of, read_sections, role_of
from replanctl.plan import Plan, Step, Tool
from replanctl.replan import PlannerRule
from replanctl.run import Interruption, Policy
from replanctl.script import OutcomeRule


class Source(msgspec.Struct, frozen=True, gc=False):
    """One file as it was read; `role` is what it is to the rehearsal."""

    name: str
    role: Role
    text: str


class Rehearsal(msgspec.Struct, frozen=True, gc=False):
    """Everything a session starts from. `planner` empty means the template; `sources` are the texts it was read from.

    `expect` is what a test of the rehearsal asks of its result, as it is written; `recorded` says where an imported one
    came from.
    """

    plan: Plan
    policy: Policy = Policy()
    planner: tuple[PlannerRule, ...] = ()
    outcomes: tuple[OutcomeRule, ...] = ()
    interruptions: tuple[Interruption, ...] = ()
    warnings: tuple[Problem, ...] = ()
    sources: tuple[Source, ...] = ()
    expect: dict[str, Any] | None = None
    recorded: Recorded | None = None


def load_plan(path: str | Path) -> Plan:
    """The plan in a file. Raises InputError with everything that is wrong in the file."""
    return parse_rehearsal([Source(str(path), Role.PLAN, read_text(path))]).plan


def load_rehearsal(
    plan: str | Path, *, outcomes: str | Path | None = None, policy: str | Path | None = None, stdin: Any = None
) -> Rehearsal:
    """A rehearsal from files; the plan may be `-`, which reads `stdin`. Raises InputError.

    Without `outcomes`, the file `plan.outcomes.yaml` beside `plan.yaml` is used when it exists.
    """
    return parse_rehearsal(_sources(plan, outcomes, policy, stdin))


def load_policy(path: str | Path) -> Policy:
    """The policy in a file, for plans that it knows nothing of. Raises InputError."""
    document = read(str(path), read_text(path))
    sections = read_sections(document, Role.POLICY, None)
    refuse(document.problems())
    policy: Policy = sections["policy"]
    return policy


def parse_rehearsal(sources: Sequence[Source]) -> Rehearsal:
    """The rehearsal these texts describe, without a look at the disk. Raises InputError."""
    with collector_paused():
        rehearsal, problems = _assemble(sources, Role.PLAN)
    refuse(problems)
    assert rehearsal is not None  # a plan without errors is a plan
    return rehearsal


def read_plan(path: str | Path, *, stdin: Any = None) -> Source:
    """A plan file as it is, or `stdin` for `-`. Raises InputError when it can't be read."""
    return _source(str(path), Role.PLAN, stdin)


def read_outcomes(path: str | Path) -> Source:
    """A file of outcomes as it is, to be parsed beside its plan. Raises InputError when it can't be read."""
    return Source(str(path), Role.OUTCOMES, read_text(path))


def check_plan(path: str | Path, *, stdin: Any = None) -> list[Problem]:
    """Everything wrong or doubtful in a plan file and the outcomes beside it, or in a file of outcomes or a policy."""
    try:
        sources = _sources(path, None, None, stdin)
    except InputError as error:
        return list(error.problems)
    with collector_paused():
        return _assemble(sources, None, thorough=True)[1]


def _sources(plan: str | Path, outcomes: str | Path | None, policy: str | Path | None, stdin: Any) -> list[Source]:
    sources: list[Source] = []
    problems: list[Problem] = []
    if outcomes is None and str(plan) != STDIN:
        outcomes = _beside(Path(plan))
    for name, role in ((plan, Role.PLAN), (outcomes, Role.OUTCOMES), (policy, Role.POLICY)):
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


def _beside(plan: Path) -> Path | None:
    """The file of outcomes that belongs to a plan file, when it exists."""
    for suffix in dict.fromkeys((plan.suffix, ".yaml")) if plan.name else ():  # `.` and `/` have no name
        beside = plan.with_name(f"{plan.stem}.outcomes{suffix}")
        if exists(beside):
            return beside
    return None


def _assemble(
    sources: Sequence[Source], role: Role | None, *, thorough: bool = False
) -> tuple[Rehearsal | None, list[Problem]]:
    """The rehearsal and everything wrong; without a `role`, the first source may be anything that its sections say.

    What takes long to find out and would show when it is run is looked for only where it is to be `thorough`.
    """
    # The plan comes first: what it declares is what the other files are held against.
    first, *others = sources
    document = _read(first, {"steps": Steps()})
    role = role or role_of(document.value)
    names = Names.of(document.value) if role is Role.PLAN else None
    documents = [document]
    sections = read_sections(document, role, names)
    for source in others:
        # A file replaces those of the plan's sections that it has, whole, and leaves the others.
        documents.append(_read(source))
        sections |= read_sections(documents[-1], source.role, names)
    _check_across(documents, sections, names, thorough)
    problems = [problem for each in documents for problem in each.problems()]
    return _rehearsal(sections, sources, problems), problems


def _read(source: Source, hooks: Mapping[str, Hook] | None = None) -> Document:
    """The document in a source; of one that is no file of ours only what it looks like."""
    if fault := no_plan_in_json(source.text, source.name):
        document = Document(source.name, Text(source.text))
        document.refused(fault)
        return document
    document = read(source.name, source.text, hooks)
    if fault := not_a_plan(source.text, document.value, source.name):
        document.refused(fault)
    return document


def _check_across(documents: Sequence[Document], sections: Sections, names: Names | None, thorough: bool) -> None:
    """Hold the sections against each other, each fault in the document whose section is in force."""
    _check_comments(documents, names.every_id if names else ())
    steps, tools = sections.get("steps") or (), sections.get("tools") or {}
    rules, policy = sections.get("outcomes"), sections.get("policy")
    script, limits = _written(documents, "outcomes"), _written(documents, "policy")
    # Rules that could not be read are missing from the list, and the places of those behind them would be wrong.
    if rules and steps and script is not None and len(rules) == len(script.value["outcomes"]):
        script.made(lambda _, at: check_values(steps, tools, rules, at["outcomes"]), names)
    if policy and steps and limits is not None:
        limits.made(lambda _, at: check_limits(len(steps), policy, at["policy"]["gates"]))
    if thorough:
        _check_thoroughly(documents, steps, tools)


def _check_comments(documents: Sequence[Document], known: Collection[str]) -> None:
    for document in documents:
        text = document.text
        if "#" in text.parsed and (document.marked or not document.broken):
            from replanctl.files.syntax import unquoted_references  # a file without comments does not pay for it

            document.note(unquoted_references(text.parsed, text.events, known, ours=document.marked))


def _check_thoroughly(documents: Sequence[Document], steps: Sequence[Step], tools: dict[str, Tool]) -> None:
    expecting = _written(documents, "expect")
    if expecting is not None and isinstance(expecting.value["expect"], dict):
        from replanctl.files.expect import check_expect  # what a result can be is a lot to load for a run

        expecting.made(lambda value, at: check_expect(value["expect"], at["expect"]))
    if steps and len(steps) == len(documents[0].value["steps"]):
        documents[0].made(lambda _, at: check_step_args(steps, tools, at["steps"]))


def _written(documents: Sequence[Document], section: str) -> Document | None:
    """The document whose section of this name is in force: the last that has one."""
    return next((each for each in reversed(documents) if each.has(section)), None)


def _rehearsal(sections: Sections, sources: Sequence[Source], problems: list[Problem]) -> Rehearsal | None:
    plan = plan_of(sections)
    if plan is None or any(problem.severity == "error" for problem in problems):
        return None
    rest = {
        name: sections[name]
        for name in ("policy", "planner", "outcomes", "interruptions", "expect", "recorded")
        if name in sections
    }
    return Rehearsal(plan=plan, warnings=tuple(problems), sources=tuple(sources), **rest)
