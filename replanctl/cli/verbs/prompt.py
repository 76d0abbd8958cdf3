"""`prompt`: the exact text a model would get for a replan of a stored run."""

from __future__ import annotations

from typing import Annotated

import msgspec

from replanctl.cli.asked import KeptRequest, RequestLog, requests_of
from replanctl.cli.flags import Flag, Format, Shared, Verb
from replanctl.cli.operands import Point, no_version, point, version
from replanctl.cli.output import answer
from replanctl.cli.telling import tell
from replanctl.cli.verbs import HELP
from replanctl.cli.world import World
from replanctl.errors import UsageError
from replanctl.host import sound
from replanctl.show import Span
from replanctl.store import Store


class Options(Shared, frozen=True, kw_only=True):
    """What `prompt` takes."""

    run: Annotated[
        Point,
        Flag(
            "Which run; else the latest. v2 or 7:v2 names a version too.",
            "RUN",
            point,
            positional=True,
            complete="points",
        ),
    ] = Point()
    to: Annotated[
        str | None,
        Flag(
            "The version that came of it; else the last replan.",
            "VERSION",
            version,
            positional=True,
            complete="versions",
        ),
    ] = None
    format: Annotated[Format, Flag("How to write it.", "FORMAT", Format)] = Format.TEXT


def execute(options: Options, world: World) -> int:
    """Find the request and write it."""
    folder = world.store_folder(options.store)
    with Store.open(folder) as store:
        run = options.run.run or store.latest().run
        with sound(folder, run):
            asked = _find(requests_of(store, run), run, options.to or options.run.version)
    document = {"run": run, **msgspec.structs.asdict(asked)}
    answer(world.stdout, options.format, lambda: document, lambda: _write(asked, run, options, world))
    return 0


def _find(log: RequestLog, run: int, wanted: str | None) -> KeptRequest:
    """The request that led to this version, or the last one. Raises UsageError where there is none."""
    if not log.requests:
        raise UsageError(f"no replan was asked for in run {run}", hint=f"replanctl show {run} tells how it went")
    if wanted is None:
        return log.requests[-1]
    for asked in reversed(log.requests):
        if asked.version == wanted:
            return asked
    if wanted not in log.versions:
        raise no_version(run, wanted, log.versions)
    answered = ", ".join(asked.version for asked in log.requests if asked.version is not None)
    raise UsageError(f"no replan led to {wanted} of run {run}", hint=f"replans led to {answered or 'none'}")


def _write(asked: KeptRequest, run: int, options: Options, world: World) -> None:
    tell(world, world.stdout, options.color, ([Span(line)] for line in asked.prompt.split("\n")))
    if options.quiet:
        return
    # Four characters a token is the usual rule of thumb for English; the ledger's tokens come from coefficients and are
    # another matter.
    carried, observed = (f"{count:,} characters, some {count // 4:,} tokens" for count in _sizes(asked))
    sizes = f"{carried}; with the observations carried it would be {observed}"
    tell(world, world.stderr, options.color, [[Span(sizes)]], hang=2)
    if asked.version is None:
        world.stderr.write(f"run {run}: asked in {asked.asked_in}; no version came of the answer\n")


def _sizes(asked: KeptRequest) -> tuple[int, int]:
    return len(asked.prompt), asked.observed


VERB = Verb(HELP["prompt"], Options, execute)
