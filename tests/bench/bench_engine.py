"""How fast the engine is, as ratios against a bare Python loop and LangGraph's plan-and-execute graph.

    pip install -e '.[bench]'
    python tests/bench/bench_engine.py

Every figure is the median of interleaved rounds in one process, in CPU time (wall time where a disk is written), the
cyclic collector off. LangGraph runs
the published plan-and-execute shape (planner, executor, replanner, a conditional edge) with functions that do nothing.
"""

from __future__ import annotations

import gc
import operator
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Annotated, Any, TypedDict

from replanctl.plan.model import Plan, Step
from replanctl.replan.gates import GateLimits
from replanctl.replan.signal import Status
from replanctl.run.engine import Session
from replanctl.run.fold import ResultFold
from replanctl.run.policy import Policy
from replanctl.script import Entry, Match, OutcomeRule, ScriptedTools
from replanctl.store import Inputs, Store

STEPS = 1_000
ROUNDS = 5


def chain(steps: int) -> Plan:
    """Every step rests on the one before it."""
    return Plan.of("bench", [Step(str(i), "t", {"n": i}) for i in range(1, steps + 1)])


def islands(steps: int) -> Plan:
    """Steps that do not rest on each other."""
    return Plan.of("bench", [Step(str(i), f"t{i}", {"n": i}, depends_on=()) for i in range(1, steps + 1)])


def engine(
    plan: Plan, rules: tuple[OutcomeRule, ...] = (), policy: Policy | None = None, *, checked: bool = False
) -> Callable[[], int]:
    """A whole session with its events kept in memory, its plan looked at first or, as one from a file, `checked`."""
    return lambda: len(list(Session(plan, policy, tools=ScriptedTools(rules), checked=checked).events()))


def failing_once(steps: int) -> tuple[OutcomeRule, ...]:
    """Every step is wrong the first time and replanned."""
    wrong, right = Entry(Status.SHAPE), Entry(Status.OK)
    return tuple(OutcomeRule(Match(step=str(i)), (wrong, right)) for i in range(1, steps + 1))


UNLIMITED = Policy(gates=GateLimits(max_replans=10**9, max_replan_tokens=None, max_steps=None))


def stored(plan: Plan, store: Store) -> Callable[[], None]:
    """A whole session with its events and result in the store."""

    def run() -> None:
        inputs = Inputs((), Policy(), (), "bench")
        with store.begin(inputs, goal=plan.goal, started="") as writer:
            fold = ResultFold()
            for event in Session(plan, tools=ScriptedTools([])).events():
                writer.append(event)
                fold.apply(event)
            writer.finish(fold.result(writer.run))

    return run


def bare_loop(steps: int) -> Callable[[], list[Any]]:
    """The loop everybody writes first: a budget, a call, the result kept in a history and in a variable."""
    plan = [{"id": str(i), "tool": "t", "args": {"n": i}} for i in range(1, steps + 1)]
    tools = {"t": lambda args: "ok"}

    def run() -> list[Any]:
        history: list[Any] = []
        variables: dict[str, Any] = {}
        for step in plan:
            if len(history) >= steps:
                break
            try:
                value = tools[step["tool"]](step["args"])
            except Exception as error:
                history.append({"id": step["id"], "status": "failed", "error": str(error)})
                break
            history.append({"id": step["id"], "status": "done", "result": value})
            variables["E" + step["id"]] = value
        return history

    return run


class _State(TypedDict):
    plan: list[str]
    past: Annotated[list[tuple[str, str]], operator.add]


