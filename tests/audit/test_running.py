"""A run that another process is writing is shown as far as it is, and is not said to have ended."""

from __future__ import annotations

from replanctl.store import Store
from tests.cli.conftest import NOW, Cli, Done
from tests.cli.conftest import cli as cli


def test_a_run_that_goes_on_has_not_ended(cli: Cli) -> None:
    whole = cli("run", "plan.yaml").out
    with Store.open(cli.store, create=True) as store:
        events = list(store.events(1))[:5]
        with store.begin(store.inputs(1), goal="find the price", started=NOW) as run:
            for event in events:
                run.append(event)
            run.flush()
            done = cli("show", "2")
    head = whole[: whole.index("     1s     1s")].replace("run 1", "run 2")
    assert done == Done(0, head, "run 2 is still running\n")
