"""What planning, replanning and solving take, in tokens. The only home of the formulas.

The numbers follow the cost model of plan-and-execute agents: a replan's prompt carries one line per
done step and one per step to be replaced, never the observations themselves (ReWOO, arXiv:2305.18323).
"""

from __future__ import annotations

import math

import msgspec

PADDING = 1.2  # the token gate asks for this much more than a replan is estimated at


class Coefficients(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """Tokens for each part of a prompt and for each call."""

    prompt: int = 120
    goal: int = 40
    done_line: int = 25
    failure: int = 80
    lesson: int = 60
    step: int = 60
    execution: int = 180
    retry: int = 200


class CostModel(msgspec.Struct, frozen=True, gc=False):
    """The formulas over a set of coefficients; every method returns tokens.

    `done` and `lessons` are the lines really carried, `lines` the step lines of the request.
    """

    coefficients: Coefficients = Coefficients()

    def planning(self, steps: int) -> int:
        """The first plan: prompt, goal and one line a step."""
        c = self.coefficients
        return c.prompt + c.goal + c.step * steps

    def replan(self, *, done: int, lines: int, lessons: int = 1) -> int:
        """What a replan's request carries, whatever its granularity."""
        c = self.coefficients
        return c.prompt + c.goal + c.failure + c.lesson * lessons + c.done_line * done + c.step * lines

    def patch(self, *, total: int, done: int, lessons: int = 1) -> int:
        """A patch carries two step lines: the failed step and the one that reads it."""
        return self.replan(done=done, lines=2, lessons=lessons)

    def tail(self, *, total: int, done: int, lessons: int = 1) -> int:
        """A tail carries every step that is not done."""
        return self.replan(done=done, lines=total - done, lessons=lessons)

    def rerun(self, done: int) -> int:
        """Running finished work again, as a global replan does."""
        return self.coefficients.execution * done

    def solver(self, *, evidence: int, gaps: int) -> int:
        """The Solver's prompt: one line for each piece of evidence, a failure for each gap."""
        c = self.coefficients
        return c.prompt + c.goal + c.done_line * evidence + c.failure * gaps

    def main_flow(self, steps: int) -> int:
        """Planning and running every step once, with nothing going wrong."""
        return self.planning(steps) + self.coefficients.execution * steps


def padded(tokens: int) -> int:
    """An estimate as the token gate asks for it: 20 % more, rounded up, exactly."""
    return math.ceil(tokens * 12 / 10)
