"""Scenarios: several scripts for one plan, by name, in a plan, in a file of outcomes, or each in a file of its own."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import msgspec

from replanctl.files.faults import At
from replanctl.files.outcomes import interruptions, outcomes
from replanctl.files.places import Lines, Places
from replanctl.files.planner import planner
from replanctl.files.policy import policy
from replanctl.files.reader import Document
from replanctl.files.shapes import Fields, kind, made_of, map_of, mapping, record
from replanctl.script import OutcomeRule

NAME_PATTERN = r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}"
_NAME = re.compile(NAME_PATTERN)


@made_of("pattern", NAME_PATTERN)
def scenario_name(value: Any, at: At) -> Any:
    """The name of a scenario: it is a word of the command line, and a part of a file's name."""
    if isinstance(value, str) and is_scenario_name(value):
        return value
    hint = "letters, digits, . _ and -, beginning with a letter or digit, at most 64"
    return at.error("bad-name", f"expected the name of a scenario, got {kind(value)}", hint)


def is_scenario_name(text: str) -> bool:
    """Whether a scenario may be called so."""
    return _NAME.fullmatch(text) is not None


_SCENARIO: Fields = {
    "outcomes": outcomes(()),
    "interruptions": interruptions,
    "planner": planner,
    "policy": policy,
    "expect": mapping,
}


def _made(**sections: Any) -> dict[str, Any]:
    """A script of its own: each section takes the place of the plan's section of that name."""
    return sections


_scenario = record(_made, _SCENARIO, what="what is other than in the plan: outcomes, interruptions, planner, policy")
_scenarios = map_of(_scenario, key=scenario_name, hint="write {name: {outcomes: [...]}}")


@made_of("same", _scenarios)
def scenarios(value: Any, at: At) -> Any:
    """Several scripts for one plan, by name."""
    return _scenarios(value, at)


# A second walk over the events, and only for the scenario in force: a file of a hundred scenarios has the lines of one
# to find.
def numbered(rules: Sequence[OutcomeRule], document: Document, path: tuple[str, ...]) -> tuple[OutcomeRule, ...]:
    """The rules of the list at this path of a document, with the lines they begin on."""
    text = document.text
    paths: list[tuple[str | int, ...]] = [(*path, index) for index in range(len(rules))]
    places, lines = Places(text.events(), paths), Lines(text.written, text.place)
    begins = [lines.place(text.place(places.find(each)))[0] for each in paths]
    return tuple(msgspec.structs.replace(rule, line=line) for rule, line in zip(rules, begins, strict=True))
