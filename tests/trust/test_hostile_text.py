"""Hostile text stays text: on every screen, in every format, in every place where somebody writes what they like."""

from __future__ import annotations

import html
import json
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
from markdown_it import MarkdownIt

from tests.cli.conftest import Done
from tests.trust import hostile
from tests.trust.conftest import WideCli
from tests.trust.hostile import FIELDS, PAYLOADS, Payload, tag
from tests.trust.terminal import COLOUR, as_written, look

SESSION = (
    "goal assumption tool other_tool fallback action second_action expected key old_arg message cause rule "
    "draft_action unknown_tool revised_action new_arg semantic gap denied reference new_goal last_action lesson"
)
STORY_OF_B = (
    "other_tool fallback action second_action expected key old_arg value rule unknown_tool revised_action new_arg "
    "semantic gap last_action"
)
STORY_OF_D = "assumption tool other_tool second_action key message cause draft_action draft_arg denied last_action"

# Every screen of the rehearsal in `hostile`, and the fields that stand on it.
SCREENS = {
    "run plan.yaml --lessons book.yaml --no-store": SESSION,
    "run plan.yaml -q --no-store": "",
    "run template.yaml --no-store":
        "goal assumption tool other_tool fallback action second_action expected message",
    "show 1": SESSION,
    "show 1 --events":
        "goal assumption tool other_tool fallback action expected key arg old_arg environmental value field message "
        "cause rule draft_action draft_arg unknown_tool revised_action new_arg semantic gap denied reference new_goal "
        "last_action",
    "show 1 --variables": "assumption value field",
    "show 1 --ledger": "",
    "show 1 --lessons": "tool other_tool expected cause unknown_tool semantic denied new_goal lesson",
    "show 1 --handover":
        "tool other_tool expected value message cause unknown_tool semantic gap denied reference new_goal lesson",
    "runs": "goal",
    "why 2 --run 1": STORY_OF_D,
    "why b --run 1": STORY_OF_B,
    "why c --run 1": STORY_OF_B,
    "why d --run 1": STORY_OF_D,
    "why e --run 1": "other_tool reference",
    "prompt 1:v2": "goal other_tool action second_action message cause lesson",
    "prompt 1:v3": "goal other_tool second_action expected cause draft_action unknown_tool semantic lesson",
    "prompt 1:v4":
        "other_tool fallback expected cause draft_action unknown_tool revised_action semantic new_goal lesson",
    "graph 1 --format text": "tool other_tool new_goal last_action",
    "graph 1:v3 --format text": "tool fallback draft_action revised_action new_goal",
    "graph plan.yaml --format text": "goal tool other_tool action second_action",
    "coupling plan.yaml": "",
    "validate plan.yaml": "",
    "diff 1:v1 1:v2": "tool action second_action message draft_action",
    "diff 1:v2 1:v3": "other_tool fallback second_action key old_arg revised_action new_arg semantic",
    "diff 1:v3 1:v4": "other_tool fallback last_action",
    "diff plan.yaml 1:v1": "",
    "diff 1 1": "",
    "replay 1": "",
    "cost --run 1": "",
    "resume 1": SESSION,
}  # fmt: skip

# And those of the lab, which run it many times over.
LAB = {
    "matrix plan.yaml --goals --pairs 2 --jobs 1": "goal tool other_tool action second_action",
    "matrix plan.yaml template.yaml --jobs 1": "goal tool other_tool fallback action second_action",
    "tune plan.yaml template.yaml --max-steps 2 --jobs 1": "",
    "compare plan.yaml --strategies all --jobs 1": "goal tool other_tool second_action message draft_action",
    "compare plan.yaml template.yaml --strategies none,tail --jobs 1": "",
    "stats": "rule",
}


@pytest.fixture
def rehearsed(wide: WideCli, payload: Payload) -> WideCli:
    """A command line with the hostile plan in its folder, and run 1 of it in its store."""
    wide.files(hostile.files(payload.raw))
    done = wide("run", "plan.yaml", "--lessons", "kept.yaml", "-q")
    assert (done.code, done.err) == (1, ""), done
    return wide


every_payload = pytest.mark.parametrize("payload", PAYLOADS.values(), ids=PAYLOADS)


# -- on a terminal ----------------------------------------------------------------------------------------------------


@every_payload
@pytest.mark.parametrize(("columns", "color"), [(400, "never"), (80, "always")])
def test_a_screen_shows_text_as_text(
    rehearsed: WideCli, payload: Payload, columns: int, color: str, looked_at: Callable[[int], None]
) -> None:
    looked_at(look_at(SCREENS, rehearsed, payload, columns, color))


