"""The scripted planner's rules, and the drafts of planners outside.

A planner outside is mostly a model, which likes to put its answer into a code fence and to say something around it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Any

from replanctl.files.faults import At, Fault
from replanctl.files.plan import drafted_step
from replanctl.files.reader import Document, Text, read, refuse
from replanctl.files.shapes import Fields, choice, list_of, made_of, map_of, optional, record, text
from replanctl.files.words import known_step, variable
from replanctl.kinds import ErrorType, Granularity, Otherwise, Verdict
from replanctl.replan import PlannerRule, PlannerWhen

_WHEN: Fields = {
    "error": optional(text),
    # A goal change has no signal; `goal` is what matches it.
    "type": optional(choice(ErrorType, ErrorType.GOAL_CHANGED)),
    "step": optional(known_step),
    "granularity": optional(choice(Granularity)),
    "goal": optional(text),
}


_drafted_steps = list_of(drafted_step)


@made_of("same", _drafted_steps)
def steps(value: Any, at: At) -> Any:
    """The steps of a draft, no two with the same id."""
    found = _drafted_steps(value, at)
    seen: set[str] = set()
    for index, raw in enumerate(value if isinstance(value, list) else ()):
        id_ = str(raw.get("id")) if isinstance(raw, dict) and isinstance(raw.get("id"), str | int) else None
        if id_ in seen:
            at[index]["id"].error("duplicate-id", f"the draft has two steps {id_}", "give one of them another id")
        elif id_ is not None:
            seen.add(id_)
    return found


_verdicts = map_of(choice(Verdict), key=variable)
_DRAFT: Fields = {"steps": steps, "verdicts": _verdicts, "cause": text}

draft = record(PlannerRule, _DRAFT, required=("steps",), what="a list of steps or {steps, verdicts, cause}")

_answer = record(
    PlannerRule, {"when": record(PlannerWhen, _WHEN), **_DRAFT}, required=("steps",), what="a planner rule"
)
_otherwise = record(PlannerRule, {"otherwise": choice(Otherwise)}, required=("otherwise",))


@made_of("either", _answer, _otherwise)
def _rule(value: Any, at: At) -> Any:
    return (_otherwise if isinstance(value, dict) and "otherwise" in value else _answer)(value, at)


_rules = list_of(_rule)


@made_of("same", _rules)
def planner(value: Any, at: At) -> Any:
    """The rules of the scripted planner, in order."""
    rules = _rules(value, at)
    for index, rule in enumerate(value[:-1] if isinstance(value, list) else ()):
        if isinstance(rule, dict) and "otherwise" in rule:
            at[index + 1].warning(
                "unreachable-rule", "otherwise stands before this rule and always matches", "put otherwise last"
            )
            break
    return rules


# -- what a planner outside answers -----------------------------------------------------------------------------------

# A line of three or more backticks or tildes opens a block, and one of at least as many of the same closes it.
_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})[^`\r\n]*(?=[\r\n]|\Z)", re.MULTILINE)
_ABOVE = re.compile(r"[^\r\n]+")


def parse_draft(text: str, origin: str, known: Collection[str] = ()) -> PlannerRule:
    """The draft a planner outside wrote: YAML or JSON, a list of steps or `{steps, verdicts, cause}`.

    Where the whole text is neither, the one code block in it is the answer. `origin` names it in messages, `known` are
    the ids that an unquoted reference may mean besides the draft's own. Raises InputError with all that is wrong.
    """
    # The whole text is tried first: a plan whose args hold a code block is an answer, and the block in it is not.
    document = _answer_in(read(origin, text), text)
    found = document.made(steps if isinstance(document.value, list) else draft)
    if document.marked:
        from replanctl.files.syntax import ids_in, unquoted_references

        own = document.text
        document.note(unquoted_references(own.parsed, own.events, {*known, *ids_in(own.parsed)}))
    refuse(document.problems())
    rule: PlannerRule = PlannerRule(steps=found) if isinstance(found, tuple) else found
    return rule


def _answer_in(whole: Document, text: str) -> Document:
    """The document of the whole text where that is a draft, else of the one block in it, which keeps its lines."""
    if _is_draft(whole.value):
        return whole
    blocks = list(_blocks(text))
    if not blocks:
        return whole
    (start, end), *others = blocks
    # Of two blocks nobody can say which is meant, and one that is cut off may be half a plan.
    if others or end is None:
        why = "a second code block begins here" if others else "the code block that begins here is not closed"
        refused = Document(whole.name, Text(text))
        index = refused.text.parsed_at(others[0][0] if others else start)
        refused.refused(Fault("several-answers" if others else "open-block", why, "answer with one", index=index))
        return refused
    # What stands before the block becomes spaces, so that lines and columns of a complaint are those of the answer as
    # it came.
    return read(whole.name, _ABOVE.sub(lambda found: " " * len(found[0]), text[:start]) + text[start:end])


def _is_draft(value: Any) -> bool:
    if isinstance(value, list):
        return all(isinstance(item, dict) for item in value)
    return isinstance(value, dict) and "steps" in value


def _blocks(text: str) -> Iterator[tuple[int, int | None]]:
    """Where the inside of each code block begins and ends; None where nothing closes it."""
    opened: re.Match[str] | None = None
    for fence in _FENCE.finditer(text):
        if opened is None:
            opened = fence
        elif fence[0].strip() == fence[1] and fence[1].startswith(opened[1]):
            yield opened.end(), fence.start()
            opened = None
    if opened is not None:
        yield opened.end(), None
