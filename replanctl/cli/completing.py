"""Shell completion: what may stand at the cursor, in the words of the shell that asks.

A shell runs the program with `_REPLANCTL_COMPLETE` set to `complete_<shell>` and the line so far in other variables;
the scripts that set them are typer's (`--install-completion`). The answer is worked out from the same tables of flags
that read a command line, without typer, so that a person who presses TAB does not wait.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from itertools import islice
from typing import NamedTuple

from replanctl.cli.candidates import Candidate, Line, candidates_of
from replanctl.cli.flags import Flag, Shared, flags_of, option_name
from replanctl.cli.verbs import HELP
from replanctl.cli.world import World
from replanctl.errors import ReplanctlError, UsageError

_MOST = 500  # candidates: nobody reads more, and a shell asks before it shows them
_BREAKS = "=:"  # at which bash takes a word apart

LoadOptions = Callable[[str], type[Shared]]


class Asked(NamedTuple):
    """The words before the cursor, without the program's name, and the one at it as far as it is typed."""

    words: list[str]
    last: str


class _Shell(NamedTuple):
    """How a shell says what is typed, and how it wants the answer."""

    asked: Callable[[Mapping[str, str]], Asked]
    told: Callable[[list[Candidate], str], str]
    helps: bool  # whether it shows what a candidate is for


def is_asked(how: str) -> bool:
    """Whether a shell asks for candidates; else for the script that will ask, which is typer's to print.

    `how` is what the variable says. Raises UsageError where it is nothing that a shell says.
    """
    what, _, shell = how.partition("_")
    if what not in ("complete", "source") or shell not in _SHELLS:
        raise UsageError(f"_REPLANCTL_COMPLETE is {how!r}, which no shell says", hint="unset it")
    return what == "complete"


def complete(how: str, world: World, options_of: LoadOptions) -> int:
    """Answer a shell; the exit code says to fish whether there is anything to offer."""
    shell = _SHELLS[how.partition("_")[2]]
    asked = shell.asked(world.environ)
    found: list[Candidate] = []
    with suppress(ReplanctlError, OSError):  # a plan that can't be read has no steps to offer; TAB is no time to say so
        found = list(islice(_candidates(asked, world, options_of, helps=shell.helps), _MOST))
    if world.environ.get("_TYPER_COMPLETE_FISH_ACTION") == "is-args":
        return 0 if found else 1
    if told := shell.told(found, asked.last):
        world.stdout.write(f"{told}\n")
    return 0


# A line is read here as far as it is typed, and by looser rules than those of the readers that obey it: what is wrong
# before the cursor is no reason to offer nothing at it, and is told when the line is entered.
# -- what may stand there ----------------------------------------------------------------------------------------------


def _candidates(asked: Asked, world: World, options_of: LoadOptions, *, helps: bool) -> Iterator[Candidate]:
    """What may stand at the cursor, and begins as it is typed; what is offered for two reasons, once."""
    seen: set[str] = set()
    for text, said in _offered(asked, world, options_of):
        if text.startswith(asked.last) and text not in seen:
            seen.add(text)
            yield Candidate(text, said if helps else "")


def _offered(asked: Asked, world: World, options_of: LoadOptions) -> Iterator[Candidate]:
    flags = {**flags_of(Shared)}
    verb, rest = _verb_in(asked.words, flags)
    if verb in HELP:
        flags = flags_of(options_of(verb))
    line = _read(rest, flags, world)
    name, equals, typed = asked.last.partition("=")
    if line.waiting is not None:
        yield from candidates_of(flags[line.waiting], line, asked.last)
    elif asked.last.startswith("-") and equals:
        if flag := _named(flags).get(name):
            for text, said in candidates_of(flags[flag], line, typed):
                yield Candidate(f"{name}={text}", said)
    elif asked.last.startswith("-"):
        yield from _options(flags, line)
    elif verb is None:
        yield from (Candidate(name, said) for name, said in HELP.items())
    elif flag := _next_place(flags, line):
        yield from candidates_of(flags[flag], line, asked.last)


def _verb_in(words: list[str], shared: Mapping[str, Flag]) -> tuple[str | None, list[str]]:
    """The verb among these words, and the words without it: the first that is neither an option nor its value."""
    names, waits = _named(shared), False
    for at, word in enumerate(words):
        if not waits and not word.startswith("-"):
            return word, [*words[:at], *words[at + 1 :]]
        waits = not waits and bool(shared[names[word]].metavar) if word in names else False
    return None, words


def _named(flags: Mapping[str, Flag]) -> dict[str, str]:
    """The fields of options by each name that they have."""
    options = {field: flag for field, flag in flags.items() if not flag.positional}
    return {option_name(field): field for field in options} | {
        flag.short: field for field, flag in options.items() if flag.short
    }


