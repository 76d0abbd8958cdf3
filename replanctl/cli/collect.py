"""The pytest plugin behind `replanctl test`: every plan file with an `expect:` block is a test."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from replanctl.errors import InputError
from replanctl.files import Rehearsal, load_rehearsal
from replanctl.host import mismatches, session_of
from replanctl.run import fold
from replanctl.show import clean

# The key, quoted or not: what a file expects, or how the recording ended that it was made of.
_EXPECT = re.compile(rb"""\b(?:expect|recorded)["']?\s*:""")


class ExpectationError(Exception):
    """The session did not come out as expected."""


class RehearsalFile(pytest.File):
    """A plan file that says what it expects."""

    def collect(self) -> Iterator[pytest.Item]:
        """One test, when there is an `expect:` block."""
        try:
            rehearsal = load_rehearsal(self.path)
        except InputError as error:
            raise self.CollectError(_lines(map(str, error.problems))) from error
        expect = expected_of(rehearsal)
        if expect is not None:
            yield RehearsalItem.from_parent(self, name=clean(self.path.stem), rehearsal=rehearsal, expect=expect)


def expected_of(rehearsal: Rehearsal) -> dict[str, Any] | None:
    """What is expected of a rehearsal: what it says, else that it ends as the recording did that it was made of."""
    if rehearsal.expect is not None:
        return rehearsal.expect
    end = rehearsal.recorded.end if rehearsal.recorded is not None else None
    return None if end is None else {"status": end.value}


class RehearsalItem(pytest.Item):
    """One rehearsal and what it expects."""

    def __init__(self, *, rehearsal: Rehearsal, expect: dict[str, Any], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._rehearsal, self._expect = rehearsal, expect

    def runtest(self) -> None:
        """Rehearse and compare."""
        rehearsal = self._rehearsal
        result = fold(session_of(rehearsal, rehearsal.policy).events())
        if found := mismatches(self._expect, result):
            raise ExpectationError(_lines(found))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """What was expected and what came, without a traceback."""
        if isinstance(excinfo.value, ExpectationError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Where the test stands and what it is called."""
        return self.path, None, f"rehearsal {self.name}"


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Plans are collected by what is in them: one of a folder is not read without `expect` in it or beside it."""
    if parent.session.isinitpath(file_path):
        return _file(file_path, parent)
    if file_path.suffix not in (".yaml", ".yml") or file_path.stem.endswith(".outcomes"):
        return None
    beside = file_path.with_name(f"{file_path.stem}.outcomes{file_path.suffix}")
    if not any(_EXPECT.search(path.read_bytes()) for path in (file_path, beside) if path.is_file()):
        return None
    return _file(file_path, parent)


def _file(path: Path, parent: pytest.Collector) -> RehearsalFile:
    """The collector of a file; pytest prints its id as it is, and a name can be anything."""
    id_ = clean(str(path.relative_to(parent.config.rootpath))) if path.is_relative_to(parent.config.rootpath) else None
    return RehearsalFile.from_parent(parent, path=path, nodeid=id_)


def _lines(texts: Iterable[str]) -> str:
    """Texts that may be foreign, one on each line."""
    return "\n".join(map(clean, texts))
