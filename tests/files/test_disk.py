"""Files that can't be read or written, and which files make a rehearsal."""

from __future__ import annotations

import io
import os
import stat
import sys
from pathlib import Path

import pytest

from replanctl.errors import InputError
from replanctl.files import (
    Role,
    Source,
    check_plan,
    load_coefficients,
    load_plan,
    load_rehearsal,
    parse_rehearsal,
    plans_in,
    write_text,
)
from replanctl.run.interruptions import Interruption
from tests.files.case import STEPS

OUTCOMES = "outcomes:\n- returns: [error]\n"


def refusal(path: Path | str) -> tuple[str, int, int, str]:
    """The one problem of a file that can't be loaded."""
    with pytest.raises(InputError) as refused:
        load_plan(path)
    (problem,) = refused.value.problems
    assert problem.file == str(path)
    return problem.rule, problem.line, problem.column, problem.message


BYTES: list[tuple[bytes, tuple[str, int, int, str]]] = [
    (b"goal: caf\xe9\n", ("not-utf8", 1, 10, "the byte 0xE9 is not UTF-8")),
    ("é: 1\nb: ".encode() + b"\xff\n", ("not-utf8", 2, 4, "the byte 0xFF is not UTF-8")),
    (b"goal: \xed\xa0\x80\n", ("not-utf8", 1, 7, "the byte 0xED is not UTF-8")),
    ("goal: g\n".encode("utf-16"), ("not-utf8", 1, 1, "this is UTF-16")),
    ("goal: g\n".encode("utf-16-be"), ("not-utf8", 1, 1, "this is UTF-16")),
    ("goal: g\n".encode("utf-16-le"), ("not-utf8", 1, 1, "this is UTF-16")),
    (b"goal: \0\n", ("control-character", 1, 7, "the character U+0000 is not allowed")),
]


@pytest.mark.parametrize(("data", "expected"), BYTES)
def test_what_is_not_utf8_is_refused(tmp_path: Path, data: bytes, expected: tuple[str, int, int, str]) -> None:
    path = tmp_path / "plan.yaml"
    path.write_bytes(data)
    assert refusal(path) == expected


def test_a_byte_order_mark_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "plan.yaml"
    path.write_bytes(b"\xef\xbb\xbf" + STEPS.encode() + b"x: 1\n")
    assert refusal(path)[:3] == ("unknown-key", 5, 1)


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "large").write_bytes(b"")
    os.truncate(tmp_path / "large", 64 * 1024 * 1024 + 1)
    assert refusal(tmp_path) == ("not-a-file", 0, 0, "this is a folder")
    assert refusal(tmp_path / "fifo") == ("not-a-file", 0, 0, "this is not a regular file")
    assert refusal(tmp_path / "none") == ("unreadable", 0, 0, "can't be read: No such file or directory")
    assert refusal(tmp_path / "large") == ("too-large", 0, 0, "larger than 64 MB")
    assert refusal("a\0b") == ("unreadable", 0, 0, "can't be read: there is a NUL in its name")
    assert refusal("/dev/null") == ("not-a-file", 0, 0, "this is not a regular file")


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs a file that is longer than it says")
def test_a_file_that_changes_under_the_reader_is_refused() -> None:
    assert refusal("/proc/self/status") == ("changed", 0, 0, "the file changed while it was read")


@pytest.mark.skipif(os.geteuid() == 0, reason="file modes don't stop root")
def test_a_file_without_rights_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "plan.yaml"
    path.write_text(STEPS)
    path.chmod(0)
    assert refusal(path) == ("unreadable", 0, 0, "can't be read: Permission denied")


def test_every_file_that_is_missing_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError) as refused:
        load_rehearsal(tmp_path / "a.yaml", outcomes=tmp_path / "b.yaml", policy=tmp_path / "c.yaml")
    assert [(Path(p.file).name, p.rule) for p in refused.value.problems] == [
        ("a.yaml", "unreadable"),
        ("b.yaml", "unreadable"),
        ("c.yaml", "unreadable"),
    ]


