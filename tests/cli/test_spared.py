"""What is never overwritten, and what is suggested to be typed: whole, quoted, and taken when it is typed."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from replanctl.cli.app import VERBS, load_verb
from replanctl.cli.flags import flags_of, option_name
from tests.cli.conftest import SHAPE, Cli, Done

SPARED: list[tuple[str, str]] = [
    ("run plan.yaml -o plan.yaml", "plan.yaml, which is read"),
    ("run plan.yaml -o ./plan.yaml", "plan.yaml, which is read"),
    ("run plan.yaml -o link.yaml", "plan.yaml, which is read"),
    ("run plan.yaml -o hard.yaml", "plan.yaml, which is read"),
    ("run plan.yaml --no-store -o plan.yaml", "plan.yaml, which is read"),
    ("run plan.yaml --outcomes shape.yaml -o shape.yaml", "shape.yaml, which is read"),
    ("run other.yaml -o other.outcomes.yaml", "other.outcomes.yaml, which is read"),
    ("run plan.yaml --policy policy.yaml -o policy.yaml", "policy.yaml, which is read"),
    ("run plan.yaml --lessons book.yaml -o book.yaml", "book.yaml, which is read"),
    ("run plan.yaml --planner 'sh planner.sh' -o planner.sh", "planner.sh, which is read"),
    ("run plan.yaml --tools spared_tools:TOOLS -o spared_tools.py", "spared_tools.py, which is read"),
    ("run plan.yaml -o store/runs.db", "the store"),
    ("run plan.yaml -o store/runs.db-wal", "the store"),
    ("run plan.yaml --no-store -o store/runs.db", "the store"),
    ("run plan.yaml --store new -o new/runs.db", "the store"),
    ("run plan.yaml -o store/.gitignore", "the store"),
    ("resume 1 -o plan.yaml", "plan.yaml, which is read"),
    ("resume 1 --outcomes shape.yaml -o shape.yaml", "shape.yaml, which is read"),
    ("resume 1 -o store/runs.db", "the store"),
    ("test plan.yaml --junit plan.yaml", "plan.yaml, which is read"),
    ("run plan.yaml --prices prices.yaml -o prices.yaml", "prices.yaml, which is read"),
    ("tune plan.yaml -o plan.yaml", "plan.yaml, which is read"),
    ("tune plans -o plans/a.outcomes.yaml", "plans/a.outcomes.yaml, which is read"),
    ("tune plan.yaml --policy policy.yaml -o policy.yaml", "policy.yaml, which is read"),
    ("tune -o store/runs.db", "the store"),
    ("matrix plan.yaml -o link.yaml", "plan.yaml, which is read"),
    ("matrix plan.yaml --shard 1/2 -o plan.yaml", "plan.yaml, which is read"),
    ("compare plan.yaml --strategies all -o plan.yaml", "plan.yaml, which is read"),
    ("compare plan.yaml --policy policy.yaml -o policy.yaml", "policy.yaml, which is read"),
    ("merge 1.facts -o 1.facts", "1.facts, which is read"),
    ("merge 1.facts --prices prices.yaml -o prices.yaml", "prices.yaml, which is read"),
    ("tune plan.yaml --prices prices.yaml -o prices.yaml", "prices.yaml, which is read"),
    ("compare plan.yaml --strategies all --prices prices.yaml -o prices.yaml", "prices.yaml, which is read"),
    ("test plans --junit plans/a.yaml", "plans/a.yaml, which is read"),
    ("test plans --junit plans/a.outcomes.yaml", "plans/a.outcomes.yaml, which is read"),
    ("test other.yaml --junit other.outcomes.yaml", "other.outcomes.yaml, which is read"),
    ("test plan.yaml --planner 'sh planner.sh' --junit planner.sh", "planner.sh, which is read"),
    ("test plan.yaml --junit store/runs.db", "the store"),
    ("import trace.json -o trace.json", "trace.json, which is read"),
    ("report 1 -o plan.yaml", "plan.yaml, which is read"),
    ("report -o store/runs.db", "the store"),
]


@pytest.fixture
def stored(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """A run that was handed over, and a file of every kind."""
    monkeypatch.syspath_prepend(".")
    tools = "TOOLS = {'look': lambda at: at, 'write': lambda text: text}\n"
    cli.files({
        "other.yaml": "goal: g\nsteps: [{id: 1, tool: t}]\n", "other.outcomes.yaml": "outcomes: []\n",
        "policy.yaml": "policy: {}\n", "planner.sh": "echo []\n", "spared_tools.py": tools,
    })  # fmt: skip
    Path("plans").mkdir()
    cli.files({
        "plans/a.yaml": "goal: g\nsteps: [{id: 1, tool: t}]\n", "plans/a.outcomes.yaml": "outcomes: []\n",
        "prices.yaml": "prices: {}\n", "trace.json": "[]",
    })  # fmt: skip
    assert cli("matrix", "plan.yaml", "--shard", "1/1", "-o", "1.facts").code == 0
    assert cli("run", "plan.yaml", "--outcomes", "denied.yaml", "-q").code == 1
    Path("link.yaml").symlink_to("plan.yaml")
    os.link("plan.yaml", "hard.yaml")
    return cli


@pytest.mark.parametrize(("line", "what"), SPARED)
def test_a_result_never_takes_the_place_of_what_it_comes_from(stored: Cli, line: str, what: str) -> None:
    before = {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()}
    done = stored(*shlex.split(line))
    flag = "--junit" if "--junit" in line else "-o"
    target = shlex.split(line)[shlex.split(line).index(flag) + 1]
    expected = what if what == "the store" else Path(target).name
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"replanctl: {flag} {Path(target)} would overwrite ")
    assert expected in done.err
    for path, content in before.items():
        assert path.read_bytes() == content


def every_file() -> Iterator[tuple[str, str]]:
    """Each verb that writes a result, with each of its words that name a file to read: as the help has them."""
    for verb in VERBS:
        flags = flags_of(load_verb(verb).options)
        if not {"output", "junit"} & flags.keys():
            continue
        for field, flag in flags.items():
            if flag.metavar in ("FILE", "PLAN", "CORPUS", "PATH") and field not in ("output", "junit"):
                yield verb, "" if flag.positional else option_name(field)


@pytest.mark.parametrize(("verb", "flag"), list(every_file()))
def test_no_verb_writes_over_a_file_that_one_of_its_words_names(cli: Cli, verb: str, flag: str) -> None:
    Path("mine.yaml").write_text("mine")
    needs = [] if verb == "tune" or not flag else ["plan.yaml"] if verb != "resume" else ["1"]
    words = [verb, *needs, *([flag] if flag else []), "mine.yaml", "--junit" if verb == "test" else "-o", "mine.yaml"]
    done = cli(*words)
    assert (done.code, done.out) == (2, "")
    assert "mine.yaml would overwrite mine.yaml, which is read\n  name another file\n" in done.err
    assert Path("mine.yaml").read_text() == "mine"


def test_an_import_spares_its_rules_too(cli: Cli) -> None:
    rule = "- {when: {tool: look, text: sorry}, status: empty}\n"
    call = {"id": "c", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    run = [{"role": "user", "content": "g"}, {"role": "assistant", "content": "", "tool_calls": [call]},
           {"role": "tool", "tool_call_id": "c", "content": "sorry"}]  # fmt: skip
    cli.files({"one.jsonl": json.dumps({"id": "rules", "messages": run}) + "\n", "rules.yaml": rule})
    done = cli("import", "one.jsonl", "--classify", "rules.yaml", "--force")
    assert "rules.yaml would overwrite rules.yaml, which is read" in " ".join(done.out.split())
    assert Path("rules.yaml").read_text() == rule


def test_any_other_file_is_written(stored: Cli) -> None:
    Path("old.json").write_text("old")
    assert stored("run", "plan.yaml", "-q", "--format", "json", "-o", "old.json").code == 0
    assert json.loads(Path("old.json").read_text())["status"] == "completed"
    assert stored("run", "plan.yaml", "-q", "-o", "store/result.txt").code == 0


# -- what is suggested ---------------------------------------------------------------------------------------------


def suggested(done: Done) -> list[str]:
    """The commands of a screen's last lines."""
    text = " ".join(line.strip() for line in done.out.splitlines())
    return [each.strip() for each in text.rpartition("Next:")[2].split("·")]


