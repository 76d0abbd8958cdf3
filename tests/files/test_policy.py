"""The policy section and its file."""

from __future__ import annotations

import pytest

from replanctl.cost import Coefficients
from replanctl.plan.model import Granularity
from replanctl.replan.gates import GateLimits, Preset
from replanctl.replan.lessons import Evict, LessonPolicy
from replanctl.replan.routing import Radius, RouteRule, RouteWhen, RoutingPolicy
from replanctl.replan.signal import ErrorType
from replanctl.run.policy import Mode, Policy, RetryPolicy, SolverPolicy
from tests.files.case import STEPS, found, rehearse

WHOLE = """\
policy:
  mode: auto
  max_parallel: 4
  retry: {max_attempts: 1, backoff: 250ms, factor: 1, max_backoff: 1h}
  routing:
    patch_radius: 0
    radius: direct
    overrides: {"1": tail, "2": none}
    rules:
    - {name: mine, when: {error_type: semantic, step: 2, tool: t, min_radius: 1, max_radius: 3}, granularity: patch}
    - {name: rest, granularity: global}
  gates: {preset: anchored, per_step: 0, max_replans: 2, max_replan_tokens: null, max_steps: null, max_tool_calls: 7,
    max_tokens: 9, max_seconds: 2m, max_repeat: null}
  lessons: {max: null, evict: by_type}
  solver: {require: [E1, E2], min_evidence: 0}
  coefficients: {prompt: 1, goal: 2, done_line: 3, failure: 4, lesson: 5, step: 6, execution: 7, retry: 8}
"""

POLICY = Policy(
    Mode.AUTO,
    4,
    RetryPolicy(1, 0.25, 1.0, 3600.0),
    RoutingPolicy(
        0,
        Radius.DIRECT,
        {"1": Granularity.TAIL, "2": Granularity.NONE},
        (
            RouteRule("mine", Granularity.PATCH, RouteWhen(ErrorType.SEMANTIC, "2", "t", 1, 3)),
            RouteRule("rest", Granularity.GLOBAL),
        ),
    ),
    GateLimits(Preset.ANCHORED, 0, 2, None, None, 7, 9, 120.0, None),
    LessonPolicy(None, Evict.BY_TYPE),
    SolverPolicy(("E1", "E2"), 0),
    Coefficients(1, 2, 3, 4, 5, 6, 7, 8),
)


def test_everything_a_policy_may_say() -> None:
    assert rehearse(STEPS + WHOLE).policy == POLICY


def test_nothing_said_is_the_default() -> None:
    assert rehearse(STEPS).policy == rehearse(STEPS + "policy: {}\n").policy == Policy()


def test_a_policy_file_replaces_the_plans_own() -> None:
    text = STEPS + "policy: {mode: rewoo, max_parallel: 3}\n"
    assert rehearse(text, policy="policy: {mode: auto}\n").policy == Policy(Mode.AUTO)


