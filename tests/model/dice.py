"""Random rehearsals, small and full of collisions: few tools, few values, ids used twice, tight gates."""

from __future__ import annotations

import random
from typing import Any

from tests.model.drafts import Drafts
from tests.model.schemas import put_schemas
from tests.model.settings import Settings

TOOLS = ["get", "parse", "mail", "sum"]
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


def draw(seed: int, features: frozenset[str] = FEATURES) -> dict[str, Any]:
    """The plan document of a seed. Leaving out a feature changes nothing but that feature."""
    return Dice(seed, features).document()


class Dice(Drafts, Settings):
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