def langgraph(steps: int, db: sqlite3.Connection | None = None) -> Callable[[], Any]:
    """LangGraph's plan-and-execute graph; with `db`, its SQLite checkpointer."""
    from langgraph.graph import END, START, StateGraph

    def planner(state: _State) -> dict[str, Any]:
        return {"plan": [str(i) for i in range(steps)]}

    def execute(state: _State) -> dict[str, Any]:
        return {"past": [(state["plan"][0], "ok")]}

    def replan(state: _State) -> dict[str, Any]:
        return {"plan": state["plan"][1:]}

    graph = StateGraph(_State)
    graph.add_node("planner", planner)
    graph.add_node("execute", execute)
    graph.add_node("replan", replan)
    graph.add_edge(START, "planner")
    graph.add_edge("planner", "execute")
    graph.add_edge("execute", "replan")
    graph.add_conditional_edges("replan", lambda state: "execute" if state["plan"] else END)
    if db is None:
        app = graph.compile()
    else:
        from langgraph.checkpoint.sqlite import SqliteSaver

        app = graph.compile(checkpointer=SqliteSaver(db))
    threads = count()

    def run() -> Any:
        config: Any = {"recursion_limit": 2 * steps + 10, "configurable": {"thread_id": str(next(threads))}}
        return app.invoke({"plan": [], "past": []}, config)

    return run


def on_disk(steps: int) -> dict[str, float]:
    """Both with a database that is open already, in wall time: a disk is waited for."""
    with tempfile.TemporaryDirectory() as folder, Store.open(Path(folder), create=True) as store:
        db = sqlite3.connect(Path(folder) / "checkpoints.db", check_same_thread=False)
        work = {"stored": stored(chain(steps), store), "saver": langgraph(steps, db)}
        spent = medians(work, 5, time.perf_counter)
        db.close()
    return spent


def timed(work: Callable[[], Any], clock: Callable[[], float] = time.process_time) -> float:
    """Seconds of one call, the collector off."""
    gc.collect()
    gc.disable()
    start = clock()
    work()
    spent = clock() - start
    gc.enable()
    return spent


def medians(
    benches: dict[str, Callable[[], Any]], rounds: int, clock: Callable[[], float] = time.process_time
) -> dict[str, float]:
    """Seconds for each, measured in turn."""
    spent: dict[str, list[float]] = {name: [] for name in benches}
    for _ in range(rounds):
        for name, work in benches.items():
            spent[name].append(timed(work, clock))
    return {name: statistics.median(values) for name, values in spent.items()}


def main() -> None:
    """Measure and print the table."""
    small = medians(
        {
            "loop": bare_loop(STEPS * 20),
            "engine": engine(chain(STEPS)),
            "plain": engine(islands(STEPS), policy=UNLIMITED),
            "replans": engine(islands(STEPS), failing_once(STEPS), UNLIMITED),
        },
        ROUNDS * 3,
    )
    large = medians({"10k": engine(chain(10_000)), "100k": engine(chain(100_000))}, 3)
    step = small["engine"] / STEPS * 1e6
    print(f"engine, events in memory     {step:8.2f} µs a step")
    print(f"engine / bare loop           {small['engine'] / (small['loop'] / 20):8.1f}   (at most 40, aim 15)")
    print(f"100k steps / 10k, per step   {large['100k'] / large['10k'] / 10:8.2f}   (at most 1.6, aim 1.3)")
    executions = {"plain": STEPS, "replans": 2 * STEPS}
    per = {name: small[name] / count for name, count in executions.items()}
    print(f"a replan a step / none       {small['replans'] / small['plain']:8.2f}   per session")
    print(f"                             {per['replans'] / per['plain']:8.2f}   per execution (at most 2.5, aim 1.5)")
    try:
        work = {"graph": langgraph(STEPS), "engine": engine(chain(STEPS)), "file": engine(chain(STEPS), checked=True)}
        beside = medians(work, ROUNDS * 3)
        disk = on_disk(STEPS)
    except ImportError:
        print("LangGraph is not installed: pip install -e '.[bench]'")
        return
    graph = beside["graph"]
    print(f"LangGraph / engine           {graph / beside['engine']:8.1f}   (at least 50, aim 100)")
    print(f"the same, a plan from a file {graph / beside['file']:8.1f}")
    print(f"LangGraph saved / stored     {disk['saver'] / disk['stored']:8.1f}   (at least 100, aim 200)")
    print(f"LangGraph {graph / STEPS * 1e6:.0f} µs a step, with SqliteSaver {disk['saver'] / STEPS * 1e6:.0f} µs")


if __name__ == "__main__":
    main()
