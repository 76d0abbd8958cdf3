"""From recordings to rehearsals: read, recognise, map, check."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import msgspec

from replanctl.errors import InputError, UsageError
from replanctl.files import MAX_MEGABYTES, ClassRule, Role, Source, document_text, parse_rehearsal
from replanctl.kinds import Status
from replanctl.traces.classes import Classifier
from replanctl.traces.content import ContentError, loads
from replanctl.traces.disguise import Disguise, Shown
from replanctl.traces.kinds import Readers
from replanctl.traces.reading import Progress, items_of
from replanctl.traces.rehearsal import Made, PlanOf, rehearse
from replanctl.traces.report import Imported, Parting, Report, compared
from replanctl.traces.trace import Kind, Refused, Trace, shortfall


def import_traces(
    path_or_lines: str | Path | Iterable[Any],
    kind: str | None = None,
    *,
    plan: str = "recorded",
    values: str = "keep",
    classify: Iterable[ClassRule] = (),
    solved: str | None = None,
    partial: bool = False,
    select: Collection[str] = (),
    check: bool = True,
    stdin: Any = None,
    progress: Progress | None = None,
) -> Iterator[Imported]:
    """Rehearsals of recorded runs, one a trace, each with its report, as they are read.

    `path_or_lines` is a file (also `.gz`), `-` for `stdin`, or an iterable of JSON lines or values. `kind` is one of
    `messages`, `otel`, `langsmith`, `langfuse`, `openai-agents`, `mlflow`, `magentic`, `rewoo`, `run`; without it the
    content says. `plan` is `recorded` (a failed call ends a version, and what the agent did next is the replan) or
    `whole` (all calls that succeeded are the first version). `values` is `keep`, `shape` (types and sizes) or `hash`
    (equalities). `classify` holds rules for answers that say in words, or in a field, that they failed. `solved` is
    `POINTER=VALUE`, a JSON pointer into a trace. With `partial`, traces without arguments or results are taken as far
    as they go. `select` names the ids to take. Without `check` nothing is run. `progress` is told the bytes read.

    Nothing is invented: what can't be read has a report that says why, and no document. Raises UsageError for a
    setting that makes no sense, InputError for a file that can't be opened.
    """
    settings = _Settings(
        _choice(Kind, kind, "kind") if kind is not None else None,
        _choice(PlanOf, plan, "plan"),
        Disguise(_choice(Shown, values, "values")),
        Classifier(tuple(classify)),
        Solved.parse(solved) if solved is not None else None,
        partial,
        frozenset(select),
        check,
    )
    return _imported(path_or_lines, settings, stdin, progress)


class _Settings(msgspec.Struct, frozen=True):
    kind: Kind | None
    plan: PlanOf
    disguise: Disguise
    classifier: Classifier
    solved: Solved | None
    partial: bool
    select: frozenset[str]
    check: bool


def _choice(words: Any, given: str, what: str) -> Any:
    try:
        return words(given)
    except ValueError:
        raise UsageError(f"{what} is {given!r}, not one of {', '.join(words)}") from None


def _imported(
    source: str | Path | Iterable[Any], settings: _Settings, stdin: Any, progress: Progress | None
) -> Iterator[Imported]:
    named = str(source) if isinstance(source, str | Path) else "lines"
    label = "stdin" if named == "-" else Path(named).name
    names = NamesGiven(_stem(label))
    silent = True
    for found in Readers(settings.kind, label).traces(items_of(source, stdin, progress)):
        silent = False
        if settings.select and found.id not in settings.select:
            continue
        if isinstance(found, Refused):
            yield _refusal(found)
        else:
            yield _one(found, label, names, settings)
    if silent and not settings.select:
        yield _refusal(Refused(named, "it holds no recording: what is listed there is empty"))


def _stem(name: str) -> str:
    for suffix in (".gz", ".json", ".jsonl", ".ndjson", ".txt", ".log", ".yaml"):
        name = name.removesuffix(suffix)
    return name


def _refusal(found: Refused, kind: str = "") -> Imported:
    report = Report(place=found.place, kind=kind, id=found.id, refused=found.reason, hint=found.hint, empty=found.empty)
    return Imported(report)


def _one(trace: Trace, label: str, names: NamesGiven, settings: _Settings) -> Imported:
    """The rehearsal of one trace, or why there is none."""
    if (refused := shortfall(trace, partial=settings.partial)) is not None:
        return _refusal(refused, trace.kind)
    settings.classifier.classify(trace.calls)
    if settings.plan is PlanOf.WHOLE and not any(call.status is Status.OK for call in trace.calls):
        why = "no call succeeded, so there is no whole plan"
        return _refusal(Refused(trace.place, why, "--plan recorded", trace.id), trace.kind)
    made = rehearse(trace, settings.plan, settings.disguise)
    failed = sum(call.status is not Status.OK for call in trace.calls)
    if settings.plan is PlanOf.WHOLE and failed:
        trace.left_out.append(f"{failed} call{'s' * (failed != 1)} that failed")
    solved = settings.solved.of(trace.raw) if settings.solved is not None else None
    document = made.document
    end = trace.end.value if trace.end is not None else None
    document["recorded"] = {
        "source": label,
        "kind": trace.kind.value,
        "id": trace.id,
        "end": end,
        "solved": solved,
        "calls": sum(len(step.attempts) for step in made.steps),
        "bound": made.bound,
        "missing": trace.missing,
    }
    if end is not None:
        document["expect"] = {"status": end}
    text = document_text(document)
    if len(text) > MAX_MEGABYTES << 20:
        why = f"its rehearsal is larger than {MAX_MEGABYTES} MB, which no command reads"
        return _refusal(Refused(trace.place, why, "--values shape or hash may make it smaller", trace.id), trace.kind)
    name = names.name(trace.id)
    try:
        # What is run is the text that is written, read again: a value that YAML would change shows here and not at the
        # user's.
        apart = _apart(name, text, made, planned=trace.planned) if settings.check else None
    except InputError as error:
        return _refusal(Refused(trace.place, f"no rehearsal can hold it: {error.problems[0].message}", id=trace.id))
    return Imported(_report(trace, name, made, solved, settings.check, apart), document, text)


def _apart(name: str, text: str, made: Made, *, planned: bool) -> Parting | None:
    """Where the rehearsal, as it was written, makes other calls than the recording. Raises InputError."""
    rehearsal = parse_rehearsal([Source(f"{name}.yaml", Role.PLAN, text)])
    return None if planned else compared(made.calls, rehearsal)


def _report(trace: Trace, name: str, made: Made, solved: bool | None, checked: bool, apart: Parting | None) -> Report:
    attempts = [call.status.value for step in made.steps for call in step.attempts]
    statuses = Counter(() if trace.planned else attempts)  # what was only planned came to nothing yet
    return Report(
        place=trace.place,
        kind=trace.kind,
        id=trace.id,
        name=name,
        calls=len(trace.calls),
        steps=len(made.steps),
        attempts=len(attempts),
        versions=1 + len(made.document.get("planner", ())),
        v1=len(made.document["steps"]),
        v1_whole=made.whole,
        bound=made.bound,
        statuses=dict(sorted(statuses.items())),
        end=trace.end,
        solved=solved,
        missing=tuple(trace.missing),
        left_out=tuple(trace.left_out),
        faithful=apart is None if checked and not trace.planned else None,
        parting=apart,
    )


_UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")
_LONGEST = 80


class NamesGiven:
    """Gives every trace a name of its own."""

    def __init__(self, stem: str) -> None:
        self._stem = safe(stem) or "trace"
        self._taken: set[str] = set()
        self._loose = 0

    def name(self, id_: str) -> str:
        """The name for a trace with this id; without one, the file's name and a number."""
        wanted = safe(id_)
        if not wanted:
            self._loose += 1
            wanted = self._stem if self._loose == 1 else f"{self._stem}-{self._loose}"
        return self._free(wanted)

    def _free(self, wanted: str) -> str:
        names = (wanted if number == 1 else f"{wanted}-{number}" for number in count(1))
        # The file systems of macOS and Windows take `A.yaml` and `a.yaml` for one file.
        name = next(name for name in names if name.casefold() not in self._taken)
        self._taken.add(name.casefold())
        return name


