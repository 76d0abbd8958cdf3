"""What showing costs before anything is shown."""

from __future__ import annotations

import subprocess
import sys

PROBE = """
import sys
from replanctl.show import diff, events, handover, ledger, lessons, paper, session, variables, verdict
print(*sorted(name for name in sys.modules if name.split(".")[0] in {"rich", "typer", "yaml", "sqlite3", "asyncio"}))
"""


def test_rich_is_not_loaded_until_something_is_drawn() -> None:
    found = subprocess.run([sys.executable, "-c", PROBE], capture_output=True, text=True, check=True)
    assert found.stdout == "\n"
