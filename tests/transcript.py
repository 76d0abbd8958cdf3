"""Golden cases: a file holds command lines, the plan they read, and what they must say.

    # $ replanctl run - --max-replans 1     command lines; left out, `run -`
    goal: …                                 what `-` reads
    # output
    $ replanctl run - --max-replans 1       the expected transcript, at 80 columns and without colour

A `run` also says the facts of its JSON document, so that no figure hides behind a screen. A bug report becomes a test
by dropping in its plan; REPLANCTL_BLESS=1 writes what follows the marker.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tests.cli.conftest import Cli, Done

MARKER = "# output\n"
COMMAND = "# $ replanctl "
DEFAULT = "run -"


class Case(NamedTuple):
    """A golden case in its parts; `head` is everything before the marker."""

    head: str
    expected: str

    @classmethod
    def read(cls, file: Path) -> Case:
        """The case in a file."""
        head, _, expected = file.read_text(encoding="utf-8").partition(MARKER)
        return cls(head, expected)

    def write(self, file: Path, transcript: str) -> None:
        """Put this transcript behind the marker."""
        head = self.head if self.head.endswith("\n") else f"{self.head}\n"
        file.write_text(f"{head}{MARKER}{transcript}", encoding="utf-8", newline="\n")

    @property
    def commands(self) -> list[list[str]]:
        """The command lines, as words without the program's name."""
        lines = [line.removeprefix(COMMAND) for line in self.head.splitlines() if line.startswith(COMMAND)]
        return [shlex.split(line) for line in lines or [DEFAULT]]


def transcript(case: Case, cli: Cli) -> str:
    """What the command lines of a case say, one after the other, and how each ends."""
    return "\n".join(part for words in case.commands for part in _say(words, case, cli))


def _say(words: list[str], case: Case, cli: Cli) -> Iterator[str]:
    done = cli(*words, stdin=case.head)
    yield f"$ replanctl {shlex.join(words)}\n{_streams(done)}exit {done.code}\n"
    if words[0] == "run" and "--format" not in words and done.code < 2:
        document = json.loads(cli(*words, "--format", "json", "--no-store", stdin=case.head).out)
        yield "".join(f"{line}\n" for line in facts(document))


def _streams(done: Done) -> str:
    return done.out + "".join(f"! {line}\n" for line in done.err.splitlines())


def facts(document: dict[str, Any]) -> Iterator[str]:
    """The figures and decisions of a result, a line each."""
    yield f"{document['status']} {document['reason']} after {document['seconds']:g} s"
    for version in document["versions"]:
        steps = " ".join(f"{step['id']}:{step['state']}" for step in version["steps"])
        yield f"{version['version']} {version['granularity']} {version['rule']} {version['cause']}: {steps}"
    for route in document["routes"]:
        yield "route {version} {step_id} {error_type} {rule} {radius} {granularity} {escalated_from}".format(**route)
    for gate in document["gates"]:
        yield "gate {version} {step_id} {gate} {reading}/{limit} {admitted}".format(**gate)
    for name, variable in document["variables"].items():
        yield f"{name} {variable['health']} {variable['verdict']} {json.dumps(variable['value'], ensure_ascii=False)}"
    for gap in document["gaps"]:
        yield "gap {step_id} {error_type} {blocked_by}".format(**gap)
    for line in document["ledger"]["lines"]:
        yield "ledger {version} {step_id} {kind} {granularity} {estimated} {booked}".format(**line)
    yield "ledger main {main} remedy {remedy} all {all} ratio {ratio}".format(**document["ledger"]["totals"])
