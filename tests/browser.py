# SPDX-License-Identifier: BSD-3-Clause
"""What a real browser makes of a page: where things are at a width, what is cut, what is too small."""

from __future__ import annotations

import html
import json
import re
import subprocess
from pathlib import Path
from typing import Any

from isochron.postprocess.export.pdf import find_browser

CHROMIUM = find_browser() or ""

#: Run in the page. A page cannot be as narrow as a phone in a window of its own, so it stands in a frame.
PROBE = """
const visible = (each) => each.checkVisibility() && each.getBoundingClientRect().width > 1;
const inside = (each) => each.closest(".scroll, .hidden, svg") === null;
const all = Array.from(document.body.querySelectorAll("*")).filter(visible);
const texts = all.filter((each) => Array.from(each.childNodes).some((node) => node.nodeType === 3 && node.data.trim()));
const place = (selector) => {
  const each = document.querySelector(selector);
  if (!each) { return null; }
  const box = each.getBoundingClientRect();
  return { top: box.top, bottom: box.bottom, left: box.left, right: box.right, text: each.textContent };
};
parent.postMessage({
  places: Object.fromEntries(SELECTORS.map((selector) => [selector, place(selector)])),
  small: texts.filter((each) => !each.closest(".hidden, svg") && parseFloat(getComputedStyle(each).fontSize) < 12)
    .map((each) => each.outerHTML.slice(0, 120)),
  cut: all.filter(inside).filter((each) => each.getBoundingClientRect().right > innerWidth + 1
    || (each.scrollWidth > each.clientWidth + 1 && getComputedStyle(each).overflowX === "hidden"))
    .map((each) => each.outerHTML.slice(0, 120)),
  wide: document.documentElement.scrollWidth - innerWidth,
  tall: document.documentElement.scrollHeight,
  parts: Object.fromEntries(Array.from(document.querySelectorAll("main section"),
    (each) => [each.id, Math.round(each.getBoundingClientRect().height)])),
  errors: window.faults,
}, "*");
"""


def seen(page: Path, folder: Path, width: int, height: int, selectors: list[str], before: str = "") -> dict[str, Any]:
    """What a reader sees of a page in a window of that size. `before`: JavaScript that is run in it first."""
    text = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", page.read_text())
    first = (
        "<script>window.faults = []; addEventListener('error', (each) => window.faults.push(each.message));</script>"
    )
    script = f"<script>const SELECTORS = {json.dumps(selectors)}; {before}\n{PROBE}</script>"
    (folder / "page.html").write_text(
        text.replace("<head>", f"<head>{first}", 1).replace("</body>", f"{script}</body>")
    )
    (folder / "frame.html").write_text(
        f'<pre id="said"></pre><script>addEventListener("message", (each) => {{ '
        'document.getElementById("said").textContent = JSON.stringify(each.data); });</script>'
        f'<iframe src="page.html" style="width:{width}px;height:{height}px;border:0"></iframe>'
    )
    command = [
        CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder / 'profile'}",
        f"--window-size={max(width, 600)},{height + 200}", "--virtual-time-budget=5000", "--dump-dom",
        (folder / "frame.html").as_uri(),
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=True)
    said = re.search(r'<pre id="said">(.*?)</pre>', done.stdout, flags=re.DOTALL)
    assert said is not None and said[1], done.stderr
    found: dict[str, Any] = json.loads(html.unescape(said[1]))
    return found
