"""`diff`: what one plan version, or plan file, changed against another."""

from __future__ import annotations

from typing import Annotated, assert_never

from replanctl.cli.flags import Flag, Shared, Verb, positive
from replanctl.cli.operands import Operand, Operands
from replanctl.cli.output import write_document, write_json
from replanctl.cli.verbs import HELP
from replanctl.cli.world import World
from replanctl.kinds import DiffFormat
from replanctl.plan import PlanDiff, diff_plans
from replanctl.show import RESUMED, words

DIFFERENT = 1


_SIDE = "v1, 7:v2 (of run 7), 7 (its last one), or a plan file (- is standard input)."


class Options(Shared, frozen=True, kw_only=True):
    """What `diff` takes."""

    old: Annotated[str, Flag(f"What to compare with: {_SIDE}", "A", positional=True, complete="points")]
    new: Annotated[str, Flag(f"What to compare: {_SIDE}", "B", positional=True, complete="points")]
    run: Annotated[
        int | None, Flag("The run that v1, v2 … belong to; else the latest.", "N", positive, complete="runs")
    ] = None
    format: Annotated[DiffFormat, Flag("How to write it.", "FORMAT", DiffFormat)] = DiffFormat.TEXT
    exit_code: Annotated[bool, Flag("Exit with 1 when the two differ.")] = False


def execute(options: Options, world: World) -> int:
    """Compare and tell."""
    operands = Operands(world.store_folder(options.store), options.run, world.stdin)
    old, new = operands.find(options.old), operands.find(options.new)
    diff = diff_plans(old.steps, new.since(old), old_name=old.name, new_name=new.name)
    held = old.kept if new.run == old.run else frozenset()  # the result of another run is of no use here
    match options.format:
        case DiffFormat.JSON:
            write_json(world.stdout, _document(diff))
        case DiffFormat.MARKDOWN:
            from replanctl.show import diff_markdown

            write_document(world.stdout, diff_markdown(diff, held=held))
        case DiffFormat.TEXT:
            from replanctl.show import diff_screen

            paper = world.paper(world.stdout, options.color)
            diff_screen(paper, diff, _why(old, new), held=held)
        case _:
            assert_never(options.format)
    # 0 unless asked, as `git diff` has it: in a script with `set -e` a difference is no error.
    return DIFFERENT if diff and options.exit_code else 0


def _document(diff: PlanDiff) -> dict[str, object]:
    return {
        name: getattr(diff, field)
        for field, name in zip(diff.__struct_fields__, diff.__struct_encode_fields__, strict=True)
    }


def _why(old: Operand, new: Operand) -> str:
    """Why a version was made, where it is compared with the one it was made from."""
    if old.version is None or new.version is None:
        return ""
    if (new.run, new.version.parent) != (old.run, old.version.version):
        return ""
    if new.version.granularity is None:
        return RESUMED
    said = f": {new.message}" if new.message else ""
    return f"{new.version.granularity}, because {words.version_cause(new.version.cause)}{said}"


VERB = Verb(HELP["diff"], Options, execute)
