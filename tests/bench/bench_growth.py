"""How the work grows with its size: CPU seconds for n, 2n and 4n, and the factor from n to 4n (4 is linear).

    python tests/bench/bench_growth.py [ROW …]

The last table is a replan in a chain of 10,000 steps beside one in a chain of 1,000, both at the last but one step, so
that the same rests on the failure; at most 1.3 is promised.
"""

from __future__ import annotations

import gc
import statistics
import sys
import time
from collections.abc import Callable, Iterator

import msgspec

from replanctl.files import Role, Source, parse_rehearsal
from replanctl.kinds import Evict, Status
from replanctl.plan import Plan, Step
from replanctl.replan import GateLimits, LessonPolicy
from replanctl.run import Interruption, Policy, ResultFold, Session
from replanctl.run import events as e
from replanctl.script import Entry, Match, OutcomeRule, ScriptedTools

OPEN = GateLimits(per_step=None, max_replans=10**9, max_replan_tokens=None, max_steps=None, max_repeat=None)
UNLIMITED = Policy(gates=OPEN)
WRONG, RIGHT = Entry(Status.SHAPE), Entry(Status.OK)
Work = Callable[[], object]


def whole(session: Session) -> object:
    """A session with its events folded to the result."""
    folding = ResultFold()
    for event in session.events():
        folding.apply(event)
    return folding.result()


def islands(count: int) -> Plan:
    """Steps that do not rest on each other."""
    return Plan.of("bench", [Step(str(i), f"t{i}", {"n": i}, depends_on=()) for i in range(1, count + 1)])


def chain(count: int) -> Plan:
    """Every step rests on the one before it and reads it."""
    first = Step("1", "t", {"n": 1}, depends_on=())
    return Plan.of("bench", [first, *(Step(str(i), "t", {"n": f"#E{i - 1}"}) for i in range(2, count + 1))])


def failing_once(ids: Iterator[int] | range) -> list[OutcomeRule]:
    """These steps are wrong the first time."""
    return [OutcomeRule(Match(step=str(i)), (WRONG, RIGHT)) for i in ids]


def a_plain_run(count: int) -> Work:
    """Steps in a chain, none of which fails."""
    return lambda: whole(Session(chain(count), UNLIMITED, tools=ScriptedTools([])))


def one_patch_each(count: int) -> Work:
    """Steps that are all patched once."""
    return lambda: whole(Session(islands(count), UNLIMITED, tools=ScriptedTools(failing_once(range(1, count + 1)))))


