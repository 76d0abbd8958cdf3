"""How many sessions a second the lab runs, against LangGraph's compiled graph, and what a second process brings.

    pip install -e '.[bench]'
    python tests/bench/bench_lab.py [FOLDER]

A session has ten steps and one replan, its events folded to facts. LangGraph runs the same shape: its graph is compiled
once, and one of its executions goes through the replanner with another plan. CPU time, medians of interleaved rounds,
in one process. With a FOLDER of rehearsals (imported runs, say) the matrix of all of them is timed as well, by CPU and
by the clock, with one process and with two.
"""

from __future__ import annotations

import operator
import sys
import time
from collections.abc import Callable
from typing import Annotated, Any, TypedDict

from bench_engine import medians

from replanctl import Case, Trial, load_corpus, matrix_trials
from replanctl.files import Rehearsal, Role, Source, parse_rehearsal
from replanctl.lab import process_pool, sweep_trials

SESSIONS = 200
STEPS = 10

CHAIN = "".join(f"  - {{id: {number}, tool: t, args: {{n: {number}}}}}\n" for number in range(1, STEPS + 1))
PLAN = f"goal: bench\nsteps:\n{CHAIN}outcomes: [{{match: {{step: 5}}, returns: [shape, ok]}}]\n"


def swept(rehearsal: Rehearsal) -> Callable[[], int]:
    """So many sessions, to their facts."""
    trials = [Trial((str(number),)) for number in range(SESSIONS)]
    return lambda: sum(facts.completed and facts.replans == 1 for facts in sweep_trials([(rehearsal, trials)]))


class _State(TypedDict):
    plan: list[str]
    past: Annotated[list[tuple[str, str]], operator.add]


def compiled() -> Callable[[], Any]:
    """The plan-and-execute graph, compiled once; the fifth step fails and is planned again."""
    from langgraph.graph import END, START, StateGraph

    def execute(state: _State) -> dict[str, Any]:
        wrong = state["plan"][0] == "5"
        return {"past": [(state["plan"][0], "failed" if wrong else "ok")]}

    def replan(state: _State) -> dict[str, Any]:
        failed = state["past"][-1][1] == "failed"
        return {"plan": ["5 again", *state["plan"][1:]] if failed else state["plan"][1:]}

    graph = StateGraph(_State)
    graph.add_node("planner", lambda state: {"plan": [str(number) for number in range(1, STEPS + 1)]})
    graph.add_node("execute", execute)
    graph.add_node("replan", replan)
    graph.add_edge(START, "planner")
    graph.add_edge("planner", "execute")
    graph.add_edge("execute", "replan")
    graph.add_conditional_edges("replan", lambda state: "execute" if state["plan"] else END)
    app = graph.compile()
    return lambda: app.invoke({"plan": [], "past": []}, {"recursion_limit": 100})


def corpus(folder: str) -> None:
    """The matrix of everything in a folder."""
    cases = load_corpus([folder], scenarios=False)
    cpu, one, sessions = _timed(cases, 1)
    _, two, _ = _timed(cases, 2)
    print(f"matrix of {len(cases)} rehearsals: {sessions} sessions, {sessions / cpu:.0f} a second of CPU")
    print(f"one process {one:.1f} s, two {two:.1f} s: {one / two:.2f} times as fast")


def _timed(cases: list[Case], jobs: int) -> tuple[float, float, int]:
    trials = ((case.rehearsal, matrix_trials(case)) for case in cases)
    cpu, wall = time.process_time(), time.perf_counter()
    if jobs == 1:
        sessions = sum(1 for _ in sweep_trials(trials))
    else:
        with process_pool(jobs) as pool:
            sessions = sum(1 for _ in sweep_trials(trials, pool, workers=jobs))
    return time.process_time() - cpu, time.perf_counter() - wall, sessions


def main() -> None:
    """Measure and print."""
    rehearsal = parse_rehearsal([Source("bench", Role.PLAN, PLAN)])
    assert swept(rehearsal)() == SESSIONS
    try:
        spent = medians({"graph": compiled(), "sweep": swept(rehearsal)}, 9)
    except ImportError:
        print("LangGraph is not installed: pip install -e '.[bench]'")
        spent = medians({"sweep": swept(rehearsal)}, 9)
    each = spent["sweep"] / SESSIONS
    print(f"a session of {STEPS} steps and a replan {each * 1e6:8.0f} µs, {1 / each:.0f} a second")
    if "graph" in spent:
        print(f"LangGraph compiled / a session     {spent['graph'] / each:8.1f}   (at least 100)")
    if len(sys.argv) > 1:
        corpus(sys.argv[1])


if __name__ == "__main__":
    main()
