"""`diff`: what one plan version, or plan file, changed against another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, assert_never

from msgspec.structs import asdict

from replanctl.cli.flags import DiffFormat, Flag, Shared, Verb, positive
from replanctl.cli.operands import Operand, Operands, Whole
from replanctl.cli.output import write_document, write_json
from replanctl.cli.verbs import HELP
from replanctl.cli.world import World
from replanctl.plan import PlanDiff, diff_plans
from replanctl.run import RunsDiff
from replanctl.show import RESUMED, words

if TYPE_CHECKING:
    from replanctl.show import Side

DIFFERENT = 1


_SIDE = "v1, 7:v2 (of run 7), 7 (the run, and its last one), or a plan file (- is standard input)."


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
    runs = None if old.whole is None or new.whole is None else RunsDiff(old.whole.figures, new.whole.figures)
    match options.format:
        case DiffFormat.JSON:
            write_json(world.stdout, _document(diff) | _runs_document(old, new, runs))
        case DiffFormat.MARKDOWN:
            from replanctl.show import diff_markdown, runs_diff_markdown

            if runs is not None:
                write_document(world.stdout, runs_diff_markdown(runs, *_sides(old, new)))
            write_document(world.stdout, diff_markdown(diff, held=held))
        case DiffFormat.TEXT:
            from replanctl.show import diff_screen, runs_diff_screen

            paper = world.paper(world.stdout, options.color)
            if runs is not None:
                runs_diff_screen(paper, runs, *_sides(old, new))
            diff_screen(paper, diff, _why(old, new), held=held)
        case _:
            assert_never(options.format)
    # 0 unless asked, as `git diff` has it: in a script with `set -e` a difference is no error.
    return DIFFERENT if (diff or runs) and options.exit_code else 0


def _document(diff: PlanDiff) -> dict[str, object]:
    return {
        name: getattr(diff, field)
        for field, name in zip(diff.__struct_fields__, diff.__struct_encode_fields__, strict=True)
    }


def _runs_document(old: Operand, new: Operand, runs: RunsDiff | None) -> dict[str, object]:
    """Of two runs also what each came to, and the routes of both."""
    if runs is None:
        return {}
    sides = [{"run": side.run, "plan": side.plan, **asdict(side.figures)} for side in _wholes(old, new)]
    for side in sides:
        del side["decisions"]
    routes = [{"mark": each.mark, **asdict(each.decision)} for each in runs.decisions]
    return {"runs": sides, "routes": routes}


def _wholes(old: Operand, new: Operand) -> list[Whole]:
    return [side.whole for side in (old, new) if side.whole is not None]


def _sides(old: Operand, new: Operand) -> list[Side]:
    from replanctl.show import Side

    return [Side(whole.run, whole.plan) for whole in _wholes(old, new)]


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
