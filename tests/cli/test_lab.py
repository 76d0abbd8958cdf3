"""`matrix`, `tune`, `compare`, `merge`, `stats`: the same bytes whatever runs them, and what is said of bad input."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from replanctl.cli.facts_file import FactsFile
from replanctl.lab import MatrixOptions, matrix_study
from tests.cli.conftest import Cli, Done
from tests.conftest import ROOT
from tests.pace import PATIENCE, wait_until

SWEEPS = {
    "matrix": ["matrix", "plans/vendors.yaml", "plans/goal-change.yaml", "--goals", "--pairs", "40"],
    "tune": ["tune", "plans/lab/support", "plans/gates", "--max-replans", "1"],
    "compare": ["compare", "plans", "--strategies", "all", "--max-steps", "20"],
    "race": ["compare", "plans/vendors.yaml", "--strategies", "all"],
}
EVERY = pytest.mark.parametrize("words", SWEEPS.values(), ids=SWEEPS)


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cli]:
    """A command line in a folder with the example plans."""
    shutil.copytree(ROOT / "plans", tmp_path / "plans")
    monkeypatch.chdir(tmp_path)
    yield Cli(Path())


def fine(done: Done) -> str:
    assert (done.code, done.err) == (0, "")
    return done.out


def facts_left(cli: Cli) -> list[Path]:
    return sorted(cli.store.rglob("*.facts"))


# -- the same bytes ----------------------------------------------------------------------------------------------------


@EVERY
@pytest.mark.parametrize("how", ["text", "json", "markdown"])
def test_shards_merge_to_the_same_bytes_and_leave_nothing(cli: Cli, words: list[str], how: str) -> None:
    whole = fine(cli(*words, "--format", how))
    shards = []
    for number in (1, 2, 3):
        fine(cli(*words, "--shard", f"{number}/3", "-o", f"{number}.facts"))
        shards.insert(0, f"{number}.facts")
    assert fine(cli("merge", *shards, "--format", how)) == whole
    assert fine(cli(*words, "--format", how, "--no-store")) == whole
    assert facts_left(cli) == []


@pytest.mark.parametrize("words", [SWEEPS["matrix"], SWEEPS["tune"]], ids=["matrix", "tune"])
def test_two_processes_come_to_the_same_bytes(cli: Cli, words: list[str]) -> None:
    assert fine(cli(*words, "--format", "json", "--jobs", "2")) == fine(cli(*words, "--format", "json"))


def test_a_dask_cluster_comes_to_the_same_bytes(cli: Cli) -> None:
    distributed = pytest.importorskip("distributed")
    words = [*SWEEPS["tune"], "--format", "json"]
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None, silence_logs=50
    ) as cluster:
        assert fine(cli(*words, "--dask", cluster.scheduler_address)) == fine(cli(*words))


def test_no_dask_answers(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr("replanctl.cli.sweeping.PATIENCE", 0.2)
    done = cli(*SWEEPS["tune"], "--dask", "tcp://127.0.0.1:9")
    assert (done.code, done.err.splitlines()[0]) == (2, "replanctl: no Dask scheduler answers at tcp://127.0.0.1:9")


@EVERY
def test_a_sweep_that_was_stopped_goes_on(cli: Cli, words: list[str]) -> None:
    """The file of facts cut at any byte, as a kill leaves it."""
    whole = fine(cli(*words, "--format", "json"))
    fine(cli(*words, "--shard", "1/1", "-o", "all.facts"))
    lines = Path("all.facts").read_bytes()
    cli.store.joinpath("lab").mkdir(parents=True, exist_ok=True)
    name = kept_name(cli, words)
    for cut in (0, 1, lines.index(b"\n"), lines.index(b"\n") + 1, len(lines) // 3, len(lines) // 2, len(lines) - 1):
        (cli.store / "lab" / name).write_bytes(lines[:cut])
        assert fine(cli(*words, "--format", "json", "--continue")) == whole
        assert facts_left(cli) == []


def kept_name(cli: Cli, words: list[str]) -> str:
    """The name under which the facts of a sweep are kept, seen while it runs."""
    seen = []
    close = FactsFile.close

    def closing(self: FactsFile, *, done: bool) -> None:
        seen.append(self.path.name)
        close(self, done=done)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FactsFile, "close", closing)
        fine(cli(*words))
    return seen[0]


def process(*words: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "replanctl", *words]
    environ = {**os.environ, "REPLANCTL_STORE": "store"}
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environ)


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("stop", [signal.SIGKILL, signal.SIGINT])
def test_killed_at_some_moment_and_continued(cli: Cli, stop: signal.Signals, jobs: str) -> None:
    words = [
        "matrix",
        "plans/pipeline.yaml",
        "plans/vendors.yaml",
        "--pairs",
        "600",
        "--format",
        "json",
        "--jobs",
        jobs,
    ]
    whole = fine(cli(*words))
    stopped = 0
    for _ in range(3):
        with process(*words, "--continue") as running:
            wait_until(further(cli, running))
            running.send_signal(stop)
            _, said = running.communicate(timeout=PATIENCE)
        stopped += running.returncode != 0
        if stop is signal.SIGINT and running.returncode:
            assert b"Traceback" not in said
            assert running.returncode in (130, -signal.SIGINT)  # the second: before it could listen
    assert stopped
    assert fine(cli(*words, "--continue")) == whole


def further(cli: Cli, running: subprocess.Popen[bytes]) -> Callable[[], bool]:
    """Whether a sweep has kept more than there is now, or has ended."""

    def kept() -> int:
        return sum(path.stat().st_size for path in (cli.store / "lab").glob("*.facts"))

    before = kept()
    return lambda: running.poll() is not None or kept() > before


def test_an_interrupted_sweep_says_what_is_kept(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    append = FactsFile.append

    def stopping(self: FactsFile, one: object) -> None:
        append(self, one)  # type: ignore[arg-type]
        if len(self._waiting) == 30:
            raise KeyboardInterrupt

    monkeypatch.setattr(FactsFile, "append", stopping)
    done = cli("matrix", "plans/vendors.yaml")
    said = "replanctl: interrupted\n  29 of 101 sessions are kept: the same with --continue goes on\n"
    assert (done.code, done.out) == (130, "")
    assert re.sub("29|30", "29", done.err) == said
    assert len(facts_left(cli)) == 1


def test_the_file_of_facts_is_for_its_owner_alone(cli: Cli, tmp_path: Path) -> None:
    study, _ = matrix_study([], MatrixOptions(), "0")
    kept = FactsFile.open(tmp_path / "new" / "lab" / "x.facts", study, go_on=False)
    assert kept.path.stat().st_mode & 0o777 == 0o600
    kept.close(done=True)
    assert not kept.path.exists()


def test_memory_does_not_grow_with_the_sessions(cli: Cli) -> None:
    """Facts of pairs stream: ten times as many take no more than a little room for the interpreter's own."""
    code = (
        "import resource, sys; from replanctl.cli.app import main; main(sys.argv[1:]);"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)"
    )
    peaks = []
    for pairs in ("100", "2500"):
        words = ["matrix", "plans/render.yaml", "--pairs", pairs, "--format", "json", "-o", "x.json", "--no-store"]
        done = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, check=True, timeout=PATIENCE)
        peaks.append(int(done.stderr))
    assert peaks[1] < peaks[0] * 1.15


