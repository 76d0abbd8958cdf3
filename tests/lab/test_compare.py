"""Comparisons: what got better and worse in pairs, and where lanes part."""

from __future__ import annotations

from replanctl.kinds import Granularity
from replanctl.lab import (
    Case,
    Comparison,
    Lane,
    Parting,
    Strategy,
    compare,
    compare_trials,
    parting,
    race,
    sweep_trials,
)
from replanctl.replan import RouteRule, RouteWhen, RoutingPolicy
from replanctl.run import Policy
from tests.lab.making import case, example, limited

DEFAULT = Lane("default", Policy())


def lane(name: str, **limits: int | None) -> Lane:
    return Lane(name, limited(example("vendors"), **limits).rehearsal.policy)


def compared(cases: list[Case], lanes: list[Lane | Strategy]) -> Comparison:
    facts = sweep_trials((of.rehearsal, compare_trials(of, lanes)) for of in cases)
    return compare(facts, [each.name if isinstance(each, Lane) else str(each) for each in lanes])


def test_what_got_worse_and_what_stayed() -> None:
    cases = [example("vendors"), example("pipeline"), case("goal: g\nsteps: [{id: 1, tool: a}]\n")]
    found = compared(cases, [DEFAULT, lane("none", max_replans=0)])
    (versus,) = found.versus
    assert [pair.case for pair in versus.worse] == ["vendors", "pipeline"]
    assert (versus.better, versus.same, versus.broken, versus.chance) == ((), 1, 2, 0.5)
    assert [(one.lane, one.sessions, one.completed) for one in found.lanes] == [("default", 3, 3), ("none", 3, 1)]


def test_a_session_with_gaps_is_worse_than_one_without_and_not_broken() -> None:
    found = compared([example("vendors")], [Strategy.HYBRID, Strategy.REWOO])
    (versus,) = found.versus
    assert (len(versus.worse), versus.broken) == (1, 0)
    assert compared([example("vendors")], [Strategy.REWOO, Strategy.HYBRID]).versus[0].better[0].case == "vendors"


def test_every_strategy_does_what_it_is_called() -> None:
    lanes = list(Strategy)
    facts = list(sweep_trials([(example("vendors").rehearsal, compare_trials(example("vendors"), lanes))]))
    depths = {strategy: one.depths for strategy, one in zip(lanes, facts, strict=True)}
    assert depths[Strategy.NONE] == ()
    assert depths[Strategy.PATCH] == (Granularity.PATCH,)
    assert depths[Strategy.TAIL] == depths[Strategy.HYBRID] == (Granularity.TAIL,)
    assert depths[Strategy.GLOBAL] == (Granularity.GLOBAL,)
    assert depths[Strategy.REWOO] == ()


def where(one: Parting | None) -> tuple[float, str | None, list[tuple[str, ...]]] | None:
    return one and (one.at, one.step_id, [group.lanes for group in one.groups])


def test_where_lanes_part() -> None:
    of = example("vendors").rehearsal
    assert where(parting(of, DEFAULT, lane("none", max_replans=0))) == (6.0, "3", [("default",), ("none",)])
    assert parting(of, DEFAULT, lane("more", max_replans=99)) is None


def test_a_route_by_another_name_to_the_same_depth_does_not_part() -> None:
    same = RouteRule("my-own", Granularity.TAIL, RouteWhen())
    other = RouteRule("my-own", Granularity.GLOBAL, RouteWhen())
    of = example("vendors").rehearsal
    named = Lane("named", Policy(routing=RoutingPolicy(rules=(same,))))
    assert parting(of, DEFAULT, named) is None
    deeper = Lane("deeper", Policy(routing=RoutingPolicy(rules=(other,))))
    assert where(parting(of, DEFAULT, deeper)) == (6.0, "3", [("default",), ("deeper",)])


def test_a_race_parts_once_for_all_that_part_at_one_instant() -> None:
    of, lanes = example("vendors"), list(Strategy)
    facts = list(sweep_trials([(of.rehearsal, compare_trials(of, lanes))]))
    found = race(compare(facts, [str(each) for each in lanes]), of, lanes, facts).race
    assert found is not None
    (first,) = found.partings
    assert [group.lanes for group in first.groups] == [
        ("none",),
        ("patch",),
        ("tail", "replan", "hybrid"),
        ("global",),
        ("rewoo", "auto"),
    ]
    assert (first.step_id, first.message) == ("3", "no public price list")
    assert first.groups[0].does == "hands it over"
    assert first.groups[-1].does == "leaves step 3 as a gap"


def test_lanes_that_go_on_together_may_part_later() -> None:
    text = (
        "goal: g\nsteps: [{id: 1, tool: a}, {id: 2, tool: b}, {id: 3, tool: c}]\n"
        "outcomes: [{match: {step: 1}, returns: [shape, ok]}, {match: {step: 3}, returns: [shape, ok]}]\n"
    )
    of = case(text)
    lanes: list[Lane | Strategy] = [lane("one", max_replans=1), lane("two", max_replans=2), lane("none", max_replans=0)]
    facts = list(sweep_trials([(of.rehearsal, compare_trials(of, lanes))]))
    found = race(compare(facts, ["one", "two", "none"]), of, lanes, facts).race
    assert found is not None
    assert [[group.lanes for group in each.groups] for each in found.partings] == [
        [("one", "two"), ("none",)],
        [("one",), ("two",)],
    ]
    assert found.partings[1].groups[0].does == "is stopped by max_replans"


def words_of(name: str) -> list[tuple[str | None, dict[str, str]]]:
    """Where the strategies part over an example: the step, and what each group does."""
    of, lanes = example(name), list(Strategy)
    facts = list(sweep_trials([(of.rehearsal, compare_trials(of, lanes))]))
    found = race(compare(facts, [str(each) for each in lanes]), of, lanes, facts).race
    assert found is not None
    return [(each.step_id, {group.lanes[0]: group.does for group in each.groups}) for each in found.partings]


def test_a_failure_that_is_answered_later_is_named_where_lanes_part() -> None:
    """Step 2 is in flight when step 3 fails: only a lane that never answers goes on at once."""
    first, second = words_of("parallel")
    assert first == ("3", {"none": "waits for what is running", "rewoo": "leaves step 3 as a gap"})
    assert (second[0], second[1]["none"]) == ("3", "hands it over")


def test_a_draft_that_is_refused_is_told_by_its_depth() -> None:
    (step, words), *_ = words_of("rewoo")
    assert (step, words["patch"], words["global"]) == ("2", "has a patch refused", "has a new plan refused")
