"""What a session does to the world: told as it was, and done once."""

from __future__ import annotations

from collections.abc import Iterator

from replanctl.plan.diff import exact
from tests.properties.laws.facts import tool
from tests.properties.run import Run

_ACTED = ("ok", "shape", "empty", "semantic", "lost")


def effects_are_what_the_tools_did(run: Run) -> Iterator[str]:
    """A row for each call that took effect, heard or not: of once-only tools always, of others from the second on."""
    times: dict[tuple[str, bytes], int] = {}
    for _, call, outcome in run.calls:
        if outcome.status in _ACTED:
            key = call.tool, exact(call.args)
            times[key] = times.get(key, 0) + 1
    expected = [(*key, n) for key, n in times.items() if n > 1 or not tool(run, key[0]).idempotent]
    told = [(row.tool, exact(row.args), row.times) for row in run.result.effects]
    if told != expected:
        yield f"the effects are {told}, and the tools did {expected}"


EFFECTS = (effects_are_what_the_tools_did,)
