"""What an editor marks is what `validate` refuses: the schemas in a YAML language server, over plans right and wrong.

The server is `yaml-language-server` (see `language_server.py`); without it, or without Node.js, there is nothing to
compare with and these tests are skipped. What no JSON Schema can say is listed here as such: if a schema learns to say
it, its row has to go.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from replanctl.files import check_plan
from tests.cli.conftest import Cli
from tests.conftest import ROOT
from tests.editors.language_server import LanguageServer, Marks, language_server, serving
from tests.files.test_schema import RIGHT, STEP, WRONG

PROGRAM = language_server()
pytestmark = pytest.mark.skipif(PROGRAM is None, reason="yaml-language-server or Node.js is not here")

PLANS = sorted((ROOT / "plans").rglob("*.y*ml"))

# Wrong by itself, as far as a schema sees: what YAML itself forbids, and what a schema's words can say.
ALSO_WRONG = {
    "a key twice": STEP + "policy: {}\npolicy: {}\n",
    "a bracket that is not closed": "steps: [{id: 1, tool: t}\n",
    "a tab before a key": "steps:\n\t- {id: 1, tool: t}\n",
    "an alias of nothing": "steps: [{id: 1, tool: *t}]\n",
}

# Refused by `validate`, and right as far as any JSON Schema can tell: it looks at one value at a time, and these take
# two values, a graph, or the text as it was written.
BEYOND_A_SCHEMA = {
    "two steps with one id": "steps: [{id: 1, tool: t}, {id: 1, tool: t}]\n",
    "one id as a number and as a text": 'steps: [{id: 1, tool: t}, {id: "1", tool: t}]\n',
    "a dependency on nothing": "steps: [{id: 1, tool: t, depends_on: [2]}]\n",
    "steps that wait for each other": "steps: [{id: 1, tool: t, depends_on: [2]}, {id: 2, tool: t, depends_on: [1]}]\n",
    "a tool that is not listed": "tools: {u: {}}\nsteps: [{id: 1, tool: t}]\n",
    "an assumption that is not listed": "assumptions: {a: b}\nsteps: [{id: 1, tool: t, assumes: [c]}]\n",
    "a reference that is a comment": "steps: [{id: 1, tool: t}, {id: 2, tool: t, args: {a: b #E1\n  }}]\n",
    "a JSON Schema that is none": STEP + "tools: {t: {args: {type: 7}}}\n",
    "a range that is empty": STEP
    + "policy: {routing: {rules: [{name: r, when: {min_radius: 2, max_radius: 1}, granularity: tail}]}}\n",
    "a rule with a built-in name": STEP + "policy: {routing: {rules: [{name: wide-radius, granularity: tail}]}}\n",
    "an expectation that is never met": STEP + "expect: {reason: bored}\n",
    "an answer that can't be made up": "steps: [{id: 1, tool: t, produces: {schema: {type: array}}}]\n"
    "outcomes: [{returns: [ok]}]\n",
    "a merged mapping": "tools: &a {}\nsteps: [{id: 1, tool: t, args: {<<: *a}}]\n",
    "a number beyond 64 bits": "steps: [{id: 1, tool: t, args: {n: 99999999999999999999}}]\n",
}

TEXTS = {
    f"{group}-{number}.yaml": f"goal: g\n{text}"
    for group, texts in (("right", RIGHT), ("wrong", WRONG | ALSO_WRONG), ("beyond", BEYOND_A_SCHEMA))
    for number, text in enumerate(texts.values())
}


def rows(group: str, texts: dict[str, str]) -> list[object]:
    return [pytest.param(f"{group}-{number}.yaml", id=name) for number, name in enumerate(texts)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the schemas that `init` writes and that of a policy; every text and example names its own in its
    first line."""
    folder = tmp_path_factory.mktemp("editor")
    cli = Cli(Path())
    assert cli("init", folder).code == 0
    (folder / "policy.schema.json").write_text(cli("schema", "policy").out, encoding="utf-8")
    for name, text in TEXTS.items():
        (folder / name).write_text(f"{modeline('plan')}{text}", encoding="utf-8")
    for path in PLANS:
        (folder / named(path)).write_text(f"{modeline(role(path))}{path.read_text(encoding='utf-8')}", encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[LanguageServer]:
    with serving(str(PROGRAM), folder) as server:
        yield server


@pytest.fixture(scope="module")
def marks(server: LanguageServer, folder: Path) -> Marks:
    """What an editor marks in every file."""
    return server.marks(sorted(folder.glob("*.yaml")))


def modeline(name: str) -> str:
    return f"# yaml-language-server: $schema={name}.schema.json\n"


def named(path: Path) -> str:
    """The name of an example in one folder with all others."""
    return "-".join(("example", *path.relative_to(ROOT / "plans").with_suffix(".yaml").parts))


def role(path: Path) -> str:
    text = path.read_text(encoding="utf-8")
    if path.stem.endswith(".outcomes"):
        return "outcomes"
    return "plan" if "\nsteps:" in text or "goal:" in text else "policy"


def is_refused(path: Path) -> bool:
    """Whether `validate` finds an error in a file."""
    return any(problem.severity == "error" for problem in check_plan(str(path)))


@pytest.mark.parametrize("name", rows("right", RIGHT))
def test_what_loads_is_not_marked(name: str, marks: Marks, folder: Path) -> None:
    assert (marks[name], is_refused(folder / name)) == ([], False)


@pytest.mark.parametrize("name", rows("wrong", WRONG | ALSO_WRONG))
def test_what_does_not_load_is_marked(name: str, marks: Marks, folder: Path) -> None:
    assert marks[name] and is_refused(folder / name)


@pytest.mark.parametrize("name", rows("beyond", BEYOND_A_SCHEMA))
def test_what_a_schema_can_not_say_is_left_to_validate(name: str, marks: Marks, folder: Path) -> None:
    assert (marks[name], is_refused(folder / name)) == ([], True)


@pytest.mark.parametrize("path", PLANS, ids=lambda path: path.name)
def test_no_example_is_marked(path: Path, marks: Marks) -> None:
    assert marks[named(path)] == []


@pytest.mark.parametrize("name", ["plan.yaml", "plan.outcomes.yaml"])
def test_what_init_writes_is_not_marked(name: str, marks: Marks) -> None:
    assert marks[name] == []


def test_an_editor_says_what_a_key_is_for(server: LanguageServer, marks: Marks, folder: Path) -> None:
    lines = (folder / "plan.yaml").read_text(encoding="utf-8").splitlines()
    line = next(number for number, text in enumerate(lines) if "depends_on:" in text)
    said = server.hover(folder / "plan.yaml", line, lines[line].index("depends_on") + 2)
    assert "The ids of the steps that must be done before." in said
