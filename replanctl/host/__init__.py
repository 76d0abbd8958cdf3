"""What surrounds a session: rehearsals, stored runs taken up again, Python tools, planner commands, expectations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from replanctl.lazy import lazily

if TYPE_CHECKING:
    from replanctl.host.amending import Changes, InDoubtError, More, changes_of
    from replanctl.host.book import add_to_book, open_book, save_book
    from replanctl.host.corpus import Case, load_corpus, stored_corpus
    from replanctl.host.effects import EffectLog, Unwritten
    from replanctl.host.expect import mismatches, updates
    from replanctl.host.question import question_schema
    from replanctl.host.rehearse import PLANNER_TIMEOUT, events_of, outside_of, session_of
    from replanctl.host.replaying import Replayed, replay, sound
    from replanctl.host.resuming import Given, NotGivenError, latest_open, resume, take_up, undone
    from replanctl.host.running import Prepared, Running, prepare
    from replanctl.host.signals import StoppedError, stop_signals
    from replanctl.host.waiting import Asked, OnWait
else:
    __getattr__ = lazily(
        __name__,
        {
            "amending": ("Changes", "InDoubtError", "More", "changes_of"),
            "book": ("add_to_book", "open_book", "save_book"),
            "corpus": ("Case", "load_corpus", "stored_corpus"),
            "effects": ("EffectLog", "Unwritten"),
            "expect": ("mismatches", "updates"),
            "question": ("question_schema",),
            "rehearse": ("PLANNER_TIMEOUT", "events_of", "outside_of", "session_of"),
            "replaying": ("Replayed", "replay", "sound"),
            "resuming": ("Given", "NotGivenError", "latest_open", "resume", "take_up", "undone"),
            "running": ("Prepared", "Running", "prepare"),
            "signals": ("StoppedError", "stop_signals"),
            "waiting": ("Asked", "OnWait"),
        },
    )

__all__ = [
    "Asked",
    "Case",
    "Changes",
    "EffectLog",
    "Given",
    "InDoubtError",
    "More",
    "NotGivenError",
    "OnWait",
    "PLANNER_TIMEOUT",
    "Prepared",
    "Replayed",
    "Running",
    "StoppedError",
    "Unwritten",
    "add_to_book",
    "changes_of",
    "events_of",
    "latest_open",
    "load_corpus",
    "mismatches",
    "open_book",
    "outside_of",
    "prepare",
    "question_schema",
    "replay",
    "resume",
    "save_book",
    "session_of",
    "sound",
    "stop_signals",
    "stored_corpus",
    "take_up",
    "undone",
    "updates",
]
