"""A corpus: the rehearsals of files and folders, or of the runs in a store, each by name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from os.path import abspath
from pathlib import Path
from typing import Any

import msgspec

from replanctl.errors import InputError, Problem, UsageError
from replanctl.files import (
    Rehearsal,
    Role,
    Source,
    belongings,
    home_of,
    is_folder,
    load_rehearsal,
    load_rehearsals,
    parse_rehearsal,
    plans_in,
)
from replanctl.replan import Lesson
from replanctl.script import fault, with_faults
from replanctl.store import DamagedRunError, Inputs, Store

STDIN = "-"
# What makes a file of a folder a rehearsal: a plan, and something that says what its calls return.
_STEPS = re.compile(rb"""\bsteps["']?\s*:""")
_SCRIPT = re.compile(rb"""\b(?:outcomes|scenarios|recorded)["']?\s*:""")


class Case(msgspec.Struct, frozen=True):
    """One rehearsal of a corpus, by name; `lessons` are the book it begins with."""

    name: str
    rehearsal: Rehearsal
    lessons: tuple[Lesson, ...] = ()

    @property
    def solved(self) -> bool | None:
        """Whether the recording that the rehearsal came from solved its task; None where nobody says."""
        recorded = self.rehearsal.recorded
        return None if recorded is None else recorded.solved


def load_corpus(paths: Iterable[str], *, scenarios: bool = True, stdin: Any = None) -> list[Case]:
    """The rehearsals of these files and of everything in these folders, in their order, each once.

    A plan with `scenarios` is a case for each of them, called `plan.yaml:NAME`, and one for its own script where it has
    one; without, it is its own script alone. Raises InputError with everything that is wrong in any of the files,
    UsageError where there is no rehearsal at all.
    """
    cases: dict[str, Case] = {}
    problems: list[Problem] = []
    paths = list(paths)
    # One file is one rehearsal, by whichever of its names it came first: `plans`, `./plans/a.yaml`, `plans/a.yaml`.
    files: dict[str, str] = {}
    for file in (file for name in paths for file in _files(name)):
        # A link is not followed: what stands beside it may be other than what stands beside its target.
        files.setdefault(file if file == STDIN else abspath(file), file)  # noqa: PTH100 `resolve` follows links
    for path in files.values():
        try:
            found = load_rehearsals(path) if scenarios and path != STDIN else [load_rehearsal(path, stdin=stdin)]
        except InputError as error:
            problems.extend(error.problems)
        else:
            for case in _cases(path, found):
                cases.setdefault(case.name, case)
    if any(problem.severity == "error" for problem in problems):
        raise InputError(problems)
    if not cases:
        hint = "a folder's rehearsals are its plans with outcomes, scenarios or recorded"
        raise UsageError(f"there is no rehearsal in {', '.join(paths)}", hint=hint)
    return list(cases.values())


def _cases(path: str, rehearsals: Sequence[Rehearsal]) -> Iterator[Case]:
    for one in rehearsals:
        if one.scenario is not None:
            yield Case(f"{path}:{one.scenario}", one)
        # A plan whose scripts are all scenarios has no script of its own: run without one, every step would succeed and
        # say nothing.
        elif len(rehearsals) == 1 or one.outcomes or one.interruptions or one.recorded:
            yield Case(path, one)


def _files(name: str) -> Iterator[str]:
    """A file as it is named; of a folder the rehearsals in it."""
    if name == STDIN or not is_folder(name):
        yield name
        return
    yield from (str(path) for path in plans_in(name) if _is_rehearsal(path))


def _is_rehearsal(path: Path) -> bool:
    """Whether a file is a plan with a script, in it or beside it, or a script that names its plan."""
    try:
        # Looked through for two words rather than read: a folder may hold thousands of files that are no rehearsals.
        text = path.read_bytes()
    except OSError:
        return True  # what can't be read is said when it is
    if not _STEPS.search(text):
        return home_of(path) is not None
    return bool(_SCRIPT.search(text)) or len(belongings(path)) > 1


def stored_corpus(store: Store) -> tuple[list[Case], int, list[int]]:
    """The scripted runs of a store as they began, under the policies they had, how many others there are, and which
    runs are damaged.

    What real tools or a planner would have said under another limit is not known.
    """
    cases, others, damaged = [], 0, store.damaged()
    for row in store.runs():
        try:
            inputs = store.inputs(row.run)
        except DamagedRunError:
            damaged.append(row.run)
            continue
        if inputs.tools is not None or inputs.planner is not None:
            others += 1
        else:
            cases.append(_stored_case(row.run, inputs))
    return cases, others, damaged


def _stored_case(run: int, inputs: Inputs) -> Case:
    rehearsal = parse_rehearsal([Source(s.name, Role(s.role), s.text) for s in inputs.sources])
    outcomes = with_faults(rehearsal.outcomes, map(fault, inputs.faults))
    rehearsal = msgspec.structs.replace(rehearsal, policy=inputs.policy, outcomes=outcomes)
    return Case(f"run {run}", rehearsal, inputs.lessons)
