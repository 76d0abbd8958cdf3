"""From the facts of a study to its table, on a screen, as JSON or as Markdown: the same for a verb and for `merge`."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TextIO

import msgspec
from msgspec import UNSET

from replanctl.cli.fail_on import FailOn, compare_complaints, complain, matrix_complaints, tune_complaints
from replanctl.cli.flags import Color, DiffFormat
from replanctl.cli.output import output, write_document, write_line
from replanctl.cli.world import World
from replanctl.files import policy_text
from replanctl.kinds import Reason
from replanctl.lab import (
    HONEST,
    CompareDocument,
    Facts,
    Kind,
    Matrix,
    MatrixDocument,
    Stranded,
    Study,
    Tally,
    TotalsFold,
    TuneDocument,
    Tuning,
    comparison,
    matrices,
    tuned_policy,
    tuning,
)
from replanctl.money import Prices
from replanctl.run import Policy

WHOLE_SCREENS = 3  # plans that have a screen each; of more there is a line each


class Telling(msgspec.Struct, frozen=True):
    """How a table is told, and what of it makes the exit code 1. `policy` is where a tuned policy goes,
    `prices` what tokens cost."""

    format: DiffFormat
    color: Color
    fail_on: tuple[FailOn, ...] = ()
    policy: Path | None = None
    store: Path | None = None
    prices: Prices | None = None


def tell(study: Study, facts: Iterator[Facts], telling: Telling, stream: TextIO, world: World) -> int:
    """Make the table of a study and write it; the exit code."""
    tables = {Kind.MATRIX: _tell_matrices, Kind.TUNE: _tell_tuning, Kind.COMPARE: _tell_comparison}
    return tables[study.kind](study, facts, telling, stream, world)


# -- matrix ------------------------------------------------------------------------------------------------------------


def _tell_matrices(study: Study, facts: Iterator[Facts], telling: Telling, stream: TextIO, world: World) -> int:
    complaints: list[str] = []
    found = _watched(matrices(study, facts), complaints, telling)
    match telling.format:
        case DiffFormat.JSON:
            _matrix_document(found, len(study.cases), stream)
        case DiffFormat.MARKDOWN:
            from replanctl.show import matrix_markdown

            for matrix in found:
                write_document(stream, matrix_markdown(matrix))
        case DiffFormat.TEXT:
            _matrix_screens(found, study, telling, stream, world)
    return complain(world, complaints)


def _watched(found: Iterator[Matrix], complaints: list[str], telling: Telling) -> Iterator[Matrix]:
    for matrix in found:
        complaints.extend(matrix_complaints(matrix, telling.fail_on))
        yield matrix


def _matrix_document(found: Iterator[Matrix], plans: int, stream: TextIO) -> None:
    """The document, a plan a line: as soon as its facts are there, so that they need not all be held."""
    # Written in pieces around the empty list of the whole document, so that the frame and the schema stay the Struct's:
    # only one plan's table is in memory at a time.
    head, tail = msgspec.json.encode(MatrixDocument(plans=())).split(b"[]")
    write_line(stream, head + b"[")
    for number, matrix in enumerate(found, start=1):
        write_line(stream, msgspec.json.encode(matrix) + (b"," if number < plans else b""))
    write_line(stream, b"]" + tail)


def _matrix_screens(found: Iterator[Matrix], study: Study, telling: Telling, stream: TextIO, world: World) -> None:
    from replanctl.show import PlanLine, matrices_screen, matrix_screen

    paper = world.paper(stream, telling.color)
    if len(study.cases) <= WHOLE_SCREENS:
        for number, matrix in enumerate(found):
            if number:
                paper.blank()
            matrix_screen(paper, matrix, _next_of(matrix, study, telling))
        return
    lines, totals, bound = [], TotalsFold(), 0
    for matrix in found:
        lines.append(PlanLine(matrix.name, matrix.totals, len(matrix.stranded), len(matrix.coverage.dead)))
        totals.add(matrix.totals)
        bound += matrix.imported and matrix.bound_to_fail
    worst = max(lines, key=lambda line: (line.totals.sessions - line.totals.completed) / max(line.totals.sessions, 1))
    todo = _command(["matrix", worst.name], study, telling)
    matrices_screen(paper, lines, totals.totals(), bound, todo)


def _next_of(matrix: Matrix, study: Study, telling: Telling) -> Sequence[str]:
    """A cell to run by itself: the first from which there is no way out, with what its end means, else the first that
    took a replan."""
    # Any cell can be run by itself, and one that shows the worst is worth offering.
    if matrix.stranded:
        first = matrix.stranded[0]
        fault = f"{first.step_id}={first.statuses[0]}{':always' if first.always else ''}"
        run = _command(["run", matrix.name, "--fault", fault], study, telling)
        return [*run, f"replanctl explain {_end_of(first, matrix)}"] if run else ()
    cells = [facts.key[1] for row in matrix.rows for facts in (*row.once, *row.always) if facts.replans]
    return _command(["run", matrix.name, "--fault", cells[0]], study, telling) if cells else ()


def _end_of(stranded: Stranded, matrix: Matrix) -> Reason:
    """How the session ended that is offered."""
    row = next(row for row in matrix.rows if row.step_id == stranded.step_id)
    cells = row.always if stranded.always else row.once
    return cells[matrix.statuses.index(stranded.statuses[0])].reason


def _command(words: Sequence[str], study: Study, telling: Telling) -> list[str]:
    """A command line as a shell takes it, with the policy and the store that were given; none for a plan on stdin."""
    # What came through a pipe is gone: a command that names it would read something else.
    if "-" in words:
        return []
    store = ["--store", str(telling.store)] if telling.store is not None else []
    flags = f" {study.flags}" if study.flags else ""
    return [f"replanctl {shlex.join([*words, *store])}{flags}"]


# -- tune --------------------------------------------------------------------------------------------------------------


def _tell_tuning(study: Study, facts: Iterator[Facts], telling: Telling, stream: TextIO, world: World) -> int:
    tally = Tally(telling.prices) if telling.prices is not None else None
    result = tuning(study, facts if tally is None else tally.watch(facts))
    notes = [*_bound(result, study), *_left_out(study), *_write_policy(result, study, telling, stream)]
    match telling.format:
        case DiffFormat.JSON:
            write_line(
                stream,
                msgspec.json.encode(TuneDocument(tuning=result, money=UNSET if tally is None else tally.tuned())),
            )
        case DiffFormat.MARKDOWN:
            from replanctl.show import tune_markdown

            write_document(stream, tune_markdown(result, notes, tally))
        case DiffFormat.TEXT:
            from replanctl.show import tune_screen

            paper = world.paper(stream, telling.color)
            tune_screen(paper, result, notes=notes, todo=_try(result, study, telling), tally=tally)
    return complain(world, list(tune_complaints(result, telling.fail_on)))


def _bound(result: Tuning, study: Study) -> Iterator[str]:
    """The way out where no single limit frees anything, and the limits are not the rehearsals' own."""
    if result.stop_rate.hits and not result.could_finish.hits and study.flags:
        yield f"Without {study.flags} the rehearsals' own limits hold, and tune says what those come to."


