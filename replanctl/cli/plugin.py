"""The pytest plugin: `pytest plans/` runs the rehearsals that say what they expect, and tests have `rehearse`.

It is loaded in every project that has replanctl installed, and so imports nothing of it before there is a rehearsal.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from replanctl.cli.fixture import Rehearse

_SUFFIXES = (".yaml", ".yml")
# Every YAML file of somebody's project passes here. Bytes are looked at before anything of replanctl is loaded, and a
# file that is not plainly ours is left alone without a word.
_OURS = re.compile(rb"""^(?:\{[ \t]*)?["']?(?:goal|plan|outcomes|interruptions|scenarios)["']?[ \t]*:""", re.MULTILINE)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """A file is collected when it is plainly a plan of ours that expects something; all others are left to others."""
    if file_path.suffix not in _SUFFIXES or not _may_be_ours(file_path):
        return None
    from replanctl.cli.collect import plainly_ours, rehearsal_file

    named = parent.session.isinitpath(file_path)
    return rehearsal_file(file_path, parent) if plainly_ours(file_path, named=named) else None


def _may_be_ours(path: Path) -> bool:
    """Whether one of the keys that our files have stands at the top of this one."""
    try:
        return _OURS.search(path.read_bytes()) is not None
    except OSError:
        return False


def pytest_assertrepr_compare(op: str, left: object, right: object) -> list[str] | None:
    """`assert rehearse(…) == {…}` says what is other than expected, and tells the story of the step behind it."""
    if op != "==" or type(left).__name__ != "Rehearsed":
        return None
    from replanctl.cli.fixture import explained

    return explained(left, right)


@pytest.fixture
def rehearse(request: pytest.FixtureRequest) -> Rehearse:
    """Rehearse a plan: `rehearse("plans/vendors.yaml", max_replans=1).expect(reason="goal_met")`."""
    from replanctl.cli.fixture import Rehearse

    return Rehearse([request.path.parent, request.config.rootpath])
