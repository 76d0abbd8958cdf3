"""A run, a matrix, a tuning or a comparison as one page of HTML that needs nothing beside it.

Values to markup: nothing here reads a file, runs a session or decides anything.
"""

from replanctl.report.documents import FROM, page_of
from replanctl.report.facts import CallFold, Prompt, RunReport
from replanctl.report.session import run_page

__all__ = ["FROM", "CallFold", "Prompt", "RunReport", "page_of", "run_page"]
