"""Planners and tools from outside: what they are asked, what they may answer, and what comes of it when they don't."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from replanctl.store import Store
from tests.cli.conftest import Cli, Done
from tests.conftest import ROOT
from tests.pace import PATIENCE, seconds_of, wait_until

PYTHON = sys.executable
STEPS = "- {id: 2, action: ask, tool: ask, args: {who: '#E1'}}\n- {id: 3, tool: write, args: {text: '#E2'}}\n"
JSON_STEPS = json.dumps([{"id": "2", "action": "ask", "tool": "ask", "args": {"who": "é 𝄞"}, "depends_on": [1]}])
# Writes its question down and answers with what is in a file.
SCRIBE = "import sys; open('question', 'w').write(sys.stdin.read()); print(open('answer').read())"


def events(cli: Cli, kind: str, run: int = 1) -> list[dict[str, Any]]:
    with Store.open(cli.store) as store:
        lines = [json.loads(line) for line in store.event_lines(run)]
    return [line for line in lines if line["type"] == kind]


def run(cli: Cli, planner: str, *words: str) -> Done:
    return cli("run", "plan.yaml", "--outcomes", "shape.yaml", "--format", "json", "--planner", planner, *words)


GOOD = [
    STEPS,
    JSON_STEPS,
    f"steps:\n{STEPS}verdicts: {{E1: keep}}\ncause: sold by quote\n",
    f"# a comment\n\n{STEPS}\n",
]


@pytest.mark.parametrize("answer", GOOD, ids=["yaml", "json", "mapping", "comment"])
def test_an_answer_is_a_plan(cli: Cli, answer: str) -> None:
    cli.files({"answer": answer, "scribe.py": SCRIBE})
    done = run(cli, f"{PYTHON} scribe.py")
    assert (done.code, done.err) == (0, "")
    assert [(each["replanner"], each["error"], each["steps"][0]["action"]) for each in events(cli, "plan.draft")] == [
        ("command", None, "ask")
    ]
    assert cli("replay").code == 0


def test_what_a_planner_is_asked(cli: Cli) -> None:
    cli.files({"answer": STEPS, "scribe.py": SCRIBE})
    assert run(cli, f"{PYTHON} scribe.py").code == 0
    question = json.loads(Path("question").read_text())
    Draft202012Validator(json.loads(cli("schema", "question").out)).validate(question)
    prompt = question.pop("prompt")
    assert question == {
        "goal": "find the price",
        "granularity": "patch",
        "version": "v1",
        "goal_changed": False,
        "failure": {
            "step_id": "2", "error_type": "assumption", "error_msg": "no price", "attempted": ["look: shape"],
            "evidence": {"radius": 1},
        },
        "done": [
            {"id": "1", "action": "look", "summary": "ok", "health": "clean", "because": "", "expected_outcome": None}
        ],
        "remaining": [
            {"id": "2", "action": "look", "tool": "look", "depends_on": ["1"], "expected_outcome": None,
             "args": {"at": "b"}},
            {"id": "3", "action": "write it up", "tool": "write", "depends_on": ["2"], "expected_outcome": None,
             "args": {"text": "#E2"}},
        ],
        "lessons": ["v1 step 2 assumption: sold by quote; avoid: look: shape"],
        "left": {
            "replans": 5, "replan_tokens": 20000, "steps": 10, "calls": None, "tokens": None, "seconds": None,
        },
    }  # fmt: skip
    assert f"{prompt}\n" == cli("prompt", "1").out


# What a command does, and why its answer is none.
BAD: list[tuple[str, str]] = [
    ("echo Sure! Here is the plan:", "Sure! Here is the plan is not known here"),
    ("echo 'Sure, I would ask.'", "1:1: expected "),
    ("printf ''", "1:1: the file is empty"),
    ("echo '[{id: 2, tol: look}]'", "1:10: tol is not known here"),
    ("echo '[{id: 2, tool: look}, {id: 2, tool: look}]'", "the draft has two steps 2"),
    ("echo '[{id: 2, tool: look, depends_on: [9]}]'", "step 2 depends on 9, which is not in the plan"),
    ("echo '[1, 2'", "1:"),
    (r"printf '\377\376'", "the replanner failed: 'utf-8' codec can't decode byte"),
    ("false", "the replanner failed: it ended with 1"),
    ("echo '[]'; echo no model >&2; exit 3", "the replanner failed: it ended with 3: no model"),
    ("kill -9 $$", "the replanner failed: it ended with -9"),
    ("sleep 30", "the replanner failed: no answer within 0.3 s"),
    ("exec >&-; exec 2>&-; sleep 30", "the replanner failed: it did not end within 0.3 s"),
    ("yes", "the replanner failed: it wrote more than 1,048,576 bytes"),
    ("yes >&2", "the replanner failed: no answer within 0.3 s"),
]


@pytest.mark.parametrize(("command", "why"), BAD, ids=lambda value: str(value)[:30])
def test_anything_else_is_a_bad_draft(cli: Cli, command: str, why: str) -> None:
    cli.files({"planner.sh": f"{command}\n"})
    done = run(cli, "sh planner.sh", "--planner-timeout", "0.3" if "0.3 s" in why else "1m", "--max-replans", "1")
    assert (done.code, done.err, json.loads(done.out)["reason"]) == (1, "", "replan_budget")
    (rejected,) = events(cli, "plan.rejected")
    assert why in rejected["reasons"][0]
    assert cli("replay").code == 0


def test_a_command_that_is_not_there_is_wrong_usage(cli: Cli) -> None:
    done = run(cli, "no-such-planner --fast")
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        "replanctl: --planner no-such-planner: there is no such command\n"
        "  write it as a shell would find it: a name on the PATH, or ./planner\n"
    )
    assert not cli.store.exists()


def test_tools_that_lack_a_name_the_plan_uses_are_wrong_usage(cli: Cli, tools: str) -> None:
    cli.files({f"{tools}.py": "TOOLS = {'looks': len, 'write': len}\n"})
    done = cli("run", "plan.yaml", "--tools", f"{tools}:TOOLS")
    assert (done.code, done.out) == (2, "")
    assert done.err == ("replanctl: --tools: there is no tool named look, which step 1 uses\n  did you mean looks?\n")
    assert not cli.store.exists()


PRINTS = """\
import os, subprocess
def look(at):
    print("by print")
    os.write(1, b"by write\\n")
    subprocess.run(["echo", "by echo"])
    return at
