"""`matrix`: every step under every failure, and where a policy leaves no way out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec

from replanctl import __version__
from replanctl.cli.fail_on import FailOn, fail_on
from replanctl.cli.flags import Flag, Verb, count
from replanctl.cli.lab_tables import Telling, tell
from replanctl.cli.overrides import policy_words
from replanctl.cli.sweeping import SweepOptions, spare_inputs, under_policy, work_off
from replanctl.cli.verbs import HELP
from replanctl.cli.world import World
from replanctl.host import load_corpus
from replanctl.lab import Kind, MatrixOptions, matrix_study


class Options(SweepOptions, frozen=True, kw_only=True):
    """What `matrix` takes."""

    plans: Annotated[
        tuple[str, ...],
        Flag("Plans, or folders of rehearsals; - is standard input.", "PLAN", positional=True, many=True),
    ]
    policy: Annotated[Path | None, Flag("The policy, instead of the plans' own.", "FILE", Path)] = None
    goals: Annotated[bool, Flag("Each goal change after each step, too.")] = False
    pairs: Annotated[int, Flag("A sample of so many pairs of faults, too.", "N", count)] = 0
    fail_on: Annotated[
        tuple[FailOn, ...], Flag("Exit code 1 for any of these, with commas between.", "WORDS", fail_on(Kind.MATRIX))
    ] = ()


def execute(options: Options, world: World) -> int:
    """Sweep and tell; the exit code is 0, or 1 by `--fail-on`."""
    cases = under_policy(load_corpus(options.plans, scenarios=False, stdin=world.stdin), options.policy, options)
    spare_inputs(cases, options, world)
    study, work = matrix_study(cases, MatrixOptions(options.goals, options.pairs), __version__)
    flags = policy_words(options, [options.policy] if options.policy is not None else [])
    telling = Telling(options.format, options.color, options.fail_on, store=options.store)
    return work_off(msgspec.structs.replace(study, flags=flags), work, options, telling, world, tell)


VERB = Verb(HELP["matrix"], Options, execute)
