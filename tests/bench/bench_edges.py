"""How what hostile input takes grows with its size: CPU seconds and peak megabytes at n, 2n and 4n, a process a cell.

    python tests/bench/bench_edges.py [ROW …]

The seconds are those of a quiet machine (`tests/pace.py`). Linear is a factor of 4 from n to 4n, less where a bound
cuts the work off. In the last table a process is interrupted while it loads, and the seconds are those until it ends.
"""

from __future__ import annotations

import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from tests.pace import slowness  # noqa: E402  # the tests are no package that is installed
from tests.trust.measured import measured  # noqa: E402

ROUNDS = 3
OPEN = ("--max-steps", "none", "--max-tool-calls", "none", "--max-replans", "1", "--no-store", "-q")
Row = Callable[[Path, int], list[str]]


def plan(folder: Path, steps: Any, **more: Any) -> list[str]:
    """A plan in a file, and the words that run it."""
    steps = steps if isinstance(steps, list) else [steps]
    (folder / "plan.yaml").write_text(json.dumps({"goal": "g", "steps": steps, **more}))
    return ["run", str(folder / "plan.yaml"), *OPEN]


def answering(folder: Path, schema: Any, value: Any) -> list[str]:
    """A step that returns this value, which has to be of this schema."""
    step = {"id": 1, "tool": "t", "produces": {"schema": schema}}
    return plan(folder, step, outcomes=[{"returns": [{"status": "ok", "value": value}]}])


def schemas(folder: Path, count: int, schema: Any) -> list[str]:
    """So many tools whose args have this schema."""
    tools = {f"t{at}": {"args": schema} for at in range(count)}
    return plan(folder, [{"id": at, "tool": f"t{at}", "args": {"q": "x"}} for at in range(count)], tools=tools)


BIG = [{"n": at, "text": "x" * 84} for at in range(100_000)]  # about 10 MB


def reading(folder: Path, steps: list[Any]) -> list[str]:
    """Steps after one that returns ten megabytes."""
    outcomes = [{"match": {"step": 1}, "returns": [{"status": "ok", "value": BIG}]}]
    return plan(folder, [{"id": 1, "tool": "t"}, *steps], outcomes=outcomes)