@every_payload
@pytest.mark.parametrize(("columns", "color"), [(400, "never"), (80, "always")])
def test_a_screen_of_the_lab_shows_text_as_text(
    rehearsed: WideCli, payload: Payload, columns: int, color: str, looked_at: Callable[[int], None]
) -> None:
    looked_at(look_at(LAB, rehearsed, payload, columns, color))


def look_at(screens: Mapping[str, str], rehearsed: WideCli, payload: Payload, columns: int, color: str) -> int:
    """Draw each of these screens and find its fields on it; how many were found."""
    rehearsed.columns = columns
    cells = 0
    for line, fields in screens.items():
        done = rehearsed(*line.split(), "--color", color)
        assert done.code in (0, 1), (line, done)
        shown = shown_by(done, columns, color, folded=not line.startswith("prompt"))
        for field in fields.split():
            assert stands(shown, field, payload, some=columns == 400), (line, field, shown)
            cells += 1
    return cells


def shown_by(done: Done, columns: int, color: str, *, folded: bool) -> str:
    """What a terminal shows; it must be asked for nothing but to write, and show what was written letter by letter.

    Lines that nothing may fold are looked at on a terminal that has room for them.
    """
    seen = look(done.out + done.err, columns if folded else 1_000)
    assert set(seen.acts) <= ({COLOUR} if color == "always" else set())
    assert seen.text == as_written(re.sub(r"\x1b\[[0-9;]*m", "", done.out + done.err))
    assert all(char.isprintable() or char in "\n\xa0\u3000" for char in seen.text)
    return squeezed(seen.text, folded=folded)


def squeezed(text: str, *, folded: bool = True) -> str:
    """The text without spaces, and without the line ends that folding adds."""
    return re.sub(r"\s" if folded else r"[^\S\n]", "", unicodedata.normalize("NFC", text))


def stands(shown: str, field: str, payload: Payload, *, some: bool) -> bool:
    """Whether a field's text can be read wherever it begins: whole, or as far as an ellipsis says. `some` is at least
    once. A value is written as JSON, where what can't be seen is an escape."""
    mark = tag(field)
    as_json = json.dumps(payload.raw, ensure_ascii=False)[1:-1].replace("\x7f", "⟨U+007F⟩")
    twice = json.dumps(as_json, ensure_ascii=False)[1:-1]
    forms = [squeezed(spelled(form)) for form in (payload.seen, as_json, twice)]
    places = [found.end() for found in re.finditer(mark, shown)]
    opening = [at for at in places if not shown[: at - len(mark)].endswith(tuple(forms))]
    readable = all(any(begins(shown[at:], form + mark) for form in forms) for at in opening)
    return readable and (bool(opening) or not some)


def begins(text: str, whole: str) -> bool:
    same = next((at for at, (one, other) in enumerate(zip(text, whole, strict=False)) if one != other), len(whole))
    return same >= len(whole) or text[same : same + 1] in "…\n]"  # `]` ends the first words of a message


def spelled(text: str) -> str:
    """A text with what JSON leaves as it is and nobody can see spelled out, and line ends as spaces."""
    return "".join(map(_spelled, text))


def _spelled(char: str) -> str:
    if char in "\x85\u2028\u2029":
        return " "
    hidden = unicodedata.category(char) in ("Cc", "Cf") or char in "\u3164\ufe01"
    return f"⟨U+{ord(char):04X}⟩" if hidden else char


# -- in a document ----------------------------------------------------------------------------------------------------

DOCUMENTS = (
    "run plan.yaml --lessons book.yaml --no-store --format json", "show 1 --format json", "why b --run 1 --format json",
    "show 1 --events --variables --ledger --lessons --handover --format json", "runs --format json",
    "prompt 1:v3 --format json", "diff 1:v2 1:v3 --format json", "coupling plan.yaml --format json",
    "validate plan.yaml --format json",
)  # fmt: skip
LINES = "run plan.yaml --lessons book.yaml --no-store --format jsonl"


@every_payload
def test_json_keeps_every_character_and_hides_none(rehearsed: WideCli, payload: Payload) -> None:
    documents = {line: rehearsed(*line.split()).out for line in (*DOCUMENTS, LINES)}
    for line, said in documents.items():
        assert all(char.isprintable() or char in "\n\xa0\u3000" for char in said), line
        assert look(said, 100_000).acts == []
    texts = set(strings(json.loads(documents[DOCUMENTS[0]])))
    texts |= {text for line in documents[LINES].splitlines() for text in strings(json.loads(line))}
    for field in set(FIELDS) - {"premise", "reference", "lesson"}:
        assert any(hostile.marked(payload.raw)(field) in text for text in texts), field
    assert any(json.dumps(payload.raw, ensure_ascii=False)[1:-1] in text for text in texts)  # in a reference


