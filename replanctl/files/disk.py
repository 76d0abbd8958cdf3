"""Files in and out: whole, regular, UTF-8 texts of a sane size."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, TextIO

from replanctl.errors import InputError, Problem
from replanctl.files.elsewhere import import_hint, looks_like_a_trace, means_to_be_ours

MAX_MEGABYTES = 64
SUFFIXES = (".yaml", ".yml", ".json")
_HEAD = 65_536  # bytes that show what a file is that is too large to be read
STDIN = "-"
STDIN_NAME = "<stdin>"
# Without waiting: a pipe is opened at once, and refused, instead of when somebody writes to it.
_READING = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


# A name on a command line may be a pipe, a device, a folder or a file of a terabyte, and each would hang or fill the
# process in its own way. So a file is opened without waiting, has to be a regular one, and is read up to a limit.
def read_text(path: str | Path) -> str:
    """The text of a file. Raises InputError when it can't be had whole, or is not UTF-8."""
    name = str(path)
    try:
        return decode(name, _read(name))
    except OSError as error:
        raise _refused(
            name,
            "unreadable",
            f"can't be read: {error.strerror or error}",
            "check that the path is right and that you may use it",
        ) from None
    except ValueError:
        raise _refused(name, "unreadable", "can't be read: there is a NUL in its name", "check the path") from None


def read_stream(stream: Any) -> str:
    """The text of standard input, given as a text or byte stream."""
    source: IO[bytes] | IO[str] = getattr(stream, "buffer", stream)
    try:
        data = source.read(_limit() + 1)
    except (OSError, ValueError) as error:  # ValueError: it is closed
        raise _refused(STDIN_NAME, "unreadable", f"can't be read: {error}") from None
    raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    _check_size(STDIN_NAME, len(raw), raw)
    return decode(STDIN_NAME, raw)


def exists(path: str | Path) -> bool:
    """Whether there is anything under this name; no, where it can't even be asked."""
    try:
        return Path(path).exists()
    except (OSError, ValueError):
        return False


def is_folder(path: str | Path) -> bool:
    """Whether this is a folder; no, where it can't even be asked."""
    try:
        return Path(path).is_dir()
    except (OSError, ValueError):
        return False


def plans_in(folder: str | Path) -> list[Path]:
    """The files below a folder that mean to be read here, in the order of their names, but those of hidden folders.

    A file of outcomes beside its plan is read with that plan. One that can't be read is among them: it is to be told.
    """
    found = [path for path in sorted(_shown(folder)) if path.suffix in SUFFIXES and path.is_file()]
    return [path for path in found if not _beside_its_plan(path) and _means_to_be_ours(path)]


def _shown(folder: str | Path) -> Iterator[Path]:
    """Every file below a folder but the hidden ones; a folder that may not be looked into, or goes away meanwhile, has
    none."""
    for name, folders, files in os.walk(folder):
        # Folders such as `.git` and `.venv` hold thousands of YAML files that are nobody's plan.
        folders[:] = [each for each in folders if not each.startswith(".")]
        yield from (Path(name, each) for each in files if not each.startswith("."))


def _beside_its_plan(path: Path) -> bool:
    from replanctl.files.sources import named_after

    return named_after(path) is not None


