"""Scripted outcomes and interruptions: the mock world as a file describes it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import UNSET

from replanctl.files.faults import At
from replanctl.files.shapes import (
    MOST,
    Fields,
    anything,
    choice,
    kind,
    list_of,
    made_of,
    mapping,
    names,
    optional,
    record,
    text,
    whole,
    words,
)
from replanctl.files.words import duration, known_assumption, known_step, known_tool
from replanctl.kinds import Status
from replanctl.run import Interruption
from replanctl.script import Entry, Match, OutcomeRule

_VERSION = re.compile(r"v([1-9][0-9]{0,17})")


@made_of("numbered", _VERSION.pattern, 1)
def _version(value: Any, at: At) -> Any:
    """A plan version, as v2 or 2."""
    found = _VERSION.fullmatch(value) if isinstance(value, str) else None
    if found:
        return int(found[1])
    if isinstance(value, int) and not isinstance(value, bool) and value >= 1:
        return value
    return at.error("bad-version", f"expected a plan version, got {kind(value)}", "write v2 or 2")


# What a rule is about. A step that no plan has is a warning, for a draft may bring it; a tool that the plan does not
# list is an error, for tools are declared once and for all.
_MATCH: Fields = {
    "step": optional(known_step),
    "tool": optional(known_tool),
    "args": optional(mapping),
    "version": optional(_version),
}

# `value` left out and `value: null` differ: the first is made up so that it satisfies the contract, the second is null.
_ENTRY: Fields = {
    "status": choice(Status),
    "value": anything,
    "message": text,
    "latency": optional(duration),
    "retry_after": optional(duration),
    "tokens": optional(whole(0, MOST)),
    "refutes": names(known_assumption),
    "cause": text,
}

_full_entry = record(Entry, _ENTRY, required=("status",), what="a status or an entry")


_status = choice(Status)


@made_of("either", _status, _full_entry)
def _entry(value: Any, at: At) -> Any:
    """What one attempt returns; a status alone is short for an entry that holds nothing else."""
    if isinstance(value, str):
        status = _status(value, at)
        return UNSET if status is UNSET else Entry(status)
    if isinstance(value, dict) and value.get("status") == Status.OK and (value.get("refutes") or value.get("cause")):
        # A failure's premise and cause travel with its signal; a success has none. A value that breaks its contract is
        # a failure after all, so this is no error.
        at.warning(
            "refutes-on-ok", "refutes and cause count on failures only: here, only where the contract refuses the value"
        )
    return _full_entry(value, at)


_RULE: Fields = {
    "match": record(Match, _MATCH),
    "returns": list_of(_entry, least=1, hint="write one entry for each attempt: [ok]"),
}

# A rule without `match` answers whatever comes to it.
_ANY = Match()


def _made(returns: tuple[Entry, ...], match: Match = _ANY) -> OutcomeRule:
    """What the calls that match return, one entry per attempt; the last one repeats."""
    return OutcomeRule(match, returns)


_rule = record(_made, _RULE, required=("returns",), what="a rule with match and returns")


def outcomes(lines: Sequence[int]) -> Any:
    """The reader of an `outcomes` list whose items begin on these lines."""
    read = list_of(_rule)

    @made_of("same", read)
    def read_outcomes(value: Any, at: At) -> Any:
        rules = read(value, at)
        # Where rules could not be read their lines would be shifted, and nobody runs them anyway.
        if rules is UNSET or len(rules) != len(lines):
            return rules
        return tuple(msgspec.structs.replace(rule, line=line) for rule, line in zip(rules, lines, strict=True))

    return read_outcomes


_INTERRUPTION: Fields = {"goal": words, "after": known_step, "at": duration, "refutes": names(known_assumption)}

_one_interruption = record(Interruption, _INTERRUPTION, required=("goal",), what="an interruption")


@made_of("one_key_of", _one_interruption, ("after", "at"))
def _interruption(value: Any, at: At) -> Any:
    """The goal changes under the running plan: after a step, or at a time on the session's clock."""
    if isinstance(value, dict) and ("after" in value) == ("at" in value):
        which = "both after and at are" if "at" in value else "neither after nor at is"
        at.error("after-or-at", f"{which} given", "say after: the id of a step, or at: a time on the session's clock")
    return _one_interruption(value, at)


interruptions = list_of(_interruption)
