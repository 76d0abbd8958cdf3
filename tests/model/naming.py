"""New ids."""

from __future__ import annotations

import re

from tests.model.world import Ambiguous


def next_id(base: str, had: list[str]) -> str:
    """The successor of an id among all that were ever had."""
    if base.isdigit() and len(base) <= 18:
        stem, numbers = "", [int(i) for i in had if i.isdigit() and len(i) <= 18]
    elif found := re.match(r"(.*[^0-9])([0-9]{1,3})\Z", base):
        stem = found.group(1)
        numbers = [int(i[len(stem) :]) for i in had if re.fullmatch(re.escape(stem) + r"[0-9]{1,3}", i)]
    else:
        stem = base + "_"
        numbers = [int(i[len(stem) :]) for i in had if re.fullmatch(re.escape(stem) + r"[0-9]{1,3}", i)] or [1]
    number = max(numbers) + 1
    while f"{stem}{number}" in had:
        number += 1
    if len(f"{stem}{number}") > 64:
        raise Ambiguous("an id that would pass 64 characters")
    return f"{stem}{number}"
