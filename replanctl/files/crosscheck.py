"""What shows when sections are held against each other: script and contracts, limits and plan, args and schemas."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from heapq import merge
from typing import Any

from msgspec import UNSET

from replanctl.cost import CostModel
from replanctl.files.faults import At
from replanctl.files.shapes import shown
from replanctl.kinds import Status
from replanctl.plan import Step, Tool, mentions
from replanctl.run import Policy
from replanctl.schema import contract, schema_of
from replanctl.script import OutcomeRule, contained

# -- a step whose contract is a JSON Schema needs a value from every scripted `ok` that may answer it ------------------


def check_values(steps: Iterable[Step], tools: dict[str, Tool], rules: Sequence[OutcomeRule], at: At) -> None:
    """Note each `ok` without a value that may answer a step under a JSON Schema before a rule that surely does."""
    if not any(map(_bare, rules)):
        return
    index = _Index(rules)
    for step in steps:
        if schema_of(step.produces) is not None:
            _check_step(step, _tools_of(step, tools), rules, index, at)


def _check_step(step: Step, left: set[str], rules: Sequence[OutcomeRule], index: _Index, at: At) -> None:
    """`left` are the tools whose calls may still get as far as the rule looked at."""
    for number in index.candidates(step, left):
        match = rules[number].match
        answered = left if match.tool is None else left & {match.tool}
        if not answered or not _may_match(match.args, step):
            continue
        _note(step, rules[number], at[number]["returns"])
        if match.version is None and _must_match(match.args, step):
            # A rule that answers whatever this step sends ends the search: what stands behind it never sees such a
            # call. One that names a version may not be in force.
            left = left - ({step.tool_name} if match.step is not None and match.tool is None else answered)
        if not left:
            return


# Every step with such a contract against every rule would be n × m looks at load time, in a file that may hold 100,000
# of each. A rule that names something a step's args plainly lack can't answer it, and is not looked at.
class _Index:
    """The rules that may answer a step: the work is that of what fits it, not of all the rules there are.

    A rule is found by the step it names; else by its tool and one value in its args, the one that fewest rules ask for;
    else by its tool. A step whose own args hold a reference at that place may have any value there, and so is answered
    by each rule that asks for one: of those only the ones with a bare `ok` matter, and for each there is an error.
    """

    def __init__(self, rules: Sequence[OutcomeRule]) -> None:
        self.by: dict[Any, list[int]] = {}
        keys = [list(_leaves(rule.match.args or {})) if rule.match.step is None else [] for rule in rules]
        asked = Counter(key for each in keys for key in each)
        for number, (rule, leaves) in enumerate(zip(rules, keys, strict=True)):
            match = rule.match
            if match.step is not None:
                self._put(("step", match.step), number)
            elif leaves:
                place, _ = leaf = min(leaves, key=asked.__getitem__)
                self._put((match.tool, leaf), number)
                for depth in range(len(place) if _bare(rule) else 0):
                    self._put((match.tool, "unread", place[: depth + 1]), number)
            elif match.version is None or _bare(rule):  # one for a version alone never stops the search
                self._put((match.tool, "any"), number)

    def _put(self, key: Any, number: int) -> None:
        self.by.setdefault(key, []).append(number)

    def candidates(self, step: Step, tools: Iterable[str]) -> Iterator[int]:
        """The rules to look at for a step that uses these tools, in their order; some perhaps more than once."""
        keys: list[Any] = [("step", step.id)]
        leaves = {leaf for args in _all_args(step) for leaf in _leaves(args)}
        for tool in (None, *tools):
            keys.append((tool, "any"))
            for place, value in leaves:
                keys.append((tool, (place, value)))
                if value[0] is str and "#E" in value[1]:
                    keys.append((tool, "unread", place))
        return merge(*(self.by[key] for key in keys if key in self.by))


def _leaves(args: dict[str, Any], place: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """The values in a mapping by their places, in a form that is equal where `contained` says so; lists by length."""
    for key, value in args.items():
        if isinstance(value, dict):
            yield from _leaves(value, (*place, key))
        elif isinstance(value, list):
            yield (*place, key), (list, len(value))
        else:
            kind = float if isinstance(value, int | float) and not isinstance(value, bool) else type(value)
            yield (*place, key), (kind, value)


def _bare(rule: OutcomeRule) -> bool:
    return any(entry.status is Status.OK and entry.value is UNSET for entry in rule.returns)


def _may_match(args: dict[str, Any] | None, step: Step) -> bool:
    return args is None or any(_may_hold(args, own) for own in _all_args(step))


def _may_hold(part: Any, whole: Any) -> bool:
    """Whether a value may hold another one, once its references are read."""
    if isinstance(whole, str) and "#E" in whole:
        return True
    if isinstance(part, dict):
        return isinstance(whole, dict) and all(key in whole and _may_hold(part[key], whole[key]) for key in part)
    if isinstance(part, list):
        return isinstance(whole, list) and len(part) == len(whole) and all(map(_may_hold, part, whole))
    return contained(part, whole)


def _must_match(args: dict[str, Any] | None, step: Step) -> bool:
    return args is None or all(not mentions(own) and contained(args, own) for own in _all_args(step))


def _all_args(step: Step) -> list[dict[str, Any]]:
    return [step.args, *(other.args for other in step.alternatives if other.args is not None)]


def _tools_of(step: Step, tools: dict[str, Tool]) -> set[str]:
    used = {step.tool_name, *(other.tool for other in step.alternatives if other.tool)}
    return used.union(*(tools[name].fallback for name in used if name in tools))


def _note(step: Step, rule: OutcomeRule, at: At) -> None:
    for number, entry in enumerate(rule.returns):
        if entry.status is Status.OK and entry.value is UNSET:
            at[number].error(
                "value-required",
                f"step {step.id} may be answered here, and its contract is a JSON Schema: ok needs a value",
                "write {status: ok, value: …}",
            )


# -- limits that the plan itself can't keep ----------------------------------------------------------------------------


def check_limits(steps: int, policy: Policy, at: At) -> None:
    """Note the limits in `gates`, where `at` stands, that are below what the plan takes when nothing goes wrong."""
    # One call and one execution a step is the least there is, with every retry, replan and skip left out.
    tokens = CostModel(policy.coefficients).main_flow(steps)
    takes = (
        ("max_steps", steps, f"the plan has {steps} steps"),
        ("max_tool_calls", steps, f"the plan makes {steps} calls"),
        ("max_tokens", tokens, f"planning and running every step once takes {tokens} tokens"),
    )
    for name, need, why in takes:
        limit = getattr(policy.gates, name, None)
        if isinstance(limit, int) and limit < need:
            at[name].warning("limit-too-small", f"{name} is {limit}, and {why}", "raise it, or shorten the plan")


# -- args that the tool's own schema refuses ---------------------------------------------------------------------------


def check_step_args(steps: Sequence[Any], tools: dict[str, Tool], at: At) -> None:
    """Note args without a reference that don't fit the schema of their tool: the step would fail without a call."""
    for index, step in enumerate(steps):
        if step.__class__ is not Step:
            continue
        _check_args(step.tool_name, step.args, tools, at[index], f"step {step.id}")
        for number, other in enumerate(step.alternatives):
            name, args = other.tool or step.tool_name, step.args if other.args is None else other.args
            _check_args(name, args, tools, at[index]["alternatives"][number], f"an alternative of step {step.id}")


def _check_args(name: str, args: dict[str, Any], tools: dict[str, Tool], at: At, who: str) -> None:
    schema = tools[name].args if name in tools else None
    # What a reference brings is known when it is read; the engine checks those args before the call.
    if schema is None or mentions(args):
        return
    if why := contract.check_args(schema, args):
        at["args"].warning("args-mismatch", f"{who} would fail before {shown(name)} is called: {why}")