# The place is what the file says there.
WRONG: list[tuple[str, str, str]] = [
    ("policy: []", "wrong-type", "[]"),
    ("policy: null", "wrong-type", "null"),
    ("policy: {mod: auto}", "unknown-key", "mod"),
    ("policy: {mode: Auto}", "bad-choice", "Auto"),
    ("policy: {max_parallel: 0}", "bad-number", "0"),
    ("policy: {max_parallel: null}", "bad-number", "null"),
    ("policy: {max_parallel: 1.0}", "bad-number", "1.0"),
    ("policy: {retry: {max_attempts: 0}}", "bad-number", "0"),
    ("policy: {retry: {max_attempts: null}}", "bad-number", "null"),
    ("policy: {retry: {max_attempts: 1001}}", "bad-number", "1001"),
    ("policy: {retry: {max_attempts: true}}", "bad-number", "true"),
    ("policy: {retry: {backoff: 1x}}", "bad-duration", "1x"),
    ("policy: {retry: {backoff: -1}}", "bad-duration", "-1"),
    ("policy: {retry: {backoff: '1'}}", "bad-duration", "'1'"),
    ("policy: {retry: {backoff: true}}", "bad-duration", "true"),
    ("policy: {retry: {backoff: .inf}}", "bad-duration", ".inf"),
    ("policy: {retry: {backoff: .nan}}", "bad-duration", ".nan"),
    ("policy: {retry: {backoff: -1s}}", "bad-duration", "-1s"),
    ("policy: {retry: {backoff: null}}", "bad-duration", "null"),
    ("policy: {retry: {max_backoff: 1000000001}}", "bad-duration", "1000000001"),
    ("policy: {retry: {max_backoff: 277778h}}", "bad-duration", "277778h"),
    ("policy: {retry: {max_backoff: 1e308}}", "bad-duration", "1e308"),
    ("policy: {coefficients: {step: 1000000001}}", "bad-number", "1000000001"),
    ("policy: {retry: {factor: 2s}}", "bad-number", "2s"),
    ("policy: {retry: {factor: -1}}", "bad-number", "-1"),
    ("policy: {retry: {attempts: 1}}", "unknown-key", "attempts"),
    ("policy: {routing: {force: tail}}", "unknown-key", "force"),
    ("policy: {routing: {patch_radius: -1}}", "bad-number", "-1"),
    ("policy: {routing: {patch_radius: null}}", "bad-number", "null"),
    ("policy: {routing: {radius: half}}", "bad-choice", "half"),
    ("policy: {routing: {overrides: {'1': deep}}}", "bad-choice", "deep"),
    ("policy: {routing: {overrides: {1: tail}}}", "non-text-key", "1"),
    ("policy: {routing: {overrides: {'a b': tail}}}", "bad-id", "'a b'"),
    ("policy: {routing: {rules: [{name: a}]}}", "missing-key", "{name: a}"),
    ("policy: {routing: {rules: [{granularity: tail}]}}", "missing-key", "{granularity"),
    ("policy: {routing: {rules: [{name: a, granularity: tail, when: {type: x}}]}}", "unknown-key", "type"),
    ("policy: {routing: {rules: [{name: a, granularity: tail, when: {error_type: x}}]}}", "bad-choice", "x"),
    (
        "policy: {routing: {rules: [{name: a, granularity: tail, when: {error_type: goal-changed}}]}}",
        "bad-choice",
        "goal",
    ),
    (
        "policy: {routing: {rules: [{name: a, granularity: tail, when: {min_radius: 3, max_radius: 2}}]}}",
        "bad-range",
        "2",
    ),
    (
        "policy: {routing: {rules: [{name: a, granularity: tail}, {granularity: tail, name: a }]}}",
        "duplicate-name",
        "a }",
    ),
    ("policy: {routing: {rules: [{name: small-radius, granularity: tail}]}}", "duplicate-name", "small-radius"),
    ("policy: {gates: {max_replans: null}}", "bad-number", "null"),
    ("policy: {gates: {max_replans: -1}}", "bad-number", "-1"),
    ("policy: {gates: {per_step: true}}", "bad-limit", "true"),
    ("policy: {gates: {per_step: 1.5}}", "bad-limit", "1.5"),
    ("policy: {gates: {max_steps: none}}", "bad-limit", "none"),
    ("policy: {gates: {max_steps: .nan}}", "bad-limit", ".nan"),
    ("policy: {gates: {max_steps: '12'}}", "bad-limit", "'12'"),
    ("policy: {gates: {max_replan_tokens: .inf}}", "bad-limit", ".inf"),
    ("policy: {gates: {max_tool_calls: -1}}", "bad-limit", "-1"),
    ("policy: {gates: {max_seconds: soon}}", "bad-duration", "soon"),
    ("policy: {gates: {max_repeat: 0}}", "bad-limit", "0"),
    ("policy: {gates: {preset: anchord}}", "bad-choice", "anchord"),
    ("policy: {gates: {step_breaker: 3}}", "unknown-key", "step_breaker"),
    ("policy: {lessons: {max: -1}}", "bad-limit", "-1"),
    ("policy: {lessons: {evict: newest}}", "bad-choice", "newest"),
    ("policy: {solver: {require: E1}}", "wrong-type", "E1"),
    ("policy: {solver: {require: ['1']}}", "bad-variable", "'1'"),
    ("policy: {solver: {require: [1]}}", "bad-variable", "1"),
    ("policy: {solver: {min_evidence: null}}", "bad-number", "null"),
    ("policy: {coefficients: {step: -1}}", "bad-number", "-1"),
    ("policy: {coefficients: {step: 1.5}}", "bad-number", "1.5"),
    ("policy: {coefficients: {steps: 1}}", "unknown-key", "steps"),
]


@pytest.mark.parametrize(("line", "rule", "at"), WRONG)
def test_what_is_wrong_with_a_policy(line: str, rule: str, at: str) -> None:
    ((got, row, column),) = found(STEPS + line + "\n")
    assert (got, row) == (rule, 5)
    assert line[column - 1 :].startswith(at)


DOUBTFUL: list[tuple[str, str]] = [
    ("policy: {routing: {overrides: {'9': tail}}}", "'9'"),
    ("policy: {routing: {rules: [{name: a, granularity: tail, when: {step: 9}}]}}", "9"),
    ("policy: {solver: {require: [E9]}}", "E9"),
]


@pytest.mark.parametrize(("line", "at"), DOUBTFUL)
def test_a_step_that_no_plan_has_yet_is_a_warning(line: str, at: str) -> None:
    (warning,) = rehearse(STEPS + line + "\n").warnings
    assert (warning.rule, warning.severity, warning.line) == ("unknown-step", "warning", 5)
    assert line[warning.column - 1 :].startswith(at)


def test_names_in_a_policy_file_are_held_against_the_plan() -> None:
    policy = "policy: {routing: {rules: [{name: a, granularity: tail, when: {tool: u, step: 9}}]}}\n"
    assert found("tools: {t: {}}\n" + STEPS, policy=policy) == [("unknown-tool", 1, 70), ("unknown-step", 1, 79)]


DURATIONS = [("0", 0.0), ("30", 30.0), ("1.5", 1.5), ("250ms", 0.25), ("0.1s", 0.1), ("1.1m", 66.0), ("24h", 86400.0)]


@pytest.mark.parametrize(("written", "seconds"), DURATIONS)
def test_durations(written: str, seconds: float) -> None:
    assert rehearse(f"{STEPS}policy: {{gates: {{max_seconds: {written}}}}}\n").policy.gates.max_seconds == seconds
