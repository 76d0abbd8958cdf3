"""The other verbs: what they print of a run, a plan, a number."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from replanctl.store import RunStatus, Store
from tests.cli.conftest import NOW, PLAN, Cli, Done


@pytest.fixture
def ran(cli: Cli) -> Cli:
    """Run 1 was replanned, run 2 was handed over, run 3 is plain."""
    assert cli("run", "plan.yaml", "--outcomes", "shape.yaml", "-q").code == 0
    assert cli("run", "plan.yaml", "--outcomes", "denied.yaml", "-q").code == 1
    assert cli("run", "plan.yaml", "-q").code == 0
    return cli


def loaded(done: Done) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(done.out)
    return found


# -- runs -----------------------------------------------------------------------------------------------------------


def test_runs_are_listed_newest_first(ran: Cli) -> None:
    assert ran("runs") == Done(0, """\
  run  started        ended      ver  time  tokens  plan       goal
    3  01-02 03:04  ✓ goal_met    v1    3s     880  plan.yaml  find the price
    2  01-02 03:04  ✗ escalated   v1    2s     700  plan.yaml  find the price
    1  01-02 03:04  ✓ goal_met    v2    4s   1,505  plan.yaml  find the price
""", "")  # fmt: skip
    rows = loaded(ran("runs", "--format", "json"))
    assert rows["schema_version"] == 1
    assert rows["runs"][1] == {
        "run": 2, "started": NOW, "goal": "find the price", "status": "failed", "reason": "escalated",
        "seconds": 2.0, "versions": 1, "tokens": 700, "plan": "plan.yaml",
    }  # fmt: skip


def listed(cli: Cli, *words: str) -> list[int]:
    return [row["run"] for row in loaded(cli("runs", "--format", "json", *words))["runs"]]


def test_runs_are_chosen(ran: Cli) -> None:
    ran.files({"other.yaml": PLAN})
    assert ran("run", "./other.yaml", "-q").code == 0
    assert listed(ran, "--limit", "2") == [4, 3]
    assert listed(ran, "--failed") == [2]
    assert listed(ran, "--plan", "other.yaml") == [4]
    assert listed(ran, "--plan", "plan.yaml", "--limit", "1") == [3]
    assert ran("runs", "--plan", "none.yaml") == Done(0, "  There is no such run.\n", "")
    assert ran("runs", "--limit", "0").code == 2


def test_long_names_fit_the_screen(cli: Cli) -> None:
    name = f"{'very-' * 12}long.yaml"
    cli.files({name: PLAN.replace("find the price", "find " * 40), "gaps.yaml": PLAN})
    assert cli("run", name, "-q").code == 0
    assert max(map(len, cli("runs").out.splitlines())) <= 80


def test_old_runs_are_given_up_and_their_numbers_with_them(ran: Cli) -> None:
    assert ran("runs", "--prune", "1", "--failed").code == 2
    assert ran("runs", "--prune", "1") == Done(0, "2 runs given up\n", "")
    assert listed(ran) == [3]
    assert ran("show", "2") == Done(
        2, "", "replanctl: run 2 was given up by runs --prune\n  replanctl runs lists those that are left\n"
    )
    assert ran("replay", "3").code == 0
    assert ran("run", "plan.yaml", "-q").code == 0
    assert listed(ran) == [4, 3]
    assert loaded(ran("runs", "--prune", "1", "--format", "json"))["pruned"] == [3]
    assert ran("runs", "--prune", "1") == Done(0, "0 runs given up\n", "")
    assert ran("runs").err == ""  # nothing is taken for damaged


def test_giving_up_where_there_is_no_store(cli: Cli) -> None:
    assert cli("runs", "--prune", "3") == Done(0, "0 runs given up\n", "")
    assert not cli.store.exists()


def test_resume_alone_takes_the_latest_that_can_be_resumed(ran: Cli) -> None:
    again = loaded(ran("resume", "--outcomes", "shape.yaml", "--format", "json"))
    assert (again["run"], again["reason"]) == (2, "goal_met")
    assert ran("resume").err == "run 3 is completed (goal_met): there is nothing to resume\n"


def test_no_runs_are_no_error(cli: Cli) -> None:
    assert cli("runs") == Done(0, "  There are no runs yet: replanctl run PLAN makes the first.\n", "")
    assert loaded(cli("runs", "--format", "json")) == {"schema_version": 1, "runs": []}
    assert not cli.store.exists()


@pytest.mark.parametrize("verb", ["runs", "stats"])
def test_where_there_are_no_runs_the_first_is_made_in_the_store_that_was_named(cli: Cli, verb: str) -> None:
    said = cli(verb, "--store", "my runs").out
    assert said == "  There are no runs yet: replanctl run PLAN --store 'my runs' makes the first.\n"


# -- show -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("outcomes", ["shape.yaml", "denied.yaml"])
def test_show_tells_a_run_as_it_was_told(cli: Cli, outcomes: str) -> None:
    for form in ("text", "json"):
        told = cli("run", "plan.yaml", "--outcomes", outcomes, "--format", form).out
        assert cli("show", "--format", form) == Done(0, told, "")


def test_parts_of_a_run(ran: Cli) -> None:
    whole = loaded(ran("show", "1", "--format", "json"))
    parts = loaded(ran("show", "1", "--ledger", "--variables", "--format", "json"))
    assert parts == {
        "schema_version": 1, "run": 1, "status": "completed",
        "variables": whole["variables"], "ledger": whole["ledger"],
    }  # fmt: skip
    events = loaded(ran("show", "1", "--events", "--format", "json"))["events"]
    with Store.open(ran.store) as store:
        assert events == [json.loads(line) for line in store.event_lines(1)]


@pytest.mark.parametrize(
    ("part", "said"),
    [
        ("--events", "session.complete"),
        ("--variables", "E1  clean"),
        ("--ledger", "700 tokens, all of them for the plan as it was meant."),
        ("--lessons", "v1 step 2 permission"),
        ("--handover", "escalated"),
    ],
)
def test_a_part_as_text(ran: Cli, part: str, said: str) -> None:
    done = ran("show", "2", part)
    assert (done.code, done.err) == (0, "")
    assert said in done.out


def test_a_run_that_was_broken_off_is_shown_as_far_as_it_came(ran: Cli) -> None:
    with Store.open(ran.store, create=True) as store:
        events = list(store.events(1))[:8]
        with store.begin(store.inputs(1), goal="find the price", started=NOW) as run:
            for event in events:
                run.append(event)
    done = ran("show", "4")
    assert (done.code, done.err) == (0, "run 4 was broken off here\n")
    assert "✓ 1" in done.out
    assert loaded(ran("show", "4", "--format", "json"))["reason"] == "interrupted"
    assert loaded(ran("show", "4", "--lessons", "--format", "json"))["status"] == RunStatus.INTERRUPTED


# -- diff -----------------------------------------------------------------------------------------------------------


def test_versions_of_a_run_are_compared(ran: Cli) -> None:
    done = ran("diff", "v1", "v2", "--run", "1")
    assert done.code == 0
    assert done.out.splitlines()[0] == "  v1 → v2 patch, because step 2 failed (assumption): no price"
    assert done.out.splitlines()[-1].strip() == "Plan: 1 revised, 2 kept."
    found = loaded(ran("diff", "1:v1", "1:v2", "--format", "json"))
    assert {name: found[name] for name in ("schema_version", "from", "to", "revised", "added", "removed", "kept")} == {
        "schema_version": 1, "from": "1:v1", "to": "1:v2", "revised": ["2"], "added": [], "removed": [], "kept": 2,
    }  # fmt: skip
    assert ran("diff", "1:v1", "1:v2", "--format", "markdown").out.startswith("### 1:v1 → 1:v2\n")


def test_plan_files_are_compared_with_each_other_and_with_runs(ran: Cli) -> None:
    ran.files({"new.yaml": PLAN.replace("write it up", "write it down")})
    assert ran("diff", "plan.yaml", "new.yaml", "--exit-code").code == 1
    assert loaded(ran("diff", "plan.yaml", "new.yaml", "--format", "json"))["revised"] == ["3"]
    same = ran("diff", "plan.yaml", "v1", "--exit-code", "--format", "json")
    assert (same.code, loaded(same)["changes"]) == (0, [])


def test_what_is_not_there_cannot_be_compared(ran: Cli) -> None:
    missing = Done(2, "", "replanctl: run 1 has no version v3\n  its last one is v2\n")
    assert ran("diff", "v1", "v3", "--run", "1") == missing
    assert ran("diff", "v1", "none.yaml").code == 2
    assert ran("diff", "9:v1", "v1") == Done(
        2, "", "replanctl: there is no run 9 in store\n  replanctl runs lists them\n"
    )


# -- cost -----------------------------------------------------------------------------------------------------------


def test_the_cost_of_a_failure(cli: Cli) -> None:
    assert cli("cost", "--steps", "8", "--fail", "4") == Done(0, """\
  A failure at step 4 of 8: 3 steps done, 1 lesson carried

                carried  re-executed        total      × patch
  retry             200            0          200         0.40
  patch             495            0          495         1.00
  tail              675            0          675         1.36
  global            675          540        1,215         2.45

  done   patch    tail  re-executed  global  × patch
     0     420     780            0     780     1.86  ██████░░░░░
     1     445     745          180     925     2.08  ██████░░░░░░░
     2     470     710          360   1,070     2.28  ███████░░░░░░░░
     3     495     675          540   1,215     2.45  ███████░░░░░░░░░░
     4     520     640          720   1,360     2.62  ███████░░░░░░░░░░░░
     5     545     605          900   1,505     2.76  ████████░░░░░░░░░░░░░
     6     570     570        1,080   1,650     2.89  ████████░░░░░░░░░░░░░░░
     7     595     535        1,260   1,795     3.02  ████████░░░░░░░░░░░░░░░░░
  █ patch   ░ what a global replan takes beyond it
