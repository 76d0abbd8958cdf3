"""A person's word on calls that may have happened, as a command line says it: `2=done:{"paid": true}`, `2.1=again`."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from replanctl.errors import UsageError
from replanctl.kinds import Settle
from replanctl.plan import ID_PATTERN
from replanctl.run.accounts import Doubt
from replanctl.run.amendments import Settlement
from replanctl.schema import contract

# The answer comes last, since it is JSON and may hold any of the other signs.
_WORD = re.compile(rf"({ID_PATTERN})(?:\.([1-9][0-9]{{0,8}}))?=(done|again|skip)(?::(.*))?", re.DOTALL)


class Word(msgspec.Struct, frozen=True):
    """What was said, before it is held against the calls in question; `call` None: the step's only one."""

    step_id: str
    call: int | None
    how: Settle
    value: Any = None


def word(text: str) -> Word:
    """`2=done:JSON`, `2=done`, `2=again` or `2=skip`, the step as `2.1` where it has several calls in question. Raises
    ValueError for anything else."""
    found = _WORD.fullmatch(text)
    if found is None or (found[4] is not None and found[3] != Settle.DONE):
        raise ValueError(f"{text!r} is not STEP=done:JSON, STEP=done, STEP=again or STEP=skip")
    try:
        value = json.loads(found[4], parse_constant=_no_json) if found[4] is not None else None
    except ValueError as error:
        raise ValueError(f"{text!r}: the answer is no JSON: {error}") from None
    return Word(found[1], int(found[2]) if found[2] else None, Settle(found[3]), value)


def _no_json(name: str) -> Any:
    raise ValueError(f"{name} is none")


def settlements(
    words: Sequence[Word], doubts: Sequence[Doubt], before: Sequence[Settlement] = ()
) -> tuple[Settlement, ...]:
    """The words as settlements of the calls in doubt; `before` are those that were given already.

    Raises UsageError for a step that is not in question, a word said twice, an answer against the step's contract, and
    a call that is left out.
    """
    named = {_name(doubt, doubts): doubt for doubt in doubts}
    given: dict[tuple[str, int], Settlement] = {}
    for each in words:
        doubt = _meant(each, named)
        if (doubt.step.id, doubt.call) in given:
            raise UsageError(f"--settle says of step {_name(doubt, doubts)} more than once what came of its call")
        fault = contract.check(doubt.step.produces, each.value) if each.how is Settle.DONE else None
        if fault:
            raise UsageError(f"--settle {_name(doubt, doubts)}=done: {fault}", hint="give the answer as done:JSON")
        given[doubt.step.id, doubt.call] = Settlement(each.step_id, each.how, each.value, doubt.call)
    said = {(each.step_id, each.call): each for each in before} | given
    if left := [name for name, doubt in named.items() if (doubt.step.id, doubt.call) not in said]:
        raise UnsettledError(", ".join(f"step {name}'s call of {named[name].tool}" for name in left))
    return tuple(said.values())


class UnsettledError(UsageError):
    """Calls may have happened, and nobody has said of each whether it did."""


def _meant(each: Word, named: Mapping[str, Doubt]) -> Doubt:
    name = each.step_id if each.call is None else f"{each.step_id}.{each.call}"
    alone = named.get(each.step_id) if each.call == 1 else None
    if (doubt := named.get(name, alone)) is not None:
        return doubt
    several = [other for other in named if other.partition(".")[0] == each.step_id]
    # Not guessed: a word on the wrong one of two payments is worse than a question.
    if several and each.call is None:
        hint = f"say {' and '.join(several)}"
        raise UsageError(f"--settle {name}=…: step {name} has several calls in question", hint=hint)
    hint = f"in question: {', '.join(named)}" if named else "no call of this run is in question: leave out --settle"
    raise UsageError(f"--settle {name}=…: no such call is in question", hint=hint)


def _name(doubt: Doubt, doubts: Sequence[Doubt]) -> str:
    """How a command line names a call: by its step, and by a number where that has several."""
    several = sum(other.step.id == doubt.step.id for other in doubts) > 1
    return f"{doubt.step.id}.{doubt.call}" if several else doubt.step.id


def ways(doubts: Sequence[Doubt]) -> tuple[str, ...]:
    """The flags that settle these calls, as a shell reads them: all happened, none did, all are let be."""
    return tuple(" ".join(f"--settle {_said(doubt, doubts, how)}" for doubt in doubts) for how in Settle)


def _said(doubt: Doubt, doubts: Sequence[Doubt], how: Settle) -> str:
    text = f"{_name(doubt, doubts)}={how}"
    produces = doubt.step.produces
    if how is Settle.DONE and contract.check(produces, None):
        text += f":{json.dumps(contract.sample(produces), ensure_ascii=False)}"
    return shlex.quote(text)
