"""`--fail-on`: what of a result makes the exit code 1, by words; each complaint says what was found first."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

from replanctl.cli.output import say
from replanctl.cli.world import World
from replanctl.kinds import Ending, Reason
from replanctl.lab import Comparison, Facts, Kind, Matrix, Pairs, Tuning

FAILED = 1


class FailOn(msgspec.Struct, frozen=True):
    """One word, and its number where it takes one."""

    word: str
    limit: int | None = None

    def __str__(self) -> str:
        return self.word if self.limit is None else f"{self.word}={self.limit}"


WORDS = {
    Kind.MATRIX: ("unrecovered", "escalated", "doubled", "dead", "unlanded", "tokens=N"),
    Kind.TUNE: ("stopped", "liftable", "wrong"),
    Kind.COMPARE: ("worse",),
}


def fail_on(*kinds: Kind) -> Callable[[str], tuple[FailOn, ...]]:
    """Reads words with commas between; raises ValueError for one that no result of these kinds knows."""
    known = [word for kind in kinds for word in WORDS[kind]]

    def parse(text: str) -> tuple[FailOn, ...]:
        return tuple(_word(word.strip(), known) for word in text.split(","))

    return parse


def _word(text: str, known: list[str]) -> FailOn:
    name, equals, limit = text.partition("=")
    if equals and f"{name}=N" in known and limit.isascii() and limit.isdigit() and len(limit) < 19:
        return FailOn(name, int(limit))
    if text not in known or text.endswith("=N"):
        raise ValueError(f"{text!r} is none of {', '.join(known)}")
    return FailOn(text)


def complain(world: World, complaints: list[str]) -> int:
    """Say them on standard error; the exit code."""
    say(world.stderr, (f"replanctl: --fail-on {text}" for text in complaints))
    return FAILED if complaints else 0


def matrix_complaints(matrix: Matrix, words: tuple[FailOn, ...]) -> Iterator[str]:
    """What a matrix has of these words."""
    for each in words:
        if each.word == "dead":
            found = [f"{dead.kind} {dead.name}" for dead in matrix.coverage.dead]
        else:
            found = [_key(facts) for facts in _sessions(matrix) if _SESSION[each.word](facts, each)]
        said = [_some(found)] if found else []
        if matrix.pairs is not None and each.word in _PAIRS:
            said += _PAIRS[each.word](matrix.pairs, each)
        if said:
            yield f"{each}: {matrix.name}: {', and '.join(said)}"


# Pairs are counted and not kept: how many they are can be said, and not which.
def _pairs_that_end(pairs: Pairs, wanted: Callable[[Reason], bool]) -> list[str]:
    many = sum(times for reason, times in pairs.ends.items() if wanted(Reason(reason)))
    return _pairs(many)


def _pairs(many: int) -> list[str]:
    return [f"{many} pair{'' if many == 1 else 's'} of faults"] if many else []


_PAIRS: dict[str, Callable[[Pairs, FailOn], list[str]]] = {
    "unrecovered": lambda pairs, _: _pairs_that_end(pairs, _is_unrecovered),
    "escalated": lambda pairs, _: _pairs_that_end(pairs, lambda reason: reason is Reason.ESCALATED),
    "doubled": lambda pairs, _: _pairs(pairs.doubled),
    "tokens": lambda pairs, each: (
        [f"a pair of faults takes {pairs.tokens}"] if pairs.tokens > (each.limit or 0) else []
    ),
}


def _is_unrecovered(reason: Reason) -> bool:
    return reason.ending != Ending.COMPLETED and reason is not Reason.ESCALATED


def _sessions(matrix: Matrix) -> Iterator[Facts]:
    yield matrix.base
    for row in matrix.rows:
        yield from (*row.once, *row.always)
    yield from matrix.goals


_SESSION: dict[str, Callable[[Facts, FailOn], bool]] = {
    "unrecovered": lambda facts, _: _is_unrecovered(facts.reason),
    "escalated": lambda facts, _: facts.reason is Reason.ESCALATED,
    "doubled": lambda facts, _: bool(facts.doubled),
    "unlanded": lambda facts, _: bool(facts.unlanded),
    "tokens": lambda facts, each: facts.tokens > (each.limit or 0),
}


def _key(facts: Facts) -> str:
    kind, *rest = facts.key
    return "the script alone" if kind == "script" else " ".join(rest) if kind == "fault" else f"{kind} {' '.join(rest)}"


def tune_complaints(tuning: Tuning, words: tuple[FailOn, ...]) -> Iterator[str]:
    """What a tuning has of these words."""
    for each in words:
        found = {
            "stopped": [case for gate in tuning.gates for case in gate.stopped],
            "liftable": [one.case for gate in tuning.gates for one in gate.would_finish],
            "wrong": [case for gate in tuning.gates for case in gate.solved],
        }[each.word]
        if found:
            yield f"{each}: {_some(found)}"


def compare_complaints(comparison: Comparison, words: tuple[FailOn, ...]) -> Iterator[str]:
    """What a comparison has of these words."""
    for versus in comparison.versus if words else ():
        # Worse in the sense of an exit code is a session that completed and no longer does; one more gap is shown and
        # fails nothing.
        broken = [pair.case for pair in versus.worse if pair.broke]
        if broken:
            yield f"worse: {versus.lane}: {_some(broken)}"


def _some(found: list[str]) -> str:
    return found[0] if len(found) == 1 else f"{len(found)}, the first is {found[0]}"
