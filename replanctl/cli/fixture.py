"""The fixture `rehearse`: a plan rehearsed in a test, under a policy that the test states."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from msgspec import UNSET

from replanctl.cli.flags import flags_of
from replanctl.cli.overrides import PolicyOptions, with_flags
from replanctl.cli.rehearsed import Outside, Rehearsed, rehearsed
from replanctl.errors import UsageError
from replanctl.files import did_you_mean, load_rehearsal


class Rehearse:
    """Rehearses plans. Files are looked for in `folders`, in this order, and then where the test was started."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self._folders = folders

    def __call__(
        self,
        plan: str | Path,
        *,
        scenario: str | None = None,
        outcomes: str | Path | None = None,
        policy: str | Path | None = None,
        planner: str | None = None,
        tools: str | None = None,
        faults: Iterable[str] = (),
        **limits: Any,
    ) -> Rehearsed:
        """What came of the plan. Each of `limits` is a flag of `run` that speaks of the policy: `max_replans=2`,
        `mode="rewoo"`, `max_seconds="2m"`; None lifts a limit. Raises InputError, and UsageError.
        """
        __tracebackhide__ = True
        rehearsal = load_rehearsal(
            self._found(plan), outcomes=self._found(outcomes), policy=self._found(policy), scenario=scenario
        )
        stated = with_flags(rehearsal.policy, _options(limits))
        return rehearsed(rehearsal, stated, Outside(planner, tools), tuple(faults))

    def _found(self, path: Any) -> Any:
        if path is None:
            return None
        return next((found for folder in self._folders if (found := folder / path).exists()), path)


def _options(limits: dict[str, Any]) -> PolicyOptions:
    """The limits as `run` takes them, each read as a word of a command line is."""
    flags = {name: flag for name, flag in flags_of(PolicyOptions).items() if name in _LIMITS}
    for name in limits:
        if name not in flags:
            raise UsageError(f"{name} is no limit of a policy", hint=did_you_mean(name, flags, few=20))
    try:
        return PolicyOptions(**{name: _read(flags[name], value) for name, value in limits.items()})
    except ValueError as error:
        raise UsageError(str(error)) from None


def _read(flag: Any, value: Any) -> Any:
    # Read as words of a command line are, so that a test and a shell mean the same by `"2m"`.
    return flag.parse("none" if value is None else str(value))


# Those that a policy may leave open: what a session runs under, and not how it is shown or kept.
_LIMITS = tuple(name for name in PolicyOptions.__struct_fields__ if getattr(PolicyOptions(), name) is UNSET)


def explained(session: Any, expected: object) -> list[str] | None:
    """What pytest says where a session is not as a mapping says."""
    if not isinstance(session, Rehearsed) or not isinstance(expected, dict):
        return None
    return [f"{session!r} is other than expected", *session.told(session.other_than(expected)).splitlines()]
