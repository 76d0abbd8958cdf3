"""A rehearsal of forty steps as an import writes them: actions of tool and arg, large values, two failures."""

from __future__ import annotations

from functools import cache
from typing import Any

import msgspec

from replanctl.files import Role, Source, parse_rehearsal
from replanctl.replan.replanner import ScriptedReplanner
from replanctl.run.engine import Session
from replanctl.run.events import Event
from replanctl.run.fold import fold
from replanctl.run.result import SessionResult
from replanctl.script import ScriptedTools

LOANS = [f"L{number:04}" for number in range(1, 17)]
READERS = ["Ada", "Noor", "王小明"]
RENEW = 36  # the first of the steps that renew


def _step(number: int, tool: str, told: str = "", **args: Any) -> dict[str, Any]:
    needs = {int(value[2:].split(".")[0]) for value in args.values() if str(value).startswith("#E")}
    action = f"{tool} {told} {number}" if told else f"{tool} {number}"
    return {"id": number, "action": action, "tool": tool, "args": args, "depends_on": sorted(needs)}


def steps() -> list[dict[str, Any]]:
    """Look up readers and loans, find their books, renew some of them."""
    found = [_step(1, "list_loans", branch="North")]
    found += [_step(2 + at, "get_reader", name, name=name) for at, name in enumerate(READERS)]
    found += [_step(5 + at, "get_loan", loan, loan_id=loan, ledger="#E1.ledger") for at, loan in enumerate(LOANS)]
    found += [_step(21 + at, "find_book", loan, shelf=f"#E{5 + at}.shelf") for at, loan in enumerate(LOANS[:14])]
    found += [_step(35, "think", "Four of these loans can be ren…", thought="Four of these loans can be renewed. " * 9)]
    return [*found, *_renewals(RENEW, LOANS[:5], after=35)]


def _renewals(first: int, loans: list[str], *, after: int) -> list[dict[str, Any]]:
    """Renewals, one after the other."""
    told = [_step(first + at, "renew_loan", loan, loan_id=loan, weeks=2) for at, loan in enumerate(loans)]
    return [{**step, "depends_on": [first + at - 1 if at else after]} for at, step in enumerate(told)]


def document() -> dict[str, Any]:
    """The whole rehearsal: step 37 is refused twice, and then left to the desk."""
    again = [
        {**_step(41, "renew_loan", "L0002", loan_id="L0002", weeks=1), "depends_on": [36]},
        *_renewals(42, LOANS[2:5], after=41),
    ]
    desk = [{**_step(45, "ask_desk", loan_id="L0002"), "depends_on": [36]}, *_renewals(46, LOANS[2:5], after=45)]
    book = {"title": "On the Origin of Species", "shelf": "Q7", "notes": ["worn", "rebound"] * 120}
    return {
        "goal": "Renew what can be renewed for three readers, and say what can't. " * 6,
        "steps": steps(),
        "outcomes": [
            {"match": {"tool": "find_book"}, "returns": [{"status": "ok", "value": book}]},
            {"match": {"tool": "list_loans"}, "returns": [{"status": "ok", "value": {"ledger": "N", "loans": LOANS}}]},
            {"match": {"tool": "get_loan"}, "returns": [{"status": "ok", "value": {"shelf": "Q7", "due": "12 May"}}]},
            {"match": {"tool": "think"}, "returns": [{"status": "ok", "value": "I will begin with the oldest. " * 40}]},
            *(
                {
                    "match": {"tool": "renew_loan", "args": {"loan_id": "L0002", "weeks": weeks}},
                    "returns": [{"status": "error", "message": "reserved by another reader"}],
                }
                for weeks in (2, 1)
            ),
            *({"match": {"tool": "ask_desk", "args": {"never": at}}, "returns": ["ok"]} for at in range(5)),
        ],
        "planner": [
            {"when": {"step": 41}, "steps": desk},
            {"when": {"step": 37}, "steps": again},
        ],
        "tools": {
            name: {}
            for name in ("list_loans", "get_reader", "get_loan", "find_book", "think", "renew_loan", "ask_desk")
        },
    }


@cache
def rehearsed() -> tuple[tuple[Event, ...], SessionResult]:
    """The events and the result."""
    text = msgspec.json.format(msgspec.json.encode(document())).decode()
    rehearsal = parse_rehearsal([Source("forty.yaml", Role.PLAN, text)])
    tools = ScriptedTools(rehearsal.outcomes)
    session = Session(
        rehearsal.plan,
        rehearsal.policy,
        tools=tools,
        replanner=ScriptedReplanner(rehearsal.planner),
        last_words=lambda: [f"the outcome rule in line {rule.line} was never used" for rule in tools.unused()],
    )
    events = tuple(session.events())
    return events, fold(events, run=7)
