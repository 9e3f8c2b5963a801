# SPDX-License-Identifier: BSD-3-Clause
"""A page that is used as by a person: opened at a fragment, keys, pointer, and the files that it saves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.devtools import Browser

#: Key → its Windows code, and the text that it writes.
KEYS = {
    "Tab": (9, ""),
    "Enter": (13, "\r"),
    " ": (32, " "),
    "Escape": (27, ""),
    "ArrowLeft": (37, ""),
    "ArrowUp": (38, ""),
    "ArrowRight": (39, ""),
    "ArrowDown": (40, ""),
}


class Hand:
    """Somebody before a page. `folder`: for what is saved."""

    def __init__(self, browser: Browser, page: Path, folder: Path) -> None:
        self.browser, self.folder = browser, folder
        self.tab = browser.open(page, 1280, 800)
        behaviour = {"behavior": "allow", "downloadPath": str(folder), "eventsEnabled": True}
        browser.call("Browser.setDownloadBehavior", **behaviour)
        still = {"name": "prefers-reduced-motion", "value": "reduce"}  # pages scroll at once
        browser.call("Emulation.setEmulatedMedia", self.tab.session, features=[still])

    def load(self, fragment: str = "") -> None:
        """Open the page anew."""
        for address in ("about:blank", self.tab.address + fragment):
            self.browser.events = [each for each in self.browser.events if each.get("method") != "Page.loadEventFired"]
            self.browser.call("Page.navigate", self.tab.session, url=address)
            self.browser.wait("Page.loadEventFired", self.tab.session)

    def evaluate(self, script: str) -> Any:
        """The value of an expression in the page."""
        return self.tab.evaluate(script)

    def press(self, *keys: str) -> None:
        """One after the other."""
        for key in keys:
            self.tab.press(key, *KEYS[key])

    def point(self, x: float, y: float, *, click: bool = False) -> None:
        """Move the pointer there, and press it."""
        self._mouse("mouseMoved", x, y)
        if click:
            for kind in ("mousePressed", "mouseReleased"):
                self._mouse(kind, x, y, button="left", clickCount=1)

    def _mouse(self, kind: str, x: float, y: float, **about: Any) -> None:
        self.browser.call("Input.dispatchMouseEvent", self.tab.session, type=kind, x=x, y=y, **about)

    def saved(self, script: str) -> Path:
        """The file that the page saves after this script."""
        others = (each for each in self.browser.events if not str(each.get("method")).startswith("Browser."))
        self.browser.events = list(others)
        self.evaluate(script)
        while True:
            told = {each["method"]: each["params"] for each in self.browser.events if "method" in each}
            state = told.get("Browser.downloadProgress", {}).get("state")
            if state in ("completed", "canceled"):
                assert state == "completed"
                found = self.folder / str(told["Browser.downloadWillBegin"]["suggestedFilename"])
                return found.replace(found.with_name(f"saved {found.name}"))  # the next one may have the same name
            self.evaluate("new Promise((done) => setTimeout(done, 10))")
