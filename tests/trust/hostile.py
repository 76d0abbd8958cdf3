"""Text that wants to be more than text, and a plan that has it in every place where a person writes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, NamedTuple

ESC = "\x1b"


class Payload(NamedTuple):
    """A text, and how a person must see it."""

    raw: str
    seen: str


def same(text: str) -> Payload:
    """Ordinary characters, however much they look like something else."""
    return Payload(text, text)


PAYLOADS = {
    # Rich markup, Markdown, HTML, graph languages
    "closing tag": same("[/x] [/]"),
    "link": same("[link=http://e.vil]l[/link]"),
    "style": same("[bold red]b[/bold red] [@click=f()] list[str]"),
    "emoji code": same(":smile: :warning:"),
    "markdown": same("`*_b_*` | ~~c~~ ![x](y) # > -"),
    "html": same("<b onclick=x>&amp;&#8238;</b><br>"),
    "graph": same('"]; A --> B; %%{init}%% $$x$$ #quot; \\N \\" }'),
    # what a terminal acts on
    "colour and erase": Payload(f"{ESC}[31mr{ESC}[2J{ESC}[H", "⟨U+001B⟩[31mr⟨U+001B⟩[2J⟨U+001B⟩[H"),
    "hyperlink": Payload(f"{ESC}]8;;http://e{ESC}\\l{ESC}]8;;{ESC}\\",
                         "⟨U+001B⟩]8;;http://e⟨U+001B⟩\\l⟨U+001B⟩]8;;⟨U+001B⟩\\"),
    "clipboard": Payload(f"{ESC}]52;c;ZXZpbA==\a", "⟨U+001B⟩]52;c;ZXZpbA==⟨U+0007⟩"),
    "title": Payload(f"{ESC}]0;t\a{ESC}Pq{ESC}\\{ESC}c", "⟨U+001B⟩]0;t⟨U+0007⟩⟨U+001B⟩Pq⟨U+001B⟩\\⟨U+001B⟩c"),
    "C1": Payload("\x9b31m\x9d0;t\x9c\x84", "⟨U+009B⟩31m⟨U+009D⟩0;t⟨U+009C⟩⟨U+0084⟩"),
    "overprinting": Payload("safe\rEVIL\b\b\vx\fy", "safe EVIL⟨U+0008⟩⟨U+0008⟩ x y"),
    "controls": Payload("\0\a\x0e\x0f\x11\x7f", "⟨U+0000⟩⟨U+0007⟩⟨U+000E⟩⟨U+000F⟩⟨U+0011⟩⟨U+007F⟩"),
    "line ends": Payload("a\r\nb\nc\x85d\u2028e\u2029f", "a b c d e f"),
    # what turns text round or can't be seen
    "bidi": Payload("a\u202eb\u2066c\u2069\u200f\u061c", "a⟨U+202E⟩b⟨U+2066⟩c⟨U+2069⟩⟨U+200F⟩⟨U+061C⟩"),
    "zero width": Payload("a\u200bb\u200dc\ufeffd\u2060\u00ad", "a⟨U+200B⟩b⟨U+200D⟩c⟨U+FEFF⟩d⟨U+2060⟩⟨U+00AD⟩"),
    "tags": Payload("a\U000e0041\u3164\ufe01", "a⟨U+E0041⟩⟨U+3164⟩⟨U+FE01⟩"),
    # what takes no column or two
    "Chinese": same("比较三家，对齐。ｆ"),
    "Japanese, Korean, Thai": same("ﾊﾝ日本語한글ไทย้"),
    "combining": same("e\u0301n\u0303x\u0323\u0307"),
    "emoji": same("👍🚀❤⚠"),
}  # fmt: skip

# The three kinds that must change nothing, and the one that must not shift a column.
WIDE = ("Chinese", "Japanese, Korean, Thai", "combining", "emoji")

# Every place of the files below where a person or a tool may write what they like.
FIELDS = (
    "goal", "assumption", "premise", "tool", "other_tool", "fallback",
    "action", "second_action", "expected", "key", "arg", "old_arg",
    "environmental", "value", "field", "message", "cause", "rule",
    "draft_action", "draft_arg", "unknown_tool", "revised_action", "new_arg", "semantic",
    "gap", "denied", "reference", "new_goal", "last_action", "lesson",
)  # fmt: skip


def tag(field: str) -> str:
    """What stands on both sides of a field's text, so that it is found again."""
    index = FIELDS.index(field)
    return f"q{chr(97 + index // 26)}{chr(97 + index % 26)}q"