def strings(value: Any) -> Iterator[str]:
    """Every text in a JSON value, keys included."""
    if isinstance(value, dict):
        yield from value
        for each in value.values():
            yield from strings(each)
    elif isinstance(value, list):
        for each in value:
            yield from strings(each)
    elif isinstance(value, str):
        yield value


# -- in a picture and in Markdown -------------------------------------------------------------------------------------

BOX = re.compile(r'  n\d+\["((?:[\w .,_✓✗○-]|#\d+;|<br/>)*)"\]')
MERMAID = re.compile(r"flowchart TD|  n\d+ --> n\d+|  classDef \w+ [\w:#,-]+|  class n\d+(,n\d+)* \w+")
LABEL = r'"((?:[^"\\\n]|\\.)*)"'
NODE = re.compile(rf'  (?:"\w+"|graph) \[label={LABEL}(?:, [\w=,"# ]+)?\];')
DOT = re.compile(r'digraph plan {|  node \[shape=box\];|  "\w+" -> "\w+";|}')


@every_payload
@pytest.mark.parametrize(("form", "box", "other"), [("mermaid", BOX, MERMAID), ("dot", NODE, DOT)])
def test_a_picture_is_of_boxes_and_arrows(
    rehearsed: WideCli, payload: Payload, form: str, box: re.Pattern[str], other: re.Pattern[str]
) -> None:
    for what, fields in (("plan.yaml", "action second_action tool other_tool"), ("1", "last_action tool other_tool")):
        lines = rehearsed("graph", what, "--format", form).out.splitlines()
        labels = [found[1] for line in lines if (found := box.fullmatch(line))]
        assert [line for line in lines if not box.fullmatch(line) and not other.fullmatch(line)] == []
        shown = squeezed("\n".join(read_label(label, form) for label in labels))
        assert all(stands(shown, field, payload, some=True) for field in fields.split())


def read_label(label: str, form: str) -> str:
    """What stands in a box, as Mermaid and Graphviz read it."""
    if form == "mermaid":
        text = re.sub(r"#(\d+);", lambda found: chr(int(found[1])), label.replace("<br/>", "\n"))
        return re.sub(r"(?<=[$:])\u200b(?=\$|fa-)", "", text)
    return html.unescape(re.sub(r"\\(.)", lambda found: "\n" if found[1] == "n" else found[1], label))


@every_payload
def test_markdown_is_a_table_of_text(rehearsed: WideCli, payload: Payload) -> None:
    said = rehearsed("diff", "1:v2", "1:v3", "--format", "markdown").out
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(said)
    inline = [child for token in tokens for child in token.children or ()]
    assert {token.tag for token in (*tokens, *inline) if token.tag} <= {
        "h3", "table", "thead", "tbody", "tr", "th", "td", "p", "code", "s", "br",
    }  # fmt: skip
    assert {token.content for token in inline if token.type == "html_inline"} <= {"<br>", "<!-- -->"}
    shown = squeezed("".join(token.content for token in inline if token.type in ("text", "text_special")))
    for field in SCREENS["diff 1:v2 1:v3"].split()[:-1]:
        assert stands(shown, field, payload, some=True), (field, shown)
    assert re.findall(r"[@#]\w|:\w+:|(?<!\\)\$", said) == []


# -- in columns -------------------------------------------------------------------------------------------------------


def uneven(text: str) -> dict[str, Any]:
    """A plan whose texts take very different room; every tool begins with a word of its own."""
    actions = ["a", text, f"{text} {text} {text}", "look it up in the list", text * 9]
    steps = [
        {"id": n, "action": action, "tool": f"Tool{text}", "depends_on": [], "on_failure": "skip"}
        for n, action in enumerate(actions, 1)
    ]
    return {"goal": f"Goal {text}", "steps": steps, "outcomes": [{"match": {"step": 4}, "returns": ["shape"]}]}


@pytest.mark.parametrize("columns", [60, 80, 120, 400])
@every_payload
def test_columns_stand_under_each_other(wide: WideCli, payload: Payload, columns: int) -> None:
    wide.columns = columns
    wide.files({"plan.yaml": hostile.yaml(uneven(payload.raw)), "plain.yaml": hostile.yaml(uneven("x"))})
    screens = {
        "run plan.yaml": ("Tool", r"^ *\S+s +\S+s [✓✗] "),
        "graph plan.yaml --format text": ("Tool", "Tool"),
        "run plain.yaml -q": None,
        "runs": ("pla", r"^ +\d+ "),
    }
    for line, expected in screens.items():
        seen = look(wide(*line.split()).out, columns)
        if expected is not None:
            word, rows = expected
            found = seen.columns_of(word, rows)
            assert (len(set(found)), len(found)) == (1, 5 if word == "Tool" else 2), (line, found, seen.text)
