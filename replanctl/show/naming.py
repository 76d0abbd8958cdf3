"""What a step is called on a screen that says its number and its tool beside it."""

from __future__ import annotations

import re

from replanctl.plan import StepLike

_WORD = re.compile(r"[a-z]+|[A-Z][a-z]*")  # a tool that is called like a plain word of an action


def title(step: StepLike) -> str:
    """The action, without the number that an imported step's action ends in: it stands beside it as the id."""
    # Imported steps end in their number so that no two share an action, which a fingerprint compares. Beside the id it
    # would be said twice.
    told = step.action.removesuffix(f" {step.id}")
    if told != step.action and (told.endswith("…") or _spelled(told, step.tool)):
        return told
    return step.action


def tool_beside(step: StepLike) -> str:
    """The tool, or nothing where the action begins with its name already."""
    return "" if step.action != step.tool and _spelled(title(step), step.tool) else step.tool


def _spelled(action: str, tool: str) -> bool:
    """Whether an action is the tool's name and what it is called with, rather than a sentence that begins alike."""
    if action == tool:
        return True
    rest = action.removeprefix(f"{tool} ")
    return rest != action and (not _WORD.fullmatch(tool) or rest.endswith("…") or rest.upper() == rest.lower())