TOOLS = {"look": look, "write": lambda text: 1}
"""


def test_what_a_tool_prints_is_no_part_of_the_result(tmp_path: Path) -> None:
    """In a process of its own: what writes to the descriptor itself goes to standard error too."""
    (tmp_path / "loud.py").write_text(PRINTS)
    (tmp_path / "plan.yaml").write_text("goal: g\nsteps: [{id: 1, tool: look, args: {at: a}}]\n")
    words = ["run", "plan.yaml", "--tools", "loud:TOOLS", "--format", "json", "--no-store"]
    done = subprocess.run([sys.executable, "-m", "replanctl", *words], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, json.loads(done.stdout)["reason"]) == (0, "goal_met")
    assert sorted(done.stderr.splitlines()) == ["by echo", "by print", "by write"]


def test_debug_shows_what_a_tool_raised(cli: Cli, tools: str) -> None:
    cli.files({f"{tools}.py": "def look(at):\n    return {}['month']\nTOOLS = {'look': look, 'write': look}\n"})
    done = cli("run", "plan.yaml", "--tools", f"{tools}:TOOLS", "--format", "json", "--debug", "--max-replans", "0")
    assert done.code == 1
    assert "Traceback (most recent call last):" in done.err
    assert done.err.endswith("KeyError: 'month'\n")


@pytest.mark.parametrize(
    ("planner", "said"),
    [
        ("  ", '--planner is empty\n  name a command: --planner "python planner.py"\n'),
        ("sh 'planner.sh", "--planner \"sh 'planner.sh\" can't be read: No closing quotation\n  mind the quotes\n"),
    ],
)
def test_no_command_is_wrong_usage(cli: Cli, planner: str, said: str) -> None:
    assert run(cli, planner) == Done(2, "", f"replanctl: {said}")
    assert not cli.store.exists()


def test_an_empty_plan_gives_up(cli: Cli) -> None:
    done = run(cli, "echo []")
    assert (done.code, json.loads(done.out)["reason"]) == (1, "no_plan")
    cli.files({"answer": STEPS})
    asked_again = cli("resume", "--format", "json", "--planner", "echo []")
    assert json.loads(asked_again.out)["reason"] == "no_plan"
    assert len(events(cli, "plan.draft")) == 2
    assert cli("replay").code == 0


def test_a_planner_that_is_told_why_can_do_better(cli: Cli) -> None:
    cli.files({
        "better.py": "import json, sys\n"
        "failure = json.load(sys.stdin)['failure']\n"
        "print('[]x' if failure['error_type'] != 'invalid_draft' else open('answer').read())\n",
        "answer": STEPS,
    })  # fmt: skip
    assert run(cli, f"{PYTHON} better.py").code == 0
    assert len(events(cli, "plan.rejected")) == 1


@pytest.mark.parametrize("ending", ["echo '[]'", "sleep 600"], ids=["answers", "is too slow"])
def test_nothing_that_a_planner_started_is_left_behind(cli: Cli, ending: str) -> None:
    cli.files({"planner.sh": f"sleep 600 & echo $! > sleeper\n{ending}\n"})
    began = time.monotonic()
    assert run(cli, "sh planner.sh", "--planner-timeout", "1s", "--max-replans", "1").code == 1
    assert time.monotonic() - began < PATIENCE
    assert ended(int(Path("sleeper").read_text()))


DETACHED = """\
import os, time
if os.fork() == 0:
    os.setsid()
    os.close({closed})
    until = time.monotonic() + 60
    while time.monotonic() < until and not os.path.exists("over"):
        {does}
