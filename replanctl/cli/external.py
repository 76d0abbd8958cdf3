"""A planner and tools from outside: a command that is asked on standard input, and Python callables by name.

Both run with the user's rights: replanctl starts them, it does not contain them.
"""

from __future__ import annotations

import os
import selectors
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec

from replanctl.errors import InputError, UsageError
from replanctl.files import parse_draft
from replanctl.plan.draft import Draft
from replanctl.plan.model import Step
from replanctl.replan.prompt import ReplanRequest, build_prompt
from replanctl.run.functions import FunctionTools

TIMEOUT = 60.0  # seconds a planner command may take
OUTPUT_CAP = 1 << 20  # bytes it may write
SHOWN = 200  # characters of its complaint that a reason carries

# What a request says of a step: all that a draft may say of one.
_DRAFTED = (
    "id", "action", "tool", "args", "expected_outcome", "depends_on", "produces", "assumes", "on_failure",
    "alternatives", "granularity",
)  # fmt: skip


class CommandReplanner:
    """Starts a command once per replan, writes the request to it as JSON and reads steps (YAML or JSON) from it.

    A command that fails, takes more than `timeout` seconds, writes more than a mebibyte or answers with anything but
    steps has given a bad draft.
    """

    name = "command"

    def __init__(self, command: str, *, timeout: float = TIMEOUT) -> None:
        try:
            self._words = shlex.split(command)
        except ValueError as error:
            raise UsageError(f"the planner command can't be read: {error}") from error
        if not self._words:
            raise UsageError("the planner command is empty")
        self._timeout = timeout

    def replan(self, request: ReplanRequest) -> Draft | None:
        """Ask the command. Raises ValueError with what went wrong."""
        try:
            rule = parse_draft(self._run(request_json(request)), "the planner's answer")
        except InputError as error:
            raise ValueError("; ".join(f"{p.line}:{p.column}: {p.message}" for p in error.problems[:3])) from error
        return Draft(rule.steps, rule.verdicts)

    def cause(self, request: ReplanRequest) -> str:
        """A command says nothing before it is asked."""
        return ""

    def _run(self, request: bytes) -> str:
        with tempfile.TemporaryFile() as question:
            question.write(request)
            question.seek(0)
            try:
                process = subprocess.Popen(
                    self._words, stdin=question, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
                )
            except OSError as error:
                raise ValueError(f"{self._words[0]} can't be started: {error.strerror or error}") from error
        try:
            answer, complaint = _listen(process, self._timeout)
        finally:
            _end(process)
        if process.returncode != 0:
            said = complaint.decode("utf-8", "replace").strip().splitlines()
            raise ValueError(f"it ended with {process.returncode}{f': {said[-1][:SHOWN]}' if said else ''}")
        return answer.decode("utf-8", "strict")


def _listen(process: subprocess.Popen[bytes], timeout: float) -> tuple[bytes, bytes]:
    """What the command writes until it ends, and the end of what it complains about. Raises ValueError over a cap."""
    assert process.stdout is not None and process.stderr is not None
    until = time.monotonic() + timeout
    heard = {process.stdout: b"", process.stderr: b""}
    with selectors.DefaultSelector() as selector:
        for stream in heard:
            selector.register(stream, selectors.EVENT_READ)
        while selector.get_map():
            ready = selector.select(max(0.0, until - time.monotonic()))
            if not ready:
                raise ValueError(f"no answer within {timeout:g} s")
            for key, _ in ready:
                chunk = os.read(key.fd, 1 << 16)
                if not chunk:
                    selector.unregister(key.fileobj)
                stream = process.stdout if key.fileobj is process.stdout else process.stderr
                heard[stream] += chunk
            heard[process.stderr] = heard[process.stderr][-4096:]
            if len(heard[process.stdout]) > OUTPUT_CAP:
                raise ValueError(f"it wrote more than {OUTPUT_CAP:,} bytes")
    try:
        process.wait(max(0.0, until - time.monotonic()))
    except subprocess.TimeoutExpired as error:
        raise ValueError(f"it did not end within {timeout:g} s") from error
    return heard[process.stdout], heard[process.stderr]


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the command and whatever it started, when it has not ended by itself."""
    if process.poll() is None:
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
        process.wait()
    for stream in (process.stdout, process.stderr):
        if stream is not None:
            stream.close()


def request_json(request: ReplanRequest) -> bytes:
    """A request as the JSON object a planner command reads; `prompt` is the text a model would get."""
    return msgspec.json.encode(
        {
            "goal": request.goal,
            "granularity": request.granularity,
            "version": request.version,
            "failure": request.signal,
            "done": list(request.done),
            "remaining": [_as_drafted(step) for step in request.remaining],
            "lessons": request.lessons,
            "prompt": build_prompt(request),
        }
    )


def _as_drafted(step: Step) -> dict[str, Any]:
    """A step in the words of a plan file, so that an answer may list it again as it is."""
    said = msgspec.to_builtins(step)
    return {key: said[key] for key in _DRAFTED if said[key] or key == "depends_on"}


def load_tools(spec: str) -> FunctionTools:
    """The tools that `module:attribute` names: a mapping of callables, a module, or one callable of (name, args).

    The working folder comes first on the path. Raises UsageError where there is no such thing.
    """
    name, _, attribute = spec.partition(":")
    folder = str(Path.cwd())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        found: Any = import_module(name)
        for part in filter(None, attribute.split(".")):
            found = getattr(found, part)
    except (ImportError, AttributeError, ValueError) as error:
        raise UsageError(f"--tools {spec}: {error}", hint="write module:attribute") from error
    return FunctionTools(_toolbox(found, spec))


def _toolbox(found: Any, spec: str) -> Mapping[str, Callable[..., Any]] | Callable[[str, dict[str, Any]], Any]:
    if isinstance(found, ModuleType):
        return {name: value for name, value in vars(found).items() if callable(value) and not name.startswith("_")}
    if isinstance(found, Mapping):
        return found
    if callable(found):
        call: Callable[[str, dict[str, Any]], Any] = found
        return call
    raise UsageError(f"--tools {spec} is a {type(found).__name__}", hint="name a mapping, a module or a callable")
