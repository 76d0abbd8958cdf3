"""Values to lines of a screen. Nothing here compares or decides."""

from __future__ import annotations

from typing import TYPE_CHECKING

from replanctl.lazy import lazily

if TYPE_CHECKING:
    from replanctl.show.changes import results_kept
    from replanctl.show.console import NARROWEST, Progress, ReadingBar, make_console, terminal_width
    from replanctl.show.cost import cost_screen
    from replanctl.show.coupling import coupling_screen
    from replanctl.show.diff import diff_markdown, diff_screen
    from replanctl.show.explained import list_screen, meanings_screen, words_screen
    from replanctl.show.graph import Picture, dot, graph_screen, mermaid
    from replanctl.show.header import Header
    from replanctl.show.imported import imported_screen, unsolved_in_words
    from replanctl.show.lab_markdown import compare_markdown, matrix_markdown, tune_markdown
    from replanctl.show.lanes import compare_screen
    from replanctl.show.markdown import markdown_screen
    from replanctl.show.matrix import PlanLine, matrices_screen, matrix_screen
    from replanctl.show.paper import Paper, Span, folded
    from replanctl.show.problems import (
        Tested,
        count_line,
        github_lines,
        problem_spans,
        problems_markdown,
        sarif,
        tests_markdown,
    )
    from replanctl.show.runs import recorded_in_words, runs_screen, stats_screen
    from replanctl.show.runs_diff import Side, runs_diff_markdown, runs_diff_screen
    from replanctl.show.session import SessionScreen
    from replanctl.show.text import clean, glyphs_for
    from replanctl.show.tuning import tune_screen
    from replanctl.show.verdict import closing_line, verdict_style
    from replanctl.show.waiting import Waits
    from replanctl.show.why import why_screen
    from replanctl.show.words import RESUMED
else:
    __getattr__ = lazily(
        __name__,
        {
            "verdict": ("closing_line", "verdict_style"),
            "console": ("NARROWEST", "make_console", "terminal_width", "Progress", "ReadingBar"),
            "cost": ("cost_screen",),
            "coupling": ("coupling_screen",),
            "diff": ("diff_markdown", "diff_screen"),
            "explained": ("list_screen", "meanings_screen", "words_screen"),
            "graph": ("Picture", "graph_screen", "dot", "mermaid"),
            "header": ("Header",),
            "imported": ("imported_screen", "unsolved_in_words"),
            "paper": ("Paper", "Span", "folded"),
            "problems": (
                "count_line",
                "problem_spans",
                "Tested",
                "github_lines",
                "problems_markdown",
                "sarif",
                "tests_markdown",
            ),
            "lab_markdown": ("compare_markdown", "matrix_markdown", "tune_markdown"),
            "lanes": ("compare_screen",),
            "markdown": ("markdown_screen",),
            "matrix": ("PlanLine", "matrices_screen", "matrix_screen"),
            "runs": ("runs_screen", "recorded_in_words", "stats_screen"),
            "runs_diff": ("Side", "runs_diff_markdown", "runs_diff_screen"),
            "tuning": ("tune_screen",),
            "session": ("SessionScreen",),
            "text": ("clean", "glyphs_for"),
            "waiting": ("Waits",),
            "why": ("why_screen",),
            "words": ("RESUMED",),
            "changes": ("results_kept",),
        },
    )

__all__ = [
    "imported_screen",
    "recorded_in_words",
    "events",
    "handover",
    "ledger",
    "lessons",
    "variables",
    "changes",
    "diff",
    "failure",
    "grid",
    "lanes",
    "marks",
    "matrix",
    "tuning",
    "words",
    "Header",
    "Paper",
    "Picture",
    "PlanLine",
    "Progress",
    "ReadingBar",
    "RESUMED",
    "results_kept",
    "SessionScreen",
    "Side",
    "Span",
    "Waits",
    "clean",
    "Tested",
    "github_lines",
    "compare_markdown",
    "problems_markdown",
    "sarif",
    "tests_markdown",
    "compare_screen",
    "matrices_screen",
    "matrix_markdown",
    "matrix_screen",
    "stats_screen",
    "tune_markdown",
    "tune_screen",
    "closing_line",
    "count_line",
    "diff_markdown",
    "dot",
    "glyphs_for",
    "make_console",
    "terminal_width",
    "unsolved_in_words",
    "mermaid",
    "problem_spans",
    "folded",
    "NARROWEST",
    "cost_screen",
    "coupling_screen",
    "diff_screen",
    "graph_screen",
    "runs_diff_markdown",
    "runs_diff_screen",
    "runs_screen",
    "verdict_style",
    "why_screen",
    "list_screen",
    "markdown_screen",
    "meanings_screen",
    "words_screen",
]