print(open("answer").read())
"""


@pytest.mark.parametrize(
    ("closed", "does"),
    [(1, "os.write(2, b'noise' * 1000)"), (1, "time.sleep(0.05)"), (2, "time.sleep(0.05)")],
    ids=["talks on", "holds standard error", "holds standard output"],
)
def test_who_left_the_planners_group_is_not_waited_for(cli: Cli, closed: int, does: str) -> None:
    cli.files({"detach.py": DETACHED.format(closed=closed, does=does), "answer": STEPS})
    began = time.monotonic()
    assert run(cli, f"{PYTHON} detach.py", "--planner-timeout", "50s").code == 0
    assert time.monotonic() - began < 45
    Path("over").touch()


def test_an_answer_is_read_within_the_planners_time(cli: Cli) -> None:
    cli.files({"answer": "".join(f"- {{id: {n}, tool: u}}\n" for n in range(10, 40_000))})
    words = ("--planner-timeout", "250ms", "--max-replans", "1", "--max-steps", "none", "--no-store")
    assert seconds_of(lambda: run(cli, "cat answer", *words), 10, time.monotonic) < 10
    done = run(cli, "cat answer", *words[:-1])
    assert done.code == 1
    (rejected,) = events(cli, "plan.rejected")
    assert rejected["reasons"][0].startswith("the replanner failed: no answer within 0.25 s")


def ended(pid: int) -> bool:
    """Whether a process is gone, or soon will be."""
    for _ in range(200):
        try:
            os.kill(pid, 0)
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except (ProcessLookupError, FileNotFoundError):
            return True
        if state == "Z":  # nobody has fetched it yet
            return True
        time.sleep(0.02)
    return False


def test_an_interruption_ends_the_planner_and_reaches_us(cli: Cli) -> None:
    cli.files({"planner.sh": "echo $$ > sleeper\nsleep 30\n"})
    words = [PYTHON, "-m", "replanctl", "run", "plan.yaml", "--outcomes", "shape.yaml", "--planner", "sh planner.sh"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, **cli.environ})
    wait_until(lambda: Path("sleeper").exists() and bool(Path("sleeper").read_text()))
    process.send_signal(signal.SIGINT)
    _, complaint = process.communicate(timeout=PATIENCE)
    assert (process.returncode, complaint.decode().splitlines()[0]) == (130, "replanctl: interrupted")
    assert ended(int(Path("sleeper").read_text()))
    cli.files({"planner.sh": f"cat <<'END'\n{STEPS}END\n"})
    assert cli("resume", "-q", "--planner", "sh planner.sh").code == 0


# -- tools ----------------------------------------------------------------------------------------------------------

TOOLS = """\
import sys
print("on the way in")