STOPS: list[tuple[str, str]] = [
    ("run plan.yaml", ""),
    ("run plan.yaml --outcomes shape.yaml", ""),
    ("run plan.yaml --outcomes denied.yaml", ""),
    ("run plan.yaml --outcomes shape.yaml --max-replans 0", ""),
    ("run plan.yaml --outcomes shape.yaml --max-replan-tokens 0", ""),
    ("run plan.yaml --outcomes shape.yaml --per-step 0", ""),
    ("run plan.yaml --max-steps 0", ""),
    ("run plan.yaml --max-tool-calls 1", ""),
    ("run plan.yaml --max-seconds 1", ""),
    ("run nothing.yaml", ""),
]


@pytest.mark.parametrize("store", ["", "o ther", "-x"])
@pytest.mark.parametrize("line", [line for line, _ in STOPS])
def test_what_is_suggested_can_be_typed(stored: Cli, line: str, store: str) -> None:
    planner = "planner: [{when: {}, steps: []}]\n"
    stored.files({"nothing.yaml": f"goal: g\nsteps: [{{id: 1, tool: t}}]\noutcomes: [{{returns: [shape]}}]\n{planner}"})
    stored.files({"FIXED.yaml": "outcomes: []\n"})
    shown = stored(*line.split(), *(["--store", store] if store else []))
    assert shown.code in (0, 1), shown
    for command in suggested(shown):
        words = shlex.split(command)
        assert words[0] == "replanctl"
        assert ("--store" in words) == bool(store), command
        done = stored(*words[1:])
        assert done.code in (0, 1), (command, done)
    again = stored("show", *(["--store", store] if store else []))
    assert "replanctl" in again.out


