"""Small recordings, one maker a shape."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from replanctl.files import Rehearsal, Role, Source, parse_rehearsal
from replanctl.traces import Imported, import_traces

Made = tuple[str, dict[str, Any], Any]  # tool, args, what came back


def run(*calls: Made, **about: Any) -> dict[str, Any]:
    """A run of chat messages that makes these calls one after the other, and then answers."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Do it"}]
    for number, (tool, args, came) in enumerate(calls):
        function = {"name": tool, "arguments": json.dumps(args)}
        messages.append({"role": "assistant", "tool_calls": [{"id": f"c{number}", "function": function}]})
        content = came if isinstance(came, str) else json.dumps(came)
        messages.append({"role": "tool", "tool_call_id": f"c{number}", "content": content})
    return {"id": "it", **about, "messages": [*messages, {"role": "assistant", "content": "Done"}]}


def imported(*runs: Any, **settings: Any) -> list[Imported]:
    return list(import_traces(runs, **settings))


def one(recording: Any, **settings: Any) -> Imported:
    (found,) = imported(recording, **settings)
    return found


def steps_of(found: Imported) -> dict[int, dict[str, Any]]:
    """All steps of a rehearsal, the drafted ones too, by id."""
    assert found.document is not None, found.report.refused
    drafts: Iterable[Sequence[dict[str, Any]]] = (rule["steps"] for rule in found.document.get("planner", ()))
    return {step["id"]: step for steps in (found.document["steps"], *drafts) for step in steps}


def args_of(found: Imported, step: int) -> Any:
    return steps_of(found)[step].get("args", {})


def loaded(found: Imported) -> Rehearsal:
    assert found.text is not None
    return parse_rehearsal([Source("it.yaml", Role.PLAN, found.text)])
