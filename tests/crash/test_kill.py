"""A run that is killed wherever it writes, and taken up again, comes to what it would have come to."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from shlex import quote
from typing import Any

import pytest

from replanctl.store import RunStatus, Store
from tests.cli.conftest import Cli
from tests.crash.child import Ended, command, start

SCRIPTED = """\
goal: rehearse
steps:
  - {id: 1, tool: look, args: {at: a}}
  - {id: 2, tool: look, args: {at: b}}
  - {id: 3, tool: write, args: {text: "#E2"}}
outcomes:
  - match: {step: 2}
    returns: [rate_limited, {status: shape, message: no price}, {status: ok, value: 7}]
"""


# Tools that write down every call in a diary.
SHOP = """\
def called(what):
    with open("diary", "a") as diary:
        diary.write(what + "\\n")

def look(at):
    called(f"look {at}")
    if at == "b":
        raise ConnectionError("no line")
    if at == "c":
        raise LookupError("no price")
    return {"price": 7, "at": at}

def mirror(at):
    called(f"mirror {at}")
    return {"price": 7, "at": at}

def send(text):
    called(f"send {text}")
    return "sent"
"""
REAL = """\
goal: buy
tools: {look: {fallback: mirror}, mirror: {}, send: {idempotent: false}}
policy: {retry: {backoff: 0, max_attempts: 2}}
steps:
  - {id: 1, tool: look, args: {at: a}}
  - {id: 2, tool: look, args: {at: b}}
  - {id: 3, tool: look, args: {at: c}}
  - {id: 4, tool: send, args: {text: "#E2.price"}, on_failure: skip}
"""
DRAFT = "[{id: 3, action: look again, tool: look, args: {at: d}}]"
PLANNER = """sh -c 'echo asked >> asked; cat draft.yaml'"""
WHO = ("--tools", "shop:TOOLS", "--planner", PLANNER)
REAL_WORLD = (*WHO, "--format", "json")
RUN = ("run", "real.yaml", *REAL_WORLD)
RESUME = ("resume", *REAL_WORLD)
DIARY = ["look a", "look b", "look b", "mirror b", "look c", "look d", "send 7"]
CLOCK = ("at", "latency", "started", "ended", "seconds", "wait")


@pytest.fixture
def shop(cli: Cli) -> Cli:
    """A command line in a folder with real tools and a planner."""
    tools = SHOP + "TOOLS = {'look': look, 'mirror': mirror, 'send': send}\n"
    cli.files({"plan.yaml": SCRIPTED, "real.yaml": REAL, "shop.py": tools, "draft.yaml": DRAFT})
    return cli


def run_of(cli: Cli, number: int = 1) -> tuple[RunStatus, list[Any], Any]:
    """A run as it is stored, but for what a real clock measured."""
    with Store.open(cli.store) as store:
        events = [timeless(json.loads(line)) for line in store.event_lines(number)]
        return store.run(number).status, events, timeless(json.loads(store.document(number) or b"null"))


def timeless(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: timeless(each) for name, each in value.items() if name not in CLOCK}
    return [timeless(each) for each in value] if isinstance(value, list) else value


def clear(*files: Path) -> None:
    for file in files:
        file.unlink(missing_ok=True)


def lines(name: str) -> list[str]:
    return Path(name).read_text().splitlines() if Path(name).exists() else []


def deaths(cli: Cli, *words: str) -> Iterator[Ended]:
    """The same command line, dying at its first transaction, its second, and so on to its end."""
    for transaction in range(1, 10_000):
        ended = command(cli, *words, transaction=transaction)
        yield ended
        if not ended.killed:
            assert ended.code < 2, ended.done
            return


def go_on(cli: Cli, words: tuple[str, ...]) -> None:
    """Take the run up where it was left; where it was not even begun, begin it."""
    with Store.open(cli.store) as store:
        rows = store.runs()
    if not rows:
        assert command(cli, *words).code == 0
    elif rows[0].status is not RunStatus.COMPLETED:
        assert rows[0].status is RunStatus.INTERRUPTED
        take_up(cli, *(WHO if "--tools" in words else ()))


def take_up(cli: Cli, *change: str) -> None:
    """Resume; where it was killed inside a call that is made once, say that it happened."""
    words = ("resume", "--format", "json", *change)
    ended = command(cli, *words)
    if ended.code == 2:
        assert ended.done
        assert "asks for a person's word: step 4's call of send may have happened" in ended.done.err
        ended = command(cli, *words, "--settle", '4=done:"sent"')
    assert ended.code == 0, ended.done
    assert command(cli, "replay").code == 0


def test_a_scripted_run_killed_wherever_it_writes(shop: Cli) -> None:
    words = ("run", "plan.yaml", "--format", "json")
    assert command(shop, *words).code == 0
    whole = run_of(shop)
    clear(*shop.store.glob("*"))
    deaths_seen = 0
    for _ in deaths(shop, *words):
        go_on(shop, words)
        assert run_of(shop) == whole
        assert sorted(path.name for path in shop.store.iterdir() if path.name != ".gitignore") == ["runs.db"]
        clear(*shop.store.glob("*"))
        deaths_seen += 1
    assert deaths_seen > 3


def test_a_real_run_killed_wherever_it_writes_doubles_nothing(shop: Cli) -> None:
    assert command(shop, *RUN).code == 0
    whole = run_of(shop)
    assert lines("diary") == DIARY
    clear(*shop.store.glob("*"), Path("diary"), Path("asked"))
    unheard: set[str] = set()
    for ended in deaths(shop, *RUN):
        called, asked = lines("diary"), lines("asked")
        answered = answers(shop)
        go_on(shop, RUN)
        twice = called[answered["tools"] :]  # a call whose answer nobody heard is made once more …
        unheard |= {*twice, *asked[answered["planner"] :]}
        if twice == ["send 7"]:  # … but for one that may not be: a person said that it happened
            assert ended_with(shop) == ("goal_met", "sent")
            twice = []
        else:
            assert run_of(shop) == whole
        assert sorted(lines("diary")) == sorted([*DIARY, *twice]), ended
        clear(*shop.store.glob("*"), Path("diary"), Path("asked"))
    assert unheard == {*DIARY, "asked"}


def ended_with(cli: Cli) -> tuple[str, str]:
    """A run's reason, and what came of the step that sends."""
    _, _, document = run_of(cli)
    return document["reason"], document["variables"]["E4"]["value"]


