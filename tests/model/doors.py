"""Random rehearsals through the command line: a plan's layers, faults, exit codes, resumes by flags, diffs, replays."""

from __future__ import annotations

import copy
import json
import tempfile
from pathlib import Path
from typing import Any

from tests.cli.conftest import Cli
from tests.model.compare import first_difference
from tests.model.dice import FEATURES
from tests.model.lives import Life
from tests.model.session import Session
from tests.model.taking_up import RefusedError
from tests.model.world import Ambiguous

SECTIONS = ("outcomes", "interruptions", "planner", "policy")
FAULTS = ["shape", "semantic", "error", "timeout", "denied", "lost", "empty", "rate_limited"]


class Door(Life):
    """One rehearsal, its layers and its faults."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed, FEATURES - {"schemas"})
        self.first.pop("lessons", None)
        self.r = r = self.part("door")
        self.files: dict[str, Any] = {}
        self.from_a_file = False  # the interruptions: another file of outcomes would take them away
        self.words: list[str] = []
        self.merged = copy.deepcopy(self.first)
        for layer in ("beside", "scenario", "given"):
            if r.random() < 0.35:
                self.lay(layer)
        self.faults = [f"{r.choice(self.ids)}={r.choice(FAULTS)}" for _ in range(r.choice([0, 0, 0, 1, 2]))]
        self.faults = [fault + r.choice(["", ":always"]) for fault in self.faults]
        self.words += [word for fault in self.faults for word in ("--fault", fault)]
        self.merged["outcomes"] = [*map(rule_of, self.faults), *(self.merged.get("outcomes") or [])]

    def lay(self, layer: str) -> None:
        """Put some sections into a layer: what stands in it replaces the sections of all layers below."""
        r = self.r
        drawn = {
            "outcomes": self.outcomes(r), "interruptions": [{"goal": "third", "after": r.choice(self.ids)}],
            "planner": self.planner(r, self.first["steps"]) or [{"otherwise": "template"}], "policy": self.policy(r),
        }  # fmt: skip
        names = SECTIONS if layer == "scenario" else SECTIONS[:2]
        sections = {name: drawn[name] for name in names if r.random() < 0.6} or {"outcomes": drawn["outcomes"]}
        if layer == "given" and "plan.outcomes.yaml" in self.files:  # it takes the file's place as a whole
            sections = {name: drawn[name] for name in names}
        self.merged |= copy.deepcopy(sections)
        if "interruptions" in sections:
            self.from_a_file = layer != "scenario"
        if layer == "beside":
            self.files["plan.outcomes.yaml"] = sections
        elif layer == "given":
            self.files["given.yaml"] = sections
            self.words += ["--outcomes", "given.yaml"]
        else:
            holder = self.files.get("plan.outcomes.yaml") if r.random() < 0.5 else None
            (self.first if holder is None else holder)["scenarios"] = {"S": sections, "other": {"outcomes": []}}
            self.words += ["--scenario", "S"]


def rule_of(fault: str) -> dict[str, Any]:
    """A fault is an outcome before the whole script: for the first attempt of its step, or for all."""
    step, _, status = fault.partition("=")
    status, _, always = status.partition(":")
    return {"match": {"step": step}, "returns": [status], "once": not always}


def flags(change: dict[str, Any], folder: Path, number: int) -> list[str]:
    """A change as a command line gives it."""
    words = [f"--{gate.replace('_', '-')}={value}" for gate, value in change.get("limits", {}).items()]
    words += [f"--{name}={change[name]}" for name in ("goal", "granularity") if name in change]
    for name, word in change.get("settle", {}).items():
        said = word if isinstance(word, str) else f"done:{json.dumps(word[1])}"
        words += ["--settle", f"{name}={said}"]
    if "outcomes" in change:
        file = folder / f"then{number}.yaml"
        given = {name: change[name] for name in ("outcomes", "interruptions") if name in change}
        file.write_text(json.dumps(given), encoding="utf-8")
        words += ["--outcomes", str(file)]
    return words


def try_door(seed: int) -> tuple[str, str]:
    """How one rehearsal compares at the command line: ("same", ""), or the kind of difference and its text."""
    door = Door(seed)
    session = Session(copy.deepcopy(door.merged))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        cli = Cli(folder)
        cli.files({"plan.yaml": json.dumps(door.first)} | {n: json.dumps(text) for n, text in door.files.items()})
        words = [str(folder / word) if word.endswith(".yaml") else word for word in door.words]
        try:
            ours = session.run()
            if told := compare(ours, cli("run", folder / "plan.yaml", *words, "--format", "json", "-q")):
                return told
            for number in range(3):
                if ours["status"] == "completed":
                    break
                change = door.next_change(ours, list(session.doubts()))
                change["limits"] = {gate: 50 if v is None else v for gate, v in change.get("limits", {}).items()}
                if door.from_a_file:
                    change.pop("outcomes", None)
                    change.pop("interruptions", None)
                went_on = cli("resume", "1", *flags(change, folder, number), "--format", "json", "-q")
                try:
                    session.take_up(json.loads(json.dumps(change)))
                except RefusedError as why:
                    if went_on.code != 2:
                        return "refusal", f"model {why}\n    engine {went_on.code}"
                    break
                session.made.append(copy.deepcopy(change))
                ours = session.run()
                if told := compare(ours, went_on):
                    return f"resumed: {told[0]}", f"{number} {json.dumps(change)}: {told[1]}"
            return differences(cli, ours) or ("same", "")
        except Ambiguous as why:
            return "ambiguous", str(why)


def compare(ours: dict[str, Any], done: Any) -> tuple[str, str] | None:
    """The first difference of a document, or of its exit code."""
    code = 0 if ours["status"] == "completed" else 1
    if done.code != code:
        return "exit code", f"model {code}, engine {done.code}: {done.err[:600]}"
    theirs = json.loads(done.out)
    return first_difference(ours, theirs)


def differences(cli: Cli, ours: dict[str, Any]) -> tuple[str, str] | None:
    """Every two versions beside each other, and the run once more."""
    versions = ours["versions"]
    for at, old in enumerate(versions):
        for new in versions[at + 1 :][:2]:
            done = cli("diff", old["version"], new["version"], "--run", "1", "--format", "json", "--exit-code")
            want = changed(old["steps"], new["steps"])
            got = json.loads(done.out)
            if any(got[name] != ids for name, ids in want.items()) or done.code != any(want.values()):
                return "diff", f"model {want}\n    engine {done.code} {done.out[:600]}"
    replayed = cli("replay", "1")
    return ("replay", replayed.out + replayed.err) if replayed.code else None


def changed(old: list[dict[str, Any]], new: list[dict[str, Any]]) -> dict[str, list[str]]:
    """What a newer version removed, added, revised and rewired."""
    was, now = {step["id"]: step for step in old}, {step["id"]: step for step in new}
    kept = [i for i in now if i in was]
    revised = [i for i in kept if any(was[i][k] != now[i][k] for k in ("tool", "args", "action"))]
    rewired = [i for i in kept if i not in revised and was[i]["depends_on"] != now[i]["depends_on"]]
    return {
        "removed": [i for i in was if i not in now], "added": [i for i in now if i not in was], "revised": revised,
        "rewired": rewired,
    }  # fmt: skip
