"""From recorded calls to steps: attempts of one call together, and the versions that failures cut a run into."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from msgspec import UNSET

from replanctl.kinds import ErrorType, Status
from replanctl.replan import ERROR_TYPES
from replanctl.traces.trace import RecordedCall

MOST_ATTEMPTS = 1000  # what a policy may allow


class Recorded(msgspec.Struct):
    """One call with all its attempts, and the number its step gets."""

    number: int
    attempts: list[RecordedCall]

    @property
    def first(self) -> RecordedCall:
        """The attempt that began it."""
        return self.attempts[0]

    @property
    def last(self) -> RecordedCall:
        """The attempt that decided it."""
        return self.attempts[-1]

    @property
    def succeeded(self) -> bool:
        """Whether the last attempt did."""
        return self.last.status is Status.OK

    @property
    def args(self) -> dict[str, Any]:
        """What it was called with; nothing where the recording does not say."""
        return {} if self.first.args is UNSET else self.first.args


def gather(calls: Iterable[RecordedCall]) -> list[Recorded]:
    """The calls in the order they began, repeats after an environmental failure as further attempts.

    A repeat is one that began after the failure had ended and before any other call did.
    """
    gathered: list[Recorded] = []
    failed: dict[tuple[str, bytes], Recorded] = {}
    for call in sorted(calls, key=lambda call: call.began):
        key = (call.tool, b"" if call.args is UNSET else msgspec.json.encode(call.args))
        before = failed.pop(key, None)
        failed = {other: step for other, step in failed.items() if step.last.ended > call.began}
        if before is not None and before.last.ended <= call.began and len(before.attempts) < MOST_ATTEMPTS:
            before.attempts.append(call)
        else:
            before = Recorded(len(gathered) + 1, [call])
            gathered.append(before)
        if ERROR_TYPES[call.status] is ErrorType.ENVIRONMENTAL if call.status is not Status.OK else False:
            failed[key] = before
    return gathered


def versions(steps: Sequence[Recorded]) -> list[list[Recorded]]:
    """The stretches that the recorded plan was in force for: each but the last ends with a call that failed."""
    found: list[list[Recorded]] = [[]]
    for step in steps:
        found[-1].append(step)
        if not step.succeeded:
            found.append([])
    return found
