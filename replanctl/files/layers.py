"""What is laid over what: a plan, the outcomes beside it, a scenario, the files that were asked for.

A section takes the place of a section of that name below it, whole; `expect` is never taken from below a script that
was chosen.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any

import msgspec

from replanctl.errors import UsageError
from replanctl.files.faults import At, Fault, Names, did_you_mean
from replanctl.files.reader import Document
from replanctl.files.sections import Role, Sections, read_sections
from replanctl.files.sources import Source, scenario_in


class Layer(msgspec.Struct, frozen=True):
    """Sections, and where they stand: in this document, below this path."""

    document: Document
    role: Role
    sections: Sections
    path: tuple[str, ...] = ()

    def written(self, section: str) -> Any:
        """A section as it is written; None where it is not."""
        value = self.document.value
        for key in self.path:
            value = value[key]
        return value.get(section) if isinstance(value, dict) else None

    def at(self, at: At) -> At:
        """Where the sections begin, from the top of the document."""
        for key in self.path:
            at = at[key]
        return at


class Layers(msgspec.Struct, frozen=True):
    """All there is to a rehearsal: the files' own layers from the lowest to the highest, and its scenarios by name."""

    files: list[Layer]
    scenarios: dict[str, Layer]

    @property
    def own(self) -> list[Layer]:
        """The files' layers that count: outcomes that were asked for put away with those beside the plan."""
        asked = any(layer.role is Role.OUTCOMES for layer in self.files)
        return [layer for layer in self.files if not (asked and layer.role is Role.BESIDE)]

    def chosen(self, name: str | None, known: Iterable[str]) -> Sections:
        """The sections in force, under this scenario if one is named. Raises UsageError where there is none such."""
        if name is None:
            return _merged(self.own)
        if name not in self.scenarios:
            plan = PurePath(self.files[0].document.name).name
            names = sorted({*self.scenarios, *known})
            hint = did_you_mean(name, names) if names else "scenarios: {NAME: {outcomes: [...]}} makes one"
            raise UsageError(f"{plan} has no scenario {name}", hint=hint)
        scenario = self.scenarios[name]
        below = [layer for layer in self.own if layer.role not in _ABOVE or layer.document is scenario.document]
        above = [layer for layer in self.own if not any(layer is each for each in below)]
        return _merged([*below, _counted(scenario), *above])


_ABOVE = (Role.OUTCOMES, Role.POLICY)  # what was asked for on the command line outranks a scenario of another file
_CHOSEN = (Role.OUTCOMES, Role.SCENARIO)  # scripts that stand on their own feet


def layers_of(documents: Sequence[tuple[Source, Role, Document]], names: Names | None) -> Layers:
    """The layers of these documents, the plan's first; what is wrong is noted in each."""
    files: list[Layer] = []
    scenarios: dict[str, Layer] = {}
    plan = documents[0][0]
    for source, role, document in documents:
        sections = read_sections(document, role, names)
        _check_named(document, role, plan)
        if role is Role.SCENARIO_FILE:
            found = {scenario_in(source.name, plan.name): Layer(document, Role.SCENARIO, sections)}
        else:
            files.append(Layer(document, role, sections))
            found = dict(_in_section(document, sections))
        _note_twice(found, scenarios)
        scenarios = {**scenarios, **{name: each for name, each in found.items() if name not in scenarios}}
    return Layers(files, scenarios)


def _in_section(document: Document, sections: Sections) -> Iterator[tuple[str, Layer]]:
    for name, each in (sections.get("scenarios") or {}).items():
        yield name, Layer(document, Role.SCENARIO, each, ("scenarios", name))


def _note_twice(found: Mapping[str, Layer], before: Mapping[str, Layer]) -> None:
    for name in found.keys() & before.keys():
        other = PurePath(before[name].document.name).name
        path = found[name].path
        fault = Fault("duplicate-name", f"the scenario {name} is in {other} too", "one of the two has to go", path=path)
        found[name].document.note([msgspec.structs.replace(fault, on_key=bool(path))])


def _check_named(document: Document, role: Role, plan: Source) -> None:
    """A file that is named after the plan says no other plan."""
    value = document.value
    named = value.get("plan") if isinstance(value, dict) and role in (Role.BESIDE, Role.SCENARIO_FILE) else None
    own = PurePath(plan.name).name
    if isinstance(named, str) and posixpath.basename(named) != own:
        why = f"this file is named after {own}, and says that it belongs to {named}"
        document.note([Fault("other-plan", why, "give the file another name, or leave out plan:", path=("plan",))])


def _merged(layers: Sequence[Layer]) -> Sections:
    sections: Sections = {}
    for layer in layers:
        # What a plan expects it expects of its own script: it says nothing of how the same plan ends under another one,
        # and would fail there for no fault of anybody's.
        if layer.role in _CHOSEN:
            sections.pop("expect", None)
        sections |= layer.sections
    return sections


def _counted(layer: Layer) -> Layer:
    """The same, its outcome rules with their lines; those of a file are counted as they are read."""
    rules, written = layer.sections.get("outcomes"), layer.written("outcomes")
    if not layer.path or not rules or len(rules) != len(written):
        return layer
    from replanctl.files.scenarios import numbered

    counted = numbered(rules, layer.document, (*layer.path, "outcomes"))
    return msgspec.structs.replace(layer, sections={**layer.sections, "outcomes": counted})
