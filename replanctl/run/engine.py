"""One session as a generator of events, whether it is rehearsed or real.

The loop admits what is ready, moves the virtual clock to the next instant at which something ends, and, when nothing
runs any more, takes one turn in the order of business (`turns.py`): a replan, a changed goal, the end. Tools and
replanner are passed in; nothing here opens a file, reads a clock or prints.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import msgspec

from replanctl.kinds import LedgerKind, Mode, Reason
from replanctl.live import Cell
from replanctl.plan import Plan, Step, Tool
from replanctl.replan import Lesson, Moment
from replanctl.run.amendments import LastWords, NewInputs, Settlement
from replanctl.run.budget import Spending, Stop
from replanctl.run.dispatch import Dispatcher
from replanctl.run.events import Event, GoalChanged, PlanCommit, SessionComplete, SessionStart
from replanctl.run.interruptions import Interruption, Interruptions
from replanctl.run.policy import Policy, left_open
from replanctl.run.state import DEFAULT_TOOL, SessionState
from replanctl.run.step_ends import StepEnds
from replanctl.run.tools import Tools, check_seam
from replanctl.run.turns import Turns

if TYPE_CHECKING:
    from replanctl.replan import Replanner
    from replanctl.run.replanning import Replanning
    from replanctl.run.requests import RequestListener
    from replanctl.run.settling import Settling


class Session:
    """One session over one plan. Iterate over `events()` once; the same inputs give the same events.

    `replanner` None is the template alone. `warnings` are told at the start, `last_words()` at the end. `plain` is the
    two-budget loop of `PlanExecuteAgent`: a draft is the whole rest of the plan, and nothing but the two budgets judges
    it. `no_plan` says why there is no plan at all; `default_tool` is what holds for a tool the plan does not
    describe, `specs` what holds for one by its name. `listener` is told every request before it is answered. The plan
    is looked at and copied, and the other values looked at, unless they are `checked`: loaded from a file. Raises
    UsageError for what can't be run.

    >>> plan = Plan.of("find tea", [Step(1, "search"), Step(2, "write", {"about": "#E1"})])
    >>> result = fold(Session(plan, tools=ScriptedTools(())).events())
    >>> result.reason.value, result.history[1].args, result.seconds
    ('goal_met', {'about': 'ok'}, 2.0)
    """

    def __init__(
        self,
        plan: Plan,
        policy: Policy | None = None,
        *,
        tools: Tools,
        replanner: Replanner | None = None,
        interruptions: Sequence[Interruption] = (),
        lessons: Iterable[Lesson] = (),
        warnings: Sequence[str] = (),
        last_words: LastWords = tuple,
        plain: bool = False,
        no_plan: str = "",
        default_tool: Tool = DEFAULT_TOOL,
        listener: RequestListener | None = None,
        specs: Mapping[str, Tool] | None = None,
        checked: bool = False,
    ) -> None:
        check_seam(tools, "call", "what calls the tools")
        if replanner is not None:
            check_seam(replanner, "replan", "a replanner")
        if not checked:
            from replanctl.run.given import own_inputs, own_plan
            from replanctl.run.written import plan_warnings

            interruptions, lessons = own_inputs(policy, interruptions, lessons, default_tool)
            plan = own_plan(plan, specs)
            warnings = (*warnings, *plan_warnings(plan))
        policy = policy or Policy()
        if policy.mode is Mode.AUTO:
            plan = coupled(plan, policy.solver.required_steps)
        self.state = SessionState(plan, policy, lessons, default_tool, specs)
        self.state.plain = plain
        self._interruptions = Interruptions(interruptions)
        self._ends = StepEnds(self.state, self._interruptions)
        self._dispatch = Dispatcher(self.state, tools, self._ends)
        self._turns = Turns(self.state, self._dispatch, self._ends, self._interruptions, replanner, listener)
        self._warnings = tuple(warnings)
        self._last_words = last_words
        self._no_plan = no_plan
        self._behind_stop: NewInputs | None = None
        self._limits_changed = False
        self._settled: tuple[Settlement, ...] = ()

    # Nothing in a session leads back to it, so that it goes as soon as nobody holds it: a sweep leaves the cyclic
    # collector no sessions to look for.
    @property
    def _replanning(self) -> Replanning:
        return self._turns.replanning()

    @cached_property
    def _settling(self) -> Settling:
        from replanctl.run.settling import Settling

        return Settling(self.state, self._ends)

    def events(self) -> Iterator[Event]:
        """Everything that happens, in order."""
        state = self.state
        yield self._opening()
        yield from self._plan()
        while state.stop is None:
            yield from self._run()
            yield from self._turn()
            while state.stop is not None and self._behind_stop is not None:  # its goal's replan may stop it at once
                yield from self._take_up(state.stop, self._behind_stop)
        yield self._closing(state.stop)

    def _turn(self) -> Iterator[Event]:
        """The next turn in the order of business; what the breaker gave up may be replanned again under new limits, and
        what a person has settled goes on."""
        return self._after_a_person() if self._settled or self._limits_changed else self._turns.next()

    def _after_a_person(self) -> Iterator[Event]:
        if self._settled:
            yield from self._settle()
        elif self._limits_changed:
            self._limits_changed = False
            yield from self._reopen()
        yield from self._turns.next()

    def step(self, id_: str) -> Step | None:
        """The step of this id as the version in force has it."""
        cell = self.state.graph.cells.get(id_)
        return cell.step if cell is not None else None

    def change_goal(self, goal: str, refutes: Sequence[str] = ()) -> None:
        """An interruption that comes due now, between two events."""
        self._interruptions.add(goal, self.state.at, refutes)

    # -- resuming -----------------------------------------------------------------------------------------------------

    def amend(self, change: NewInputs, *, behind_stop: bool = False) -> None:
        """Change what holds from the next event on, between two events: how a stopped session is resumed.

        With `behind_stop` it holds once the session has come to its next stop, which is not its end then: what the
        stop gave up is pending again, and what it left without an answer is routed again.
        """
        if behind_stop:
            self._behind_stop = change
        else:
            self._apply(change)

    def _apply(self, change: NewInputs) -> None:
        if change.policy is not None:
            self.state.apply(change.policy)
            self._dispatch.keep_time()
            self._limits_changed = True
        if change.tools is not None:
            self._dispatch.tools = change.tools
        if change.interruptions is not None:
            self._interruptions.expect(change.interruptions)
        if change.last_words is not None:
            self._last_words = change.last_words
        if change.goal is not None:
            self._interruptions.add(change.goal, self.state.at)
        self._dispatch.cut_off, self._settled = change.cut_off, change.settled
        self.state.once.denied.clear()  # a person was here: what was denied may be allowed now

    def _take_up(self, stop: Stop, change: NewInputs) -> Iterator[Event]:
        """Go on behind a stop; a failure that no version answered is still the first that waits."""
        self._behind_stop = self.state.stop = None
        self._apply(change)
        yield from self._settle(stop.reason)
        yield from self._hear()
        if self._replanning.goal_waits and not self._interruptions.waits:
            yield from self._replanning.answer_goal()

    def _settle(self, reason: Reason | None = None) -> Iterator[Event]:
        """A person's word is taken on what may have happened, and what the stop had given up is pending again."""
        state, settling = self.state, self._settling
        state.spent, self._limits_changed = None, False
        words, self._settled = self._settled, ()
        yield from settling.settle(words)
        pending, settling.pending = settling.pending, []
        yield from self._reopen(reason, pending)

    def _reopen(self, reason: Reason | None = None, also: Iterable[Cell] = ()) -> Iterator[Event]:
        from replanctl.run.reopening import reopen

        return reopen(self.state, self._ends, reason, also)

    # -- the start ----------------------------------------------------------------------------------------------------

    def _opening(self) -> SessionStart:
        state, plan = self.state, self.state.plan
        return state.emit(
            SessionStart,
            plan.goal,
            state.policy.mode,
            msgspec.structs.asdict(state.limits),
            msgspec.structs.asdict(state.policy.coefficients),
            tuple(plan.assumptions or ()),
            tuple(state.lessons),
            (*self._warnings, *left_open(state.policy.gates)),
            state.once_only,
        )

    def _plan(self) -> Iterator[Event]:
        """Put v1 in force, and book what planning it took. Where the tokens do not suffice even for that, v1 is named
        all the same: it is what a person would go on with."""
        state, plan = self.state, self.state.plan
        state.graph.commit(plan.steps)
        yield state.emit(PlanCommit, None, None, None, "start", plan.goal, plan.steps, total=len(plan.steps))
        tokens = state.cost.planning(len(plan.steps))
        if (check := state.budget.refusal(Moment.PLANNING, state, Spending(tokens=tokens))) is not None:
            yield state.refused(check, None)
            return
        yield state.book(LedgerKind.PLANNING, tokens)
        if self._no_plan:
            state.stop = Stop(Reason.NO_PLAN, self._no_plan)

    def _run(self) -> Iterator[Event]:
        """Until nothing is in flight and nothing more may start."""
        state, dispatch, width = self.state, self._dispatch, self.state.policy.max_parallel
        agenda, next_ready, budget = dispatch.agenda, state.graph.next_ready, state.budget
        interruptions, something_waits, once = self._interruptions, self._turns.something_waits, state.once
        while interruptions.due <= state.at:  # a person may give a goal while one is told
            yield from self._hear()
        while True:
            # While a failure or a goal waits for its turn nothing is begun any more: it is taken when nothing moves.
            while len(agenda) < width and not something_waits() and not self._settled:
                cell = next_ready()
                ends_now = agenda and agenda[0][0] <= state.clock  # a call that takes no time: its end comes first
                over = state.executions >= budget.unasked and dispatch.refusal() is not None
                if cell is None or ends_now or over:
                    break
                if once.in_flight and dispatch.guard.waits(cell):
                    state.graph.hold()
                    continue
                started, execution = dispatch.begin(cell)
                yield started
                yield from dispatch.call(execution)
                while interruptions.due <= state.at:
                    yield from self._hear()
            if not agenda:
                return
            yield from dispatch.advance()
            while interruptions.due <= state.at:
                yield from self._hear()

    def _hear(self) -> Iterator[Event]:
        """Goals that have come due wait to be made. One that changes nothing is told at once and forgotten: a goal
        that is in force or waits already, a change that is taken back, and any under ReWOO."""
        goal, interruptions = self.state.goal, self._interruptions
        if not interruptions.came(self.state.at):
            return
        if self.state.policy.mode is Mode.REWOO:
            for one in interruptions.refused():
                yield self._unchanged(one.goal, one.refutes, "mode rewoo runs its plan to the end")
            return
        for one in interruptions.heard(goal):
            why = "it is the current one" if one.goal == goal else "it is the one that is about to be"
            yield self._unchanged(one.goal, one.refutes, why)
        if interruptions.leads_back_to(goal):
            back = interruptions.take()
            yield self._unchanged(back.goal, back.refutes, "it is the current one")

    def _unchanged(self, goal: str, refutes: tuple[str, ...], why: str) -> GoalChanged:
        warning = f"the goal {goal!r} changes nothing: {why}"
        return self.state.emit(GoalChanged, goal, self.state.goal, False, refutes, (warning,))

    def _closing(self, stop: Stop) -> SessionComplete:
        left = (f"the interruption {_when(one)} never came due" for one in self._interruptions.left())
        return self.state.emit(
            SessionComplete,
            stop.reason.ending,
            stop.reason,
            stop.detail,
            self.state.at,
            stop.gate.gate if stop.gate is not None else None,
            (*self._last_words(), *left),
        )


def coupled(plan: Plan, required: Iterable[str] = ()) -> Plan:
    """The plan with the coupling test's answer for every step that says nothing about its failure."""
    from replanctl.plan import coupling

    rows = {row.step_id: row.on_failure for row in coupling(plan.steps, required)}
    steps = tuple(msgspec.structs.replace(s, on_failure=rows[s.id]) if s.on_failure is None else s for s in plan.steps)
    return msgspec.structs.replace(plan, steps=steps)


def _when(one: Interruption) -> str:
    return f"after step {one.after}" if one.after is not None else f"at {one.at:g} s"
