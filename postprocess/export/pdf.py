# SPDX-License-Identifier: BSD-3-Clause
"""The report as PDF: printed from its page, made anew, by a browser where one is found, else by WeasyPrint."""

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import NoReturn

from isochron.common.children import captured
from isochron.common.files import FileError, read_bytes
from isochron.postprocess.export.content import Content
from isochron.postprocess.report.links import INDEX, PrintedLinks
from isochron.postprocess.report.render import Sheets, parts

#: Browsers that print without a window, in the order of preference; `ISOCHRON_BROWSER` comes before them.
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge")
#: Seconds that a browser has.
PATIENCE_S = 300
#: Options by which whatever a browser asks of the network goes to a proxy that is not there.
CLOSED = ("--proxy-server=127.0.0.1:9", "--proxy-bypass-list=<-loopback>")


def pdf(content: Content) -> bytes:
    """The page is made anew of the tables and figures: the one in the run's folder may be somebody else's.

    Raises FileError if nothing can print, or the run is not analysed.
    """
    browser = find_browser()
    page = parts(Sheets(content.inputs), PrintedLinks)[INDEX]
    unfolded = unfold(page)
    return by_browser(browser, unfolded) if browser else _by_python(unfolded)


def unfold(page: str) -> str:
    """The page with all folds open, and without the pair to choose: on paper nobody can open or choose.

    Data in it have no `<` (`section.py`).
    """
    page = page.replace('<div id="chosen">', '<div id="chosen" hidden>')
    return re.sub(r"<details(?![^>]* open\b)(?=[ >])", "<details open", page)


def find_browser() -> str | None:
    """The browser that prints."""
    given = os.environ.get("ISOCHRON_BROWSER")
    if given:
        path = shutil.which(given)
        if path is None:
            raise FileError(f"ISOCHRON_BROWSER: {given} is no program; give a Chromium, or take the variable away")
        return path
    return next((path for path in map(shutil.which, BROWSERS) if path), None)


def by_browser(browser: str, page: str) -> bytes:
    """A page as a PDF; nothing is asked of the network. Raises FileError.

    That no script but ours runs in it, and no file is loaded, its own policy says.
    """
    with tempfile.TemporaryDirectory(prefix="isochron-pdf-") as folder:
        source, written = Path(folder) / "report.html", Path(folder) / "report.pdf"
        source.write_text(page, encoding="utf-8")
        command = [
            browser,
            "--headless",
            "--disable-gpu",
            *(["--no-sandbox"] if os.geteuid() == 0 else []),  # its sandbox refuses to run as root
            f"--user-data-dir={folder}/profile",
            *CLOSED,
            "--no-pdf-header-footer",  # the page has its own
            f"--print-to-pdf={written}",
            source.as_uri(),
        ]
        try:
            done = captured(command, timeout=PATIENCE_S)
        except subprocess.TimeoutExpired as error:
            raise FileError(f"{browser} has not printed the report within {PATIENCE_S} s") from error
        if not written.is_file():
            message = (done.stderr.strip().splitlines() or ["nothing"])[-1]
            raise FileError(f"{browser} did not print the report: exit code {done.returncode}, it said: {message}")
        return read_bytes(written)


def _by_python(page: str) -> bytes:
    try:
        from weasyprint import HTML
    except (ImportError, OSError) as error:
        raise FileError(
            "export --pdf: no Chromium here, and no WeasyPrint; install one of them (apt-get install chromium, "
            "pip install weasyprint), or name a browser in ISOCHRON_BROWSER"
        ) from error
    printed: bytes = HTML(string=page, url_fetcher=_nothing_else).write_pdf()
    return printed


def _nothing_else(address: str, *_: object, **__: object) -> NoReturn:
    """For WeasyPrint, which knows no policy of a page."""
    raise ValueError(f"{address}: the report needs nothing beside itself")
