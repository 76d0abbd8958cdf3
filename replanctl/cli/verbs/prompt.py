"""`prompt`: the exact text a model would get for a replan of a stored run."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from replanctl.cli.flags import Flag, Shared, Verb
from replanctl.cli.operands import no_version
from replanctl.cli.output import answer, say
from replanctl.cli.points import Point, point, version
from replanctl.cli.world import World
from replanctl.errors import ReplayDivergedError, UsageError
from replanctl.host import EffectLog, events_of, sound
from replanctl.kinds import Format, Granularity, Health, StepState
from replanctl.plan import in_text
from replanctl.replan import ReplanRequest, build_prompt
from replanctl.run import RESUME, Event, PlanCommit, StepEnd
from replanctl.store import Store


class KeptRequest(msgspec.Struct):
    """One request: the version its answer became, if it became one, the one it was made in, about what, its text.

    `observed` is how many characters the text would have, had it carried the done steps' results whole.
    """

    version: str | None
    asked_in: str
    step_id: str | None
    granularity: Granularity
    prompt: str
    observed: int


class RequestLog(msgspec.Struct):
    """Every request of a run in order, and every version it had; `results` are what its steps came to, by id."""

    requests: list[KeptRequest] = []
    versions: list[str] = []
    results: dict[str, Any] = {}

    def keep(self, request: ReplanRequest) -> None:
        """Keep a request. What it says of the session is read now: later it would say something else."""
        step_id = request.signal.step_id if request.signal is not None else None
        text = build_prompt(request)
        observed = len(text) + self._left_out(request)
        self.requests.append(KeptRequest(None, request.version, step_id, request.granularity, text, observed))

    def _left_out(self, request: ReplanRequest) -> int:
        """The characters of the done steps' results that their lines do not carry."""
        listed = [step for step in request.done if step.health is not Health.VOID]
        return sum(max(0, len(in_text(self.results.get(step.id))) - len(step.summary)) for step in listed)

    def see(self, event: Event) -> None:
        """Take one event in."""
        if isinstance(event, StepEnd) and event.state is StepState.DONE:
            self.results[event.step_id] = event.value
        elif isinstance(event, PlanCommit):
            self.commit(event)

    def commit(self, event: PlanCommit) -> None:
        """A version: what the last request led to, unless it is the first plan or what a resumed run goes on with."""
        self.versions.append(event.version)
        if event.parent is not None and event.rule != RESUME:
            self.requests[-1].version = event.version


class Options(Shared, frozen=True, kw_only=True):
    """What `prompt` takes."""

    run: Annotated[
        Point, Flag("Which run; else the latest. v2 or 7:v2 names a version too.", "RUN", point, positional=True)
    ] = Point()
    to: Annotated[
        str | None, Flag("The version that came of it; else the last replan.", "VERSION", version, positional=True)
    ] = None
    format: Annotated[Format, Flag("How to write it.", "FORMAT", Format)] = Format.TEXT


def execute(options: Options, world: World) -> int:
    """Find the request and write it."""
    folder = world.store_folder(options.store)
    with Store.open(folder) as store:
        run = options.run.run or store.latest().run
        with sound(folder, run):
            asked = _find(_requests(store, run), run, options.to or options.run.version)
    document = {"run": run, **msgspec.structs.asdict(asked)}
    answer(world.stdout, options.format, lambda: document, lambda: _write(asked, run, options, world))
    return 0


def _requests(store: Store, run: int) -> RequestLog:
    """What was asked in a run: its inputs once more, as far as it came. Raises ReplayDivergedError."""
    log = RequestLog()
    encode = msgspec.json.Encoder().encode
    again = events_of(store.inputs(run), EffectLog(store.effects(run)), log.keep)
    for line, event in zip(store.event_lines(run), again, strict=False):
        if encode(event) != line:
            why = f"run {run} does not come out as it was stored from event {event.seq} on"
            raise ReplayDivergedError(why, hint=f"replanctl replay {run} says where they part")
        log.see(event)
    return log


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
    say(world.stdout, asked.prompt.split("\n"))
    if options.quiet:
        return
    carried, observed = (f"{count:,} characters, some {count // 4:,} tokens" for count in _sizes(asked))
    world.stderr.write(f"{carried}; with the observations carried it would be {observed}\n")
    if asked.version is None:
        world.stderr.write(f"run {run}: asked in {asked.asked_in}; no version came of the answer\n")


def _sizes(asked: KeptRequest) -> tuple[int, int]:
    return len(asked.prompt), asked.observed


VERB = Verb("Show what a model would be asked for a replan.", Options, execute)
