"""Recordings, planners and tools gone wrong, by the thousand: nothing leaks, and nothing takes long.

`REPLANCTL_FUZZ=100000 pytest -s tests/trust/test_many_answers.py` tries so many others and says what they took.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time

import msgspec
import pytest

from tests.conftest import ROOT
from tests.trust.fuzz import Tally

LONG = "REPLANCTL_FUZZ" in os.environ
COUNT = int(os.environ.get("REPLANCTL_FUZZ", "1000"))
MEGABYTES = 300


@pytest.mark.parametrize("what", ["answers", "trace_fuzz"])
def test_many_take_little(what: str) -> None:
    first = int(time.time()) * 1000 if LONG else 0
    command = [sys.executable, "-m", f"tests.trust.{what}", str(COUNT), str(first)]
    done = subprocess.run(command, capture_output=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr.decode()
    tally = msgspec.json.decode(done.stdout, type=Tally)
    print(f"\n{tally}")
    assert tally.tried == COUNT
    assert min(tally.refused, tally.sessions) > COUNT / 10
    assert tally.slowest < 1
    assert tally.megabytes < MEGABYTES
