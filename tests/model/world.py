"""The scripted world: which outcome a call gets, and what an outcome means."""

from __future__ import annotations

from typing import Any

from tests.model.ambiguous import Ambiguous
from tests.model.schemas import violation

__all__ = ["ANSWERED", "CLASS", "MAY_HAVE", "Ambiguous", "Script", "breach", "default_value", "schema_fault", "seconds"]

CLASS = {
    "ok": None,
    "timeout": "environmental",
    "rate_limited": "environmental",
    "unavailable": "environmental",
    "tool_error": "environmental",
    "lost": "environmental",
    "shape": "assumption",
    "empty": "assumption",
    "semantic": "semantic",
    "denied": "permission",
    "error": "unknown",
}
ANSWERED = {"ok", "shape", "empty", "semantic"}
MAY_HAVE = {"timeout", "lost", "tool_error", "error"}


def seconds(value: Any) -> float:
    if isinstance(value, (int, float)):
        return float(value)
    for unit, factor in (("ms", 0.001), ("s", 1), ("m", 60), ("h", 3600)):
        if value.endswith(unit):
            return float(value[: -len(unit)]) * factor
    return float(value)


def subset(want: Any, have: Any) -> bool:
    if isinstance(want, dict) and isinstance(have, dict):
        return all(k in have and subset(v, have[k]) for k, v in want.items())
    return bool(want == have)


class Script:
    """The outcome rules, each with its own count of attempts."""

    def __init__(self, rules: list[dict[str, Any]]) -> None:
        self.rules = rules
        self.used = [0] * len(rules)
        self.tool = [None] * len(rules)  # the tool a rule with `step` and no `tool` first matched

    def draw(self, ancestry: set[str], tool: str, args: Any, version: str) -> dict[str, Any]:
        for at, rule in enumerate(self.rules):
            match = rule.get("match") or {}
            if rule.get("once") and self.used[at]:
                continue
            if "step" in match and str(match["step"]) not in ancestry:
                continue
            if "tool" in match and match["tool"] != tool:
                continue
            if "args" in match and not subset(match["args"], args):
                continue
            if "version" in match and f"v{str(match['version']).lstrip('v')}" != version:
                continue
            if "step" in match and "tool" not in match:
                held = self.tool[at]
                if held is None:
                    self.tool[at] = tool  # type: ignore[call-overload]
                elif held != tool:
                    continue
            returns = rule["returns"]
            entry = returns[min(self.used[at], len(returns) - 1)]
            self.used[at] += 1
            return {"status": entry} if isinstance(entry, str) else dict(entry)
        return {"status": "ok"}


def default_value(produces: dict[str, Any] | None) -> Any:
    """Any value that satisfies the contract; the generator always scripts one where it is compared."""
    if not produces:
        return "ok"
    small = {"any": "ok", "str": "ok", "int": 1, "float": 1.0, "bool": True, "list": ["ok"], "dict": {"ok": "ok"}}
    return {name: small[kind.rstrip("?")] for name, kind in produces.items()}


def type_name(value: Any) -> str:
    if value is None:
        return "null"
    return type(value).__name__


def breach(value: Any, produces: dict[str, Any] | None) -> str | None:
    """What is wrong with a result, or None."""
    if produces and isinstance(schema := produces.get("schema"), dict):
        return violation(value, schema)
    for name, kind in (produces or {}).items():
        want, optional = kind.rstrip("?"), kind.endswith("?")
        if not isinstance(value, dict) or name not in value:
            return f"no field named {name}"
        have = value[name]
        if have is None or have in ("", [], {}):
            if not optional:
                return f"{name}: expected {kind}, got {'null' if have is None else 'empty ' + type_name(have)}"
            continue
        fits = {
            "any": True,
            "str": isinstance(have, str),
            "int": isinstance(have, int) and not isinstance(have, bool),
            "float": isinstance(have, (int, float)) and not isinstance(have, bool),
            "bool": isinstance(have, bool),
            "list": isinstance(have, list),
            "dict": isinstance(have, dict),
        }[want]
        if not fits:
            return f"{name}: expected {kind}, got {type_name(have)}"
    return None


def schema_fault(args: dict[str, Any], schema: dict[str, Any] | None) -> str | None:
    """What a tool's schema says against its args."""
    return violation(args, schema) if schema else None
