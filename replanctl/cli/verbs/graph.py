"""`graph`: the steps of a plan, or of a version of a run, and what rests on what."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, assert_never

from replanctl.cli.flags import Flag, GraphFormat, Shared, Verb
from replanctl.cli.operands import Point, no_version, point
from replanctl.cli.output import write_document
from replanctl.cli.verbs import HELP
from replanctl.cli.world import World
from replanctl.files import parse_rehearsal, read_plan
from replanctl.host import sound
from replanctl.kinds import StepState
from replanctl.run import SessionResult, VersionView
from replanctl.show import Picture
from replanctl.store import Store


class Options(Shared, frozen=True, kw_only=True):
    """What `graph` takes."""

    what: Annotated[
        str,
        Flag(
            "A plan's YAML file (- is standard input), or a run: 7, 7:v2, v2.",
            "PLAN|RUN[:vN]",
            positional=True,
            complete="points",
        ),
    ]
    format: Annotated[GraphFormat, Flag("How to write it.", "FORMAT", GraphFormat)] = GraphFormat.MERMAID


def execute(options: Options, world: World) -> int:
    """Find the steps and draw them."""
    try:
        where = point(options.what)
    except ValueError:
        picture = _of_plan(options.what, world)
    else:
        picture = _of_run(where, options, world)
    _draw(picture, options, world)
    return 0


def _of_plan(name: str, world: World) -> Picture:
    plan = parse_rehearsal([read_plan(name, stdin=world.stdin)]).plan
    return Picture(plan.goal, (), plan.steps)


def _of_run(where: Point, options: Options, world: World) -> Picture:
    folder = world.store_folder(options.store)
    with Store.open(folder) as store:
        run = where.run or store.latest().run
        with sound(folder, run):
            result = store.result(run)
            version = _version(result, where.version)
            states = {step.id: StepState(step.state) for step in version.steps}
    return Picture(result.goal, (f"run {result.run}", version.version), version.steps, states)


def _version(result: SessionResult, wanted: str | None) -> VersionView:
    """The version of that name, or the last. Raises UsageError where there is none."""
    versions: Sequence[VersionView] = result.versions
    for version in reversed(versions):
        if wanted in (None, version.version):
            return version
    raise no_version(result.run, wanted, [version.version for version in versions])


def _draw(picture: Picture, options: Options, world: World) -> None:
    from replanctl.show import dot, graph_screen, mermaid

    match options.format:
        case GraphFormat.TEXT:
            graph_screen(world.paper(world.stdout, options.color), picture)
            return
        case GraphFormat.MERMAID:
            lines = mermaid(picture)
        case GraphFormat.DOT:
            lines = dot(picture)
        case _:
            assert_never(options.format)
    write_document(world.stdout, "".join(f"{line}\n" for line in lines))


VERB = Verb(HELP["graph"], Options, execute)
