"""What is told below the rows of a session: what is done about a failure, and whose health it changed."""

from __future__ import annotations

from collections.abc import Sequence

from replanctl.kinds import GateName, Granularity, OnFailure
from replanctl.replan import GATE, Bound
from replanctl.run import Gate, PlanDraft, PlanRejected, Route, RouteView, Signal, VariableHealth
from replanctl.show.columns import NARROW, Columns
from replanctl.show.paper import Span
from replanctl.show.text import GLUE, width
from replanctl.show.words import ON_FAILURE, RULES, counted, number, plural, reading, some


class FailureLines:
    """Writes the lines below a failed step. Gates are gathered until something else is said: they share a line."""

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self._gates: list[Gate] = []
        self._reasons: tuple[str, ...] = ()  # of the draft that was refused last for this failure
        self._refused = 0  # how often for these very reasons

    def signal(self, event: Signal) -> None:
        """A failure that is not replanned says what becomes of it."""
        if event.on_failure is not OnFailure.REPLAN:
            self._columns.detail(event.on_failure.value, ON_FAILURE[event.on_failure.value])

    def route(self, event: Route, below: str | None) -> None:
        """The decision; `below` is the step whose row is just above."""
        self._reasons = ()
        arrow = self._columns.paper.glyphs.arrow
        whose = f"step {event.step_id}: " if event.step_id not in (below, None) else ""
        # Glued: the rule and its depth are one word to a reader, and are searched for as one.
        decided = f"{whose}{event.rule} {arrow} {event.granularity}".replace(" ", GLUE)
        self._columns.detail("route", Span(decided, "strong"), f"   {route_in_words(event)}")

    def gate(self, event: Gate) -> None:
        """One reading; a refusal ends the line and says what it means."""
        self._gates.append(event)
        if not event.admitted:
            self.flush()
            one_step = event.gate is GateName.PER_STEP  # it is handed over, and the others go on
            self._columns.detail("gave up" if one_step else "stopped", refusal(event), style="failed")

    def draft(self, event: PlanDraft) -> None:
        """A replanner's answer, as far as it needs explaining."""
        if event.error:
            self._columns.detail("draft", f"{event.replanner} failed: {event.error}", style="failed")
        if event.mapping:
            arrow = self._columns.paper.glyphs.arrow
            names = ", ".join(f"{local} {arrow} {id_}" for local, id_ in event.mapping.items())
            self._columns.detail("named", f"the draft's {names} here")
        for warning in event.warnings:
            self._columns.detail("warning", warning, style="notice")

    def rejected(self, event: PlanRejected) -> None:
        """A refused draft, with every reason; where they are those of the draft before, how often that was."""
        # A planner that is asked again may say the same again, and a scripted or recorded one always does.
        if event.reasons == self._reasons:
            self._refused += 1
            again = f"refused again for the same reasons, {number(self._refused)} times so far"
            self._columns.detail("draft", again, style="failed")
            return
        self._reasons, self._refused = event.reasons, 1
        for at, reason in enumerate(event.reasons):
            self._columns.detail("" if at else "draft", f"refused: {reason}", style="failed")

    def flush(self) -> None:
        """Write the readings gathered so far: of what was spent before, and with what the replan takes after it."""
        shown = [gate for gate in self._gates if gate.gate != "max_repeat" or gate.reading or not gate.admitted]
        self._gates = []
        if len(shown) <= 1:  # no replan: the gate of a step, a call or a wait
            for gate in shown:
                self._columns.detail("gates", self._reading(gate))
            return
        # A reading that has to stay within the limit holds already what the replan would take.
        halves = [
            (word, [gate for gate in shown if (GATE[gate.gate].at_a_replan is Bound.WITHIN) is holds])
            for word, holds in (("before", False), ("after", True))
        ]
        lines = [self._readings(word, readings) for word, readings in halves if readings]
        if sum(width(span.text) for line in lines for span in line) + 3 <= self._columns.room:
            lines = [[span for at, line in enumerate(lines) for span in (*([Span("   ")] if at else []), *line)]]
        for at, line in enumerate(lines):
            self._columns.detail("" if at else "gates", *line)

    def _readings(self, word: str, readings: Sequence[Gate]) -> list[Span]:
        """The readings of one side, with what they have in common in front."""
        spans = [Span(f"{word} " if self._columns.paper.width < NARROW else f"{word:<8}", "dim")]
        for at, gate in enumerate(readings, 1):
            text, style = self._reading(gate)
            spans.append(Span(f"{text}{GLUE}{self._columns.paper.glyphs.dot} " if at < len(readings) else text, style))
        return spans

    def _reading(self, gate: Gate) -> Span:
        limit = "" if gate.limit is None else f"/{reading(gate.gate, gate.limit)}"
        refused = "" if gate.admitted else f" {self._columns.paper.glyphs.failed.strip()}"
        text = f"{GATE[gate.gate].word} {reading(gate.gate, gate.reading)}{limit}{refused}"
        return Span(text.replace(" ", GLUE), "" if gate.admitted else "failed")


def refusal(gate: Gate) -> str:
    """Why a gate stopped the session, in words, with the reason's name."""
    return f"{counted(gate.gate, gate.reading, gate.limit)} ({GATE[gate.gate].reason})"


def route_in_words(event: Route | RouteView) -> str:
    """What the rule saw, and whether the ladder lifted it."""
    words = [RULES.get(event.rule, "a rule of this policy").format(resting=resting(event.radius))]
    if event.escalated_from is not None:
        words.append(f"lifted from {event.escalated_from}: this step was replanned before")
    if event.granularity is Granularity.NONE:
        words.append("a person decides once the rest has run")
    return "; ".join(words)


def resting(radius: int | None) -> str:
    """How many steps rest on a failure, as a sentence."""
    if not radius:
        return "nothing rests on it"
    return f"{plural(radius, 'step')} {'rests' if radius == 1 else 'rest'} on it"


class HealthLines:
    """Holds changes of health until something else is said; equal ones share a line."""

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self._groups: dict[tuple[str, str], list[str]] = {}

    def __bool__(self) -> bool:
        """Whether something was gathered."""
        return bool(self._groups)

    def add(self, event: VariableHealth) -> None:
        """One variable's health changed, or it was born degraded. Verdicts are told with the version that gave them."""
        if event.verdict is None:
            self._groups.setdefault((event.health, event.because), []).append(event.name)

    def flush(self) -> None:
        """Write what was gathered."""
        glyphs = self._columns.paper.glyphs
        for (health, why), names in self._groups.items():
            self._columns.detail("health", f"{some(names, glyphs.ellipsis)} {glyphs.arrow} {health}: {because(why)}")
        self._groups.clear()


def because(why: str) -> str:
    """What a change of health is owed to: a premise is named, and it fell."""
    return why if " " in why or why == "verdict" else f"{why} does not hold"
