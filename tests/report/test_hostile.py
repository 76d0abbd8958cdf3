"""Hostile text on a page is text: in every place where somebody writes what they like."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from replanctl.report.html import escape, tag
from tests.cli.conftest import Cli
from tests.report.conftest import page
from tests.report.reading import checked
from tests.trust import hostile
from tests.trust.hostile import PAYLOADS, Payload
from tests.trust.hostile import tag as tag_of
from tests.trust.test_hostile_text import squeezed, stands

every_payload = pytest.mark.parametrize("payload", PAYLOADS.values(), ids=PAYLOADS)

# The fields of the hostile rehearsal that stand on the page of its run.
SHOWN = (
    "assumption tool other_tool fallback action second_action key arg old_arg value field message cause rule "
    "draft_action draft_arg unknown_tool revised_action new_arg semantic gap denied reference new_goal last_action "
    "lesson"
)


@every_payload
def test_a_page_shows_text_as_text(cli: Cli, payload: Payload) -> None:
    cli.files(hostile.files(payload.raw))
    cli("run", "plan.yaml", "--lessons", "kept.yaml", "-q")
    text = page(cli, "1")
    shown = squeezed(checked(text).text)
    result = cli("show", "1", "--format", "json").out
    met = [field for field in SHOWN.split() if tag_of(field) in result]  # where the session came by
    assert len(met) > 20
    assert [field for field in met if not stands(shown, field, payload, some=True)] == []
    assert all(char.isprintable() or char in "\n\xa0\u3000" for char in text)
    assert "file:" not in text and page(cli, "1") == text


@every_payload
def test_the_lab_s_pages_show_text_as_text(cli: Cli, payload: Payload) -> None:
    cli.files(hostile.files(payload.raw))
    for line, fields in {
        "matrix template.yaml": "goal action second_action",
        "compare template.yaml --strategies none,patch,tail": "goal message",
        "compare template.yaml plan.yaml --strategies none,rewoo": "",
        "tune template.yaml plan.yaml": "",
    }.items():
        Path("lab.json").write_text(cli(*line.split(), "--no-store", "-q", "--format", "json").out, encoding="utf-8")
        shown = squeezed(checked(page(cli, "lab.json")).text)
        for field in fields.split():
            assert stands(shown, field, payload, some=True), (line, field)


def test_whatever_is_no_markup_is_escaped() -> None:
    foreign = "</p><script>alert(1)</script>\u202e&amp;\x1b"
    said = tag("p", foreign, tag("b", foreign), aria_label=f'"{foreign}')
    assert "<script" not in said and said.count("<p") == said.count("</p>") == 1
    assert said.count("&lt;/p&gt;") == 3 and said.count("⟨U+202E⟩") == 3 and "&amp;amp;" in said
    assert escape(said) == said, "markup is not escaped twice"


def test_a_result_written_by_hand_is_text_too(cli: Cli) -> None:
    """Nobody has to have run it: every text of the file is another's."""
    result = json.loads(cli("run", "plan.yaml", "--outcomes", "denied.yaml", "--no-store", "--format", "json").out)
    evil = "\"'><img src=x onerror=alert(1)>"
    said = json.dumps(_with(result, evil))
    Path("evil.json").write_text(said, encoding="utf-8")
    text = page(cli, "evil.json")
    checked(text)
    assert "<img" not in text and not re.search(r"\sonerror=alert\(1\)>", text)
    assert text.count("&lt;img") > 10


def _with(value: object, evil: str) -> object:
    """The value with this in every text that is no word of ours: the free ones."""
    free = {"goal", "detail", "cause", "rule", "action", "error_msg", "text", "tool", "id", "step_id"}
    match value:
        case dict():
            return {
                key: f"{each}{evil}" if key in free and isinstance(each, str) else _with(each, evil)
                for key, each in value.items()
            }
        case list():
            return [_with(each, evil) for each in value]
        case _:
            return value