def drafted(folder: Path, count: int) -> list[str]:
    """A planner that answers with so many lines."""
    (folder / "answer").write_text("".join(f"- id: {at + 10}\n  tool: u\n" for at in range(count // 2)))
    words = plan(folder, {"id": 1, "tool": "t"}, outcomes=[{"match": {"tool": "t"}, "returns": ["shape"]}])
    return [*words, "--planner", f"cat {folder / 'answer'}"]


# By name: n, and what is run.
ROWS: dict[str, tuple[int, Row]] = {
    "texts that a pattern is too much for": (
        20, lambda folder, n: answering(folder, {"items": {"pattern": "(a?){1600}b"}}, ["a" * 300] * n)
    ),
    "characters of one such text": (
        1500, lambda folder, n: answering(folder, {"pattern": "(a?){1600}b"}, "a" * n)
    ),
    "texts that a pattern is easy for": (
        5000, lambda folder, n: answering(folder, {"items": {"pattern": "^[a-z]+$"}}, ["a" * 60] * n)
    ),
    "schemas of an unknown $schema": (250, lambda folder, n: schemas(folder, n, {"$schema": "http://["})),
    "schemas with a $ref to nowhere": (250, lambda folder, n: schemas(folder, n, {"$ref": "http://a]x[y#a"})),
    "draft-03 schemas with a false oneOf": (
        250, lambda folder, n: schemas(folder, n, {"$schema": "http://json-schema.org/draft-03/schema#", "oneOf": "x"})
    ),
    "references in a chain of schemas": (
        100, lambda folder, n: answering(
            folder, {"$ref": "#/$defs/a0", "$defs": {
                **{f"a{at}": {"$ref": f"#/$defs/a{at + 1}"} for at in range(n)}, f"a{n}": {"type": "string"}}}, "x")
    ),
    "references of one call to 10 MB": (
        75, lambda folder, n: reading(folder, [{"id": 2, "tool": "u", "args": {"q": ["#E1"] * n}}])
    ),
    "calls that each read 10 MB": (
        75, lambda folder, n: reading(folder, [{"id": at + 2, "tool": "u", "args": {"q": "#E1"}, "depends_on": [1]}
                                               for at in range(n)])
    ),
    "references inside text to 10 MB": (
        75, lambda folder, n: reading(folder, [{"id": 2, "tool": "u", "args": {"q": "see #E1 " * n}}])
    ),
    "attempts of one call": (
        250, lambda folder, n: plan(folder, {"id": 1, "tool": "t"}, outcomes=[{"returns": ["timeout"]}],
                                    policy={"retry": {"max_attempts": n}})
    ),
    "lines of a planner's answer": (15_000, drafted),
    "numbers of 19 digits": (
        50_000, lambda folder, n: plan(folder, {"id": 1, "tool": "t", "args": {"q": [1_234_567_890_123_456_789] * n}})
    ),
    "numbers beyond 64 bits": (
        50_000, lambda folder, n: plan(folder, {"id": 1, "tool": "t", "args": {"q": [9_999_999_999_999_999_999] * n}})
    ),
    "digits of one number": (
        1000, lambda folder, n: plan(folder, {"id": 1, "tool": "t", "args": {"q": "NUMBER"}}) and _put_in(folder, n)
    ),
}  # fmt: skip


def _put_in(folder: Path, digits: int) -> list[str]:
    path = folder / "plan.yaml"
    path.write_text(path.read_text().replace('"NUMBER"', "9" * digits))
    return ["run", str(path), *OPEN]


def cell(row: Row, size: int) -> tuple[int, float, float]:
    """Exit code, CPU seconds and peak megabytes: the median of some rounds."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        words = row(folder, size)
        rounds = [measured(folder / "figures", *words).figures for _ in range(ROUNDS)]
    return (
        rounds[0].code,
        statistics.median(each.seconds for each in rounds),
        max(each.megabytes for each in rounds),
    )


def table(chosen: list[str]) -> Iterator[str]:
    """One line a row."""
    yield f"{'':38}{'n':>7} {'exit':>5}{'CPU s: n':>10}{'2n':>7}{'4n':>7}{'4n/n':>6}   {'MB: n':>6}{'2n':>6}{'4n':>6}"
    for name in chosen:
        count, row = ROWS[name]
        cells = [cell(row, count * times) for times in (1, 2, 4)]
        seconds, megabytes = [each[1] for each in cells], [each[2] for each in cells]
        codes = "/".join(str(code) for code in dict.fromkeys(each[0] for each in cells))
        yield (
            f"{name:38}{count:>7,} {codes:>5}{seconds[0]:>10.2f}{seconds[1]:>7.2f}{seconds[2]:>7.2f}"
            f"{seconds[2] / seconds[0]:>6.1f}   {megabytes[0]:>6.0f}{megabytes[1]:>6.0f}{megabytes[2]:>6.0f}"
        )


# -- an interrupt while loading ----------------------------------------------------------------------------------------

LOADED = {
    "steps": lambda size: "goal: g\nsteps:\n" + "".join(f"- {{id: {at}, tool: t}}\n" for at in range(size // 20)),
    "one text": lambda size: f"goal: g\nsteps:\n- {{id: 1, tool: t, args: {{q: '{'x y ' * (size // 4)}'}}}}\n",
    "JSON": lambda size: json.dumps(
        {"goal": "g", "steps": [{"id": at, "tool": "t", "args": {"q": [1] * 50}} for at in range(size // 200)]}
    ),
}


def until_it_ends(text: str, after: float) -> tuple[int, float]:
    """Exit code, and seconds between the interrupt and the end."""
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        file.write(text)
        file.flush()
        words = [sys.executable, "-m", "replanctl", "validate", file.name]
        process = subprocess.Popen(
            words, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ}
        )
        time.sleep(after)
        process.send_signal(signal.SIGINT)
        began = time.monotonic()
        code = process.wait()
        return code, (time.monotonic() - began) / slowness(time.monotonic)


def interrupts() -> Iterator[str]:
    """One line a kind of file."""
    yield f"\n{'interrupted while loading':38}{'n':>7} {'exit':>5}{'s: n':>10}{'2n':>7}{'4n':>7}"
    for name, text in LOADED.items():
        cells = [until_it_ends(text(times << 23), 0.5 + 0.2 * times) for times in (1, 2, 4)]
        codes = "/".join(str(code) for code in dict.fromkeys(code for code, _ in cells))
        yield f"{name:38}{'8 MB':>7} {codes:>5}{cells[0][1]:>10.2f}{cells[1][1]:>7.2f}{cells[2][1]:>7.2f}"


if __name__ == "__main__":
    for line in table(sys.argv[1:] or list(ROWS)):
        print(line, flush=True)
    if not sys.argv[1:]:
        for line in interrupts():
            print(line, flush=True)
