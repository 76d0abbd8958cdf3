"""What the loader makes of any file: it takes it, or refuses it in words with their places; what it takes can be run.

`python -m tests.trust.fuzz COUNT SEED` tries so many files and writes what it took as JSON.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from random import Random

import msgspec
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from replanctl.errors import InputError, Problem
from replanctl.files import (
    Rehearsal,
    Role,
    Source,
    check_plan,
    load_coefficients,
    load_lessons,
    parse_draft,
    parse_rehearsal,
)
from replanctl.files.disk import decode
from replanctl.files.rewriting import say_in_steps
from replanctl.host.rehearse import session_of
from replanctl.live.draft import Draft
from replanctl.replan.lessons import Lesson
from replanctl.replan.prompt import ReplanRequest
from replanctl.replan.replanner import PlannerRule
from replanctl.run.fold import fold
from tests.cli.conftest import Cli
from tests.pace import slowness
from tests.properties.plan_file import plan_file
from tests.properties.rehearsals import of_seed
from tests.trust.documents import Kind, documents, slips, written
from tests.trust.measured import peak_megabytes

SLOW = 1.0  # seconds of the processor for one file: reading it, running what it says, and the command line's turn
VARIANTS = 9  # of each file that hypothesis draws, which takes ten times as long as to read one
MANY_VARIANTS = 19  # the same where there are so many files that this time counts
EVENTS = 2000  # of a session that are looked at: a policy may ask for more attempts than anybody waits for
BASE = "goal: g\nsteps:\n- {id: 1, tool: t, args: {q: a}}\n- {id: 2, tool: u, args: {q: '#E1'}, assumes: [p]}\n"
FAILING = BASE + "outcomes: [{match: {step: 2}, returns: [shape]}]\n"

# Every rule that what is in a file can break.
_RULES = """
after-or-at alias-bomb args-mismatch bad-choice bad-duration bad-escape bad-id bad-limit bad-number bad-range
bad-name bad-path bad-schema bad-type bad-variable bad-version control-character cycle duplicate-id duplicate-key
duplicate-name
empty-file empty-list empty-text foreign-reference hidden-dependency limit-too-small lone-surrogate many-errors
many-warnings merge-key missing-key never-met non-text-key not-a-plan not-utf8 number-too-large open-block
own-fallback recursive-alias refutes-on-ok repeated-name several-answers several-documents tag too-deep unknown-alias
unknown-assumption unknown-dependency unknown-key unknown-reference unknown-step unknown-tool unquoted-reference
unreachable-rule value-required wrong-type yaml-syntax
"""
RULES = frozenset(_RULES.split())


class Tally(msgspec.Struct):
    """How many files were tried, what became of them, and what the hardest took."""

    tried: int = 0
    refused: int = 0
    sessions: int = 0
    events: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    megabytes: float = 0.0


# -- files -------------------------------------------------------------------------------------------------------------

EXAMPLES = [path.read_bytes() for path in sorted((Path(__file__).parents[2] / "plans").rglob("*.yaml"))]
BITS = [bytes([byte]) for byte in b"\t\n\r :-?,[]{}&*!|>'\"%@`#~\\<=\x00\x7f\xff\xc3\xed0E1"]
_plans = st.integers(0, 10**6).map(lambda number: plan_file(of_seed(number)).encode())


def files(kind: Kind) -> st.SearchStrategy[bytes]:
    """Files of this kind: right ones, ones with a slip, and examples that somebody wrote."""
    right = documents(kind)
    made = [written(right), written(right), written(slips(right))]
    return st.one_of(*made, *((_plans, st.sampled_from(EXAMPLES)) if kind is Kind.PLAN else ()))


def variants(data: bytes, dice: Random, count: int = VARIANTS) -> Iterator[bytes]:
    """The file itself, and the same with some of its bytes changed."""
    yield data
    for _ in range(count):
        yield mutated(data, dice)


def mutated(data: bytes, dice: Random) -> bytes:
    """The bytes changed in one to three places."""
    for _ in range(dice.choice((1, 1, 2, 3))):
        at = dice.randrange(len(data) + 1)
        data = data[:at] + dice.choice(_CHANGES)(data[at:], dice)
    return data


def _damage(rest: bytes, dice: Random) -> bytes:
    """Something that hardly anybody writes, as long as it may get."""
    many = dice.choice((1, 3, 70, 1500))
    return dice.choice(DAMAGES)(many) + rest


# By how many there are to be.
DAMAGES: tuple[Callable[[int], bytes], ...] = (
    lambda many: b"[" * many,
    lambda many: b"{a: " * many,
    lambda many: b"[" * many + b"]" * many,
    lambda many: b"- " * many,
    lambda many: b"? " * many,
    lambda many: b"k" * many + b": ",
    lambda many: b'"' + b"k" * many + b'": ',
    lambda many: b"".join(b"&a%d " % at for at in range(many)),
    lambda many: b"&a [" + b"*a, " * many + b"]",
    lambda many: b"\n".join(b"a%d: &a%d [*a%d, *a%d]" % (at, at, at - 1, at - 1) for at in range(many)),
    lambda many: b"\n%TAG !a! tag:x\n" * many,
    lambda many: b"%YAML 1.1\n---\n",
    lambda many: b"\n---\n" * many,
    lambda many: b"\n...\n" * many,
    lambda many: b"\xef\xbb\xbf" * many,
    lambda many: b"\x00" * many,
    lambda many: b"9" * many,
    lambda many: b"1e" + b"9" * many,
    lambda many: b"." + b"0" * many + b"1",
    lambda many: b"\r\n" * many,
    lambda many: b"\r" * many,
    lambda many: "\x85\u2028\u2029".encode() * many,
    lambda many: "\x1b[2J\u202e\u200b\ufffe".encode() * many,
    lambda many: b'"' + b"\\ud83d\\ude00" * many + b'"',
    lambda many: b"\\ud83d" * many,
    lambda many: b"\\" * many,
    lambda many: b"#E1" * many,
    lambda many: b"#E1 #1.rows {{1}} ${1} $1.a <GENERATED>-1 " * many,
    lambda many: b" #E1\n" * many,
    lambda many: b"{q: #E1}\n" * many,
    lambda many: b"\n```\n" * many,
    lambda many: b"'" * many,
    lambda many: b"|9+\n" * many,
    lambda many: b" " * many,
    lambda many: b"\t" * many,
    lambda many: b"!!python/object:os.system " * many,
    lambda many: b"<<: *a\n" * many,
    lambda many: b"&a " * many,
    lambda many: b"*a " * many,
    lambda many: b"x #E1\n      " * many,
    lambda many: b"{a: #1.a}\n    " * many,
    lambda many: b"#1.a, " * many,
    lambda many: b'["#E1' + b".a" * many + b'"]',
    lambda many: b'"' + b"#1.a#" * many + b'"',
    lambda many: b'"' + b"${" * many + b'"',
    lambda many: b"#E" + b"a" * many,
    lambda many: b"\n" + b"".join(b"    k%d: &a%d {x: *a%d}\n" % (at, at, at - 1) for at in range(many)),
    lambda many: b"\n" + b"".join(b"    k: %d\n" % at for at in range(many)),
    lambda many: b"\n" + b"".join(b"    k%d: '{{1}} $1.x'\n" % at for at in range(many)),
)


def _bits(dice: Random) -> bytes:
    return dice.choice(BITS) if dice.random() < 0.8 else dice.randbytes(dice.randrange(4))


def _spliced(rest: bytes, dice: Random) -> bytes:
    other = dice.choice(EXAMPLES)
    at = dice.randrange(len(other))
    return other[at:] if dice.random() < 0.5 else other[at : at + 80] + rest


_CHANGES: tuple[Callable[[bytes, Random], bytes], ...] = (
    lambda rest, dice: _bits(dice) + rest,
    lambda rest, dice: rest[dice.randrange(1, 4) :],
    lambda rest, dice: _bits(dice) + rest[1:],
    lambda rest, dice: rest[: dice.randrange(80)] + rest,
    lambda rest, dice: b"\n".join(reversed(rest.split(b"\n", 2))),
    lambda rest, dice: rest.replace(b"  ", b" ", 1),
    _spliced,
    _damage,
    lambda rest, dice: rest.replace(b"\n", b"\r\n"),
    lambda rest, dice: rest.decode("utf-8", "replace").encode(
        dice.choice(("utf-16", "utf-16-le", "utf-32", "latin-1")), "replace"
    ),
)

ANY = st.sampled_from(Kind).flatmap(lambda kind: st.tuples(st.just(kind), files(kind), st.integers(0, 2**32)))


# -- what must be true of each -----------------------------------------------------------------------------------------


def hold(kind: Kind, data: bytes, tally: Tally) -> None:
    """Take this file or refuse it as promised, and run what it says. Raises AssertionError, or whatever leaks."""
    tally.tried += 1
    began = time.process_time()
    try:
        _READERS[kind](data, tally)
    except InputError as refused:
        tally.refused += 1
        check_refusal(refused.problems, data)
    took = time.process_time() - began
    tally.seconds += took
    if took >= SLOW:  # by our own slowness, or the machine's
        took /= slowness()
    tally.slowest = max(tally.slowest, took)
    assert took < SLOW, f"{took} s"


def check_refusal(problems: Iterable[Problem], data: bytes) -> None:
    """There is an error, and each problem is a proper one."""
    problems = list(problems)
    assert any(problem.severity == "error" for problem in problems)
    check_found(problems, data)


def check_found(problems: Iterable[Problem], data: bytes) -> None:
    """Every problem has a known rule, its place, and words of a sane length."""
    lines = data.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for problem in problems:
        assert problem.rule in RULES, problem
        assert 0 < len(problem.message) < 500, problem
        assert 1 <= problem.line <= len(lines), problem
        assert 1 <= problem.column <= len(lines[problem.line - 1]) + 1, problem


def check_writing(text: str, ids: Iterable[str]) -> None:
    """What every step is to say can be put into the file, or there is no room for it."""
    try:
        changed = say_in_steps("plan.yaml", text, "on_failure", dict.fromkeys(ids, "defer"))
    except InputError as refused:
        assert [problem.rule for problem in refused.problems] == ["no-room"]
        return
    steps = parse_rehearsal([Source("plan.yaml", Role.PLAN, changed)]).plan.steps
    assert None not in {step.on_failure for step in steps}


def _plan(data: bytes, tally: Tally) -> None:
    check_found(check_plan(_file(data)), data)
    text = decode("plan.yaml", data)
    rehearsal = parse_rehearsal([Source("plan.yaml", Role.PLAN, text)])
    run(rehearsal, tally)
    check_writing(text, [step.id for step in rehearsal.plan.steps])


def _outcomes(data: bytes, tally: Tally) -> None:
    text = decode("outcomes.yaml", data)
    run(parse_rehearsal([Source("plan.yaml", Role.PLAN, BASE), Source("outcomes.yaml", Role.OUTCOMES, text)]), tally)


def _policy(data: bytes, tally: Tally) -> None:
    text = decode("policy.yaml", data)
    run(parse_rehearsal([Source("plan.yaml", Role.PLAN, FAILING), Source("policy.yaml", Role.POLICY, text)]), tally)


def _lessons(data: bytes, tally: Tally) -> None:
    run(_FAILING, tally, lessons=load_lessons(_file(data)))


def _coefficients(data: bytes, tally: Tally) -> None:
    policy = msgspec.structs.replace(_FAILING.policy, coefficients=load_coefficients(_file(data)))
    run(msgspec.structs.replace(_FAILING, policy=policy), tally)


def _draft(data: bytes, tally: Tally) -> None:
    rule = parse_draft(decode("draft", data), "draft")
    run(_FAILING, tally, replanner=_Answers(rule))


_READERS: dict[Kind, Callable[[bytes, Tally], None]] = {
    Kind.PLAN: _plan,
    Kind.OUTCOMES: _outcomes,
    Kind.POLICY: _policy,
    Kind.LESSONS: _lessons,
    Kind.COEFFICIENTS: _coefficients,
    Kind.DRAFT: _draft,
}
_FAILING = parse_rehearsal([Source("plan.yaml", Role.PLAN, FAILING)])


class _Answers:
    """A replanner that always gives the same draft."""

    name = "command"

    def __init__(self, rule: PlannerRule) -> None:
        self._draft = Draft(rule.steps, rule.verdicts)

    def replan(self, request: ReplanRequest) -> Draft | None:
        return self._draft

    def cause(self, request: ReplanRequest) -> str:
        return ""


def run(
    rehearsal: Rehearsal, tally: Tally, *, lessons: Iterable[Lesson] = (), replanner: _Answers | None = None
) -> None:
    """The session, as far as a person would wait for it; its result as JSON."""
    session = session_of(rehearsal, rehearsal.policy, lessons, replanner=replanner)
    events = list(islice(session.events(), EVENTS))
    tally.sessions += 1
    tally.events += len(events)
    if len(events) < EVENTS:
        msgspec.json.encode(fold(events))


def _file(data: bytes) -> Path:
    path = Path(tempfile.gettempdir(), f"replanctl-fuzz-{os.getpid()}.yaml")
    path.write_bytes(data)
    return path


# -- through the command line ------------------------------------------------------------------------------------------

_LIMITED = ("--max-steps", "40", "--max-tool-calls", "100", "--max-replans", "5", "--format", "json")
_COMMANDS: dict[Kind, tuple[str, ...]] = {
    Kind.PLAN: ("run", "it.yaml", *_LIMITED),
    Kind.OUTCOMES: ("run", "base.yaml", "--outcomes", "it.yaml", *_LIMITED),
    Kind.POLICY: ("run", "failing.yaml", "--policy", "it.yaml", *_LIMITED),
    Kind.LESSONS: ("run", "failing.yaml", "--lessons", "it.yaml", *_LIMITED),
    Kind.COEFFICIENTS: ("cost", "--steps", "3", "--fail", "2", "--coefficients", "it.yaml", "--format", "json"),
    Kind.DRAFT: ("run", "failing.yaml", "--planner", "cat it.yaml", *_LIMITED),
}


def obey(kind: Kind, data: bytes, cli: Cli) -> None:
    """The command line takes this file, or ends with 2, a list of problems and nothing stored."""
    cli.files({"base.yaml": BASE, "failing.yaml": FAILING})
    (cli.folder / "it.yaml").write_bytes(data)
    done = cli(*_COMMANDS[kind])
    assert "Traceback" not in done.err
    assert done.code in (0, 1, 2), done.err
    if done.code == 2:
        assert (done.out, cli.store.exists()) == ("", False)
        assert "error [" in done.err
    else:
        assert msgspec.json.decode(done.out)["schema_version"] == 1


# -- many --------------------------------------------------------------------------------------------------------------

_BATCH = 500  # files that hypothesis draws in one go: it remembers them all


def fuzz(count: int, first: int) -> Tally:
    """So many files, each held to what is promised. Raises AssertionError at the first one that breaks it."""
    tally = Tally()
    whole = count // (1 + MANY_VARIANTS)
    for at in range(0, whole, _BATCH):
        _batch(first + at, min(_BATCH, whole - at), tally)
    tally.megabytes = peak_megabytes()
    return tally


def _batch(number: int, count: int, tally: Tally) -> None:
    @seed(number)
    @settings(max_examples=count, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(ANY)
    def each(it: tuple[Kind, bytes, int]) -> None:
        kind, data, dice = it
        for variant in variants(data, Random(dice), MANY_VARIANTS):
            hold(kind, variant, tally)

    each()


if __name__ == "__main__":
    sys.stdout.buffer.write(msgspec.json.encode(fuzz(*map(int, sys.argv[1:]))))
