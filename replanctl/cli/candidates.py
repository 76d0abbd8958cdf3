"""What may stand behind an option or in a place of a command line, from files and stored runs as they are now.

A flag whose values are a closed list needs nothing: its words are offered. Any other may name a row of `_OFFERS` in
`complete`; where it names none, the shell offers files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import NamedTuple

from replanctl.cli.flags import Flag
from replanctl.cli.world import World
from replanctl.kinds import RunStatus, Settle

PATIENCE = 0.2  # seconds for a store that somebody is writing to: better no candidates than a shell that hangs
_LARGEST = 1 << 20  # bytes of a plan whose steps are still offered


class Candidate(NamedTuple):
    """A word that may stand there, and what it is for."""

    text: str
    help: str = ""


class Line(NamedTuple):
    """A command line as far as it is typed: options by field, the words in places, the option that waits for its
    value."""

    world: World
    given: Mapping[str, Sequence[str]]
    loose: Sequence[str]
    waiting: str | None = None


def candidates_of(flag: Flag, line: Line, last: str) -> Iterable[Candidate]:
    """What may stand for a flag; `last` is what is typed of it."""
    if isinstance(flag.parse, type) and issubclass(flag.parse, Enum):
        return (Candidate(str(member.value)) for member in flag.parse)
    return _OFFERS[flag.complete](line, last) if flag.complete else ()


# -- runs --------------------------------------------------------------------------------------------------------------


def _runs(line: Line, last: str) -> Iterator[Candidate]:
    """The stored runs, the newest first."""
    from replanctl.store import Store

    with Store.open(_store_of(line), patience=PATIENCE) as store:
        for row in reversed(store.runs()):
            if row.status is not RunStatus.PRUNED:
                yield Candidate(str(row.run), f"{row.reason or row.status}, {row.goal[:60]}")


def _open_runs(line: Line, last: str) -> Iterator[Candidate]:
    """The runs that did not come to their goal."""
    from replanctl.store import Store

    with Store.open(_store_of(line), patience=PATIENCE) as store:
        for row in reversed(store.runs()):
            if row.status in (RunStatus.FAILED, RunStatus.INTERRUPTED):
                yield Candidate(str(row.run), f"{row.reason or row.status}, {row.goal[:60]}")


def _points(line: Line, last: str) -> Iterator[Candidate]:
    """Versions of the run that is meant, and runs; behind `7:` the versions of run 7."""
    run, colon, _ = last.partition(":")
    if colon:
        yield from (Candidate(f"{run}:{version}") for version in _versions_of(line, _number(run)))
        return
    yield from (Candidate(version, "a version of the plan") for version in _versions_of(line, _run_given(line)))
    yield from _runs(line, last)


def _versions(line: Line, last: str) -> Iterator[Candidate]:
    """The versions of the run in the place before."""
    run = _number(line.loose[0].partition(":")[0]) if line.loose else None
    yield from map(Candidate, _versions_of(line, run))


def _versions_of(line: Line, run: int | None) -> list[str]:
    from replanctl.store import Store

    with Store.open(_store_of(line), patience=PATIENCE) as store:
        row = store.latest() if run is None else store.run(run)
    return [f"v{number + 1}" for number in range(row.versions or 0)]


def _steps(line: Line, last: str) -> Iterator[Candidate]:
    """Every step that a run ever had."""
    from replanctl.run import PlanCommit
    from replanctl.store import Store

    with Store.open(_store_of(line), patience=PATIENCE) as store:
        run = _run_given(line)
        events = store.events(store.latest().run if run is None else run)
        steps = (step for event in events if isinstance(event, PlanCommit) for step in event.steps)
        yield from {step.id: Candidate(step.id, step.action) for step in steps}.values()


def _settlements(line: Line, last: str) -> Iterator[Candidate]:
    """Steps of the run that is resumed, with what a person may say of each."""
    inside = line._replace(given={**line.given, "run": line.loose[:1]})
    yield from _with_values(_steps(inside, last), last, [Candidate(each.value) for each in Settle])


def _store_of(line: Line) -> Path:
    given = line.given.get("store")
    return line.world.store_folder(Path(given[-1]) if given and given[-1] else None)


def _run_given(line: Line) -> int | None:
    return _number(next(reversed(line.given.get("run", ())), ""))


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 19 else None


# -- plans -------------------------------------------------------------------------------------------------------------


def _faults(line: Line, last: str) -> Iterator[Candidate]:
    """Steps of the plan that is named, with every failing status."""
    from replanctl.script import FAULTS

    words = [Candidate(status.value, "at the first attempt") for status in FAULTS]
    whole = last.partition("=")[2].partition(":")[0]
    always = [Candidate(f"{status}:always", "at every attempt") for status in FAULTS if status == whole]
    yield from _with_values(_plan_steps(line), last, [*words, *always])


def _with_values(steps: Iterable[Candidate], last: str, values: list[Candidate]) -> Iterator[Candidate]:
    """`STEP=` for the steps that are still meant, and all that may follow once there is only one."""
    id_, equals, _ = last.partition("=")
    found = [each for each in steps if (each.text == id_ if equals else each.text.startswith(id_))]
    if len(found) == 1:
        yield from (Candidate(f"{found[0].text}={value.text}", value.help) for value in values)
    else:
        yield from (Candidate(f"{each.text}=", each.help) for each in found)


def _plan_steps(line: Line) -> Iterator[Candidate]:
    from replanctl.files import load_plan

    if (path := _plan_of(line)) is not None:
        yield from (Candidate(step.id, step.action) for step in load_plan(path).steps)


def _scenarios(line: Line, last: str) -> Iterator[Candidate]:
    """The scenarios of the plan that is named."""
    from replanctl.files import load_rehearsal

    if (path := _plan_of(line)) is not None:
        yield from map(Candidate, load_rehearsal(path).scenarios)


def _plan_of(line: Line) -> Path | None:
    """The plan that is named, unless it is so large that a person would wait for it."""
    path = Path(line.loose[0]) if line.loose and line.loose[0] != "-" else None
    return path if path is not None and path.is_file() and path.stat().st_size <= _LARGEST else None


# -- words -------------------------------------------------------------------------------------------------------------


def _explained(line: Line, last: str) -> Iterator[Candidate]:
    """Everything that `explain` knows and that a shell takes as a word."""
    from replanctl.docs import page_names, page_title, words_by_kind

    yield from (Candidate(name, page_title(name)) for name in page_names())
    for kind, words in words_by_kind().items():
        yield Candidate(kind.plural, f"all of this kind: {kind.name}")
        yield from (Candidate(word.replace(" ", "-"), kind.name) for word in words if word[0].isalnum())


def _schemas(line: Line, last: str) -> Iterator[Candidate]:
    from replanctl.cli.verbs.schema import Name

    yield from (Candidate(name.value) for name in Name)


def _coefficients(line: Line, last: str) -> Iterator[Candidate]:
    from replanctl.cost import Coefficients

    yield from (Candidate(f"{name}=") for name in Coefficients.__struct_fields__)


def _strategies(line: Line, last: str) -> Iterator[Candidate]:
    """Strategies with commas between; those that stand there already are not offered again."""
    from replanctl.lab import Strategy

    yield from _listed([*(each.value for each in Strategy), "all"], last)


def _listed(words: Iterable[str], last: str) -> Iterator[Candidate]:
    before, comma, _ = last.rpartition(",")
    yield from (Candidate(f"{before}{comma}{word}") for word in words if word not in before.split(","))


_OFFERS: dict[str, Callable[[Line, str], Iterator[Candidate]]] = {
    "coefficients": _coefficients,
    "faults": _faults,
    "open runs": _open_runs,
    "points": _points,
    "runs": _runs,
    "scenarios": _scenarios,
    "schemas": _schemas,
    "settlements": _settlements,
    "steps": _steps,
    "strategies": _strategies,
    "versions": _versions,
    "words": _explained,
}
OFFERS = frozenset(_OFFERS)
