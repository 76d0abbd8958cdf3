"""Loading and checking a plan of 100,000 steps, measured against PyYAML's CSafeLoader in the same process.

python tests/bench/bench_load.py [steps] [rounds]
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable

import yaml

from replanctl.files import Role, Source, parse_rehearsal


def flow(steps: int) -> str:
    """A step a line."""
    lines = (
        f"- {{id: {i}, action: look up {i}, tool: t, args: {{n: {i}}}, depends_on: [{i - 1 if i > 1 else ''}]}}\n"
        for i in range(1, steps + 1)
    )
    return "goal: g\nsteps:\n" + "".join(lines)


def block(steps: int) -> str:
    """A key a line."""
    lines = (
        f"- id: {i}\n  action: look up {i}\n  tool: t\n  args:\n    n: {i}\n  depends_on: [{i - 1 if i > 1 else ''}]\n"
        for i in range(1, steps + 1)
    )
    return "goal: g\nsteps:\n" + "".join(lines)


def seconds(work: Callable[[], object]) -> float:
    """How long one call takes; what it returns is dropped outside the measure."""
    start = time.perf_counter()
    result = work()
    spent = time.perf_counter() - start
    del result
    return spent


def main(steps: int, rounds: int) -> None:
    """Print the medians of interleaved rounds and their ratio, for both styles."""
    for style in (flow, block):
        text = style(steps)
        ours, theirs = [], []
        for _ in range(rounds):
            ours.append(seconds(lambda text=text: parse_rehearsal([Source("plan.yaml", Role.PLAN, text)])))
            theirs.append(seconds(lambda text=text: yaml.load(text, Loader=yaml.CSafeLoader)))
        mine, other = statistics.median(ours), statistics.median(theirs)
        print(
            f"{style.__name__:6} {steps:>8,} steps  load {mine:6.2f} s  CSafeLoader {other:6.2f} s  {mine / other:.3f}"
        )


if __name__ == "__main__":
    main(*(int(word) for word in [*sys.argv[1:], "100000", "3"][:2]))