def _means_to_be_ours(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return means_to_be_ours(file.read(_limit()).decode("utf-8", "replace"))
    except OSError:
        return True


def decode(name: str, data: bytes) -> str:
    """UTF-8 bytes as text, without a byte order mark."""
    if data.startswith(b"\x1f\x8b"):
        raise _refused(name, "not-utf8", "this is packed by gzip", import_hint(name), line=1, column=1)
    if data.startswith((b"\xff\xfe", b"\xfe\xff")) or data[:2].count(0) == 1:  # with its mark or without
        raise _refused(name, "not-utf8", "this is UTF-16", "save the file as UTF-8", line=1, column=1)
    try:
        return data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        from replanctl.files.places import Lines

        lines = Lines(data[: error.start].decode("utf-8"))
        line, column = lines.place(len(lines.text))
        byte = f"0x{data[error.start]:02X}"
        raise _refused(
            name, "not-utf8", f"the byte {byte} is not UTF-8", "save the file as UTF-8", line=line, column=column
        ) from None


def destination(path: str | Path) -> Path:
    """The file that is written when this one is named: what a link leads to. Raises OSError where there can be none."""
    target = Path(os.path.realpath(path))
    if target.is_symlink():  # it leads to itself
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    with suppress(FileNotFoundError):
        if stat.S_ISDIR(target.stat().st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    return target


def write_text(path: str | Path, text: str, *, sync: bool = True) -> None:
    """Put a text in a file whole or not at all; what was there stays until the new text is on the disk.

    Without `sync` it is not waited for that: where many files are written, which can be made again. What is no regular
    file, such as a device, is written to directly. Raises InputError when it can't be.
    """
    with _unwritable(path):
        target = destination(path)
        if target.exists() and not target.is_file():
            target.write_text(text, encoding="utf-8")
        else:
            with replacing(target, sync=sync) as file:
                file.write(text)


def check_writable(path: str | Path) -> None:
    """Raise InputError where `write_text` would, before anything is done that would be lost then."""
    with _unwritable(path):
        target = destination(path)
        if target.is_file() or not target.exists():
            handle, temporary = _draft(target)
            os.close(handle)
            Path(temporary).unlink()


@contextmanager
def _unwritable(path: str | Path) -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError) as error:
        why = (isinstance(error, OSError) and error.strerror) or error
        raise _refused(
            str(path), "unwritable", f"can't be written: {why}", "check that the path is right and that you may use it"
        ) from None


def _draft(target: Path) -> tuple[int, str]:
    """A new file beside the one it is to become."""
    import tempfile  # only a run that writes pays for it

    return tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)


@contextmanager
def replacing(target: Path, *, sync: bool = True) -> Iterator[TextIO]:
    """A stream whose text takes the file's place when all went well, else what was there stays. Raises OSError."""
    mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else 0o666 & ~_umask()
    handle, temporary = _draft(target)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            yield file
            file.flush()
            if sync:
                os.fsync(file.fileno())
        Path(temporary).chmod(mode)
        Path(temporary).replace(target)
    finally:
        Path(temporary).unlink(missing_ok=True)


def _read(name: str) -> bytes:
    """The bytes of a file. It is opened first and looked at then: under its name there may be another one any time."""
    handle = os.open(name, _READING)
    try:
        before = os.fstat(handle)
        _check_regular(name, before.st_mode)
        with os.fdopen(handle, "rb", closefd=False) as file:
            data = file.read(_limit() + 1 if before.st_size <= _limit() else _HEAD)
        after = os.fstat(handle)
    finally:
        os.close(handle)
    _check_size(name, max(len(data), before.st_size), data)
    if (before.st_mtime_ns, before.st_size) != (after.st_mtime_ns, len(data)):
        raise _refused(name, "changed", "the file changed while it was read", "try again")
    return data


def _check_regular(name: str, mode: int) -> None:
    if stat.S_ISREG(mode):
        return
    folder = stat.S_ISDIR(mode)
    what = "a folder" if folder else "not a regular file"
    hint = "name a file in it" if folder else f"give {STDIN} to read standard input"
    raise _refused(name, "not-a-file", f"this is {what}", hint)


def _check_size(name: str, size: int, data: bytes) -> None:
    """Refuse what is too large; `data` is at least how it begins."""
    if size > _limit():
        trace = looks_like_a_trace(data[:_HEAD].decode("utf-8", "replace"))
        hint = import_hint(name) if trace else "split the plan, or shorten what it carries"
        raise _refused(name, "too-large", f"larger than {MAX_MEGABYTES} MB", hint)


def _limit() -> int:
    return MAX_MEGABYTES * 1024 * 1024


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _refused(name: str, rule: str, message: str, hint: str = "", *, line: int = 0, column: int = 0) -> InputError:
    return InputError([Problem(name, line, column, rule, message, hint=hint)])
