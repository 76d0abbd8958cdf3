"""Names that are nearly right, and the one that was probably meant: what every hint and every mend goes by."""

from __future__ import annotations

from collections.abc import Iterable

NEAR = 2  # the edit distance up to which a name counts as a typing slip


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that looks most like this one, for a person to consider; None where none does."""
    return next(iter(several_nearest(name, known, 1)), None)


def several_nearest(name: str, known: Iterable[str], most: int = 3) -> list[str]:
    """The known names that look like this one, at most so many, the nearest first."""
    from difflib import get_close_matches  # only who made a mistake pays for it

    return get_close_matches(name, list(known), most)


def or_nearest(name: str, known: Iterable[str], otherwise: str = "") -> str:
    """A hint: `did you mean look?`, or another one where no known name is near."""
    near = nearest(name, known)
    return f"did you mean {near}?" if near is not None else otherwise


# Two measures, for two purposes. A hint only asks, so it may be bold: difflib finds what looks alike. A mend writes the
# name into the plan, so it takes nothing but what slips of the hand explain, one or two edits.
def closest(name: str, candidates: Iterable[str]) -> str | None:
    """The candidate within two edits of the name, the nearest first, then the first in order: what is put in its
    place without asking anybody."""
    best, found = NEAR + 1, None
    for candidate in candidates:
        if abs(len(candidate) - len(name)) < best and (distance := edit_distance(name, candidate)) < best:
            best, found = distance, candidate
    return found


def edit_distance(one: str, other: str) -> int:
    """Levenshtein distance: insertions, deletions and substitutions."""
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        previous, row[0] = row[0], i
        for j, b in enumerate(other, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (a != b))
    return row[-1]
