"""The pytest plugin behind `replanctl test`: every plan file with an `expect:` block is a test."""

from __future__ import annotations

import os
import re
from collections.abc import Generator, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest

from replanctl.cli.following import UNWATCHED, Unwatched
from replanctl.cli.rehearsed import Outside, Rehearsed, rehearsed
from replanctl.errors import InputError, Problem, ReplanctlError
from replanctl.files import (
    Rehearsal,
    Role,
    Source,
    belongings,
    home_of,
    line_of,
    load_rehearsals,
    means_to_be_ours,
    named_after,
    place_of_expect,
    replaced,
    write_text,
)
from replanctl.host import PLANNER_TIMEOUT, updates
from replanctl.show import Tested, clean

# The key, quoted or not: what a file expects, or how the recording ended that it was made of.
_EXPECT = re.compile(rb"""\b(?:expect|recorded)["']?\s*:""")
_PLAN = tuple(re.compile(rf"""\b{key}["']?\s*:""".encode()) for key in ("goal", "steps"))


class ExpectationError(Exception):
    """The session did not come out as expected."""

    def __init__(self, tested: Tested) -> None:
        super().__init__(tested.told)
        self.tested = tested


# The name under which `replanctl test` gives pytest who watches. Processes of their own (-n) have none.
WATCH = "replanctl-watch"


class Watching:
    """Hands a watch to the tests, and knows how far the line is written that pytest is writing."""

    __name__ = WATCH  # pytest asks for it
    watch: Unwatched = UNWATCHED
    _reporter: Any = None

    def pytest_configure(self, config: pytest.Config) -> None:
        """Where pytest's own report is written."""
        self._reporter = config.pluginmanager.get_plugin("terminalreporter")

    def column(self) -> int:
        """How many columns of pytest's line are written; 0 where it does not write to a terminal."""
        writer = getattr(self._reporter, "_tw", None)
        return int(getattr(writer, "width_of_current_line", 0)) if getattr(self._reporter, "isatty", False) else 0


# With pytest-xdist the tests run elsewhere: nothing but reports comes back, as plain values. So what was other than
# expected travels on the report and not in a variable.
class Reports:
    """What became of each rehearsal, heard where the reports come together: also from other processes."""

    def __init__(self) -> None:
        self.passed = 0
        self.failed: list[Tested] = []
        self.unread: list[Problem] = []
        self.updated: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """A test is over."""
        self.passed += report.when == "call" and report.passed
        if tested := getattr(report, "rehearsal", None):
            self.failed.append(msgspec.convert(tested, Tested))
        if updated := getattr(report, "updated", None):
            self.updated.append(updated)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """A file was read, or could not be."""
        self.unread += msgspec.convert(getattr(report, "problems", []), list[Problem])


