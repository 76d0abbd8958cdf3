"""Several scripts for one plan: what lies over what, and which files belong together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from replanctl.errors import InputError, UsageError
from replanctl.files import (
    Rehearsal,
    Role,
    Source,
    check_plan,
    load_rehearsal,
    load_rehearsals,
    parse_rehearsal,
    plans_in,
)
from replanctl.kinds import Mode
from tests.files.case import STEPS, found, problems

PLAN = f"""\
{STEPS}outcomes: [{{returns: [ok]}}]
policy: {{mode: auto}}
expect: {{status: completed}}
scenarios:
  sold-out:
    outcomes:
      - {{match: {{step: 1}}, returns: [denied]}}
      - {{returns: [ok]}}
    expect: {{reason: escalated}}
  patient: {{policy: {{mode: rewoo}}}}
  other-goal: {{interruptions: [{{after: 1, goal: h}}]}}
"""


def written(folder: Path, **files: str) -> Path:
    """Files in a folder, `__` in their names for a dot; the plan among them."""
    for name, text in files.items():
        (folder / f"{name.replace('__', '.')}.yaml").write_text(text)
    return folder / "plan.yaml"


def said(rehearsal: Rehearsal) -> tuple[int, Mode, int, Any]:
    """How many outcome rules, the mode, how many goal changes, what is expected."""
    policy = rehearsal.policy
    return len(rehearsal.outcomes), policy.mode, len(rehearsal.interruptions), rehearsal.expect


UNDER: list[tuple[str | None, tuple[int, Mode, int, Any]]] = [
    (None, (1, Mode.AUTO, 0, {"status": "completed"})),
    ("sold-out", (2, Mode.AUTO, 0, {"reason": "escalated"})),
    ("patient", (1, Mode.REWOO, 0, None)),
    ("other-goal", (1, Mode.AUTO, 1, None)),
]


@pytest.mark.parametrize(("name", "expected"), UNDER)
def test_a_scenario_takes_the_place_of_whole_sections(
    tmp_path: Path, name: str | None, expected: tuple[int, Mode, int, Any]
) -> None:
    rehearsal = load_rehearsal(written(tmp_path, plan=PLAN), scenario=name)
    assert said(rehearsal) == expected
    assert rehearsal.scenario == name
    assert rehearsal.scenarios == ("sold-out", "patient", "other-goal")
    assert parse_rehearsal(rehearsal.sources) == rehearsal


def test_what_lies_over_what(tmp_path: Path) -> None:
    """Flags, --outcomes, the scenario, the file beside the plan, the plan."""
    rule = "{returns: [ok]}"
    plan = written(
        tmp_path,
        plan=PLAN,
        plan__outcomes=f"outcomes: [{', '.join([rule] * 3)}]\nexpect: {{replans: 3}}\n",
        given=f"outcomes: [{', '.join([rule] * 4)}]\nexpect: {{replans: 4}}\n",
        policy="policy: {mode: replan}\n",
    )
    assert said(load_rehearsal(plan)) == (3, Mode.AUTO, 0, {"replans": 3})
    assert said(load_rehearsal(plan, scenario="sold-out")) == (2, Mode.AUTO, 0, {"reason": "escalated"})
    assert said(load_rehearsal(plan, scenario="patient")) == (3, Mode.REWOO, 0, None)
    given = load_rehearsal(plan, scenario="patient", outcomes=tmp_path / "given.yaml")
    assert said(given) == (4, Mode.REWOO, 0, {"replans": 4})
    asked = load_rehearsal(plan, scenario="patient", policy=tmp_path / "policy.yaml")
    assert said(asked) == (3, Mode.REPLAN, 0, None)


def test_rules_of_a_scenario_are_named_by_their_own_lines(tmp_path: Path) -> None:
    rehearsal = load_rehearsal(written(tmp_path, plan=PLAN), scenario="sold-out")
    assert [str(rule) for rule in rehearsal.outcomes] == ["the outcome rule in line 11", "the outcome rule in line 12"]


def test_a_file_of_its_own_is_a_scenario_unless_there_is_such_a_plan(tmp_path: Path) -> None:
    rule = "outcomes: [{returns: [ok]}, {returns: [ok]}]\n"
    plan = written(tmp_path, plan=STEPS, plan__late=STEPS, plan__late__outcomes=rule, plan__sold__out__outcomes=rule)
    assert len(load_rehearsal(plan, scenario="sold.out").outcomes) == 2
    assert len(load_rehearsal(tmp_path / "plan.late.yaml").outcomes) == 2
    with pytest.raises(UsageError, match=r"plan.yaml has no scenario late"):
        load_rehearsal(plan, scenario="late")
    assert [path.name for path in plans_in(tmp_path)] == ["plan.late.yaml", "plan.yaml"]


def test_a_scenario_that_is_not_there_is_told_with_the_nearest(tmp_path: Path) -> None:
    plan = written(tmp_path, plan=PLAN, plan__in__stock__outcomes="outcomes: []\n")
    for wrong, near in (("soldout", "did you mean sold-out?"), ("in-stock", "did you mean in.stock?")):
        with pytest.raises(UsageError) as refused:
            load_rehearsal(plan, scenario=wrong)
        assert (str(refused.value), refused.value.hint) == (f"plan.yaml has no scenario {wrong}", near)
    with pytest.raises(UsageError) as refused:
        load_rehearsal(written(tmp_path, bare=STEPS).with_name("bare.yaml"), scenario="late")
    assert refused.value.hint == "scenarios: {NAME: {outcomes: [...]}} makes one"


WRONG = [
    (f"{STEPS}scenarios: []\n", [("wrong-type", 5, 12)]),
    (f"{STEPS}scenarios: {{a: }}\n", [("wrong-type", 5, 16)]),
    (f"{STEPS}scenarios: {{a b: {{}}}}\n", [("bad-name", 5, 13)]),
    (f"{STEPS}scenarios: {{a: {{outcome: []}}}}\n", [("unknown-key", 5, 17)]),
    (f"{STEPS}scenarios: {{a: {{scenarios: {{}}}}}}\n", [("unknown-key", 5, 17)]),
    (
        f"{STEPS}scenarios:\n  a: {{outcomes: [{{returns: [no]}}]}}\n  b: {{policy: {{mode: no}}}}\n",
        [("bad-choice", 6, 29), ("bad-choice", 7, 22)],
    ),
    (
        "goal: g\nsteps: [{id: 1, tool: t, produces: {schema: {}}}]\nscenarios: {a: {outcomes: [{returns: [ok]}]}}\n",
        [("value-required", 3, 39)],
    ),
]


@pytest.mark.parametrize(("text", "expected"), WRONG)
def test_what_is_wrong_in_a_scenario_has_its_place(text: str, expected: list[tuple[str, int, int]]) -> None:
    assert found(text) == expected


DOUBTFUL = f"""\
{STEPS}scenarios:
  a: {{outcomes: [{{match: {{step: 9}}, returns: [ok]}}]}}
  b: {{policy: {{gates: {{max_steps: 1}}}}, expect: {{replan: 1}}}}
