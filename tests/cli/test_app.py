"""The front door: every way to end has its exit code, and one clear line."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest

from replanctl import __version__
from replanctl.cli.app import VERBS
from replanctl.store import RunStatus, Store
from tests.cli.conftest import Cli, Done
from tests.pace import PATIENCE, wait_until

PROGRAM = [sys.executable, "-m", "replanctl"]


def long_plan(steps: int) -> str:
    return "goal: g\nsteps:\n" + "".join(f"  - {{id: {n}, tool: look}}\n" for n in range(steps))


def interrupt() -> str:
    raise KeyboardInterrupt


def break_when_interrupted() -> NoReturn:
    try:
        interrupt()
    finally:
        raise RuntimeError("cannot join thread before it is started")


def stumble() -> str:
    raise RuntimeError("the clock\x1b[31m stands")


ENDINGS: list[tuple[list[str], int, str]] = [
    (["run", "plan.yaml"], 0, ""),
    (["run", "plan.yaml", "--outcomes", "denied.yaml"], 1, ""),
    ([], 2, "Usage: replanctl [OPTIONS] COMMAND [ARGS]..."),
    (["shwo"], 2, "replanctl: No such command 'shwo'. Did you mean 'show'?\n  replanctl --help\n"),
    (["run"], 2, "replanctl: Missing argument 'PLAN'.\n  replanctl run --help\n"),
    (["run", "plan.yaml", "--max-step", "1"], 2,
     "replanctl: No such option: --max-step\n  did you mean --max-steps? replanctl run --help lists them all\n"),
    (["run", "plan.yaml", "--max-replans", "none"], 2,
     "replanctl: Invalid value for '--max-replans': 'none' is not a whole number from 0\n  replanctl run --help\n"),
    (["run", "plan.yaml", "extra"], 2,
     "replanctl: Got unexpected extra argument"),
    (["run", "none.yaml"], 2, "none.yaml: error [unreadable] can't be read: No such file or directory\n"
     "    hint: check that the path is right and that you may use it\n"),
    (["run", "bad.yaml"], 2, "bad.yaml:1:1: error [unknown-key] "),
    (["run", "plan.yaml", "-o", "no/where"], 2,
     "replanctl: no/where can't be written: No such file or directory\n  name another file with -o\n"),
    (["run", "plan.yaml", "--store", "plan.yaml"], 3,
     "replanctl: plan.yaml is a file: runs are kept in a folder\n  name a folder with --store\n"),
    (["runs", "--store", "spoiled"], 3, "replanctl: spoiled/runs.db is not a run store\n"),
    (["show"], 2, "replanctl: there are no runs in store\n  replanctl run PLAN makes the first\n"),
    (["show", "9"], 2, "replanctl: there is no run 9 in store\n  replanctl runs lists them\n"),
    (["cost", "--steps", "3", "--fail", "4"], 2, "replanctl: step 4 can't fail in a plan of 3\n"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "code", "said"), ENDINGS, ids=lambda value: str(value)[:50])
def test_every_ending_has_its_exit_code(cli: Cli, words: list[str], code: int, said: str) -> None:
    cli.files({"bad.yaml": "gaol: x\n"})
    Path("spoiled").mkdir()
    Path("spoiled/runs.db").write_text("not a store\n" * 100)
    done = cli(*words)
    assert (done.code, done.err[: len(said)]) == (code, said)
    if code > 1:
        assert done.out == ""
        assert not cli.store.exists()


def test_a_bug_is_owned_up_to(cli: Cli) -> None:
    cli.now = stumble
    said = "replanctl: this is a bug in replanctl: RuntimeError: the clock⟨U+001B⟩[31m stands\n"
    assert cli("run", "plan.yaml") == Done(70, "", f"{said}  please report it, with what --debug shows\n")
    done = cli("run", "plan.yaml", "--debug")
    assert done.code == 70
    assert done.err.startswith("Traceback (most recent call last):\n")


def test_an_interruption_before_anything_ran_says_only_that(cli: Cli) -> None:
    cli.now = interrupt
    assert cli("run", "plan.yaml") == Done(130, "", "replanctl: interrupted\n")


def test_what_a_stop_breaks_on_its_way_out_is_the_stop(cli: Cli) -> None:
    cli.now = break_when_interrupted
    assert cli("run", "plan.yaml") == Done(130, "", "replanctl: interrupted\n")


class Stopping(io.BytesIO):
    """A reader who presses Ctrl-C after some lines."""

    def write(self, data: object) -> int:
        if self.tell() > 200:
            raise KeyboardInterrupt
        return super().write(data)  # type: ignore[arg-type]


def test_an_interrupted_run_is_kept_as_far_as_it_came(cli: Cli) -> None:
    cli.stdout = Stopping
    cli.files({"long.yaml": long_plan(50)})
    done = cli("run", "long.yaml", "--format", "jsonl")
    assert (done.code, done.err) == (
        130,
        "replanctl: interrupted\n  run 1 is kept as far as it came: replanctl resume 1 goes on with it\n",
    )
    told = done.out.splitlines()
    with Store.open(cli.store) as store:
        assert store.latest().status is RunStatus.INTERRUPTED
        assert [line.decode() for line in store.event_lines(1)][: len(told)] == told
    cli.stdout = io.BytesIO
    shown = cli("show", "--format", "json")
    assert shown.code == 0
    assert json.loads(shown.out)["reason"] == "interrupted"


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_terminated_run_is_kept_and_does_not_wait_for_its_reader(cli: Cli, number: int, code: int) -> None:
    cli.files({"long.yaml": long_plan(200)})
    words = [*PROGRAM, "run", "long.yaml", "--format", "jsonl", "--max-steps", "none"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, **cli.environ})
    wait_until_blocked(process.pid)
    process.send_signal(number)
    assert process.wait(PATIENCE) == code
    assert process.stdout is not None
    assert process.stderr is not None
    with process.stdout, process.stderr:
        assert b"run 1 is kept as far as it came" in process.stderr.read()
    with Store.open(cli.store) as store:
        assert store.latest().status is RunStatus.INTERRUPTED
        assert sum(1 for _ in store.event_lines(1)) > 20


def wait_until_blocked(pid: int) -> None:
    """Until the process hangs in a write, because its pipe is full."""
    wait_until(lambda: "pipe" in Path(f"/proc/{pid}/wchan").read_text())


def test_a_reader_who_leaves_changes_nothing(cli: Cli) -> None:
    cli.files({"long.yaml": long_plan(3000)})
    words = [*PROGRAM, "run", "long.yaml", "--format", "jsonl"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, **cli.environ})
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.readline().startswith(b'{"type":"session.start"')
    process.stdout.close()
    with process.stderr:
        assert process.stderr.read() == b""
    assert process.wait(PATIENCE) == 0
    with Store.open(cli.store) as store:
        assert store.latest().status is RunStatus.COMPLETED


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full here")
def test_a_full_disk_behind_the_output_is_said(cli: Cli) -> None:
    with Path("/dev/full").open("w") as full:
        words = [*PROGRAM, "run", "plan.yaml", "--format", "json", "--no-store"]
        done = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 3
    assert done.stderr == (
        "replanctl: the output can't be written: No space left on device\n  make room, or write elsewhere\n"
    )


@pytest.mark.parametrize("words", [["--version"], ["run", "--version"], ["-q", "--version"], ["--version", "nonsense"]])
def test_the_version_is_told_anywhere(cli: Cli, words: list[str]) -> None:
    said = f"replanctl {__version__}\n"
    assert cli(*words) == Done(0, said, "")
    done = subprocess.run([*PROGRAM, *words], capture_output=True, text=True, check=True)
    assert done.stdout == said


def test_help_and_completion_know_every_verb(cli: Cli) -> None:
    told = subprocess.run([*PROGRAM, "--help"], capture_output=True, text=True, check=True).stdout
    environ = {**os.environ, "_REPLANCTL_COMPLETE": "complete_bash", "COMP_WORDS": "replanctl ", "COMP_CWORD": "1"}
    completed = subprocess.run(PROGRAM, capture_output=True, text=True, check=True, env=environ).stdout.split()
    for verb in VERBS:
        assert f"\n  {verb} " in told
        assert verb in completed


class Terminal(io.BytesIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("stream", "words", "environ", "coloured"),
    [
        (io.BytesIO, [], {}, False),
        (io.BytesIO, [], {"GITHUB_ACTIONS": "true", "CLICOLOR_FORCE": "1"}, False),
        (io.BytesIO, [], {"FORCE_COLOR": "1"}, True),
        (io.BytesIO, [], {"FORCE_COLOR": "1", "TERM": "dumb"}, True),
        (io.BytesIO, [], {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        (io.BytesIO, [], {"FORCE_COLOR": "0"}, False),
        (Terminal, [], {"FORCE_COLOR": "0"}, True),
        (Terminal, [], {"FORCE_COLOR": ""}, True),
        (io.BytesIO, ["--color", "always"], {"NO_COLOR": "1", "TERM": "dumb"}, True),
        (Terminal, [], {}, True),
        (Terminal, [], {"NO_COLOR": ""}, True),
        (Terminal, [], {"NO_COLOR": "1"}, False),
        (Terminal, [], {"TERM": "dumb"}, False),
        (Terminal, ["--color", "never"], {"FORCE_COLOR": "1"}, False),
    ],
)
def test_colour_is_decided_in_one_place(
    cli: Cli, stream: Callable[[], io.BytesIO], words: list[str], environ: dict[str, str], coloured: bool
) -> None:
    cli.stdout = stream
    cli.environ |= environ
    assert ("\x1b[" in cli(*words, "run", "plan.yaml").out) is coloured


@pytest.mark.parametrize(
    ("columns", "widest"),
    [("40", 40), ("5", 20), ("99", 99), ("4000", 400), ("0", 80), ("", 80), ("wide", 80), ("-3", 80), ("9" * 5000, 80)],
)
def test_the_width_is_the_one_that_columns_asks_for(cli: Cli, columns: str, widest: int) -> None:
    cli.files({"wide.yaml": f"goal: {'word ' * 100}end here.\nsteps: [{{id: 1, tool: look}}]\n"})
    cli.environ["COLUMNS"] = columns
    longest = max(map(len, cli("run", "wide.yaml", "--no-store").out.splitlines()))
    assert widest - 10 <= longest <= widest


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252", "utf-8"])
def test_every_encoding_can_be_written(cli: Cli, encoding: str) -> None:
    cli.files({"odd.yaml": "goal: price 价格 é\nsteps: [{id: 1, tool: look}]\n"})
    environ = {**os.environ, **cli.environ, "PYTHONIOENCODING": encoding}
    for words in (["run", "odd.yaml"], ["runs"], ["cost", "--steps", "2", "--fail", "1"], ["run", "价.yaml"]):
        done = subprocess.run([*PROGRAM, *words], capture_output=True, check=False, env=environ)
        (done.stdout + done.stderr).decode(encoding)
        assert done.returncode in (0, 2)
        assert b"bug" not in done.stderr
    told = subprocess.run(
        [*PROGRAM, "run", "odd.yaml", "--format", "json"], capture_output=True, check=True, env=environ
    )
    assert json.loads(told.stdout.decode("utf-8"))["goal"] == "price 价格 é"


def test_closed_streams_are_no_reason_to_fail(cli: Cli) -> None:
    closing = f"exec {sys.executable} -m replanctl run plan.yaml >&- 2>&- <&-"
    assert subprocess.run(["sh", "-c", closing], check=False, env={**os.environ, **cli.environ}).returncode == 0
    with Store.open(cli.store) as store:
        assert store.latest().status is RunStatus.COMPLETED


def test_an_empty_store_variable_is_no_store(cli: Cli) -> None:
    cli.environ["REPLANCTL_STORE"] = ""
    done = cli("run", "plan.yaml")
    assert done == Done(
        2, "", "replanctl: REPLANCTL_STORE is empty: there is no default store\n  name one with --store\n"
    )
    assert cli("run", "plan.yaml", "--no-store", "-q").code == 0
    assert not Path(".replanctl").exists()


def test_without_a_word_about_it_runs_are_kept_here(cli: Cli) -> None:
    del cli.environ["REPLANCTL_STORE"]
    assert cli("run", "plan.yaml", "-q").code == 0
    assert {path.name for path in Path(".replanctl").iterdir()} == {"runs.db", ".gitignore"}


def test_help_and_complaints_have_the_colours_that_we_decide(cli: Cli) -> None:
    def said(*words: str, **environ: str) -> str:
        cli.environ.update(environ)
        done = cli(*words)
        for name in environ:
            del cli.environ[name]
        return done.out + done.err

    for words in (("--help",), ("run", "--help"), (), ("nope",), ("run", "nope.yaml"), ("show", "7")):
        plain, coloured = said(*words), said(*words, FORCE_COLOR="1")
        assert "\x1b[" not in plain
        assert "\x1b[" in coloured
        assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain
        assert said(*words, GITHUB_ACTIONS="true") == plain
        assert said(*words, FORCE_COLOR="1", NO_COLOR="1") == plain
    assert "\x1b[1;31mreplanctl:\x1b[0m" in said("nope", FORCE_COLOR="1")
    assert "\x1b[36m  --quiet" in said("--help", FORCE_COLOR="1").replace("-q, --quiet", "--quiet")


@pytest.mark.parametrize("columns", [40, 80])
def test_what_is_wrong_with_a_file_fits_the_width_that_was_asked_for(cli: Cli, columns: int) -> None:
    cli.files({"bad.yaml": f"goal: g\nsteps:\n  - {{id: 1, tool: t, {'very ' * 20}long: 1, depends_on: [9]}}\n"})
    whole = cli("validate", "bad.yaml").out
    cli.environ["COLUMNS"] = str(columns)
    folded = cli("validate", "bad.yaml").out
    assert max(map(len, whole.splitlines())) > columns >= max(map(len, folded.splitlines()))
    assert "^" in folded
    if columns == 80:  # nothing but line ends was added
        assert folded.split() == whole.split()
