"""Variables and whether they may still be used."""

from __future__ import annotations

from replanctl.run import SessionResult, VariableView
from replanctl.show.paper import Paper, Span
from replanctl.show.section import entry
from replanctl.show.text import width
from replanctl.show.words import brief, some

_STYLES = {"clean": "done", "stale": "notice", "void": "failed"}
_BY_VERDICT = {"keep": "clean", "convert": "clean", "discard": "void"}  # unless something came after it


def section(paper: Paper, result: SessionResult) -> None:
    """The variables by health, on a line for each health and what it is owed to."""
    # By health and reason, not one by one: a premise that falls takes all that rest on it, and that is one thing to
    # know.
    groups: dict[tuple[str, str], list[str]] = {}
    for name, variable in result.variables.items():
        groups.setdefault((variable.health, _because(variable)), []).append(name)
    for at, ((health, because), names) in enumerate(groups.items()):
        shown = f"{some(names, paper.glyphs.ellipsis)} "
        entry(paper, "" if at else "variables", shown, Span(health, _STYLES.get(health, "")), because)


def _because(variable: VariableView) -> str:
    # A verdict explains a health only as long as nothing came after it.
    if variable.verdict and variable.health == _BY_VERDICT.get(variable.verdict):
        return f", by the verdict {variable.verdict}"
    if variable.health != "clean" and variable.assumptions:
        return f", rests on {', '.join(variable.assumptions)}"
    return ""


def view(paper: Paper, result: SessionResult) -> None:
    """Every variable in a line: its health, its value or what that is, where it comes from and what it rests on."""
    if not result.variables:
        paper.line("No step has produced a variable.", indent=2)
        return
    paper.hold()
    widest = min(max(map(len, result.variables)), max(paper.width // 4, 4))
    facts = [paper.joined(_facts(variable)) for variable in result.variables.values()]
    room = _value_room(paper, result, paper.width - widest - 13, max(map(width, map(paper.clean, facts))))
    for (name, variable), said in zip(result.variables.items(), facts, strict=True):
        paper.line(
            paper.cell(name, widest) + "  ",
            Span(f"{variable.health:<5}", _STYLES.get(variable.health, "")),
            f"  {paper.cell(brief(variable.value, room, paper.glyphs), room)}",
            Span(f"  {paper.cut(said, paper.width - widest - room - 13)}", "dim"),
            indent=2,
        )
    paper.flush()


def _value_room(paper: Paper, result: SessionResult, columns: int, facts: int) -> int:
    """The columns for values, of those for values and facts: what the facts leave, but at least half, if needed."""
    room = max(columns - facts, columns // 2, 8)
    return max(width(paper.clean(brief(variable.value, room, paper.glyphs))) for variable in result.variables.values())


def _facts(variable: VariableView) -> list[str]:
    return [
        f"step {variable.step_id} in {variable.version}",
        *([f"verdict {variable.verdict}"] if variable.verdict else []),
        *([f"rests on {', '.join(variable.assumptions)}"] if variable.assumptions else []),
    ]
