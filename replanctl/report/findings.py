"""What a run leaves behind: variables, gaps, effects, lessons, warnings."""

from __future__ import annotations

from replanctl.kinds import Health
from replanctl.report.parts import Section, bullets, cut, marked, own, table, value
from replanctl.run import SessionResult
from replanctl.show import words

LESSON = 1_000  # characters of a lesson that are shown: it is what later replans are told
_HEALTH = {Health.CLEAN: ("✓", "done"), Health.STALE: ("◐", "warn"), Health.VOID: ("✗", "failed")}


def variables(result: SessionResult) -> Section | None:
    """What steps produced, and whether it may still be used."""
    if not result.variables:
        return None
    rows = [
        [
            name,
            marked(_HEALTH[each.health][0], str(each.health), _HEALTH[each.health][1]),
            value(each.value),
            f"step {each.step_id} in {each.version}",
            ", ".join(each.assumptions) or "nothing",
            str(each.verdict or "none"),
        ]
        for name, each in result.variables.items()
    ]
    heads = ("Variable", "Health", "Value", "Made by", "Rests on", "Verdict")
    return Section(
        "variables", "Variables", table("What steps produced, and whether it may still be used", heads, rows)
    )


def gaps(result: SessionResult) -> Section | None:
    """Steps that went without a result."""
    if not result.gaps:
        return None
    rows = [
        [each.step_id, str(each.error_type), own(cut(each.error_msg)), ", ".join(each.blocked_by) or "nothing"]
        for each in result.gaps
    ]
    heads = ("Step", "Type", "Why", "Blocked by")
    return Section("gaps", "Gaps", table("Steps that went without a result", heads, rows))


def effects(result: SessionResult) -> Section | None:
    """Calls that took effect: of tools that act on the world, and others from the second time on."""
    if not result.effects:
        return None
    rows = [
        [each.tool, value(each.args), f"step {each.step_id} in {each.version}", words.number(each.times)]
        for each in result.effects
    ]
    caption = "Calls of tools that act on the world, and others that took effect more than once"
    return Section(
        "effects", "Effects", table(caption, ("Tool", "Args", "First by", "Times"), rows, numbers=("Times",))
    )


def lessons(result: SessionResult) -> Section | None:
    """The lesson book as the run left it."""
    if not result.lessons:
        return None
    rows = [
        [
            own(cut(each.text, LESSON)),
            str(each.error_type),
            f"step {each.step_id} in {each.version}" if each.step_id is not None else each.version,
            words.number(each.count),
        ]
        for each in result.lessons
    ]
    heads = ("Lesson", "From", "Learned at", "Times")
    return Section("lessons", "Lessons", table("What later replans are told", heads, rows, numbers=("Times",)))


def warnings(result: SessionResult) -> Section | None:
    """What was doubtful in the plan, its script or its course."""
    if not result.warnings:
        return None
    return Section("warnings", "Warnings", bullets([cut(text) for text in result.warnings]))
