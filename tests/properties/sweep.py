"""Thousands of random sessions, each held against every law.

python -m tests.properties.sweep            as many as REPLANCTL_SESSIONS says, on every core
python -m tests.properties.sweep 0 1000     the seeds 0 to 999, here; what was seen as JSON on stdout
python -m tests.properties.sweep 4711       one seed as a plan file that does the same
"""

from __future__ import annotations

import os
import subprocess
import sys
import traceback
from collections.abc import Collection

import msgspec

from replanctl.files import Rehearsal
from tests.properties.laws import LAWS
from tests.properties.plan_file import plan_file
from tests.properties.rehearsals import of_seed
from tests.properties.run import Run, run
from tests.properties.seen import Tally, table

SESSIONS = 20_000
# Sessions in which engine and laws are known to part, and over what; a test holds that each still does, so that a mend
# takes its seed out of here.
KNOWN: dict[int, str] = {}
MOST_TOLD = 5  # broken sessions that one part of a sweep describes


def complaints(session: Run, *, but: Collection[str] = ()) -> list[str]:
    """Everything that every law says against a session, each with the law's name; `but` names laws not to be asked."""
    asked = [law for law in LAWS if law.__name__ not in but]
    return [f"{law.__name__}: {complaint}" for law in asked for complaint in law(session)]


def held(rehearsal: Rehearsal) -> tuple[Run | None, list[str]]:
    """The session over this rehearsal and what is wrong with it; an exception is always wrong."""
    try:
        session = run(rehearsal)
        return session, complaints(session)
    except Exception:  # the engine never raises, whatever it is given
        return None, [traceback.format_exc()]


def sweep(first: int, count: int) -> Tally:
    """The sessions of so many seeds."""
    tally = Tally()
    for seed in range(first, first + count):
        if seed in KNOWN:
            continue
        session, wrong = held(of_seed(seed))
        if session is not None:
            tally.add(session)
        if wrong and len(tally.broken) < MOST_TOLD:
            tally.broken.append(describe(seed, wrong))
    return tally


def describe(seed: int, wrong: list[str]) -> str:
    """A broken session: its seed, what is wrong with it, and the plan file that does the same."""
    return "\n".join((f"seed {seed}", *wrong, "", plan_file(of_seed(seed))))


def sweep_everywhere(sessions: int) -> Tally:
    """The same on every core, one process each."""
    workers = os.cpu_count() or 1
    parts = [(sessions * i // workers, sessions * (i + 1) // workers) for i in range(workers)]
    command = (sys.executable, "-m", "tests.properties.sweep")
    running = [
        subprocess.Popen([*command, str(first), str(last - first)], stdout=subprocess.PIPE) for first, last in parts
    ]
    tally = Tally()
    for process in running:
        out, _ = process.communicate()
        tally.merge(msgspec.json.decode(out, type=Tally))
    return tally


def sessions_asked_for() -> int:
    """How many sessions a sweep makes."""
    return int(os.environ.get("REPLANCTL_SESSIONS", SESSIONS))


def main(args: list[str]) -> int:
    """One part of a sweep, one seed, or all of it."""
    if len(args) == 2:
        sys.stdout.buffer.write(msgspec.json.encode(sweep(*map(int, args))))
        return 0
    if args:
        print(plan_file(of_seed(int(args[0]))), end="")
        return 0
    tally = sweep_everywhere(sessions_asked_for())
    print(table(tally), *tally.broken, sep="\n\n")
    return 1 if tally.broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
