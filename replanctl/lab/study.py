"""A study: what is swept, by name and digest, and all that its table needs beside the facts; the documents of the lab.

It is the head of a file of facts, so that shards made elsewhere can be merged without the files they came from.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from hashlib import sha256
from itertools import islice
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from replanctl.files import Rehearsal, Source, parse_rehearsal
from replanctl.host import Case
from replanctl.lab.bills import COMPARE_MONEY, TUNE_MONEY
from replanctl.lab.compare import Comparison, Lane, Strategy, compare, compare_trials, paired
from replanctl.lab.facts import Facts
from replanctl.lab.faulted import MatrixOptions, matrix_trials
from replanctl.lab.matrix import Matrix, matrix
from replanctl.lab.race import race
from replanctl.lab.said import ALIKE, SAID
from replanctl.lab.stats import Stats
from replanctl.lab.trial import Trial
from replanctl.lab.tune import Tuning, tune, tune_trials
from replanctl.run import DIALECT, Policy, Schema, described

HONEST = "Exact for this policy and script; says nothing about what a model would plan instead."

Work = Iterator[tuple[Rehearsal, list[Trial]]]


class Kind(StrEnum):
    """What a study is made for."""

    MATRIX = "matrix"
    TUNE = "tune"
    COMPARE = "compare"


# A shard is made where its files are, and merged where they may not be. So a study carries what its table needs of each
# case: a matrix and a race need the plan and the policy themselves, tuning and comparing many cases need names and
# counts alone. `digest` is over everything that decides a session, so that shards of two different sweeps are never
# added up.
class Studied(msgspec.Struct, frozen=True, omit_defaults=True):
    """One case: how many sessions, and what of it the table needs: its texts and its policy, where it needs them."""

    name: str
    digest: str
    trials: int
    solved: bool | None = None
    policy: Policy | None = None
    sources: tuple[Source, ...] = ()

    def case(self) -> Case:
        """The case again. Only of one that has its texts here."""
        rehearsal = parse_rehearsal(self.sources)
        return Case(self.name, msgspec.structs.replace(rehearsal, policy=self.policy or rehearsal.policy))


class Study(msgspec.Struct, frozen=True, omit_defaults=True):
    """All cases of a sweep. `shard` of `shards` holds every so many-th session. `policy` is the one that all have.

    `flags` are the words of a command line that put it in force, `words` those that named the corpus, `left_out` the
    runs of a store that can't be swept.
    """

    kind: Kind
    made_by: str
    cases: tuple[Studied, ...]
    lanes: tuple[Lane | Strategy, ...] = ()
    policy: Policy | None = None
    left_out: int = 0
    flags: str = ""
    words: str = ""
    shard: int = 1
    shards: int = 1

    @property
    def sessions(self) -> int:
        """How many sessions this shard has."""
        return len(range(self.shard - 1, self.all_sessions, self.shards))

    @property
    def all_sessions(self) -> int:
        """How many sessions all shards have together."""
        return sum(case.trials for case in self.cases)

    @property
    def digest(self) -> str:
        """The same for the same study, whatever the shard."""
        # Shards of one study have one digest, or they could not be told to belong together.
        whole = msgspec.structs.replace(self, shard=1, shards=1)
        return sha256(msgspec.json.encode(whole)).hexdigest()[:16]

    @property
    def lane_names(self) -> list[str]:
        """The lanes' names, in order."""
        return [lane.name if isinstance(lane, Lane) else str(lane) for lane in self.lanes]


# -- what is swept -----------------------------------------------------------------------------------------------------


def matrix_study(cases: Sequence[Case], options: MatrixOptions, made_by: str) -> tuple[Study, Work]:
    """Each plan under every fault."""
    studied = tuple(_studied(case, len(matrix_trials(case.rehearsal, options)), whole=True) for case in cases)
    work = ((case.rehearsal, matrix_trials(case.rehearsal, options)) for case in cases)
    return Study(Kind.MATRIX, made_by, studied), work


def tune_study(cases: Sequence[Case], made_by: str, left_out: int = 0) -> tuple[Study, Work]:
    """Each rehearsal as it is, those that a gate stops under other limits."""
    policies = {msgspec.json.encode(case.rehearsal.policy) for case in cases}
    policy = cases[0].rehearsal.policy if len(policies) == 1 else None
    studied = tuple(_studied(case, 1) for case in cases)
    study = Study(Kind.TUNE, made_by, studied, policy=policy, left_out=left_out)
    return study, ((case.rehearsal, tune_trials(case)) for case in cases)