def test_problems_of_all_files_are_told_at_once(tmp_path: Path) -> None:
    for name, text in (("plan.yaml", "goal: g\n"), ("o.yaml", "outcome: []\n"), ("p.yaml", "policy: {mode: x}\n")):
        (tmp_path / name).write_text(text)
    with pytest.raises(InputError) as refused:
        load_rehearsal(tmp_path / "plan.yaml", outcomes=tmp_path / "o.yaml", policy=tmp_path / "p.yaml")
    assert [(Path(p.file).name, p.rule) for p in refused.value.problems] == [
        ("plan.yaml", "missing-key"),
        ("o.yaml", "unknown-key"),
        ("o.yaml", "missing-key"),
        ("p.yaml", "bad-choice"),
    ]


BESIDE = [("plan.yaml", "plan.outcomes.yaml"), ("plan.yml", "plan.outcomes.yml"), ("plan.yml", "plan.outcomes.yaml")]


@pytest.mark.parametrize(("plan", "outcomes"), BESIDE)
def test_outcomes_beside_the_plan_are_used(tmp_path: Path, plan: str, outcomes: str) -> None:
    (tmp_path / plan).write_text(STEPS + "outcomes: []\ninterruptions: [{after: 1, goal: h}]\n")
    (tmp_path / outcomes).write_text(OUTCOMES)
    (tmp_path / "other.yaml").write_text("outcomes: [{returns: [ok]}, {returns: [ok]}]\n")
    beside = load_rehearsal(tmp_path / plan)
    given = load_rehearsal(tmp_path / plan, outcomes=tmp_path / "other.yaml")
    assert (len(beside.outcomes), len(given.outcomes)) == (1, 2)
    assert beside.interruptions == given.interruptions == (Interruption("h", "1"),)
    assert [source.role for source in beside.sources] == [Role.PLAN, Role.BESIDE]
    assert load_plan(tmp_path / plan) == beside.plan


def test_a_rehearsal_is_made_again_from_its_sources(tmp_path: Path) -> None:
    path = tmp_path / "plan.yaml"
    path.write_text(STEPS)
    (tmp_path / "plan.outcomes.yaml").write_text(OUTCOMES)
    (tmp_path / "policy.yaml").write_text("policy: {mode: rewoo}\n")
    rehearsal = load_rehearsal(path, policy=tmp_path / "policy.yaml")
    path.unlink()
    assert parse_rehearsal(rehearsal.sources) == rehearsal


@pytest.mark.parametrize(
    "stream", [io.StringIO(STEPS), io.BytesIO(STEPS.encode()), io.TextIOWrapper(io.BytesIO(STEPS.encode()))]
)
def test_a_plan_from_standard_input(stream: object) -> None:
    rehearsal = load_rehearsal("-", stdin=stream)
    assert rehearsal.sources == (Source("<stdin>", Role.PLAN, STEPS),)


def test_standard_input_that_is_no_text() -> None:
    with pytest.raises(InputError) as refused:
        load_rehearsal("-", stdin=io.BytesIO(b"goal: \xff"))
    assert str(refused.value) == "<stdin>:1:7: error [not-utf8] the byte 0xFF is not UTF-8 (save the file as UTF-8)"


def test_validate_sees_what_a_run_would_read(tmp_path: Path) -> None:
    path = tmp_path / "plan.yaml"
    path.write_text(STEPS)
    (tmp_path / "plan.outcomes.yaml").write_text("outcomes: [{match: {step: 7}, returns: [ok]}]\n")
    (problem,) = check_plan(path)
    assert (Path(problem.file).name, problem.rule, problem.severity) == (
        "plan.outcomes.yaml",
        "unknown-step",
        "warning",
    )
    assert [problem.rule for problem in check_plan(tmp_path / "none.yaml")] == ["unreadable"]