def pytest_addoption(parser: pytest.Parser) -> None:
    """What `replanctl test` hands over."""
    parser.addoption("--rehearsal-update", action="store_true")
    for name in ("--rehearsal-planner", "--rehearsal-tools", "--rehearsal-planner-timeout"):
        parser.addoption(name)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A report carries what was other than expected: it goes from process to process."""
    report: Any = yield
    if call.excinfo is not None and isinstance(call.excinfo.value, ExpectationError):
        report.rehearsal = msgspec.to_builtins(call.excinfo.value.tested)
    if call.when == "call" and isinstance(item, RehearsalItem) and item.updated:
        report.updated = item.updated
    return report  # type: ignore[no-any-return]


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """The same for what is wrong in a file."""
    report: Any = yield
    if isinstance(collector, RehearsalFile) and collector.problems:
        report.problems = msgspec.to_builtins(collector.problems)
    return report  # type: ignore[no-any-return]


class RehearsalFile(pytest.File):
    """A plan file that says what it expects. `problems` are what kept it from being read."""

    problems: tuple[Problem, ...] = ()

    def collect(self) -> Iterator[pytest.Item]:
        """One test for each script with an `expect:` block: the plan's own, and every scenario's."""
        home = named_after(self.path)
        # An outcomes file named together with its plan would give the same tests twice.
        if home is not None and self.session.isinitpath(home.plan):
            return  # its plan is named too, and has it
        try:
            rehearsals = load_rehearsals(self.path)
        except InputError as error:
            self.problems = tuple(self._near(each) for each in error.problems)
            raise self.CollectError(_lines(map(str, error.problems))) from error
        for rehearsal in rehearsals:
            expect = expected_of(rehearsal)
            if expect is not None:
                name = clean(f"{self.path.stem}{f'[{rehearsal.scenario}]' if rehearsal.scenario else ''}")
                yield RehearsalItem.from_parent(self, name=name, rehearsal=rehearsal, expect=expect)

    def _near(self, problem: Problem) -> Problem:
        """The same, its file as it is called from where the tests were started."""
        return msgspec.structs.replace(problem, file=os.path.relpath(problem.file, self.config.invocation_params.dir))


def expected_of(rehearsal: Rehearsal) -> dict[str, Any] | None:
    """What is expected of a rehearsal: what it says, else that it ends as the recording did that it was made of."""
    if rehearsal.expect is not None:
        return rehearsal.expect
    # Only the script that was recorded ended as the recording did; under another one nobody knows.
    as_recorded = rehearsal.scenario is None and not any(each.role is Role.OUTCOMES for each in rehearsal.sources)
    end = rehearsal.recorded.end if rehearsal.recorded is not None and as_recorded else None
    return None if end is None else {"status": end.value}


class RehearsalItem(pytest.Item):
    """One rehearsal and what it expects."""

    def __init__(self, *, rehearsal: Rehearsal, expect: dict[str, Any], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._rehearsal, self._expect = rehearsal, expect
        self.updated = ""

    def runtest(self) -> None:
        """Rehearse and compare, or write down what came."""
        option = self.config.getoption
        timeout = float(option("rehearsal_planner_timeout", None) or PLANNER_TIMEOUT)
        watch = getattr(self.config.pluginmanager.get_plugin(WATCH), "watch", UNWATCHED)
        outside = Outside(option("rehearsal_planner", None), option("rehearsal_tools", None), timeout, watch)
        session = rehearsed(self._rehearsal, self._rehearsal.policy, outside)
        update = option("rehearsal_update", False)
        if update and (changed := updates(self._expect, session.result)) and (place := self._place()):
            write_down(place, changed)
            said = ", ".join(".".join(map(str, path)) or "all of it" for path in changed)
            self.updated = clean(f"{self._file(place[0])}: {self.name}: {said}")
        elif found := session.other_than(self._expect):
            raise ExpectationError(self._tested(session, found))

    def _place(self) -> tuple[Source, tuple[str, ...]] | None:
        return place_of_expect(self._rehearsal)

    def _file(self, source: Source) -> str:
        return os.path.relpath(source.name, self.config.invocation_params.dir)

    def _tested(self, session: Rehearsed, found: list[str]) -> Tested:
        source, path = self._place() or (self._rehearsal.sources[0], ())
        told = _lines(session.told(found).split("\n"))
        return Tested(self.name, self._file(source), line_of(source, path), tuple(found), told)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """What was expected and what came, without a traceback."""
        if isinstance(excinfo.value, ExpectationError):
            return str(excinfo.value)
        if isinstance(excinfo.value, ReplanctlError):  # tools that lack a name, no room for what was found
            return _lines(filter(None, (str(excinfo.value), excinfo.value.hint)))
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Where the test stands and what it is called."""
        return self.path, None, f"rehearsal {self.name}"


@pytest.hookimpl(tryfirst=True)
def pytest_collect_directory(path: Path, parent: pytest.Collector) -> pytest.Collector:
    """A folder is a folder: as a Python package it would be imported."""
    return pytest.Dir.from_parent(parent, path=path)


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(
    file_path: Path, parent: pytest.Collector
) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """What others would collect is left out: code that lies beside a plan is not run, also where it is named."""
    yield
    found = _collected(file_path, parent)
    return [found] if found else []


def _collected(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Plans are collected by what is in them: one of a folder is not read without `expect` in it or beside it."""
    if parent.session.isinitpath(file_path):
        return rehearsal_file(file_path, parent)
    return rehearsal_file(file_path, parent) if _is_asked(file_path) else None


def plainly_ours(path: Path, *, named: bool) -> bool:
    """Whether a file among those of any project is a plan of ours that is asked something, or was `named` and is ours.

    Others have files with such words in them too: one that is not ours must not be an error of theirs.
    """
    try:
        text = path.read_bytes()
    except OSError:
        return False
    home = home_of(path)
    is_script = home is not None and home.plan.is_file()
    is_plan = means_to_be_ours(text.decode("utf-8", "replace")) and (named or all(key.search(text) for key in _PLAN))
    return (is_plan or is_script) and (named or _is_asked(path))


def _is_asked(path: Path) -> bool:
    """Whether a file of a folder asks something of a rehearsal, and is not read together with its plan."""
    if path.suffix not in (".yaml", ".yml") or named_after(path) is not None:
        return False
    if not any(_EXPECT.search(each.read_bytes()) for each in belongings(path) if each.is_file()):
        return False
    return not path.stem.endswith(".outcomes") or home_of(path) is not None


def rehearsal_file(path: Path, parent: pytest.Collector) -> RehearsalFile:
    """The collector of a file; pytest prints its id as it is, and a name can be anything."""
    id_ = clean(str(path.relative_to(parent.config.rootpath))) if path.is_relative_to(parent.config.rootpath) else None
    return RehearsalFile.from_parent(parent, path=path, nodeid=id_)


def write_down(place: tuple[Source, tuple[str, ...]], changed: Mapping[tuple[str | int, ...], Any]) -> None:
    """Put what came in the place of what was expected. Raises InputError where there is no room."""
    source, above = place
    path = Path(source.name)
    text = path.read_bytes().decode("utf-8-sig")  # of several tests in one file each changes what the others left
    write_text(path, replaced(source.name, text, {(*above, *below): value for below, value in changed.items()}))


def _lines(texts: Iterable[str]) -> str:
    """Texts that may be foreign, one on each line."""
    return "\n".join(map(clean, texts))
