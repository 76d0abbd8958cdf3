"""`init`: an example to begin with, a commented plan and the outcomes beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from replanctl.cli.flags import Flag, Shared, Verb
from replanctl.cli.output import as_word, say
from replanctl.cli.world import World
from replanctl.errors import UsageError

EXAMPLE = Path(__file__).parent.parent / "example"
FILES = ("plan.yaml", "plan.outcomes.yaml")


class Options(Shared, frozen=True, kw_only=True):
    """What `init` takes."""

    folder: Annotated[Path, Flag("Where to write; here when left out.", "DIR", Path, positional=True)] = Path()


def execute(options: Options, world: World) -> int:
    """Write the example, unless anything is there already."""
    targets = [options.folder / name for name in FILES]
    for target in targets:
        if target.exists() or target.is_symlink():
            raise UsageError(f"{target} is there already, and is left as it is", hint="name another folder")
    try:
        options.folder.mkdir(parents=True, exist_ok=True)
        for target in targets:
            with target.open("x", encoding="utf-8", newline="\n") as file:
                file.write((EXAMPLE / target.name).read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{options.folder} can't be written: {error.strerror}", hint="name another folder") from error
    if not options.quiet:
        say(world.stderr, [f"wrote {targets[0]} and {targets[1]}: try replanctl run {as_word(targets[0])}"])
    return 0


VERB = Verb("Write an example plan with outcomes to begin with.", Options, execute)
