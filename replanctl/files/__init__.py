"""Files in and out: strict YAML with positions, and every problem of a file at once. The only room that knows YAML."""

from replanctl.files.disk import check_writable, is_folder, plans_in, write_text
from replanctl.files.lessons import load_lessons, save_lessons
from replanctl.files.planner import parse_draft
from replanctl.files.policy import load_coefficients
from replanctl.files.reader import collector_paused
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
from replanctl.files.sections import Role

__all__ = [
    "Rehearsal",
    "Role",
    "Source",
    "check_plan",
    "check_writable",
    "collector_paused",
    "is_folder",
    "load_coefficients",
    "load_lessons",
    "load_plan",
    "load_rehearsal",
    "parse_draft",
    "parse_rehearsal",
    "plans_in",
    "read_outcomes",
    "read_plan",
    "save_lessons",
    "write_text",
]