def answers(cli: Cli) -> Counter[str]:
    """How many answers of tools and of planners are on record."""
    with Store.open(cli.store) as store:
        questions = [question for _, question, _ in store.effects(1)] if store.runs() else []
    return Counter("planner" if question.endswith(": plan") else "tools" for question in questions)


# What stops a run, and what it is taken up with: the check made again in its place, what a stop gave up, another goal.
TAKEN_UP: list[tuple[list[str], list[str]]] = [
    (["--max-replans", "0"], ["--max-replans", "+2"]),
    (["--max-tool-calls", "3"], ["--max-tool-calls", "none"]),
    (["--max-replans", "0"], ["--max-replans", "+2", "--granularity", "tail"]),
    (["--granularity", "none"], ["--granularity", "patch"]),
    (["--max-steps", "2"], ["--max-steps", "none", "--goal", "sell"]),
]


@pytest.mark.parametrize(("stopped_by", "change"), TAKEN_UP)
def test_a_resume_killed_wherever_it_writes_is_resumed(shop: Cli, stopped_by: list[str], change: list[str]) -> None:
    assert command(shop, *RUN, *stopped_by).code == 1
    stopped = {file: file.read_bytes() for file in (shop.store / "runs.db", Path("diary"))}
    assert command(shop, *RESUME, *change).code == 0
    whole, diary = run_of(shop), lines("diary")
    called_before = len(stopped[Path("diary")].splitlines())
    for transaction in range(1, 1000):
        clear(*shop.store.glob("*"), Path("asked"))
        for file, content in stopped.items():
            file.write_bytes(content)
        ended = command(shop, *RESUME, *change, transaction=transaction)
        with Store.open(shop.store) as store:
            begun = store.run(1).status is not RunStatus.FAILED
        twice = lines("diary")[max(called_before, answers(shop)["tools"]) :]
        if ended.killed:
            take_up(shop, *WHO, *([] if begun else change))
        if twice != ["send 7"]:
            assert run_of(shop) == whole
            assert sorted(lines("diary")) == sorted([*diary, *twice])
        else:
            assert ended_with(shop) == ("goal_met", "sent")
            assert lines("diary") == diary
        assert command(shop, "replay").code == 0
        if not ended.killed:
            break
    assert transaction > 3


def test_resumes_at_the_same_time_do_not_share_a_run(shop: Cli) -> None:
    assert command(shop, *RUN, "--max-steps", "1").code == 1
    rivals = [start(shop, *RESUME, "1", "--max-steps", "none") for _ in range(4)]
    ended = [rival.wait() for rival in rivals]
    taken = [each for each in ended if each.done and each.done.out]
    assert len(taken) == 1
    assert taken[0].code == 0
    for each in ended:
        said = each.done.err if each.done else ""
        assert each in taken or "is being written by another process" in said or "nothing to resume" in said
    assert lines("diary") == DIARY
    assert command(shop, "replay").code == 0


@pytest.mark.parametrize(("number", "code"), [("SIGINT", 130), ("SIGTERM", 143), ("SIGHUP", 129)])
def test_a_real_run_told_to_stop_in_a_tool_is_kept_and_goes_on(shop: Cli, number: str, code: int) -> None:
    assert command(shop, *RUN).code == 0
    whole = run_of(shop)
    clear(*shop.store.glob("*"), Path("diary"), Path("asked"))
    stops = f"""\
import os, pathlib, signal, shop
def look(at):
    if at == "c" and not pathlib.Path("told").exists():
        pathlib.Path("told").touch()
        os.kill(os.getpid(), signal.{number})
    return shop.look(at)
TOOLS = {{**shop.TOOLS, "look": look}}
"""
    shop.files({"stops.py": stops})
    told = command(shop, *RUN, "--tools", "stops:TOOLS")
    assert (told.code, told.done and told.done.out) == (code, "")
    assert told.done
    again = f"replanctl resume 1 --planner {quote(PLANNER)} --tools stops:TOOLS"
    assert told.done.err.splitlines()[1:] == [f"  run 1 is kept as far as it came: {again} goes on with it"]
    assert run_of(shop)[0] is RunStatus.INTERRUPTED
    assert command(shop, *RESUME, "--tools", "stops:TOOLS").code == 0
    assert (run_of(shop), lines("diary")) == (whole, DIARY)


def test_a_lesson_book_is_saved_whole_or_not_at_all(shop: Cli) -> None:
    words = ("run", "plan.yaml", "--no-store", "--lessons", "book.yaml", "-q")
    assert command(shop, *words).code == 0
    before = Path("book.yaml").read_bytes()
    assert command(shop, *words).code == 0
    after = Path("book.yaml").read_bytes()
    assert before.replace(b"count: 1", b"count: 2") == after
    found = []
    for step in range(1, 100):
        Path("book.yaml").write_bytes(before)
        ended = command(shop, *words, step=step, file="book.yaml")
        found.append(Path("book.yaml").read_bytes())
        if not ended.killed:
            break
    assert len(found) > 4
    assert found == sorted(found)
    assert set(found) == {before, after}