# -- the documents -----------------------------------------------------------------------------------------------------


@EVERY
def test_a_document_keeps_its_schema(cli: Cli, words: list[str]) -> None:
    schema = json.loads(fine(cli("schema", words[0])))
    Draft202012Validator(schema).validate(json.loads(fine(cli(*words, "--format", "json"))))


def test_the_statistics_keep_their_schema(cli: Cli) -> None:
    cli("run", "plans/vendors.yaml", "-q")
    schema = json.loads(fine(cli("schema", "stats")))
    Draft202012Validator(schema).validate(json.loads(fine(cli("stats", "--format", "json"))))


@EVERY
def test_what_comes_next_can_be_run(cli: Cli, words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("replanctl.show.console.terminal_width", lambda stream: 400)
    said = cli(*words, "--store", "a store").out
    for line in re.findall(r"^  Next: (replanctl .+)$", said, re.MULTILINE):
        for command in line.split(" · "):
            done = cli(*shlex.split(command)[1:])
            assert done.code in (0, 1), done.err


def test_a_cell_by_itself_is_the_cell(cli: Cli) -> None:
    (plan,) = json.loads(fine(cli("matrix", "plans/vendors.yaml", "--max-replans", "2", "--format", "json")))["plans"]
    for row in plan["rows"][:2]:
        for cell in (row["once"][5], row["always"][6]):
            words = ["run", "plans/vendors.yaml", "--fault", cell["key"][1], "--max-replans", "2", "--no-store"]
            result = json.loads(cli(*words, "--format", "json").out)
            assert (result["reason"], result["seconds"], result["ledger"]["totals"]["all"]) == (
                cell["reason"],
                cell.get("seconds", 0.0),
                cell["tokens"],
            )


# -- --fail-on ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ("matrix plans/lab/prices.yaml --fail-on dead", 1, "dead: plans/lab/prices.yaml: 2, the first is rule shop-is"),
        ("matrix plans/vendors.yaml --fail-on dead,unlanded,tokens=99999", 0, ""),
        ("matrix plans/vendors.yaml --fail-on tokens=3000", 1, "tokens=3000: plans/vendors.yaml: "),
        ("matrix plans/vendors.yaml --pairs 400 --fail-on tokens=5000", 1, "tokens=5000: plans/vendors.yaml: a pair "),
        ("matrix plans/vendors.yaml --pairs 400 --fail-on unrecovered", 1,
         "unrecovered: plans/vendors.yaml: 16, the first is 1=shape:always, and 101 pairs of faults\n"),
        ("matrix plans/vendors.yaml --fail-on escalated", 1, "escalated: plans/vendors.yaml: 35, the first is 1="),
        ("matrix plans/vendors.yaml --fail-on unrecovered", 1, "unrecovered: plans/vendors.yaml: 16, the first is "),
        ("matrix plans/vendors.yaml --fail-on doubled", 1, "doubled: plans/vendors.yaml: "),
        ("tune plans/lab/support --fail-on stopped,liftable,wrong", 0, ""),
        ("tune plans/lab/support --policy plans/lab/strict.yml --fail-on wrong", 1, "wrong: 5, the first is plans/lab"),
        ("compare plans/lab/support --policy plans/lab/now.yml --policy plans/lab/thrifty.yml --fail-on worse", 1,
         "worse: thrifty: 5, the first is plans/lab/support/address.yaml"),
        ("compare plans/lab/support --policy plans/lab/thrifty.yml --policy plans/lab/now.yml --fail-on worse", 0, ""),
    ],
)  # fmt: skip
def test_fail_on(cli: Cli, words: str, code: int, said: str) -> None:
    done = cli(*words.split())
    assert done.code == code
    assert done.err.startswith(f"replanctl: --fail-on {said}") if said else done.err == ""


