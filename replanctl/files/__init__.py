"""Files in and out: strict YAML with positions, and every problem of a file at once. The only room that knows YAML.

This is the room's face: other rooms take what they need from here. A part is loaded when it is asked for, since a run
needs neither what writes files nor what draws schemas.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from replanctl.lazy import lazily

if TYPE_CHECKING:
    from replanctl.files.classes import ClassRule, load_classes
    from replanctl.files.disk import (
        MAX_MEGABYTES,
        check_writable,
        destination,
        is_folder,
        plans_in,
        replacing,
        write_text,
    )
    from replanctl.files.elsewhere import means_to_be_ours
    from replanctl.files.faults import did_you_mean
    from replanctl.files.lessons import load_lessons, save_lessons
    from replanctl.files.planner import parse_draft
    from replanctl.files.policy import load_coefficients
    from replanctl.files.prices import load_prices
    from replanctl.files.reader import collector_paused
    from replanctl.files.recorded import End, Recorded, recorded_in
    from replanctl.files.rehearsal import (
        Rehearsal,
        check_plan,
        line_of,
        load_plan,
        load_policy,
        load_rehearsal,
        load_rehearsals,
        parse_rehearsal,
        place_of_expect,
    )
    from replanctl.files.rewriting import replaced, say_in_steps
    from replanctl.files.schema import file_schema
    from replanctl.files.sections import Role
    from replanctl.files.sources import Home, Source, belongings, home_of, named_after, read_outcomes, read_plan
    from replanctl.files.words import LONGEST, seconds_of
    from replanctl.files.writing import document_text, policy_text
else:
    __getattr__ = lazily(
        __name__,
        {
            "classes": ("ClassRule", "load_classes"),
            "disk": (
                "MAX_MEGABYTES",
                "check_writable",
                "destination",
                "is_folder",
                "plans_in",
                "replacing",
                "write_text",
            ),
            "elsewhere": ("means_to_be_ours",),
            "faults": ("did_you_mean",),
            "lessons": ("load_lessons", "save_lessons"),
            "planner": ("parse_draft",),
            "policy": ("load_coefficients",),
            "prices": ("load_prices",),
            "reader": ("collector_paused",),
            "recorded": ("End", "Recorded", "recorded_in"),
            "rehearsal": (
                "Rehearsal",
                "check_plan",
                "load_plan",
                "load_policy",
                "load_rehearsal",
                "line_of",
                "load_rehearsals",
                "parse_rehearsal",
                "place_of_expect",
            ),
            "rewriting": ("replaced", "say_in_steps"),
            "schema": ("file_schema",),
            "sections": ("Role",),
            "sources": ("Home", "Source", "belongings", "home_of", "named_after", "read_outcomes", "read_plan"),
            "words": ("LONGEST", "seconds_of"),
            "writing": ("document_text", "policy_text"),
        },
    )

__all__ = [
    "ClassRule",
    "End",
    "Home",
    "LONGEST",
    "MAX_MEGABYTES",
    "Recorded",
    "Rehearsal",
    "Role",
    "Source",
    "belongings",
    "check_plan",
    "check_writable",
    "collector_paused",
    "destination",
    "did_you_mean",
    "document_text",
    "file_schema",
    "home_of",
    "is_folder",
    "load_classes",
    "load_coefficients",
    "load_lessons",
    "load_plan",
    "load_policy",
    "load_prices",
    "load_rehearsal",
    "load_rehearsals",
    "means_to_be_ours",
    "named_after",
    "line_of",
    "parse_draft",
    "place_of_expect",
    "replaced",
    "parse_rehearsal",
    "plans_in",
    "policy_text",
    "read_outcomes",
    "read_plan",
    "recorded_in",
    "replacing",
    "save_lessons",
    "say_in_steps",
    "seconds_of",
    "write_text",
]
