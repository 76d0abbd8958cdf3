"""`graph`: which steps are drawn, and how they are written."""

from __future__ import annotations

import pytest

from tests.cli.conftest import PLAN, Cli, Done

MERMAID = """\
flowchart TD
  n0["1<br/>look"]
  n1["2<br/>look"]
  n2["3<br/>write it up<br/>write"]
  n0 --> n1
  n1 --> n2
"""


@pytest.fixture
def ran(cli: Cli) -> Cli:
    """Run 1 was replanned, run 2 was handed over."""
    assert cli("run", "plan.yaml", "--outcomes", "shape.yaml", "--granularity", "tail", "-q").code == 0
    assert cli("run", "plan.yaml", "--outcomes", "denied.yaml", "-q").code == 1
    return cli


def test_a_plan_is_drawn(cli: Cli) -> None:
    assert cli("graph", "plan.yaml") == Done(0, MERMAID, "")
    assert cli("graph", "plan.yaml", "--format", "mermaid") == Done(0, MERMAID, "")
    assert cli("graph", "-", stdin=PLAN) == Done(0, MERMAID, "")
    assert cli("graph", "plan.yaml", "--format", "dot").out.startswith("digraph plan {\n")
    assert cli("graph", "plan.yaml", "--format", "text") == Done(0, """\
  find the price
  3 steps on 3 levels

  1   1  look                                  look
  2   2  look                                  look   after 1
  3   3  write it up                           write  after 2
""", "")  # fmt: skip


@pytest.mark.parametrize(("what", "from_", "ids"), [
    ("1", "run 1 · v2 ·", "1 2 4"), ("1:v1", "run 1 · v1 ·", "1 2 3"), ("v1", "run 2 · v1 ·", "1 2 3"),
    ("2", "run 2 · v1 ·", "1 2 3"),
])  # fmt: skip
def test_a_version_of_a_run_is_drawn(ran: Cli, what: str, from_: str, ids: str) -> None:
    done = ran("graph", what, "--format", "text")
    _, origin, _, _, *rows = done.out.splitlines()
    assert (done.code, origin[2:].startswith(from_), " ".join(row[6] for row in rows)) == (0, True, ids)


def test_a_run_has_states(ran: Cli) -> None:
    assert ran("graph", "2", "--format", "text") == Done(0, """\
  find the price
  run 2 · v1 · 3 steps on 3 levels
  ✓ 1 done  ✗ 1 failed  ○ 1 skipped

  1 ✓ 1  look                                  look
  2 ✗ 2  look                                  look   after 1
  3 ○ 3  write it up                           write  after 2
""", "")  # fmt: skip


@pytest.mark.parametrize(("what", "said"), {
    "v9": "replanctl: run 2 has no version v9\n  its last one is v1\n",
    "9": "replanctl: there is no run 9 in store\n  replanctl runs lists them\n",
    "none.yaml": "none.yaml: error [unreadable] can't be read: No such file or directory\n"
    "    hint: check that the path is right and that you may use it\n",
}.items())  # fmt: skip
def test_what_is_not_there(ran: Cli, what: str, said: str) -> None:
    assert ran("graph", what) == Done(2, "", said)
