"""`test`: rehearsals that say what they expect, collected and run by pytest."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, redirect_stdout
from enum import StrEnum
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from replanctl.cli.flags import Flag, Shared, Verb, duration, positive
from replanctl.cli.following import UNWATCHED, Unwatched
from replanctl.cli.output import OutputError, say, write_document
from replanctl.cli.spared import spare
from replanctl.cli.verbs import HELP
from replanctl.cli.world import World, failing_at_the_end
from replanctl.errors import UsageError
from replanctl.files import belongings, check_writable, is_folder, plans_in
from replanctl.host import PLANNER_TIMEOUT, outside_of

_INSTALL = "pip install pytest-xdist, or leave out -n"
_FAILED = (0, 1)  # pytest's codes for all passed and some failed are ours too


if TYPE_CHECKING:
    from replanctl.cli.collect import Reports


class TestFormat(StrEnum):
    """What is written behind pytest's report: nothing, annotations, or a summary in its place."""

    TEXT = "text"
    GITHUB = "github"
    MARKDOWN = "markdown"


class Options(Shared, frozen=True, kw_only=True):
    """What `test` takes."""

    paths: Annotated[
        tuple[Path, ...], Flag("Plans with an expect block, or folders.", "PATH", Path, positional=True, many=True)
    ]
    keyword: Annotated[str | None, Flag("Only tests whose names match.", "EXPRESSION", short="-k")] = None
    junit: Annotated[Path | None, Flag("Write a JUnit report.", "FILE", Path)] = None
    parallel: Annotated[int, Flag("So many processes (needs pytest-xdist).", "N", positive, "-n")] = 1
    update: Annotated[bool, Flag("Write what came into the expect blocks, comments kept.")] = False
    planner: Annotated[str | None, Flag("A command to ask for every replan, instead of the script.", "COMMAND")] = None
    planner_timeout: Annotated[float, Flag("How long it may take; else a minute.", "TIME", duration)] = PLANNER_TIMEOUT
    tools: Annotated[str | None, Flag("Python callables instead of scripted tools.", "MODULE:NAME")] = None
    format: Annotated[TestFormat, Flag("How to write it.", "FORMAT", TestFormat)] = TestFormat.TEXT


def execute(options: Options, world: World) -> int:
    """Run the tests; pytest writes the report."""
    import pytest

    from replanctl.cli.collect import Reports, Watching

    for path in options.paths:
        if not os.path.exists(path):  # noqa: PTH110  # a name that is too long is none either
            raise UsageError(f"there is no {path}", hint="name plans with an expect: block, or folders of them")
    if options.junit is not None:
        spare(options, world, _read(options.paths))
    if options.parallel > 1 and find_spec("xdist") is None:
        raise UsageError("-n runs tests side by side with pytest-xdist, which is not here", hint=_INSTALL)
    _check(options)
    reports, watching = Reports(), Watching()
    aside = options.format is TestFormat.MARKDOWN  # the summary is the result; pytest's own words go beside it
    with (
        failing_at_the_end(world.stdout),
        _without(world, "PYTEST_ADDOPTS", "PYTEST_PLUGINS"),
        redirect_stdout(sys.stderr) if aside else nullcontext(),
        _watched(options, world, watching.column) as watching.watch,
        _reported(options.junit),
    ):
        # pytest runs the tests, since it has everything that a runner needs (selection, reports, processes); but none
        # of what a project has set up for its own code, which has nothing to do with plans.
        code = pytest.main([*_arguments(options), *map(str, options.paths)], plugins=[reports, watching])
    _tell(reports, options, world)
    # Nothing tested is no success: a slip in a path would pass for ever.
    if code == pytest.ExitCode.NO_TESTS_COLLECTED and options.keyword:
        raise UsageError(f"no rehearsal with an expect: block matches -k {options.keyword}")
    if code == pytest.ExitCode.NO_TESTS_COLLECTED:
        raise UsageError("no rehearsal with an expect: block was found", hint="say in the plan what you expect of it")
    if code == pytest.ExitCode.INTERRUPTED and not options.quiet:
        raise UsageError("not every rehearsal could be read", hint="what is wrong with it stands above")
    if reports.unread:  # with several processes pytest takes that for a failure
        return UsageError.exit_code
    return int(code) if code in _FAILED else UsageError.exit_code


