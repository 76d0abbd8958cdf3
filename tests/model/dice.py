"""Random rehearsals, small and full of collisions: few tools, few values, ids used twice, tight gates."""

from __future__ import annotations

import random
from typing import Any

from tests.model.drafts import Drafts
from tests.model.schemas import put_schemas

TOOLS = ["get", "parse", "mail", "sum"]
TEXTS = ["no price", "gone", None, None]
FEATURES = frozenset(
    [
        "once",
        "lost",
        "required",
        "again",
        "schema",
        "auto",
        "fallback",
        "interrupt",
        "planner",
        "gates",
        "max_tokens",
        "more",
        "schemas",
    ]
)
GOALS = ["g", "other", "third"]


def draw(seed: int, features: frozenset[str] = FEATURES) -> dict[str, Any]:
    """The plan document of a seed. Leaving out a feature changes nothing but that feature."""
    return Dice(seed, features).document()


class Dice(Drafts):
    """One seed's dice; every part has its own, so that parts can be left out."""

    def __init__(self, seed: int, features: frozenset[str]) -> None:
        self.seed = seed
        self.features = features

    def part(self, name: str) -> random.Random:
        return random.Random(f"{self.seed} {name}")

    def document(self) -> dict[str, Any]:
        r = self.part("plan")
        self.ids = self.names(r)
        self.narrow = r.random() < 0.3  # two tools, one value: the same calls again and again
        self.pool = TOOLS[:2] if self.narrow else TOOLS
        self.tools_given = self.narrow or r.random() < 0.6
        self.shapes = r.random() < 0.3
        steps = self.steps(r)
        found: dict[str, Any] = {"goal": "g", "assumptions": {"A": "a", "B": "b"}, "steps": steps}
        if self.tools_given:
            found["tools"] = self.tools(self.part("tools"))
        found["policy"] = self.policy(self.part("policy"))
        self.own_tokens = found["policy"]["max_parallel"] == 1 or "max_tokens" not in found["policy"].get("gates", {})
        self.zero = found["policy"]["max_parallel"] == 1  # a call that takes no time, only where nothing runs beside it
        found["outcomes"] = self.outcomes(self.part("outcomes"))
        if "planner" in self.features:
            planner = self.planner(self.part("planner"), steps)
            if planner:
                found["planner"] = planner
        if "more" in self.features:
            self.more(self.part("more"), found)
        if "schemas" in self.features:
            put_schemas(self.part("schemas"), found)
        if "interrupt" in self.features:
            interruptions = self.interruptions(self.part("interruptions"))
            if interruptions:
                found["interruptions"] = interruptions
        return found

    def names(self, r: random.Random) -> list[str]:
        count = r.choice([1, 2, 2, 3, 3, 3, 4, 4, 5, 6, 8])
        style = r.random()
        if style < 0.7:
            return [str(i) for i in range(1, count + 1)]
        if style < 0.85:
            return [f"s{i}" for i in range(1, count + 1)]
        return r.sample(["fetch", "join", "7", "12", "s3", "s9", "fetch_2", "x"], count)

    def more(self, r: random.Random, found: dict[str, Any]) -> None:
        """Rarer words of the contract, put over a document that does without."""
        policy = found["policy"]
        if r.random() < 0.1:
            policy.setdefault("gates", {})["preset"] = "anchored"
        if r.random() < 0.15:
            policy.setdefault("routing", {})["radius"] = "direct"
        if r.random() < 0.1:
            policy["coefficients"] = {
                r.choice(["done_line", "lesson", "step", "execution", "retry"]): r.choice([0, 7, 900])
            }
        if r.random() < 0.1:
            policy.setdefault("solver", {})["min_evidence"] = r.choice([0, 2, 3])
        if r.random() < 0.15:
            retry = {
                "max_attempts": 4,
                "backoff": "1s",
                "factor": r.choice([0, 1, 3]),
                "max_backoff": r.choice(["2s", 60]),
            }
            policy["retry"] = retry
        if r.random() < 0.2:
            for step in found["steps"]:
                step["produces"] = r.choice(
                    [{"rows": "any"}, {"rows": "list?"}, {"total": "float"}, {"total": "bool?"}, {}]
                )
        if r.random() < 0.1:
            policy["lessons"] = {"max": r.choice([0, 1, 2, None]), "evict": r.choice(["oldest", "by_type"])}
        if r.random() < 0.15:
            book = [self.lesson(r) for _ in range(r.choice([1, 2, 6]))]
            found["lessons"] = list({lesson["text"]: lesson for lesson in book}.values())
        for step in [*found["steps"], *(s for rule in found.get("planner", []) for s in rule.get("steps", []))]:
            self.deeper(r, step)
        for rule in found.get("planner", []):
            if "when" in rule and r.random() < 0.1:
                rule["when"]["error"] = r.choice(["PRICE", "gone", "rows", "no "])
            for step in rule.get("steps", []):
                self.draft_extras(r, step)

    def lesson(self, r: random.Random) -> dict[str, Any]:
        """One that an earlier session wrote."""
        step, kind = r.choice(self.ids), r.choice(["assumption", "semantic", "unknown"])
        cause = f"expected none, got {'shape' if kind == 'assumption' else kind if kind == 'semantic' else 'error'}"
        avoid = f"{r.choice(self.pool)}: {'shape' if kind == 'assumption' else kind if kind == 'semantic' else 'error'}"
        text = f"v7 step {step} {kind}: {cause}; avoid: {avoid}"
        return {"text": text, "count": r.choice([1, 2]), "version": "v7", "step_id": step, "error_type": kind}

    def deeper(self, r: random.Random, step: dict[str, Any]) -> None:
        """References in lists and mappings, escaped ones, and text that only looks like one."""
        text = step.get("args", {}).get("q")
        if isinstance(text, str) and "#E" in text and r.random() < 0.2:
            shape = r.choice(["list", "deep", "escaped", "beside", "glued"])
            step["args"] = {
                "list": {"q": [text, 1, [text]]},
                "deep": {"q": {"a": {"b": text}, "c": None}},
                "escaped": {"q": f"#{text} and {text}"},
                "beside": {"q": text, "r": "x#E404 and #12"},
                "glued": {"q": f"{text}-{text.split()[-1]}"},
            }[shape]

    def draft_extras(self, r: random.Random, step: dict[str, Any]) -> None:
        if r.random() < 0.06:
            step["alternatives"] = [self.alternative(r, step["id"])]
        if r.random() < 0.05:
            step["granularity"] = r.choice(["patch", "tail", "global", "none"])
        if r.random() < 0.05:
            step["produces"] = r.choice([{"rows": "list"}, {"total": "int?"}, {"rows": "any"}])
        if r.random() < 0.04:
            step["depends_on"] = r.choice(self.ids)

    # --- the plan

    def steps(self, r: random.Random) -> list[dict[str, Any]]:
        found = []
        for at, name in enumerate(self.ids):
            step: dict[str, Any] = {"id": name, "tool": r.choice(self.pool)}
            if r.random() < 0.35:
                step["action"] = r.choice(["look", "write"])
            earlier = self.ids[:at]
            kind = r.random()
            if kind < 0.35:
                step["depends_on"] = []
            elif kind < 0.65 and earlier:
                step["depends_on"] = r.sample(earlier, min(len(earlier), r.choice([1, 1, 2])))
            args = self.args(r, earlier, step.get("depends_on"), at)
            if args:
                step["args"] = args
            self.extras(r, step)
            found.append(step)
        return found

    def args(self, r: random.Random, earlier: list[str], deps: Any, at: int) -> dict[str, Any]:
        kind = r.random()
        if kind < 0.3:
            return {}
        if kind < (0.75 if self.narrow else 0.55):
            return {"q": r.choice(["x", "x", "x" if self.narrow else "y"])}
        pool = list(deps) if deps else earlier[-1:]
        if r.random() < 0.15:
            pool = self.ids[:at] + self.ids[at + 1 :]
        if r.random() < 0.06:
            pool = r.choice([["99"], ["99"], [str(len(self.ids) + r.choice([1, 2, 3]))], ["s4"]])
        if not pool:
            return {"q": "x"}
        path = r.choice(["", "", "", ".rows", ".rwos" if self.shapes else ""])
        first = r.choice(pool)
        if r.random() < 0.7:
            return {"q": f"#E{first}{path}"}
        return {"q": f"see #E{first}{path} and #E{r.choice(pool)}"}

    def extras(self, r: random.Random, step: dict[str, Any]) -> None:
        if r.random() < 0.3:
            step["assumes"] = r.choice([["A"], ["B"], ["A", "B"]])
        if r.random() < 0.3:
            step["on_failure"] = r.choice(["skip", "defer", "defer", "abort", "replan"])
        if self.shapes and r.random() < 0.4:
            step["produces"] = {"rows": "list"}
        if r.random() < 0.15:
            step["alternatives"] = [self.alternative(r, step["id"]) for _ in range(r.choice([1, 2]))]
        if r.random() < 0.08:
            step["granularity"] = r.choice(["patch", "tail", "global", "none"])
        if r.random() < 0.12 and "required" in self.features:
            step["required"] = True
        if r.random() < 0.08 and "again" in self.features:
            step["again"] = True
        if r.random() < 0.1:
            step["expected_outcome"] = "a list"

    def alternative(self, r: random.Random, own: str) -> dict[str, Any]:
        kind = r.random()
        if kind < 0.4:
            return {"tool": r.choice(self.pool)}
        if kind < 0.7:
            others = [f"#E{id_}" for id_ in self.ids if id_ != own]
            return {"args": {"q": r.choice(["x", "y", "z", *others])}}
        return {"tool": r.choice(self.pool), "args": {"q": "z"}, "action": "another way"}

    def tools(self, r: random.Random) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name in TOOLS:
            tool: dict[str, Any] = {}
            if r.random() < 0.3 and "fallback" in self.features:
                others = [t for t in TOOLS if t != name]
                tool["fallback"] = r.sample(others, r.choice([1, 1, 2]))
            if r.random() < (0.7 if self.narrow else 0.35) and "once" in self.features:
                tool["idempotent"] = False
            if r.random() < 0.3:
                tool["timeout"] = r.choice(["2s", "5s"])
            if r.random() < 0.1 and "schema" in self.features:
                tool["args"] = {"type": "object", "required": [r.choice(["q", "qq"])], "properties": {"q": {}}}
                if tool["args"]["required"] == ["qq"]:
                    tool["args"]["properties"] = {"qq": {}}
            found[name] = tool
        return found

    # --- the script

    def outcomes(self, r: random.Random) -> list[dict[str, Any]]:
        found = []
        for _ in range(r.choice([1, 1, 2, 2, 3, 4])):
            match: dict[str, Any] = {}
            kind = r.random()
            if kind < 0.55:
                match["step"] = r.choice(self.ids)
                if r.random() < 0.3:
                    match["tool"] = r.choice(self.pool)
            elif kind < 0.85:
                match["tool"] = r.choice(self.pool)
                if r.random() < 0.25:
                    match["args"] = {"q": r.choice(["x", "y"])}
            if r.random() < 0.1:
                match["version"] = r.choice([1, 2])
            found.append({"match": match, "returns": [self.entry(r) for _ in range(r.choice([1, 1, 2, 3]))]})
        if self.shapes or r.random() < 0.3:
            found.append({"match": {}, "returns": [{"status": "ok", "value": {"rows": [1], "total": 2}}]})
        return found

    def entry(self, r: random.Random) -> Any:
        statuses = ["ok"] * 4 + ["shape"] * 3 + ["semantic"] * 2 + ["empty", "error", "timeout", "rate_limited"]
        statuses += ["unavailable", "tool_error", "denied", "lost"]
        status = r.choice(statuses)
        if status == "lost" and "lost" not in self.features:
            status = "timeout"
        entry: dict[str, Any] = {"status": status}
        if status == "ok":
            if self.shapes:
                entry["value"] = r.choice([{"rows": [1]}, {"rows": [2, 3]}, {"rows": 4}, {"total": 1}])
            elif r.random() < 0.5:
                entry["value"] = r.choice([0, 7, "seven", {"rows": [1]}, None])
        if r.random() < 0.25:
            entry["latency"] = r.choice(["0s" if self.zero else "2s", "2s", "3s", "500ms"])
        if r.random() < 0.1 and status != "ok":
            entry["retry_after"] = r.choice(["0s", "3s"])
        if status != "ok":
            message = r.choice(TEXTS)
            if message:
                entry["message"] = message
            if status not in ("lost", "timeout") and r.random() < 0.25:
                entry["refutes"] = r.choice([["A"], ["B"], ["A", "B"]])
            if r.random() < 0.15:
                entry["cause"] = "because"
        if r.random() < 0.05 and self.own_tokens:
            entry["tokens"] = r.choice([0, 100, 500])
        return entry["status"] if len(entry) == 1 and r.random() < 0.5 else entry

    def interruptions(self, r: random.Random) -> list[dict[str, Any]]:
        if r.random() < 0.75:
            return []
        found = []
        for _ in range(r.choice([1, 1, 2])):
            one: dict[str, Any] = {"goal": r.choice(GOALS)}
            if r.random() < 0.6:
                one["after"] = r.choice(self.ids)
            else:
                one["at"] = r.choice(["0s", "1s", "1.5s", "4s"])
            if r.random() < 0.3:
                one["refutes"] = [r.choice("AB")]
            found.append(one)
        return found

    # --- policy

    def policy(self, r: random.Random) -> dict[str, Any]:
        found: dict[str, Any] = {"max_parallel": r.choice([1, 1, 2, 2, 3])}
        if r.random() < 0.3:
            found["retry"] = {"max_attempts": r.choice([1, 2]), "backoff": r.choice(["1s", "2s"])}
        routing: dict[str, Any] = {}
        if r.random() < 0.3:
            routing["patch_radius"] = r.choice([0, 2])
        if r.random() < 0.15:
            routing["overrides"] = {r.choice(self.ids): r.choice(["patch", "tail", "global", "none"])}
        if r.random() < 0.15:
            routing["rules"] = [self.rule(r)]
        if routing:
            found["routing"] = routing
        if "gates" in self.features and r.random() < 0.5:
            found["gates"] = self.gates(r)
        mode = r.choice(["hybrid"] * 6 + ["replan", "rewoo", "auto", "auto"])
        if mode != "hybrid" and not (mode == "auto" and "auto" not in self.features):
            found["mode"] = mode
        if r.random() < 0.15:
            found["solver"] = {"require": [f"E{r.choice(self.ids)}"]}
        if r.random() < 0.1:
            found["lessons"] = {"max": r.choice([1, 2])}
        return found

    def rule(self, r: random.Random) -> dict[str, Any]:
        when: dict[str, Any] = {}
        if r.random() < 0.6:
            when["error_type"] = r.choice(["environmental", "assumption", "semantic", "unknown", "permission"])
        if r.random() < 0.3:
            when["tool"] = r.choice(self.pool)
        if r.random() < 0.3:
            when["min_radius"] = 1
        return {"name": "mine", "when": when, "granularity": r.choice(["patch", "tail", "global", "none"])}

    def gates(self, r: random.Random) -> dict[str, Any]:
        choices: dict[str, list[Any]] = {
            "per_step": [0, 1, 2, None], "max_replans": [0, 1, 2, 3, 8], "max_steps": [1, 3, 5, 8, None],
            "max_tool_calls": [1, 3, 5], "max_replan_tokens": [400, 900, 1500, None], "max_tokens": [700, 1200, 2500],
            "max_seconds": ["2s", "4.5s", "9.25s"], "max_repeat": [1, 2, None],
        }  # fmt: skip
        found = {k: r.choice(choices[k]) for k in r.sample(sorted(choices), r.choice([1, 1, 2, 3]))}
        if "max_tokens" not in self.features:
            found.pop("max_tokens", None)
        return found