def marked(payload: str) -> Callable[[str], str]:
    """The text of each field with this payload in it."""
    return lambda field: f"{tag(field)}{payload}{tag(field)}"


def plan(payload: str) -> dict[str, Any]:
    """A plan that comes by everything a screen can show: a refuted premise, a refused draft, a changed goal, a gap, a
    step that only a person can settle."""
    h = marked(payload)
    return {
        "goal": h("goal"),
        "assumptions": {h("assumption"): h("premise"), "sound": None},
        "tools": {
            h("tool"): {"fallback": [h("fallback")]},
            h("other_tool"): {},
            h("fallback"): {},
        },
        "steps": [
            {"id": 1, "tool": h("tool"), "action": h("action"), "assumes": [h("assumption"), "sound"],
             "args": {h("key"): h("arg")}},
            {"id": 2, "tool": h("other_tool"), "action": h("second_action"), "expected_outcome": h("expected"),
             "args": {h("key"): "#E1"}},
            {"id": 3, "tool": h("other_tool"), "action": h("action")},
        ],
        "policy": {
            "lessons": {"max": 9},
            "routing": {"rules": [{"name": h("rule"), "when": {"step": "b"}, "granularity": "tail"}]},
        },
        "planner": [
            {"when": {"goal": tag("new_goal")}, "verdicts": {"Ea": "keep", "Eb": "keep"}, "steps": [
                {"id": "c", "tool": h("other_tool"), "action": h("last_action"), "on_failure": "defer",
                 "replaces": "b"},
                {"id": "d", "tool": h("tool"), "action": h("last_action"), "depends_on": [], "replaces": "a"},
                {"id": "e", "tool": h("other_tool"), "on_failure": "defer", "depends_on": [],
                 "args": {"x": f"#Eb[{json.dumps(h('reference'), ensure_ascii=False)}]"}},
            ]},
            {"when": {"type": "invalid_draft"}, "steps": [
                {"id": "b", "tool": h("fallback"), "action": h("revised_action"), "args": {h("key"): h("new_arg")},
                 "depends_on": ["a"]},
                {"id": "f", "tool": h("fallback")},
            ]},
            {"when": {"step": "b"}, "steps": [{"id": "b", "tool": h("unknown_tool"), "action": "never made"}]},
            {"when": {"step": 2}, "cause": h("cause"), "verdicts": {"E1": "keep"}, "steps": [
                {"id": "a", "tool": h("tool"), "action": h("draft_action"), "args": {h("key"): h("draft_arg")},
                 "replaces": 2},
                {"id": "b", "tool": h("other_tool"), "action": h("second_action"), "args": {h("key"): h("old_arg")},
                 "expected_outcome": h("expected")},
            ]},
        ],
        "outcomes": [
            {"match": {"step": "d"}, "returns": [{"status": "denied", "message": h("denied")}]},
            {"match": {"step": "c"}, "returns": [{"status": "empty", "message": h("gap")}]},
            {"match": {"step": "b", "version": 2}, "returns": [{"status": "semantic", "message": h("semantic")}]},
            {"match": {"step": "b"}, "returns": [{"status": "ok", "value": {"t": h("value")}}]},
            {"match": {"step": 2, "version": 1},
             "returns": [{"status": "shape", "message": h("message"), "refutes": [h("assumption")]}]},
            {"match": {"tool": h("tool"), "version": 1},
             "returns": [{"status": "unavailable", "message": h("environmental")}]},
            {"match": {"step": 1}, "returns": [{"status": "ok", "value": {h("field"): h("value")}}]},
        ],
        "interruptions": [{"after": "f", "goal": h("new_goal")}],
    }  # fmt: skip


def lesson_book(payload: str) -> dict[str, Any]:
    """A book with one lesson from an earlier run."""
    text = f"v1 step 9 semantic: {marked(payload)('lesson')}; avoid: none"
    return {"lessons": [{"text": text, "count": 1, "version": "v1", "step_id": "9", "error_type": "semantic"}]}


def files(payload: str) -> dict[str, str]:
    """The plan, the same without its planner, and a lesson book to be changed and one to be left as it is."""
    whole, book = plan(payload), yaml(lesson_book(payload))
    template = {key: value for key, value in whole.items() if key not in ("planner", "policy")}
    return {"plan.yaml": yaml(whole), "template.yaml": yaml(template), "book.yaml": book, "kept.yaml": book}


def yaml(value: Any) -> str:
    """A value as YAML in ASCII, so that every character gets past the reader and into the plan."""
    text = json.dumps(value, ensure_ascii=False)
    return re.sub(r"[^ -~]", lambda char: f"\\U{ord(char[0]):08X}", text)
