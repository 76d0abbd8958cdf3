"""Whatever planners and tools answer: the session ends with a result that can be written, read and run again.

`python -m tests.trust.answers COUNT SEED` tries so many answers and writes what it took as JSON.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import chdir
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from replanctl import Draft, PlanExecuteAgent, Policy, SessionResult, Step, Tool
from replanctl.files import Rehearsal, Role, Source, parse_rehearsal
from replanctl.host.command import CommandReplanner
from replanctl.host.running import prepare
from tests.cli.conftest import Cli
from tests.host.test_hostile import written
from tests.pace import slowness
from tests.trust.documents import WORDS
from tests.trust.fuzz import SLOW, Tally
from tests.trust.fuzz import mutated as damaged
from tests.trust.measured import peak_megabytes
from tests.trust.oddities import behaviour, changed, odd

THROUGH_THE_COMMAND = 40  # one answer of so many comes from a process, into a store, and is run again
FEW = {"max_steps": 12, "max_replans": 4}

# Steps that fail, so that planners are asked, and that act, rest on premises and keep contracts, so that it matters
# what they are told.
PLAN = """\
goal: g
assumptions: {p: it is so, q: so is that}
tools: {t: {fallback: u}, u: {idempotent: false}, v: {args: {required: [q], properties: {q: {type: string}}}}}
steps:
- {id: 1, tool: t, args: {q: a}, assumes: [p]}
- {id: 2, tool: u, action: act, args: {q: '#E1', r: 'see #E1.a[0]'}, produces: {a: list}, assumes: [p, q]}
- {id: 3, tool: v, args: {q: '#E2.a'}, depends_on: [2], required: true, alternatives: [{args: {q: b}}]}
- {id: 4, tool: t, args: {q: ['#E1', {x: '#E2'}]}, depends_on: [1, 2], on_failure: defer, produces: {a: 'any?'}}
outcomes:
- {match: {step: 2, version: 1}, returns: [{status: semantic, refutes: [p]}]}
- {match: {step: 3, version: v2}, returns: [timeout, shape]}
policy: {gates: {max_steps: 12, max_replans: 4}}
"""
MODES = ("hybrid", "replan", "rewoo", "auto")
SCRIPTED = [parse_rehearsal([Source("plan.yaml", Role.PLAN, f"{PLAN[:-2]}, mode: {mode}}}\n")]) for mode in MODES]


# -- what planners say -------------------------------------------------------------------------------------------------

# Right answers of every shape, one way or another; what is asked for above makes some of them bad drafts.
_STEP: dict[str, Any] = {"id": 5, "tool": "t", "args": {"q": "a"}}
DRAFTS: tuple[Any, ...] = (
    [],
    [_STEP],
    [{**_STEP, "id": 2}, {"id": 3, "tool": "v", "args": {"q": "#E2"}, "depends_on": [2]}],
    [{**_STEP, "id": "a-b", "replaces": 2}, {"id": "c", "tool": "v", "args": {"q": "b"}, "replaces": "3"}],
    {"steps": [_STEP, {"id": 3, "tool": "v", "args": {"q": "x"}}], "verdicts": {"E1": "keep"}, "cause": "no price"},
    {
        "steps": [{**_STEP, "tool": "u", "action": "act", "again": True, "assumes": ["p"]}],
        "verdicts": {"E1": "discard"},
    },
    [{**_STEP, "produces": {"a": "list?"}, "on_failure": "skip", "required": True, "expected_outcome": "a price"}],
    [{**_STEP, "alternatives": [{"tool": "v", "args": {"q": "b"}, "action": "other"}], "granularity": "patch"}],
    [{**_STEP, "produces": {"schema": {"type": "object", "properties": {"a": {"pattern": "^a+$"}}}}}],
    [{**_STEP, "id": at, "args": {"q": f"#E{at - 1}"}} for at in range(5, 12)],
)
AROUND = (
    "{}",
    "{}",
    "Here it is:\n\n```json\n{}\n```\nGood luck!\n",
    "```\n{}\n```",
    "~~~~yaml\n{}\n~~~~\n",
    "Sure. {}",
)


def said(dice: Random) -> str:
    """What a planner writes: a draft of which values are changed, then bytes, in whatever a model puts around it."""
    value = changed(json.loads(_draft(dice.randrange(len(DRAFTS)))), dice)
    text = json.dumps(value, indent=dice.choice((None, None, 2)), ensure_ascii=dice.random() < 0.5)
    text = dice.choice(AROUND).replace("{}", text)
    if dice.random() < 0.5:
        text = damaged(text.encode("utf-8", "surrogatepass"), dice).decode("utf-8", "replace")
    return text


@cache
def _draft(number: int) -> str:
    return json.dumps(DRAFTS[number])


class Said(CommandReplanner):
    """A planner command that has just written this: everything but the process."""

    def __init__(self, text: str) -> None:
        super().__init__("cat", timeout=60.0)
        self._text = text

    def _run(self, text: bytes) -> str:
        msgspec.json.decode(text)
        return self._text


def drafted(dice: Random) -> Any:
    """What a planner function returns: steps, a draft or a mapping, of which parts are no such thing."""
    value = changed(json.loads(_draft(dice.randrange(len(DRAFTS)))), dice)
    if isinstance(value, dict):
        steps = value.get("steps")
        value["steps"] = [_step(each, dice) for each in steps] if isinstance(steps, list) else steps
        if dice.random() < 0.3:
            return Draft(value["steps"], value.get("verdicts"), cause=value.get("cause"))  # type: ignore[arg-type]
        return value
    steps = [_step(each, dice) for each in value] if isinstance(value, list) else value
    return dice.choice((steps, steps, steps, odd(dice)))


def _step(value: Any, dice: Random) -> Any:
    """A step of what its fields say, whatever that is."""
    if not isinstance(value, dict) or dice.random() < 0.05:
        return value
    fields = {"tool_name" if name == "tool" else name: each for name, each in value.items()}
    if fields and dice.random() < 0.15:
        fields[dice.choice(list(fields))] = odd(dice)
    try:
        return Step(**fields)
    except Exception:  # a planner would have met it before it answered
        return value


# -- what must be true of each -----------------------------------------------------------------------------------------


def a_command(dice: Random) -> SessionResult:
    """A scripted session whose planner is a command that says this."""
    return _followed(dice.choice(SCRIPTED), planner=Said(said(dice)))


def tools_of_a_plan(dice: Random) -> SessionResult:
    """A session of a plan in a file with real tools; nobody plans anew but the template."""
    doing = {name: behaviour(dice) for name in WORDS}
    return _followed(dice.choice(SCRIPTED), tools=lambda name, args: doing[name]())


def a_planner(dice: Random) -> SessionResult:
    """An agent whose planner answers with this, at first or after a failure."""
    answers = [[Step(1, "t"), Step(2, "fail", depends_on=[1])], drafted(dice), drafted(dice)]
    asked = iter(answers[dice.randrange(2) :])

    def planner(goal: str, history: Sequence[Step], last_error: object) -> Any:
        return next(asked, [])

    policy = Policy(mode=dice.choice(MODES)) if dice.random() < 0.5 else None
    tools = {name: lambda **args: {"a": [1]} for name in WORDS}
    return written(PlanExecuteAgent(planner, {**tools, "fail": _failing}, policy=policy, **FEW).run("g"))


def an_agents_tools(dice: Random) -> SessionResult:
    """An agent whose tools do this, one of which acts once only."""
    steps = [Step(1, "t", {"q": 1}), Step(2, "u", {"q": "#E1", "r": "see #E1.a"}), Step(3, "v", {"q": ["#E2"]})]
    doing = {name: behaviour(dice) for name in WORDS}
    tools = {name: _taking_anything(does) for name, does in doing.items()}
    policy = Policy(mode=dice.choice(MODES)) if dice.random() < 0.5 else None
    agent = PlanExecuteAgent(
        lambda goal, history, last_error: steps if last_error is None else steps[1:],
        tools, policy=policy, specs={"u": Tool(idempotent=False)}, **FEW,
    )  # fmt: skip
    return written(agent.run("g"))


def _taking_anything(does: Callable[[], Any]) -> Callable[..., Any]:
    return lambda **args: does()


def _failing(**args: Any) -> Any:
    raise LookupError("no price")


def _followed(rehearsal: Rehearsal, **real: Any) -> SessionResult:
    with prepare(rehearsal, **real).begin(None, "2026-01-01T00:00:00Z") as running:
        return written(running.follow())


KINDS = (a_command, a_command, tools_of_a_plan, a_planner, a_planner, an_agents_tools)


def through_the_command(dice: Random, cli: Cli) -> None:
    """The same answers from a process and from a module: stored, shown, and run again to the same events."""
    (cli.folder / "answer").write_bytes(said(dice).encode("utf-8", "surrogatepass"))
    rewoo = f"{PLAN[:-2]}, mode: {dice.choice(MODES)}}}\n"
    cli.files({"plan.yaml": rewoo})
    words = ["run", "plan.yaml", "--planner", "cat answer", "--format", "json"]
    if dice.random() < 0.5:
        NEXT.clear()
        NEXT.update((name, behaviour(dice)) for name in WORDS)
        words += ["--tools", "tests.trust.answers:call"]
    done = cli(*words)
    assert "Traceback" not in done.err, done.err
    assert done.code in (0, 1), (done.code, done.err)
    assert msgspec.json.decode(done.out)["schema_version"] == 1
    for verb in ("replay", "show", "prompt"):
        assert (again := cli(verb)).code in ((0,) if verb != "prompt" else (0, 2)), (verb, again.code, again.err)


NEXT: dict[str, Callable[[], Any]] = {}  # what the tools of the next command line do


def call(name: str, args: dict[str, Any]) -> Any:
    """The tools of a command line."""
    return NEXT[name]()


# -- many --------------------------------------------------------------------------------------------------------------


def hold(number: int, tally: Tally) -> None:
    """One session under these answers. Raises AssertionError, or whatever leaks."""
    dice = Random(f"answer {number}")
    tally.tried += 1
    began = time.process_time()
    result = dice.choice(KINDS)(dice)
    took = time.process_time() - began
    tally.sessions += 1
    tally.refused += result.reason == "no_plan"
    tally.events += len(result.events)
    tally.seconds += took
    if took >= SLOW:  # by our own slowness, or the machine's
        took /= slowness()
    tally.slowest = max(tally.slowest, took)
    assert took < SLOW, f"{took} s"


def answers(numbers: Iterator[int] | range) -> Tally:
    """Each of these answers held to what is promised. Raises AssertionError at the first one that breaks it."""
    tally = Tally()
    for number in numbers:
        try:
            hold(number, tally)
            if number % THROUGH_THE_COMMAND == 0:
                with tempfile.TemporaryDirectory() as folder, chdir(folder):
                    through_the_command(Random(f"command {number}"), Cli(Path(folder)))
        except BaseException as error:
            error.add_note(f"answer {number}")
            raise
    tally.megabytes = peak_megabytes()
    return tally


if __name__ == "__main__":
    count, first = map(int, sys.argv[1:])
    sys.stdout.buffer.write(msgspec.json.encode(answers(range(first, first + count))))
