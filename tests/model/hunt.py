"""Hunt for differences: `python -m tests.model.hunt --seeds 0-999 [--without once,lost] [--shrink]`."""

from __future__ import annotations

import argparse
import collections
import json
import traceback

from tests.model.compare import try_document
from tests.model.dice import FEATURES, draw
from tests.model.shrink import shrink


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", default="0-999", help="A-B")
    names = ", ".join(sorted(FEATURES))
    parser.add_argument("--without", default="", help=f"features to leave out, by commas: {names}")
    parser.add_argument("--examples", type=int, default=2)
    parser.add_argument("--plans", action="store_true", help="print the plans too")
    parser.add_argument("--shrink", action="store_true", help="print them made small")
    flags = parser.parse_args()
    first, last = (int(x) for x in flags.seeds.split("-"))
    features = FEATURES - set(filter(None, flags.without.split(",")))
    found: dict[str, list[tuple[int, str]]] = collections.defaultdict(list)
    why: collections.Counter[str] = collections.Counter()
    for seed in range(first, last + 1):
        try:
            kind, text = try_document(draw(seed, features))
        except Exception:  # the model's own bugs are told like differences
            kind, text = "model raises", traceback.format_exc().strip()[-700:]
        if kind == "ambiguous":
            why[text] += 1
        found[kind].append((seed, text))
    report(found, why, features, flags)


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
            document = draw(seed, features)
            if flags.shrink:
                document = shrink(document, kind)
                text = try_document(document)[1] if kind != "model raises" else text
            print(f"  seed {seed}: {text}")
            if flags.plans or flags.shrink:
                print("   ", json.dumps(document))
    for text, count in why.most_common():
        print(f"       {count:5} left out: {text}")


if __name__ == "__main__":
    main()
