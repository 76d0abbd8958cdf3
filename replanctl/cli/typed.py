"""The thorough reader of command lines: typer, for help, completion and the words for what is wrong."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from functools import partial
from typing import Any

import msgspec
import typer

from replanctl.cli.flags import Flag, Shared, Verb, flags_of, option_name
from replanctl.errors import UsageError

PROGRAM = "replanctl"
_UNASKED = "_REPLANCTL_UNASKED"  # a variable that nobody sets
_HELP = "Rehearse how plan-and-execute agents replan: offline, deterministic, in milliseconds."


# typer hands None to a parameter that was not given, and `none` is a value here (it lifts a limit): wrapped, the two
# can be told apart.
class Given(msgspec.Struct):
    """A value that was given, told from typer's None for one that was not."""

    value: Any


def read_with_typer(words: Sequence[str], verbs: Mapping[str, Verb]) -> tuple[Verb, Shared] | int:
    """The verb and its options, or the exit code where help or completion was the answer. Raises UsageError."""
    command = typer.main.get_command(_app(verbs))
    try:
        # A shell that asks gives no words; a line with words is obeyed, whatever the shell's variable says.
        asked = _UNASKED if words else None
        # Not standalone: else click would print and end the process itself, with exit codes of its own.
        chosen: tuple[Verb, Shared] | int = command.main(list(words), PROGRAM, asked, standalone_mode=False)
    except Exception as error:
        # From typer 0.26 on click is a part of typer, so its errors have no name that holds for every version.
        if not hasattr(error, "format_message"):
            raise
        raise _usage_error(error, f"{PROGRAM} {words[0]}" if words and words[0] in verbs else PROGRAM) from error
    return chosen


def _usage_error(error: Any, where: str) -> UsageError:
    near = getattr(error, "possibilities", None)
    if near:
        return UsageError(error.message, hint=f"did you mean {near[0]}? {where} --help lists them all")
    return UsageError(error.format_message(), hint=f"{where} --help")


def _app(verbs: Mapping[str, Verb]) -> typer.Typer:
    # Rich markup would read `[/x]` in a help text as a tag, and pretty tracebacks would show a user ours.
    app = typer.Typer(
        help=_HELP,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_function(Shared, lambda _: None))
    for name, verb in verbs.items():
        app.command(name, help=verb.help)(_function(verb.options, partial(_pair, verb)))
    return app


def _pair(verb: Verb, options: Shared) -> tuple[Verb, Shared]:
    return verb, options


def _function(options: type[Shared], answer: Callable[[Shared], Any]) -> Callable[..., Any]:
    """A function with the signature that typer reads the flags from."""

    def function(**given: Any) -> Any:
        return answer(options(**{field: _plain(value) for field, value in given.items() if _is_given(value)}))

    parameters = [_parameter(field, flag, options) for field, flag in flags_of(options).items()]
    # typer reads a function's signature; ours come from a table, so a function is made to look as if it had been
    # written.
    function.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    function.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return function


def _parameter(field: str, flag: Flag, options: type[Shared]) -> inspect.Parameter:
    kind, reading = _type_of(flag)
    described = {"help": flag.help, "show_default": False, **reading}
    if flag.positional:
        default = ... if _is_required(field, options) else None
        info = typer.Argument(default, **described)
    else:
        names = [option_name(field), *([flag.short] if flag.short else [])]
        info = typer.Option(None if flag.metavar else False, *names, **described)
    return inspect.Parameter(field, inspect.Parameter.KEYWORD_ONLY, default=info, annotation=kind)


def _type_of(flag: Flag) -> tuple[Any, dict[str, Any]]:
    """The annotation for typer, and how to read and show it where the annotation is not enough."""
    if not flag.metavar:
        return bool, {}
    if isinstance(flag.parse, type) and issubclass(flag.parse, Enum):
        return flag.parse | None, {}
    metavar = f"{flag.metavar}..." if flag.many and flag.positional else flag.metavar
    return (list[str] if flag.many else str), {"parser": _parser(flag.parse), "metavar": metavar}


def _parser(parse: Callable[[str], Any]) -> Callable[[str], Given]:
    def parser(text: str) -> Given:
        try:
            return Given(parse(text))
        except ValueError as error:
            raise typer.BadParameter(str(error)) from error

    return parser


def _is_required(field: str, options: type[Shared]) -> bool:
    return any(each.name == field and each.required for each in msgspec.structs.fields(options))


def _is_given(value: Any) -> bool:
    return value is not None and value is not False and value != []


def _plain(value: Any) -> Any:
    """What was parsed, out of its wrapping; many of them as a tuple."""
    if isinstance(value, list):
        return tuple(map(_plain, value))
    return value.value if isinstance(value, Given) else value