def look(at):
    print("looking at", at)
    return {"at": at, "seen": {1, 2}, "big": 10 ** 30, "rate": float("nan")}

def write(text):
    return len(str(text))

TOOLS = {"look": look, "write": write}
NUMBERS = {"look": 1}

def one(name, args):
    return [name, sorted(args)]

class Shelf:
    tools = TOOLS
"""


@pytest.fixture
def tools(cli: Cli, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a module of tools that no other test has imported."""
    monkeypatch.syspath_prepend(".")
    name = f"tools_{abs(hash(request.node.name))}"
    cli.files({f"{name}.py": TOOLS})
    return name


@pytest.mark.parametrize(
    ("where", "value"),
    [(":TOOLS", "a"), ("", "a"), (":one", "look"), (":Shelf.tools", "a")],
)
def test_tools_by_name(cli: Cli, tools: str, where: str, value: str, capfd: pytest.CaptureFixture[str]) -> None:
    done = cli("run", "plan.yaml", "--tools", f"{tools}{where}", "--format", "json")
    assert (done.code, done.err) == (0, "")
    found = json.loads(done.out)["variables"]["E1"]["value"]
    assert (found["at"] if isinstance(found, dict) else found[0]) == value
    said = capfd.readouterr()
    assert said.out == ""
    assert "on the way in" in said.err
    assert cli("replay").code == 0


def test_an_answer_is_what_json_can_say_of_it(cli: Cli, tools: str) -> None:
    found = json.loads(cli("run", "plan.yaml", "--tools", f"{tools}:TOOLS", "--format", "json").out)
    value = found["variables"]["E1"]["value"]
    assert value == {"at": "a", "seen": [1, 2], "big": 10**30, "rate": None}


# What a tool does, and the failure it is.
FAILURES: list[tuple[str, str, str]] = [
    ("raise TimeoutError('too late')", "environmental", "too late"),
    ("raise ConnectionResetError()", "environmental", "ConnectionResetError"),
    ("raise PermissionError('not you')", "permission", "not you"),
    ("raise ValueError('what?')", "unknown", "ValueError: what?"),
    ("sys.exit(3)", "unknown", "the tool ended the program: exit 3"),
    ("return '\\ud800'", "unknown", "the tool returned text with half a surrogate pair in it"),
    ("raise ValueError('\\ud800')", "unknown", "ValueError: \\ud800"),
    ("x = []; x.append(x); return x", "unknown", "the tool returned a list nested too deep, or in itself"),
]


