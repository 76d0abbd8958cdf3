"""Which step each new one stands for: a table for each rule, and the order they are asked in."""

from __future__ import annotations

import pytest

from replanctl.kinds import Granularity
from replanctl.live.calls import Finished, OpenSteps
from replanctl.live.draft import Draft, Proposal, lay_over
from replanctl.live.graph import Graph
from replanctl.live.naming import Ground
from replanctl.plan.model import Step, sequenced

GLOBAL, PATCH, TAIL = Granularity.GLOBAL, Granularity.PATCH, Granularity.TAIL


def step(text: str) -> Step:
    """`7 sum/total #E1 =3`: id, tool/action, what it reads, what it says it replaces; `!` marks a required one."""
    id_, does, *rest = text.removesuffix("!").split()
    tool, _, action = does.partition("/")
    args = {f"in{place}": word for place, word in enumerate(word for word in rest if word[0] != "=")}
    replaces = next((word[1:] for word in rest if word[0] == "="), None)
    return Step(id_, tool, args, action=action, depends_on=(), replaces=replaces, required=text.endswith("!"))


def steps(text: str) -> tuple[Step, ...]:
    return sequenced(step(part) for part in map(str.strip, text.split("|")) if part)


def laid(plan: str, failed: str, granularity: Granularity, scope: str, draft: str, done: str = "") -> Proposal:
    """A draft laid over a plan of which some steps are done, one failed, and `scope` is what goes."""
    graph = Graph()
    graph.commit(steps(plan))
    for id_ in (*done.split(), failed):
        while (ready := graph.next_ready()) is not None and ready.step.id != id_:
            graph.hold()
        graph.start(graph.cells[id_])
        if id_ == failed:
            graph.fail(graph.cells[id_], awaits_replan=True)
        else:
            graph.finish(graph.cells[id_])
        graph.release()
    cells = [graph.cells[id_] for id_ in (failed, *scope.split())]
    ground = Ground(graph, granularity, cells[0], cells, Finished(graph), OpenSteps(graph), lambda id_: True)
    return lay_over(Draft(steps(draft)), ground, {})


def stands(proposal: Proposal) -> str:
    """`8=3 9 4~`: what each new step stands for, and the steps of the plan that are listed."""
    listed = {id_ for id_, before in proposal.before.items() if before.id == id_}
    return " ".join(
        f"{s.id}~" if s.id in listed else f"{s.id}={s.replaces}" if s.replaces else s.id for s in proposal.steps
    )


