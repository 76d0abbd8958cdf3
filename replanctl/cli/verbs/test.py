"""`test`: rehearsals that say what they expect, collected and run by pytest."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

from replanctl.cli.flags import Flag, Shared, Verb
from replanctl.cli.spared import spare
from replanctl.cli.values import positive
from replanctl.cli.world import World, failing_at_the_end
from replanctl.errors import UsageError

_INSTALL = "pip install pytest-xdist, or leave out -n"
_FAILED = (0, 1)  # pytest's codes for all passed and some failed are ours too


class Options(Shared, frozen=True, kw_only=True):
    """What `test` takes."""

    paths: Annotated[
        tuple[Path, ...], Flag("Plans with an expect block, or folders.", "PATH", Path, positional=True, many=True)
    ]
    keyword: Annotated[str | None, Flag("Only tests whose names match.", "EXPRESSION", short="-k")] = None
    junit: Annotated[Path | None, Flag("Write a JUnit report.", "FILE", Path)] = None
    parallel: Annotated[int, Flag("So many processes (needs pytest-xdist).", "N", positive, "-n")] = 1


def execute(options: Options, world: World) -> int:
    """Run the tests; pytest writes the report."""
    import pytest

    for path in options.paths:
        if not path.exists():
            raise UsageError(f"there is no {path}")
    spare("--junit", options.junit, options.paths, world, options.store)
    if options.parallel > 1 and find_spec("xdist") is None:
        raise UsageError("-n runs tests side by side with pytest-xdist, which is not here", hint=_INSTALL)
    with failing_at_the_end(world.stdout), _without(world, "PYTEST_ADDOPTS", "PYTEST_PLUGINS"):
        code = pytest.main([*_arguments(options), *map(str, options.paths)], plugins=[])
    if code == pytest.ExitCode.NO_TESTS_COLLECTED and options.keyword:
        raise UsageError(f"no rehearsal with an expect: block matches -k {options.keyword}")
    if code == pytest.ExitCode.NO_TESTS_COLLECTED:
        raise UsageError("no rehearsal with an expect: block was found", hint="say in the plan what you expect of it")
    if code == pytest.ExitCode.INTERRUPTED and not options.quiet:
        raise UsageError("not every rehearsal could be read")
    return int(code) if code in _FAILED else UsageError.exit_code


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
        words += ["-n", str(options.parallel)]
    if options.quiet:
        words += ["-q"]
    return [*words, f"--color={ {'always': 'yes', 'never': 'no'}.get(options.color, 'auto') }"]


_NO_CONFIG = Path(__file__).parent.parent / "pytest.ini"

VERB = Verb("Run rehearsals that say what they expect.", Options, execute)
