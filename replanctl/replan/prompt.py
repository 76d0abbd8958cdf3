"""What a replanner is told: a request of at most thirty lines, however large the plan is.

A request carries the goal in the user's own words, a summary line for each done step, the failure, the lessons and
the steps to be replaced. It never carries whole observations, the args of done steps, earlier replans or other
branches' unfinished work (ReWOO, arXiv:2305.18323).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar, overload

import msgspec

from replanctl.kinds import Granularity, Health
from replanctl.plan import Step, in_text, shortened
from replanctl.replan.signal import FailureSignal

SUMMARY_LIMIT = 40  # characters of a value that a summary line shows
LESSON_LINES = 5
# Thirty lines in all, however large the plan: what a prompt carries is what a replan costs, and the token gate's
# estimate counts these lines. The first steps say what it is about, the last where it stands.
DONE_FOLD = (3, 4)  # of many done steps, the first and the last so many are shown
STEP_FOLD = (4, 4)

T = TypeVar("T")

JUDGE = " Give a verdict (keep, convert or discard) for each stale variable that is used."

INSTRUCTIONS = {
    Granularity.PATCH: (
        "Replace the failed step, and its direct successors where they must change; a step may go between. "
        "Everything else stays."
    ),
    Granularity.TAIL: "Replace the failed step and all that rests on it; what is done stays done.",
    Granularity.GLOBAL: "Plan again from the beginning; results that are still clean may be referenced.",
    Granularity.NONE: "No replan helps; hand over to a person.",
}


# A request is built for every replan, and a scripted planner reads two fields of it. In a plan of 10,000 steps the
# summary of what is done would cost more than the replan itself.
class Lazy(Sequence[T]):
    """A sequence that is made when it is first read: most replanners never look."""

    def __init__(self, make: Callable[[], Sequence[T]]) -> None:
        self._make = make
        self._made: Sequence[T] | None = None

    def _items(self) -> Sequence[T]:
        if self._made is None:
            self._made = self._make()
        return self._made

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...
    def __getitem__(self, index: int | slice) -> T | Sequence[T]:
        return self._items()[index]

    def __len__(self) -> int:
        return len(self._items())

    def __iter__(self) -> Iterator[T]:
        return iter(self._items())


class DoneStep(msgspec.Struct, frozen=True, gc=False):
    """What a request says of one done step: its value is cut at 40 characters.

    Its variable's `health` is for the drafter to mind: `because` names what a stale one rests on that was refuted, or
    says `goal changed`; a void one may not be read, and is left out of the text.
    """

    id: str
    action: str
    summary: str
    health: Health = Health.CLEAN
    because: str = ""
    expected_outcome: str | None = None


class Left(msgspec.Struct, frozen=True, gc=False):
    """What the limits still allow when a replanner is asked, this replan included; None where there is no limit.

    `seconds` are of session time, the rest are counts.
    """

    replans: int | None = None
    replan_tokens: int | None = None
    steps: int | None = None
    calls: int | None = None
    tokens: int | None = None
    seconds: float | None = None


class ReplanRequest(msgspec.Struct, frozen=True):
    """Everything a replanner is told; `done` and `remaining` may be lazy: look at them before you answer, not later.

    `signal` is the failure, or why the draft before was refused; at a changed goal there is none at first. `lineage`
    are the ids of the failed step and of those it replaced, oldest first. `left` is what the limits still allow.
    """

    goal: str
    granularity: Granularity
    version: str = "v1"
    done: Sequence[DoneStep] = ()
    signal: FailureSignal | None = None
    remaining: Sequence[Step] = ()
    lessons: tuple[str, ...] = ()
    lineage: tuple[str, ...] = ()
    goal_changed: bool = False
    left: Left = Left()


def summary(value: Any) -> str:
    """A value in at most forty characters, on one line."""
    return shortened(one_line(in_text(value)), SUMMARY_LIMIT)


def one_line(text: str) -> str:
    """Line breaks become spaces; nothing but space reads `none`."""
    line = " ".join(text.splitlines())
    return line if line.strip() else "none"


def lines_shown(count: int, fold: tuple[int, int]) -> int:
    """How many lines so many items take: all of them, or the first, a fold line and the last."""
    return min(count, sum(fold) + 1)


def done_lines(count: int) -> int:
    """The lines that `count` done steps take in a request."""
    return lines_shown(count, DONE_FOLD)


def step_lines(count: int) -> int:
    """The lines that `count` steps to be replaced take in a request."""
    return lines_shown(count, STEP_FOLD)


def build_prompt(request: ReplanRequest) -> str:
    """The exact text a model would get: no blank lines, at most thirty, ending in the instruction."""
    signal = request.signal
    # A void result may not be read. A model that is shown it will.
    listed = [step for step in request.done if step.health is not Health.VOID]
    done = [_done_line(step) for step in _ends(listed, DONE_FOLD)]
    judge = JUDGE if any(step.health is Health.STALE for step in listed) else ""
    remaining = [_remaining_line(step) for step in _ends(request.remaining, STEP_FOLD)]
    lines = [
        f"Goal: {one_line(request.goal)}",
        *_section("Done:", done, len(listed), DONE_FOLD),
        f"Failed step: {signal.step_id if signal else 'none'}",
        f"Failure: {f'{signal.error_type}: {one_line(signal.error_msg)}' if signal else 'none'}",
        f"Attempted: {one_line(', '.join(signal.attempted)) if signal else 'none'}",
        *_section("Lessons:", [one_line(text) for text in request.lessons[-LESSON_LINES:]], 0, STEP_FOLD),
        *_section("Remaining:", remaining, len(request.remaining), STEP_FOLD),
        f"Replan ({request.granularity}): {INSTRUCTIONS[request.granularity]}{judge}",
    ]
    return "\n".join(lines)


def _done_line(step: DoneStep) -> str:
    mark = f" [stale: {one_line(step.because)}]" if step.health is Health.STALE else ""
    return f"{step.id} {one_line(step.action)}: {one_line(step.summary)}{mark}"


def _remaining_line(step: Step) -> str:
    after = ", ".join(step.depends_on or ()) or "none"
    return f"{step.id} {one_line(step.action)} [{one_line(step.tool_name)}] after {after}"


def _ends(items: Sequence[T], fold: tuple[int, int]) -> list[T]:
    """The items that are shown: all, or the first and the last."""
    if len(items) <= sum(fold) + 1:
        return list(items)
    return [*items[: fold[0]], *items[-fold[1] :]]


def _section(title: str, shown: list[str], count: int, fold: tuple[int, int]) -> list[str]:
    if not shown:
        return [f"{title} none"]
    if count > len(shown):
        shown = [*shown[: fold[0]], f"… {count - len(shown)} more", *shown[fold[0] :]]
    return [title, *(f"  {line}" for line in shown)]
