"""Pages in a browser that draws them without a screen; skipped where there is none."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import Cli
from tests.pace import PATIENCE
from tests.report.conftest import DOCUMENTS, PLANS, document, page

CHROMIUM = next(
    (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), ""
)
pytestmark = pytest.mark.skipif(not CHROMIUM, reason="there is no Chromium")

# What a reader would have to scroll sideways, in pixels, of the page itself; tables scroll within their own frames.
MEASURE = """<script>document.title = [
  document.documentElement.scrollWidth - document.documentElement.clientWidth,
  document.querySelectorAll("h2").length,
  Math.min(...[...document.querySelectorAll("svg")].map(svg => svg.getBoundingClientRect().width), 999),
].join(" ")</script>"""


def browse(folder: Path, *flags: str) -> str:
    """Run the browser; what it writes to standard output."""
    quiet = (
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--hide-scrollbars",
        f"--user-data-dir={folder / 'profile'}",
    )
    done = subprocess.run([CHROMIUM, *quiet, *flags], capture_output=True, timeout=PATIENCE, check=True)
    return done.stdout.decode()


@pytest.mark.parametrize("width", [1200, 400])
@pytest.mark.parametrize("name", ["stopped", "matrix", "tune", "race"])
def test_a_page_is_as_wide_as_the_window(cli: Cli, tmp_path: Path, name: str, width: int) -> None:
    text = page(cli, document(cli, name))
    allowed = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", text)
    assert allowed != text
    measured = tmp_path / "measured.html"
    measured.write_text(allowed.replace("</body>", f"{MEASURE}</body>"), encoding="utf-8")
    seen = browse(tmp_path, f"--window-size={width},2000", "--dump-dom", measured.as_uri())
    found = re.search(r"<title>(-?\d+) (\d+) ([\d.]+)</title>", seen)
    assert found is not None, seen[:500]
    too_wide, headings, narrowest_bar = int(found[1]), int(found[2]), float(found[3])
    assert too_wide == 0 and headings == text.count("<h2") and narrowest_bar >= 100


def test_no_script_runs_on_a_page(cli: Cli, tmp_path: Path) -> None:
    """Should a text ever get out of its place: the page itself forbids it to do anything."""
    broken = page(cli, PLANS / "vendors.yaml").replace("</body>", "<script>document.title = 'ran'</script></body>")
    (tmp_path / "broken.html").write_text(broken, encoding="utf-8")
    assert "<title>ran</title>" not in browse(tmp_path, "--dump-dom", (tmp_path / "broken.html").as_uri())


def test_a_page_can_be_printed(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "run.html").write_text(page(cli, PLANS / "vendors.yaml"), encoding="utf-8")
    paper = tmp_path / "run.pdf"
    browse(tmp_path, f"--print-to-pdf={paper}", "--no-pdf-header-footer", (tmp_path / "run.html").as_uri())
    printed = paper.read_bytes()
    assert printed.startswith(b"%PDF-") and len(re.findall(rb"/Type /Page\b", printed)) in range(3, 12)


assert {"stopped", "matrix", "tune", "race"} <= DOCUMENTS.keys()
