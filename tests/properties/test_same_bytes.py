"""The same inputs give the same bytes: twice in one process, and in processes with other hashes, locales and zones."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.properties.digest import digest

SEEDS = range(40)

WORLDS = (
    {"PYTHONHASHSEED": "0", "LC_ALL": "C", "TZ": "UTC"},
    {"PYTHONHASHSEED": "1", "LC_ALL": "tr_TR.UTF-8", "TZ": "Asia/Kathmandu"},
    {"PYTHONHASHSEED": "4294967295", "LC_ALL": "de_DE.UTF-8", "TZ": "America/St_Johns", "PYTHONUTF8": "0"},
    {"PYTHONHASHSEED": "random", "LC_ALL": "C.UTF-8", "TZ": "Pacific/Kiritimati", "PYTHONOPTIMIZE": "1"},
)


def test_one_process_gives_the_same_bytes_again() -> None:
    assert [digest(seed) for seed in SEEDS] == [digest(seed) for seed in reversed(SEEDS)][::-1]


@pytest.mark.parametrize("world", WORLDS, ids=lambda world: f"{world['LC_ALL']} {world['TZ']}")
def test_another_process_gives_the_same_bytes(world: dict[str, str]) -> None:
    command = (sys.executable, "-m", "tests.properties.digest", str(SEEDS.start), str(SEEDS.stop))
    told = subprocess.run(command, env=os.environ | world, capture_output=True, text=True, check=True)
    assert told.stdout.split() == [digest(seed) for seed in SEEDS]
