"""Random scripted planners: rules whose drafts are mostly the plan again, changed a little, and sometimes wrong."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from replanctl.live.variables import Verdict
from replanctl.plan import references
from replanctl.plan.model import Alternative, Granularity, Plan, Step, Tool, ids, variable_name
from replanctl.replan.replanner import Otherwise, PlannerRule, PlannerWhen
from replanctl.replan.signal import ErrorType
from tests.properties.dice import Dice
from tests.properties.plans import GOALS, PREMISES, TOOLS, with_args
from tests.properties.policies import ROUTED_TYPES

_TYPES = (*ROUTED_TYPES, None, None, None)


def planner(dice: Dice, plan: Plan) -> tuple[PlannerRule, ...]:
    """No rules (the template answers), or a few with drafts that fit the plan more or less."""
    if not dice.chance(50):
        return ()
    rules = [_rule(dice, plan) for _ in range(dice.between(1, 4))]
    if dice.chance(40):
        rules.append(PlannerRule(otherwise=dice.pick(tuple(reversed(Otherwise)))))
    return tuple(rules)


def seesaw(dice: Dice, plan: Plan) -> tuple[PlannerRule, ...]:
    """One answer to one kind of failure, and the plan as it was to the other: a plan that comes and goes."""
    first = dice.roll(len(plan.steps))
    other = tuple(replace(step, action="the other way") for step in plan.steps[first:])
    return (
        PlannerRule(PlannerWhen(type=ErrorType.ASSUMPTION), steps=other),
        PlannerRule(PlannerWhen(type=ErrorType.SEMANTIC), steps=plan.steps[first:]),
    )


def doubt(dice: Dice, plan: Plan) -> tuple[PlannerRule, ...]:
    """The rest of the plan once more, whatever failed, with a verdict on every result so far."""
    judged = {variable_name(step.id): dice.pick(tuple(Verdict)) for step in plan.steps if not dice.chance(15)}
    rest = tuple(_variation(dice, step, plan) if dice.chance(20) else step for step in plan.steps[dice.roll(3) :])
    return (PlannerRule(steps=tuple({step.id: step for step in rest}.values()), verdicts=judged),)


def _rule(dice: Dice, plan: Plan) -> PlannerRule:
    when = PlannerWhen(
        error=dice.pick(("page", "NO SUCH", "")) if dice.chance(8) else None,
        type=dice.pick(_TYPES) if dice.chance(50) else None,
        step=dice.pick(ids(plan.steps)) if dice.chance(30) else None,
        granularity=dice.pick(tuple(Granularity)) if dice.chance(30) else None,
    )
    if dice.chance(12):
        when = PlannerWhen(goal=dice.pick(("yearly", GOALS[2])))
    cause = "the planner knows why" if dice.chance(20) else ""
    return PlannerRule(when, cause, draft(dice, plan), verdicts(dice, plan))


def draft(dice: Dice, plan: Plan) -> tuple[Step, ...]:
    """A stretch of the plan, each step as it was or changed, and sometimes something new behind it."""
    if dice.chance(4):
        return ()
    first = dice.roll(len(plan.steps))
    last = len(plan.steps) if dice.chance(70) else dice.between(first + 1, len(plan.steps))
    stretch = [_variation(dice, step, plan) for step in plan.steps[first:last]]
    if dice.chance(30):
        stretch.append(_new(dice, plan, stretch))
    drafted = tuple({step.id: step for step in stretch}.values())
    return relabelled(dice, drafted) if dice.chance(25) else drafted


def relabelled(dice: Dice, drafted: Sequence[Step]) -> tuple[Step, ...]:
    """The same under ids that were never used, references and dependencies alike, sometimes behind a first step."""
    names = {step.id: f"r{place}" for place, step in enumerate(drafted) if not dice.chance(10)}
    renamed = tuple(
        replace(
            step,
            id=names.get(step.id, step.id),
            args=references.rename(step.args, names, names),
            depends_on=tuple(names.get(d, d) for d in step.depends_on) if step.depends_on is not None else None,
        )
        for step in drafted
    )
    first = Step("r", dice.pick(TOOLS), action="prepare", depends_on=())
    return (first, *renamed) if dice.chance(40) else renamed


def _variation(dice: Dice, step: Step, plan: Plan) -> Step:
    """A step of the plan: the same, done another way, or under another id."""
    if dice.chance(35):
        return step
    known = {each.id: each for each in plan.steps}
    if dice.chance(6):  # somebody else's work under this id
        step = replace(dice.pick(plan.steps), id=step.id)
    changed = replace(
        step,
        id=dice.pick((step.id, step.id, step.id, "n1", "n2", "20")),
        action=dice.pick((step.action, "look it up", "do it differently")),
        tool_name=dice.pick((step.tool_name, *TOOLS)) if not dice.chance(3) else "nobody",
        depends_on=dice.pick((None, step.depends_on, step.depends_on, ())),
        assumes=dice.some((*PREMISES, "luck"), 1) if dice.chance(30) else step.assumes,
        alternatives=(Alternative("nobody"),) if dice.chance(3) else step.alternatives,
        replaces=dice.pick(tuple(known)) if dice.chance(6) else None,
        required=step.required and dice.chance(50),
    )
    if dice.chance(4) and (plan.tools or {}).get(changed.tool_name, Tool()).idempotent:
        changed = replace(changed, again=True)
    return with_args(dice, changed, known, ids(plan.steps)) if dice.chance(25) else changed


def _new(dice: Dice, plan: Plan, before: Sequence[Step]) -> Step:
    names = (*ids(plan.steps), *ids(before), "zz")
    step = Step(
        dice.pick(("n3", "30", "n1")),
        dice.pick(TOOLS),
        depends_on=dice.some(names, 2) if dice.chance(60) else None,
        produces={"rows": "list"} if dice.chance(20) else None,
    )
    return with_args(dice, step, {each.id: each for each in (*plan.steps, *before)}, names)


def verdicts(dice: Dice, plan: Plan) -> dict[str, Verdict]:
    """What a draft says of some variables, one of which does not exist."""
    if not dice.chance(40):
        return {}
    return {variable_name(id_): dice.pick(tuple(Verdict)) for id_ in (*dice.some(ids(plan.steps), 4), "zz")}
