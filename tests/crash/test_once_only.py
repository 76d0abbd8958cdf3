"""Runs that act on the world, killed at random inside and between their calls, and taken up by a person who looks.

Whatever the plan, its planner, the tools' failures and the moment of death: what acts once is found once in the diary.
REPLANCTL_KILLS says how many times a run is killed (the default is a small number).
"""

from __future__ import annotations

import json
import os
import random
from collections import Counter
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

from replanctl.host import EffectLog
from replanctl.run.accounts import Doubt, doubts
from replanctl.run.events import StepStart
from replanctl.store import RunStatus, Store
from tests.cli.conftest import Cli
from tests.crash.child import Ended, command

KILLS = int(os.environ.get("REPLANCTL_KILLS", "12"))

# Each tool does what its args say, as often as they say; `doom` counts down to the death of the process, which may come
# before the tool acts, between that and its answer, or not in a tool at all.
TOOLS = """\
import json, os, pathlib, signal

def near(file="doom"):
    left = int(pathlib.Path(file).read_text() or 0) - 1
    pathlib.Path(file).write_text(str(left))
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)

def tool(name, args):
    near()
    tries = pathlib.Path(f"tries-{name}-{args['n']}")
    tried = len(tries.read_text()) if tries.exists() else 0
    tries.write_text("x" * (tried + 1))
    how = args["how"][min(tried, len(args["how"]) - 1)]
    if how == "refused":
        raise ConnectionRefusedError("nobody is there")
    if how == "silent":
        raise TimeoutError("no answer")
    with open("diary", "a") as diary:
        diary.write(json.dumps([name, args], sort_keys=True) + "\\n")
    near()
    if how == "lost":
        raise TimeoutError("no answer")
    if how == "broken":
        raise LookupError("it broke")
    return "wrong" if how == "wrong" else {"n": args["n"]}

TOOLS = {name: (lambda name: lambda **args: tool(name, args))(name) for name in ("mail", "pay", "look")}
"""
REAL = ("--tools", "acts:TOOLS")
DEATHS = 4  # of one run; then it may live
HOW = ("ok", "ok", "ok", "refused", "silent", "lost", "broken", "wrong")


def plan_of(dice: random.Random) -> str:
    """A few steps that mail and pay, each with args of its own; now and then a planner repeats what was done."""
    steps = []
    for n in range(1, dice.randint(3, 5)):
        args = {"n": n, "how": [dice.choice(HOW) for _ in range(3)]}
        step: dict[str, Any] = {"id": n, "tool": dice.choice(("mail", "mail", "pay", "look")), "args": args}
        step["action"] = dice.choice(("send it", "tell them", step["tool"]))
        step["on_failure"] = dice.choice(("replan", "replan", "skip", "defer"))
        if dice.random() < 0.5:
            step["produces"] = {"n": "int"}
        if dice.random() < 0.4:
            step["depends_on"] = []
        if dice.random() < 0.3:
            step["granularity"] = dice.choice(("patch", "tail", "global"))
        steps.append(step)
    again = [{**step, "id": f"x{step['id']}", "action": f"{step['action']} (again)"} for step in steps]
    return json.dumps(
        {
            "goal": "tell everybody",
            "tools": {"mail": {"idempotent": False, "fallback": ["pay"]}, "pay": {"idempotent": False}, "look": {}},
            "policy": {"retry": {"backoff": 0, "max_attempts": 2}, "max_parallel": dice.choice((1, 1, 2))},
            "steps": [
                {key: value for key, value in step.items() if key != "depends_on" or not value} for step in steps
            ],
            "planner": [{"steps": again, "when": {"type": "assumption"}}] if dice.random() < 0.4 else [],
        }
    )


class World:
    """A run that is killed now and then, and the person who takes it up until nothing is left in doubt."""

    def __init__(self, cli: Cli, dice: random.Random) -> None:
        self._cli, self._dice = cli, dice
        self.killed = 0
        self.settled: Counter[str] = Counter()

    def go(self) -> None:
        """From the start to the end, whatever comes between."""
        for _ in range(60):
            ended = self._command("resume", *REAL) if self._status() else self._command("run", "plan.json", *REAL)
            if ended.code == 2:
                assert ended.done
                assert "asks for a person's word" in ended.done.err, ended.done.err
                ended = self._command("resume", *REAL, *self._words())
                assert ended.code != 2, ended.done
            if not ended.killed and not self._doubts():
                return
        raise AssertionError("the run does not come to an end")

    def _command(self, *words: str) -> Ended:
        inside, alive = self._dice.random() < 0.7, self.killed >= DEATHS
        Path("doom").write_text(str(self._dice.randint(1, 12) if inside and not alive else 0))
        transaction = 0 if inside or alive else self._dice.randint(1, 20)
        ended = command(self._cli, *words, "--format", "json", transaction=transaction)
        self.killed += ended.killed
        return ended

    def _status(self) -> RunStatus | None:
        with Store.open(self._cli.store, create=True) as store:
            rows = store.runs()
        return rows[0].status if rows else None

    def _doubts(self) -> list[tuple[Doubt, list[Any]]]:
        """The calls in question, with what they were."""
        with Store.open(self._cli.store) as store:
            events, log = list(store.events(1)), EffectLog(store.effects(1))
        args = {event.seq: event.args for event in events if isinstance(event, StepStart)}
        found = []
        for doubt in doubts(events, broken_off=not log.knows_the_last_of(events)):
            began = max(seq for seq in args if seq <= doubt.began and events[seq].step_id == doubt.step.id)  # type: ignore[union-attr]
            found.append((doubt, [doubt.tool, args[began]]))
        return found

    def _words(self) -> Iterator[str]:
        """What a person finds in the diary; now and then they let it be."""
        written = diary()
        open_ = self._doubts()
        several = Counter(doubt.step.id for doubt, _ in open_)
        for doubt, made in open_:
            happened = json.dumps(made, sort_keys=True) in written
            how = "skip" if self._dice.random() < 0.2 else "done" if happened else "again"
            self.settled[how] += 1
            name = doubt.step.id if several[doubt.step.id] == 1 else f"{doubt.step.id}.{doubt.call}"
            answer = f":{json.dumps({'n': made[1]['n']})}" if how == "done" else ""
            yield from ("--settle", f"{name}={how}{answer}")


def diary() -> list[str]:
    """Every act, in order."""
    return Path("diary").read_text().splitlines() if Path("diary").exists() else []


def clear(cli: Cli) -> None:
    """A world in which nothing has happened."""
    for file in (*cli.store.glob("*"), Path("diary"), *Path().glob("tries-*")):
        file.unlink(missing_ok=True)


def test_what_acts_once_is_done_once_whenever_the_run_is_killed(cli: Cli) -> None:
    cli.files({"acts.py": TOOLS})
    killed, reasons, settled = 0, Counter[str](), Counter[str]()
    for seed in count():
        dice = random.Random(seed)
        cli.files({"plan.json": plan_of(dice)})
        clear(cli)
        world = World(cli, dice)
        world.go()
        acts = Counter(line for line in diary() if not line.startswith('["look"'))
        assert [(act, times) for act, times in acts.items() if times > 1] == [], f"seed {seed}"
        assert command(cli, "replay").code == 0, f"seed {seed}"
        killed += world.killed
        settled += world.settled
        with Store.open(cli.store) as store:
            reasons[str(store.run(1).reason)] += 1
        if killed >= KILLS:
            break
    print(f"{seed + 1} runs, {killed} kills, settled {dict(settled)}, ended {dict(reasons)}")
