"""Names are not paths: nothing is written but the store and the files that were named, whatever a name looks like."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.trust.conftest import WideCli

PLAN = "goal: g\nsteps: [{id: 1, tool: t}, {id: 2, tool: u}]\n"
FAILS = "outcomes: [{match: {step: 1, version: 1}, returns: [shape]}]\n"
TOOLS = "def t(**args):\n    return 1\n\n\ndef u(**args):\n    return 2\n"
OUTSIDE = b"not a store\n"


@pytest.fixture
def here(wide: WideCli, tmp_path: Path) -> WideCli:
    """A command line in a folder inside another one, with a stored run, and things that nobody may touch around it."""
    (tmp_path / "outside").write_bytes(OUTSIDE)
    (tmp_path / "runs.db").write_bytes(OUTSIDE)
    folder = tmp_path / "here"
    folder.mkdir()
    os.chdir(folder)  # the fixture of the command line takes it back
    wide.files({"plan.yaml": PLAN, "plan.outcomes.yaml": FAILS, "there_tools.py": TOOLS})
    assert wide("run", "plan.yaml", "-q").code == 0
    return wide


def tree(root: Path, *left_out: str) -> dict[str, tuple[int, str]]:
    """Everything below a folder: what kind of thing it is, and what is in it. Python's own cache is Python's."""
    return {
        name: (stat.S_IFMT(path.lstat().st_mode), content(path))
        for path in sorted(root.rglob("*"))
        if (name := str(path.relative_to(root))) and not left(name, left_out) and "__pycache__" not in name
    }


def left(name: str, left_out: tuple[str, ...]) -> bool:
    return any(name == each or name.startswith(f"{each}/") for each in left_out)


def content(path: Path) -> str:
    if path.is_symlink():
        return str(path.readlink())
    return path.read_bytes().hex() if path.is_file() else ""


@contextmanager
def untouched(root: Path, *written: str) -> Iterator[None]:
    """Nothing below this folder changes, but what is named here."""
    before = tree(root, *written)
    yield
    assert tree(root, *written) == before


# -- what a command writes --------------------------------------------------------------------------------------------

STORE = "here/store"
# Every command, and what it may write.
WRITTEN: dict[str, tuple[str, ...]] = {
    "run plan.yaml": (STORE,),
    "run plan.yaml --no-store": (),
    "run plan.yaml --format json -o out": (STORE, "here/out"),
    "run plan.yaml --no-store -o ../out": ("out",),
    "run plan.yaml --lessons book.yaml --no-store": ("here/book.yaml",),
    "run plan.yaml --tools there_tools --no-store": (),
    "run plan.yaml --store other": ("here/other",),
    "run none.yaml": (),
    "run plan.yaml -o none/out": (),
    "run plan.yaml --max-steps x": (),
    "resume 1": (),
    "replay 1": (),
    "show 1": (),
    "show 1 --events --variables --ledger --lessons --handover": (),
    "show 1 --format json": (),
    "runs": (),
    "runs --store none": (),
    "show --store none": (),
    "why 1": (),
    "prompt": (),
    "diff v1 v2": (),
    "diff plan.yaml v1": (),
    "cost --run 1": (),
    "graph 1": (),
    "graph plan.yaml --format dot": (),
    "coupling plan.yaml": (),
    "coupling plan.yaml --write": ("here/plan.yaml",),
    "validate plan.yaml": (),
    "schema plan": (),
    "init new": ("here/new",),
    "test plan.yaml": (),
    "--help": (),
}


@pytest.mark.parametrize("line", WRITTEN)
def test_nothing_else_is_written(
    here: WideCli, tmp_path: Path, line: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.path", [*__import__("sys").path])
    with untouched(tmp_path, *WRITTEN[line]):
        here(*line.split())
    assert not list(tmp_path.rglob("*.draft")) and not list(tmp_path.rglob("*.lock"))


# -- names that look like paths ---------------------------------------------------------------------------------------

ODD = (
    "../1", "1/../1", "..", ".", "/etc/passwd", "~", "*", "con", "NUL", "-1", "0", "+1", "１", "٣", "1e0", " 1", "1 ",
    "1.0", "0x1", "9" * 30, "v1/../v2", "v0", "v01", "V1", "7:../v2", "1:v1:v2", "1:", ":v1", "%2e%2e", "..\\1",
    "runs.db", "store",
)  # fmt: skip
NAMED = ("show {}", "resume {}", "replay {}", "why 1 --run {}", "diff v1 v2 --run {}", "cost --run {}", "why {}",
         "prompt {}", "prompt 1 {}", "graph 1:{}", "diff 1:{} v1")  # fmt: skip


@pytest.mark.parametrize("line", NAMED)
def test_runs_versions_and_steps_are_not_paths(here: WideCli, tmp_path: Path, line: str) -> None:
    with untouched(tmp_path):
        for name in ODD:
            done = here(*(word.replace("{}", name) for word in line.split()))
            assert done.code == 2, (name, done)
            assert done.out == ""


@pytest.mark.parametrize("id_", ["../x", "a/b", "..", ".", "/etc", "a\\b", "a b", "", "~", "x" * 65, "-x", "a.b", "é"])
def test_ids_that_could_be_paths_are_refused(here: WideCli, tmp_path: Path, id_: str) -> None:
    here.files({"odd.yaml": json.dumps({"goal": "g", "steps": [{"id": id_, "tool": "t"}]})})
    with untouched(tmp_path):
        assert here("run", "odd.yaml").code == 2


def test_ids_that_a_file_system_would_not_take_are_only_names(here: WideCli, tmp_path: Path) -> None:
    steps = [{"id": id_, "tool": "t"} for id_ in ("CON", "nul", "COM1", "x" * 64)]
    here.files({"odd.yaml": json.dumps({"goal": "g", "steps": steps})})
    with untouched(tmp_path, STORE):
        assert here("run", "odd.yaml").code == 0
        assert here("why", "CON").code == 0
    assert sorted(path.name for path in Path("store").iterdir()) == [".gitignore", "runs.db"]


BYTES = (
    "{}", "run {}", "run plan.yaml --outcomes {}", "run plan.yaml -o {}", "run plan.yaml --planner {}", "validate {}",
    "resume --goal {}", "show --store {}", "diff {} v1",
)  # fmt: skip


@pytest.mark.parametrize("line", BYTES)
def test_bytes_that_are_no_text_name_nothing(here: WideCli, tmp_path: Path, line: str) -> None:
    name = os.fsdecode(b"caf\xe9.yaml")
    Path(name).write_text(PLAN, encoding="utf-8")
    with untouched(tmp_path):
        done = here(*(word.replace("{}", name) for word in line.split()))
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("replanctl: caf⟨U+DCE9⟩.yaml is not text in this locale\n")


# -- stores -----------------------------------------------------------------------------------------------------------

FILES = ("runs.db", "runs.db-wal", "runs.db-shm", "runs.db-journal")
COMMANDS = ("run plan.yaml", "runs", "show 1", "resume 1", "replay 1")


@pytest.mark.parametrize("target", ["outside", "empty", "absent"])
@pytest.mark.parametrize("name", FILES)
def test_a_store_follows_no_link(here: WideCli, tmp_path: Path, name: str, target: str) -> None:
    (tmp_path / "empty").touch()
    Path("store", name).unlink(missing_ok=True)
    Path("store", name).symlink_to(tmp_path / target)
    with untouched(tmp_path):
        for line in COMMANDS:
            done = here(*line.split())
            assert (done.code, done.out) == (3, ""), (line, done)
            assert f"{name} is not a regular file" in done.err


@pytest.mark.parametrize("target", ["outside", "absent"])
def test_a_lock_is_no_link(here: WideCli, tmp_path: Path, target: str) -> None:
    Path("store", "run-2.lock").symlink_to(tmp_path / target)
    with untouched(tmp_path):
        done = here("run", "plan.yaml")
        assert done.code == 3
        assert len(json.loads(here("runs", "--format", "json").out)["runs"]) == 1  # the run was not begun


@pytest.mark.parametrize("name", FILES)
def test_a_store_waits_for_no_pipe(here: WideCli, name: str) -> None:
    Path("store", name).unlink(missing_ok=True)
    os.mkfifo(Path("store", name))
    assert [here(*line.split()).code for line in COMMANDS] == [3] * len(COMMANDS)


def test_a_lock_that_is_a_pipe_is_nobodys(here: WideCli) -> None:
    os.mkfifo(Path("store", "run-1.lock"))
    assert here("show", "1").code == 0


NO_STORES = ("plan.yaml", "plan.yaml/store", "/dev/null", "/dev/null/x", "x" * 300, "a/" * 3000, "../outside", "loop")


@pytest.mark.parametrize("name", NO_STORES)
def test_what_can_be_no_store_is_refused(here: WideCli, tmp_path: Path, name: str) -> None:
    Path("loop").symlink_to("loop")
    with untouched(tmp_path):
        for line in COMMANDS:
            done = here(*line.split(), "--store", name)
            assert done.code in (2, 3), (line, done)
            assert done.out == "" and "bug" not in done.err


def test_a_folder_that_is_a_link_is_a_store(here: WideCli, tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    Path("linked").symlink_to(tmp_path / "disk")
    with untouched(tmp_path, "disk"):
        assert here("run", "plan.yaml", "--store", "linked").code == 0
    assert [path.name for path in (tmp_path / "disk").iterdir()] == ["runs.db"]


# -- outputs ----------------------------------------------------------------------------------------------------------


def test_an_output_that_is_a_link_writes_what_it_names(here: WideCli, tmp_path: Path) -> None:
    for name, target in (("one", "outside"), ("two", "absent")):
        Path(name).symlink_to(tmp_path / target)
        with untouched(tmp_path, target):
            assert here("run", "plan.yaml", "--no-store", "--format", "json", "-o", name).code == 0
        assert json.loads((tmp_path / target).read_bytes())["status"] == "completed"


@pytest.mark.parametrize("name", ["store", ".", "..", "none/out", "plan.yaml/out", "x" * 300, "loop", ""])
def test_an_output_that_cannot_be_written_costs_nothing(here: WideCli, tmp_path: Path, name: str) -> None:
    Path("loop").symlink_to("loop")
    with untouched(tmp_path):
        for option in ("-o", "--lessons"):
            done = here("run", "plan.yaml", option, name)
            assert done.code == 2, done
            assert done.out == "" and "bug" not in done.err


def test_a_draft_is_not_written_through_a_link(here: WideCli, tmp_path: Path) -> None:
    """The name under which an output is prepared can't be known beforehand: one that was guessed is left alone."""
    guessed = Path(f".out.{os.getpid()}.draft")
    guessed.symlink_to(tmp_path / "outside")
    with untouched(tmp_path, "here/out"):
        assert here("run", "plan.yaml", "-o", "out", "--no-store").code == 0
    assert Path("out").is_file()
    assert guessed.is_symlink()


def test_an_example_takes_no_name_that_is_taken(here: WideCli, tmp_path: Path) -> None:
    Path("new").mkdir()
    Path("new/plan.outcomes.yaml").symlink_to(tmp_path / "absent")
    with untouched(tmp_path):
        assert here("init", "new").code == 2


def test_a_written_plan_keeps_its_link(here: WideCli, tmp_path: Path) -> None:
    (tmp_path / "real.yaml").write_text(PLAN, encoding="utf-8")
    Path("linked.yaml").symlink_to(tmp_path / "real.yaml")
    with untouched(tmp_path, "real.yaml"):
        assert here("coupling", "linked.yaml", "--write").code == 0
    assert "on_failure" in (tmp_path / "real.yaml").read_text(encoding="utf-8")


def test_the_project_itself_is_not_written_to(here: WideCli) -> None:
    with untouched(ROOT / "plans"), untouched(ROOT / "replanctl" / "cli" / "example"):
        for plan in sorted((ROOT / "plans").glob("*.yaml")):
            here("validate", plan)
            here("run", plan, "-q")
