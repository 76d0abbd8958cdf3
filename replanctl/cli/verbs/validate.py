"""`validate`: everything that is wrong with plan files, at once."""

from __future__ import annotations

from typing import Annotated

from replanctl.cli.flags import Flag, Shared, Verb
from replanctl.cli.output import answer, say
from replanctl.cli.world import World
from replanctl.errors import InputError, Problem, UsageError
from replanctl.files import check_plan, is_folder, plans_in
from replanctl.kinds import Format
from replanctl.show import count_line, problem_lines, problems_screen

INVALID = 1
UNREADABLE = InputError.exit_code


class Options(Shared, frozen=True, kw_only=True):
    """What `validate` takes."""

    plans: Annotated[
        tuple[str, ...],
        Flag("Files or folders of plans, outcomes, policies; - is standard input.", "PLAN", positional=True, many=True),
    ]
    strict: Annotated[bool, Flag("Warnings are errors.")] = False
    format: Annotated[Format, Flag("How to write it.", "FORMAT", Format)] = Format.TEXT


def execute(options: Options, world: World) -> int:
    """Check every file and list what was found."""
    plans = [each for plan in options.plans for each in _files(plan)]
    problems = [problem for plan in plans for problem in check_plan(plan, stdin=world.stdin)]
    valid = not any(problem.severity == "error" or options.strict for problem in problems)
    document = {"valid": valid, "problems": problems}
    answer(world.stdout, options.format, lambda: document, lambda: _list(problems, len(plans), options, world))
    if any(problem.severity == "error" and not problem.line for problem in problems):  # there was no text to check
        return UNREADABLE
    return 0 if valid else INVALID


def _files(plan: str) -> list[str]:
    """The file that is named, or every one of ours in the folder that is."""
    if plan == "-" or not is_folder(plan):
        return [plan]
    if found := [str(path) for path in plans_in(plan)]:
        return found
    raise UsageError(f"there is no plan in the folder {plan}", hint="name a file, or a folder of plans")


def _list(problems: list[Problem], plans: int, options: Options, world: World) -> None:
    if world.says_color(options.color, world.stdout):
        problems_screen(world.paper(world.stdout, options.color), problems, world.stdout.encoding)
    else:
        say(world.stdout, problem_lines(problems, world.stdout.encoding))
    if not options.quiet:
        say(world.stdout, [count_line(problems, plans)])


VERB = Verb("Check plan files and list everything that is wrong.", Options, execute)
