# SPDX-License-Identifier: BSD-3-Clause
"""A real browser that is driven as by a person: keys, pointer, windows; and what it complains of, asks for and saves.

Chromium is spoken to through a pipe (`--remote-debugging-pipe`, the Chrome DevTools Protocol): nothing else is needed,
and the page keeps its Content-Security-Policy.
"""

from __future__ import annotations

import base64
import json
import os
import select
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.browser import CHROMIUM

#: Seconds that an answer may take on a machine that does other things too.
PATIENCE_S = 120
#: Key → what the protocol wants to know of it: code, number, text.
KEYS = {
    "Tab": ("Tab", 9, ""),
    "Enter": ("Enter", 13, "\r"),
    " ": ("Space", 32, " "),
    "Escape": ("Escape", 27, ""),
    "End": ("End", 35, ""),
    "Home": ("Home", 36, ""),
    "ArrowLeft": ("ArrowLeft", 37, ""),
    "ArrowUp": ("ArrowUp", 38, ""),
    "ArrowRight": ("ArrowRight", 39, ""),
    "ArrowDown": ("ArrowDown", 40, ""),
}
Event = dict[str, Any]


class Pipe:
    """Messages to and from the browser, each ended by a zero byte."""

    def __init__(self, read: int, write: int) -> None:
        self.read, self.write = read, write
        self.rest = b""

    def send(self, message: Event) -> None:
        os.write(self.write, json.dumps(message).encode() + b"\0")

    def receive(self) -> Event:
        while b"\0" not in self.rest:
            ready, _, _ = select.select([self.read], [], [], PATIENCE_S)
            part = os.read(self.read, 1 << 20) if ready else b""
            if not part:
                raise RuntimeError("the browser does not answer")
            self.rest += part
        line, _, self.rest = self.rest.partition(b"\0")
        found: Event = json.loads(line)
        return found


class Tab:
    """A page in the browser. `events`: all that it has told so far."""

    def __init__(self, pipe: Pipe, downloads: Path) -> None:
        self.pipe, self.downloads, self.session, self.number = pipe, downloads, "", 0
        self.events: list[Event] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        behaviour = {"behavior": "allow", "downloadPath": str(downloads), "eventsEnabled": True}
        self.call("Browser.setDownloadBehavior", **behaviour)

    def call(self, method: str, **params: Any) -> Event:
        self.number += 1
        session = {"sessionId": self.session} if self.session else {}
        self.pipe.send({"id": self.number, "method": method, "params": params, **session})
        while True:
            found = self.pipe.receive()
            if found.get("id") == self.number:
                assert "error" not in found, (method, found["error"])
                result: Event = found["result"]
                return result
            self.events.append(found)

    def wait(self, method: str, fits: Callable[[Event], bool] = lambda _: True, since: int = 0) -> Event:
        """The first such event after `since` of them."""
        place = since
        while True:
            while place < len(self.events):
                found = self.events[place]
                if found.get("method") == method and fits(found["params"]):
                    params: Event = found["params"]
                    return params
                place += 1
            self.events.append(self.pipe.receive())

    def open(self, page: Path, fragment: str = "") -> None:
        """Load a page anew."""
        self.call("Page.navigate", url="about:blank")
        since = len(self.events)
        self.call("Page.navigate", url=page.as_uri() + fragment)
        self.wait("Page.loadEventFired", since=since)

    def window(self, width: int, height: int, *, dark: bool = False) -> None:
        phone = width < 600
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=phone
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme, {"name": "prefers-reduced-motion", "value": "reduce"}])

    def evaluate(self, script: str) -> Any:
        """The value of an expression in the page, promises waited for."""
        found = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def press(self, *keys: str, shift: bool = False) -> None:
        for key in keys:
            code, number, text = KEYS[key]
            about = {"key": key, "code": code, "windowsVirtualKeyCode": number, "modifiers": 8 if shift else 0}
            self.call("Input.dispatchKeyEvent", type="keyDown", text=text, **about)
            self.call("Input.dispatchKeyEvent", type="keyUp", **about)

    def point(self, x: float, y: float, *, click: bool = False) -> None:
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        if click:
            about = {"x": x, "y": y, "button": "left", "clickCount": 1}
            self.call("Input.dispatchMouseEvent", type="mousePressed", **about)
            self.call("Input.dispatchMouseEvent", type="mouseReleased", **about)

    def saved(self, script: str) -> Path:
        """The file that the page saves after this script."""
        since = len(self.events)
        self.evaluate(script)
        begun = self.wait("Browser.downloadWillBegin", since=since)
        ended = ("completed", "canceled")
        done = self.wait(
            "Browser.downloadProgress",
            lambda each: each["guid"] == begun["guid"] and each["state"] in ended,
            since,
        )
        assert done["state"] == "completed"
        return self.downloads / begun["suggestedFilename"]

    def screenshot(self, path: Path) -> None:
        """Of what the window shows."""
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot")["data"]))

    def complaints(self) -> list[str]:
        """Errors and warnings of the console, refused ones of the policy among them."""
        found = []
        for each in self.events:
            params = each.get("params", {})
            if each.get("method") == "Runtime.exceptionThrown":
                found.append(str(params["exceptionDetails"]))
            elif each.get("method") == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
                found.append(str(params["entry"]["text"]))
            elif each.get("method") == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
                found.append(str(params["args"]))
        return found

    def requests(self) -> set[str]:
        """Addresses that the page has asked for; what it has within itself is none."""
        asked = (each["params"]["request"]["url"] for each in self.events if _is_request(each))
        return {url for url in asked if not url.startswith(("data:", "blob:", "about:"))}


def _is_request(event: Event) -> bool:
    return event.get("method") == "Network.requestWillBeSent"


@contextmanager
def driven(folder: Path) -> Iterator[Tab]:
    """A browser with one page. `folder`: for its profile and what it saves."""
    inward, outward = os.pipe(), os.pipe()
    words = [
        CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--no-first-run",
        f"--user-data-dir={folder / 'profile'}",
    ]  # fmt: skip
    # The browser reads from descriptor 3 and writes to 4.
    shell = ["bash", "-c", 'exec "${@:3}" 3<&"$1" 4>&"$2"', "bash", str(inward[0]), str(outward[1])]
    with (folder / "browser.log").open("w") as log:
        process = subprocess.Popen([*shell, *words], pass_fds=(inward[0], outward[1]), stdout=log, stderr=log)
    os.close(inward[0])
    os.close(outward[1])
    try:
        yield Tab(Pipe(outward[0], inward[1]), folder)
    finally:
        os.close(inward[1])  # the browser ends where nobody speaks to it
        process.wait(PATIENCE_S)
        os.close(outward[0])
