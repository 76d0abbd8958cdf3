"""Files in and out: strict YAML with positions, and every problem of a file at once. The only room that knows YAML."""

from replanctl.files.classes import ClassRule, load_classes
from replanctl.files.disk import MAX_MEGABYTES, check_writable, destination, write_text
from replanctl.files.durations import LONGEST, seconds_of
from replanctl.files.extras import load_coefficients, parse_draft
from replanctl.files.faults import did_you_mean
from replanctl.files.insert import say_in_steps
from replanctl.files.lessons import load_lessons, save_lessons
from replanctl.files.pause import collector_paused
from replanctl.files.recorded import End, Recorded, recorded_in
from replanctl.files.rehearsal import (
    Rehearsal,
    Source,
    check_plan,
    load_plan,
    load_rehearsal,
    parse_rehearsal,
    read_outcomes,
    read_plan,
)
from replanctl.files.schema import file_schema
from replanctl.files.sections import Role
from replanctl.files.writing import document_text

__all__ = [
    "LONGEST",
    "MAX_MEGABYTES",
    "ClassRule",
    "End",
    "Recorded",
    "seconds_of",
    "destination",
    "did_you_mean",
    "say_in_steps",
    "collector_paused",
    "file_schema",
    "Rehearsal",
    "Role",
    "Source",
    "check_plan",
    "check_writable",
    "document_text",
    "load_classes",
    "load_coefficients",
    "load_lessons",
    "load_plan",
    "load_rehearsal",
    "parse_draft",
    "parse_rehearsal",
    "read_outcomes",
    "read_plan",
    "recorded_in",
    "save_lessons",
    "write_text",
]