@pytest.mark.parametrize(("body", "error_type", "message"), FAILURES, ids=lambda value: str(value)[:30])
def test_a_tool_that_fails_is_a_failure(cli: Cli, tools: str, body: str, error_type: str, message: str) -> None:
    cli.files({f"{tools}.py": f"import sys\ndef look(at):\n    {body}\nTOOLS = {{'look': look, 'write': look}}\n"})
    done = cli("run", "plan.yaml", "--tools", f"{tools}:TOOLS", "--max-replans", "0", "--format", "json")
    assert (done.code, done.err) == (1, "")
    signal = json.loads(done.out)["signals"][0]
    assert (signal["error_type"], signal["error_msg"][: len(message)]) == (error_type, message)
    assert cli("replay").code == 0


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("nowhere_at_all:TOOLS", "", "there is no module nowhere_at_all\n  write MODULE:NAME"),
        (":TOOLS", "", "nothing can't be imported: ValueError: "),
        ("HERE:TOOL", TOOLS, "there is no TOOL in it\n  did you mean TOOLS?\n"),
        ("HERE:xyz", TOOLS, "there is no xyz in it\n  write MODULE:NAME"),
        ("HERE:NUMBERS", TOOLS, "look is a int, not a callable\n"),
        ("HERE:TOOLS.__doc__", TOOLS, None),
        ("HERE:one.__name__", TOOLS, "--tools HERE:one.__name__ is a str\n  name a mapping, a module or a callable\n"),
        ("HERE:TOOLS", "import nowhere_at_all\n", "HERE can't be imported: ModuleNotFoundError: No module named"),
        ("HERE:TOOLS", "x = 1 +\n", "HERE can't be imported: SyntaxError: invalid syntax"),
        ("HERE:TOOLS", "raise SystemExit(0)\n", "HERE can't be imported: SystemExit: 0"),
        ("HERE:TOOLS", "1 / 0\n", "HERE can't be imported: ZeroDivisionError: division by zero"),
    ],
)  # fmt: skip
def test_tools_that_are_not_there_are_wrong_usage(cli: Cli, tools: str, name: str, text: str, said: str | None) -> None:
    cli.files({f"{tools}.py": text})
    done = cli("run", "plan.yaml", "--tools", name.replace("HERE", tools))
    assert (done.code, done.out) == (2, "")
    assert said is None or said.replace("HERE", tools) in done.err
    assert not cli.store.exists()


def test_tools_and_outcomes_exclude_each_other(cli: Cli, tools: str) -> None:
    done = cli("run", "plan.yaml", "--tools", f"{tools}:TOOLS", "--outcomes", "shape.yaml")
    assert (done.code, done.err.splitlines()[0]) == (2, "replanctl: --tools and --outcomes exclude each other")
    cli("run", "plan.yaml", "--tools", f"{tools}:TOOLS", "--max-steps", "1", "-q")
    done = cli("resume", "--tools", f"{tools}:TOOLS", "--outcomes", "shape.yaml")
    assert (done.code, done.err.splitlines()[0]) == (
        2,
        "replanctl: the run calls real tools: no outcomes would be asked",
    )


def test_a_run_can_be_replayed_where_its_tools_and_planner_are_gone(cli: Cli, tools: str) -> None:
    failing = "def look(at):\n    if at == 'b': raise LookupError('no price')\n    return at\n"
    failing += "TOOLS = {'look': look, 'write': look}\n"
    cli.files({f"{tools}.py": failing, "planner.sh": "echo '[{id: 2, tool: look, args: {at: c}}]'\n"})
    assert cli("run", "plan.yaml", "--tools", f"{tools}:TOOLS", "--planner", "sh planner.sh", "-q").code == 1
    Path(f"{tools}.py").unlink()
    Path("planner.sh").unlink()
    del sys.modules[tools]
    assert cli("replay").code == 0
    assert cli("prompt").code == 0
    done = cli("resume", "--tools", f"{tools}:TOOLS", "--planner", "sh planner.sh")
    assert (done.code, done.err.splitlines()[0]) == (
        2,
        f"replanctl: --tools {tools}:TOOLS: there is no module {tools}",
    )
    assert cli("replay").code == 0


def test_nothing_is_started_that_only_the_store_names(cli: Cli, tools: str) -> None:
    cli.files({"planner.sh": "touch STARTED\necho '[{id: 2, tool: look, args: {at: c}}]'\n"})
    words = ("--tools", f"{tools}:TOOLS", "--planner", "sh planner.sh")
    failing = "def look(at):\n    raise LookupError('no price')\nTOOLS = {'look': look, 'write': look}\n"
    cli.files({f"{tools}.py": failing})
    assert cli("run", "plan.yaml", *words, "--max-replans", "1", "-q").code == 1
    Path("STARTED").unlink()
    had = f"--planner 'sh planner.sh' --tools {tools}:TOOLS"
    for given in ((), words[2:], words[:2]):
        assert cli("resume", *given) == Done(
            2,
            "",
            f"replanctl: run 1 had {had}: what is started is not taken from the store\n"
            f"  say it again if you trust it: replanctl resume 1 {had}\n",
        )
    assert cli("replay").code == 0
    assert not Path("STARTED").exists()
    assert cli("resume", *words, "--max-replans", "2", "-q").code == 1
    assert Path("STARTED").exists()
    assert cli("replay").code == 0


