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
    from replanctl.host.faults import FAULTS, Fault, check_faults, fault, with_faults
    from replanctl.host.outside import PLANNER_TIMEOUT, outside_of
    from replanctl.host.question import question_schema
    from replanctl.host.rehearse import events_of, session_of
    from replanctl.host.replaying import Replayed, replay
    from replanctl.host.resuming import Given, NotGivenError, resume, take_up
    from replanctl.host.running import Prepared, Running, prepare
    from replanctl.host.signals import StoppedError, stop_signals
    from replanctl.host.soundness import sound
    from replanctl.host.undone import undone
else:
    __getattr__ = lazily(
        __name__,
        {
            "amending": ("Changes", "InDoubtError", "More", "changes_of"),
            "book": ("add_to_book", "open_book", "save_book"),
            "corpus": ("Case", "load_corpus", "stored_corpus"),
            "effects": ("EffectLog", "Unwritten"),
            "expect": ("mismatches", "updates"),
            "faults": ("FAULTS", "Fault", "check_faults", "fault", "with_faults"),
            "outside": ("PLANNER_TIMEOUT", "outside_of"),
            "question": ("question_schema",),
            "rehearse": ("events_of", "session_of"),
            "replaying": ("Replayed", "replay"),
            "resuming": ("Given", "NotGivenError", "resume", "take_up"),
            "running": ("Prepared", "Running", "prepare"),
            "signals": ("StoppedError", "stop_signals"),
            "soundness": ("sound",),
            "undone": ("undone",),
        },
    )

__all__ = [
    "Case",
    "Changes",
    "EffectLog",
    "FAULTS",
    "Fault",
    "Given",
    "InDoubtError",
    "More",
    "NotGivenError",
    "PLANNER_TIMEOUT",
    "Prepared",
    "Replayed",
    "Running",
    "StoppedError",
    "Unwritten",
    "add_to_book",
    "changes_of",
    "check_faults",
    "events_of",
    "fault",
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
    "with_faults",
]
