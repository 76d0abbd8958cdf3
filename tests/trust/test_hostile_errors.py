"""What is wrong is said in full, and what it is said of is text: names, keys, file names, words of the command line."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Done
from tests.trust import hostile
from tests.trust.conftest import WideCli
from tests.trust.hostile import PAYLOADS, Payload
from tests.trust.terminal import as_written, look
from tests.trust.test_hostile_text import spelled, squeezed

every_payload = pytest.mark.parametrize("payload", PAYLOADS.values(), ids=PAYLOADS)
KINDS = (
    "link",
    "style",
    "graph",
    "hyperlink",
    "C1",
    "overprinting",
    "controls",
    "line ends",
    "bidi",
    "tags",
    "Chinese",
)
every_kind = pytest.mark.parametrize("payload", [PAYLOADS[name] for name in KINDS], ids=KINDS)  # where one takes long


def plan(**more: Any) -> dict[str, Any]:
    """A plan of one step; `more` goes into the step where its name is a key of one."""
    ours = {key: more.pop(key) for key in list(more) if key in ("args", "assumes", "depends_on", "produces", "tool")}
    return {"goal": "g", "steps": [{"id": 1, "tool": "t", **ours}], **more}


def wrong(h: str) -> dict[str, dict[str, Any]]:
    """Files that say `h` where it can't stand."""
    step = plan()["steps"][0]
    return {
        "unknown key": {**plan(), h: 1},
        "unknown key of a step": {"goal": "g", "steps": [{**step, h: 1}]},
        "id": {"goal": "g", "steps": [{**step, "id": h}]},
        "unknown id": plan(depends_on=[h]),
        "undeclared tool": plan(tool=h, tools={"t": {}}),
        "undeclared fallback": plan(tools={"t": {"fallback": h}}),
        "undeclared assumption": plan(assumes=[h], assumptions={"a": "b"}),
        "choice": {"goal": "g", "steps": [{**step, "on_failure": h}]},
        "type of a field": plan(produces={"x": h}),
        "schema": plan(produces={"schema": {"type": h}}),
        "number": plan(policy={"gates": {"max_steps": h}}),
        "duration": plan(tools={"t": {"timeout": h}}),
        "mode": plan(policy={"mode": h}),
        "coefficient": plan(policy={"coefficients": {h: 1}}),
        "status": plan(outcomes=[{"returns": [h]}]),
        "version": plan(outcomes=[{"match": {"version": h}, "returns": ["ok"]}]),
        "planner": plan(planner=[{"otherwise": h}]),
    }


def told(done: Done, payload: Payload) -> None:
    """A terminal shows what was said letter by letter, and the payload can be read in it."""
    said = done.out + done.err
    seen = look(said, 20_000)
    assert seen.acts == []
    assert seen.text == as_written(said)
    assert all(char.isprintable() or char in "\n\xa0\u3000" for char in said)
    assert read_in(said, payload)


def read_in(said: str, payload: Payload) -> bool:
    """Whether the text can be read, whole, as Python or typer writes it, or cut at the end; of a path `//` is `/`."""
    shown = squeezed(said).replace("//", "/")
    by_typer = re.sub(r"[\0-\x1f\x7f-\x9f]", lambda char: f"\\x{ord(char[0]):02x}", payload.raw)
    forms = {squeezed(spelled(form)).replace("//", "/") for form in (payload.seen, repr(payload.raw)[1:-1], by_typer)}
    return any(form in shown or re.search(re.escape(form[:20]) + r"[^…]*…", shown) for form in forms)


@every_payload
def test_a_file_that_is_wrong(wide: WideCli, payload: Payload, looked_at: Callable[[int], None]) -> None:
    cases = wrong(payload.raw)
    for what, content in cases.items():
        wide.files({"plan.yaml": hostile.yaml(content)})
        for verb, code in (("validate", 1), ("run", 2)):
            done = wide(verb, "plan.yaml")
            assert done.code == code, (what, done)
            told(done, payload)
    looked_at(2 * len(cases))


@every_payload
def test_a_lesson_book_that_is_wrong(wide: WideCli, payload: Payload) -> None:
    book = {"lessons": [{"text": 1, payload.raw: 2}]}
    wide.files({"plan.yaml": hostile.yaml(plan()), "book.yaml": hostile.yaml(book)})
    done = wide("run", "plan.yaml", "--lessons", "book.yaml")
    assert done.code == 2
    told(done, payload)


@every_payload
def test_an_excerpt_of_a_file(wide: WideCli, payload: Payload) -> None:
    """The characters themselves in the file, whether or not YAML takes them."""
    raw = payload.raw
    text = f"goal: \"{raw}\" # {raw}\nstep: {raw}\nsteps: [{{id: 1, tool: '{raw}', x: 1}}]\n"
    Path("plan.yaml").write_bytes(text.encode())
    done = wide("validate", "plan.yaml")
    assert done.code == 1
    assert look(done.out, 20_000).text == as_written(done.out)
    assert look(done.out, 20_000).acts == []


