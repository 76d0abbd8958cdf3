"""What is wrong with a document, before its place in the file is known: a fault names a path or a character.

Beside it what a plan declares, which whatever mentions it is held against.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any

import msgspec
from msgspec import UNSET

from replanctl.plan import Step

MOST = 1000  # errors that are told of one file, and as many warnings
_LONGEST = 400  # characters of a message or a hint: names and texts in a file may be of any length
# A misspelt name is compared with names of so many characters in all, and only while so few faults are known: a file
# full of errors must not take minutes.
_COMPARED = 5000
_WORD = 64
_HINTED = 50
Path = tuple[str | int, ...]


class StopReadingError(Exception):
    """Going on would be endless or pointless; the fault is noted."""


class Fault(msgspec.Struct, frozen=True, gc=False):
    """One fault, at a `path` into the document's value (at its key, where `on_key`) or at the character `index`.

    `also` is a second place the message is about: its line is put at the end of the message.
    """

    rule: str
    message: str
    hint: str = ""
    severity: str = "error"
    path: Path = ()
    on_key: bool = False
    index: int | None = None
    also: Path | None = None

    def __post_init__(self) -> None:
        for name in ("message", "hint"):
            said = getattr(self, name)
            if len(said) > _LONGEST:
                msgspec.structs.force_setattr(self, name, f"{said[: _LONGEST - 1]}…")


class Faults(list[Fault]):
    """The faults of one document, as they are found: `MOST` errors, at which reading ends, and as many warnings."""

    def __init__(self) -> None:
        super().__init__()
        self._found = {"error": 0, "warning": 0}
        self._told: set[Fault] = set()

    def note(self, fault: Fault) -> None:
        """Take down a fault, once. Raises StopReadingError when there are too many errors."""
        if fault in self._told:
            return
        self._found[fault.severity] += 1
        found = self._found[fault.severity]
        if found <= MOST:
            self.append(fault)
            self._told.add(fault)
        elif found == MOST + 1:
            self.append(_last(fault))
        if found > MOST and fault.severity == "error":
            raise StopReadingError


def _last(fault: Fault) -> Fault:
    several = f"{fault.severity}s"
    message = f"these are {MOST:,} {several}: no more are told"
    return msgspec.structs.replace(fault, rule=f"many-{several}", message=message, hint="mend these first", also=None)


class Names(msgspec.Struct, frozen=True, gc=False):
    """Step ids with their positions in the list, and all `later` ids, which drafts bring.

    `assumptions` and `tools` are None when the plan does not restrict them.
    """

    ids: dict[str, int] = {}
    later: frozenset[str] = frozenset()
    assumptions: Collection[str] | None = None
    tools: Collection[str] | None = None

    @classmethod
    def of(cls, value: Any, others: Iterable[Any] = ()) -> Names:
        """The names in the value of a plan file, whatever else is wrong with it; `others` hold drafts for it too."""
        if not isinstance(value, dict):
            return cls()
        ids: dict[str, int] = {}
        for index, step in enumerate(_list(value.get("steps"))):
            id_ = raw_id(step)
            if id_ is not None:
                ids.setdefault(id_, index)
        later = frozenset(id_ for each in (value, *others) for id_ in _drafted(each))
        return cls(ids, later, _declared(value, "assumptions"), _declared(value, "tools"))

    @property
    def every_id(self) -> frozenset[str]:
        """The ids of the plan and of its drafts."""
        return self.later.union(self.ids)


def raw_id(step: Any) -> str | None:
    """The id of a step that was read, or of one as it is written; None where it has none."""
    if step.__class__ is Step:
        id_: str = step.id
        return id_
    written = step.get("id") if isinstance(step, dict) else None
    return str(written) if isinstance(written, str | int) and not isinstance(written, bool) else None


def _drafted(value: Any) -> Iterator[str]:
    """The ids in the drafts of a file, those of its scenarios too."""
    if not isinstance(value, dict):
        return
    if isinstance(scenarios := value.get("scenarios"), dict):
        for each in scenarios.values():
            yield from _drafted(each)
    for rule in _list(value.get("planner")):
        for step in _list(rule.get("steps")) if isinstance(rule, dict) else ():
            id_ = raw_id(step)
            if id_ is not None:
                yield id_


def _declared(value: dict[str, Any], section: str) -> Collection[str] | None:
    names = value.get(section)
    return names.keys() if isinstance(names, dict) else None


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


class At(msgspec.Struct, frozen=True, gc=False):
    """Where a reader stands in a document; what it finds wrong there goes to the document's `faults`.

    `names` are the plan's, where there is a plan to hold things against.
    """

    faults: Faults
    names: Names | None = None
    path: Path = ()
    on_key: bool = False

    def __getitem__(self, key: str | int) -> At:
        return At(self.faults, self.names, (*self.path, key))

    def key(self, key: str) -> At:
        """The key itself, instead of what stands behind it."""
        return At(self.faults, self.names, (*self.path, key), True)

    def error(self, rule: str, message: str, hint: str = "", *, also: Path | None = None) -> Any:
        """Note an error; the answer is UNSET, which means that there is no value to go on with."""
        self.faults.note(Fault(rule, message, hint, "error", self.path, self.on_key, also=also))
        return UNSET

    def warning(self, rule: str, message: str, hint: str = "") -> None:
        """Note something doubtful."""
        self.faults.note(Fault(rule, message, hint, "warning", self.path, self.on_key))

    def nearest(self, word: object, names: Collection[str], *, few: int = 12) -> str:
        """The same as `did_you_mean`, as long as not much is wrong."""
        return did_you_mean(word, names, few=few) if len(self.faults) < _HINTED else ""


def did_you_mean(word: object, names: Collection[str], *, few: int = 12) -> str:
    """The nearest of the names as a hint, or all of them where none is near and they are no more than `few`."""
    if sum(map(len, names)) > _COMPARED:
        return ""
    from difflib import get_close_matches  # only a file that is wrong pays for it

    known, text = sorted(names), str(word)[:_WORD]
    if near := get_close_matches(text, [name for name in known if len(name) <= _WORD], cutoff=0.6):
        # Of those that are near, the one that begins alike: `arguments` means `args`, although `assumes` is nearer.
        return f"did you mean {max(near, key=lambda name: _alike(text, name))}?"
    return f"known here: {', '.join(known)}" if 0 < len(known) <= few else ""


def _alike(one: str, other: str) -> int:
    """How many characters two texts begin with alike."""
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
