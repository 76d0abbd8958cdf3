"""Watching a session to its end: who is told its events, and what is said where it is told to stop.

A view makes of a session a document, lines of JSON, a screen, or a single line; what it offers to type next are whole
command lines, for this store, and none that would be refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any, Protocol, TextIO, assert_never

import msgspec

from replanctl.cli.flags import RunFormat, Shared
from replanctl.cli.output import as_word, write_line
from replanctl.cli.world import World
from replanctl.files import Role
from replanctl.host import StoppedError
from replanctl.kinds import Reason
from replanctl.run import Event, SessionResult
from replanctl.store import Inputs

if TYPE_CHECKING:
    from replanctl.host import OnWait
    from replanctl.money import Prices
    from replanctl.show import Paper, SessionScreen

_RESUME = "replanctl resume "

# Sessions that came to an end which the same script would bring again: what is to be mended first is the script.
_BY_SCRIPT = (Reason.ABORTED, Reason.ESCALATED, Reason.INSUFFICIENT_EVIDENCE)


def view_of(
    how: RunFormat,
    options: Shared,
    world: World,
    stream: TextIO,
    inputs: Inputs,
    run: int | None,
    prices: Prices | None = None,
) -> View:
    """Who watches the session, by the format that was asked for; with `prices` it says what the session cost."""
    offers = Offers.of(options.store, inputs)
    match how:
        case RunFormat.JSON:
            return Offering(JsonDocument(stream, prices), offers)
        case RunFormat.JSONL:
            return JsonLines(stream)
        case RunFormat.TEXT:
            paper = world.paper(stream, options.color)
            if options.quiet:
                return ClosingLine(paper, prices)
            live = inputs.tools is not None
            return Offering(screen(paper, inputs, run, offers.whole, live=live, prices=prices), offers)
        case _:
            assert_never(how)


class Unwatched:
    """Nobody sees what a session waits for: nothing real is asked, or there is no terminal to show it on."""

    on_wait: OnWait | None = None

    def following(self, on_event: Callable[[Event], object], inputs: Inputs) -> Callable[[Event], object]:
        """The listener, as it is."""
        return on_event


UNWATCHED = Unwatched()


@contextmanager
def watched(options: Shared, world: World, *real: object) -> Iterator[tuple[Unwatched, World]]:
    """Where any of `real` is given and there is a terminal: who shows there what is waited for, and the world whose
    standard error makes way for that."""
    if all(each is None for each in real):
        yield UNWATCHED, world
        return
    from replanctl.cli.waiting import watching

    with watching(options, world) as shown:
        yield shown


@contextmanager
def naming_the_run(run: int | None, offers: Offers) -> Iterator[None]:
    """A run that is told to stop says where it can be found, if it is kept."""
    try:
        yield
    except (KeyboardInterrupt, StoppedError) as stop:
        if run is not None:
            command = offers.whole(f"replanctl resume {run}")
            stop.add_note(f"run {run} is kept as far as it came: {command} goes on with it")
        raise


# A view is told and never asked: it can't change what a session comes to, and a run without one is the same run.
class View(Protocol):
    """A listener to one session: it is told each event, then the result."""

    def event(self, event: Event) -> None:
        """Something happened."""

    def close(self, result: SessionResult) -> None:
        """The session is over."""


class JsonDocument:
    """The result alone, as one JSON document. What it cost stands behind it, and is no part of the result."""

    def __init__(self, stream: TextIO, prices: Prices | None = None) -> None:
        self._stream = stream
        self._prices = prices

    def event(self, event: Event) -> None:
        """Nothing is written before the end."""

    def close(self, result: SessionResult) -> None:
        """Write the result."""
        document = msgspec.json.encode(result)
        if self._prices is not None:
            document = b'%s,"money":%s}' % (document[:-1], msgspec.json.encode(_money(result, self._prices)))
        write_line(self._stream, document)


def _money(result: SessionResult, prices: Prices) -> dict[str, Any]:
    from replanctl.money import bill

    paid = bill(prices, ((line.kind, line.booked) for line in result.ledger.lines))
    return prices.document(main=paid.main, remedy=paid.remedy, all=paid.all)


class JsonLines:
    """Every event as a line of JSON."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._encode = msgspec.json.Encoder().encode

    def event(self, event: Event) -> None:
        """Write the event."""
        write_line(self._stream, self._encode(event))

    def close(self, result: SessionResult) -> None:
        """Nothing is left to write: the last event has been written."""


class ClosingLine:
    """How it ended, in one line."""

    def __init__(self, paper: Paper, prices: Prices | None = None) -> None:
        self._paper = paper
        self._prices = prices

    def event(self, event: Event) -> None:
        """Nothing is written before the end."""

    def close(self, result: SessionResult) -> None:
        """Write the line."""
        from replanctl.show import Span, closing_line, verdict_style

        ending, cost = closing_line(result, self._prices)
        self._paper.line(Span(ending, verdict_style(result)), cost)


