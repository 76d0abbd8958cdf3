"""Smaller inputs: what a planner outside answers, and a file of coefficients."""

from __future__ import annotations

import re
from pathlib import Path

from replanctl.cost import Coefficients
from replanctl.files.disk import read_text
from replanctl.files.planner import draft, steps
from replanctl.files.policy import coefficients
from replanctl.files.reader import read, refuse
from replanctl.files.shapes import record
from replanctl.replan import PlannerRule

# JSON writes what lies outside the first 65,536 characters as two escapes; YAML wants one.
_PAIR = re.compile(r"(?<!\\)((?:\\\\)*)\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})")


def parse_draft(text: str, origin: str) -> PlannerRule:
    """The draft a planner outside wrote: YAML or JSON, a list of steps or `{steps, verdicts, cause}`.

    `origin` names it in messages. Raises InputError with everything that is wrong in it.
    """
    document = read(origin, _PAIR.sub(_joined, text))
    found = document.made(steps if isinstance(document.value, list) else draft)
    refuse(document.problems())
    rule: PlannerRule = PlannerRule(steps=found) if isinstance(found, tuple) else found
    return rule


def _joined(found: re.Match[str]) -> str:
    code = 0x10000 + ((int(found[2], 16) - 0xD800) << 10) + int(found[3], 16) - 0xDC00
    return f"{found[1]}\\U{code:08X}"


def load_coefficients(path: str | Path) -> Coefficients:
    """Token coefficients from a file that holds them alone, or under `coefficients`. Raises InputError."""
    document = read(str(path), read_text(path))
    wrapped = document.has("coefficients")
    found = document.made(_WRAPPED if wrapped else coefficients)
    refuse(document.problems())
    result: Coefficients = found["coefficients"] if wrapped else found
    return result


_WRAPPED = record(dict, {"coefficients": coefficients}, required=("coefficients",))
