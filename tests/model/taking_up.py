"""A session that stopped, taken up again by a person: other limits, another goal or script, a word on what may have
happened."""

from __future__ import annotations

import contextlib
import copy
from typing import Any

from tests.model import refs
from tests.model.asking import Asking
from tests.model.steps import Call, Step
from tests.model.world import MAY_HAVE, Script, breach

PERSON_ASKED = ("aborted", "escalated", "step_breaker")


class Paused(Exception):  # noqa: N818 - it is no error
    """The session has come to the moment at which it is wanted."""


class RefusedError(Exception):
    """What the person gave can't be taken: exit 2."""


def plain(interruption: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in interruption.items() if key != "fired"}


class TakingUp(Asking):
    """What changes between two stretches of one session."""

    document: dict[str, Any]
    made: list[dict[str, Any]]
    pause_at: int | None = None
    taken_up_at = 0

    def take_up(self, change: dict[str, Any]) -> None:
        """Change what the person changes, at the place where the session goes on."""
        s = self.s
        limits = self.new_limits(change.get("limits") or {})
        words = self.words(change.get("settle") or {})
        reason, s.reason = s.reason, None
        again, self.again = self.again, None
        if s.versions and len(s.versions) == s.number:
            s.versions.pop()
        behind = True
        if not words:
            behind = not self.as_if_it_had_been_so(change, limits, again)
        s = self.s  # it may be another one now
        s.denied = set()  # a person was here
        self.taken_up_at = s.tick
        self.apply(change, limits)
        if behind:
            s.gate_stop = s.gave_up = None
            reopened = self.settle(words)
            self.reopen(reason, reopened)
        s.reopen_due = not behind
        if "goal" in change:  # what a person says now comes behind what came due before
            self.x.due_before()
            self.x.due_now()
            self.x.come_due({"goal": change["goal"]})
        if behind and s.goal_waits and s.change is None:
            s.change = {"goal": s.goal, "refutes": [], "again": True}

    def new_limits(self, given: dict[str, Any]) -> dict[str, Any]:
        found = {}
        for gate, value in given.items():
            if isinstance(value, str) and value.startswith("+"):
                if self.s.gates[gate] is None:
                    raise RefusedError(f"{gate} has no limit to raise")
                found[gate] = self.s.gates[gate] + int(value[1:])
            else:
                found[gate] = value
        return found

    def apply(self, change: dict[str, Any], limits: dict[str, Any]) -> None:
        self.s.gates = self.s.gates | limits
        if "granularity" in change:
            self.s.force = change["granularity"]
        if "outcomes" in change:
            self.s.script = Script(change["outcomes"])
        if "interruptions" in change:
            self.expect(change["interruptions"])

    def expect(self, interruptions: list[dict[str, Any]]) -> None:
        """Others are to come; one that has come due does not come due again."""
        s = self.s
        s.came += [plain(one) for one in s.interruptions if one.get("fired")]
        left, s.interruptions = list(s.came), [dict(one) for one in interruptions]
        for one in s.interruptions:
            if one in left:
                left.remove(plain(one))
                s.came.remove(plain(one))
                one["fired"] = True

    # --- a gate's check made again

    def as_if_it_had_been_so(self, change: dict[str, Any], limits: dict[str, Any], again: Any) -> bool:
        """Where only a gate stood in the way, its check is made again; where nothing but limits rise, from where the
        old one was first felt."""
        s = self.s
        more = {"goal", "granularity", "outcomes"} & change.keys()
        rises = not more and all(
            value is None or (s.gates[gate] is not None and value >= s.gates[gate]) for gate, value in limits.items()
        )
        if self.stopped_by is None:
            return False
        kind, self.stopped_by = self.stopped_by, None
        if kind == "replan":
            if {"goal", "granularity"} & change.keys():
                return False
            self.go_on = again
        if kind == "execution" and not rises:
            return False
        if kind == "execution":
            assert s.gave_up is not None
            return self.rewind(max(s.gave_up, self.taken_up_at) + 1)
        spent = s.gate_rows[-1]["gate"] in ("max_steps", "max_tool_calls", "max_tokens")
        may_have_kept = rises and spent and s.parallel > 1  # steps from starting, while others ran
        if not may_have_kept or not self.rewind(max(self.felt_since(), self.taken_up_at) + 1):
            s.gate_rows.pop()
        return True

    def felt_since(self) -> int:
        """The last moment at which something was spent of what the gate counts: its limit was felt behind it."""
        return self.s.started if self.s.gate_rows[-1]["gate"] == "max_steps" else max(self.s.started, self.s.called)

    def rewind(self, tick: int) -> bool:
        """Back to a moment: the same session once more, up to there. Not where something was denied since: the person
        lifts that."""
        denials = sum(call.status == "denied" for call in self.s.calls)
        other: Any = type(self)(copy.deepcopy(self.document))
        for change in (None, *self.made):
            if change is not None:
                other.take_up(copy.deepcopy(change))
                other.made.append(change)
            last = len(other.made) == len(self.made)
            other.pause_at = tick if last else None
            with contextlib.suppress(Paused):
                if not last or tick > other.s.tick + 1:
                    other.run()
        if denials > sum(call.status == "denied" for call in other.s.calls):
            return False
        self.s, self.x, self.planned, self.go_on = other.s, other.x, other.planned, other.go_on
        return True

    # --- a person's word

    def doubts(self) -> dict[str, Call]:
        """The calls that may have happened and that nobody has settled, as they are named."""
        s = self.s
        calls = [c for c in s.calls if s.acts_once(c.tool) and c.status in MAY_HAVE and not c.settled]
        calls.sort(key=lambda call: call.order)
        named = {}
        for call in calls:
            own = [c for c in calls if c.step == call.step]
            named[call.step if len(own) == 1 else f"{call.step}.{own.index(call) + 1}"] = call
        return named

    def words(self, said: dict[str, Any]) -> list[tuple[Call, Any]]:
        """Each call in question with what was said of it."""
        doubts = self.doubts()
        if doubts.keys() != said.keys():
            raise RefusedError("a call is left out, or one is not in question")
        for name, word in said.items():
            caller = doubts[name].caller
            assert caller is not None
            if isinstance(word, list) and breach(word[1], caller.produces) is not None:
                raise RefusedError("the answer breaks the contract")
        return [(doubts[name], said[name]) for name in doubts]

    def settle(self, words: list[tuple[Call, Any]]) -> list[Step]:
        """Take a person's words; the steps that are pending again for them."""
        pending: list[Step] = []
        for call, word in words:
            call.settled = True
            step = self.failed_by(call)
            if word == "again":
                call.kind = "not"
                if step is not None:
                    pending += [step, *self.left_with(step)]
            elif word == "skip":
                if step is not None:
                    self.take_back(step)
                    self.s.let_be[step.id] = step.ran
                    step.state = "lost"
                    self.close_gap(step)
                    self.x.cascade()
            else:
                pending += self.settle_done(call, word[1], step)
        return pending

    def close_gap(self, step: Step) -> None:
        """As `on_failure: skip`: no gap, nor is what it had blocked."""
        if step.gap:
            step.gap = False
            del self.s.gap_rows[step.id]
            for other in self.s.steps:
                if step.id in other.deps:
                    self.close_gap(other)

    def settle_done(self, call: Call, value: Any, step: Step | None) -> list[Step]:
        call.kind, call.status, call.value = "took", "ok", value
        if step is None:
            return []
        call.variable = self.s.variables[step.id] = self.s.answer_of(call)
        pending = self.left_with(step)
        step.state, step.gap = "done", False
        assert call.caller is not None
        step.done_with_null = refs.has_null(call.caller.args) or call.on_gap
        self.s.gap_rows.pop(step.id, None)
        return pending

    def failed_by(self, call: Call) -> Step | None:
        """The step as this call left it failed; None where it has left the plan, was revised or has run again."""
        step = self.s.find(call.step)
        if step is None or step.state not in ("failed", "lost", "dead"):
            return None
        return step if step.ran == call.ran else None

    def left_with(self, step: Step) -> list[Step]:
        """What was skipped because this step had failed."""
        skipped = [self.s.find(i) for i in self.s.given_up.get(step.id, {}).get("skipped", [])]
        self.take_back(step)
        found = [st for st in skipped if st is not None and st.state == "skipped"]
        return found + [st for st in self.s.steps if st.state == "skipped" and step.id in st.deps and st not in found]

    def take_back(self, step: Step) -> None:
        """Nobody has to take this step over any more."""
        s = self.s
        s.handed = [(i, reason) for i, reason in s.handed if i != step.id]
        s.failures = [failure for failure in s.failures if failure.step != step.id]
        if s.aborted == step.id:
            s.abort, s.aborted = False, None

    # --- what the stop gave up

    def reopen(self, reason: str | None, also: list[Step]) -> None:
        """A version in which what was given up is pending again; none where there is nothing."""
        s = self.s
        ways = [st.id for st in also]
        if s.gate_stop is None:  # else its stop is still to come
            ways += [st.id for st in s.steps if st.state == "dead" and st.id != s.aborted]
        if reason == "insufficient_evidence":
            ways += [st.id for st in s.steps if st.state in ("lost", "skipped")]
        if reason in PERSON_ASKED:
            ways += [s.aborted] if s.aborted else []
            s.abort, s.aborted = False, None
        for step_id, why in s.handed:
            more = s.given_up[step_id]
            limit = s.gates["per_step"]
            admitted = limit is None or more["reading"] < limit
            if admitted if why == "step_breaker" else reason in PERSON_ASKED:
                ways += [step_id, *(i for i in more["skipped"] if (st := s.find(i)) and st.state == "skipped")]
        lost = self.with_what_rests(ways)
        if lost:
            self.commit_again(lost)

    def with_what_rests(self, ways: list[str]) -> set[str]:
        """These steps and what was skipped for them, but for what a person has let be."""
        s, found = self.s, set[str]()
        while ways:
            step = s.find(ways.pop())
            if step is not None and step.id not in found and s.let_be.get(step.id) != step.ran:
                found.add(step.id)
                ways += [st.id for st in s.steps if st.state == "skipped" and step.id in st.deps]
        return found

    def commit_again(self, lost: set[str]) -> None:
        s = self.s
        self.close_version()
        before = self.versions_steps()
        s.prints.append(("the same plan goes on",))  # it was not given up
        s.made_for.append(s.goal_number)
        old = {st.id: st for st in s.steps}
        s.steps = [st.copy() for st in s.steps]
        for step in s.steps:
            if step.id in lost:
                step.state, step.gap, step.done_with_null = "pending", False, False
                s.gap_rows.pop(step.id, None)
            if step.open:
                step.assumes = [a for a in step.assumes if a not in s.refuted]
        again = [st for st in s.steps if st.id in lost]  # stands where a draft would
        s.steps = self.order([st for st in s.steps if st.id not in lost], again)
        s.handed = [(i, reason) for i, reason in s.handed if i not in lost]
        s.given_up = {i: more for i, more in s.given_up.items() if i not in lost}
        s.failures = [f for f in s.failures if f.step not in lost]
        s.number += 1
        s.header = {"parent": f"v{s.number - 1}", "granularity": None, "rule": "resume", "cause": "resume"}
        self.revise(before, old)
        self.x.cascade()

    def order(self, kept: list[Step], drafted: list[Step]) -> list[Step]:
        ended = [st for st in kept if not st.open]
        return ended + drafted + [st for st in kept if st.open]
