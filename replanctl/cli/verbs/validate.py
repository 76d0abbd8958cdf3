"""`validate`: everything that is wrong with plan files, at once."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import msgspec

from replanctl import __version__
from replanctl.cli.flags import Flag, Shared, Verb
from replanctl.cli.output import say, write_document, write_json, write_line
from replanctl.cli.telling import tell, tell_problems
from replanctl.cli.verbs import HELP
from replanctl.cli.world import World
from replanctl.errors import InputError, Problem, UsageError
from replanctl.files import check_plan, is_folder, plans_in
from replanctl.show import Span, count_line

INVALID = 1
UNREADABLE = InputError.exit_code


class CheckFormat(StrEnum):
    """How problems are written."""

    TEXT = "text"
    JSON = "json"
    GITHUB = "github"
    SARIF = "sarif"
    MARKDOWN = "markdown"


class Found(msgspec.Struct, frozen=True):
    """What is wrong in so many files, and whether they pass all the same."""

    valid: bool
    problems: list[Problem]
    files: int


class Options(Shared, frozen=True, kw_only=True):
    """What `validate` takes."""

    plans: Annotated[
        tuple[str, ...],
        Flag("Files or folders of plans, outcomes, policies; - is standard input.", "PLAN", positional=True, many=True),
    ]
    strict: Annotated[bool, Flag("Warnings are errors.")] = False
    format: Annotated[CheckFormat, Flag("How to write it.", "FORMAT", CheckFormat)] = CheckFormat.TEXT


def execute(options: Options, world: World) -> int:
    """Check every file and list what was found."""
    plans = [each for plan in options.plans for each in _files(plan)]
    # A file of outcomes that is named beside its plan is looked at twice.
    problems = list(dict.fromkeys(problem for plan in plans for problem in check_plan(plan, stdin=world.stdin)))
    valid = not any(problem.severity == "error" or options.strict for problem in problems)
    _WRITERS[options.format](Found(valid, problems, len(plans)), options, world)
    # A file that can't be read is another thing than one that is wrong, and a script may want to tell them apart.
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


def _as_text(found: Found, options: Options, world: World) -> None:
    tell_problems(world, world.stdout, options.color, found.problems)
    if not options.quiet:
        worst = {problem.severity for problem in found.problems}
        style = "failed" if "error" in worst else "gaps" if worst else "done"
        tell(world, world.stdout, options.color, [[Span(count_line(found.problems, found.files), style)]])


def _as_json(found: Found, options: Options, world: World) -> None:
    write_json(world.stdout, {"valid": found.valid, "problems": found.problems})


def _as_annotations(found: Found, options: Options, world: World) -> None:
    from replanctl.show import github_lines

    say(world.stdout, github_lines(found.problems))


def _as_sarif(found: Found, options: Options, world: World) -> None:
    from replanctl.show import sarif

    write_line(world.stdout, msgspec.json.format(msgspec.json.encode(sarif(found.problems, __version__))))


def _as_markdown(found: Found, options: Options, world: World) -> None:
    from replanctl.show import problems_markdown

    write_document(world.stdout, problems_markdown(found.problems, count_line(found.problems, found.files)))


_WRITERS = {
    CheckFormat.TEXT: _as_text,
    CheckFormat.JSON: _as_json,
    CheckFormat.GITHUB: _as_annotations,
    CheckFormat.SARIF: _as_sarif,
    CheckFormat.MARKDOWN: _as_markdown,
}

VERB = Verb(HELP["validate"], Options, execute)