# -- bad input ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("compare plans/vendors.yaml", "a comparison takes two policies or more"),
        ("compare plans/lab/support", "a comparison takes two policies or more"),
        ("compare plans/lab/support --fail-on worse --format json", "a comparison takes two policies or more"),
        ("compare plans --policy plans/lab/now.yml", "the plans have policies of their own that differ"),
        ("compare plans/lab/support --policy plans/lab/now.yml --policy plans/lab/now.yml", "one policy is given "),
        ("compare plans/vendors.yaml --strategies patch,deep", "Invalid value for '--strategies': 'deep' is none of "),
        ("matrix plans/vendors.yaml --shard 3/2", "Invalid value for '--shard': '3/2' is no shard: 2/3 is the second"),
        ("matrix plans/vendors.yaml --fail-on worse", "Invalid value for '--fail-on': 'worse' is none of unrecovered,"),
        ("matrix plans/vendors.yaml --fail-on tokens=N", "Invalid value for '--fail-on': 'tokens=N' is none of"),
        ("matrix plans/vendors.yaml --shard 1/2 --format json", "a shard has no table yet: no --format, no --fail-on"),
        ("matrix plans/vendors.yaml --jobs 2 --dask x", "--jobs and --dask exclude each other"),
        ("tune", "there are no runs in store"),
        ("matrix empty", "there is no rehearsal in empty"),
    ],
)  # fmt: skip
def test_wrong_usage(cli: Cli, words: str, said: str) -> None:
    Path("empty").mkdir()
    done = cli(*words.split())
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"replanctl: {said}")


