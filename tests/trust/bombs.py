"""Files made to hang, fill or break whatever reads them: what is in each, what is to come of it, and what it may take.

The rows are for `test_bombs.py`. Seconds are of the processor, on a machine of no special speed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

RUN = "run"  # what is expected of a file in which nothing is wrong
MILLION = 1_000_000
STEP = "goal: g\nsteps:\n- {id: 1, tool: t}\n"


class Bomb(NamedTuple):
    """A file, the rules that refuse it (`a*2 b`) or RUN, and the seconds and megabytes that it may take at most."""

    name: str
    make: Callable[[], str | bytes]
    rules: str
    seconds: float = 1.0
    megabytes: float = 60.0


def args(text: str) -> str:
    """A plan whose one step has this in its args."""
    return f"goal: g\nsteps:\n- {{id: 1, tool: t, args: {{q: {text}}}}}\n"


def steps(count: int, said: Callable[[int], str]) -> str:
    """A plan of so many steps, each of which says more than its id and tool."""
    return "goal: g\nsteps:\n" + "".join(f"- {{id: {at}, tool: t, {said(at)}}}\n" for at in range(count))


def names(letter: str, count: int) -> str:
    """So many names, as the items of a list."""
    return ", ".join(f"{letter}{at}" for at in range(count))


def laughs(levels: int) -> str:
    """Ten times ten times ten times … the same."""
    return "".join(f"a{at}: &a{at} [{', '.join([f'*a{at - 1}' if at else 'lol'] * 10)}]\n" for at in range(levels))


def alike(count: int) -> str:
    """Names of 64 letters that differ in a few of them."""
    return ", ".join(f"{f'{at:064b}'.translate({48: 'a', 49: 'b'})}: {{}}" for at in range(count))


YAML = [
    Bomb("alias bomb", lambda: laughs(30), "alias-bomb"),
    Bomb(
        "alias bomb of one long text",
        lambda: args(f"[&a '{'x' * MILLION}', [{'*a, ' * 70}], [{'x, ' * 99}]]"),
        "alias-bomb",
    ),
    Bomb("a million aliases", lambda: args(f"[&a x,{'*a,' * MILLION}]"), "alias-bomb", 8, 300),
    Bomb(
        "merge bomb",
        lambda: "x: &s {a: b}\ny:\n" + f"- <<: [{'*s, ' * 999}]\n" * 99,
        "merge-key*99 alias-bomb",
    ),
    Bomb("merge key", lambda: "a: &s {goal: g}\n<<: *s\n", "merge-key unknown-key missing-key*2"),
    Bomb("a list that contains itself", lambda: args("&a [*a]"), "recursive-alias"),
    Bomb("a file that contains itself", lambda: "&a {goal: *a, steps: *a}\n", "recursive-alias*2 wrong-type*2"),
    Bomb("10,000 brackets", lambda: args("[" * 10_000 + "]" * 10_000), "too-deep"),
    Bomb("10,000 open brackets", lambda: args("[" * 10_000), "too-deep"),
    Bomb("10,000 braces", lambda: args("{a: " * 10_000 + "}" * 10_000), "too-deep"),
    Bomb("10,000 dashes", lambda: f"{STEP}x:\n{'- ' * 10_000}x\n", "too-deep"),
    Bomb("2,000 indents", lambda: "".join(f"{' ' * at}a:\n" for at in range(2000)), "too-deep"),
    Bomb(
        "deep anchors",
        lambda: f"{STEP}x:\n- &a0 [x]\n" + "".join(f"- &a{at} [*a{at - 1}]\n" for at in range(1, 99)),
        "too-deep",
    ),
    Bomb("100,000 anchors", lambda: args(f"[{', '.join(f'&a{at} x' for at in range(100_000))}]"), RUN, 3, 120),
    Bomb("100 MB in one text", lambda: args(f'"{"x" * 100 * MILLION}"'), "too-large@0"),
    Bomb("60 MB in one text", lambda: args(f'"{"x" * 60 * MILLION}"'), RUN, 8, 800),
    Bomb("a whole number of 5,000 digits", lambda: args("9" * 5000), "number-too-large"),
    Bomb("a broken number of 5,000 digits", lambda: args("9" * 5000 + ".5"), "number-too-large"),
    Bomb("a number of a million digits", lambda: args("-" + "9" * MILLION), "number-too-large"),
    Bomb("an id of 5,000 digits", lambda: STEP.replace("1", "9" * 5000), "number-too-large bad-id"),
    Bomb("a duration of 5,000 digits", lambda: f"{STEP}tools: {{t: {{timeout: {'9' * 5000}s}}}}\n", "bad-duration"),
    Bomb("a duration without end", lambda: f"{STEP}tools: {{t: {{timeout: 1e308}}}}\n", "bad-duration"),
    Bomb("tokens without end", lambda: f"{STEP}policy: {{coefficients: {{step: {2**63 - 1}}}}}\n", "bad-number"),
    Bomb(
        ".nan and .inf",
        lambda: f"{STEP}policy: {{retry: {{factor: .nan, backoff: .inf}}}}\n",
        "bad-number bad-duration",
    ),
    Bomb(".nan as text", lambda: args(".nan"), RUN),
    Bomb("UTF-16 with a mark", lambda: STEP.encode("utf-16"), "not-utf8"),
    Bomb("UTF-16 without a mark", lambda: STEP.encode("utf-16-le"), "not-utf8"),
    Bomb("UTF-16 the other way round", lambda: STEP.encode("utf-16-be"), "not-utf8"),
    Bomb("UTF-32", lambda: STEP.encode("utf-32"), "not-utf8"),
    Bomb("UTF-8 with a mark", lambda: b"\xef\xbb\xbf" + STEP.encode(), RUN),
    Bomb("a mark in the middle", lambda: f"{STEP}\ufeffpolicy: {{}}\n", "yaml-syntax"),
    Bomb("Latin-1", lambda: "goal: café\n".encode("latin-1"), "not-utf8"),
    Bomb("half of a pair", lambda: b"goal: \xed\xa0\x80\n", "not-utf8"),
    Bomb("half of a pair as an escape", lambda: args(r'"\ud800"'), "bad-escape"),
    Bomb("NUL", lambda: "goal: g\0\n", "control-character"),
    Bomb("NUL as an escape", lambda: args(r'"a\0b"'), RUN),
    Bomb("ESC", lambda: "goal: '\x1b[2J'\n", "control-character"),
    Bomb("duplicate keys", lambda: f"goal: g\ngoal: h\n{STEP}", "duplicate-key*2"),
    Bomb("!!python/object", lambda: args("!!python/object/apply:os.system [exit]"), "tag"),
    Bomb("!!int of no number", lambda: args("!!int x"), "tag"),
    Bomb("!!binary of no base64", lambda: args("!!binary '*'"), "tag"),
    Bomb("!!timestamp of no day", lambda: args("!!timestamp 2024-02-31"), "tag"),
    Bomb("an unknown tag handle", lambda: args("!x!y z"), "yaml-syntax"),
    Bomb("several documents", lambda: f"{STEP}---\n{STEP}", "several-documents"),
    Bomb("a million documents", lambda: "---\n" * MILLION, "several-documents wrong-type", 3, 150),
    Bomb("nothing", lambda: "", "empty-file"),
    Bomb("only comments", lambda: "# nothing\n" * 300_000, "empty-file", 2, 100),
    Bomb("two million empty lines", lambda: "\n" * 2 * MILLION, "empty-file", 3, 100),
    Bomb("a text for a plan", lambda: "goal\n", "wrong-type"),
    Bomb("a key of 5,000 characters", lambda: args(f"{{{'k' * 5000}: 1}}"), "yaml-syntax"),
    Bomb("a key of 6 MB", lambda: f'{STEP}? "{"k" * 6 * MILLION}"\n: 1\n', "unknown-key", 2, 120),
    Bomb(
        "30,000 unknown keys",
        lambda: STEP + "".join(f"k{at}: 1\n" for at in range(30_000)),
        "unknown-key*1000 many-errors",
        3,
        80,
    ),
    Bomb("a million empty mappings", lambda: args(f"[{'{},' * MILLION}]"), RUN, 8, 250),
    Bomb(
        "300,000 empty steps",
        lambda: f"goal: g\nsteps: [{'{},' * 300_000}]\n",
        "missing-key*1000 many-errors",
        5,
        120,
    ),
    Bomb(
        "100,000 empty outcomes",
        lambda: f"{STEP}outcomes: [{'{},' * 100_000}]\n",
        "missing-key*1000 many-errors",
        3,
        80,
    ),
    Bomb("tabs before a step", lambda: "goal: g\nsteps:\n\t- {id: 1, tool: t}\n", "yaml-syntax"),
    Bomb("tabs between words", lambda: "goal:\tg\nsteps:\n- {id: 1,\ttool:\tt}\t\n", RUN),
    Bomb("CRLF", lambda: STEP.replace("\n", "\r\n"), RUN),
    Bomb("CR", lambda: STEP.replace("\n", "\r"), RUN),
    Bomb("%YAML 1.2", lambda: f"%YAML 1.2\n---\n{STEP}", RUN),
    Bomb("%YAML 3.0", lambda: f"%YAML 3.0\n---\n{STEP}", "yaml-syntax"),
    Bomb("%TAG", lambda: f"%TAG ! tag:example.org,2000:\n---\n{STEP}", "tag"),
    Bomb("many %TAG", lambda: "".join(f"%TAG !a{n}! tag:x\n" for n in range(200_000)) + f"---\n{STEP}", "tag"),
    Bomb("an unknown directive", lambda: f"%SHELL exit\n---\n{STEP}", "yaml-syntax"),
    Bomb("5 MB of spaces", lambda: f"goal: g\nsteps:\n{' ' * 5 * MILLION}- {{id: 1, tool: t}}\n", RUN),
]

PLANS = [
    Bomb(
        "a step after 5,000",
        lambda: (
            steps(5000, lambda at: "depends_on: []")
            + f"- {{id: z, tool: t, depends_on: [{', '.join(map(str, range(5000)))}]}}\n"
        ),
        RUN,
        3,
        100,
    ),
    Bomb(
        "500 steps, each after all before it",
        lambda: steps(500, lambda at: f"depends_on: [{', '.join(map(str, range(at)))}]"),
        RUN,
        3,
        100,
    ),
    Bomb(
        "a step after 20,000 that no step is",
        lambda: steps(1, lambda at: f"depends_on: [{names('x', 20_000)}]"),
        "unknown-dependency*1000 many-errors",
        2,
    ),
    Bomb(
        "100,000 steps, each after itself",
        lambda: steps(100_000, lambda at: f"depends_on: [{at}]"),
        "cycle*1000 many-errors",
        12,
        200,
    ),
    Bomb(
        "20,000 steps in pairs",
        lambda: steps(20_000, lambda at: f"depends_on: [{at ^ 1}]"),
        "cycle*1000 many-errors",
        3,
    ),
    Bomb(
        "20,000 steps in a circle", lambda: steps(20_000, lambda at: f"depends_on: [{(at + 1) % 20_000}]"), "cycle", 3
    ),
    Bomb(
        "20,000 steps with one id",
        lambda: "goal: g\nsteps:\n" + "- {id: 1, tool: t}\n" * 20_000,
        "duplicate-id*1000 many-errors",
        2,
    ),
    Bomb(
        "10,000 references to nothing",
        lambda: steps(10_000, lambda at: f"args: {{q: '#Ex{at}'}}") + "policy: {gates: {max_steps: 3}}\n",
        RUN,
        5,
        120,
    ),
    Bomb("100,000 references in one text", lambda: args(f"'{'#E1' * 100_000}'"), RUN, 5, 150),
    Bomb(
        "a reference of 2 MB",
        lambda: args(f"'#E{'a-' * MILLION}'") + "outcomes: [{returns: [shape]}]\n",
        RUN,
        3,
        100,
    ),
    Bomb("a path of 100,000 parts", lambda: args(f"'#E1{'.a' * 100_000}'"), RUN, 3, 100),
    Bomb("a million references in a comment", lambda: f"{STEP}#{'#E1 ' * MILLION}\n", RUN, 5, 150),
    Bomb(
        "20,000 references that are comments",
        lambda: f"{STEP}- id: 2\n  tool: t\n  args:\n" + "".join(f"    k{at}: #E1\n" for at in range(20_000)),
        "unquoted-reference*1000 many-errors",
        3,
    ),
    Bomb(
        "20,000 premises that fall",
        lambda: (
            f"goal: g\nsteps:\n- {{id: 1, tool: t, assumes: &a [{names('a', 20_000)}]}}\n- {{id: 2, tool: t}}\n"
            "outcomes: [{match: {step: 2}, returns: [{status: shape, refutes: *a}]}]\n"
        ),
        RUN,
        5,
        100,
    ),
    Bomb(
        "2,000 fallbacks that fail",
        lambda: (
            f"{STEP}tools: {{t: {{fallback: [{names('f', 2000)}]}}, {names('f', 2000).replace(',', ': {},')}: {{}}}}\n"
            "outcomes: [{returns: [timeout]}]\n"
        ),
        RUN,
        3,
        100,
    ),
    Bomb(
        "a name unlike 70 that are alike",
        lambda: (
            f"goal: g\ntools: {{{alike(70)}}}\nsteps:\n"
            + "".join(f"- {{id: {at}, tool: {'ab' * 32}}}\n" for at in range(100))
        ),
        "unknown-tool*100",
        5,
    ),
]
