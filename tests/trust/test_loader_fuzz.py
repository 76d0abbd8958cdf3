"""The loader never leaks: whatever is in a file, it is taken or refused in words, and what is taken can be run.

`REPLANCTL_FUZZ=100000 pytest -s tests/trust/test_loader_fuzz.py` tries so many other files and says what they took.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from replanctl.files import check_plan
from tests.cli.conftest import Cli
from tests.conftest import ROOT
from tests.pace import seconds_of
from tests.trust.documents import Kind
from tests.trust.fuzz import BASE, DAMAGES, Tally, check_found, files, hold, mutated, obey, variants

LONG = "REPLANCTL_FUZZ" in os.environ
COUNT = int(os.environ.get("REPLANCTL_FUZZ", "5000"))
MEGABYTES = 300
IN_ARGS = BASE.encode() + b"- id: 3\n  tool: t\n  args:\n    q: "
# The same files each time, so that a test that fails fails again. A long run begins with other ones each time.
_few = settings(derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))


@settings(_few, max_examples=100)
@given(data=st.data(), number=st.integers(0, 2**32))
@pytest.mark.parametrize("kind", Kind)
def test_whatever_is_in_a_file(kind: Kind, data: st.DataObject, number: int) -> None:
    for variant in variants(data.draw(files(kind)), Random(number)):
        hold(kind, variant, Tally())


@settings(_few, max_examples=max(30, COUNT // 1000))
@given(data=st.data(), number=st.integers(0, 2**32))
@pytest.mark.parametrize("kind", Kind)
def test_whatever_is_in_a_file_of_a_command_line(
    kind: Kind, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, number: int
) -> None:
    drawn = data.draw(files(kind))
    for each in (drawn, mutated(drawn, Random(number))):
        obey(kind, each, Cli(tmp_path_factory.mktemp("cli")))


@pytest.mark.parametrize("number", range(len(DAMAGES)))
@pytest.mark.parametrize(
    "above", [b"", BASE.encode() + b"- id: 3\n  tool: t\n  args:\n    q: "], ids=["alone", "in args"]
)
def test_a_long_run_of_one_damage_takes_time_by_its_length(above: bytes, number: int, tmp_path: Path) -> None:
    one = len(DAMAGES[number](1))
    data = above + DAMAGES[number](500_000 // one)
    path = tmp_path / "it.yaml"
    path.write_bytes(data)
    check_found(check_plan(path), data)
    assert seconds_of(lambda: check_plan(path), 2) < 2


def test_many_files_take_little() -> None:
    first = int(time.time()) if LONG else 0
    command = [sys.executable, "-m", "tests.trust.fuzz", str(COUNT), str(first)]
    done = subprocess.run(command, capture_output=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr.decode()
    tally = msgspec.json.decode(done.stdout, type=Tally)
    print(f"\n{tally}")
    assert tally.tried == COUNT
    assert min(tally.refused, tally.sessions) > 100
    assert tally.slowest < 1
    assert tally.megabytes < MEGABYTES
