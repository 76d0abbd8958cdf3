"""`compare`: the same scripts under several policies, paired; of one plan a race."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec

from replanctl import __version__
from replanctl.cli.fail_on import FailOn, fail_on
from replanctl.cli.flags import Flag, Model, Price, PriceFile, Verb
from replanctl.cli.lab_tables import Telling, tell
from replanctl.cli.overrides import with_flags
from replanctl.cli.prices import prices_of
from replanctl.cli.sweeping import SweepOptions, spare_inputs, under_policy, work_off
from replanctl.cli.verbs import HELP
from replanctl.cli.world import World
from replanctl.errors import UsageError
from replanctl.files import load_policy
from replanctl.host import Case, load_corpus
from replanctl.lab import Kind, Lane, Strategy, compare_study

ALL = "all"
OWN = "own"


def strategies(text: str) -> tuple[Strategy, ...]:
    """Names with commas between, or `all`; raises ValueError for any other."""
    names = [name.strip() for name in text.split(",")]
    if names == [ALL]:
        return tuple(Strategy)
    if unknown := [name for name in names if name not in list(Strategy)]:
        raise ValueError(f"{unknown[0]!r} is none of {', '.join(Strategy)}, {ALL}")
    return tuple(dict.fromkeys(map(Strategy, names)))


class Options(SweepOptions, frozen=True, kw_only=True):
    """What `compare` takes. Flags of a policy go on top of every lane."""

    corpus: Annotated[
        tuple[str, ...],
        Flag("Rehearsals, or folders of them; of one plan a race.", "CORPUS", positional=True, many=True),
    ]
    policy: Annotated[
        tuple[Path, ...], Flag("A policy to compare; with one alone, against the plans' own.", "FILE", Path, many=True)
    ] = ()
    strategies: Annotated[
        tuple[Strategy, ...],
        Flag("Strategies to compare, with commas between, or all.", "NAMES", strategies, complete="strategies"),
    ] = ()
    fail_on: Annotated[
        tuple[FailOn, ...], Flag("Exit code 1 for any of these, with commas between.", "WORDS", fail_on(Kind.COMPARE))
    ] = ()
    price: Price = ()
    prices: PriceFile = None
    model: Model = ()


def execute(options: Options, world: World) -> int:
    """Sweep, pair and tell; the exit code is 0, or 1 by `--fail-on`."""
    lanes = [*_policies(options), *options.strategies]
    cases = under_policy(load_corpus(options.corpus, stdin=world.stdin), None, options)
    if len(options.policy) == 1 and not options.strategies:
        lanes.insert(0, _own(cases))
    spare_inputs(cases, options, world)
    study, work = compare_study(cases, lanes, __version__)
    telling = Telling(options.format, options.color, options.fail_on, store=options.store, prices=prices_of(options))
    return work_off(study, work, options, telling, world, tell)


def _policies(options: Options) -> list[Lane | Strategy]:
    """A lane for each policy file, named after it; by its whole path where two are called alike."""
    stems = [path.stem for path in options.policy]
    # `base.yaml` of two folders would be two columns with one name.
    names = [str(path) if stems.count(path.stem) > 1 else path.stem for path in options.policy]
    if len(set(names)) < len(names):
        raise UsageError("one policy is given twice", hint="a lane is a policy")
    lanes = zip(names, map(load_policy, options.policy), strict=True)
    return [Lane(name, with_flags(policy, options)) for name, policy in lanes]


def _own(cases: list[Case]) -> Lane:
    """The plans' own policy, which is the first lane where one policy is given alone."""
    policies = {msgspec.json.encode(case.rehearsal.policy) for case in cases}
    # The first lane has to be one policy, or a pair would compare two things at once.
    if len(policies) > 1:
        raise UsageError("the plans have policies of their own that differ", hint="give --policy twice")
    return Lane(OWN, cases[0].rehearsal.policy)


VERB = Verb(HELP["compare"], Options, execute)
