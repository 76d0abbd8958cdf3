"""`coupling`: what each step's failure would take with it, and what the plan file should say of it."""

from __future__ import annotations

from typing import Annotated

import msgspec

from replanctl.cli.flags import Flag, Format, Shared, Verb
from replanctl.cli.output import answer, say
from replanctl.cli.verbs import HELP
from replanctl.cli.world import World
from replanctl.errors import UsageError
from replanctl.files import Source, parse_rehearsal, read_plan, write_text
from replanctl.kinds import OnFailure
from replanctl.plan import CouplingRow, Step, coupling

KEY = "on_failure"


class Options(Shared, frozen=True, kw_only=True):
    """What `coupling` takes."""

    plan: Annotated[str, Flag("The plan's YAML file; - is standard input.", "PLAN", positional=True)]
    write: Annotated[bool, Flag("Put on_failure into the steps of the file that say nothing.")] = False
    format: Annotated[Format, Flag("How to write it.", "FORMAT", Format)] = Format.TEXT


def execute(options: Options, world: World) -> int:
    """Test every step; with `--write`, put the answers into the file."""
    if options.write and options.plan == "-":
        raise UsageError("standard input can't be written to", hint="name the plan's file")
    source = read_plan(options.plan, stdin=world.stdin)
    rehearsal = parse_rehearsal([source])
    steps = rehearsal.plan.steps
    rows = coupling(steps, rehearsal.policy.solver.required_steps)
    # A step that says something is left alone: the author knows more than the graph.
    silent = {row.step_id: row.on_failure for row, step in zip(rows, steps, strict=True) if step.on_failure is None}
    if options.write and silent:
        _write(source, silent)
    _show(options, world, steps, rows)
    if not options.quiet and options.format is Format.TEXT:
        say(world.stderr, [_note(options, len(silent))])
    return 0


def _write(source: Source, silent: dict[str, OnFailure]) -> None:
    from replanctl.files import say_in_steps

    write_text(source.name, say_in_steps(source.name, source.text, KEY, silent))


def _show(options: Options, world: World, steps: tuple[Step, ...], rows: tuple[CouplingRow, ...]) -> None:
    said = [step.on_failure for step in steps]

    def screen() -> None:
        from replanctl.show import coupling_screen

        coupling_screen(world.paper(world.stdout, options.color), rows, said)

    documents = [_document(row, on_failure) for row, on_failure in zip(rows, said, strict=True)]
    answer(world.stdout, options.format, lambda: {"steps": documents}, screen)


def _document(row: CouplingRow, said: OnFailure | None) -> dict[str, object]:
    return {**msgspec.structs.asdict(row), "said": said}


def _note(options: Options, silent: int) -> str:
    """What was written, or could be."""
    if not silent:
        return f"every step says its {KEY}: there is nothing to write"
    steps = f"{silent} step{'' if silent == 1 else 's'}"
    if options.write:
        return f"wrote {KEY} into {steps} of {options.plan}"
    return f"{steps} {'says' if silent == 1 else 'say'} nothing: --write puts the answer into the file"


VERB = Verb(HELP["coupling"], Options, execute)