# plan | failed | granularity | what else goes | draft -> what stands for what
ROWS: dict[str, tuple[str, str, Granularity, str, str, str]] = {
    "1: as it says, whatever it does": ("1 a | 2 b", "1", TAIL, "2", "8 b =1 | 9 x =2", "8=1 9=2"),
    "1 before 2": ("1 a | 2 b", "1", TAIL, "2", "8 a =2 | 9 a", "8=2 9=1"),
    "2: the same call before the same work": ("1 a x | 2 a y", "1", TAIL, "2", "8 a y | 9 a z", "8=2 9=1"),
    "2: of two the failed one first": ("1 a x | 2 a x", "2", TAIL, "1", "8 a x | 9 a x", "8=2 9=1"),
    "2: of others the first in the list": ("1 b | 2 a x | 3 a x", "1", TAIL, "2 3", "8 a x", "8=2"),
    "2: a reference means what the named step stands for": (
        "1 a x | 2 b #E1 | 3 b #E9", "1", TAIL, "2 3", "7 a x | 8 b #E7", "7=1 8=2",
    ),
    "2: also one that follows to the step that goes": (
        "1 a x | 2 b #E1 | 3 b y", "1", TAIL, "2 3", "7 a x | 8 b y | 9 b #E1", "7=1 8=3 9=2",
    ),
    "2: asked again after each find": (
        "1 a x | 2 b #E1 | 3 b y", "1", TAIL, "2 3", "7 a y | 6 b z | 8 b #E7", "7=1 6=3 8=2",
    ),
    "2: a step listed later may be named too": (
        "1 a x | 2 b #E1 | 3 b y", "1", TAIL, "2 3", "6 b #E7 | 7 a x", "6=2 7=1",
    ),
    "2: one that is kept is listed again": ("1 a | 2 b x", "1", PATCH, "", "8 c | 9 b x", "8=1 2~"),
    "2: kept ones too by what is read": ("1 a | 2 b #E1", "1", PATCH, "", "8 a | 9 b #E8", "8=1 2~"),
    "2: the failed one before one that is kept": ("1 a x | 2 a x", "2", PATCH, "", "8 a x | 9 a x", "8=2 1~"),
    "2: nothing is kept in a global": ("1 a | 2 b x", "1", GLOBAL, "2", "8 c | 9 b x", "8=1 9=2"),
    "2: the first in the draft, also where its reads are settled last": (
        "1 a x | 2 b #E1", "1", TAIL, "2", "6 b #E7 | 7 a x | 8 b #E1", "6=2 7=1 8",
    ),
    "3: the same action and tool": ("1 a/do x | 2 a/see x", "1", TAIL, "2", "8 a/see y | 9 a/do y", "8=2 9=1"),
    "3: an open one that is kept stays apart": ("1 a | 2 b/see x", "1", PATCH, "", "8 c | 9 b/see y", "8 9=1"),
    "3 before 4": ("1 a | 2 b", "1", GLOBAL, "2", "2 a x | 1 b x", "3=1 4=2"),
    "4: a local name is the id of one that goes": ("1 a | 2 b", "1", GLOBAL, "2", "2 x | 8 y", "9=2 8=1"),
    "4 before 5": ("1 a/do | 2 a/see", "1", GLOBAL, "2", "2 a/hear | 8 a/say", "9=2 8=1"),
    "5: the same tool, the failed one first": ("1 a/do | 2 a/see", "2", TAIL, "1", "8 a/hear | 9 a/say", "8=2 9=1"),
    "5: whatever is put before it": ("1 a | 2 b", "1", TAIL, "2", "7 p | 8 a/again", "7 8=1"),
    "5: under patch from the last step backwards": ("1 a | 2 b", "1", PATCH, "", "7 a/first | 8 a/second", "7 8=1"),
    "5: forwards otherwise": ("1 a | 2 b", "1", TAIL, "", "7 a/first | 8 a/second", "7=1 8"),
    "at last: the first stands for the failed one": ("1 a | 2 b", "1", TAIL, "2", "7 x | 8 y", "7=1 8"),
    "at last: under patch the last": ("1 a | 2 b", "1", PATCH, "", "7 x | 8 y", "7 8=1"),
    "at last: of those left over": ("1 a | 2 b", "1", TAIL, "2", "7 b | 8 y", "7=2 8=1"),
    "at last: nothing where the failed one is listed": ("1 a | 2 b", "1", TAIL, "2", "1 x | 8 y", "1~ 8"),
    "what is left over begins a line of its own": ("1 a | 2 b", "1", TAIL, "2", "7 x | 8 y | 9 b", "7=1 8 9=2"),
    "required: its tool is not enough": ("1 a/do x! | 2 a/see y", "1", TAIL, "2", "8 a/hear | 9 a/say x", "8=2 9=1"),
    "required: nor is it the last resort": ("1 a/do x! | 2 b", "1", TAIL, "2", "8 x | 9 y", "8 9"),
    "required: its args once it is known what they read": (
        "1 a x | 2 b/do #E1!", "1", TAIL, "2", "8 b/other #E9 | 9 a y", "8=2 9=1",
    ),
    "required: asked again when it is known": (
        "1 a x | 2 b/do #E1!", "1", TAIL, "2", "8 b/other #E9 | 9 a/else y", "8=2 9=1",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("plan", "failed", "granularity", "scope", "draft", "found"), ROWS.values(), ids=ROWS)
def test_what_stands_for_what(
    plan: str, failed: str, granularity: Granularity, scope: str, draft: str, found: str
) -> None:
    assert stands(laid(plan, failed, granularity, scope, draft)) == found


@pytest.mark.parametrize(
    ("draft", "beside"),
    [
        ("8 c | 9 b/see y", ()),  # 9 stands for the failed one
        ("8 b/see y | 9 c", ("listed-beside: step 8 does what step 2 does, which stays: both will run",)),
        ("8 b/other y | 9 c", ()),
        ("2 b/see | 8 b/see y | 9 c", ()),  # it is listed, and so does not stay as it is
        ("8 b/see x | 9 c", ()),  # it is the kept one
    ],
)
def test_a_step_beside_one_that_stays_is_told(draft: str, beside: tuple[str, ...]) -> None:
    assert laid("1 a | 2 b/see x", "1", PATCH, "", draft).warnings == beside


def test_a_name_listed_before_means_the_drafts_step_and_not_what_stands_for_the_old_one() -> None:
    proposal = laid("1 a | 2 b", "1", GLOBAL, "2", "2 x =1 | 8 b =2 | 9 y #E2")
    assert [(s.id, s.args.get("in0")) for s in proposal.steps] == [("10", None), ("8", None), ("9", "#E10")]


CHAIN = "1 get u | 2 parse #E1 | 3 sum #E2 | 4 send #E3"

# a draft after 1, 2 and 3 are done and 4 failed -> the local names, what the committed steps read
LINKS: dict[str, tuple[str, dict[str, str], list[str]]] = {
    "link by link": (
        "6 get u | 7 parse #E6 | 8 sum #E7 | 9 mail #E8",
        {"6": "1", "7": "2", "8": "3"},
        ["9 #E3"],
    ),
    "in whatever order": ("9 mail #E8 | 8 sum #E7 | 7 parse #E6 | 6 get u", {"6": "1", "7": "2", "8": "3"}, ["9 #E3"]),
    "down to the link that is another": (
        "6 get u | 7 parse/again #E6 | 8 sum #E7 | 9 mail #E8",
        {"6": "1"},
        ["7 #E1", "8 #E7", "9 #E8"],
    ),
    "under its own id, whatever the action": ("1 get/now u | 7 parse #E1 | 9 mail #E7", {"7": "2"}, ["9 #E2"]),
    "a done id with another call is another step, and so is what reads it": (
        "1 get w | 7 parse #E1 | 9 mail #E7",
        {"1": "10"},
        ["10 w", "7 #E10", "9 #E7"],
    ),
}


@pytest.mark.parametrize(("draft", "mapping", "reads"), LINKS.values(), ids=LINKS)
def test_done_work_listed_again(draft: str, mapping: dict[str, str], reads: list[str]) -> None:
    proposal = laid(CHAIN, "4", TAIL, "", draft, done="1 2 3")
    assert proposal.mapping == mapping
    assert [f"{step.id} {' '.join(step.args.values())}" for step in proposal.steps] == reads


@pytest.mark.parametrize(
    ("draft", "adrift"),
    [
        ("8 a | 9 x #E2", ["step 9 reads #E2, which goes, and nothing listed before it stands for it"]),
        ("9 x #E2 | 8 b", ["step 9 reads #E2, which goes, and nothing listed before it stands for it"]),
        ("8 b | 9 x #E2", []),
        ("8 b #E2 | 9 x", ["step 8 reads #E2, which goes, and nothing listed before it stands for it"]),
        ("1 x #E2 | 8 b", []),  # a listed step follows always
        ("1 x #E2 | 8 y", ["step 1 reads #E2, which goes, and nothing stands for it"]),
    ],
)
def test_reading_what_goes(draft: str, adrift: list[str]) -> None:
    assert list(laid("1 a | 2 b | 3 c", "1", TAIL, "2 3", draft).adrift.values()) == adrift
