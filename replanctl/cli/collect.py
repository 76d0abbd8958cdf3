"""The pytest plugin behind `replanctl test`: every plan file with an `expect:` block is a test."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from replanctl.cli.rehearsed import rehearsed
from replanctl.errors import InputError
from replanctl.files import Rehearsal, Role, belongings, home_of, load_rehearsals, means_to_be_ours, named_after
from replanctl.show import clean

# The key, quoted or not: what a file expects, or how the recording ended that it was made of.
_EXPECT = re.compile(rb"""\b(?:expect|recorded)["']?\s*:""")
_PLAN = tuple(re.compile(rf"""\b{key}["']?\s*:""".encode()) for key in ("goal", "steps"))


class ExpectationError(Exception):
    """The session did not come out as expected."""


class RehearsalFile(pytest.File):
    """A plan file that says what it expects."""

    def collect(self) -> Iterator[pytest.Item]:
        """One test for each script with an `expect:` block: the plan's own, and every scenario's."""
        home = named_after(self.path)
        if home is not None and self.session.isinitpath(home.plan):
            return  # its plan is named too, and has it
        try:
            rehearsals = load_rehearsals(self.path)
        except InputError as error:
            raise self.CollectError(_lines(map(str, error.problems))) from error
        for rehearsal in rehearsals:
            expect = expected_of(rehearsal)
            if expect is not None:
                name = clean(f"{self.path.stem}{f'[{rehearsal.scenario}]' if rehearsal.scenario else ''}")
                yield RehearsalItem.from_parent(self, name=name, rehearsal=rehearsal, expect=expect)


def expected_of(rehearsal: Rehearsal) -> dict[str, Any] | None:
    """What is expected of a rehearsal: what it says, else that it ends as the recording did that it was made of."""
    if rehearsal.expect is not None:
        return rehearsal.expect
    as_recorded = rehearsal.scenario is None and not any(each.role is Role.OUTCOMES for each in rehearsal.sources)
    end = rehearsal.recorded.end if rehearsal.recorded is not None and as_recorded else None
    return None if end is None else {"status": end.value}


class RehearsalItem(pytest.Item):
    """One rehearsal and what it expects."""

    def __init__(self, *, rehearsal: Rehearsal, expect: dict[str, Any], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._rehearsal, self._expect = rehearsal, expect

    def runtest(self) -> None:
        """Rehearse and compare."""
        session = rehearsed(self._rehearsal, self._rehearsal.policy)
        if found := session.other_than(self._expect):
            raise ExpectationError(_lines(session.told(found).split("\n")))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """What was expected and what came, without a traceback."""
        if isinstance(excinfo.value, ExpectationError):
            return str(excinfo.value)
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


def _lines(texts: Iterable[str]) -> str:
    """Texts that may be foreign, one on each line."""
    return "\n".join(map(clean, texts))