# Every command line that takes a name, with one that means nothing.
LINES = [
    "{}", "run {}", "validate {}", "show {}", "why {}", "why 1 --run {}", "diff {} v1", "diff v1 {}", "diff 1:{} v1",
    "graph {}", "graph 1:{}", "prompt {}", "prompt 1 {}", "resume {}", "replay {}", "coupling {}", "test {}",
    "schema {}", "cost --steps {} --fail 1", "cost --set {}", "cost --coefficients {}", "cost --run {}",
    "show --format {}", "run plan.yaml --outcomes {}", "run plan.yaml --policy {}", "run plan.yaml --mode {}",
    "run plan.yaml --tools {}", "run plan.yaml --max-seconds {}", "run plan.yaml -o none/{}",
    "run plan.yaml --lessons none/{}", "resume --max-steps {}", "show --store plan.yaml/{}",
    "run plan.yaml --planner '{}", "show --color {}",
]  # fmt: skip


@every_kind
def test_a_command_line(wide: WideCli, payload: Payload, looked_at: Callable[[int], None]) -> None:
    wide.files({"plan.yaml": hostile.yaml(plan())})
    assert wide("run", "plan.yaml", "-q").code == 0
    text = Payload(payload.raw.replace("\0", ""), payload.seen.replace("⟨U+0000⟩", ""))  # no word can hold a NUL
    for line in LINES:
        done = wide(*(word.replace("{}", f"x{text.raw}") for word in line.split()))
        assert done.code in (2, 3), (line, done)
        told(done, text)
    name = Payload(*(part.partition("=")[0] for part in text))  # what follows is a value
    told(wide(f"--{text.raw}"), name)
    told(wide("run", "plan.yaml", f"--{text.raw}"), name)
    looked_at(len(LINES) + 2)


@every_kind
def test_a_file_name(wide: WideCli, payload: Payload) -> None:
    name = payload.raw.replace("\0", "").replace("/", "|")
    text = Payload(name, payload.seen.replace("⟨U+0000⟩", "").replace("/", "|"))
    wide.files({"plan.yaml": hostile.yaml(plan())})
    for made, code in ((f"{name}.yaml", 0), (f"{name}.bad.yaml", 1)):
        shutil.copy("plan.yaml", made)
        if code:
            Path(made).write_text("goal: 1\n", encoding="utf-8")
        done = wide("validate", made)
        assert done.code == code
        if code:
            told(done, text)
    told(wide("diff", f"{name}.yaml", "plan.yaml"), text)
    told(wide("init", name), text)
    told(wide("coupling", f"{name}.yaml", "--write"), text)
    done = wide("run", "plan.yaml", "--outcomes", wide.files({f"{name}.o.yaml": "outcomes: []\n"})[0])
    told(done, text)


# -- what comes from outside while a session runs ---------------------------------------------------------------------


@every_kind
def test_a_planner_that_fails(wide: WideCli, payload: Payload) -> None:
    failing = plan(outcomes=[{"returns": ["shape"]}])
    answer = hostile.yaml({"steps": [{"id": 1, "tool": "t", payload.raw: 1}]})
    wide.files({"plan.yaml": hostile.yaml(failing), "answer.yaml": answer})
    Path("complaint").write_bytes(re.sub(r"[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]", " ", payload.raw).encode())
    Path("fail.sh").write_text("cat >&2 complaint; exit 3\n", encoding="utf-8")
    for command in ("cat answer.yaml", "sh fail.sh"):
        for done in (wide("run", "plan.yaml", "--planner", command, "--max-replans", "1"), wide("show", "--lessons")):
            told(done, payload)


@every_payload
def test_a_tool_that_raises(wide: WideCli, payload: Payload, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.delitem(sys.modules, "hostile_tools", raising=False)
    raising = f"def t(**args):\n    raise KeyError({payload.raw!a})\n"
    wide.files({"plan.yaml": hostile.yaml(plan()), "hostile_tools.py": raising})
    told(wide("run", "plan.yaml", "--tools", "hostile_tools", "--max-replans", "0"), payload)


@every_payload
def test_a_bug(wide: WideCli, payload: Payload) -> None:
    def broken() -> str:
        raise RuntimeError(payload.raw)

    wide.files({"plan.yaml": hostile.yaml(plan())})
    wide.now = broken
    for more in ((), ("--debug",)):
        done = wide("run", "plan.yaml", *more)
        assert done.code == 70
        told(done, payload)


def test_a_rehearsal_that_is_not_as_expected(tmp_path: Path) -> None:
    """pytest prints names and reasons as they are; they must come to it clean."""
    raw = "".join(payload.raw for payload in PAYLOADS.values())
    name = f"{PAYLOADS['C1'].raw}{PAYLOADS['bidi'].raw}\x1b]0;t\a.yaml"
    (tmp_path / name).write_text(hostile.yaml(plan(expect={"goal": raw, "reason": "oscillation"})), encoding="utf-8")
    (tmp_path / "bad.yaml").write_text(hostile.yaml({**plan(expect={"goal": raw}), "\x1b[2J": 1}), encoding="utf-8")
    for code in (2, 1):  # one can't be read; then there is only the one that is not as expected
        command = [sys.executable, "-m", "replanctl", "test", "."]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, encoding="utf-8")
        assert done.returncode == code, done.stdout
        assert "⟨U+001B⟩" in done.stdout
        assert all(char.isprintable() or char == "\n" for char in done.stdout + done.stderr)
        (tmp_path / "bad.yaml").unlink(missing_ok=True)
