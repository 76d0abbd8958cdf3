"""`replay`: byte for byte the same, or the first event that is not, and in what."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from replanctl.store import Inputs, Store
from tests.cli.conftest import NOW, SHAPE, Cli, Done
from tests.stored import Lines, change_events, change_inputs


def at(seq: int, old: bytes, new: bytes) -> Callable[[Lines], Lines]:
    """Another text in one event."""

    def change(lines: Lines) -> Lines:
        assert old in lines[seq]
        return [*lines[:seq], lines[seq].replace(old, new), *lines[seq + 1 :]]

    return change


@pytest.fixture
def ran(cli: Cli) -> Cli:
    """Run 1 is replanned once: 24 events."""
    assert cli("run", "plan.yaml", "--outcomes", "shape.yaml", "-q").code == 0
    return cli


def test_a_run_comes_out_the_same(ran: Cli) -> None:
    assert ran("replay") == ran("replay", "1") == Done(0, "run 1: 24 events, byte for byte the same\n", "")
    assert ran("replay", "-q") == Done(0, "", "")
    assert ran("replay", "2").code == 2


def test_a_run_that_was_broken_off_is_replayed_as_far_as_it_came(ran: Cli) -> None:
    with Store.open(ran.store, create=True) as store:
        with store.begin(store.inputs(1), goal="find the price", started=NOW) as run:
            for event in list(store.events(1))[:9]:
                run.append(event)
        with store.begin(store.inputs(1), goal="find the price", started=NOW):
            pass
    assert ran("replay", "2").out == "run 2: 9 events, byte for byte the same\n"
    assert ran("replay", "3").out == "run 3: 0 events, byte for byte the same\n"


# What is done to the stored events, and what is said of it.
TAMPERED: list[tuple[Callable[[Lines], Lines], str]] = [
    (at(3, b'"tool":"look"', b'"tool":"loot"'), "event 3: step.start: tool stored loot, now look"),
    (at(4, b'"value":"ok"', b'"value":["a",{"b":1}]'), 'event 4: step.end: value stored ["a",{"b":1}], now ok'),
    (at(4, b'"latency":1.0', b'"latency":2.0'), "event 4: step.end: attempts stored "),
    (at(6, b'"at":2.0', b'"at":2.5,"more":1'), "event 6: step.end: at stored 2.5, now 2.0; more stored 1, now null"),
    (at(7, b'"type":"signal"', b'"type":"signed"'), "event 7: stored signed, now signal"),
    (at(8, b'{"type"', b'{ "type"'), "event 8: route: the same values, written otherwise"),
    (at(8, b'"rule":"small-radius"', b'"rule":"' + b"x" * 200 + b'"'),
     f"event 8: route: rule stored {'x' * 120}…, now small-radius"),
    (at(9, b"}", b""), "event 9: stored what is no event, now lesson"),
    (at(9, b"{", b"[{"), "event 9: stored what is no event, now lesson"),
    (lambda lines: lines[:-1], "event 23: stored nothing, now session.complete"),
    (lambda lines: [*lines, lines[-1]], "event 24: stored session.complete, now nothing"),
    (lambda lines: [*lines[:5], *lines[6:]], "event 5: stored step.end, now step.start"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "said"), TAMPERED, ids=[said[:30] for _, said in TAMPERED])
def test_a_changed_event_is_named(ran: Cli, change: Callable[[Lines], Lines], said: str) -> None:
    change_events(ran.store, change)
    done = ran("replay", "1")
    assert (done.code, done.out) == (4, "")
    assert done.err.startswith(f"replanctl: run 1 diverges at {said}"), done.err


def test_changed_outcomes_are_named_by_what_comes_of_them(ran: Cli) -> None:
    def cheaper(inputs: Inputs) -> Inputs:
        plan, outcomes = inputs.sources
        text = SHAPE.replace("value: 7", "value: 6")
        return msgspec.structs.replace(inputs, sources=(plan, msgspec.structs.replace(outcomes, text=text)))

    change_inputs(ran.store, cheaper)
    assert ran("replay") == Done(4, "", "replanctl: run 1 diverges at event 20: step.end: value stored 7, now 6\n")


def test_a_run_of_another_version_says_so_where_it_diverges(ran: Cli) -> None:
    change_inputs(ran.store, lambda inputs: msgspec.structs.replace(inputs, made_by="0.0.9"))
    assert ran("replay").code == 0
    change_events(ran.store, at(3, b'"tool":"look"', b'"tool":"loot"'))
    assert "  the run was made by replanctl 0.0.9, this is " in ran("replay").err


def test_a_run_that_would_come_out_otherwise_is_not_resumed(cli: Cli) -> None:
    cli("run", "plan.yaml", "--outcomes", "denied.yaml", "-q")
    change_events(cli.store, at(3, b'"tool":"look"', b'"tool":"loot"'))
    shown = cli("show", "1", "--format", "json")
    assert cli("resume", "1") == Done(
        4,
        "",
        "replanctl: run 1 can't be resumed: event 3 does not come out as it was stored\n"
        "  replanctl replay 1 says where they part\n",
    )
    assert cli("show", "1", "--format", "json") == shown
