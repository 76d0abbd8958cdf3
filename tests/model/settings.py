"""Random scripts and policies, for the steps and tools that the dice have drawn."""

from __future__ import annotations

import random
from typing import Any

TEXTS = ["no price", "gone", None, None]
GOALS = ["g", "other", "third"]


class Settings:
    """The part of the dice that plays the world and the person who sets the limits."""

    ids: list[str]
    pool: list[str]
    shapes: bool
    own_tokens: bool
    features: frozenset[str]

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
            entry["latency"] = r.choice(["0s", "2s", "3s", "500ms"])
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
