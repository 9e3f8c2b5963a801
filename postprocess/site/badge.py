# SPDX-License-Identifier: BSD-3-Clause
"""A badge: a campaign's name and its verdict in short, as an SVG for other pages."""

from __future__ import annotations

from html import escape

from isochron.postprocess.site.campaign_history import FASTER, INCONCLUSIVE, SLOWER, UNCHANGED

#: White text has a contrast of 4.5 or more on each.
COLOURS = {UNCHANGED: "#00735a", SLOWER: "#a84300", FASTER: "#00588a", INCONCLUSIVE: "#59626e"}
GROUND = "#3a424c"
#: Of DejaVu Sans and its like at 11 px: mean width of a character, and the blank beside a text.
CHARACTER, BLANK, HEIGHT = 6.9, 8, 20


def badge(name: str, verdict: str) -> str:
    """An SVG of one line. `verdict`: one of `COLOURS`."""
    left, right = (round(len(text) * CHARACTER + 2 * BLANK) for text in (name, verdict))
    said = escape(f"{name}: {verdict}")
    texts = "".join(
        f'<text x="{x}" y="14" textLength="{round(len(text) * CHARACTER)}" lengthAdjust="spacingAndGlyphs">'
        f"{escape(text)}</text>"
        for x, text in ((BLANK, name), (left + BLANK, verdict))
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="{HEIGHT}" role="img" '
        f'aria-label="{said}"><title>{said}</title>'
        f'<clipPath id="r"><rect width="{left + right}" height="{HEIGHT}" rx="3"/></clipPath>'
        f'<g clip-path="url(#r)"><rect width="{left}" height="{HEIGHT}" fill="{GROUND}"/>'
        f'<rect x="{left}" width="{right}" height="{HEIGHT}" fill="{COLOURS[verdict]}"/></g>'
        f'<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">{texts}</g></svg>\n'
    )