""", "")  # fmt: skip


def totals(done: Done) -> list[int]:
    return [row["total"] for row in loaded(done)["failure"]["rows"]]


def test_coefficients_come_from_a_file_the_line_and_a_run(cli: Cli) -> None:
    cli.files({
        "c.yaml": "step: 100\nretry: 50\n",
        "dear.yaml": "outcomes: [{match: {step: 2}, returns: [rate_limited, {status: ok, tokens: 300}]},"
                     " {match: {}, returns: [{status: ok, tokens: 60}]}]\n",
    })  # fmt: skip
    words = ["cost", "--steps", "8", "--fail", "4", "--format", "json"]
    assert totals(cli(*words)) == [200, 495, 675, 1215]
    assert totals(cli(*words, "--set", "step=85", "--set", "retry=1")) == [1, 545, 800, 1340]
    assert totals(cli(*words, "--coefficients", "c.yaml")) == [50, 575, 875, 1415]
    assert totals(cli(*words, "--coefficients", "c.yaml", "--set", "step=60")) == [50, 495, 675, 1215]
    assert totals(cli(*words, "--lessons", "3")) == [200, 615, 795, 1335]
    assert cli("run", "plan.yaml", "--outcomes", "dear.yaml", "-q").code == 0
    measured = loaded(cli("cost", "--run", "1", "--fail", "3", "--format", "json"))
    assert (measured["steps"], measured["coefficients"]["execution"], measured["coefficients"]["retry"]) == (
        3,
        100,
        300,
    )


def test_a_run_names_its_own_failure(ran: Cli) -> None:
    found = loaded(ran("cost", "--run", "1", "--price", "3.00", "--format", "json"))
    assert (found["steps"], found["failure"]["fail"], found["price"]) == (3, 2, 3.0)
    said = "replanctl: say how many steps there are and which fails\n  replanctl cost --steps 8 --fail 4\n"
    assert ran("cost", "--run", "3") == Done(2, "", said)
    assert "0.001335" in ran("cost", "--run", "1", "--price", "3.00").out


def test_a_run_says_what_its_own_replans_booked(ran: Cli) -> None:
    lines = loaded(ran("show", "1", "--format", "json"))["ledger"]["lines"]
    booked = [line for line in lines if line["kind"] == "replan"]
    found = loaded(ran("cost", "--run", "1", "--format", "json"))
    assert (found["run"], found["replans"]) == (1, booked)
    total = sum(line["booked"] for line in booked)
    assert ran("cost", "--run", "1", "--price", "3.00").out.endswith(
        f"\n  Run 1 booked {total} tokens for 1 replan, {total * 3 / 1e6:.6f} USD in all\n"
        f"    patch of v1 at step 2: {total}, as estimated\n"
    )
    assert ran("cost", "--run", "3", "--fail", "1").out.endswith("\n  Run 3 booked nothing for replans\n")
    unrelated = loaded(ran("cost", "--steps", "3", "--fail", "1", "--format", "json"))
    assert (unrelated["run"], unrelated["replans"]) == (None, None)


def test_an_unknown_coefficient_names_the_nearest(cli: Cli) -> None:
    done = cli("cost", "--set", "stepp=1")
    assert (done.code, done.out) == (2, "")
    assert "Invalid value for '--set': 'stepp=1' is not NAME=TOKENS with one of step" in done.err


# -- validate -------------------------------------------------------------------------------------------------------


def test_everything_wrong_is_listed_at_once(cli: Cli) -> None:
    cli.files({"bad.yaml": "goal: x\nsteps:\n  - {id: 1, tol: look}\n  - {id: 1, tool: look, args: {q: '#E9'}}\n"})
    done = cli("validate", "bad.yaml", "plan.yaml")
    assert done.code == 1
    places = [line.split(": ")[0] for line in done.out.splitlines() if line.startswith("bad.yaml")]
    assert len(places) > 2
    assert done.out.splitlines()[-1].endswith(" in 2 files.")
    found = loaded(cli("validate", "bad.yaml", "--format", "json"))
    assert (found["schema_version"], found["valid"]) == (1, False)
    assert [f"{each['file']}:{each['line']}:{each['column']}" for each in found["problems"]] == places


@pytest.mark.parametrize(
    ("words", "code"),
    [(["plan.yaml"], 0), (["doubtful.yaml"], 0), (["doubtful.yaml", "--strict"], 1), (["none.yaml"], 2), (["."], 0)],
)
def test_what_validate_ends_with(cli: Cli, words: list[str], code: int) -> None:
    cli.files({"doubtful.yaml": PLAN.replace("#E2", "#E9")})
    assert cli("validate", *words).code == code


def test_a_plan_on_standard_input_is_checked(cli: Cli) -> None:
    assert cli("validate", "-", stdin=PLAN) == Done(0, "0 errors and 0 warnings in 1 file.\n", "")
    assert cli("validate", "-", "-q", stdin=PLAN) == Done(0, "", "")


# -- init -----------------------------------------------------------------------------------------------------------


def test_init_writes_an_example_that_runs(cli: Cli) -> None:
    said = "wrote new/plan.yaml and new/plan.outcomes.yaml: try replanctl run new/plan.yaml\n"
    said += (
        "beside them plan.schema.json and outcomes.schema.json: editors complete keys by them, and mark what is wrong\n"
    )
    assert cli("init", "new") == Done(0, "", said)
    assert cli("validate", "new/plan.yaml", "new/plan.outcomes.yaml", "--strict").code == 0
    result = loaded(cli("run", "new/plan.yaml", "--format", "json"))
    assert (result["status"], [route["rule"] for route in result["routes"]]) == ("completed", ["wide-radius"])
    assert any(len(each["attempts"]) > 1 for each in result["history"])


def test_init_overwrites_nothing(cli: Cli) -> None:
    before = Path("plan.yaml").read_text()
    said = "replanctl: plan.yaml is there already, and is left as it is\n  name another folder\n"
    assert cli("init") == Done(2, "", said)
    assert Path("plan.yaml").read_text() == before
    assert not Path("plan.outcomes.yaml").exists()


def test_validate_reads_every_plan_of_a_folder(cli: Cli) -> None:
    bad = "goal: g\nsteps: [{id: 1, tool: t, x: 1}]\n"
    for name, text in {
        "a.yaml": PLAN,
        "a.outcomes.yaml": "outcomes: [{returns: [okay]}]\n",
        "b/c.yml": bad,
        "b/d.json": '{"steps": [], "goal": "g"}',
        "b/policy.yaml": "policy: {mode: hybrid}\n",
        "b/broken.yaml": "goal: 'g\n",
        "compose.yaml": "services:\n  steps:\n    goal: x\n",
        "trace.json": '[{"trace_id": "1", "goal": "g"}]',
        ".git/e.yaml": bad,
    }.items():
        (cli.folder / "plans" / name).parent.mkdir(parents=True, exist_ok=True)
        (cli.folder / "plans" / name).write_text(text, encoding="utf-8")
    done = cli("validate", "plans")
    told = [line.split(" ")[0] for line in done.out.splitlines() if line.startswith("plans/")]
    assert (done.code, told) == (
        1,
        ["plans/a.outcomes.yaml:1:23:", "plans/b/broken.yaml:1:7:", "plans/b/c.yml:2:26:", "plans/b/d.json:1:11:"],
    )
    assert "4 errors and 0 warnings in 5 files" in done.out


def test_validate_of_a_folder_without_plans_says_so(cli: Cli) -> None:
    (cli.folder / "none").mkdir()
    done = cli("validate", "none")
    assert (done.code, done.out) == (2, "")
    assert "there is no plan in the folder none" in done.err
