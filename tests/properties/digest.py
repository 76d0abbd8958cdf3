"""What sessions come to, byte for byte: `python -m tests.properties.digest 0 40` prints one digest for each seed."""

from __future__ import annotations

import hashlib
import sys

import msgspec

from tests.properties.rehearsals import of_seed
from tests.properties.run import run


def digest(seed: int) -> str:
    """A hash of every event and of the result, as they are printed."""
    session = run(of_seed(seed))
    lines = [msgspec.json.encode(event) for event in session.events]
    return hashlib.sha256(b"\n".join([*lines, msgspec.json.encode(session.result)])).hexdigest()


def main(args: list[str]) -> None:
    """The digests of the seeds from the first up to the last, which is left out."""
    first, last = map(int, args)
    print(*map(digest, range(first, last)), sep="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
