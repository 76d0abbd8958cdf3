"""`merge`: the shards of a sweep into its table, the same to the byte as without shards."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

from replanctl.cli.facts_file import merged
from replanctl.cli.fail_on import WORDS, FailOn, fail_on
from replanctl.cli.flags import DiffFormat, Flag, Model, Price, PriceFile, Shared, Verb
from replanctl.cli.lab_tables import Telling, tell
from replanctl.cli.output import output
from replanctl.cli.prices import prices_of
from replanctl.cli.verbs import HELP
from replanctl.cli.world import World
from replanctl.errors import UsageError
from replanctl.lab import Facts, Kind, Study


class Options(Shared, frozen=True, kw_only=True):
    """What `merge` takes. Of a tuning `--output` is the policy, as `tune` has it."""

    files: Annotated[
        tuple[str, ...], Flag("All shards of one sweep, in any order.", "FILE", positional=True, many=True)
    ]
    format: Annotated[DiffFormat, Flag("How to write it.", "FORMAT", DiffFormat)] = DiffFormat.TEXT
    output: Annotated[Path | None, Flag("Write to FILE, whole or not at all.", "FILE", Path, "-o")] = None
    fail_on: Annotated[
        tuple[FailOn, ...], Flag("Exit code 1 for any of these, with commas between.", "WORDS", fail_on(*Kind))
    ] = ()
    price: Price = ()
    prices: PriceFile = None
    model: Model = ()


def execute(options: Options, world: World) -> int:
    """Read, put in order and tell; the exit code is 0, or 1 by `--fail-on`."""
    with merged(options.files) as (study, facts):
        return _tell(study, facts, options, world)


def _tell(study: Study, facts: Iterator[Facts], options: Options, world: World) -> int:
    known = [word.partition("=")[0] for word in WORDS[study.kind]]
    if unknown := [each.word for each in options.fail_on if each.word not in known]:
        raise UsageError(f"a {study.kind} has no {unknown[0]}", hint=f"it has {', '.join(WORDS[study.kind])}")
    policy = options.output if study.kind is Kind.TUNE else None
    telling = Telling(options.format, options.color, options.fail_on, policy, options.store, prices_of(options))
    with output(world.stdout, None if policy is not None else options.output) as stream:
        return tell(study, facts, telling, stream, world)


VERB = Verb(HELP["merge"], Options, execute)
