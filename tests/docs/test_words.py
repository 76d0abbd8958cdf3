"""Every word that a person can meet has its entry, and every entry is about a word that there is."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path

import pytest

from replanctl import kinds
from replanctl.cli import flags
from replanctl.cli.app import VERBS, load_verb
from replanctl.cli.flags import flags_of, option_name
from replanctl.cli.verbs.validate import CheckFormat
from replanctl.docs import KINDS, Entry, Kind, entries_of, find, page_names, suggestion, words_by_kind
from replanctl.docs.facts import properties
from replanctl.files import Role, file_schema
from replanctl.replan import RULE_NAMES
from replanctl.run import result_schema
from replanctl.run.events import AnyEvent
from replanctl.show import lanes, marks
from replanctl.show.text import UNICODE
from tests.conftest import ROOT

PACKAGE = ROOT / "replanctl"
ENTRIES = {kind.plural: list(entries_of(kind)) for kind in KINDS}

# Each closed list of words, and the kind that explains them.
EXPLAINED: dict[type[StrEnum], str] = {
    kinds.Granularity: "granularities",
    kinds.OnFailure: "on-failure",
    kinds.StepState: "states",
    kinds.ChangeKind: "marks",
    kinds.Coupling: "coupling",
    kinds.Status: "statuses",
    kinds.Settle: "settling",
    kinds.ErrorType: "error-types",
    kinds.Unreadable: "unreadable",
    kinds.Health: "health",
    kinds.Verdict: "verdicts",
    kinds.Mode: "modes",
    kinds.Radius: "choices",
    kinds.Preset: "choices",
    kinds.Evict: "choices",
    kinds.Otherwise: "choices",
    kinds.GateName: "gates",
    kinds.Ending: "endings",
    kinds.Reason: "reasons",
    kinds.LedgerKind: "bookings",
    kinds.RunStatus: "endings",
    flags.RunFormat: "formats",
    flags.Format: "formats",
    flags.DiffFormat: "formats",
    flags.GraphFormat: "formats",
    CheckFormat: "formats",
    flags.Color: "formats",
}


def words(plural: str) -> list[str]:
    return [entry.word for entry in ENTRIES[plural]]


def test_every_closed_list_of_words_is_explained() -> None:
    everything = [*vars(kinds).values(), *vars(flags).values()]
    lists = {each for each in everything if isinstance(each, type) and issubclass(each, StrEnum)}
    assert lists - {StrEnum} == EXPLAINED.keys() - {CheckFormat}


@pytest.mark.parametrize("plural", sorted(set(EXPLAINED.values())))
def test_a_kind_explains_the_members_of_its_lists_and_nothing_else(plural: str) -> None:
    members = {member.value for each, kind in EXPLAINED.items() if kind == plural for member in each}
    assert set(words(plural)) == members | (DRAWN if plural == "marks" else set())


# What screens draw beside the marks of a diff: of steps, of a matrix's cells, of the best lane, of what was kept.
DRAWN = {UNICODE.done, UNICODE.failed, UNICODE.skipped, UNICODE.notice, *marks._UNICODE, lanes.BEST, "="}


def test_every_routing_rule_is_explained_in_the_order_of_the_table() -> None:
    assert tuple(words("rules")) == RULE_NAMES


def test_every_type_of_event_is_explained() -> None:
    assert words("events") == [kind.__struct_config__.tag for kind in AnyEvent.__args__]


@pytest.mark.parametrize("role", [Role.PLAN, Role.OUTCOMES, Role.POLICY])
def test_every_key_of_a_file_is_found_by_its_name_and_by_its_path(role: Role) -> None:
    for place, _ in properties(file_schema(role)):
        path = place.replace("[]", "").replace(".NAME", "")
        assert any(entry.kind.plural in ("keys", "gates") for entry in find(path.rpartition(".")[2]).entries), path
        if not path.startswith("scenarios.") and not path.startswith("planner.steps."):
            assert find(path).entries, path


# Section 2 of what a reader of the docs has to know: the words that everything else is said in.
TERMS = """plan, version, step, variable, attempt, execution, outcome, signal, lineage, radius, granularity, gate,
lesson, health, hand-over, replan, route, draft, gap, evidence"""


def test_the_words_that_all_else_is_said_in_are_explained() -> None:
    assert set(re.split(r",\s+", TERMS)) - set(words("terms")) == set()


def test_every_field_of_a_result_is_found_unless_its_name_means_something_else() -> None:
    for part in result_schema()["$defs"].values():
        for name in part.get("properties", ()):
            assert find(name), name
    (seq,) = find("admitted").entries
    assert (seq.kind.name, seq.facts) == ("field", (("where", "gates[].admitted, handover.gate.admitted, event gate"),))
    assert [entry.kind.name for entry in find("version").entries] == ["term", "key"]
    assert [entry.word for entry in find("versions.steps.state").entries] == ["state"]


# -- what the loader finds: the names are collected from its source, so that a new one can't be forgotten --------------

# The functions that take a finding's name, and in which place.
_NAMED = {"error": 0, "warning": 0, "Fault": 0, "_fault": 0, "_refused": 1, "_declared": 2, "Problem": 3}
# Names that stand in tables, or are put together where they are used.
_IN_TABLES = {"many-errors", "many-warnings", "bad-escape", "yaml-syntax", "recursive-alias", "unknown-alias"}


def constants(node: ast.expr) -> Iterator[str]:
    """The texts that an expression may be."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.IfExp):
        yield from (*constants(node.body), *constants(node.orelse))


