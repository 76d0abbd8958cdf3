"""Readers of plain values: each takes a value and where it stands, notes what is wrong, and answers with the value
as the rest of the program knows it, or UNSET when there is none. Tables of them describe the files.

Each reader has a note of what it is made of (`made_of`), from which the JSON Schemas of the files are drawn: the tables
are the one description there is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from importlib import import_module
from typing import Any, TypeVar

from msgspec import UNSET

from replanctl.files.faults import At

Reader = Callable[[Any, At], Any]
Fields = Mapping[str, Reader]
R = TypeVar("R", bound=Callable[..., Any])

MOST = 1_000_000_000  # of what is summed up, such as tokens: the sums stay within 64 bits
# Whoever writes YAML does not think of int and float: both are numbers, and null is what stands behind nothing.
_NAMES: dict[type, str] = {
    type(None): "nothing (null)",
    bool: "a boolean",
    int: "a number",
    float: "a number",
    str: "text",
    list: "a list",
    dict: "a mapping",
}


def made_of(form: str, *parts: Any) -> Callable[[R], R]:
    """Note on a reader its form (mostly its maker's name) and the parts it is made of."""

    def mark(read: R) -> R:
        read.form = (form, parts)  # type: ignore[attr-defined]
        return read

    return mark


class Later:
    """A reader that is loaded by the first file which has its section: most have none, and need not pay for it.

    It is `name` in the module `files.module`; with `given`, what `name` makes of that.
    """

    def __init__(self, module: str, name: str, *given: Any) -> None:
        self._module, self._name, self._given = module, name, given

    def loaded(self) -> Reader:
        """The reader itself."""
        found = getattr(import_module(f"replanctl.files.{self._module}"), self._name)
        reader: Reader = found(*self._given) if self._given else found
        return reader

    def __call__(self, value: Any, at: At) -> Any:
        """What the reader makes of a value."""
        return self.loaded()(value, at)


def kind(value: object) -> str:
    """What a value is, in the words of an error message; short ones are shown."""
    name = _NAMES.get(type(value), type(value).__name__)
    return f"{name} ({shown(value)})" if isinstance(value, bool | int | float | str) else name


def shown(value: object) -> str:
    """A scalar as it reads in a file, cut at 40 characters."""
    text = {True: "true", False: "false"}[value] if isinstance(value, bool) else str(value)
    return text if len(text) <= 40 else f"{text[:39]}…"


def wrong(value: Any, at: At, expected: str, hint: str = "") -> Any:
    """Note that something of another kind was expected."""
    return at.error("wrong-type", f"expected {expected}, got {kind(value)}", hint)


def anything(value: Any, at: At) -> Any:
    """Any value."""
    return value


def text(value: Any, at: At) -> Any:
    """Text, which may be empty."""
    if isinstance(value, str):
        return value
    quote = isinstance(value, bool | int | float)
    return wrong(value, at, "text", f'quote it: "{shown(value)}"' if quote else "")


def words(value: Any, at: At) -> Any:
    """Text that says something."""
    if isinstance(value, str) and not value.strip():
        return at.error("empty-text", "expected text, got an empty one")
    return text(value, at)


def boolean(value: Any, at: At) -> Any:
    """`true` or `false`."""
    return value if isinstance(value, bool) else wrong(value, at, "true or false")


def mapping(value: Any, at: At) -> Any:
    """A mapping of any values."""
    return value if isinstance(value, dict) else wrong(value, at, "a mapping")


def whole(least: int, most: int | None = None) -> Reader:
    """A whole number, at least so much, and at most so much where there is a limit."""

    @made_of("whole", least, most)
    def read(value: Any, at: At) -> Any:
        counts = isinstance(value, int) and not isinstance(value, bool) and value >= least
        if counts and (most is None or value <= most):
            return value
        hint = f"{most:,} is the most" if counts else ""
        return at.error("bad-number", f"expected a whole number ≥ {least}, got {kind(value)}", hint)

    return read


def limit(least: int = 0) -> Reader:
    """A whole number, or null for no limit."""

    @made_of("limit", least)
    def read(value: Any, at: At) -> Any:
        if value is None:
            return None
        if isinstance(value, int) and not isinstance(value, bool) and value >= least:
            return value
        return at.error("bad-limit", f"expected a whole number ≥ {least} or null for no limit, got {kind(value)}")

    return read


def number(value: Any, at: At) -> Any:
    """A number that is not negative."""
    if isinstance(value, int | float) and not isinstance(value, bool) and value >= 0:
        return float(value)
    return at.error("bad-number", f"expected a number ≥ 0, got {kind(value)}")


def choice(enum: type[StrEnum], *without: StrEnum) -> Reader:
    """One of an enum's values."""
    names = [member.value for member in enum if member not in without]

    @made_of("choice", names)
    def read(value: Any, at: At) -> Any:
        if isinstance(value, str) and value in names:
            return enum(value)
        return at.error(
            "bad-choice", f"expected one of {', '.join(names)}, got {kind(value)}", at.nearest(value, names, few=0)
        )

    return read


def optional(read: Reader) -> Reader:
    """The same, or null for none."""
    return made_of("optional", read)(lambda value, at: None if value is None else read(value, at))


def list_of(read: Reader, *, least: int = 0, hint: str = "") -> Reader:
    """A list, as a tuple."""

    @made_of("list_of", read, least)
    def read_list(value: Any, at: At) -> Any:
        if not isinstance(value, list):
            return wrong(value, at, "a list", hint)
        if len(value) < least:
            return at.error("empty-list", "expected at least one entry", hint)
        items = [read(item, at[index]) for index, item in enumerate(value)]
        return tuple(item for item in items if item is not UNSET)

    return read_list


def names(read: Reader, *, one: bool = False) -> Reader:
    """A list without repeats, as a tuple; where `one`, a single entry stands for a list of one."""
    several = list_of(read, hint="write [] for none, or leave the key out" if one else "write [name], even for one")

    @made_of("names", read, one)
    def read_names(value: Any, at: At) -> Any:
        if one and isinstance(value, str | int | float):
            single = read(value, at)
            return single if single is UNSET else (single,)
        found = several(value, at)
        if found is UNSET:
            return found
        # A repeat changes nothing, so that it is worth a warning and no more.
        kept = tuple(dict.fromkeys(found))
        if len(kept) < len(found):
            at.warning("repeated-name", "a name is in this list more than once; repeats are dropped")
        return kept

    return read_names


def map_of(read: Reader, *, key: Reader | None = None, hint: str = "") -> Reader:
    """A mapping whose values are all read alike, and its keys too where `key` is given."""

    @made_of("map_of", read, key)
    def read_map(value: Any, at: At) -> Any:
        if not isinstance(value, dict):
            return wrong(value, at, "a mapping", hint)
        result: dict[str, Any] = {}
        for name, item in value.items():
            known = key(name, at.key(name)) if key else name
            found = read(item, at[name])
            if known is not UNSET and found is not UNSET:
                result[known] = found
        return result

    return read_map


def record(
    make: Callable[..., Any],
    fields: Fields,
    *,
    required: tuple[str, ...] = (),
    what: str = "a mapping",
    elsewhere: Mapping[str, str] | None = None,
) -> Reader:
    """A mapping with known keys, handed to `make` by name; keys that are left out are `make`'s business."""

    @made_of("record", make, fields, required)
    def read(value: Any, at: At) -> Any:
        if not isinstance(value, dict):
            return wrong(value, at, what)
        check_keys(value, at, fields, elsewhere)
        # All fields are read, also where one is missing: everything that is wrong is to be told at once.
        missing = [name for name in required if name not in value]
        for name in missing:
            at.error("missing-key", f"{name} is missing", f"add {name}:")
        found = {name: read_field(value[name], at[name]) for name, read_field in fields.items() if name in value}
        if missing or any(found[name] is UNSET for name in required):
            return UNSET
        return make(**{name: item for name, item in found.items() if item is not UNSET})

    return read


def check_keys(value: dict[str, Any], at: At, known: Fields, elsewhere: Mapping[str, str] | None = None) -> None:
    """Note every key that is not known. `elsewhere` says where what other systems call so stands here."""
    for name in value:
        if name not in known:
            hint = (elsewhere or {}).get(name) or at.nearest(name, known)
            at.key(name).error("unknown-key", f"{shown(name)} is not known here", hint)
