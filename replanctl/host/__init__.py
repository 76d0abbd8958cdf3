"""What surrounds a session: rehearsals, stored runs taken up again, Python tools, planner commands, expectations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from replanctl.lazy import lazily

if TYPE_CHECKING:
    from replanctl.host.book import add_to_book, open_book, save_book
    from replanctl.host.corpus import Case, load_corpus, stored_corpus
    from replanctl.host.effects import EffectLog, Unwritten
    from replanctl.host.expect import mismatches
    from replanctl.host.faults import FAULTS, Fault, check_faults, fault, with_faults
    from replanctl.host.outside import outside_of
    from replanctl.host.question import question_schema
    from replanctl.host.rehearse import events_of, session_of
    from replanctl.host.signals import StoppedError, stop_signals
    from replanctl.host.sound import sound
else:
    __getattr__ = lazily(
        __name__,
        {
            "book": ("add_to_book", "open_book", "save_book"),
            "corpus": ("Case", "load_corpus", "stored_corpus"),
            "effects": ("EffectLog", "Unwritten"),
            "expect": ("mismatches",),
            "faults": ("FAULTS", "Fault", "check_faults", "fault", "with_faults"),
            "outside": ("outside_of",),
            "question": ("question_schema",),
            "rehearse": ("events_of", "session_of"),
            "signals": ("StoppedError", "stop_signals"),
            "sound": ("sound",),
        },
    )

__all__ = [
    "Case",
    "FAULTS",
    "EffectLog",
    "Fault",
    "StoppedError",
    "Unwritten",
    "add_to_book",
    "check_faults",
    "events_of",
    "fault",
    "load_corpus",
    "mismatches",
    "open_book",
    "outside_of",
    "question_schema",
    "save_book",
    "session_of",
    "sound",
    "stop_signals",
    "stored_corpus",
    "with_faults",
]
