"""A planner from outside: a command that is asked on standard input and answers with steps.

It runs with the user's rights: replanctl starts it, and ends it with whatever it started, but does not contain it.
"""

from __future__ import annotations

import os
import selectors
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress

import msgspec

from replanctl.errors import InputError, UsageError
from replanctl.files import parse_draft
from replanctl.host.question import question
from replanctl.host.signals import held_back
from replanctl.live import Draft
from replanctl.plan import shortened
from replanctl.replan import ReplanRequest

OUTPUT_CAP = 1 << 20  # bytes it may write
SHOWN = 200  # characters of its complaint that a reason carries
PULSE = 0.1  # seconds between two looks whether it has ended while something it started keeps its output open


class CommandReplanner:
    """Starts a command once per replan, writes the question to it as JSON and reads steps (YAML or JSON) from it.

    A command that fails, takes more than `timeout` seconds, writes more than a mebibyte or answers with anything but
    steps has given a bad draft.
    """

    name = "command"

    def __init__(self, command: str, *, timeout: float, clock: Callable[[], float] = time.monotonic) -> None:
        try:
            self._words = shlex.split(command)
        except ValueError as error:
            raise UsageError(f"--planner {command!r} can't be read: {error}", hint="mind the quotes") from error
        if not self._words:
            raise UsageError("--planner is empty", hint='name a command: --planner "python planner.py"')
        if shutil.which(self._words[0]) is None:
            hint = "write it as a shell would find it: a name on the PATH, or ./planner"
            raise UsageError(f"--planner {self._words[0]}: there is no such command", hint=hint)
        self._timeout = timeout
        self._clock = clock
        self.took = 0.0  # seconds that the last answer took

    def replan(self, request: ReplanRequest) -> Draft | None:
        """Ask the command. Raises ValueError with what went wrong."""
        began = self._clock()
        try:
            return self._draft(request)
        finally:
            self.took = max(0.0, self._clock() - began)

    def _draft(self, request: ReplanRequest) -> Draft:
        # By the real clock and not the session's: this limits a process, and a test's clock would never let it end.
        until = time.monotonic() + self._timeout
        try:
            # The ids that an unquoted `#E1` in the answer may mean, which YAML takes for a comment.
            known = [*(step.id for step in request.done), *(step.id for step in request.remaining)]
            answer = self._run(msgspec.json.encode(question(request)))
            rule = parse_draft(answer, "the planner's answer", known)
        except InputError as error:
            raise ValueError("; ".join(f"{p.line}:{p.column}: {p.message}" for p in error.problems[:3])) from error
        if time.monotonic() > until:
            raise ValueError(f"no answer within {self._timeout:g} s: reading its steps took the rest")
        return Draft(rule.steps, rule.verdicts, cause=rule.cause)

    def cause(self, request: ReplanRequest) -> str:
        """A command says nothing before it is asked."""
        return ""

    def _run(self, text: bytes) -> str:
        process: subprocess.Popen[bytes] | None = None
        try:
            with held_back():  # or nobody would know of it
                process = self._start(text)
            answer, complaint = _listen(process, self._timeout)
        finally:
            if process is not None:
                _end(process)
        if process.returncode != 0:
            said = complaint.decode("utf-8", "replace").strip().splitlines()
            raise ValueError(f"it ended with {process.returncode}{f': {shortened(said[-1], SHOWN)}' if said else ''}")
        return answer.decode("utf-8")

    def _start(self, text: bytes) -> subprocess.Popen[bytes]:
        """The command with its question: in a file, so that it need not read it, and in a group of its own."""
        with tempfile.TemporaryFile() as file:
            file.write(text)
            file.seek(0)
            pipe = subprocess.PIPE
            try:
                return subprocess.Popen(self._words, stdin=file, stdout=pipe, stderr=pipe, start_new_session=True)
            except (OSError, ValueError) as error:  # a NUL in a word is a ValueError
                reason = getattr(error, "strerror", None) or str(error)
                raise ValueError(f"{self._words[0]} can't be started: {reason}") from error


def _listen(process: subprocess.Popen[bytes], timeout: float) -> tuple[bytes, bytes]:
    """What the command writes until it ends, and the end of what it complains about. Raises ValueError over a cap."""
    assert process.stdout is not None
    assert process.stderr is not None
    until, ended = time.monotonic() + timeout, float("inf")
    heard = {process.stdout: b"", process.stderr: b""}
    with selectors.DefaultSelector() as selector:
        for stream in heard:
            selector.register(stream, selectors.EVENT_READ, stream)
        while selector.get_map():
            left = until - time.monotonic()
            ready = selector.select(max(0.0, min(left, PULSE)))
            if process.poll() is not None:  # what it started may hold its outputs open, and go on writing to them
                ended = min(ended, time.monotonic())
                answering = any(key.data is process.stdout for key, _ in ready)
                if not ready or (not answering and time.monotonic() > ended + PULSE):
                    break
            if left <= 0:
                raise ValueError(f"no answer within {timeout:g} s")
            for key, _ in ready:
                chunk = os.read(key.fd, 1 << 16)
                if not chunk:
                    selector.unregister(key.fileobj)
                heard[key.data] += chunk
            # Of a complaint the end is what counts, and it may be as long as it likes.
            heard[process.stderr] = heard[process.stderr][-4096:]
            if len(heard[process.stdout]) > OUTPUT_CAP:
                raise ValueError(f"it wrote more than {OUTPUT_CAP:,} bytes")
    try:
        process.wait(max(0.0, until - time.monotonic()))
    except subprocess.TimeoutExpired as error:
        raise ValueError(f"it did not end within {timeout:g} s") from error
    return heard[process.stdout], heard[process.stderr]


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the command and whatever it started."""
    with suppress(ProcessLookupError, PermissionError):  # all of them have ended by themselves
        if os.name == "posix":
            # The group, for a shell that is killed alone leaves what it started behind.
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.wait()
    for stream in (process.stdout, process.stderr):
        if stream is not None:
            stream.close()
