"""What `import` makes of any file: rehearsals that load and go the recorded way, or words with a place.

`python -m tests.trust.trace_fuzz COUNT SEED` tries so many files and writes what it took as JSON.
"""

from __future__ import annotations

import gzip
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from replanctl.errors import InputError
from replanctl.files import Role, Source, load_classes, parse_rehearsal
from replanctl.traces import Imported, Kind, import_traces
from tests.cli.conftest import Cli
from tests.pace import slowness
from tests.traces.mutations import mutated, spoiled
from tests.traces.test_cases import RECORDINGS
from tests.traces.test_fuzz import holds, values_of
from tests.trust.fuzz import SLOW, Tally, check_refusal
from tests.trust.fuzz import mutated as damaged
from tests.trust.measured import peak_megabytes

THROUGH_THE_COMMAND = 20  # one file of so many is given to the command line as well
JSON = [path for path in RECORDINGS if path.suffix != ".txt"]
CLASSES = b"- when: {tool: look, text: none}\n  status: empty\n- when: {path: /a, equals: 1}\n  status: shape\n"


# -- files -------------------------------------------------------------------------------------------------------------


@cache
def _bytes(path: Path) -> bytes:
    return path.read_bytes()


@cache
def _values(path: Path) -> str:
    return json.dumps(values_of(path))


def with_other_values(dice: Random) -> bytes:
    """A recording of which one to three values are changed, as lines or as one document."""
    values: Any = json.loads(_values(dice.choice(JSON)))
    if dice.random() < 0.2:
        values += json.loads(_values(dice.choice(JSON)))
    held = {"lines": values}
    for _ in range(dice.choice((1, 1, 2, 3))):
        held = mutated(held, dice) if held else {"lines": []}
    found = held.get("lines")
    if isinstance(found, list) and (len(found) != 1 or dice.random() < 0.5):
        return b"\n".join(json.dumps(value).encode() for value in found)
    return json.dumps(found[0] if isinstance(found, list) else found, indent=dice.choice((None, 2))).encode()


def with_other_bytes(dice: Random) -> bytes:
    """A recording of which bytes are changed."""
    data = _bytes(dice.choice(RECORDINGS))
    for _ in range(dice.choice((1, 1, 2))):
        data = dice.choice((spoiled, damaged))(data or b"{}", dice)
    return data


def packed(dice: Random) -> bytes:
    """A packed recording, spoilt before, after, or not at all; also two behind one another."""
    data = gzip.compress(dice.choice((with_other_values, with_other_bytes))(dice), 1)
    if dice.random() < 0.2:
        data += gzip.compress(_bytes(dice.choice(RECORDINGS)), 1)
    return spoiled(data, dice) if dice.random() < 0.6 else data


MAKERS: tuple[Callable[[Random], bytes], ...] = (
    with_other_values, with_other_values, with_other_values, with_other_bytes, with_other_bytes, packed
)  # fmt: skip


# -- what must be true of each -----------------------------------------------------------------------------------------


def hold(data: bytes, dice: Random, tally: Tally) -> None:
    """Import this file as promised. Raises AssertionError, or whatever leaks."""
    tally.tried += 1
    path = _file(data)
    settings: dict[str, Any] = {
        "kind": dice.choice((None, None, None, *Kind)), "plan": dice.choice(("recorded", "recorded", "whole")),
        "values": dice.choice(("keep", "keep", "shape", "hash")), "partial": dice.random() < 0.4,
        "solved": dice.choice((None, "/reward=1.0", "/a/0=x")),
    }  # fmt: skip
    began = time.process_time()
    try:
        found = list(import_traces(path, **settings))
        holds(found)
        tally.sessions += sum(_loads(each) for each in found)
        tally.refused += all(each.text is None for each in found)
    except InputError as refused:
        tally.refused += 1
        assert refused.problems
    took = time.process_time() - began
    tally.seconds += took
    if took >= SLOW:  # by our own slowness, or the machine's
        took /= slowness()
    tally.slowest = max(tally.slowest, took)
    assert took < SLOW, f"{took} s"


def _loads(found: Imported) -> bool:
    """Whether there is a rehearsal; one that there is can be read again."""
    if found.text is None:
        return False
    rehearsal = parse_rehearsal([Source("it.yaml", Role.PLAN, found.text)])
    assert rehearsal.recorded is not None
    assert rehearsal.recorded.bound == found.report.bound
    return True


def sort_answers(data: bytes) -> None:
    """Rules for what tools said, of which bytes are changed, are taken or refused with their places."""
    try:
        load_classes(_file(data))
    except InputError as refused:
        check_refusal(refused.problems, data)


def obey(data: bytes, cli: Cli) -> None:
    """The command line imports this file whole, in part or not at all, and says so."""
    (cli.folder / "it").write_bytes(data)
    done = cli("import", "it", "-o", cli.folder / "out", "--force", "--format", "json")
    assert "Traceback" not in done.err
    assert done.code in (0, 1, 2), done.err
    if done.out:
        totals = msgspec.json.decode(done.out)["totals"]
        assert (done.code == 2) == (totals["read"] == 0)
    else:
        assert (done.code, "error [" in done.err) == (2, True)


def _file(data: bytes) -> Path:
    path = Path(tempfile.gettempdir(), f"replanctl-trace-fuzz-{os.getpid()}")
    path.write_bytes(data)
    return path


# -- many --------------------------------------------------------------------------------------------------------------


def made(number: int) -> tuple[bytes, Random]:
    """File so and so, and the dice that say how it is read."""
    dice = Random(f"trace {number}")
    return dice.choice(MAKERS)(dice), dice


def fuzz(numbers: Iterator[int] | range) -> Tally:
    """Each of these files held to what is promised. Raises AssertionError at the first one that breaks it."""
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder:
        cli = Cli(Path(folder))
        for number in numbers:
            data, dice = made(number)
            try:
                hold(data, dice, tally)
                if number % THROUGH_THE_COMMAND == 0:
                    obey(data, cli)
                    sort_answers(damaged(CLASSES, dice))
            except BaseException as error:
                error.add_note(f"file {number}")
                raise
    tally.megabytes = peak_megabytes()
    return tally


if __name__ == "__main__":
    count, first = map(int, sys.argv[1:])
    sys.stdout.buffer.write(msgspec.json.encode(fuzz(range(first, first + count))))
