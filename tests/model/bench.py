"""Where one draft is laid over one version."""

from __future__ import annotations

import copy as copying
from dataclasses import dataclass, field
from typing import Any

from tests.model.planning import Draft
from tests.model.state import State
from tests.model.steps import Failure, Step


@dataclass
class Laid:
    """The new version, or the reasons why there is none."""

    steps: list[Step] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)
    calls_only: list[str] = field(default_factory=list)  # those of the reasons that are calls not made again
    parents: dict[str, str] = field(default_factory=dict)
    new_ids: list[str] = field(default_factory=list)
    drafted: list[str] = field(default_factory=list)
    verdicts: dict[str, str] = field(default_factory=dict)
    template: bool = False

    @property
    def only_calls(self) -> bool:
        return bool(self.reasons) and len(self.reasons) == len(self.calls_only)


class Bench:
    """The draft, the version, and what the granularity replaces of it."""

    def __init__(self, session: Any, draft: Draft, failure: Failure | None, granularity: str) -> None:
        self.session = session
        self.s: State = session.s
        self.draft = draft
        self.failed = failure.step if failure else None
        self.granularity = granularity
        self.everything = granularity == "global"
        self.old = {st.id: st for st in self.s.steps}
        if granularity == "patch":
            self.replaced = [self.failed]
        elif granularity == "tail":
            assert failure is not None
            self.replaced = [self.failed, *self.s.radius(failure.step, failure.refutes)]
        else:
            self.replaced = list(self.old)
        self.reasons: list[str] = []
        self.call_reasons: list[str] = []
        self.laid = Laid(verdicts=dict(draft.verdicts), template=draft.template)
        self.after = copying.copy(self.s)  # the state with the verdicts given, to judge references by
        self.after.variables = copying.deepcopy(self.s.variables)
        self.after.give_verdicts(draft.verdicts)

    def bad(self, reason: str) -> None:
        if reason not in self.reasons:
            self.reasons.append(reason)


def unique(names: list[str]) -> list[str]:
    return list(dict.fromkeys(names))
