"""Running a sweep from the command line: where its sessions run, how far it is, and what is kept when it is stopped."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor
from contextlib import contextmanager
from importlib import import_module
from itertools import accumulate, islice
from pathlib import Path
from typing import Annotated, Any, TextIO

import msgspec

from replanctl.cli.facts_file import FactsFile, shard_lines
from replanctl.cli.flags import DiffFormat, Flag, positive
from replanctl.cli.output import output, write_line
from replanctl.cli.overrides import PolicyOptions, with_flags
from replanctl.cli.spared import spare
from replanctl.cli.world import World
from replanctl.errors import ReplanctlError, UsageError
from replanctl.files import Rehearsal, load_policy
from replanctl.host import Case, StoppedError
from replanctl.lab import Facts, Kind, Study, Trial, Work, process_pool, sharded, sweep_trials
from replanctl.run import Policy
from replanctl.show import Progress

PATIENCE = 10  # seconds for a cluster to answer


class BrokenSweepError(ReplanctlError):
    """A process that ran sessions is gone."""

    exit_code = 3


def shard(text: str) -> tuple[int, int]:
    """`2/3`, the second of three; raises ValueError for anything else."""
    found = re.fullmatch(r"([1-9][0-9]{0,5})/([1-9][0-9]{0,5})", text)
    if found is None or int(found[1]) > int(found[2]):
        raise ValueError(f"{text!r} is no shard: 2/3 is the second of three")
    return int(found[1]), int(found[2])


class SweepOptions(PolicyOptions, frozen=True, kw_only=True):
    """What every sweep takes, beside what can be said of a policy."""

    jobs: Annotated[int, Flag("So many processes.", "N", positive)] = 1
    shard: Annotated[
        tuple[int, int] | None, Flag("Only every n-th session; writes facts that merge takes.", "I/N", shard)
    ] = None
    dask: Annotated[str | None, Flag("The scheduler of a Dask cluster, instead of processes.", "ADDRESS")] = None
    continue_: Annotated[bool, Flag("Go on with a sweep that was stopped.")] = False
    no_store: Annotated[bool, Flag("Keep nothing on the way.")] = False
    format: Annotated[DiffFormat, Flag("How to write it.", "FORMAT", DiffFormat)] = DiffFormat.TEXT
    output: Annotated[Path | None, Flag("Write to FILE, whole or not at all.", "FILE", Path, "-o")] = None


Tell = Callable[[Study, Iterator[Facts], Any, TextIO, World], int]


def under_policy(cases: Sequence[Case], path: Path | None, options: PolicyOptions) -> list[Case]:
    """The cases under the policy of a file, else their own, with the flags on top. Raises InputError."""
    policy = None if path is None else load_policy(path)
    return [_under(case, with_flags(policy or case.rehearsal.policy, options)) for case in cases]


def spare_inputs(cases: Iterable[Case], options: SweepOptions, world: World) -> None:
    """Raise UsageError where `-o` names a file of the rehearsals, or another that is read."""
    spare(options, world, dict.fromkeys(source.name for case in cases for source in case.rehearsal.sources))


def _under(case: Case, policy: Policy) -> Case:
    replace = msgspec.structs.replace
    return replace(case, rehearsal=replace(case.rehearsal, policy=policy))


def work_off(study: Study, work: Work, options: SweepOptions, telling: Any, world: World, tell: Tell) -> int:
    """Run a study and make its table, or of a shard the file that `merge` takes. Returns the exit code."""
    study, work = _dealt(study, work, options)
    if options.shard is not None:
        with output(world.stdout, options.output) as stream, sweeping(study, work, options, world) as facts:
            for line in shard_lines(study, facts):
                write_line(stream, line)
        return 0
    # What `tune` writes with -o is the policy it proposes; its table goes to the screen.
    target = None if study.kind is Kind.TUNE else options.output
    with output(world.stdout, target) as stream, sweeping(study, work, options, world) as facts:
        return tell(study, facts, telling, stream, world)


def _dealt(study: Study, work: Work, options: SweepOptions) -> tuple[Study, Work]:
    """The study and the work of the shard that was asked for. Raises UsageError for flags that do not go together."""
    if options.shard is None:
        return study, work
    asked_for: Any = getattr(options, "fail_on", None)
    # Refused and not ignored: a pipeline that asks for --fail-on and gets a shard would pass for ever.
    if options.format is not DiffFormat.TEXT or asked_for:
        raise UsageError("a shard has no table yet: no --format, no --fail-on", hint="merge takes both")
    number, of = options.shard
    return msgspec.structs.replace(study, shard=number, shards=of), sharded(work, number, of)


# A sweep may take hours. Each session's facts are kept as they come, in a file named by the digest of all that decides
# them: the same command goes on where it stopped, another one begins anew, and neither has to be told which.
@contextmanager
def sweeping(study: Study, work: Work, options: SweepOptions, world: World) -> Iterator[Iterator[Facts]]:
    """Run a study and give its facts in order. They are kept in a file beside the store until all went well."""
    kept = None if options.no_store else FactsFile.open(_path(study, options, world), study, go_on=options.continue_)
    # The table of a matrix is written as soon as its plan's sessions are done, and the bar stands in its way.
    ends = set(accumulate(case.trials for case in study.cases)) if study.kind is Kind.MATRIX else set()
    bar = Progress(world.stderr, study.sessions, world.clock, shown=not options.quiet, pauses=ends)
    done = False
    try:
        with _executor(options) as (executor, workers), bar:
            yield _found(work, kept, bar, executor, workers)
        done = True
    except (KeyboardInterrupt, StoppedError) as stop:
        if kept is not None:
            stop.add_note(f"{bar.done} of {study.sessions} sessions are kept: the same with --continue goes on")
        raise
    # A worker that was killed (say for want of memory) takes its batch along; everything before it is kept.
    except BrokenExecutor as error:
        raise BrokenSweepError("a process that ran sessions is gone", hint="--continue goes on") from error
    finally:
        if kept is not None:
            kept.close(done=done)


def _path(study: Study, options: SweepOptions, world: World) -> Path:
    part = f"-{study.shard}-of-{study.shards}" if study.shards > 1 else ""
    return world.store_folder(options.store) / "lab" / f"{study.kind}-{study.digest}{part}.facts"


def _found(
    work: Work, kept: FactsFile | None, bar: Progress, executor: Executor | None, workers: int
) -> Iterator[Facts]:
    if kept is not None:
        for one in kept.found():
            bar.tell(new=False)
            yield one
        work = _behind(work, kept.kept)
    for one in sweep_trials(work, executor, workers=workers):
        if kept is not None:
            kept.append(one)
        bar.tell()
        yield one


def _behind(work: Work, done: int) -> Iterator[tuple[Rehearsal, list[Trial]]]:
    """The work without its first so many trials."""
    for rehearsal, trials in work:
        if done < len(trials):
            yield rehearsal, list(islice(trials, done, None))
        done = max(0, done - len(trials))


@contextmanager
def _executor(options: SweepOptions) -> Iterator[tuple[Executor | None, int]]:
    """What runs the sessions, and how many at a time. None: this process."""
    if options.dask is not None:
        if options.jobs > 1:
            raise UsageError("--jobs and --dask exclude each other", hint="a cluster has its own workers")
        with _cluster(options.dask) as (executor, workers):
            yield executor, workers
    elif options.jobs > 1:
        with process_pool(options.jobs) as executor:
            yield executor, options.jobs
    else:
        yield None, 1


@contextmanager
def _cluster(address: str) -> Iterator[tuple[Executor, int]]:
    """The executor of a Dask cluster. Raises UsageError where it does not answer, or Dask is not installed."""
    try:
        # By name, so that neither mypy nor a plain installation needs it.
        distributed = import_module("distributed")
    except ImportError as error:
        raise UsageError("--dask needs Dask", hint="pip install 'replanctl[dask]'") from error
    try:
        client = distributed.Client(address, timeout=PATIENCE)
    except (OSError, ValueError) as error:
        raise UsageError(
            f"no Dask scheduler answers at {address}", hint="tcp://HOST:8786, as it says itself"
        ) from error
    with client:
        yield client.get_executor(), max(1, sum(client.nthreads().values()))
