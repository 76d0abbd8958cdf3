"""A rehearsal from its files: the plan, and the outcomes, scenarios and policy that may be files of their own."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from replanctl.errors import InputError, Problem
from replanctl.files.builder import Hook
from replanctl.files.disk import STDIN, read_text
from replanctl.files.elsewhere import no_plan_in_json, not_a_plan
from replanctl.files.faults import Fault, Names
from replanctl.files.layers import Layer, Layers, layers_of
from replanctl.files.plan import Steps
from replanctl.files.reader import Document, Text, collector_paused, read, refuse
from replanctl.files.sections import Role, Sections, plan_of, read_sections, role_of
from replanctl.files.sources import Source, home_of, only, scenario_files, sources_of, whole_of
from replanctl.plan import Plan, Step, Tool
from replanctl.run import Policy

if TYPE_CHECKING:
    from replanctl.files.recorded import Recorded
    from replanctl.replan import PlannerRule
    from replanctl.run import Interruption
    from replanctl.script import OutcomeRule


class Rehearsal(msgspec.Struct, frozen=True, gc=False):
    """Everything a session starts from. `planner` empty means the template; `sources` are the texts it was read from.

    `expect` is what a test of the rehearsal asks of its result, as it is written; `recorded` says where an imported one
    came from. `scenario` is the one in force, `scenarios` are the names of those that the texts hold.
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
    scenario: str | None = None
    scenarios: tuple[str, ...] = ()


def load_plan(path: str | Path) -> Plan:
    """The plan in a file. Raises InputError with everything that is wrong in the file."""
    return parse_rehearsal([Source(str(path), Role.PLAN, read_text(path))]).plan


def load_rehearsal(
    plan: str | Path,
    *,
    outcomes: str | Path | None = None,
    policy: str | Path | None = None,
    scenario: str | None = None,
    stdin: Any = None,
) -> Rehearsal:
    """A rehearsal from files; the plan may be `-`, which reads `stdin`, or a file of outcomes that belongs to a plan.

    Without `outcomes`, the file `plan.outcomes.yaml` beside `plan.yaml` is used when it exists. Raises InputError, and
    UsageError where the plan has no such `scenario`.
    """
    sources = sources_of(plan, outcomes=outcomes, policy=policy, scenario=scenario, stdin=stdin)
    known = scenario_files(Path(sources[0].name)) if scenario is not None and str(plan) != STDIN else ()
    return _parsed(sources, known)


def load_rehearsals(path: str | Path) -> list[Rehearsal]:
    """A plan under its own script and under each of its scenarios; of a file of outcomes what it holds itself.

    Raises InputError with everything that is wrong in any of them.
    """
    sources = whole_of(path)
    first = parse_rehearsal(sources)
    if first.scenario is not None:
        return [first]
    own = _in_own_file(first) if sources[-1].role is Role.OUTCOMES else first.scenarios
    return [parse_rehearsal([*only(sources, None)]), *(parse_rehearsal([*only(sources, name)]) for name in own)]


def place_of_expect(rehearsal: Rehearsal) -> tuple[Source, tuple[str, ...]] | None:
    """The text in which what is expected of a rehearsal is written, and where in it; None where nothing is."""
    name = rehearsal.scenario
    # From the last source back, as a later one is laid over those before it: the first that is met is in force.
    for source in reversed(rehearsal.sources):
        value = read(source.name, source.text).value if source.text else None
        if not isinstance(value, dict):
            continue
        if (name is None or source.role is Role.SCENARIO_FILE) and value.get("expect") is not None:
            return source, ("expect",)
        section = value.get("scenarios") if name is not None else None
        if isinstance(section, dict) and isinstance(section.get(name), dict) and "expect" in section[name]:
            return source, ("scenarios", str(name), "expect")
    return None


def line_of(source: Source, path: tuple[str | int, ...]) -> int:
    """The line that the value at this path of a text begins in, or what it is part of."""
    from replanctl.files.places import Lines, Places

    text = Text(source.text)
    return Lines(text.written, text.place).place(text.place(Places(text.events(), [path]).find(path)))[0]


def _in_own_file(rehearsal: Rehearsal) -> Iterable[str]:
    """The scenarios of a file that names its plan, without those of the plan."""
    plan = parse_rehearsal([each for each in rehearsal.sources if each.role is not Role.OUTCOMES])
    return [name for name in rehearsal.scenarios if name not in plan.scenarios]


def load_policy(path: str | Path) -> Policy:
    """The policy in a file, for plans that it knows nothing of. Raises InputError."""
    document = read(str(path), read_text(path))
    sections = read_sections(document, Role.POLICY, None)
    refuse(document.problems())
    policy: Policy = sections["policy"]
    return policy


def parse_rehearsal(sources: Sequence[Source]) -> Rehearsal:
    """The rehearsal these texts describe, without a look at the disk. Raises InputError, and UsageError where the
    scenario that is to be in force is in none of them."""
    return _parsed(sources)


def _parsed(sources: Sequence[Source], known: Iterable[str] = ()) -> Rehearsal:
    with collector_paused():
        rehearsal, problems = _assemble(sources, Role.PLAN, known)
    refuse(problems)
    assert rehearsal is not None  # a plan without errors is a plan
    return rehearsal


