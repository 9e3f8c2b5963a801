# SPDX-License-Identifier: BSD-3-Clause
"""A badge: a campaign's name and its verdict in short, as an SVG for other pages (`templates/site/badge.svg.j2`)."""

from __future__ import annotations

from dataclasses import dataclass

from isochron.postprocess.site.campaign_history import FASTER, INCONCLUSIVE, SLOWER, UNCHANGED
from isochron.postprocess.site.record import Standing

#: White text has a contrast of 4.5 or more on each.
COLOURS = {UNCHANGED: "#00735a", SLOWER: "#a84300", FASTER: "#00588a", INCONCLUSIVE: "#59626e"}
#: The verdict whose colour a decision has.
OF_DECISIONS = {"keep-baseline": SLOWER, "upgrade": UNCHANGED, "adopt": FASTER, "undecided": INCONCLUSIVE}
#: Of DejaVu Sans and its like at 11 px: mean width of a character, and the blank beside a text.
CHARACTER, BLANK = 6.9, 8


@dataclass(frozen=True)
class Half:
    """A text on a rectangle. `left`: where it begins, in px."""

    text: str
    left: int
    colour: str

    @property
    def width(self) -> int:
        """Width of the rectangle."""
        return round(len(self.text) * CHARACTER + 2 * BLANK)

    @property
    def x(self) -> int:
        """Left end of the text."""
        return self.left + BLANK

    @property
    def wide(self) -> int:
        """Width of the text."""
        return round(len(self.text) * CHARACTER)


def badge(name: str, verdict: str, standing: Standing) -> list[Half]:
    """The two halves of a badge: the name, and the headline of the newest report, or the `verdict` if it has none.

    A change of the machine (`slower`, `faster`) is named beside the headline. `verdict`: one of `COLOURS`.
    """
    first = Half(name, 0, "#3a424c")
    if not standing.answers:
        return [first, Half(verdict, first.width, COLOURS[verdict])]
    told = standing.answers[0]
    changed = f", {verdict} than before" if verdict in (SLOWER, FASTER) else ""
    return [first, Half(f"{told.word}{changed}", first.width, COLOURS[OF_DECISIONS[told.decision]])]
