"""Keys put into steps: what stands around them stays as it was, byte for byte."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from replanctl.errors import InputError, Problem
from replanctl.files.reader import read
from replanctl.files.rewriting import say_in_steps
from tests.files.case import rehearse

PLANS = sorted((Path(__file__).parents[2] / "plans").rglob("*.yaml"))

# A plan, with `⟪…⟫` around what is put into it.
WRITTEN: dict[str, str] = {
    "block style, with comments all around": """\
# the goal
goal: g
steps:  # all of them
  # the first
  - id: 1  # one
    tool:   look   # lined up
    # what it needs
    args:
      at: a  # here⟪
    on_failure: replan⟫

  # the second
  - id: "2"
    tool: look
    expected_outcome: ~⟪
    on_failure: replan⟫
# the end
policy: {}
""",
    "flow style, broken into lines": """\
goal: g
steps:
  - {id: 1, tool: look, args: {at: a},
     depends_on: []⟪, on_failure: replan⟫}  # one
  - {id: 2,
     tool: look⟪, on_failure: replan⟫  # no comma, then a comment
    }
  - {id: 3, tool: look⟪, on_failure: replan⟫,}
""",
    "said before": """\
goal: g
steps:
  - {id: 1, tool: look, on_failure: skip}
  - id: 2
    on_failure: defer
    tool: look
""",
    "no room behind the last value": """\
goal: g
steps:
  - id: 1
    tool: look⟪
    on_failure: replan⟫
    action: |
      look it up

      at once

  - id: 2
    action: >-
      look it
      up
    tool: look⟪
    on_failure: replan⟫
""",
    "values in many lines": """\
goal: g
steps:
- id: 1
  tool: look
  action: look it
    up⟪
  on_failure: replan⟫
- id: 2
  tool: look
  expected_outcome: "a
    price"⟪
  on_failure: replan⟫
- id: 3
  tool: look
  depends_on:
  - 1
  - 2  # both⟪
  on_failure: replan⟫
- tool: look
  id: 4
  expected_outcome:⟪
  on_failure: replan⟫
""",
    "anchors, aliases, a step below its dash, a question mark": """\
goal: g
steps:
  -
    id: 1
    tool: look
    args: &at {at: a}⟪
    on_failure: replan⟫
  - &two
    id: 2
    tool: look
    args: *at⟪
    on_failure: replan⟫
  - ? id
    : 3
    tool: look⟪
    on_failure: replan⟫
""",
    "JSON": '{"goal": "g", "steps": [{"id": 1, "tool": "look", "args": {"at": "a"}⟪, "on_failure": "replan"⟫}]}\n',
    "no break at the end": "goal: g\nsteps:\n  - id: 1\n    tool: look⟪\n    on_failure: replan⟫",
    "in one line": "{goal: g, steps: [{id: 1, tool: look⟪, on_failure: replan⟫}]}",
    "Windows breaks": "goal: g\r\nsteps:\r\n  - id: 1\r\n    tool: look  # x⟪\r\n    on_failure: replan⟫\r\n",
    "wide characters": "goal: 比较\nsteps:\n  - id: 1\n    tool: 查价⟪\n    on_failure: replan⟫\n",
}  # fmt: skip


# A step that says null, and the same with a word for it.
NULLS = {
    "- {id: 1, on_failure: ~, tool: look}": "- {id: 1, on_failure: replan, tool: look}",
    "- {id: 1, on_failure: , tool: look}": "- {id: 1, on_failure: replan, tool: look}",
    "- {id: 1, tool: look, on_failure: }": "- {id: 1, tool: look, on_failure: replan}",
    "- id: 1\n  tool: look\n  on_failure: null  # open": "- id: 1\n  tool: look\n  on_failure: replan  # open",
    "- id: 1\n  on_failure:  # open\n  tool: look": "- id: 1\n  on_failure: replan  # open\n  tool: look",
}


@pytest.mark.parametrize("marked", WRITTEN.values(), ids=WRITTEN)
def test_only_the_key_is_put_in(marked: str) -> None:
    before, after = re.sub("⟪.*?⟫", "", marked, flags=re.DOTALL), re.sub("[⟪⟫]", "", marked)
    rehearse(before)  # sound
    values = {str(n): "replan" for n in range(1, 5)}
    assert say_in_steps("plan.yaml", before, "on_failure", values) == after
    assert say_in_steps("plan.yaml", after, "on_failure", values) == after


@pytest.mark.parametrize(("before", "after"), NULLS.items())
def test_a_null_is_replaced(before: str, after: str) -> None:
    head = "goal: g\nsteps:\n"
    rehearse(head + before)
    assert say_in_steps("plan.yaml", head + before, "on_failure", {"1": "replan"}) == head + after


def test_only_the_named_steps_say_it() -> None:
    text = "goal: g\nsteps:\n  - {id: 1, tool: t}\n  - {id: 2, tool: t}\n"
    said = text.replace("2, tool: t", "2, tool: t, on_failure: defer")
    assert say_in_steps("plan.yaml", text, "on_failure", {"2": "defer", "9": "skip"}) == said


@pytest.mark.parametrize("path", PLANS, ids=lambda path: path.stem)
def test_every_example_loads_to_the_same_but_for_the_key(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    value = read(path.name, text).value
    if "steps" not in value:
        return
    steps = {str(step["id"]): step for step in value["steps"]}
    said = say_in_steps(path.name, text, "on_failure", dict.fromkeys(steps, "defer"))
    for step in steps.values():
        step["on_failure"] = step.get("on_failure") or "defer"
    assert read(path.name, said).value == value


def test_a_file_without_room_is_left_alone() -> None:
    text = "goal: g\nsteps:\n  - id: |-\n      1\n    tool: |-\n      t\n"
    with pytest.raises(InputError) as caught:
        say_in_steps("plan.yaml", text, "on_failure", {"1": "replan"})
    message = "on_failure can't be put into these steps: add it by hand"
    assert caught.value.problems == (Problem("plan.yaml", 0, 0, "no-room", message),)


def test_escapes_in_pairs_stay_as_they_are_written() -> None:
    pair = r'"\ud83d\ude00"'
    text = f'{{"goal": {pair}, "steps": [{{"id": "1", "tool": {pair}}}, {{"id": "2", "tool": {pair}}}]}}'
    assert say_in_steps("plan.json", text, "on_failure", {"1": "defer", "2": "skip"}) == text.replace(
        f'"tool": {pair}}}, ', f'"tool": {pair}, "on_failure": "defer"}}, '
    ).replace(f'"tool": {pair}}}]', f'"tool": {pair}, "on_failure": "skip"}}]')
