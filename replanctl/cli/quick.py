"""The quick reader of command lines: no more than what a plain one needs.

typer takes longer to import than a whole rehearsal takes to run. So a command line that is plainly right is
read here; help, completion and everything doubtful is left to typer, which reads the same flags.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from replanctl.cli.flags import Flag, Shared, flags_of, option_name


# Nothing is complained of here. Whatever is not plainly right (an unknown flag, a missing value, a number that is none)
# makes the answer None, and typer reads the same words again and has the words for what is wrong: one home for
# messages.
def read_quickly(words: Sequence[str], options: type[Shared]) -> Shared | None:
    """The options in these words (the verb is not among them); None where they are not plainly right."""
    flags = flags_of(options)
    loose: list[str] = []
    try:
        values = _named(iter(words), _by_name(flags), loose)
        return options(**values, **_positional(loose, flags))
    except (LookupError, TypeError, ValueError):
        return None


# Shared options may come first (`replanctl --store runs show`). Which word is the verb can be told without reading any
# value: of the shared options only those with a metavar take the next word.
def verb_first(words: Sequence[str]) -> list[str]:
    """The words with the verb moved to the front, past the shared options before it."""
    if not words or not words[0].startswith("-"):
        return list(words)
    shared = _by_name(flags_of(Shared))
    rest = iter(enumerate(words))
    for at, word in rest:
        if not word.startswith("-"):
            return [word, *words[:at], *words[at + 1 :]]
        name, equals, _ = word.partition("=")
        if name not in shared:
            break
        if shared[name][1].metavar and not equals:
            next(rest, None)
    return list(words)


def _by_name(flags: Mapping[str, Flag]) -> dict[str, tuple[str, Flag]]:
    """Field and flag by each name an option has."""
    named = [(field, flag) for field, flag in flags.items() if not flag.positional]
    return {option_name(field): (field, flag) for field, flag in named} | {
        flag.short: (field, flag) for field, flag in named if flag.short
    }


def _named(words: Iterator[str], flags: Mapping[str, tuple[str, Flag]], loose: list[str]) -> dict[str, Any]:
    """The values of the options; words that belong to none go into `loose`."""
    values: dict[str, Any] = {}
    for word in words:
        # As everywhere: behind it nothing is an option, whatever it begins with.
        if word == "--":
            loose.extend(words)
        elif word == "-" or not word.startswith("-"):
            loose.append(word)
        else:
            name, equals, text = word.partition("=")
            field, flag = flags[name]
            values[field] = _value(flag, words, text if equals else None, values.get(field, ()))
    return values


def _value(flag: Flag, words: Iterator[str], text: str | None, before: tuple[Any, ...]) -> Any:
    if not flag.metavar:
        if text is not None:
            raise ValueError("a switch takes no value")
        return True
    if text is None:
        text = next(words, None)
    if text is None:
        raise ValueError("the value is missing")
    return (*before, flag.parse(text)) if flag.many else flag.parse(text)


def _positional(loose: list[str], flags: Mapping[str, Flag]) -> dict[str, Any]:
    """The values of the arguments, in order; one that may be given many times takes all that are left."""
    values: dict[str, Any] = {}
    for field, flag in flags.items():
        if flag.positional and loose:
            values[field] = tuple(map(flag.parse, loose)) if flag.many else flag.parse(loose[0])
            del loose[: None if flag.many else 1]
    if loose:
        raise ValueError("more arguments than the verb takes")
    return values
