"""Random planner rules: old steps listed again, renumbered, changed, and new ones among them."""

from __future__ import annotations

import random
from typing import Any

TYPES = ["assumption", "semantic", "invalid_draft", "missing_var", "unknown", "environmental"]


class Drafts:
    """The part of the dice that plays the planner."""

    ids: list[str]
    pool: list[str]
    tools_given: bool
    features: frozenset[str]

    def planner(self, r: random.Random, steps: list[dict[str, Any]]) -> list[dict[str, Any]]:
        if r.random() < 0.4:
            return []
        found: list[dict[str, Any]] = []
        for _ in range(r.choice([1, 1, 2, 3])):
            when = self.when(r)
            rule: dict[str, Any] = {"when": when, "steps": self.draft(r, steps)}
            if r.random() < 0.15:
                rule["cause"] = "the planner's cause"
            if r.random() < 0.3:
                rule["verdicts"] = {
                    f"E{r.choice(self.ids)}": r.choice(["keep", "convert", "discard"]) for _ in range(r.choice([1, 2]))
                }
            if r.random() < (0.15 if "goal" in when else 0.04):
                rule["steps"] = []
            found.append(rule)
        if r.random() < 0.3:
            found.append({"otherwise": r.choice(["give_up", "template", "template"])})
        return found

    def when(self, r: random.Random) -> dict[str, Any]:
        if r.random() < 0.2:
            return {"goal": r.choice(["other", "third"])}
        when: dict[str, Any] = {}
        if r.random() < 0.5:
            when["type"] = r.choice(TYPES)
        if r.random() < 0.3:
            when["step"] = r.choice(self.ids)
        if r.random() < 0.2:
            when["granularity"] = r.choice(["patch", "tail", "global"])
        if not when and r.random() < 0.7:
            when["type"] = "assumption"
        return when

    def draft(self, r: random.Random, steps: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Old steps listed again, renumbered, changed, and new ones, one after the other."""
        found: list[dict[str, Any]] = []
        used: list[str] = []
        renamed: dict[str, str] = {}
        fresh = ["20", "21", "22", "23", "24", "n1", "n2", "fetch_7"]
        r.shuffle(fresh)
        start = r.randrange(len(steps))
        pool = steps[start:] if r.random() < 0.6 else r.sample(steps, r.randint(1, len(steps)))
        for old in pool:
            kind = r.random()
            if kind < 0.15:
                continue
            step = {k: v for k, v in old.items() if k in ("id", "tool", "action", "args", "depends_on", "produces")}
            if kind < 0.5 and fresh:
                step["id"] = fresh.pop()
                if r.random() < 0.6:
                    renamed[old["id"]] = step["id"]
            if step["id"] in used:
                continue
            self.change(r, step, old, renamed, used)
            used.append(step["id"])
            found.append(step)
            if r.random() < 0.2 and fresh:
                found.insert(r.randrange(len(found) + 1), {"id": (new := fresh.pop()), "tool": r.choice(self.pool)})
                used.append(new)
        return found or [{"id": fresh.pop(), "tool": r.choice(self.pool)}]

    def change(
        self, r: random.Random, step: dict[str, Any], old: dict[str, Any], renamed: dict[str, str], used: list[str]
    ) -> None:
        if "args" in step:
            step["args"] = {k: rename(v, renamed) for k, v in step["args"].items()}
        deps = step.get("depends_on")
        if deps is not None:
            step["depends_on"] = [renamed.get(d, d) for d in deps]
            if r.random() < 0.4:
                del step["depends_on"]
        if r.random() < 0.25:
            step["tool"] = r.choice([*self.pool, *self.pool, "zzz"]) if self.tools_given else r.choice(self.pool)
        if r.random() < 0.2:
            step["args"] = r.choice([{"q": "x"}, {"q": "y"}, {"q": f"#E{r.choice(self.ids)}"}])
        if r.random() < 0.15:
            step["action"] = r.choice(["look", "write", "other"])
        if r.random() < 0.12:
            step["replaces"] = old["id"] if r.random() < 0.8 else r.choice(self.ids)
        if r.random() < 0.1:
            step["on_failure"] = r.choice(["skip", "defer"])
        if r.random() < 0.15:
            step["assumes"] = [r.choice("AB")]
        if r.random() < 0.06 and "required" in self.features:
            step["required"] = True
        if r.random() < 0.06 and "again" in self.features:
            step["again"] = True


def rename(value: Any, renamed: dict[str, str]) -> Any:
    for old, new in renamed.items():
        if value == f"#E{old}" or str(value).startswith((f"#E{old}.", f"see #E{old} ", f"see #E{old}.")):
            value = str(value).replace(f"#E{old}", f"#E{new}", 1)
            break
    return value
