"""What a command line says of how a stopped run goes on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from msgspec import UNSET, UnsetType

from replanctl.cli.flags import Flag
from replanctl.cli.overrides import RaiseOptions, gates_given
from replanctl.host import Changes
from replanctl.kinds import Granularity
from replanctl.run import Word, word


class AmendOptions(RaiseOptions, frozen=True, kw_only=True):
    """What a command line can change of a stopped run. It holds from where the run goes on."""

    granularity: Annotated[
        Granularity | UnsetType, Flag("Force this depth on every replan from here on.", "GRANULARITY", Granularity)
    ] = UNSET
    goal: Annotated[str | None, Flag("Change the goal.", "TEXT")] = None
    outcomes: Annotated[Path | None, Flag("What tool calls return from here on.", "FILE", Path)] = None
    settle: Annotated[
        tuple[Word, ...],
        Flag("What came of a call that may have happened: done, again or skip.", "STEP=done:JSON", word, many=True),
    ] = ()


def changes(options: AmendOptions) -> Changes:
    """The changes that these options are."""
    return Changes(
        limits=gates_given(options),
        granularity=None if options.granularity is UNSET else options.granularity,
        goal=options.goal,
        outcomes=options.outcomes,
        settle=options.settle,
    )
