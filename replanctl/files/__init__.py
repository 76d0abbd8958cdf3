"""Files in and out: strict YAML with positions, and every problem of a file at once. The only room that knows YAML."""

from replanctl.files.rehearsal import Rehearsal, Source, check_plan, load_plan, load_rehearsal, parse_rehearsal
from replanctl.files.sections import Role

__all__ = ["Rehearsal", "Role", "Source", "check_plan", "load_plan", "load_rehearsal", "parse_rehearsal"]
