"""Completion: what a shell is offered, by the protocol, and in the shells themselves where they are here."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pexpect
import pyte
import pytest

from replanctl.cli.app import VERBS, load_verb
from replanctl.cli.candidates import OFFERS
from replanctl.cli.flags import flags_of
from replanctl.docs import page_names
from tests.cli.conftest import PLAN, Cli, Done

SCENARIOS = PLAN + "scenarios: {quiet: {outcomes: []}, stormy: {outcomes: [{returns: [unavailable]}]}}\n"
FOUR = PLAN + "  - {id: 4, tool: send}\n"
LINE, LAST = "_TYPER_COMPLETE_ARGS", "_TYPER_COMPLETE_WORD_TO_COMPLETE"
HEAVY = {"rich", "typer", "click", "jsonschema", "asyncio"}
PATIENCE = 60  # seconds for a shell, on a machine that is busy with other things


@pytest.fixture
def kept(cli: Cli) -> Cli:
    """A command line with two runs in its store, and a plan with scenarios."""
    cli.files({"many.yaml": SCENARIOS, "my plan.yaml": PLAN, "four.yaml": FOUR})
    assert cli("run", "four.yaml", "--outcomes", "shape.yaml", "-q").code == 0  # two versions
    assert cli("run", "plan.yaml", "--outcomes", "denied.yaml", "-q").code == 1  # handed over
    return cli


def fish(cli: Cli, line: str) -> list[str]:
    """What fish is offered, without what it is for."""
    cli.environ |= {"_REPLANCTL_COMPLETE": "complete_fish", LINE: line, "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    done = cli()
    assert (done.code, done.err) == (0, "")
    return [each.partition("\t")[0] for each in done.out.splitlines()]


def bash(cli: Cli, *words: str) -> list[str]:
    """What bash is offered, with the cursor at the last of these words, which it has taken apart itself."""
    cli.environ |= {"_REPLANCTL_COMPLETE": "complete_bash", "COMP_WORDS": "\n".join(("replanctl", *words))}
    cli.environ["COMP_CWORD"] = str(len(words))
    done = cli()
    assert (done.code, done.err) == (0, "")
    return done.out.splitlines()


OFFERED = {
    "verbs": ("replanctl ru", ["run", "runs"]),
    "a verb behind a shared option": ("replanctl --store store sch", ["schema"]),
    "a verb behind a switch": ("replanctl -q ini", ["init"]),
    "options": ("replanctl why --f", ["--format"]),
    "an option is offered once": ("replanctl run --scenario x --scen", []),
    "unless it may be given again": ("replanctl run plan.yaml --fault 1=error --fau", ["--fault"]),
    "options of a gate": ("replanctl run --max-re", ["--max-replans", "--max-replan-tokens", "--max-repeat"]),
    "help": ("replanctl run --hel", ["--help"]),
    "closed lists of words": ("replanctl graph --format ", ["mermaid", "dot", "text"]),
    "with a sign of equality": ("replanctl graph --format=m", ["--format=mermaid"]),
    "by a short name": ("replanctl test -k ", []),
    "recordings": ("replanctl import --from la", ["langsmith", "langfuse"]),
    "schemas": ("replanctl schema p", ["plan", "policy"]),
    "runs, the newest first": ("replanctl show ", ["2", "1"]),
    "runs of another store": ("replanctl show --store nowhere ", []),
    "runs for an option": ("replanctl why 2 --run ", ["2", "1"]),
    "runs that can be resumed": ("replanctl resume ", ["2"]),
    "versions and runs": ("replanctl diff ", ["v1", "2", "1"]),
    "versions of the run that is named": ("replanctl diff --run 1 ", ["v1", "v2", "2", "1"]),
    "versions of a run": ("replanctl graph 1:", ["1:v1", "1:v2"]),
    "versions of the run before": ("replanctl prompt 1 ", ["v1", "v2"]),
    "versions of a run that is not there": ("replanctl graph 9:", []),
    "steps of the latest run": ("replanctl why ", ["1", "2", "3"]),
    "steps of another": ("replanctl why --run 1 ", ["1", "2", "3", "4", "5", "6"]),
    "steps of the plan": ("replanctl run plan.yaml --fault ", ["1=", "2=", "3="]),
    "statuses of the only step": ("replanctl run plan.yaml --fault 2=t", ["2=timeout", "2=tool_error"]),
    "for ever": ("replanctl run plan.yaml --fault 2=lost:", ["2=lost:always"]),
    "steps of a plan that is not there": ("replanctl run nothing.yaml --fault ", []),
    "steps of a plan that can't be read": ("replanctl run shape.yaml --fault ", []),
    "steps of standard input": ("replanctl run - --fault ", []),
    "a plan in quotes": ("replanctl run 'my plan.yaml' --fault 3=em", ["3=empty"]),
    "a quote that is open": ("replanctl run 'my plan", []),
    "settlements": ("replanctl resume 2 --settle 2=", ["2=done", "2=again", "2=skip"]),
    "scenarios": ("replanctl run many.yaml --scenario ", ["quiet", "stormy"]),
    "strategies": ("replanctl compare plan.yaml --strategies none,pat", ["none,patch"]),
    "coefficients": ("replanctl cost --set st", ["step="]),
    "words": ("replanctl explain broken", ["broken-dependency"]),
    "words with spaces": ("replanctl explain no-such-", ["no-such-step", "no-such-field"]),
    "pages": ("replanctl explain plan-f", ["plan-file"]),
    "files, which the shell knows": ("replanctl run ", []),
    "an unknown verb": ("replanctl walk ", []),
    "nothing behind the last place": ("replanctl why 1 ", []),
}


@pytest.mark.parametrize(("line", "offered"), OFFERED.values(), ids=OFFERED)
def test_what_is_offered(kept: Cli, line: str, offered: list[str]) -> None:
    assert fish(kept, line) == offered


# Bash breaks words at `=` and `:`, and puts what it is told behind the last of them.
BROKEN = {
    "a fault": (["run", "plan.yaml", "--fault", "2", "=", "tim"], ["timeout"]),
    "just behind the sign": (["graph", "--format", "="], ["mermaid", "dot", "text"]),
    "for ever": (["run", "plan.yaml", "--fault", "2", "=", "lost", ":"], ["always"]),
    "a version": (["diff", "1", ":", "v"], ["v1", "v2"]),
    "nothing to break": (["schema", "out"], ["outcomes"]),
    "a name with a space": (["run", "my\\ plan.yaml", "--fault", "3", "=", "em"], ["empty"]),
    "an empty word": (["resume", ""], ["2"]),
}


@pytest.mark.parametrize(("words", "offered"), BROKEN.values(), ids=BROKEN)
def test_what_bash_is_offered(kept: Cli, words: list[str], offered: list[str]) -> None:
    assert bash(kept, *words) == offered


def test_fish_is_told_whether_there_is_anything_to_offer(kept: Cli) -> None:
    kept.environ |= {"_REPLANCTL_COMPLETE": "complete_fish", "_TYPER_COMPLETE_FISH_ACTION": "is-args"}
    for line, code in (("replanctl ru", 0), ("replanctl run ", 1)):
        kept.environ[LINE] = line
        assert kept() == Done(code, "", "")


def test_zsh_is_told_what_to_call(kept: Cli) -> None:
    kept.environ |= {"_REPLANCTL_COMPLETE": "complete_zsh", LINE: "replanctl graph 1:"}
    assert kept() == Done(0, '_arguments \'*: :(("1\\\\:v1"\n"1\\\\:v2"))\'\n', "")
    kept.environ[LINE] = "replanctl run "
    assert kept() == Done(0, "_files\n", "")


def test_power_shell_is_told_what_each_is_for(kept: Cli) -> None:
    kept.environ |= {"_REPLANCTL_COMPLETE": "complete_pwsh", LINE: "replanctl ru", LAST: "ru"}
    assert kept() == Done(0, "run:::Rehearse a plan.\nruns:::List the stored runs.\n", "")


@pytest.mark.parametrize("line", ["replanctl explain ", "replanctl ", "replanctl run --", "replanctl why --run 2 "])
def test_what_zsh_would_read_in_a_help_is_written_otherwise(kept: Cli, line: str) -> None:
    kept.environ |= {"_REPLANCTL_COMPLETE": "complete_zsh", LINE: line}
    said = kept().out.removeprefix("_arguments '*: :((").removesuffix("))'\n")
    assert said and not set("'`$()") & set(said)


# -- odd surroundings --------------------------------------------------------------------------------------------------

ODD = [
    {}, {"COMP_WORDS": "", "COMP_CWORD": ""}, {"COMP_WORDS": "replanctl", "COMP_CWORD": "many"},
    {"COMP_WORDS": "replanctl ru", "COMP_CWORD": "-1"}, {"COMP_WORDS": "replanctl ru", "COMP_CWORD": "9" * 400},
    {"COMP_WORDS": "replanctl 'ru", "COMP_CWORD": "1"}, {"COMP_WORDS": "\n\n\n", "COMP_CWORD": "2"},
    {"COMP_WORDS": "= : =", "COMP_CWORD": "1"}, {LINE: ""}, {LINE: '"'}, {LINE: "\\"}, {LINE: "replanctl \ud800"},
    {LINE: "replanctl show --store "}, {LINE: "replanctl show --store= "}, {LINE: "replanctl run \0 --fault "},
    {LINE: "replanctl run plan.yaml --fault ===::"}, {LINE: "replanctl graph :::"}, {LINE: "replanctl why --run x "},
    {LINE: "replanctl --store"}, {LINE: "replanctl why --run 99999999999999999999999999 "},
    {"REPLANCTL_STORE": "", LINE: "replanctl show "}, {LINE: "replanctl show ", "REPLANCTL_STORE": "/dev/null"},
]  # fmt: skip


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "powershell"])
@pytest.mark.parametrize("odd", ODD, ids=range(len(ODD)))
def test_odd_surroundings_are_no_bug(cli: Cli, shell: str, odd: dict[str, str]) -> None:
    cli.environ |= {"_REPLANCTL_COMPLETE": f"complete_{shell}", **odd}
    done = cli()
    assert (done.code, done.err) == (0, "")


@pytest.mark.parametrize("how", ["", "complete", "complete_", "complete_tcsh", "junk", "COMPLETE_BASH"])
def test_what_no_shell_says_is_told(cli: Cli, how: str) -> None:
    cli.environ["_REPLANCTL_COMPLETE"] = how
    assert cli() == Done(2, "", f"replanctl: _REPLANCTL_COMPLETE is {how!r}, which no shell says\n  unset it\n")


def test_a_line_with_words_is_obeyed_whatever_the_variable_says(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    told = cli("cost", "--steps", "8", "--fail", "4")
    for how in ("complete_bash", "junk"):
        cli.environ["_REPLANCTL_COMPLETE"] = how
        monkeypatch.setenv("_REPLANCTL_COMPLETE", how)  # typer looks at the process's own
        assert cli("cost", "--steps", "8", "--fail", "4") == told
        assert cli("runs", "--limit", "x").code == 2


# -- what is declared --------------------------------------------------------------------------------------------------


def test_every_offer_is_taken_and_no_flag_asks_for_another() -> None:
    flags = [flag for verb in VERBS for flag in flags_of(load_verb(verb).options).values()]
    assert {flag.complete for flag in flags} - {""} == OFFERS


def test_everything_that_explain_knows_can_be_completed(kept: Cli) -> None:
    offered = fish(kept, "replanctl explain ")
    assert len(set(offered)) == len(offered)
    assert {*page_names(), "rules", "wide-radius", "step.end", "max_steps", "depends_on", "duplicate-id"} <= {*offered}
    kept.environ = {key: value for key, value in kept.environ.items() if "COMPLETE" not in key}
    assert all(kept("explain", word).code == 0 for word in offered[::9])


@pytest.mark.parametrize("line", ["ru", "show ", "why ", "run plan.yaml --fault 2=", "explain wi", "schema "])
def test_completion_loads_nothing_heavy(kept: Cli, line: str) -> None:
    code = "import sys; from replanctl.cli.app import main; main([]); print(*sys.modules, file=sys.stderr)"
    environ = {**os.environ, **kept.environ, "_REPLANCTL_COMPLETE": "complete_fish", LINE: f"replanctl {line}"}
    environ["_TYPER_COMPLETE_FISH_ACTION"] = "get-args"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environ)
    assert done.stdout
    assert set(done.stderr.split()) & HEAVY == set()


def test_a_verb_is_loaded_only_for_its_own_words(kept: Cli) -> None:
    code = "import sys; from replanctl.cli.app import main; main([]); print(*sys.modules, file=sys.stderr)"
    environ = {**os.environ, "_REPLANCTL_COMPLETE": "complete_zsh", LINE: "replanctl "}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environ)
    assert not [name for name in done.stderr.split() if name.startswith("replanctl.cli.verbs.")]
    assert "Rehearse a plan." in done.stdout


# -- the shells themselves ---------------------------------------------------------------------------------------------

START = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], 'eval "$(_REPLANCTL_COMPLETE=source_bash replanctl)"'),
    "zsh": (
        ["zsh", "-f", "-i"],
        'autoload -U compinit; compinit -u; eval "$(_REPLANCTL_COMPLETE=source_zsh replanctl)"',
    ),
    "fish": (["fish", "--no-config", "-i"], "_REPLANCTL_COMPLETE=source_fish replanctl | source"),
}
TYPED = [
    ("replanctl expl", "replanctl explain"),
    ("replanctl run many.yaml --scenario sto", "--scenario stormy"),
    ("replanctl run plan.yaml --fault 2=tim", "--fault 2=timeout"),
    ("replanctl graph --format=mer", "--format=mermaid"),
    ("replanctl graph 3:", "graph 3:v1"),
    ("replanctl explain broken-d", "explain broken-dependency"),
    ("replanctl import --from magen", "--from magentic"),
    ("replanctl validate shap", "validate shape.yaml"),
]


class Shell:
    """A shell in a terminal of its own."""

    def __init__(self, words: list[str], environ: dict[str, str], folder: Path) -> None:
        size = (40, 100)
        self._screen = pyte.Screen(size[1], size[0])
        self._stream = pyte.Stream(self._screen)
        self._child = pexpect.spawn(
            words[0], words[1:], env=environ, cwd=str(folder), dimensions=size, encoding="utf-8", timeout=PATIENCE
        )

    def type(self, text: str) -> None:
        self._child.send(text)

    def shows(self, there: Callable[[str], bool]) -> bool:
        """Whether the screen comes to show this before patience ends."""
        end = time.monotonic() + PATIENCE
        while not there(self.text) and time.monotonic() < end:
            try:
                self._stream.feed(self._child.read_nonblocking(4096, 0.2))
            except pexpect.TIMEOUT:
                continue
            except pexpect.EOF:
                break
        return there(self.text)

    @property
    def text(self) -> str:
        return "\n".join(line.rstrip() for line in self._screen.display)

    def close(self) -> None:
        self._child.close(force=True)


@pytest.fixture(params=START)
def shell(request: pytest.FixtureRequest, kept: Cli, tmp_path: Path) -> Iterator[Shell]:
    """A shell that knows the program and has its completion."""
    words, setup = START[request.param]
    if shutil.which(words[0]) is None:
        pytest.skip(f"{words[0]} is not here")
    assert kept("run", "plan.yaml", "-q").code == 0  # the third run, of one version
    program = tmp_path / "bin" / "replanctl"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m replanctl "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    home = {"HOME": str(tmp_path / "home"), "ZDOTDIR": str(tmp_path / "home"), "TERM": "xterm", "LC_ALL": "C.UTF-8"}
    path = f"{program.parent}:{os.environ['PATH']}"
    shell = Shell(words, {**os.environ, **kept.environ, **home, "PATH": path, "PS1": "$ "}, tmp_path)
    shell.type(f"{setup}; echo rea''dy\r")
    assert shell.shows(lambda text: "\nready" in text), shell.text
    yield shell
    shell.close()


def test_a_line_is_completed_in_the_shell_itself(shell: Shell) -> None:
    for typed, completed in TYPED:
        shell.type(f"{typed}\t")
        assert shell.shows(lambda text, wanted=completed: wanted in text), f"{typed}\n{shell.text}"  # type: ignore[misc]
        shell.type("\x15\x0c")
        assert shell.shows(lambda text, typed=typed: typed not in text), shell.text  # type: ignore[misc]
