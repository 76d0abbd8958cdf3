"""A session's screen, whole."""

from __future__ import annotations

import re
from collections.abc import Iterable

import pyte
import pytest

from replanctl.run.events import Event
from replanctl.run.result import SessionResult
from replanctl.show.header import Header
from replanctl.show.paper import Paper
from replanctl.show.session import SessionScreen
from replanctl.show.text import width
from tests.show import sample
from tests.show.golden import assert_golden, drawn

ANSI = re.compile(r"\x1b\[[0-9;]*m")


def screen(events: Iterable[Event], result: SessionResult | None, facts: Header | None = None, **kw: bool) -> object:
    def draw(paper: Paper) -> None:
        session = SessionScreen(paper, facts, **kw)
        for event in events:
            session.event(event)
        if result is not None:
            session.close(result)

    return draw