ALONE = [
    (OUTCOMES, []),
    ("interruptions: [{after: 1, goal: h}]\n", []),
    ("policy: {mode: auto}\n", []),
    ("policy: {mode: no}\n", [("bad-choice", 1, 16)]),
    ("outcomes: [{returns: [no]}]\n", [("bad-choice", 1, 23)]),
    ("outcomes: []\npolicy: {}\n", [("unknown-key", 2, 1)]),
    ("{}\n", [("missing-key", 1, 1), ("missing-key", 1, 1)]),
]


@pytest.mark.parametrize(("text", "expected"), ALONE)
def test_validate_takes_outcomes_and_policies_too(
    tmp_path: Path, text: str, expected: list[tuple[str, int, int]]
) -> None:
    path = tmp_path / "part.yaml"
    path.write_text(text)
    assert [(problem.rule, problem.line, problem.column) for problem in check_plan(path)] == expected


def test_writing_is_whole_or_not_at_all(tmp_path: Path) -> None:
    path, link = tmp_path / "real.yaml", tmp_path / "link.yaml"
    path.write_text("old")
    path.chmod(0o640)
    link.symlink_to(path)
    write_text(link, "neu é\n")
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == ("neu é\n".encode(), 0o640)
    assert link.is_symlink()
    for wrong in (tmp_path, tmp_path / "none" / "x.yaml"):
        with pytest.raises(InputError) as refused:
            write_text(wrong, "x")
        assert refused.value.problems[0].rule == "unwritable"
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["link.yaml", "real.yaml"]


def test_a_device_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    write_text("/dev/null", "x")
    assert Path("/dev/null").is_char_device()
    with pytest.raises(InputError) as refused:
        write_text("a\0b", "x")
    assert refused.value.problems[0].rule == "unwritable"


def test_a_file_of_outcomes_is_no_plan(tmp_path: Path) -> None:
    path = tmp_path / "o.yaml"
    path.write_text(OUTCOMES)
    with pytest.raises(InputError) as refused:
        load_rehearsal(path)
    assert [problem.rule for problem in refused.value.problems] == ["missing-key", "missing-key"]


def test_a_name_that_is_too_long_is_no_file() -> None:
    with pytest.raises(InputError) as refused:
        load_rehearsal("x" * 300 + ".yaml")
    assert [problem.message for problem in refused.value.problems] == ["can't be read: File name too long"]


COEFFICIENTS = [
    ("step: 85\nretry: 0\n", 85, 0),
    ("coefficients: {step: 85}\n", 85, 200),
    ("{}\n", 60, 200),
]


@pytest.mark.parametrize(("text", "step", "retry"), COEFFICIENTS)
def test_coefficients(tmp_path: Path, text: str, step: int, retry: int) -> None:
    path = tmp_path / "c.yaml"
    path.write_text(text)
    coefficients = load_coefficients(path)
    assert (coefficients.step, coefficients.retry, coefficients.prompt) == (step, retry, 120)


@pytest.mark.parametrize(
    ("text", "rule"),
    [("stp: 1\n", "unknown-key"), ("step: x\n", "bad-number"), ("coefficients: 1\n", "wrong-type"), ("", "empty-file")],
)
def test_coefficients_that_are_wrong(tmp_path: Path, text: str, rule: str) -> None:
    path = tmp_path / "c.yaml"
    path.write_text(text)
    with pytest.raises(InputError) as refused:
        load_coefficients(path)
    assert [problem.rule for problem in refused.value.problems] == [rule]


def test_hidden_folders_are_not_even_looked_into(tmp_path: Path) -> None:
    looked: list[str] = []
    counting = True
    sys.addaudithook(lambda event, args: looked.append(str(args[0])) if counting and event == "os.scandir" else None)
    for folder in ("shown", ".venv/lib", "shown/.git"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "plan.yaml").write_text("goal: g\nsteps: [{id: 1, tool: t}]\n")
    assert plans_in(tmp_path) == [tmp_path / "shown" / "plan.yaml"]
    counting = False
    assert looked == [str(tmp_path), str(tmp_path / "shown")]