def _read(words: list[str], flags: Mapping[str, Flag], world: World) -> Line:
    """A line as far as it is typed: what options and places were given, and the option whose value comes next."""
    names, given, loose = _named(flags), dict[str, list[str]](), list[str]()
    waiting: str | None = None
    for word in words:
        name, equals, text = word.partition("=")
        if waiting is not None:
            given.setdefault(waiting, []).append(word)
            waiting = None
        elif name in names:
            field = names[name]
            given.setdefault(field, []).extend([text] if equals else [])
            waiting = field if flags[field].metavar and not equals else None
        elif not word.startswith("-") or word == "-":
            loose.append(word)
    return Line(world, given, loose, waiting)


def _next_place(flags: Mapping[str, Flag], line: Line) -> str | None:
    """The argument that comes next; None where there is none more."""
    places = [field for field, flag in flags.items() if flag.positional]
    if len(line.loose) < len(places):
        return places[len(line.loose)]
    return places[-1] if places and flags[places[-1]].many else None


def _options(flags: Mapping[str, Flag], line: Line) -> Iterator[Candidate]:
    """The options that are not given yet, or may be given again."""
    for field, flag in flags.items():
        if not flag.positional and (flag.many or field not in line.given):
            yield Candidate(option_name(field), flag.help)
    yield Candidate("--help", "Show what can be given.")


# -- the shells --------------------------------------------------------------------------------------------------------


def _split(text: str) -> list[str]:
    """Words as a shell takes them apart; a quote that is still open is closed at the end."""
    for end in ("", "'", '"', "\\"):
        with suppress(ValueError):
            return shlex.split(text + end)
    return text.split()


def _bash_asked(environ: Mapping[str, str]) -> Asked:
    """Bash says its words one a line, and which of them is at the cursor."""
    said = environ.get("COMP_WORDS", "")
    words = ["".join(_split(word)) for word in said.split("\n")] if "\n" in said else _split(said)
    number = environ.get("COMP_CWORD", "")
    cursor = int(number) if number.isascii() and number.isdecimal() and len(number) < 6 else len(words) - 1
    at_cursor = words[cursor] if 0 < cursor < len(words) else ""
    *before, last = _put_together([*words[1:cursor], at_cursor])
    return Asked(before, last)


# Readline takes a line apart at `=` and `:` (COMP_WORDBREAKS), so that `--fault 3=time` comes as four words. They are
# put together again here, and in the answer everything up to the last of these signs is left out: bash puts what it
# is told in the place of `time` alone.
def _put_together(words: list[str]) -> list[str]:
    whole: list[str] = []
    for word in words:
        is_break = bool(word) and not word.strip(_BREAKS)
        if whole and (is_break or whole[-1].endswith(tuple(_BREAKS))):
            whole[-1] += word
        else:
            whole.append(word)
    return whole


def _line_asked(environ: Mapping[str, str]) -> Asked:
    """Zsh and fish say the line up to the cursor."""
    line = environ.get("_TYPER_COMPLETE_ARGS", "")
    words = _split(line)[1:]
    if words and not line[-1].isspace():
        return Asked(words[:-1], words[-1])
    return Asked(words, "")


def _power_shell_asked(environ: Mapping[str, str]) -> Asked:
    """PowerShell says the whole line, and the word at the cursor."""
    last = environ.get("_TYPER_COMPLETE_WORD_TO_COMPLETE", "")
    words = _split(environ.get("_TYPER_COMPLETE_ARGS", ""))[1:]
    return Asked(words[:-1] if last else words, last)


def _bash_told(found: list[Candidate], last: str) -> str:
    """Bash replaces only what stands behind the last sign at which it broke the word."""
    begins = max(last.rfind(sign) for sign in _BREAKS) + 1
    return "\n".join(each.text[begins:] for each in found)


def _zsh_told(found: list[Candidate], last: str) -> str:
    """Zsh is given a call of its own `_arguments`; it completes files where there is nothing to offer."""
    if not found:
        return "_files"
    items = (f'"{_for_zsh(each.text)}"' + (f':"{_for_zsh(each.help)}"' if each.help else "") for each in found)
    return "_arguments '*: :(({}))'".format("\n".join(items))


def _for_zsh(text: str) -> str:
    """A text inside the quotes of that call: signs that end them, or that zsh reads there, are written otherwise."""
    return text.translate(_IN_ZSH).replace(":", "\\\\:")


# The whole call stands in single quotes, each item in double ones, and a colon parts it from its help. What a person
# reads may say the same with other signs.
_IN_ZSH = str.maketrans({"'": "’", '"': "”", "`": "’", "$": "", "\\": "/", "(": "[", ")": "]"})


def _fish_told(found: list[Candidate], last: str) -> str:
    return "\n".join(f"{each.text}\t{each.help}" if each.help else each.text for each in found)


def _power_shell_told(found: list[Candidate], last: str) -> str:
    return "\n".join(f"{each.text}:::{each.help or ' '}" for each in found)


_POWER_SHELL = _Shell(_power_shell_asked, _power_shell_told, True)
_SHELLS = {
    "bash": _Shell(_bash_asked, _bash_told, False),
    "zsh": _Shell(_line_asked, _zsh_told, True),
    "fish": _Shell(_line_asked, _fish_told, True),
    "powershell": _POWER_SHELL,
    "pwsh": _POWER_SHELL,
}
