"""Facts on the way to a table: a file of lines of JSON, the study first, then the facts of its sessions in order.

A sweep that is stopped, or killed at whichever write, leaves a whole head and whole lines behind; a line that was cut
off is not there. A shard is such a file.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import BinaryIO, Self

import msgspec

from replanctl.errors import InputError, Problem, StoreError, UsageError
from replanctl.lab import Facts, Study

EVERY = 64  # facts between two writes
MOST = 1 << 26  # bytes of a line of a shard: what somebody names as one may have no end

_head = msgspec.json.Decoder(Study).decode
_line = msgspec.json.Decoder(Facts).decode


class FactsFile:
    """Where a sweep writes what it finds. `kept` are the sessions that were there already."""

    def __init__(self, stream: BinaryIO, path: Path, kept: int) -> None:
        self._stream = stream
        self.path = path
        self.kept = kept
        self._waiting: list[bytes] = []
        self._encode = msgspec.json.Encoder().encode

    @classmethod
    def open(cls, path: Path, study: Study, *, go_on: bool) -> Self:
        """The file for a study: a new one, or the one that is there cut to its whole lines. Raises StoreError."""
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            if go_on and path.exists():
                return cls._reopened(path, study)
            # For its owner alone: keys and reasons tell about plans, as a store does.
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            stream = open(descriptor, "wb")  # noqa: PTH123, SIM115 with a mode, and closed by `close`
            stream.write(msgspec.json.encode(study) + b"\n")
            return cls(stream, path, 0)
        except OSError as error:
            hint = "name another folder with --store, or keep nothing with --no-store"
            raise StoreError(f"{path} can't be written: {error.strerror or error}", hint=hint) from error

    @classmethod
    def _reopened(cls, path: Path, study: Study) -> Self:
        stream = path.open("rb+")
        line = stream.readline()
        kept, end = 0, len(line)
        if line != msgspec.json.encode(study) + b"\n":  # killed before the head was whole
            stream.seek(0)
            line = msgspec.json.encode(study) + b"\n"
            end = stream.write(line)
        else:
            for line in stream:
                if not _is_whole(line):
                    break
                kept, end = kept + 1, end + len(line)
        # A line that was cut off in the middle would swallow the next one written behind it.
        stream.truncate(end)
        stream.seek(end)
        return cls(stream, path, kept)

    def found(self) -> Iterator[Facts]:
        """The facts that were there already."""
        with self.path.open("rb") as stream:
            stream.readline()
            for _ in range(self.kept):
                yield _line(stream.readline())

    def append(self, one: Facts) -> None:
        """Keep the facts of the next session."""
        self._waiting.append(self._encode(one) + b"\n")
        if len(self._waiting) >= EVERY:
            self.flush()

    def flush(self) -> None:
        """Write what waits. Raises StoreError."""
        lines, self._waiting = self._waiting, []
        try:
            self._stream.write(b"".join(lines))
            self._stream.flush()
        except OSError as error:
            raise StoreError(f"{self.path} can't be written: {error.strerror or error}", hint="make room") from error

    def close(self, *, done: bool) -> None:
        """Let go of the file; one that is done with is taken away."""
        self.flush()
        self._stream.close()
        if done:
            self.path.unlink(missing_ok=True)


def _is_whole(line: bytes) -> bool:
    if not line.endswith(b"\n"):
        return False
    try:
        _line(line)
    except msgspec.MsgspecError:
        return False
    return True


def shard_lines(study: Study, facts: Iterator[Facts]) -> Iterator[bytes]:
    """A shard as it is written: its head, then its facts."""
    encode = msgspec.json.Encoder().encode
    yield encode(study)
    yield from map(encode, facts)


class Shard:
    """One file of a shard. Raises InputError where it is none, or not whole."""

    def __init__(self, path: str) -> None:
        self.path = path
        try:
            self._stream = Path(path).open("rb")  # noqa: SIM115 `close` closes it
            head = self._stream.readline(MOST)
        except OSError as error:
            why = f"can't be read: {error.strerror or error}"
            raise _refused(path, 0, why, "name the files that --shard i/n -o FILE wrote") from error
        try:
            self.study = _head(head)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            self.close()
            raise _refused(path, 1, "is not the shard of a sweep", "--shard i/n -o FILE writes one") from error

    def facts(self) -> Iterator[Facts]:
        """Its facts, in order, as many as its head says."""
        for number in range(self.study.sessions):
            try:
                yield _line(self._stream.readline(MOST))
            except (msgspec.MsgspecError, UnicodeDecodeError) as error:
                what = f"has the facts of {number} sessions of {self.study.sessions}"
                raise _refused(self.path, number + 2, what, "run that shard again") from error

    def close(self) -> None:
        """Let go of the file."""
        self._stream.close()


@contextmanager
def merged(paths: tuple[str, ...]) -> Iterator[tuple[Study, Iterator[Facts]]]:
    """The whole study that shards make together, and its facts in order.

    Raises UsageError where they are of different sweeps, one is missing or is given twice.
    """
    with ExitStack() as opened:
        # All opened before anything is read: a missing shard is said at once, and not after an hour of merging.
        shards = {shard.study.shard: shard for shard in (opened.enter_context(closing(Shard(path))) for path in paths)}
        yield _merged(shards, paths)


def _merged(shards: dict[int, Shard], paths: tuple[str, ...]) -> tuple[Study, Iterator[Facts]]:
    first = next(iter(shards.values())).study
    for shard in shards.values():
        if shard.study.digest != first.digest or shard.study.shards != first.shards:
            raise UsageError(f"{shard.path} is of another sweep than {paths[0]}", hint="merge the shards of one sweep")
    missing = [f"{number}/{first.shards}" for number in range(1, first.shards + 1) if number not in shards]
    if missing or len(shards) < len(paths):
        what = f"shard {missing[0]} is missing" if missing else "a shard is given twice"
        raise UsageError(what, hint=f"merge takes each of the {first.shards} shards once")
    whole = msgspec.structs.replace(first, shard=1, shards=1)
    return whole, _interleaved([shards[number].facts() for number in sorted(shards)])


def _interleaved(shards: list[Iterator[Facts]]) -> Iterator[Facts]:
    """Facts of the shards in turn, one of each, as `sharded` dealt the sessions out."""
    while True:
        for shard in shards:
            one = next(shard, None)
            if one is None:
                return
            yield one


def _refused(path: str, line: int, what: str, hint: str = "") -> InputError:
    return InputError([Problem(path, line, 1 if line else 0, "no-shard", f"{path} {what}", hint=hint)])