def safe(id_: str) -> str:
    """The id with every character that means something in a path replaced by a hyphen, and cut to 80."""
    return _UNSAFE.sub("-", id_).strip("-")[:_LONGEST].strip("-")


_NOWHERE = object()


class Solved(msgspec.Struct, frozen=True):
    """A JSON pointer (RFC 6901) into a trace, and the value that means solved."""

    pointer: tuple[str, ...]
    value: Any

    @classmethod
    def parse(cls, text: str) -> Solved:
        """Read `/reward=1.0`. Raises UsageError."""
        if not isinstance(text, str):
            raise UsageError(f"solved is POINTER=VALUE, not a {type(text).__name__}")
        pointer, equals, value = text.partition("=")
        if not equals or not pointer.startswith("/"):
            raise UsageError(f"{text!r} is not POINTER=VALUE", hint="a JSON pointer into a trace: --solved /reward=1.0")
        parts = tuple(part.replace("~1", "/").replace("~0", "~") for part in pointer[1:].split("/"))
        try:
            return cls(parts, loads(value))
        except ContentError:
            return cls(parts, value)

    def of(self, raw: Any) -> bool | None:
        """Whether the field of a trace has the value; None where there is no such field."""
        found = raw
        for part in self.pointer:
            found = _step(found, part)
        if found is _NOWHERE or found is None:
            return None
        # In Python `True == 1`; in a trace `1` is a reward and `true` a verdict.
        return isinstance(found, bool) == isinstance(self.value, bool) and bool(found == self.value)


def _step(value: Any, part: str) -> Any:
    if isinstance(value, dict):
        return value.get(part, _NOWHERE)
    if isinstance(value, list) and part.isascii() and part.isdigit() and len(part) < 19 and int(part) < len(value):
        return value[int(part)]
    return _NOWHERE
