"""`import`: recorded runs become rehearsals, one file a trace."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated

import msgspec

from replanctl.cli.flags import Flag, Format, Shared, Verb, folder
from replanctl.cli.output import say, write_json
from replanctl.cli.spared import taken_by
from replanctl.cli.verbs import HELP
from replanctl.cli.world import World
from replanctl.errors import InputError, UsageError
from replanctl.files import collector_paused, load_classes, write_text
from replanctl.traces import Imported, Kind, NamesGiven, PlanOf, Report, Shown, import_traces, totals

TIDY = 200  # traces
SOME, NONE = 1, 2  # exit codes: some traces were refused, none was read


class Options(Shared, frozen=True, kw_only=True):
    """What `import` takes."""

    files: Annotated[
        tuple[str, ...],
        Flag("Recordings, also .gz; - is standard input.", "FILE", positional=True, many=True),
    ]
    from_: Annotated[Kind | None, Flag("What they are; else the content says.", "KIND", Kind)] = None
    output: Annotated[Path, Flag("The folder for the rehearsals; else this one.", "DIR", folder, "-o")] = Path()
    plan: Annotated[
        PlanOf, Flag("The first version: as recorded, up to the first failure, or the whole run.", "WAY", PlanOf)
    ] = PlanOf.RECORDED
    values: Annotated[Shown, Flag("Values as they are, their shape, or their hash.", "HOW", Shown)] = Shown.KEEP
    classify: Annotated[
        Path | None, Flag("Rules for answers that say in words, or in a field, that they failed.", "FILE", Path)
    ] = None
    solved: Annotated[str | None, Flag("The field that says whether a run was solved.", "POINTER=VALUE")] = None
    partial: Annotated[bool, Flag("Take traces without arguments or results as far as they go.")] = False
    select: Annotated[tuple[str, ...], Flag("Only the trace with this id; may be repeated.", "ID", many=True)] = ()
    force: Annotated[bool, Flag("Overwrite files that are there.")] = False
    format: Annotated[Format, Flag("How to write the report.", "FORMAT", Format)] = Format.TEXT


def execute(options: Options, world: World) -> int:
    """Import every file and tell what came of each trace."""
    _make_folder(options.output)
    names = NamesGiven("trace")
    with collector_paused():
        reports = [_keep(imported, names, options, world) for imported in _tidily(_traces(options, world))]
    # Said at the end, since only then every trace has been seen.
    missed = [id_ for id_ in options.select if all(report.id != id_ for report in reports)]
    if missed:
        raise UsageError(f"no trace has the id {missed[0]}", hint="replanctl import without --select names them all")
    _tell(reports, options, world)
    read = sum(not report.refused for report in reports)
    # A script can tell apart that all, some or none of the traces were read.
    return 0 if read == len(reports) and read else SOME if read else NONE


def _make_folder(path: Path) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        why = (isinstance(error, OSError) and error.strerror) or error
        raise UsageError(f"{path} can't be the folder for rehearsals: {why}", hint="name another with -o") from error


def _traces(options: Options, world: World) -> Iterator[Imported]:
    from replanctl.show import ReadingBar

    classify = load_classes(options.classify) if options.classify is not None else ()
    for file in options.files:
        with ReadingBar(world.stderr, file, shown=not (options.quiet or options.format is Format.JSON)) as bar:
            yield from import_traces(
                file,
                options.from_,
                plan=options.plan,
                values=options.values,
                classify=classify,
                solved=options.solved,
                partial=options.partial,
                select=options.select,
                stdin=world.stdin,
                progress=bar.at if bar.shown else None,
            )


def _tidily(traces: Iterable[Imported]) -> Iterator[Imported]:
    """The same, with what sessions leave behind cleared away now and then: there may be any number of them."""
    for number, imported in enumerate(traces, start=1):
        yield imported
        if number % TIDY == 0:
            gc.collect()


def _keep(imported: Imported, names: NamesGiven, options: Options, world: World) -> Report:
    """Write a rehearsal down; its report, which says where."""
    report = imported.report
    if imported.text is None:
        return report
    name = names.name(report.name)
    path = options.output / f"{name}.yaml"
    why = _in_the_way(path, options, world)
    if why:
        return msgspec.structs.replace(report, name=name, refused=why, hint="--force overwrites, -o names a folder")
    try:
        # Not synced one by one: an import of a thousand traces can be made again, and would take minutes.
        write_text(path, imported.text, sync=False)
    except InputError as error:
        return msgspec.structs.replace(report, name=name, refused=f"{path} {error.problems[0].message}")
    return msgspec.structs.replace(report, name=name, file=str(path))


def _in_the_way(path: Path, options: Options, world: World) -> str:
    """Why this file may not be written; empty where it may. What is read is never written to."""
    if not path.exists() and not path.is_symlink():
        return ""
    if lost := taken_by(path, options, world):
        return f"{path} would overwrite {lost}"
    return "" if options.force else f"{path} exists"


def _tell(reports: Iterable[Report], options: Options, world: World) -> None:
    from replanctl.show import imported_screen, unsolved_in_words

    all_ = list(reports)
    pointer = options.solved.partition("=")[0] if options.solved is not None else ""
    unsolved = unsolved_in_words(pointer, all_) if pointer else ""
    if options.format is Format.JSON:
        if unsolved and not options.quiet:
            say(world.stderr, [unsolved])
        write_json(world.stdout, {"totals": totals(all_), "traces": all_})
        return
    paper = world.paper(world.stdout, options.color)
    if options.quiet:
        wrong = [report for report in all_ if report.refused or report.faithful is False]
        imported_screen(paper, wrong, totals(all_), brief=True, unsolved=unsolved)
    else:
        imported_screen(paper, all_, totals(all_), hidden=options.values is not Shown.KEEP, unsolved=unsolved)


VERB = Verb(HELP["import"], Options, execute)