def check_plan(path: str | Path, *, stdin: Any = None) -> list[Problem]:
    """Everything wrong or doubtful in a plan file and all that belongs to it, or in a file of outcomes or a policy."""
    try:
        sources = whole_of(path, stdin)
    except InputError as error:
        return list(error.problems)
    home = None if str(path) == STDIN else home_of(path)
    with collector_paused():
        problems = _assemble(sources, None if home is None else Role.PLAN, thorough=True)[1]
    return [each for each in problems if Path(each.file) == Path(path)] if home is not None else problems


def _assemble(
    sources: Sequence[Source], role: Role | None, known: Iterable[str] = (), *, thorough: bool = False
) -> tuple[Rehearsal | None, list[Problem]]:
    """The rehearsal and everything wrong; without a `role`, the first source may be anything that its sections say.

    What takes long to find out and would show when it is run is looked for only where it is to be `thorough`. `known`
    are the scenarios that are not among the sources.
    """
    # The plan comes first: what it declares is what the other files are held against.
    files = [source for source in sources if source.role is not Role.SCENARIO]
    documents = [_read(source, {} if at else {"steps": Steps()}) for at, source in enumerate(files)]
    role = role or role_of(documents[0].value)
    names = Names.of(*_values(documents)) if role is Role.PLAN else None
    layers = layers_of([*zip(files, [role, *(each.role for each in files[1:])], documents, strict=True)], names)
    _check_across(layers, documents, names, thorough)
    scenario = next((source.name for source in sources if source.role is Role.SCENARIO), None)
    if not thorough:
        _keep_to(scenario, layers)
    problems = [problem for each in documents for problem in each.problems()]
    if role is not Role.PLAN or any(problem.severity == "error" for problem in problems):
        return None, problems
    sections = layers.chosen(scenario, known)
    return _rehearsal(sections, sources, problems, scenario, tuple(layers.scenarios)), problems


def _values(documents: Sequence[Document]) -> tuple[Any, list[Any]]:
    first, *others = documents
    return first.value, [each.value for each in others]


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


def _check_across(layers: Layers, documents: Sequence[Document], names: Names | None, thorough: bool) -> None:
    """Hold the sections against each other, each fault in the document whose section is in force."""
    _check_comments(documents, names.every_id if names else ())
    plan = layers.files[0].sections
    steps, tools = plan.get("steps") or (), plan.get("tools") or {}
    for section in ("outcomes", "policy", "expect"):
        for layer in _in_force(layers, section):
            _check_layer(layer, section, steps, tools, names, thorough)
    if thorough and steps and len(steps) == len(documents[0].value["steps"]):
        from replanctl.files.crosscheck import check_step_args

        documents[0].made(lambda _, at: check_step_args(steps, tools, at["steps"]))


def _in_force(layers: Layers, section: str) -> list[Layer]:
    """The highest of the files' layers that has this section, and every scenario that has one of its own."""
    own = next((layer for layer in reversed(layers.own) if layer.written(section) is not None), None)
    scenarios = [layer for layer in layers.scenarios.values() if layer.written(section) is not None]
    return [*([] if own is None else [own]), *scenarios]


def _check_layer(
    layer: Layer, section: str, steps: Sequence[Step], tools: dict[str, Tool], names: Names | None, thorough: bool
) -> None:
    found, written = layer.sections.get(section), layer.written(section)
    if section == "expect":
        if thorough and isinstance(written, dict):
            from replanctl.files.expect import check_expect  # what a result can be is a lot to load for a run

            layer.document.made(lambda _, at: check_expect(written, layer.at(at)["expect"]))
    elif not found or not steps:
        return
    elif section == "policy":
        from replanctl.files.crosscheck import check_limits

        layer.document.made(lambda _, at: check_limits(len(steps), found, layer.at(at)["policy"]["gates"]))
    # Rules that could not be read are missing from the list, and the places of those behind them would be wrong.
    elif len(found) == len(written):
        from replanctl.files.crosscheck import check_values

        layer.document.made(lambda _, at: check_values(steps, tools, found, layer.at(at)["outcomes"]), names)


def _check_comments(documents: Sequence[Document], known: Collection[str]) -> None:
    for document in documents:
        text = document.text
        if "#" in text.parsed and (document.marked or not document.broken):
            from replanctl.files.syntax import unquoted_references  # a file without comments does not pay for it

            document.note(unquoted_references(text.parsed, text.events, known, ours=document.marked))


def _keep_to(scenario: str | None, layers: Layers) -> None:
    """Leave out what is doubtful in scripts that are not in force: a session has no use for it."""

    def concerns(layer: Layer, fault: Fault) -> bool:
        if fault.severity == "error":
            return True
        return (
            fault.path[1] == scenario if fault.path[:1] == ("scenarios",) else any(layer is each for each in layers.own)
        )

    for layer in layers.files:
        layer.document.faults[:] = [fault for fault in layer.document.faults if concerns(layer, fault)]
    for name, layer in layers.scenarios.items():
        if not layer.path and name != scenario:
            layer.document.faults[:] = [fault for fault in layer.document.faults if fault.severity == "error"]


def _rehearsal(
    sections: Sections,
    sources: Sequence[Source],
    problems: list[Problem],
    scenario: str | None,
    scenarios: tuple[str, ...],
) -> Rehearsal | None:
    plan = plan_of(sections)
    if plan is None:
        return None
    rest: dict[str, Any] = {
        name: sections[name]
        for name in ("policy", "planner", "outcomes", "interruptions", "expect", "recorded")
        if name in sections
    }
    rest |= {"scenario": scenario, "scenarios": scenarios}
    return Rehearsal(plan=plan, warnings=tuple(problems), sources=tuple(sources), **rest)
