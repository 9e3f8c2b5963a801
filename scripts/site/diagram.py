# SPDX-License-Identifier: BSD-3-Clause
"""A small graph in Mermaid's words (`graph LR`, `a --> b`, `a -. word .-> b`) as SVG, so that no page needs a script.

Names stand in columns, each as far right as the longest way to it is long; an arrow over several columns has a place of
its own in each of them, so that it passes no name. Within a column, the order is by the mean place of the neighbours.
"""

import re
from functools import cache
from html import escape
from itertools import pairwise

ARROW = re.compile(r"^\s*(\w+) (-->|-\. ?[\w ]*\.->) (\w+)\s*$")
#: Sizes in pixels: a name's box, what is between columns and between lines, and around all.
WIDE, HIGH, ACROSS, DOWN, MARGIN = 112, 30, 40, 44, 10
SWEEPS = 8

Edge = tuple[str, str, bool]
Place = tuple[float, float]


def drawn(text: str) -> str:
    """Return an HTML figure. Raises ValueError if a line is none of a graph, or arrows lead in a circle."""
    edges = _edges(text)
    columns, ways = _columns(edges)
    _order(columns, ways)
    rows = max(map(len, columns))
    places = {
        name: (MARGIN + column * (WIDE + ACROSS), MARGIN + (rows - len(names)) * DOWN / 2 + row * DOWN)
        for column, names in enumerate(columns)
        for row, name in enumerate(names)
    }
    wide, high = 2 * MARGIN + len(columns) * (WIDE + ACROSS) - ACROSS, 2 * MARGIN + (rows - 1) * DOWN + HIGH
    description = "; ".join(f"{one} to {other}" for one, other, _ in edges)
    arrows = "".join(_arrow([places[step] for step in way], dotted) for way, dotted in ways)
    boxes = "".join(_box(name, *places[name]) for names in columns for name in names if " " not in name)
    return (
        f'<div class="rooms" role="region" aria-label="Arrows" tabindex="0">'
        f'<svg viewBox="0 0 {wide} {high:g}" role="img" aria-label="Arrows: {escape(description)}">'
        '<defs><marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
        f'<path class="head" d="M0 0L8 4L0 8z"/></marker></defs>{arrows}{boxes}</svg></div>\n'
    )


def _edges(text: str) -> list[Edge]:
    """From, to, and whether dotted; two between the same names are one."""
    edges: dict[tuple[str, str], bool] = {}
    for line in text.strip().splitlines()[1:]:
        match = ARROW.match(line)
        if match is None:
            raise ValueError(f"{line.strip()!r} is no arrow of a graph that this can draw")
        edges.setdefault((match[1], match[3]), match[2] != "-->")
    return [(one, other, dotted) for (one, other), dotted in edges.items()]


def _columns(edges: list[Edge]) -> tuple[list[list[str]], list[tuple[list[str], bool]]]:
    """The names of each column, with a stand-in (which has a blank) wherever an arrow passes; and each arrow's way."""
    into = {name: [one for one, other, _ in edges if other == name] for edge in edges for name in edge[:2]}

    @cache
    def column(name: str) -> int:
        return 1 + max(map(column, into[name]), default=-1)

    try:
        columns: list[list[str]] = [[] for _ in range(1 + max(map(column, into)))]
    except RecursionError as error:
        raise ValueError("the arrows lead in a circle") from error
    for name in sorted(into):
        columns[column(name)].append(name)
    ways = []
    for one, other, dotted in edges:
        passed = [f"{one} {other} {place}" for place in range(column(one) + 1, column(other))]
        for place, stand_in in enumerate(passed, start=column(one) + 1):
            columns[place].append(stand_in)
        ways.append(([one, *passed, other], dotted))
    return columns, ways


def _order(columns: list[list[str]], ways: list[tuple[list[str], bool]]) -> None:
    """Sort each column by the positions of its neighbours, alternately on the left and on the right."""
    beside: dict[str, list[str]] = {}
    for way, _ in ways:
        for one, other in pairwise(way):
            beside.setdefault(one, []).append(other)
            beside.setdefault(other, []).append(one)
    for sweep in range(SWEEPS):
        for names in columns if sweep % 2 else columns[::-1]:
            places = {
                name: row - len(names_of_column) / 2
                for names_of_column in columns
                for row, name in enumerate(names_of_column)
            }
            names.sort(key=lambda name: sum(places[neighbour] for neighbour in beside[name]) / len(beside[name]))


def _arrow(places: list[Place], dotted: bool) -> str:
    """A curve from the right side of the first box to the left side of the last, straight where it passes others."""
    x, y = places[0][0] + WIDE, places[0][1] + HIGH / 2
    path = f"M{x:g} {y:g}"
    for step, (left, top) in enumerate(places[1:], start=2):
        middle = top + HIGH / 2
        half = (left - x) / 2
        path += f"C{x + half:g} {y:g} {left - half:g} {middle:g} {left:g} {middle:g}"
        x, y = left, middle
        if step < len(places):
            x += WIDE
            path += f"H{x:g}"
    style = ' stroke-dasharray="3 4"' if dotted else ""
    return f'<path d="{path}" marker-end="url(#head)"{style}/>'


def _box(name: str, left: float, top: float) -> str:
    return (
        f'<rect x="{left:g}" y="{top:g}" width="{WIDE}" height="{HIGH}" rx="6"/>'
        f'<text x="{left + WIDE / 2:g}" y="{top + HIGH / 2 + 4.5:g}" text-anchor="middle">{escape(name)}</text>'
    )
