"""What the YAML parser complains about, said with the way out."""

from __future__ import annotations

import re

import yaml

from replanctl.files.faults import Fault

# Anything a YAML text may not hold, whether it is quoted or not; compiled only when it is needed, for that takes 3 ms.
_CONTROL = "[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"

# What the parser says, the rule and the way out; the first that is contained in its message counts.
_HINTS = (
    ("nesting depth", "too-deep", "64 levels are the most"),
    ("escape", "bad-escape", "write \\\\ for a backslash, or use single quotes"),
    ("hexdecimal", "bad-escape", "write \\\\ for a backslash, or use single quotes"),
    ("cannot start any token", "yaml-syntax", "indent with spaces, and quote a text that begins with @, ` or %"),
    ("mapping values are not allowed", "yaml-syntax", 'quote a text that holds ": ", and mind the indentation'),
    ("could not find expected ':'", "yaml-syntax", "a key is followed by a colon and a space"),
    ("unexpected end of stream", "yaml-syntax", "a quote or bracket is not closed"),
    ("expected ',' or", "yaml-syntax", "a bracket is not closed, or a comma is missing"),
    ("expected node content", "yaml-syntax", "a value is missing, or a comma is one too many"),
    ("", "yaml-syntax", "mind the indentation, and quote texts that hold special characters"),
)
# What is told where it begins: where the parser gave up there is nothing to see.
_BEGUN = ("could not find expected ':'", "unexpected end of stream")
_LONG = 1000  # characters without any of these before a colon
_STRUCTURE = frozenset(",:{}[]\n\r")


def syntax_fault(error: Exception, text: str) -> Fault:
    """The parser's complaint as a fault with its place."""
    if isinstance(error, UnicodeEncodeError):
        return Fault(
            "lone-surrogate", "half of a surrogate pair is not text", "save the file as UTF-8", index=error.start
        )
    if not isinstance(error, yaml.MarkedYAMLError):
        return _forbidden(error, text)
    what = ", ".join(filter(None, (error.context, error.problem)))
    begun, at = error.context_mark, error.problem_mark or error.context_mark
    rule, hint = next((rule, hint) for words, rule, hint in _HINTS if words in what)
    if at and _ends_long_key(text, at.index):
        hint = "a key has at most 1,024 characters"
    if begun and at and begun.line != at.line:
        if any(words in what for words in _BEGUN):
            at = begun
        else:
            what = what.replace(",", f" that begins in line {begun.line + 1},", 1)
    return Fault(rule, f"not YAML: {what}", hint, index=min(at.index, len(text)) if at else 0)


def _ends_long_key(text: str, at: int) -> bool:
    """Whether a colon is not taken for one, because what stands before it is too long for a key."""
    return text[at : at + 1] == ":" and at > _LONG and not _STRUCTURE & set(text[at - _LONG : at])


def _forbidden(error: Exception, text: str) -> Fault:
    found = re.search(_CONTROL, text)
    if found is None:
        return Fault("yaml-syntax", f"not YAML: {error}", index=0)
    name = f"U+{ord(found.group()):04X}"
    return Fault(
        "control-character",
        f"the character {name} is not allowed",
        'inside "…", write it as an escape',
        index=found.start(),
    )