def a_hundred_replans(count: int) -> Work:
    """A hundred patches in a plan of so many steps."""
    rules = failing_once(range(1, count + 1, count // 100))
    return lambda: whole(Session(islands(count), UNLIMITED, tools=ScriptedTools(rules)))


def hidden_dependencies(count: int) -> Work:
    """Every second step reads the one after it, which it does not depend on."""
    steps = []
    for i in range(1, count + 1, 2):
        steps += [Step(str(i), "t", {"x": f"#E{i + 1}"}, depends_on=()), Step(str(i + 1), "u", depends_on=())]
    plan = Plan.of("bench", steps)
    return lambda: whole(Session(plan, UNLIMITED, tools=ScriptedTools([])))


def a_goal_change_after_each(count: int) -> Work:
    """The goal changes after each of the first steps, of which there are as many again."""
    changes = [Interruption(f"goal {i}", at=float(i)) for i in range(1, count + 1)]
    plan = islands(2 * count)
    return lambda: whole(Session(plan, UNLIMITED, tools=ScriptedTools([]), interruptions=changes))


def rules_by_args(count: int) -> Work:
    """As many outcome rules as steps, told apart by their args."""
    plan = Plan.of("bench", [Step(str(i), "t", {"n": i}, depends_on=()) for i in range(count)])
    rules = [OutcomeRule(Match(tool="t", args={"n": i}), (RIGHT,)) for i in range(count)]
    return lambda: whole(Session(plan, UNLIMITED, tools=ScriptedTools(rules)))


def lessons_by_type(count: int) -> Work:
    """A book of half as many lessons as there are failures, the oldest of the most frequent type out first."""
    statuses = (Status.SHAPE, Status.SEMANTIC, Status.ERROR)
    rules = [
        OutcomeRule(Match(step=str(i)), (Entry(statuses[i % 3], message=f"no {i}"), RIGHT)) for i in range(1, count + 1)
    ]
    policy = Policy(gates=OPEN, lessons=LessonPolicy(count // 2, Evict.BY_TYPE))
    return lambda: whole(Session(islands(count), policy, tools=ScriptedTools(rules)))


def checked_rules(count: int) -> Work:
    """A file with as many outcome rules as steps, each held against the tool's schema."""
    steps = [{"id": i, "tool": "t", "args": {"n": i}, "depends_on": []} for i in range(count)]
    rules = [{"match": {"tool": "t", "args": {"n": i}}, "returns": ["ok"]} for i in range(count)]
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    document = {"goal": "bench", "tools": {"t": {"args": schema}}, "steps": steps, "outcomes": rules}
    text = msgspec.json.encode(document).decode()
    return lambda: parse_rehearsal([Source("plan.yaml", Role.PLAN, text)])


ROWS: dict[str, tuple[int, Callable[[int], Work]]] = {
    "a plain run": (5_000, a_plain_run),
    "one patch each": (500, one_patch_each),
    "100 replans": (5_000, a_hundred_replans),
    "hidden dependencies": (500, hidden_dependencies),
    "goal changes": (50, a_goal_change_after_each),
    "outcome rules by args": (1_000, rules_by_args),
    "rules in validate": (500, checked_rules),
    "lessons by type": (250, lessons_by_type),
}


def seconds(work: Work, rounds: int = 3) -> float:
    """The CPU time of one round, the quickest of a few."""
    return min(_once(work) for _ in range(rounds))


def _once(work: Work) -> float:
    gc.collect()
    gc.disable()
    start = time.process_time()
    work()
    took = time.process_time() - start
    gc.enable()
    return took


def a_replan(count: int) -> float:
    """The CPU time of one replan at the last but one step of a chain, from the route to the diff."""
    session = Session(chain(count), UNLIMITED, tools=ScriptedTools(failing_once(range(count - 1, count))))
    start = took = 0.0
    for event in session.events():
        if isinstance(event, e.Signal):
            start = time.process_time()
        elif isinstance(event, e.PlanDiffed):
            took = time.process_time() - start
    return took


def main(names: list[str]) -> None:
    """Print the tables."""
    print(f"{'':24}{'n':>8}{'n':>10}{'2n':>10}{'4n':>10}{'4n / n':>8}")
    for name, (count, make) in ROWS.items():
        if names and name not in names:
            continue
        took = [seconds(make(count * factor)) for factor in (1, 2, 4)]
        print(f"{name:24}{count:>8,}" + "".join(f"{one:>9.3f}s" for one in took) + f"{took[2] / took[0]:>8.1f}")
    if not names:
        replans: dict[int, list[float]] = {1_000: [], 10_000: []}
        for _ in range(9):
            for count, seen in replans.items():
                seen.append(a_replan(count))
        small, large = (statistics.median(seen) for seen in replans.values())
        print(
            f"\na replan in a chain of 1,000 {small * 1e6:,.0f} µs, 10,000 {large * 1e6:,.0f} µs: {large / small:.2f}"
        )


def sessions_a_second() -> float:
    """Ten-step sessions with one replan, folded to the result, one process."""
    plan, rules = chain(10), failing_once(range(5, 6))
    start, count = time.process_time(), 2_000
    for _ in range(count):
        whole(Session(plan, UNLIMITED, tools=ScriptedTools(rules), checked=True))  # at load, as in a sweep
    return count / (time.process_time() - start)


if __name__ == "__main__":
    main(sys.argv[1:])
    gc.disable()
    print(f"{sessions_a_second():,.0f} ten-step sessions with a replan a second")