def findings(path: Path) -> Iterator[str]:
    """The names of what a module finds wrong."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if (place := _NAMED.get(name)) is not None and len(node.args) > max(place, 1):
                yield from constants(node.args[place])


def test_everything_that_is_found_wrong_in_files_is_explained() -> None:
    rooms = [path for room in ("files", "traces", "host", "cli", "show") for path in (PACKAGE / room).rglob("*.py")]
    found = {name for path in rooms for name in findings(path) if re.fullmatch(r"[a-z]+(-[a-z]+)*", name)}
    assert len(found) > 50
    assert found | _IN_TABLES == set(words("checks"))


# -- how an entry is written -------------------------------------------------------------------------------------------

ALL = [entry for entries in ENTRIES.values() for entry in entries]


def names(entry: Entry) -> str:
    return f"{entry.kind.plural}: {entry.word}"


@pytest.mark.parametrize("entry", [each for each in ALL if each.kind.plural not in ("keys", "events")], ids=names)
def test_an_entry_is_one_to_five_sentences(entry: Entry) -> None:
    assert "\n" not in entry.text and entry.text.endswith(".")
    assert 1 <= len(re.findall(r"[.!?](?= [A-Z`]|$)", entry.text)) <= 5
    assert len(entry.text) <= 450


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.plural)
def test_no_word_of_a_kind_is_explained_twice_unless_it_means_two_things(kind: Kind) -> None:
    seen = [(entry.word, entry.text) for entry in ENTRIES[kind.plural]]
    assert len(set(seen)) == len(seen)


def commands(entry: Entry) -> list[list[str]]:
    said = " ".join((f"`{fact}`" for _, fact in entry.facts if fact.startswith("replanctl ")))
    return [found.split()[1:] for found in re.findall(r"`(replanctl [^`]+)`", f"{entry.text} {said}")]


@pytest.mark.parametrize("entry", [each for each in ALL if commands(each)], ids=names)
def test_the_commands_that_an_entry_names_can_be_given(entry: Entry) -> None:
    for verb, *rest in commands(entry):
        assert verb in VERBS
        flags = {option_name(field) for field in flags_of(load_verb(verb).options)}
        assert {word for word in rest if word.startswith("--")} - flags == set()


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.plural)
def test_the_pages_that_say_more_are_there(kind: Kind) -> None:
    assert {entry.page for entry in ENTRIES[kind.plural]} - {*page_names()} == set()


def test_a_command_is_explained_by_what_its_help_says() -> None:
    (entry,) = find("replay", {"replay": "Run it again."}).entries
    assert (entry.kind.name, entry.text, entry.page) == ("command", "Run it again.", "commands")
    assert find("replay").entries == ()
    assert suggestion("replai", ["replay"]) == "did you mean replay, replan or replanning?"


# -- looking up --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("asked", "kinds"), [
    ("skip", ["on_failure", "settling"]), ("timeout", ["status of a call", "key"]),
    ("wide-radius", ["routing rule"]), ("wide_radius", ["routing rule"]), ("Wide Radius", ["routing rule"]),
    ("no such step", ["unread reference"]), ("per-step", ["gate"]), ("gates.per_step", ["gate"]),
    ("permission", ["routing rule", "error type"]), ("policy.retry.backoff", ["key"]), ("~", ["mark"]),
    ("step.end", ["event"]), ("void", ["unread reference", "health"]), ("", []), ("nothing-such", []),
])  # fmt: skip
def test_a_word_is_found_in_all_that_it_means(asked: str, kinds: list[str]) -> None:
    assert [entry.kind.name for entry in find(asked).entries] == kinds


def test_a_kind_is_found_by_either_of_its_names() -> None:
    assert find("routing rule").kind == find("rules").kind != None  # noqa: E711


@pytest.mark.parametrize(("asked", "hint"), [
    ("wide-radios", "did you mean wide-radius"), ("max_step", "did you mean max_steps"), ("qqqq", ""),
])  # fmt: skip
def test_a_word_that_means_nothing_gets_the_nearest(asked: str, hint: str) -> None:
    assert suggestion(asked).startswith(hint) and bool(suggestion(asked)) == bool(hint)


def test_the_words_of_a_kind_are_listed_once_each() -> None:
    for listed in words_by_kind().values():
        assert listed and len(set(listed)) == len(listed)
