"""What keeps a plan that was built in Python from being run: the counterpart of a file's checks, in words."""

from __future__ import annotations

from replanctl.plan.cycles import cycles
from replanctl.plan.model import Plan


def plan_faults(plan: Plan) -> tuple[str, ...]:
    """Equal ids, dependencies on nothing, cycles, and tools the plan does not have; none when it can be run."""
    position = {step.id: index for index, step in enumerate(plan.steps)}
    faults = [f"two steps have the id {s.id}" for index, s in enumerate(plan.steps) if position[s.id] != index]
    for step in plan.steps:
        unknown = [id_ for id_ in step.depends_on or () if id_ not in position]
        faults += [f"step {step.id} depends on {id_}, which no step is" for id_ in unknown]
        if plan.tools is not None and step.tool_name not in plan.tools:
            faults.append(f"step {step.id} uses the tool {step.tool_name}, which the plan does not have")
    if not faults:
        for loop in cycles([[position[id_] for id_ in step.depends_on or ()] for step in plan.steps]):
            path = [plan.steps[index].id for index in (*loop, loop[0])]
            faults.append("the steps wait for each other: " + " → ".join(path))
    return tuple(dict.fromkeys(faults))
