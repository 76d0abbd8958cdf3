"""`init`: an example to begin with, a commented plan and the outcomes beside it, with the schemas that editors read."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec

from replanctl.cli.flags import Flag, Shared, Verb
from replanctl.cli.output import as_word, say
from replanctl.cli.verbs import HELP
from replanctl.cli.world import World
from replanctl.errors import UsageError
from replanctl.files import Role, file_schema

EXAMPLE = Path(__file__).parent.parent / "example"
FILES = ("plan.yaml", "plan.outcomes.yaml")
# The first line of each example names its schema, so that an editor with a YAML language server finds it.
SCHEMAS = {"plan.schema.json": Role.PLAN, "outcomes.schema.json": Role.OUTCOMES}


class Options(Shared, frozen=True, kw_only=True):
    """What `init` takes."""

    folder: Annotated[Path, Flag("Where to write; here when left out.", "DIR", Path, positional=True)] = Path()


def execute(options: Options, world: World) -> int:
    """Write the example, unless anything is there already."""
    texts = {options.folder / name: text for name, text in _texts().items()}
    try:
        for target in texts:
            # Everything is looked at before anything is written. A link counts even where it leads nowhere: writing
            # through it would make a file elsewhere.
            if target.exists() or target.is_symlink():
                raise UsageError(f"{target} is there already, and is left as it is", hint="name another folder")
        options.folder.mkdir(parents=True, exist_ok=True)
        for target, text in texts.items():
            with target.open("x", encoding="utf-8", newline="\n") as file:
                file.write(text)
    except OSError as error:
        raise UsageError(f"{options.folder} can't be written: {error.strerror}", hint="name another folder") from error
    if not options.quiet:
        plan, outcomes, *schemas = texts
        also = " and ".join(path.name for path in schemas)
        say(world.stderr, [f"wrote {plan} and {outcomes}: try replanctl run {as_word(plan)}"])
        say(world.stderr, [f"beside them {also}: editors complete keys by them, and mark what is wrong"])
    return 0


def _texts() -> dict[str, str]:
    """What is written, by file name."""
    examples = {name: (EXAMPLE / name).read_text(encoding="utf-8") for name in FILES}
    return examples | {name: _indented(file_schema(role)) for name, role in SCHEMAS.items()}


def _indented(schema: object) -> str:
    return msgspec.json.format(msgspec.json.encode(schema)).decode() + "\n"


VERB = Verb(HELP["init"], Options, execute)
