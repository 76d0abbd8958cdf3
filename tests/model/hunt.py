"""Hunt for differences: `python -m tests.model.hunt --seeds 0-999 [--without once,lost] [--shrink] [--lives|--doors]`.

`--lives` takes sessions up again, `--doors` does so through the command line.
"""

from __future__ import annotations

import argparse
import collections
import json
import traceback

from tests.model.compare import try_document
from tests.model.dice import FEATURES, draw
from tests.model.doors import Door, try_door
from tests.model.lives import Life, model_life, try_life
from tests.model.shrink import shrink


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", default="0-999", help="A-B")
    names = ", ".join(sorted(FEATURES))
    parser.add_argument("--without", default="", help=f"features to leave out, by commas: {names}")
    parser.add_argument("--examples", type=int, default=2)
    parser.add_argument("--plans", action="store_true", help="print the plans too")
    parser.add_argument("--shrink", action="store_true", help="print them made small")
    parser.add_argument("--lives", action="store_true", help="stop sessions and take them up again")
    parser.add_argument("--doors", action="store_true", help="the same at the command line")
    flags = parser.parse_args()
    first, last = (int(x) for x in flags.seeds.split("-"))
    features = FEATURES - set(filter(None, flags.without.split(",")))
    found: dict[str, list[tuple[int, str]]] = collections.defaultdict(list)
    why: collections.Counter[str] = collections.Counter()
    for seed in range(first, last + 1):
        try:
            kind, text = try_seed(seed, features, flags)
        except Exception:  # the model's own bugs are told like differences
            kind, text = "model raises", traceback.format_exc().strip()[-700:]
        if kind == "ambiguous":
            why[text] += 1
        found[kind].append((seed, text))
    report(found, why, features, flags)


def try_seed(seed: int, features: frozenset[str], flags: argparse.Namespace) -> tuple[str, str]:
    if flags.doors:
        return try_door(seed)
    return try_life(seed, features) if flags.lives else try_document(draw(seed, features))


def example(seed: int, features: frozenset[str], flags: argparse.Namespace) -> str:
    """What one needs to see what differs."""
    if flags.doors:
        door = Door(seed)
        return json.dumps({"plan.yaml": door.first} | door.files) + f"\n    {door.words}"
    if flags.lives:
        return f"{json.dumps(Life(seed, features).first)}\n    {json.dumps(model_life(seed, features)[0])}"
    return json.dumps(draw(seed, features))


def report(
    found: dict[str, list[tuple[int, str]]],
    why: collections.Counter[str],
    features: frozenset[str],
    flags: argparse.Namespace,
) -> None:
    for kind, cases in sorted(found.items(), key=lambda item: -len(item[1])):
        print(f"{len(cases):6} {kind}")
        if kind in ("same", "ambiguous"):
            continue
        for seed, text in cases[: flags.examples]:
            shown = example(seed, features, flags) if flags.plans or flags.shrink else ""
            if flags.shrink and not flags.lives and not flags.doors:
                document = shrink(draw(seed, features), kind)
                text = try_document(document)[1] if kind != "model raises" else text
                shown = json.dumps(document)
            print(f"  seed {seed}: {text}\n    {shown}".rstrip())
    for text, count in why.most_common():
        print(f"       {count:5} left out: {text}")


if __name__ == "__main__":
    main()
