"""A YAML language server as an editor talks to it, as far as a test needs: open files, and read what is marked.

Which one is named by REPLANCTL_YAML_LANGUAGE_SERVER, else the one on the path:
`npm install yaml-language-server` brings it.
"""

from __future__ import annotations

import json
import os
import select
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

VARIABLE = "REPLANCTL_YAML_LANGUAGE_SERVER"
PATIENCE = 120  # seconds for all that was asked, on a machine that is busy with other things

Marks = dict[str, list[str]]


def language_server() -> str | None:
    """The program, where there is one and Node.js to run it."""
    named = os.environ.get(VARIABLE) or shutil.which("yaml-language-server")
    return named if named and shutil.which("node") else None


class LanguageServer:
    """A running server."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._read = b""
        self._asked = 0

    def marks(self, files: Sequence[Path]) -> Marks:
        """What the server marks in each of these files, by name."""
        for path in files:
            text = path.read_text(encoding="utf-8")
            document = {"uri": path.as_uri(), "languageId": "yaml", "version": 1, "text": text}
            self._tell("textDocument/didOpen", {"textDocument": document})
        names = {path.as_uri(): path.name for path in files}
        found: Marks = {}
        while names.keys() - {uri for uri in names if names[uri] in found}:
            message = self._next()
            if message.get("method") == "textDocument/publishDiagnostics":
                told = message["params"]
                found[names[told["uri"]]] = [each["message"] for each in told["diagnostics"]]
        return found

    def hover(self, path: Path, line: int, column: int) -> str:
        """What the server says of a place, counted from 0."""
        where = {"line": line, "character": column}
        said = self._ask("textDocument/hover", {"textDocument": {"uri": path.as_uri()}, "position": where})
        return str(said["contents"]["value"]) if said else ""

    def start(self, folder: Path) -> None:
        """Introduce ourselves."""
        self._ask("initialize", {"processId": os.getpid(), "rootUri": folder.as_uri(), "capabilities": {}})
        self._tell("initialized", {})

    def _ask(self, method: str, params: dict[str, Any]) -> Any:
        self._asked += 1
        self._send({"id": self._asked, "method": method, "params": params})
        while True:
            message = self._next()
            if message.get("id") == self._asked and "method" not in message:
                return message.get("result")

    def _tell(self, method: str, params: dict[str, Any]) -> None:
        self._send({"method": method, "params": params})

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self._process.stdin is not None
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self._process.stdin.flush()

    def _next(self) -> dict[str, Any]:
        """The next message. What the server asks of an editor is answered with nothing."""
        head = self._until(b"\r\n\r\n")
        length = int(next(line for line in head.split(b"\r\n") if line.lower().startswith(b"content-length"))[15:])
        while len(self._read) < length:
            self._more()
        body, self._read = self._read[:length], self._read[length:]
        message: dict[str, Any] = json.loads(body)
        if "id" in message and "method" in message:
            asked = message.get("params", {}).get("items", [])
            self._send({"id": message["id"], "result": [None] * len(asked) or None})
        return message

    def _until(self, end: bytes) -> bytes:
        while end not in self._read:
            self._more()
        head, self._read = self._read.split(end, 1)
        return head

    def _more(self) -> None:
        assert self._process.stdout is not None
        ready, _, _ = select.select([self._process.stdout], [], [], PATIENCE)
        read = os.read(self._process.stdout.fileno(), 1 << 16) if ready else b""
        if not read:
            raise AssertionError("the language server says nothing any more")
        self._read += read


@contextmanager
def serving(program: str, folder: Path) -> Iterator[LanguageServer]:
    """A server for the files in a folder, until it is done with."""
    command = [program, "--stdio"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        server = LanguageServer(process)
        server.start(folder)
        yield server
    finally:
        process.kill()
        process.communicate()