def test_a_rehearsal_is_not_taken_up_with_what_it_did_not_have(cli: Cli) -> None:
    assert cli("run", "plan.yaml", "--outcomes", "denied.yaml", "-q").code == 1
    for flag in ("--planner", "--tools"):
        done = cli("resume", flag, "x")
        assert done == Done(2, "", f"replanctl: run 1 was rehearsed without {flag}\n  leave out {flag}\n")


def test_the_example_goes_for_real_as_it_was_rehearsed(cli: Cli) -> None:
    for file in (ROOT / "plans" / "external").glob("*.*"):
        cli.files({file.name: file.read_text(encoding="utf-8")})
    real = ["--tools", "stock:TOOLS", "--planner", f"{PYTHON} planner.py"]
    rehearsed, done = (
        subprocess.run(
            [PYTHON, "-m", "replanctl", "run", "stock.yaml", "--format", "json", *words],
            capture_output=True, text=True, check=True, env={**os.environ, **cli.environ},
        )
        for words in ([], real)
    )  # fmt: skip
    assert (rehearsed.stderr, done.stderr) == ("", "ordering M4 bolt, 900 on the shelf\n")
    stories = [told(json.loads(each.stdout)) for each in (rehearsed, done)]
    assert stories[0] == stories[1]
    assert cli("replay", "2").code == 0


def told(result: dict[str, Any]) -> list[Any]:
    """What happened, but for when."""
    ends = [
        (each["version"], each["step_id"], each["tool"], each["status"], each["result"]) for each in result["history"]
    ]
    return [result["reason"], ends, result["versions"], result["routes"], result["gates"], result["ledger"]]


def test_the_steps_of_a_question_may_be_sent_back_as_they_are(cli: Cli) -> None:
    cli.files({"echo.py": "import json, sys\nprint(json.dumps(json.load(sys.stdin)['remaining']))\n"})
    assert run(cli, f"{PYTHON} echo.py").code == 0


@pytest.mark.parametrize(
    ("script", "lessons"),
    [
        ("- {match: {step: 2}, returns: [{status: shape, message: no price}, ok]}", {"sold by quote": 1}),
        # the same was said of it before: that stays, once less
        (
            "- {match: {step: 2}, returns: [{status: shape, message: none}, {status: shape, message: none}, ok]}",
            {"sold by quote": 2},
        ),
        # what the outcome says is a guess too, beside one who has looked
        ("- {match: {step: 2}, returns: [{status: shape, cause: tired}, ok]}", {"sold by quote": 1}),
    ],
)
def test_the_cause_that_an_answer_names_stands_in_the_lesson(cli: Cli, script: str, lessons: dict[str, int]) -> None:
    cli.files(
        {
            "answer": "steps: [{id: 2, tool: look, args: {at: b}}, {id: 3, tool: write}]\ncause: sold by quote\n",
            "scribe.py": SCRIBE,
            "shape.yaml": f"outcomes:\n  {script}\n  - {{match: {{}}, returns: [ok]}}\n",
        }
    )
    result = json.loads(run(cli, f"{PYTHON} scribe.py", "--granularity", "tail").out)
    said = {lesson["text"].split(": ")[1].split(";")[0]: lesson["count"] for lesson in result["lessons"]}
    assert {cause: count for cause, count in said.items() if "sold" in cause} == lessons
    assert not any("expected" in cause or "tired" in cause for cause in said)
    assert cli("replay").code == 0
