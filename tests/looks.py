# SPDX-License-Identifier: BSD-3-Clause
"""What a page must not have, whatever is on it: something cut, small letters, a finding of axe.

Nothing here knows a section by its name, so what is added to a page is looked at too.
"""

from __future__ import annotations

from axe_playwright_python.sync_playwright import Axe

from tests.browser import Tab

#: The smallest letters, in CSS pixels.
SMALLEST_PX = 12

#: All that folds is opened, so that it is looked at.
OPENED = 'document.querySelectorAll("details").forEach((each) => { each.open = true; })'

#: Boxes of tables, figures and every number, each against the window, or against the region that scrolls it.
MEASURED = """
(() => {
  const ROOM = 1, wide = document.documentElement.clientWidth, found = [], small = [];
  const style = new Map(), of = (each) => style.get(each) || style.set(each, getComputedStyle(each)).get(each);
  // What is for screen readers alone is one pixel large.
  const unseen = (each) => { const hide = each.closest(".hidden, [hidden]"); return hide || !each.checkVisibility(); };
  const named = (each) => each.nodeType === 3
    ? `"${each.data.trim().slice(0, 40)}" in ${named(each.parentElement)}`
    : each.tagName.toLowerCase() + (each.id ? "#" + each.id : "") + "." + (each.getAttribute("class") || "");
  const scrolls = (each) => ["auto", "scroll"].includes(of(each).overflowX);
  const clips = (each) => ["hidden", "clip"].includes(of(each).overflowX);
  function check(what, box, from) {
    if (box.width < 0.5) { return; }
    let inner = from;
    for (; inner && inner !== document.body; inner = inner.parentElement) {
      if (inner instanceof SVGElement && inner.tagName !== "svg") { continue; }
      const own = inner.getBoundingClientRect();
      if (clips(inner) && (box.left < own.left - ROOM || box.right > own.right + ROOM)) {
        found.push(`${named(what)} is cut by ${named(inner)}`);
        return;
      }
      if (scrolls(inner)) {
        const left = box.left - own.left - inner.clientLeft + inner.scrollLeft;
        if (left < -ROOM || left + box.width > inner.scrollWidth + ROOM) {
          found.push(`${named(what)} cannot be scrolled to in ${named(inner)}`);
        }
        box = own;  // and the region must be in the window
        what = inner;
      }
    }
    if (box.left < -ROOM || box.right > wide + ROOM) {
      found.push(`${named(what)} is at ${box.left.toFixed()} to ${box.right.toFixed()} of ${wide}`);
    }
  }
  const BOXES = "table, figure, svg, img, canvas, caption, figcaption, h1, h2, h3, select, button, input, a";
  for (const each of document.body.querySelectorAll(BOXES)) {
    if (!unseen(each)) { check(each, each.getBoundingClientRect(), each.parentElement); }
  }
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), range = document.createRange();
  let numbers = 0;
  while (walker.nextNode()) {
    const text = walker.currentNode, parent = text.parentElement;
    const silent = ["SCRIPT", "STYLE", "NOSCRIPT", "TITLE", "DESC", "OPTION"].includes(parent.tagName.toUpperCase());
    if (!text.data.trim() || silent || unseen(parent)) { continue; }
    let size = parseFloat(of(parent).fontSize);
    if (parent instanceof SVGElement && parent.getScreenCTM) {
      const at = parent.getScreenCTM();
      size *= Math.sqrt(Math.abs(at.a * at.d - at.b * at.c));
    }
    if (size < SMALLEST - 0.05) { small.push(`${size.toFixed(1)} px: ${named(text)}`); }
    if (/[0-9]/.test(text.data)) {
      numbers += 1;
      range.selectNodeContents(text);
      for (const box of range.getClientRects()) { check(text, box, parent); }
    }
  }
  // And whatever else is cut, but for what a region scrolls.
  for (const each of document.body.querySelectorAll("*")) {
    if (each.closest(".scroll, svg") || unseen(each)) { continue; }
    const box = each.getBoundingClientRect();
    if (box.width > 1 && (box.right > wide + ROOM || (clips(each) && each.scrollWidth > each.clientWidth + ROOM))) {
      found.push(`${named(each)} is cut: ${each.scrollWidth} px, up to ${box.right.toFixed()} of ${wide}`);
    }
  }
  const over = document.documentElement.scrollWidth - wide;
  if (over > 0) { found.push(`the page is ${over} px wider than the window`); }
  return { cut: [...new Set(found)], small: [...new Set(small)], numbers };
})()
"""


def open_all(tab: Tab) -> None:
    """Unfold all that folds."""
    tab.evaluate(OPENED)


def measure(tab: Tab) -> tuple[list[str], list[str], int]:
    """What is cut, what is too small to be read, and how many numbers were looked at."""
    found = tab.evaluate(MEASURED.replace("SMALLEST", str(SMALLEST_PX)))
    return found["cut"], found["small"], found["numbers"]


def axe(tab: Tab) -> list[str]:
    """What axe-core objects to, a line for each rule."""
    found = Axe().run(tab.page, options={"resultTypes": ["violations"], "preload": False}).response["violations"]
    return [
        f"{rule['id']} ({len(rule['nodes'])}): {rule['help']}: {rule['nodes'][0]['html'][:200]} "
        f"{rule['nodes'][0].get('failureSummary', '')}"
        for rule in found
    ]