def _read(paths: Iterable[Path]) -> Iterator[Path]:
    """The plans named or in the folders named, and what lies beside each and is read with it."""
    for path in paths:
        for plan in plans_in(path) if is_folder(path) else [path]:
            yield from belongings(plan)


def _watched(options: Options, world: World, column: Callable[[], int]) -> AbstractContextManager[Unwatched]:
    """Who shows what real tools and a planner are waited for."""
    if options.tools is None and options.planner is None:
        return nullcontext(UNWATCHED)
    from replanctl.cli.waiting import watching_tests

    return watching_tests(options, world, column)


@contextmanager
def _reported(report: Path | None) -> Iterator[None]:
    """Say so where the report can't be written, at once or at the end. pytest makes the folders that it goes into."""
    try:
        if report is not None and report.parent.exists():
            check_writable(report)
        yield
    except OSError as error:
        if report is None:
            raise
        raise OutputError(str(report), error) from error


def _check(options: Options) -> None:
    """Raises UsageError for a planner or tools that can't be had, before anything runs."""
    if options.update and options.parallel > 1:
        raise UsageError("--update and -n exclude each other", hint="files are written one after the other")
    outside_of(options.planner, options.tools)


def _tell(reports: Reports, options: Options, world: World) -> None:
    """What goes beside or behind pytest's report."""
    from replanctl.show import Tested, github_lines, tests_markdown

    if reports.updated and not options.quiet:
        say(world.stderr, [f"updated {each}" for each in reports.updated])
    if options.format is TestFormat.GITHUB:
        problems = [*reports.unread, *(each.problem for each in reports.failed)]
        say(world.stdout, github_lines(problems))
    elif options.format is TestFormat.MARKDOWN:
        unread = [Tested(each.rule, each.file, each.line, (each.message,), str(each)) for each in reports.unread]
        write_document(world.stdout, tests_markdown(reports.passed, [*unread, *reports.failed]))


@contextmanager
def _without(world: World, *names: str) -> Iterator[None]:
    """pytest takes words, and code, from these variables: a test of a plan is the same in every environment."""
    before = {name: os.environ.pop(name) for name in names if name in os.environ}
    try:
        yield
    finally:
        os.environ.update(before)


def _arguments(options: Options) -> list[str]:
    """pytest's own words, without what a project around the plans has configured for its code."""
    words = [
        "-p",
        "replanctl.cli.collect",
        "-p",
        "no:replanctl",  # the plugin of this name is for projects that run pytest themselves
        "-c",
        str(_NO_CONFIG),
        f"--rootdir={Path.cwd()}",
        "-p",
        "no:cacheprovider",
        "--noconftest",
    ]
    if options.keyword:
        words += ["-k", options.keyword]
    if options.junit:
        words += [f"--junitxml={options.junit}"]
    if options.parallel > 1:
        # As with --jobs: more than a few for each core gain nothing, and a slip of the finger would fill the machine.
        words += ["-n", str(min(options.parallel, 4 * (os.cpu_count() or 1)))]
    for name in ("planner", "tools"):
        if (given := getattr(options, name)) is not None:
            words.append(f"--rehearsal-{name}={given}")
    if options.planner is not None:
        words.append(f"--rehearsal-planner-timeout={options.planner_timeout}")
    if options.update:
        words.append("--rehearsal-update")
    if options.quiet:
        words += ["-q"]
    return [*words, f"--color={ {'always': 'yes', 'never': 'no'}.get(options.color, 'auto') }"]


_NO_CONFIG = Path(__file__).parent.parent / "pytest.ini"

VERB = Verb(HELP["test"], Options, execute)
