"""The command line's front door: a verb is found, read and run, and every error becomes an exit code here."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from itertools import pairwise, takewhile
from pathlib import Path
from typing import TextIO

from replanctl import __version__
from replanctl.cli.flags import WRITTEN, Color, Shared, Verb
from replanctl.cli.output import OutputError, as_word, say
from replanctl.cli.quick import read_quickly, verb_first
from replanctl.cli.verbs import HELP
from replanctl.cli.world import World
from replanctl.errors import InputError, ReplanctlError, UsageError
from replanctl.host import StoppedError, stop_signals

VERBS = tuple(HELP)  # a module of its own each, imported when it is asked for

_MODULES = {"import": "import_"}  # verbs that are words of Python

COMPLETION_VARIABLE = "_REPLANCTL_COMPLETE"  # set by the shell while it completes a line
INTERRUPTED = 130
BUG = ReplanctlError.exit_code


# Where errors become exit codes, and nowhere else.
#
# A verb is load, call, render, return an int. What goes wrong in it is raised, and ends here as one line with a way
# out: what a person did wrong is 2, what a machine refused 3, a divergence 4, each by the class of the error; a bug is
# 70 and says so. 0 and 1 are left to verbs, for what was asked: a session completed or it did not, two plans are alike
# or differ. A traceback is shown to who asked for it (`--debug`) and to nobody else.
#
# Being told to stop is 128 + the signal's number, as a shell has it, and passes every `except Exception` on its way.
def main(words: Sequence[str], world: World | None = None) -> int:
    """Run the command line `words` (without the program's name) and say how it ended, as an exit code."""
    world = world or World.real()
    try:
        with stop_signals():
            code = _execute(list(words), world)
            world.stdout.flush()
            world.stderr.flush()
            return code
    except (KeyboardInterrupt, StoppedError) as stop:
        return _stopped(world, words, stop)
    except SystemExit as end:  # typer ends so after completing a line
        _written(world, 0)
        return end.code if isinstance(end.code, int) else 0
    except InputError as error:
        return _list_problems(world, error, _color(words))
    except ReplanctlError as error:
        return _complain(world, words, error.exit_code, str(error), _in_the_store(error.hint, words))
    except BaseException as error:
        # A stop may come while a library has half begun something, and what that then cannot end is no bug of ours.
        if (behind := _stop_behind(error)) is not None:
            return _stopped(world, words, behind)
        # Any call may fail in any way once the working folder was deleted, so this is asked only when something did.
        if _is_gone():
            gone = "the working folder is gone"
            return _complain(world, words, UsageError.exit_code, gone, "go to one that is there")
        return _report_bug(world, words, error)


# A verb is a module of its own and is imported by its name: a run does not load the other twenty.
def load_verb(name: str) -> Verb:
    """The verb of this name."""
    verb: Verb = import_module(f"replanctl.cli.verbs.{_MODULES.get(name, name)}").VERB
    return verb


def _execute(words: list[str], world: World) -> int:
    if "--version" in takewhile("--".__ne__, words):
        world.stdout.write(f"replanctl {__version__}\n")
        return 0
    _check_text(words)
    chosen = _choose(verb_first(words), world)
    if isinstance(chosen, int):
        return chosen
    verb, options = chosen
    if any(getattr(options, field, None) for field in WRITTEN):
        from replanctl.cli.spared import spare  # most results go to the screen

        spare(options, world)
    return verb.execute(options, world)


def _check_text(words: list[str]) -> None:
    """Refuse bytes that the locale makes no text of: no result could name them. Raises UsageError."""
    for word in words:
        try:
            word.encode()
        except UnicodeEncodeError:
            hint = "give the file another name, or the plan on standard input: -"
            raise UsageError(f"{word} is not text in this locale", hint=hint) from None


def _choose(words: list[str], world: World) -> tuple[Verb, Shared] | int:
    """What is to be done. A plain command line is read quickly; typer takes the rest."""
    how = world.environ.get(COMPLETION_VARIABLE)
    if how is not None and not words:
        from replanctl.cli.completing import complete, is_asked

        if is_asked(how):
            return complete(how, world, lambda name: load_verb(name).options)
    elif not words:
        return _show_help(world)
    elif words[0] in VERBS:
        verb = load_verb(words[0])
        # A plain command line is what scripts call a thousand times: it does not wait for typer to be imported.
        if options := read_quickly(words[1:], verb.options):
            return verb, options
    return _read(words, world, world.stdout)


def _show_help(world: World) -> int:
    """Say what there is to do, where complaints go: nothing was asked for, so there is no result."""
    _read(["--help"], world, world.stderr)
    return UsageError.exit_code


def _read(words: list[str], world: World, stream: TextIO) -> tuple[Verb, Shared] | int:
    """Read words with typer. Its help is ours to colour, and goes to this stream."""
    from contextlib import redirect_stdout
    from io import StringIO

    from replanctl.cli.telling import tell_help
    from replanctl.cli.typed import read_with_typer

    verbs = {name: load_verb(name) for name in VERBS}
    if COMPLETION_VARIABLE in world.environ:  # what the shell reads is typer's own
        return read_with_typer(words, verbs)
    # typer prints its help by itself, to the standard output of the process.
    with redirect_stdout(StringIO()) as printed:
        chosen = read_with_typer(words, verbs)
    if text := printed.getvalue():
        tell_help(world, stream, _color(words), text)
    return chosen


def _stopped(world: World, words: Sequence[str], stop: KeyboardInterrupt | StoppedError) -> int:
    notes: list[str] = getattr(stop, "__notes__", [])
    if isinstance(stop, StoppedError):
        return _complain(world, words, stop.exit_code, "terminated", *notes)
    return _complain(world, words, INTERRUPTED, "interrupted", *notes)


def _stop_behind(error: BaseException) -> KeyboardInterrupt | StoppedError | None:
    """The stop on whose way out an error came up, if there was one."""
    behind: BaseException | None = error
    while behind is not None and not isinstance(behind, (KeyboardInterrupt, StoppedError)):
        behind = behind.__context__
    return behind


def _is_gone() -> bool:
    """Whether the working folder was deleted: much of what is asked of it fails then, each in its own way."""
    try:
        Path.cwd()
    except FileNotFoundError:
        return True
    return False


def _report_bug(world: World, words: Sequence[str], error: BaseException) -> int:
    if "--debug" in words:
        from traceback import format_exception

        say(world.stderr, "".join(format_exception(error)).splitlines())
    what = f"this is a bug in replanctl: {type(error).__name__}: {error}"
    return _complain(world, words, BUG, what, "please report it, with what --debug shows")


def _complain(world: World, words: Sequence[str], code: int, what: str, *hints: str) -> int:
    """Say in a line what is wrong, and in another the way out."""
    from replanctl.cli.telling import tell
    from replanctl.show import Span

    if len(what) > _LONGEST:  # somebody's own word, which they know, stands in the middle
        what = f"{what[: _LONGEST // 2]} … {what[-_LONGEST // 2 :]}"
    _written(world, code)
    lines = [[Span("replanctl:", "failed"), Span(f" {what}")]]
    lines += [[Span(f"  {hint}", "command")] for hint in hints if hint]
    tell(world, world.stderr, _color(words), lines)
    world.stderr.flush()
    return code


_LONGEST = 1000  # characters of a complaint


# Verbs that look into the store. What the rooms below suggest names no store: they do not know which one was named.
_OF_THE_STORE = r"\breplanctl (run|runs|show|why|diff|prompt|resume|replay|graph|report|stats)(?= (?!--help)|$)"


def _in_the_store(hint: str, words: Sequence[str]) -> str:
    """A hint whose commands name the store that the command line named."""
    folder = _said(words, "--store")
    if not folder or not folder[-1] or "--store" in hint:
        return hint
    return re.sub(_OF_THE_STORE, lambda found: f"{found[0]} --store {as_word(Path(folder[-1]))}", hint)


def _said(words: Sequence[str], name: str) -> list[str]:
    """What stands behind an option. Looked for by hand: the words may be wrong, which is what is about to be said."""
    joined = [word.removeprefix(f"{name}=") for word in words if word.startswith(f"{name}=")]
    return joined + [word for flag, word in pairwise(words) if flag == name]


def _color(words: Sequence[str]) -> Color:
    """When to colour, as far as the words say."""
    said = _said(words, "--color")
    return Color(said[-1]) if said and said[-1] in tuple(Color) else Color.AUTO


def _list_problems(world: World, error: InputError, when: Color) -> int:
    from replanctl.cli.telling import tell_problems

    _written(world, error.exit_code)
    tell_problems(world, world.stderr, when, error.problems)
    world.stderr.flush()
    return error.exit_code


def _written(world: World, code: int) -> None:
    """What was written before comes first; but one who is told to stop does not wait for a reader."""
    if code < INTERRUPTED:
        with suppress(OutputError):
            world.stdout.flush()
