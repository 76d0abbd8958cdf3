"""`import` as a user types it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Cli
from tests.traces.making import run

FAILING = run(
    ("look", {"at": "page"}, {"id": "AB-1001"}),
    ("pay", {"id": "AB-1001"}, "Error: no money"),
    ("pay", {"id": "AB-1001", "later": True}, "paid"),
)


@pytest.fixture
def runs(cli: Cli) -> Cli:
    texts = [json.dumps({**FAILING, "id": name, "reward": reward}) for name, reward in (("one", 1), ("a/../b", 0))]
    cli.files({"runs.jsonl": "\n".join(texts), "empty.json": json.dumps({"messages": FAILING["messages"][:1]})})
    return cli


def test_one_file_a_trace_and_a_report(runs: Cli) -> None:
    done = runs("import", "runs.jsonl", "-o", "out/deep")
    assert (done.code, done.err) == (0, "")
    assert sorted(path.name for path in Path("out/deep").iterdir()) == ["a-b.yaml", "one.yaml"]
    assert done.out == (
        "  ✓ one  messages · 3 calls · 3 steps · 2 bound · 1 error ·\n"
        "    2 versions, v1 has 2 steps (2 with --plan whole)\n"
        "  ✓ a-b  messages · 3 calls · 3 steps · 2 bound · 1 error ·\n"
        "    2 versions, v1 has 2 steps (2 with --plan whole)\n"
        "\n"
        "  2 traces: 2 rehearsals\n"
        "  6 calls · 6 steps · 2 error · 4 ok · 2 replans · 4 values bound\n"
        "  2 of 2 make the same calls with the same args in the same order as recorded.\n"
        "  What flowed from call to call is inferred from equal values.\n"
        "  The files hold the recordings' values, which may be other people's data:\n"
        "  --values shape or hash.\n"
        "  Next: replanctl run out/deep/one.yaml\n"
    )


def test_what_was_written_is_valid_runs_and_tests(runs: Cli) -> None:
    runs("import", "runs.jsonl", "--solved", "/reward=1")
    assert runs("validate", "one.yaml", "a-b.yaml", "--strict").code == 0
    done = runs("run", "one.yaml")
    assert done.code == 0
    assert "  recorded run one (messages, runs.jsonl): 3 calls, completed, solved\n" in done.out
    assert "recorded run one (messages, runs.jsonl): 3 calls, completed, solved\n" in runs("show").out
    assert "not solved" in runs("run", "a-b.yaml").out


def test_a_recorded_end_is_what_a_test_expects(runs: Cli, capfd: pytest.CaptureFixture[str]) -> None:
    runs("import", "runs.jsonl")
    text = Path("one.yaml").read_text()
    Path("one.yaml").write_text(text[: text.index("expect:")])
    assert runs("test", "one.yaml").code == 0
    Path("one.yaml").write_text(text[: text.index("expect:")].replace("end: completed", "end: failed"))
    assert runs("test", ".").code == 1
    assert "status: expected " in capfd.readouterr().out


def test_files_that_are_there_stay_without_force(runs: Cli) -> None:
    Path("one.yaml").write_text("mine")
    done = runs("import", "runs.jsonl")
    assert done.code == 1
    assert "one.yaml exists" in done.out
    assert Path("one.yaml").read_text() == "mine"
    assert runs("import", "runs.jsonl", "--force").code == 0
    assert Path("one.yaml").read_text() != "mine"


def test_what_is_read_is_never_written_to(cli: Cli) -> None:
    cli.files({"plan.yaml": "Plan: look. #E1 = Look[it]"})
    done = cli("import", "plan.yaml", "--force")
    assert (done.code, "plan.yaml would overwrite plan.yaml, which is read" in done.out) == (2, True)
    assert Path("plan.yaml").read_text() == "Plan: look. #E1 = Look[it]"


def test_exit_codes(runs: Cli) -> None:
    assert runs("import", "empty.json").code == 2
    assert runs("import", "runs.jsonl", "empty.json").code == 1
    assert runs("import", "nothing.json").code == 2
    assert runs("import", "runs.jsonl", "--force", "--select", "one").code == 0
    done = runs("import", "runs.jsonl", "--force", "--select", "three")
    assert (done.code, done.err.splitlines()[0]) == (2, "replanctl: no trace has the id three")
    assert runs("import", "runs.jsonl", "--from", "otl").code == 2
    assert runs("import", "runs.jsonl", "--solved", "reward").code == 2
    assert runs("import", "runs.jsonl", "-o", "runs.jsonl").code == 2


def test_names_are_numbered_across_files(runs: Cli) -> None:
    Path("more.jsonl").write_text(Path("runs.jsonl").read_text())
    runs("import", "runs.jsonl", "more.jsonl")
    assert sorted(path.name for path in Path().glob("*b*.yaml")) == ["a-b-2.yaml", "a-b.yaml"]


def test_standard_input_is_read(runs: Cli) -> None:
    done = runs("import", "-", "--select", "one", stdin=Path("runs.jsonl").read_text())
    assert done.code == 0
    assert "source: stdin" in Path("one.yaml").read_text()


def test_the_report_as_json(runs: Cli) -> None:
    done = runs("import", "runs.jsonl", "empty.json", "--format", "json")
    document = json.loads(done.out)
    assert document["totals"] == {
        "traces": 3, "imported": 2, "refused": 1, "calls": 6, "steps": 6, "attempts": 6, "bound": 4,
        "statuses": {"error": 2, "ok": 4}, "checked": 2, "faithful": 2, "replans": 2,
    }  # fmt: skip
    assert [trace["file"] for trace in document["traces"]] == ["one.yaml", "a-b.yaml", None]
    assert document["traces"][2]["refused"] == "it holds no finished tool call"


def test_rules_come_from_a_file(runs: Cli) -> None:
    runs.files({"rules.yaml": "- {when: {tool: look, path: id, equals: AB-1001}, status: empty}\n"})
    done = runs("import", "runs.jsonl", "--classify", "rules.yaml", "--select", "one", "--format", "json")
    assert json.loads(done.out)["totals"]["statuses"] == {"empty": 1, "error": 1, "ok": 1}


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        ("- {when: {tol: look}, status: empty}\n", "tol is not known here"),
        ("- {when: {tool: look}, status: emty}\n", "expected one of ok,"),
        ("- {when: {path: '..'}, status: empty}\n", "no path into an answer"),
        ("- {when: {tool: look}}\n", "status is missing"),
        ("rules\n", "expected a list"),
    ],
)
def test_bad_rules_are_named_with_their_place(rules: str, said: str, runs: Cli) -> None:
    runs.files({"rules.yaml": rules})
    done = runs("import", "runs.jsonl", "--classify", "rules.yaml")
    assert done.code == 2
    assert "rules.yaml:1:" in done.err
    assert said in done.err


def test_foreign_text_stays_text(cli: Cli) -> None:
    hostile = run(("\x1b[31mred\u202e", {"a": "[bold]x[/bold]\x07"}, "\x1b]0;title\x07"), id="\x1b[2J")
    cli.files({"runs.json": json.dumps(hostile)})
    done = cli("import", "runs.json")
    assert done.code == 0
    assert not {"\x1b", "\x07", "\u202e"} & set(done.out)
    (made,) = (path for path in Path().glob("*.yaml") if "recorded:" in path.read_text())
    assert made.name == "2J.yaml"
    assert not {"\x1b", "\x07", "\x9b"} & set(made.read_text())
    assert not {"\x1b", "\x07", "\u202e"} & set(cli("run", made).out)


NOWHERE = "--solved /nothing: no trace has a value there, so that it is not known whether they were solved."


def test_a_pointer_that_is_nowhere_is_told(runs: Cli) -> None:
    text = runs("import", "runs.jsonl", "--solved", "/nothing=1", "-o", "text")
    assert NOWHERE in " ".join(text.out.split())
    assert NOWHERE in " ".join(runs("import", "runs.jsonl", "--solved", "/nothing=1", "-o", "brief", "-q").out.split())
    as_json = runs("import", "runs.jsonl", "--solved", "/nothing=1", "-o", "json", "--format", "json")
    assert as_json.err == f"{NOWHERE}\n"
    assert [trace["solved"] for trace in json.loads(as_json.out)["traces"]] == [None, None]


@pytest.mark.parametrize("more", [[], ["--solved", "/reward=1"]])
def test_a_pointer_that_is_everywhere_is_not_told(runs: Cli, more: list[str]) -> None:
    assert "--solved" not in runs("import", "runs.jsonl", *more).out


def test_a_pointer_that_some_traces_lack_is_told_with_their_number(runs: Cli) -> None:
    runs.files(
        {"some.jsonl": "\n".join([json.dumps({**FAILING, "id": "x", "won": 1}), json.dumps({**FAILING, "id": "y"})])}
    )
    said = " ".join(runs("import", "some.jsonl", "--solved", "/won=1").out.split())
    assert "--solved /won: 1 of 2 traces do not have a value there" in said
