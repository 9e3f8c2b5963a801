# SPDX-License-Identifier: BSD-3-Clause
"""A Chromium without a window, driven over its pipe (Chrome DevTools Protocol): pages as they are, at any width.

Unlike `tests.browser`, which changes a page to look into it, this leaves the page's own policy in force, emulates
phones and the dark theme, and hears what the page says: errors, console, requests.
"""

from __future__ import annotations

import base64
import fcntl
import json
import os
import select
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import Any

from isochron.postprocess.export.pdf import find_browser

#: Seconds that an answer may take: a page with all its tables on a busy machine.
PATIENCE_S = 240
#: Windows narrower than this are phones: they have a touch screen and no scroll bars.
PHONE_PX = 600


class Browser:
    """A browser; `with Browser(folder) as browser: tab = browser.open(page, 390, 844)`."""

    def __init__(self, folder: Path) -> None:
        program = find_browser()
        if program is None:
            raise RuntimeError("no Chromium: install the package chromium")
        theirs_in, ours_out = _pipe()
        ours_in, theirs_out = _pipe()
        command = [
            program, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
            f"--user-data-dir={folder / 'profile'}", "--remote-debugging-pipe", "about:blank",
        ]  # fmt: skip
        # The browser listens on descriptor 3 and answers on 4.
        self._process = subprocess.Popen(
            ["bash", "-c", f'exec "$@" 3<&{theirs_in} 4>&{theirs_out}', "bash", *command],
            pass_fds=(theirs_in, theirs_out), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(theirs_in)
        os.close(theirs_out)
        self._in, self._out, self._buffer, self._number = ours_in, ours_out, b"", 0
        self.events: list[dict[str, Any]] = []

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._in)
        os.close(self._out)

    def call(self, method: str, session: str | None = None, **parameters: Any) -> dict[str, Any]:
        """Call a method of the protocol and wait for its answer; what is heard meanwhile is kept in `events`."""
        self._number += 1
        number, message = self._number, {"id": self._number, "method": method, "params": parameters}
        text = json.dumps(message | ({"sessionId": session} if session else {})).encode() + b"\0"
        while text:
            text = text[os.write(self._out, text) :]
        deadline = time.monotonic() + PATIENCE_S
        while True:
            heard = self._hear(deadline, method)
            if heard.get("id") != number:
                self.events.append(heard)
            elif "error" in heard:
                raise RuntimeError(f"{method}: {heard['error']['message']}")
            else:
                answer: dict[str, Any] = heard["result"]
                return answer

    def wait(self, method: str, session: str) -> None:
        """Until that event has been heard of a tab."""
        deadline = time.monotonic() + PATIENCE_S
        while not any(each.get("method") == method and each.get("sessionId") == session for each in self.events):
            self.events.append(self._hear(deadline, method))

    def _hear(self, deadline: float, what: str) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._in], [], [], max(0.0, deadline - time.monotonic()))
            if not ready:
                raise TimeoutError(f"{what}: the browser has not answered within {PATIENCE_S} s")
            heard = os.read(self._in, 1 << 20)
            if not heard:
                raise RuntimeError(f"{what}: the browser has ended with {self._process.wait()}")
            self._buffer += heard
        text, _, self._buffer = self._buffer.partition(b"\0")
        message: dict[str, Any] = json.loads(text)
        return message

    def open(self, page: Path, width: int, height: int, *, dark: bool = False) -> Tab:
        """A new tab with a page, in a window of that size."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        tab = Tab(self, session, page.resolve().as_uri())
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable", session)
        tab.resize(width, height)
        theme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", session, features=[theme])
        self.call("Page.navigate", session, url=tab.address)
        self.wait("Page.loadEventFired", session)
        return tab


class Tab:
    """A page that is open."""

    def __init__(self, browser: Browser, session: str, address: str) -> None:
        self.browser, self.session, self.address = browser, session, address

    def resize(self, width: int, height: int) -> None:
        """The window; a narrow one is that of a phone."""
        self.browser.call(
            "Emulation.setDeviceMetricsOverride", self.session,
            width=width, height=height, deviceScaleFactor=1, mobile=width < PHONE_PX,
        )  # fmt: skip
        # A page that draws itself for its width has done so after a frame.
        self.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")

    def evaluate(self, script: str) -> Any:
        """The value of a JavaScript expression, awaited."""
        found = self.browser.call(
            "Runtime.evaluate", self.session, expression=script, awaitPromise=True, returnByValue=True
        )
        if "exceptionDetails" in found:
            details = found["exceptionDetails"]
            raise RuntimeError(details.get("exception", {}).get("description", details["text"]))
        return found["result"].get("value")

    def press(self, key: str, code: int, text: str = "") -> None:
        """A key, by its name and its Windows code: `press("Tab", 9)`, `press("Enter", 13, "\\r")`."""
        common = {"key": key, "code": key, "windowsVirtualKeyCode": code}
        self.browser.call("Input.dispatchKeyEvent", self.session, type="keyDown", text=text, **common)
        self.browser.call("Input.dispatchKeyEvent", self.session, type="keyUp", **common)

    def picture(self) -> bytes:
        """What the window shows, as PNG."""
        return base64.b64decode(self.browser.call("Page.captureScreenshot", self.session, format="png")["data"])

    def close(self) -> None:
        """Close the page; its events are forgotten."""
        self.browser.call("Page.close", self.session)
        self.browser.events = [each for each in self.browser.events if each.get("sessionId") != self.session]

    def complaints(self, beside: str = "") -> list[str]:
        """Errors, what the console said, and requests, but for addresses that begin with `beside`."""
        self.evaluate("new Promise((done) => setTimeout(done, 50))")
        own = [each for each in self.browser.events if each.get("sessionId") == self.session]
        said = [str(each["params"]) for each in own if each["method"] in SAID]
        asked = [each["params"]["request"]["url"] for each in own if each["method"] == "Network.requestWillBeSent"]
        return said + [f"request: {url}" for url in asked if not url.startswith(("data:", beside or self.address))]


#: Events that are complaints.
SAID = ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded")


def _pipe() -> tuple[int, int]:
    """Both ends, with numbers that a shell does not use itself."""
    ends = []
    for end in os.pipe():
        ends.append(fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 20))
        os.close(end)
    return ends[0], ends[1]
