"""A replan that changes a great many steps: the screen shows some and counts the rest, `diff` shows all of them."""

from __future__ import annotations

from tests.cli.conftest import Cli

STEPS = "".join(f"  - {{id: {id_}, tool: a}}\n" for id_ in range(1, 102))
PLAN = f"goal: g\nsteps:\n{STEPS}outcomes: [{{match: {{step: 1, version: 1}}, returns: [error]}}]\n"
OTHERS = ", ".join(f"{{id: n{id_}, tool: b}}" for id_ in range(1, 102))
REPLANNED = f"{PLAN}planner: [{{when: {{step: 1}}, steps: [{OTHERS}]}}]\n"


def test_a_screen_folds_what_a_diff_shows(root_cli: Cli) -> None:
    screen = root_cli("run", "-", "--max-steps", "none", stdin=REPLANNED).out.splitlines()
    begin = next(at for at, line in enumerate(screen) if line.startswith("  v2 tail"))
    removed = [line.split() for line in screen[begin : begin + 90] if line.split()[:1] == ["-"]]
    assert [words[1] for words in removed[:40]] == [str(id_) for id_ in range(1, 41)]
    assert removed[40:] == [["-", "61", "more:", "41–101"]]
    assert "               Plan: 101 added, 101 removed, 0 kept." in screen
    shown = root_cli("diff", "v1", "v2").out.splitlines()
    assert sum(line.split()[0] == "-" for line in shown) == 101


def test_steps_listed_again_are_one_line(root_cli: Cli) -> None:
    screen = root_cli("run", "-", stdin=PLAN).out.splitlines()
    assert "               = 2–101  listed again as 102–201, nothing else changed" in screen
    assert "               Plan: 1 revised, 100 listed again, 0 kept." in screen
