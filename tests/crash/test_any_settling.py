"""Random sessions whose tools act once, stopped or killed, changed, settled and taken up again: nothing acts twice, and
nothing completes in doubt."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from replanctl.files import Rehearsal
from replanctl.kinds import Settle
from replanctl.replan.replanner import ScriptedReplanner
from replanctl.run.accounts import Doubt, doubts
from replanctl.run.amendments import NewInputs, Settlement
from replanctl.run.engine import Session
from replanctl.run.events import AnyEvent, SessionComplete, StepSettled
from replanctl.run.once import MAKE
from replanctl.run.resume import call_cut_off, where_to_cut
from replanctl.run.settling import Settling
from replanctl.script import ScriptedTools
from tests.crash.test_any_resume import ACROSS, WIDE
from tests.properties.laws.effects import a_session_in_doubt_never_completes, no_call_that_acts_is_made_twice
from tests.properties.rehearsals import of_seed
from tests.properties.run import Calls, Recorder, Run

LAWS = (no_call_that_acts_is_made_twice, a_session_in_doubt_never_completes, *ACROSS)
ROUNDS = 4
SEEDS = 200

Amended = tuple[int, NewInputs, bool]  # from which event on, what, and whether behind a stop
Break = Callable[[Session], object]


def acting(seed: int) -> Rehearsal:
    """A random rehearsal in which most tools act once."""
    dice, rehearsal = random.Random(seed), of_seed(seed)
    tools = {name: replace(tool, idempotent=dice.random() < 0.2) for name, tool in (rehearsal.plan.tools or {}).items()}
    policy = replace(rehearsal.policy, gates=WIDE) if dice.random() < 0.7 else rehearsal.policy
    return replace(rehearsal, plan=replace(rehearsal.plan, tools=tools or None), policy=policy)


class Life:
    """One session, run again from its start at every turn, with all that was changed on its way."""

    def __init__(self, seed: int, break_: Break) -> None:
        self.dice, self.rehearsal, self._break = random.Random(seed), acting(seed), break_
        self.amended: list[Amended] = []
        self.unheard: Calls = []  # calls that the session was killed in
        self.words: Counter[str] = Counter()
        self.run = self._events()

    def _events(self) -> Run:
        rehearsal, events = self.rehearsal, list[Any]()
        recorder = Recorder(ScriptedTools(rehearsal.outcomes), events)
        planner = ScriptedReplanner(rehearsal.planner) if rehearsal.planner else None
        session = Session(
            rehearsal.plan, rehearsal.policy, tools=recorder, replanner=planner, interruptions=rehearsal.interruptions
        )
        self._break(session)
        told = session.events()
        while not events or not isinstance(events[-1], SessionComplete):
            for seq, change, behind_stop in self.amended:
                if seq == len(events):
                    session.amend(change, behind_stop=behind_stop)
            events.append(next(told))
            assert len(events) < 5000
        calls = sorted([*recorder.calls, *self.unheard], key=lambda made: made[0])
        return Run(rehearsal, events, calls)

    def turn(self) -> bool:
        """Die or stop, be taken up, and come to an end; False where there is nothing to take up."""
        since = self.amended[-1][0] + 1 if self.amended else 1
        events: list[AnyEvent] = list(self.run.events)  # type: ignore[arg-type]
        if self.dice.random() < 0.5 and since < len(events):
            events = events[: self.dice.randrange(since, len(events))]
        elif self.run.end.status == "completed":
            return False
        open_ = doubts(events, broken_off=True)
        cut = where_to_cut(events, since=since - 1, settles=bool(open_))
        cut_off = call_cut_off(events, open_)
        if cut_off is not None:
            self.unheard += [made for made in self.run.calls if made[0] == len(events)]
        policy = replace(self.rehearsal.policy, gates=WIDE)
        change = NewInputs(policy, settled=tuple(map(self._word, open_)), cut_off=cut_off)
        behind_stop = cut.behind_stop
        if self.amended and self.amended[-1][0] == cut.seq:
            behind_stop |= self.amended.pop()[2]
        self.amended.append((cut.seq, change, behind_stop))
        self.run = self._events()
        return True

    def _word(self, doubt: Doubt) -> Settlement:
        how = self.dice.choice(list(Settle))
        self.words[how] += 1
        value = {"rows": [1], "price": 2.0} if how is Settle.DONE else None
        return Settlement(doubt.step.id, how, value, doubt.call)


def broken(seed: int, break_: Break) -> tuple[list[str], Counter[str]]:
    """What the laws say against the session of a seed, over all its turns, and the words that it was given."""
    life = Life(seed, break_)
    for _ in range(ROUNDS):
        if said := [f"seed {seed}: {law.__name__}: {wrong}" for law in LAWS for wrong in law(life.run)]:
            return said, life.words
        if not life.turn():
            break
    return [f"seed {seed}: {law.__name__}: {wrong}" for law in LAWS for wrong in law(life.run)], life.words


def honest(session: Session) -> None:
    """Nothing is broken."""


@pytest.mark.parametrize("first", range(0, SEEDS, 50))
def test_nothing_acts_twice_and_nothing_completes_in_doubt(first: int) -> None:
    words: Counter[str] = Counter()
    for seed in range(first, first + 50):
        wrong, given = broken(seed, honest)
        assert wrong == []
        words += given
    assert set(words) == set(Settle)


def _reckless(session: Session) -> None:
    session.state.once.may = lambda *_, **__: MAKE  # type: ignore[method-assign]


def _sure(session: Session) -> None:
    session.state.once.unsettled = lambda: iter(())  # type: ignore[method-assign]


def _deaf(session: Session) -> None:
    """A session that makes every call which it was killed in once more."""
    part = session._dispatch
    part._answer = lambda call, execution: part.tools.call(call)  # type: ignore[method-assign]


def _forgetful(session: Session) -> None:
    """Whatever a person says, the call is forgotten."""

    def forget(self: Settling, made: Any, word: Settlement) -> Any:
        self._state.once.forget(made)
        yield self._told(made, word, None)

    session._settling._one = forget.__get__(session._settling)  # type: ignore[method-assign]


MUTANTS: dict[str, Sequence[Break]] = {
    "no_call_that_acts_is_made_twice": (_reckless, _deaf, _forgetful),
    "a_session_in_doubt_never_completes": (_sure,),
}


@pytest.mark.parametrize(("law", "mutant"), [(law, mutant) for law in MUTANTS for mutant in MUTANTS[law]])
def test_the_laws_bite(law: str, mutant: Break) -> None:
    for seed in range(1500):
        try:
            said, _ = broken(seed, mutant)
        except (AssertionError, LookupError, ValueError):  # too bent to be asked about
            continue
        if any(law in each for each in said):
            return
    raise AssertionError(f"no session breaks {law}")


def test_words_are_told_once_for_each_call() -> None:
    for seed in range(SEEDS):
        life = Life(seed, honest)
        for _ in range(ROUNDS):
            life.turn()
        began = [event.began for event in life.run.events if isinstance(event, StepSettled)]
        assert len(began) == len(set(began))
