"""`run --fault`: an outcome before the script, which the stored run keeps."""

from __future__ import annotations

import json

import pytest

from tests.cli.conftest import Cli


def routed(cli: Cli, *words: str) -> list[tuple[str, str]]:
    result = json.loads(cli("run", "plan.yaml", "--format", "json", *words).out)
    return [(route["step_id"], route["error_type"]) for route in result["routes"]]


def test_it_comes_before_the_script_which_then_goes_on(cli: Cli) -> None:
    assert routed(cli, "--outcomes", "shape.yaml", "--fault", "2=empty") == [("2", "assumption"), ("2", "assumption")]
    assert routed(cli, "--fault", "2=error", "--fault=1=denied:always") == [("1", "permission")]


def test_replay_and_resume_have_it(cli: Cli) -> None:
    assert cli("run", "plan.yaml", "-q", "--fault", "2=shape:always").code == 1
    assert cli("replay").code == 0
    assert cli("resume", "--per-step", "+1", "-q").code == 1  # it goes on for ever
    assert json.loads(cli("show", "--format", "json").out)["gates"][-1]["reading"] == 4
    assert cli("replay").code == 0


def test_new_outcomes_at_a_resume_put_it_away(cli: Cli) -> None:
    cli("run", "plan.yaml", "-q", "--fault", "2=shape:always")
    cli.files({"fine.yaml": "outcomes: [{match: {step: 2}, returns: [ok]}]\n"})
    assert cli("resume", "--per-step", "+1", "--outcomes", "fine.yaml", "-q").code == 0
    assert cli("replay").code == 0


def test_one_that_meets_no_call_is_told(cli: Cli) -> None:
    result = json.loads(cli("run", "plan.yaml", "--format", "json", "--fault", "3=lost", "--fault", "2=denied").out)
    assert result["warnings"] == ["the fault 3=lost was never used"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--fault", "12=shape"], "replanctl: --fault 12=shape: v1 has no step 12\n  did you mean 2? a fault names"),
        (["--fault", "2=shap"], "replanctl: Invalid value for '--fault': shap is no status of a fault: "),
        (["--fault", "2=ok", "--tools", "a:b"], "replanctl: Invalid value for '--fault': ok is no status"),
        (["--fault", "2=shape", "--tools", "a:b"], "replanctl: --tools and --fault exclude each other\n"),
    ],
)
def test_what_is_no_fault_is_said_before_anything_runs(cli: Cli, words: list[str], said: str) -> None:
    done = cli("run", "plan.yaml", *words)
    assert (done.code, done.err[: len(said)]) == (2, said)
    assert not cli.store.exists()


@pytest.mark.parametrize("always", ["", ":always"])
def test_a_step_of_a_later_version_takes_a_rule_which_the_refusal_writes(cli: Cli, always: str) -> None:
    """What is refused as a fault works as the rule that is offered instead."""
    done = cli("run", "plan.yaml", "--fault", f"4=denied{always}")
    returns = "[denied]" if always else "[denied, ok]"
    assert done.err == (
        f"replanctl: --fault 4=denied{always}: v1 has no step 4\n  a fault names a step of v1: for one that a replan "
        f"brings, write into an outcomes file {{match: {{step: 4}}, returns: {returns}}}\n"
    )
    rule = done.err.rpartition("file ")[2].strip()
    tail = "{match: {step: 2}, returns: [semantic, ok]}"
    cli.files({"later.yaml": f"outcomes:\n  - {rule}\n  - {tail}\n"})
    result = json.loads(cli("run", "plan.yaml", "--outcomes", "later.yaml", "--format", "json").out)
    assert [signal["step_id"] for signal in result["signals"]] == ["2", "4"]
    assert result["reason"] == "escalated"
    assert not any("never used" in warning for warning in result["warnings"])
