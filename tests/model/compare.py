"""The engine's result beside the model's: the first difference, by version."""

from __future__ import annotations

import itertools
import json
import re
from typing import Any

import msgspec

from replanctl.replan.lessons import Lesson
from tests.model.dice import FEATURES, draw
from tests.model.session import rehearse as model
from tests.model.world import Ambiguous
from tests.rehearse import rehearse as engine

SECTIONS = ("history", "signals", "routes", "gates", "versions", "revisions", "lessons", "ledger", "gaps")
STEP = ("id", "action", "tool", "args", "expected_outcome", "depends_on", "assumes", "state", "replaces")


def norm(value: Any) -> Any:
    if isinstance(value, float) or (isinstance(value, int) and not isinstance(value, bool)):
        return round(float(value), 6)
    if isinstance(value, dict):
        return {k: norm(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [norm(v) for v in value]
    return value


def message(text: Any) -> Any:
    """Texts that the contract gives only in part are compared only so far."""
    return re.sub(r"(not made again).*", r"\1", text) if isinstance(text, str) else text


def sections(result: dict[str, Any]) -> dict[str, Any]:
    """What is compared, in one form for both."""
    found: dict[str, Any] = {}
    found["history"] = together([history_row(h) for h in result["history"]])
    found["signals"] = [
        {k: message(x[k]) for k in ("version", "step_id", "error_type", "error_msg")}
        | {"attempted": x["attempted"], "radius": x["evidence"].get("radius")}
        for x in result["signals"]
    ]
    found["routes"] = result["routes"]
    found["gates"] = result["gates"]
    found["versions"] = [
        {**{k: v[k] for k in ("version", "parent", "granularity", "rule", "cause")},
         "steps": [{k: st[k] for k in STEP} for st in v["steps"]]}
        for v in result["versions"]
    ]  # fmt: skip
    found["revisions"] = [{**x, "version": x["from"]} for x in result["revisions"]]
    found["lessons"] = [
        {**x, "text": message(re.sub(r"(invalid_draft:).*", r"\1", x["text"]))} for x in result["lessons"]
    ]
    lines = result["ledger"]["lines"]
    found["ledger"] = sorted(lines, key=lambda x: (int(x["version"][1:]), json.dumps(x, sort_keys=True)))
    found["gaps"] = [{**x, "error_msg": message(x["error_msg"])} for x in result["gaps"]]
    return {k: norm(v) for k, v in found.items()}


def together(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Steps skipped in one go have no order that the contract names."""
    found: list[dict[str, Any]] = []
    for skipped, group in itertools.groupby(rows, lambda row: row["status"] == "skipped"):
        rows_here = list(group)
        found += sorted(rows_here, key=lambda row: str(row["step_id"])) if skipped else rows_here
    return found


def history_row(row: dict[str, Any]) -> dict[str, Any]:
    if row["status"] == "skipped":
        return {k: row[k] for k in ("version", "step_id", "status", "ended")}
    error = row["error"] and {k: message(v) for k, v in row["error"].items()}
    kept = ("version", "step_id", "tool", "args", "status", "result", "attempts", "started", "ended")
    return {k: row[k] for k in kept} | {"error": error}


def first_difference(ours: dict[str, Any], theirs: dict[str, Any]) -> tuple[str, str] | None:
    """(kind, text) of the earliest difference, or None."""
    found: list[tuple[int, int, str, str]] = []
    a, b = sections(ours), sections(theirs)
    for order, name in enumerate(SECTIONS):
        difference = in_rows(name, a[name], b[name])
        if difference is not None:
            version, kind, text = difference
            found.append((version, order, kind, text))
    if found:
        _, _, kind, text = min(found)
        return kind, text
    if lines := ledger_order(ours, theirs):
        return lines
    for name in ("variables", "reason", "status", "goal", "seconds", "totals", "effects", "handover"):
        x, y = rest(name, ours), rest(name, theirs)
        if x is not None and y is not None and norm(x) != norm(y):
            return name, f"{name}: model {json.dumps(x)}\n    engine {json.dumps(y)}"
    return None


def ledger_order(ours: dict[str, Any], theirs: dict[str, Any]) -> tuple[str, str] | None:
    """Lines are compared as a set first: where they stand comes last."""
    a, b = ([(x["kind"], x["step_id"]) for x in r["ledger"]["lines"]] for r in (ours, theirs))
    return None if a == b else ("ledger order", f"model {a}\n    engine {b}")


def rest(name: str, result: dict[str, Any]) -> Any:
    if name == "totals":
        totals = result["ledger"]["totals"]
        return {k: totals[k] for k in ("main", "remedy", "all")} | {"ratio": round(totals["ratio"], 4)}
    if name == "handover" and result[name] is not None and "replans" not in result[name]:
        return handover(result)
    if name == "variables":
        return {k: {**v, "assumptions": sorted(v["assumptions"])} for k, v in result["variables"].items()}
    return result.get(name)


def handover(result: dict[str, Any]) -> dict[str, Any]:
    """The engine's hand-over, as the model has it; its trajectory tells what each replan changed."""
    given = result["handover"]
    gate = given["gate"]
    told = []
    for revision in result["revisions"]:
        ids = sorted([*revision["removed"], *revision["added"], *revision["revised"]])
        lines = [line for line in given["trajectory"] if line.startswith(f"{revision['to']} ")]
        assert any(all(re.search(rf"\b{re.escape(i)}\b", line) for i in ids) for line in lines), (revision, lines)
        told.append([ids, revision["to"]])
    assert given["next"], "what could be done next"
    assert given["lessons"] == result["lessons"], "the lesson book"
    return {
        "reason": given["reason"],
        "gate": gate and {k: gate[k] for k in ("gate", "limit", "reading")},
        "clean_results": given["clean_results"],
        "open": list(given["open"]),
        "gaps": [gap["step_id"] for gap in given["gaps"]],
        "lessons": len(given["lessons"]),
        "replans": told,
    }


def in_rows(name: str, ours: list[Any], theirs: list[Any]) -> tuple[int, str, str] | None:
    for at in range(max(len(ours), len(theirs))):
        x = ours[at] if at < len(ours) else None
        y = theirs[at] if at < len(theirs) else None
        if x == y:
            continue
        row = x or y or {}
        version = int(str(row.get("version", "v99")).lstrip("v") or 99)
        if x is None or y is None:
            kind = f"{name}: {'missing' if y is None else 'extra'} in engine"
        else:
            keys = [k for k in x if x.get(k) != y.get(k)]
            kind = f"{name}.{keys[0] if keys else '?'}"
            if name == "versions" and keys and keys[0] == "steps":
                kind += "." + steps_kind(x["steps"], y["steps"])
        return version, kind, f"{name}[{at}]: model {json.dumps(x)}\n    engine {json.dumps(y)}"
    return None


def steps_kind(ours: list[Any], theirs: list[Any]) -> str:
    if [st["id"] for st in ours] != [st["id"] for st in theirs]:
        return "ids"
    for x, y in zip(ours, theirs, strict=True):
        for key in STEP:
            if x[key] != y[key]:
                return key
    return "?"


def try_document(document: dict[str, Any]) -> tuple[str, str]:
    """How one document compares: ("same", ""), ("ambiguous", why), ("invalid", why), or (kind, difference)."""
    document = json.loads(json.dumps(document))
    try:
        ours = model(document)
    except Ambiguous as why:
        return "ambiguous", str(why)
    try:
        lessons = [Lesson(**lesson) for lesson in document.pop("lessons", [])]
        _, result = engine(json.dumps(document), lessons=lessons)
    except Exception as error:  # whatever the engine raises is told
        name = type(error).__name__
        return ("invalid" if name == "InputError" else f"raises {name}"), str(error)[:400]
    return first_difference(ours, msgspec.to_builtins(result)) or ("same", "")


def try_seed(seed: int, features: frozenset[str] = FEATURES) -> tuple[str, str]:
    return try_document(draw(seed, features))