"""


def test_a_run_hears_only_of_the_scenario_in_force(tmp_path: Path) -> None:
    plan = written(tmp_path, plan=DOUBTFUL)
    told = {name: [each.rule for each in load_rehearsal(plan, scenario=name).warnings] for name in (None, "a", "b")}
    assert told == {None: [], "a": ["unknown-step"], "b": ["limit-too-small"]}
    checked = [(each.rule, each.line) for each in check_plan(plan)]
    assert checked == [("unknown-step", 6), ("limit-too-small", 7), ("unknown-key", 7)]


def test_steps_of_a_scenarios_draft_are_known_in_it() -> None:
    draft = "planner: [{when: {step: 1}, steps: [{id: n1, tool: t}]}]"
    text = f"{STEPS}scenarios: {{a: {{{draft}, outcomes: [{{match: {{step: n1}}, returns: [ok]}}]}}}}\n"
    assert problems(text) == []


TWICE: list[dict[str, str]] = [
    {"plan": PLAN, "plan__outcomes": "scenarios: {patient: {}}\n"},
    {"plan": PLAN, "plan__patient__outcomes": "outcomes: []\n"},
    {"plan": STEPS, "plan__outcomes": "scenarios: {patient: {}}\n", "plan__patient__outcomes": "outcomes: []\n"},
]


@pytest.mark.parametrize("files", TWICE)
def test_one_name_twice_is_an_error(tmp_path: Path, files: dict[str, str]) -> None:
    plan = written(tmp_path, **files)
    (problem,) = check_plan(plan)
    assert (problem.rule, problem.message[:27]) == ("duplicate-name", "the scenario patient is in ")
    with pytest.raises(InputError, match="the scenario patient is in "):
        load_rehearsal(plan, scenario="patient")


def test_a_file_of_outcomes_may_name_its_plan(tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    plan = written(tmp_path, plan=PLAN)
    file = tmp_path / "tests" / "late.yaml"
    text = "plan: ../plan.yaml\noutcomes: [{returns: [ok]}, {returns: [ok]}]\nscenarios: {late: {expect: {exit: 0}}}\n"
    file.write_text(text)
    assert said(load_rehearsal(file)) == (2, Mode.AUTO, 0, None)
    assert [(each.scenario, each.expect) for each in load_rehearsals(file)] == [(None, None), ("late", {"exit": 0})]
    assert check_plan(file) == []
    file.write_text("plan: ../plan.yaml\noutcomes: [{match: {step: 9}, returns: [ok]}]\n")
    assert [(each.file, each.rule) for each in check_plan(file)] == [(str(file), "unknown-step")]
    plan.unlink()
    (problem,) = check_plan(file)
    # The place is the one where the plan is named: nobody knows the plan's own file yet.
    assert (problem.file, problem.line, problem.column, problem.rule) == (str(file), 1, 7, "unreadable")
    assert problem.message == "the plan ../plan.yaml can't be read: No such file or directory"
    with pytest.raises(InputError, match=r"late\.yaml:1:7: error \[unreadable\] the plan"):
        load_rehearsal(file)


def test_a_file_that_is_named_after_one_plan_names_no_other(tmp_path: Path) -> None:
    plan = written(tmp_path, plan=STEPS, plan__outcomes="plan: other.yaml\noutcomes: []\n")
    assert [(each.rule, each.line, each.column) for each in check_plan(plan)] == [("other-plan", 1, 7)]
    written(tmp_path, plan__outcomes="plan: plan.yaml\noutcomes: []\n")
    assert check_plan(plan) == []


def test_every_script_of_a_plan(tmp_path: Path) -> None:
    plan = written(tmp_path, plan=PLAN, plan__late__outcomes="outcomes: []\nexpect: {replans: 0}\n")
    names = [None, "sold-out", "patient", "other-goal", "late"]
    assert [each.scenario for each in load_rehearsals(plan)] == names
    assert [load_rehearsal(plan, scenario=name) for name in ("late", None)] == [
        next(each for each in load_rehearsals(plan) if each.scenario == name) for name in ("late", None)
    ]
    (alone,) = load_rehearsals(tmp_path / "plan.late.outcomes.yaml")
    assert (alone.scenario, alone.expect) == ("late", {"replans": 0})


def test_standard_input_has_the_scenarios_that_are_in_it() -> None:
    sources = [Source("<stdin>", Role.PLAN, PLAN), Source("patient", Role.SCENARIO, "")]
    assert parse_rehearsal(sources).policy.mode is Mode.REWOO