def test_a_run_that_is_not_the_latest_is_named(stored: Cli) -> None:
    assert stored("run", "plan.yaml", "--outcomes", "shape.yaml", "-q").code == 0
    assert suggested(stored("show", "2")) == ["replanctl diff v1 v2", "replanctl why 2", "replanctl show --ledger"]
    assert stored("run", "plan.yaml", "-q").code == 0
    assert suggested(stored("show", "2")) == [
        "replanctl diff v1 v2 --run 2", "replanctl why 2 --run 2", "replanctl show 2 --ledger"
    ]  # fmt: skip


def test_real_tools_and_planners_are_part_of_what_is_suggested(stored: Cli) -> None:
    tools = "def look(at):\n    raise PermissionError('not you')\nTOOLS = {'look': look, 'write': look}\n"
    stored.files({"refusing_tools.py": tools, "shape.yaml": SHAPE})
    done = stored("run", "plan.yaml", "--tools", "refusing_tools:TOOLS", "--store", "o")
    assert suggested(done) == [
        "replanctl why 1 --run 1 --store o", "replanctl resume 1 --tools refusing_tools:TOOLS --store o"
    ]  # fmt: skip
    given = stored("run", "plan.yaml", "--outcomes", "shape.yaml", "--planner", "sh planner.sh")
    assert suggested(given)[-1] == "replanctl resume 2 --granularity global --planner 'sh planner.sh'"
    document = json.loads(stored("show", "2", "--format", "json").out)
    assert document["handover"]["next"] == suggested(given)


@pytest.mark.parametrize("folder", ["x" * 300, "a/" * 3000, "plan.yaml", "plan.yaml/x"])
def test_init_names_a_folder_that_there_can_not_be(cli: Cli, folder: str) -> None:
    done = cli("init", folder)
    assert (done.code, done.err.splitlines()[1]) == (2, "  name another folder")


@pytest.mark.parametrize("folder", ["a; touch X", "-x", "it's", "plain"])
def test_init_suggests_what_a_shell_takes(cli: Cli, folder: str) -> None:
    done = cli("init", "--", folder)
    assert done.code == 0
    words = shlex.split(done.err.rpartition("try ")[2].splitlines()[0])
    assert words[:2] == ["replanctl", "run"]
    assert len(words) == 3
    assert cli(*words[1:]).code in (0, 1)


# -- tests of plans --------------------------------------------------------------------------------------------------


def test_no_code_that_lies_beside_a_plan_is_run(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ["conftest.py", "test_evil.py", "evil_test.py", "__init__.py", "setup.py"]
    Path("plans").mkdir()
    cli.files({f"plans/{name}": f"open({str(Path.cwd() / 'RUN')!r}, 'a').write('x')\n" for name in names})
    cli.files({
        "plans/good.yaml": "goal: g\nsteps: [{id: 1, tool: t}]\nexpect: {status: completed}\n",
        "plans/bad.yaml": "goal: g\nsteps: [{id: 1, tool: t}]\nexpect: {status: failed}\n",
        "plans/pytest.ini": "[pytest]\naddopts = --collect-only\n",
    })  # fmt: skip
    monkeypatch.setenv("PYTEST_ADDOPTS", "--collect-only")
    monkeypatch.setenv("PYTEST_PLUGINS", "test_evil")
    assert cli("test", "plans/good.yaml", "-q").code == 0
    assert cli("test", "plans", "-q").code == 1
    assert cli("test", "plans/test_evil.py", "-q").code == 2
    assert not Path("RUN").exists()
    assert os.environ["PYTEST_ADDOPTS"] == "--collect-only"


def test_side_by_side_says_what_it_needs(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xdist", None)
    done = cli("test", "plan.yaml", "-n", "2")
    assert done == Done(
        2, "",
        "replanctl: -n runs tests side by side with pytest-xdist, which is not here\n"
        "  pip install pytest-xdist, or leave out -n\n",
    )  # fmt: skip
