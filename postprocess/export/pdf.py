# SPDX-License-Identifier: BSD-3-Clause
"""The report as PDF: printed from the page itself, by a browser where one is found, else by WeasyPrint."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from isochron.ground.files import FileError
from isochron.postprocess.export.content import Content

#: Browsers that print without a window, in the order of preference; `ISOCHRON_BROWSER` comes before them.
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge")
#: Seconds that a browser has.
PATIENCE_S = 300


def pdf(content: Content) -> bytes:
    """Raises FileError where nothing can print, or the report is not there."""
    page = content.inputs.layout.report
    if not page.is_file():
        raise FileError(f"{page}: is not there; call `isochron report` first")
    browser = find_browser()
    return _by_browser(browser, page) if browser else _by_python(page)


def find_browser() -> str | None:
    """The browser that prints."""
    given = os.environ.get("ISOCHRON_BROWSER")
    if given:
        found = shutil.which(given)
        if found is None:
            raise FileError(f"ISOCHRON_BROWSER: {given} is no program; give a Chromium, or take the variable away")
        return found
    return next((found for found in map(shutil.which, BROWSERS) if found), None)


def _by_browser(browser: str, page: Path) -> bytes:
    with tempfile.TemporaryDirectory(prefix="isochron-pdf-") as folder:
        written = Path(folder) / "report.pdf"
        command = [
            browser,
            "--headless",
            "--disable-gpu",
            *(["--no-sandbox"] if os.geteuid() == 0 else []),  # its sandbox refuses to run as root
            f"--user-data-dir={folder}/profile",
            "--no-pdf-header-footer",  # the page has its own
            f"--print-to-pdf={written}",
            page.resolve().as_uri(),
        ]
        try:
            done = subprocess.run(
                command, capture_output=True, encoding="utf-8", errors="replace", timeout=PATIENCE_S, check=False
            )
        except subprocess.TimeoutExpired as error:
            raise FileError(f"{browser} has not printed {page} within {PATIENCE_S} s") from error
        if not written.is_file():
            said = (done.stderr.strip().splitlines() or ["nothing"])[-1]
            raise FileError(f"{browser} did not print {page}: exit code {done.returncode}, it said: {said}")
        return written.read_bytes()


def _by_python(page: Path) -> bytes:
    try:
        from weasyprint import HTML
    except (ImportError, OSError) as error:
        raise FileError(
            "export --pdf: no Chromium here, and no WeasyPrint; install one of them (apt-get install chromium, "
            "pip install weasyprint), or name a browser in ISOCHRON_BROWSER"
        ) from error
    printed: bytes = HTML(filename=str(page)).write_pdf()
    return printed
