"""The exception tree. Each class carries the exit code the command line ends with.

A tool's failure is never an exception: it is a value (`FailureSignal`). An exception here is bad
input, a store that cannot be used, or a bug.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec


class Problem(msgspec.Struct, frozen=True, gc=False):
    """One thing that is wrong (or doubtful) in an input, with its place and the way out.

    `line` and `column` count from 1; 0 means that the place is not known. `rule` is a stable
    kebab-case name; `severity` is `error` or `warning`; `excerpt` is the source line (of a very long
    one the part around the place, from `excerpt_column` on), `hint` the way out. Both may be empty.
    """

    file: str
    line: int
    column: int
    rule: str
    message: str
    severity: str = "error"
    excerpt: str = ""
    hint: str = ""
    excerpt_column: int = 1

    def __str__(self) -> str:
        hint = f" ({self.hint})" if self.hint else ""
        return f"{self.file}:{self.line}:{self.column}: {self.severity} [{self.rule}] {self.message}{hint}"


# Everything raised on purpose carries a way out and an exit code, so that the one place that catches it (`cli/app.py`)
# needs to know no class by name.
class ReplanctlError(Exception):
    """Base of everything replanctl raises on purpose; `hint` is the way out, in one line."""

    # By sysexits: an error of ours that is none of the classes below is a bug.
    exit_code = 70

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class UsageError(ReplanctlError):
    """The command line, or an argument of the Python API, makes no sense."""

    exit_code = 2


class InputError(ReplanctlError):
    """One or more input files can't be read or are invalid; `problems` holds every one of them."""

    exit_code = 2

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(map(str, self.problems)))


class StoreError(ReplanctlError):
    """The run store is locked, full, read-only or damaged."""

    exit_code = 3


class ReplayDivergedError(ReplanctlError):
    """A session did not come out the same again: its text names the event at which it parts."""

    exit_code = 4
