"""A recorded run in our own words, whatever it was read from: its calls, in the order they began."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from replanctl.files import End
from replanctl.kinds import Status


class Kind(StrEnum):
    """What a recording can be read from."""

    MESSAGES = "messages"
    OTEL = "otel"
    LANGSMITH = "langsmith"
    LANGFUSE = "langfuse"
    OPENAI_AGENTS = "openai-agents"
    MLFLOW = "mlflow"
    MAGENTIC = "magentic"
    REWOO = "rewoo"
    RUN = "run"


class RecordedCall(msgspec.Struct):
    """One tool call. `args` and `result` are UNSET where the recording does not hold them.

    `began` and `ended` are seconds on any clock, or places in the recording: only their order counts, `latency` is in
    seconds. `line` is where it stands in its file, 0 where that is not known. `cut` says that the args, or the result,
    were cut off by whoever recorded them.
    """

    tool: str
    args: dict[str, Any] | UnsetType = UNSET
    result: Any = UNSET
    status: Status = Status.OK
    message: str = ""
    cause: str = ""
    latency: float | None = None
    tokens: int | None = None
    began: float = 0.0
    ended: float = 0.0
    cut: str = ""
    action: str = ""
    retry_after: float | None = None


class Trace(msgspec.Struct):
    """One recorded run. `raw` is what a `--solved` pointer looks into.

    `missing` says what the recording did not hold, `left_out` what it held and a rehearsal has no place for; `hints`
    name the settings that would have recorded what is missing.
    """

    kind: Kind
    id: str = ""
    goal: str = ""
    calls: list[RecordedCall] = []
    end: End | None = None
    raw: Any = None
    place: str = ""
    missing: list[str] = []
    left_out: list[str] = []
    hints: list[str] = []
    sequence: bool = False  # the order of the calls is a dependency even where no value says so
    planned: bool = False  # it is a plan: nothing was called yet


class Refused(msgspec.Struct, frozen=True):
    """What could not be read: where, what it looks like, and the way out."""

    place: str
    reason: str
    hint: str = ""
    id: str = ""
    empty: bool = False
