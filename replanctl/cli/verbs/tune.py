"""`tune`: what each limit costs, and the smallest that lets finish what would finish."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import msgspec

from replanctl import __version__
from replanctl.cli.fail_on import FailOn, fail_on
from replanctl.cli.flags import Flag, Model, Price, PriceFile, Verb
from replanctl.cli.lab_tables import Telling, tell
from replanctl.cli.output import say_left_out
from replanctl.cli.overrides import policy_words
from replanctl.cli.prices import prices_of
from replanctl.cli.sweeping import SweepOptions, spare_inputs, under_policy, work_off
from replanctl.cli.verbs import HELP
from replanctl.cli.world import World
from replanctl.errors import UsageError
from replanctl.host import Case, load_corpus, stored_corpus
from replanctl.lab import Kind, tune_study
from replanctl.store import Store


class Options(SweepOptions, frozen=True, kw_only=True):
    """What `tune` takes. With `--output` it writes the policy; the table goes to standard output."""

    corpus: Annotated[
        tuple[str, ...],
        Flag(
            "Rehearsals, or folders of them; without any the runs of the store.", "CORPUS", positional=True, many=True
        ),
    ] = ()
    policy: Annotated[Path | None, Flag("The policy, instead of the rehearsals' own.", "FILE", Path)] = None
    fail_on: Annotated[
        tuple[FailOn, ...], Flag("Exit code 1 for any of these, with commas between.", "WORDS", fail_on(Kind.TUNE))
    ] = ()
    price: Price = ()
    prices: PriceFile = None
    model: Model = ()
    output: Annotated[Path | None, Flag("Write the policy with the limits to FILE.", "FILE", Path, "-o")] = None


def execute(options: Options, world: World) -> int:
    """Sweep, judge and tell; the exit code is 0, or 1 by `--fail-on`."""
    cases, left_out = _corpus(options, world)
    spare_inputs(cases, options, world)
    study, work = tune_study(under_policy(cases, options.policy, options), __version__, left_out)
    flags = policy_words(options, [options.policy] if options.policy is not None else [])
    prices = prices_of(options)
    telling = Telling(options.format, options.color, options.fail_on, options.output, options.store, prices)
    return work_off(
        msgspec.structs.replace(study, flags=flags, words=shlex.join(options.corpus)),
        work,
        options,
        telling,
        world,
        tell,
    )


def _corpus(options: Options, world: World) -> tuple[list[Case], int]:
    """The cases, and how many runs of a store can't be among them."""
    if options.corpus:
        return load_corpus(options.corpus, stdin=world.stdin), 0
    folder = world.store_folder(options.store)
    with Store.open(folder) as store:
        cases, left_out, damaged = stored_corpus(store)
    # A damaged run is named and left out: thousands of others are still worth a table.
    say_left_out(world.stderr, damaged)
    if not cases:
        what = "only runs with real tools or a planner" if left_out else "no runs"
        raise UsageError(f"there are {what} in {folder}", hint="name a CORPUS: files and folders of rehearsals")
    return cases, left_out


VERB = Verb(HELP["tune"], Options, execute)