def _left_out(study: Study) -> Iterator[str]:
    if study.left_out:
        runs = f"{study.left_out} run{'' if study.left_out == 1 else 's'}"
        yield f"Left out: {runs} with real tools or a planner; what they would have said is not known."


def _write_policy(result: Tuning, study: Study, telling: Telling, stream: TextIO) -> Iterator[str]:
    """Write the policy file where one was asked for; what is said of it."""
    if telling.policy is None:
        return
    policy, comments = tuned_policy(study.policy or Policy(), result)
    head = [f"Limits that replanctl tune proposes for {result.sessions} rehearsals.", HONEST]
    # Where the rehearsals differ in their policies no single file can hold them; their limits can still be proposed.
    if study.policy is None:
        head.append("The rehearsals have policies of their own: only limits are here.")
    with output(stream, telling.policy) as file:
        file.write(policy_text(policy, comments, head))
    from replanctl.show import words

    limits = [
        f"{gate.gate} {words.limit_of(gate.gate, gate.proposed)} (on {_on(result, gate.gate)})"
        for gate in result.gates
        if gate.proposed is not None
    ]
    unchanged = (
        "the limits as they were, which is no advice" if result.stop_rate.hits else "no limit needs to be another"
    )
    yield f"Wrote {telling.policy}: {', '.join(limits) or unchanged}."


def _on(result: Tuning, name: str) -> str:
    freed = next(gate.worth_freeing for gate in result.gates if gate.gate == name)
    return f"{freed} session{'' if freed == 1 else 's'}"


def _try(result: Tuning, study: Study, telling: Telling) -> list[str]:
    """The same corpus under the policy that was written, where that has another limit."""
    if not any(gate.proposed is not None for gate in result.gates):
        return []
    if telling.policy is None or "-" in study.words.split():
        return []
    store = ["--store", str(telling.store)] if telling.store is not None else []
    words = [study.words] if study.words else []
    return [" ".join(["replanctl tune", *words, shlex.join(["--policy", str(telling.policy), *store])])]


# -- compare -----------------------------------------------------------------------------------------------------------


def _tell_comparison(study: Study, facts: Iterator[Facts], telling: Telling, stream: TextIO, world: World) -> int:
    tally = Tally(telling.prices) if telling.prices is not None else None
    result = comparison(study, facts if tally is None else tally.watch(facts))
    match telling.format:
        case DiffFormat.JSON:
            write_line(
                stream,
                msgspec.json.encode(
                    CompareDocument(comparison=result, money=UNSET if tally is None else tally.compared())
                ),
            )
        case DiffFormat.MARKDOWN:
            from replanctl.show import compare_markdown

            write_document(stream, compare_markdown(result, tally))
        case DiffFormat.TEXT:
            from replanctl.show import compare_screen

            compare_screen(world.paper(stream, telling.color), result, tally=tally)
    return complain(world, list(compare_complaints(result, telling.fail_on)))