def screen(
    paper: Paper,
    inputs: Inputs,
    run: int | None,
    whole: Callable[[str], str] = str,
    *,
    later: bool = False,
    live: bool = False,
    prices: Prices | None = None,
) -> SessionScreen:
    """The session as a screen for a person. Its head says where the outcomes came from, of which recording the
    rehearsal was made, and which limits hold.

    `whole` puts behind a suggested command what it needs, `later` says that there are later runs, and `live` that real
    tools are waited for. `prices` are what tokens cost.
    """
    from replanctl.show import Header, SessionScreen

    # What stands in the head is taken from the inputs and not from the options, so that `show` of a stored run has the
    # same head as the run had.
    names = {source.role: source.name for source in inputs.sources}
    scenario = names.get(Role.SCENARIO)
    scripts = (Role.OUTCOMES, Role.SCENARIO_FILE, *((Role.BESIDE,) if scenario is None else ()))
    outcomes = next((Path(names[role]).name for role in scripts if role in names), None)
    policy = inputs.amendments[-1].policy if inputs.amendments else None
    most = max(each.max_parallel for each in (inputs.policy, *(amended.policy for amended in inputs.amendments)))
    facts = Header(outcomes, run, policy, _recording(inputs), whole, later, scenario, most, prices)
    return SessionScreen(paper, facts, live=live)


def _recording(inputs: Inputs) -> str | None:
    """Which recording a rehearsal was made of, in words; None where it was written by hand."""
    from replanctl.files import recorded_in

    plans = (source for source in inputs.sources if source.role == Role.PLAN)
    found = next((recorded for plan in plans if (recorded := recorded_in(plan.name, plan.text))), None)
    if found is None:
        return None
    from replanctl.show import recorded_in_words

    return recorded_in_words(found)


# What the core offers next (`replanctl resume 3`) knows neither the store's folder nor what was started for the run:
# these are the command line's own words, and are put behind the command only where it is shown.
class Offers(msgspec.Struct, frozen=True):
    """What a run's commands need behind them: the store that was named, and what was started for the run."""

    store: Path | None = None
    planner: str | None = None
    tools: str | None = None
    inputs: Inputs | None = None

    @classmethod
    def of(cls, store: Path | None, inputs: Inputs) -> Offers:
        """The offers for a run that came from these inputs."""
        return cls(store, inputs.planner, inputs.tools, inputs)

    def changes(self, reason: str | None) -> bool:
        """Whether the commands of a result that ended so are not whole as they stand."""
        return self.store is not None or self.planner is not None or self.tools is not None or reason in _BY_SCRIPT

    def whole(self, command: str) -> str:
        """A command with all it needs; anything else as it is."""
        if not command.startswith("replanctl "):
            return command
        flags = [("--planner", self.planner), ("--tools", self.tools)] if command.startswith(_RESUME) else []
        words = [f"{name} {quote(value)}" for name, value in flags if value is not None]
        if self.store is not None:
            words.append(f"--store {as_word(self.store)}")
        return " ".join([command, *words])

    def complete(self, result: SessionResult) -> SessionResult:
        """The result with commands that can be typed as they stand."""
        if result.handover is None:
            return result
        offered = list(result.handover.next)
        if result.reason in _BY_SCRIPT:
            plain = f"{_RESUME}{result.run}"
            offered = [self._mended(plain) if each == plain else each for each in offered]
        if self.planner is not None and result.reason == "no_plan":  # a scripted one would say the same again
            offered.append(f"{_RESUME}{result.run} --granularity global")
        handover = msgspec.structs.replace(result.handover, next=tuple(dict.fromkeys(map(self.whole, offered))))
        return msgspec.structs.replace(result, handover=handover)

    def _mended(self, resume: str) -> str:
        """How a run goes on when its script has been mended: with the file that the script is in, or, where that is the
        plan's own, from the start. Real tools are asked once more."""
        if self.tools is not None or self.inputs is None:
            return resume
        names = {source.role: source.name for source in self.inputs.sources}
        plan, scenario = names.get(Role.PLAN), names.get(Role.SCENARIO)
        beside = names.get(Role.BESIDE) if scenario is None else None
        later = (each.outcomes.name for each in reversed(self.inputs.amendments) if each.outcomes is not None)
        script = next(later, names.get(Role.OUTCOMES, beside))
        if script is not None and Path(script).is_file():
            return f"{resume} --outcomes {as_word(Path(script))}"
        if self.planner is not None or plan is None or not Path(plan).is_file():
            return resume
        chosen = f" --scenario {quote(scenario)}" if scenario is not None else ""
        return f"replanctl run {as_word(Path(plan))}{chosen}"


class Offering:
    """Passes events on to a view, and the result with the commands completed by the flags they need."""

    def __init__(self, view: View, offers: Offers) -> None:
        self._view = view
        self._offers = offers

    def event(self, event: Event) -> None:
        """Something happened."""
        self._view.event(event)

    def close(self, result: SessionResult) -> None:
        """The session is over."""
        self._view.close(self._offers.complete(result))