def compare_study(cases: Sequence[Case], lanes: Sequence[Lane | Strategy], made_by: str) -> tuple[Study, Work]:
    """Each rehearsal under each lane. Raises UsageError for fewer than two."""
    paired(lanes)
    studied = tuple(_studied(case, len(lanes), whole=len(cases) == 1) for case in cases)
    work = ((case.rehearsal, compare_trials(case, lanes)) for case in cases)
    return Study(Kind.COMPARE, made_by, studied, tuple(lanes)), work


def _studied(case: Case, trials: int, *, whole: bool = False) -> Studied:
    rehearsal = case.rehearsal
    # Rules without a place in a file are not in the texts: faults of a stored run, and they decide its sessions.
    faults = [rule.name for rule in rehearsal.outcomes if rule.name]
    texts = msgspec.json.encode((rehearsal.sources, rehearsal.policy, case.lessons, faults))
    studied = Studied(case.name, sha256(texts).hexdigest()[:16], trials, case.solved)
    if not whole:
        return studied
    return msgspec.structs.replace(studied, policy=rehearsal.policy, sources=rehearsal.sources)


# -- what comes of it --------------------------------------------------------------------------------------------------


def matrices(study: Study, facts: Iterator[Facts]) -> Iterator[Matrix]:
    """The table of each plan, as soon as its facts are there."""
    for studied in study.cases:
        case = studied.case()
        yield matrix(case, islice(facts, studied.trials))


def tuning(study: Study, facts: Iterator[Facts]) -> Tuning:
    """What each gate cost the corpus."""
    return tune(facts, {case.name: case.solved for case in study.cases})


def comparison(study: Study, facts: Iterator[Facts]) -> Comparison:
    """The lanes over all cases; of a single one as a race."""
    if len(study.cases) > 1:
        return compare(facts, study.lane_names)
    kept = list(facts)
    return race(compare(kept, study.lane_names), study.cases[0].case(), study.lanes, kept)


VERSION = 1


class MatrixDocument(msgspec.Struct, frozen=True, kw_only=True):
    """Each plan under every fault. `honest` says what the result can't know."""

    schema_version: int = VERSION
    plans: tuple[Matrix, ...]
    honest: str = HONEST


class TuneDocument(msgspec.Struct, frozen=True, kw_only=True):
    """What each gate cost a corpus. `honest` says what the result can't know."""

    schema_version: int = VERSION
    tuning: Tuning
    honest: str = HONEST
    money: dict[str, Any] | UnsetType = UNSET


class CompareDocument(msgspec.Struct, frozen=True, kw_only=True):
    """The same scripts under several policies. `honest` says what the result can't know."""

    schema_version: int = VERSION
    comparison: Comparison
    honest: str = HONEST
    money: dict[str, Any] | UnsetType = UNSET


class StatsDocument(msgspec.Struct, frozen=True, kw_only=True):
    """What decided anything in stored runs."""

    schema_version: int = VERSION
    stats: Stats


_DOCUMENTS: dict[Kind | str, tuple[type, str]] = {
    Kind.MATRIX: (MatrixDocument, "A matrix of replanctl"),
    Kind.TUNE: (TuneDocument, "A tuning of replanctl"),
    Kind.COMPARE: (CompareDocument, "A comparison of replanctl"),
    "stats": (StatsDocument, "Statistics of replanctl"),
}


_MONEY: dict[Kind | str, Schema] = {Kind.TUNE: TUNE_MONEY, Kind.COMPARE: COMPARE_MONEY}


def document_schema(kind: Kind | str) -> Schema:
    """The JSON Schema of what a verb of the lab writes. A field that is left out has its default."""
    document, title = _DOCUMENTS[kind]
    (schema,), parts = msgspec.json.schema_components([document], ref_template="#/$defs/{name}")
    described(parts, SAID, ALIKE)
    if kind in _MONEY:
        parts[document.__name__]["properties"]["money"] = _MONEY[kind]
    head: dict[str, Any] = {"$schema": DIALECT, "title": title}
    return head | schema | {"$defs": parts}
