"""Where a result goes: standard output, or a file that is there whole or not at all."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from shlex import quote
from typing import Any, TextIO, assert_never

import msgspec

from replanctl.cli.flags import Format
from replanctl.errors import ReplanctlError, UsageError
from replanctl.run import SCHEMA_VERSION


class OutputError(ReplanctlError):
    """A result can't be written where it should go; like a store that can't be."""

    exit_code = 3

    def __init__(self, what: str, error: OSError) -> None:
        super().__init__(f"{what} can't be written: {error.strerror or error}", hint="make room, or write elsewhere")


@contextmanager
# A result in a file is there whole or not at all: who reads it may do so while it is made, and a full disk must not
# leave half a document where a good one was. It goes to a file beside the target first, which then takes its name.
def output(stdout: TextIO, target: Path | None) -> Iterator[TextIO]:
    """The stream for a result. A target file is put in place when all went well, else what was there stays."""
    if target is None or str(target) == "-":
        yield stdout
        return
    from replanctl.files import destination

    with _refused(target):
        if _own_stream(target) is not None or (target.exists() and not target.is_file() and not target.is_dir()):
            direct = True  # a device or a pipe can't be replaced, and a pipe has a name only where it was found
        else:
            direct, final = False, destination(target)  # a link stays a link
    with _written_directly(target) if direct else _replaced(final, target) as stream:
        yield stream


def write_line(stream: TextIO, line: bytes) -> None:
    """Write a line of JSON in UTF-8, whatever the stream's encoding."""
    # Past the text layer: what other programs read is UTF-8, also where the terminal's encoding can't say it.
    stream.buffer.write(_harmless(line))
    stream.buffer.write(b"\n")


def write_document(stream: TextIO, text: str) -> None:
    """Write what other programs read, in UTF-8 like JSON. Foreign text in it has passed the door already."""
    stream.buffer.write(text.encode())


def as_word(path: Path) -> str:
    """A path as a shell takes it, and no option."""
    text = str(path)
    return quote(f"./{text}" if text.startswith("-") else text)


def tell_traceback(stream: TextIO) -> Callable[[BaseException], None]:
    """Where the traceback of what a tool raised is shown, for `--debug`."""

    def tell(error: BaseException) -> None:
        from traceback import format_exception

        say(stream, "".join(format_exception(error)).splitlines())
        stream.flush()

    return tell


def answer(stream: TextIO, how: Format, document: Callable[[], Mapping[str, Any]], screen: Callable[[], None]) -> None:
    """Write a result as it was asked for: a JSON document with its schema's version in front, or a screen."""
    match how:
        case Format.JSON:
            write_json(stream, document())
        case Format.TEXT:
            screen()
        case _:
            assert_never(how)


def write_json(stream: TextIO, document: Mapping[str, Any]) -> None:
    """Write a JSON document of ours: which schema it keeps stands first."""
    # In front, so that a reader knows by the first bytes what it reads.
    write_line(stream, msgspec.json.encode({"schema_version": SCHEMA_VERSION, **document}))


def say(stream: TextIO, lines: Iterable[str]) -> None:
    """Write lines of text; like everything else for people, each passes the door for foreign text."""
    from replanctl.show import clean, glyphs_for

    glyphs = glyphs_for(stream.encoding)
    stream.writelines(f"{clean(line, glyphs)}\n" for line in lines)


def say_left_out(stream: TextIO, damaged: Sequence[int]) -> None:
    """Name the runs of a store that could not be read where the others were; nothing where all could."""
    if damaged:
        say(stream, [f"left out, because damaged: run {', run '.join(map(str, sorted(damaged)))}"])


# What JSON does not escape and a terminal may act on, or show as nothing: DEL, C1, bidi controls, zero width.
_UNSEEN = (
    "[\x7f-\x9f\xad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ufff9-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0001-\U000e007f]"
)


def _harmless(line: bytes) -> bytes:
    """The same JSON, with every character that can't be seen as an escape."""
    # Nearly every line is plain, and a long run has hundreds of thousands.
    if line.isascii() and b"\x7f" not in line:
        return line
    text = line.decode()
    return line if text.isprintable() else re.sub(_UNSEEN, _escaped, text).encode()


def _escaped(char: re.Match[str]) -> str:
    units = char[0].encode("utf-16-be").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


@contextmanager
def _written_directly(target: Path) -> Iterator[TextIO]:
    stream = _open(target)
    try:
        with _reported(target):
            yield stream
            stream.flush()
    finally:
        with suppress(OSError):  # it was said already
            stream.close()


@contextmanager
def _replaced(final: Path, target: Path) -> Iterator[TextIO]:
    from replanctl.files import replacing

    whole = ExitStack()
    with _refused(target):
        stream = whole.enter_context(replacing(final))
    with _reported(target), whole:
        yield stream


def _open(target: Path) -> TextIO:
    """Open before anything is run, so that a target that can't be written costs nothing."""
    with _refused(target):
        number = _own_stream(target)
        return open(target if number is None else os.dup(number), "w", encoding="utf-8", newline="\n")  # noqa: PTH123


# Behind a name of one of our own streams there may be a file that was opened for appending, or that others write to as
# well (`>> log`): it is gone on with, and neither cut off nor replaced.
def _own_stream(target: Path) -> int | None:
    """The descriptor that a path means, where it is such a name."""
    found = re.fullmatch(r"/dev/(stdout|stderr)|/(?:dev|proc/self)/fd/(\d{1,6})", str(target))
    return {"stdout": 1, "stderr": 2}[found[1]] if found and found[1] else int(found[2]) if found else None


@contextmanager
def _refused(target: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UsageError(f"{target} can't be written: {error.strerror}", hint="name another file with -o") from error


@contextmanager
def _reported(target: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise OutputError(str(target), error) from error
