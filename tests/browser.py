# SPDX-License-Identifier: BSD-3-Clause
"""A real browser without a window, driven by Playwright: pages as they are, at any width, without a network.

The browser is the distribution's, as in `isochron export --pdf`. A page's own policy stays in force, and what the page
says is kept: errors, console, requests.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from isochron.postprocess.export.pdf import CLOSED, find_browser

#: Windows narrower than this are phones: they have no scroll bars, and lay pages out as phones do.
PHONE_PX = 600
#: Milliseconds that anything may take: a page with all its tables on a busy machine.
PATIENCE_MS = 240_000
#: A desk and a phone.
DESK, PHONE = (1280, 800), (390, 844)

needs_browser = pytest.mark.skipif(find_browser() is None, reason="no Chromium: install the package chromium")


@dataclass
class Tab:
    """A page that is open. `said`: errors and lines of the console; `asked`: the addresses that it asked for."""

    page: Page
    address: str
    said: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def load(self, fragment: str = "") -> None:
        """Open the page anew."""
        self.page.goto("about:blank")
        self.page.goto(self.address + fragment)

    def evaluate(self, script: str) -> Any:
        """The value of a JavaScript expression in the page, awaited."""
        return self.page.evaluate(script)

    def press(self, *keys: str) -> None:
        """Keys, one after the other."""
        for key in keys:
            self.page.keyboard.press(key)

    def saved(self, script: str) -> Path:
        """The file that the page saves after this script."""
        with self.page.expect_download() as download:
            self.page.evaluate(script)
        return download.value.path()

    def complaints(self, beside: str = "") -> list[str]:
        """Errors, what the console said, and requests, but for addresses that begin with `beside`."""
        self.page.wait_for_timeout(50)
        own = ("data:", "blob:", "about:blank", beside or self.address)
        return self.said + [f"request: {url}" for url in self.asked if not url.startswith(own)]


@contextmanager
def started() -> Iterator[Browser]:
    """A browser. Raises RuntimeError where there is none."""
    program = find_browser()
    if program is None:
        raise RuntimeError("no Chromium: install the package chromium")
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []  # its sandbox refuses to run as root
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=[*sandbox, *CLOSED])
        yield browser
        browser.close()


@contextmanager
def opened(browser: Browser, page: Path, size: tuple[int, int], *, fragment: str = "", **more: Any) -> Iterator[Tab]:
    """A page in a window of that size. `more`: of Playwright's contexts: `color_scheme`, `java_script_enabled` …"""
    width, height = size
    context = browser.new_context(
        viewport={"width": width, "height": height}, is_mobile=width < PHONE_PX, reduced_motion="reduce", **more
    )
    context.set_default_timeout(PATIENCE_MS)
    tab = Tab(context.new_page(), page.resolve().as_uri())
    tab.page.on("console", lambda message: tab.said.append(f"{message.type}: {message.text}"))
    tab.page.on("pageerror", lambda error: tab.said.append(f"error: {error}"))
    tab.page.on("request", lambda request: tab.asked.append(request.url))
    try:
        tab.page.goto(tab.address + fragment)
        yield tab
    finally:
        context.close()