def test_every_bad_file_of_a_corpus_is_named_with_its_place(cli: Cli) -> None:
    Path("more/.hidden").mkdir(parents=True)
    Path("more/one.yaml").write_text("goal: g\nsteps: [{id: 1, tol: look}]\noutcomes: []\n")
    Path("more/two.yaml").write_text("goal: g\nsteps: []\noutcomes: []\n")
    Path("more/.hidden/three.yaml").write_text("goal: g\nsteps: []\noutcomes: []\n")
    Path("more/policy.yaml").write_text("policy: {}\n")
    Path("more/plain.yaml").write_text("goal: g\nsteps: [{id: 1, tool: look}]\n")
    done = cli("tune", "more", "plans/vendors.yaml")
    places = re.findall(r"^(\S+:\d+:\d+): error", done.err, re.MULTILINE)
    assert (done.code, sorted({place.split(":")[0] for place in places})) == (2, ["more/one.yaml", "more/two.yaml"])


def test_each_scenario_is_a_rehearsal_of_its_own(cli: Cli) -> None:
    steps = "goal: g\nsteps: [{id: 1, tool: look}]\n"
    scenarios = "scenarios: {slow: {outcomes: [{match: {tool: look}, returns: [timeout, ok]}]}, fine: {outcomes: []}}\n"
    Path("more").mkdir()
    Path("more/alone.yaml").write_text(steps + scenarios)
    Path("more/both.yaml").write_text(steps + scenarios + "outcomes: [{match: {tool: look}, returns: [shape, ok]}]\n")
    Path("more/other.yaml").write_text("plan: alone.yaml\noutcomes: [{match: {tool: look}, returns: [denied]}]\n")
    words = ["compare", "more", "--strategies", "none,hybrid", "--shard", "1/1", "-o", "all.facts"]
    fine(cli(*words))
    head = json.loads(Path("all.facts").read_text().splitlines()[0])
    assert [case["name"] for case in head["cases"]] == [
        "more/alone.yaml:slow",
        "more/alone.yaml:fine",
        "more/both.yaml",
        "more/both.yaml:slow",
        "more/both.yaml:fine",
        "more/other.yaml",
    ]
    assert len(json.loads(fine(cli("matrix", "more/both.yaml", "--format", "json")))["plans"]) == 1


@pytest.mark.parametrize(
    ("shards", "said"),
    [
        (["a1", "a1"], "shard 2/2 is missing"),
        (["a1"], "shard 2/2 is missing"),
        (["a1", "a2", "a2"], "a shard is given twice"),
        (["a1", "b2"], "b2 is of another sweep than a1"),
        (["plans/vendors.yaml"], "plans/vendors.yaml is not the shard of a sweep"),
        (["nowhere"], "nowhere can't be read: No such file or directory"),
        (["a1", "cut"], "cut has the facts of 49 sessions of 50"),
    ],
)
def test_shards_that_do_not_fit(cli: Cli, shards: list[str], said: str) -> None:
    for name, plan in (("a", "vendors"), ("b", "render")):
        for number in "12":
            fine(cli("matrix", f"plans/{plan}.yaml", "--shard", f"{number}/2", "-o", name + number))
    Path("cut").write_bytes(b"".join(Path("a2").read_bytes().splitlines(keepends=True)[:-1]))
    done = cli("merge", *shards)
    assert done.code == 2
    assert said in done.err
    assert "Traceback" not in done.err


def test_merge_takes_only_what_its_sweep_can_fail_on(cli: Cli) -> None:
    fine(cli(*SWEEPS["tune"], "--shard", "1/1", "-o", "all"))
    assert cli("merge", "all", "--fail-on", "worse").err.startswith("replanctl: a tune has no worse\n")
    assert cli("merge", "all", "--fail-on", "liftable").code == 1


# -- the rest ----------------------------------------------------------------------------------------------------------


def test_a_tuned_policy_frees_what_it_says(cli: Cli) -> None:
    fine(cli("tune", "plans/lab/support", "--policy", "plans/lab/strict.yml", "-o", "tuned.yaml"))
    assert "max_replans: 3  # frees 5 of the 5 it stopped, of 6 sessions\n" in Path("tuned.yaml").read_text()
    assert cli("validate", "--strict", "tuned.yaml").code == 0
    again = json.loads(fine(cli("tune", "plans/lab/support", "--policy", "tuned.yaml", "--format", "json")))
    assert again["tuning"]["completed"] == 6


def test_a_file_that_is_named_in_several_ways_is_one_rehearsal(cli: Cli) -> None:
    names = ["plans/lab/support", "./plans/lab/support/card.yaml", "plans/lab/../lab/support/card.yaml"]
    found = json.loads(fine(cli("tune", *names, "--format", "json")))["tuning"]
    assert found["sessions"] == json.loads(fine(cli("tune", names[0], "--format", "json")))["tuning"]["sessions"] == 6


def test_stored_runs_are_a_corpus(cli: Cli) -> None:
    cli("run", "plans/vendors.yaml", "-q", "--max-replans", "0")
    cli("run", "plans/vendors.yaml", "-q", "--fault", "1=denied")
    cli("run", "plans/vendors.yaml", "-q", "--planner", "cat")
    found = json.loads(fine(cli("tune", "--format", "json")))["tuning"]
    freed = [(one["case"], one["limit"]) for gate in found["gates"] for one in gate["would_finish"]]
    assert (found["sessions"], freed) == (2, [("run 1", 1)])
    assert "Left out: 1 run with real tools or a planner" in cli("tune").out


def test_statistics_of_stored_runs(cli: Cli) -> None:
    cli("run", "plans/vendors.yaml", "-q")
    cli("run", "plans/vendors.yaml", "-q", "--fault", "1=shape:always")
    cli("run", "plans/vendors.yaml", "-q", "--max-replans", "0")
    cli("resume", "3", "-q", "--max-replans", "+2")
    found = json.loads(fine(cli("stats", "--format", "json")))["stats"]
    assert (found["runs"], found["completed"], found["resumed"], found["resumed_completed"]) == (3, 2, 1, 1)
    assert {row["name"]: (row["times"], row["runs"]) for row in found["gates"]} == {
        "max_replans": (1, 1),
        "per_step": (1, 1),
    }
    assert (found["replans"], found["repeated"]) == (6, 3)
    assert found["ends"] == {"goal_met": 2, "step_breaker": 1}


def test_a_gate_that_cut_a_step_short_decided_although_a_resume_undid_it(cli: Cli) -> None:
    Path("cut.yaml").write_text(
        "goal: g\nsteps: [{id: 1, tool: look}]\noutcomes: [{match: {step: 1}, returns: [timeout, timeout, ok]}]\n"
    )
    assert cli("run", "cut.yaml", "-q", "--max-tool-calls", "1").code == 1
    assert cli("resume", "1", "-q", "--max-tool-calls", "+2").code == 0
    found = json.loads(fine(cli("stats", "--format", "json")))["stats"]
    assert [(row["name"], row["times"], row["ends"]) for row in found["gates"]] == [
        ("max_tool_calls", 1, {"goal_met": 1})
    ]


def test_a_plan_on_standard_input(cli: Cli) -> None:
    done = cli("matrix", "-", stdin="goal: g\nsteps: [{id: 1, tool: look}]\n")
    assert done.code == 0
    assert "Next:" not in done.out


@EVERY
@pytest.mark.parametrize("width", ["40", "80", "120"])
def test_no_line_is_wider_than_the_paper(
    cli: Cli, words: list[str], width: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from replanctl.show.text import width as columns

    monkeypatch.setattr("replanctl.show.console.terminal_width", lambda stream: int(width))
    assert max(map(columns, fine(cli(*words)).splitlines())) <= int(width)


# Two limits at once: neither alone frees the session, and where they came from the command line it is named.
BOUND = """\
goal: g
steps: [{id: 1, tool: look}, {id: 2, tool: write}]
policy: {gates: {max_replans: 1, max_steps: 2}}
outcomes: [{match: {tool: look}, returns: [shape, shape, shape, ok]}]
"""


@pytest.mark.parametrize(
    ("flags", "hint"),
    [
        ("", ""),
        (
            "--max-replans 0",
            "Without --max-replans 0 the rehearsals' own limits hold, and tune says what those come to.",
        ),
        (
            "--policy p.yaml",
            "Without --policy p.yaml the rehearsals' own limits hold, and tune says what those come to.",
        ),
    ],
)
def test_where_two_limits_bind_the_hint_fits_what_was_given(cli: Cli, flags: str, hint: str) -> None:
    Path("bound.yaml").write_text(BOUND)
    Path("p.yaml").write_text("policy: {gates: {max_replans: 1, max_steps: 3}}\n")
    said = " ".join(fine(cli("tune", "bound.yaml", *flags.split())).split())
    assert "several may bind at once. Raise the limits together." in said
    assert (hint in said) if hint else ("Without" not in said)
    assert "--policy out" not in said
    page = fine(cli("tune", "bound.yaml", *flags.split(), "--format", "markdown"))
    assert (hint.replace("_", "\\_") in page) if hint else ("Without" not in page)
